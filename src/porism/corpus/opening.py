"""The documents of sources, in a stream, with ids that are unique among all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.groups import LazyRecord, Placer, SourceGroups, guarded
from porism.corpus.registry import source_groups
from porism.corpus.text_files import size_of
from porism.errors import OnProblem, Problem, SourceError
from porism.system.files.names import shown_name
from porism.types import Document


def open_source(
    path: Path | str, format: str | None = None, options: ReaderOptions | None = None,
    on_problem: OnProblem = ignore_problem, on_progress: OnProgress = ignore_progress,
) -> Iterator[Document]:
    """The documents of one source, in a stream.

    :param format: its format; None detects it.
    :param on_problem: receives everything that was skipped or repaired.
    :param on_progress: receives (bytes done, bytes in all) now and then.
    :raises SourceError: the source is missing, empty, unreadable or of no known format, or there is no such format
        (at once, before the first document is read).
    """
    return open_sources([path], format, options, on_problem, on_progress)


def open_sources(
    paths: Iterable[Path | str], format: str | None = None, options: ReaderOptions | None = None,
    on_problem: OnProblem = ignore_problem, on_progress: OnProgress = ignore_progress, *, all_found: bool = False,
) -> Iterator[Document]:
    """The documents of several sources, one after the other; see :func:`open_source`.

    The name of a source is that of its file or folder; a second one of that name has its parent folder behind an ``@``.
    An id that is there twice is reported, and the later document gets a longer one.

    :param all_found: whether a source without any document is an error, when its end is reached.
    """
    options = options or ReaderOptions()
    plans: list[tuple[Path, Placer, SourceGroups]] = []
    names: list[str] = []
    for path in map(Path, paths):
        name = unique_name(path, options, names)
        names.append(name)
        contents = source_groups(path, format, replace(options, collection=name), on_problem)
        plans.append((path, Placer(name, path.name if path.is_file() else ""), contents))
    return _read_all(plans, on_problem, on_progress, all_found)


def unique_name(path: Path, options: ReaderOptions, taken: Sequence[str]) -> str:
    """A name for a source that none of ``taken`` is equal to, in upper or lower case."""
    whole = path if path.name else path.resolve()
    wanted = options.collection or shown_name(whole.name) or "source"
    lower = {name.lower() for name in taken}
    if wanted.lower() not in lower:
        return wanted
    wanted = f"{wanted}@{shown_name(whole.resolve().parent.name)}"
    name, number = wanted, 2
    while name.lower() in lower:
        name, number = f"{wanted}-{number}", number + 1
    return name


class IdKeeper:
    """Tells apart documents that want the same id, in time that does not depend on how many there are."""

    def __init__(self) -> None:
        self._taken: set[int] = set()  # hashes, so that memory stays small on large collections
        self._numbers: dict[str, int] = {}

    def take(self, doc_id: str) -> bool:
        """Takes an id; False where it was taken before."""
        before = len(self._taken)
        self._taken.add(hash(doc_id))
        return len(self._taken) > before

    def has(self, doc_id: str) -> bool:
        """Whether the id was taken."""
        return hash(doc_id) in self._taken

    def another(self, wanted: str) -> str:
        """``wanted``, or that with a number where it was taken."""
        name, number = wanted, self._numbers.get(wanted, 2)
        while self.has(name):
            name, number = f"{wanted}~{number}", number + 1
        self._numbers[wanted] = number
        return name


def _read_all(
    plans: list[tuple[Path, Placer, SourceGroups]], on_problem: OnProblem, on_progress: OnProgress, all_found: bool
) -> Iterator[Document]:
    ids = IdKeeper()
    total = sum(contents.size for _, _, contents in plans)
    base = 0
    for path, placer, contents in plans:
        done = count = 0

        def progress(now: int, of: int) -> None:
            on_progress(base + done + now, max(total, base + done + of))  # noqa: B023 (called within the loop)

        for group in contents.groups:
            for item in guarded(group, on_problem, progress):
                document = item.read(on_problem) if isinstance(item, LazyRecord) else item
                if document is None:
                    continue
                count += 1
                doc_id = placer.id(item.id)
                if not ids.take(doc_id):
                    own, doc_id = doc_id, ids.another(placer.longer_id(item.id, group))
                    ids.take(doc_id)
                    on_problem(repeated(own, doc_id, placer))
                yield placer.place(document, doc_id, group, item.line if isinstance(item, LazyRecord) else 0)
            done += sum(map(size_of, group.files))
            on_progress(min(base + done, total), total)
        if all_found and not count:
            raise nothing_found(path)
        base += contents.size


def nothing_found(path: Path) -> SourceError:
    """The error for a source without any document."""
    return SourceError("no document was found", where=str(path), hint="Is it empty, or of another format?")


def repeated(own: str, doc_id: str, placer: Placer) -> Problem:
    """The report of an id that another document has."""
    return Problem(placer.source, f"the id {own} belongs to another document; this one becomes {doc_id}")
