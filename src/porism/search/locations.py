"""Where a document is: file and line, what it is there, the headings above it, the page it is on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import xxhash

from porism.corpus import split_math
from porism.errors import SourceError
from porism.index.sources import Source, SourceFile
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.system.files.names import real_name
from porism.types import Content, Metadata

_URL_KEYS = ("url", "link", "href")
_SITES = {"arqmath": "math.stackexchange.com", "stackexchange": ""}
"""Format of a source → the site of its posts, empty where the folder names it."""
_SITE_NAME = re.compile(r"(?:[a-z0-9-]+\.)+(?:com|net)")
_POST_PATHS = {"answer": "a", "question": "q", "thread": "q"}
_POST = re.compile(r"\d+\Z", re.ASCII)
_SCHEMES = ("http://", "https://", "zotero://", "joplin://")
"""Beginnings of addresses that it is safe to open."""
_MAX_HEADING_LENGTH = 60
_SAY_NOTHING = frozenset({"document", "section"})
"""Kinds that need no label, because a reader sees them."""


@dataclass(frozen=True, slots=True)
class Location(Value):
    """Where a document is, or a passage of it; whatever is not known is None, or empty.

    ``file`` is the path within the ``source`` (its name in the index) and ``path`` the same on this machine; ``line``
    counts from 1, and of a PDF it is the page. ``kind`` is what the document is (``lemma``, ``answer``), ``section``
    the headings above it from the outermost. ``tag`` is its permanent tag in projects that have them, and ``url`` the
    address of its page.
    """

    source: str | None = None
    file: str | None = None
    line: int | None = None
    path: Path | None = None
    kind: str | None = None
    section: tuple[str, ...] = ()
    tag: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        if self.url is not None and not self.url.startswith(_SCHEMES):
            object.__setattr__(self, "url", None)

    @classmethod
    def of(
        cls, metadata: Metadata, sources: Callable[[], Mapping[str, Source]] | None = None, doc_id: str = ""
    ) -> Location:
        """The location in a document's metadata; ``sources`` gives the sources of the index by name.

        Posts of ARQMath and of data dumps have the address of the post on its site, which their id says.
        """
        source, file = _first(metadata, "source"), _first(metadata, "file")
        line = _first(metadata, "line") or ""
        known = sources().get(source) if source is not None and sources is not None else None
        path = _path_of(known, file) if known is not None and file is not None else None
        urls = [_first(metadata, key) for key in _URL_KEYS]
        if known is not None:
            urls.append(_post_address(known, doc_id, _first(metadata, "type")))
        return cls(
            source, file, int(line) if line.isdecimal() and line.isascii() and int(line) > 0 else None, path,
            _first(metadata, "type"),
            tuple(heading for heading in map(_shown_heading, _all(metadata, "section")) if heading),
            _first(metadata, "tag"),
            next((url for url in urls if url and url.startswith(_SCHEMES)), None),
        )

    def at(self, content: Content, character: int) -> Location:
        """The location of a character of a field of the document; that of the document itself where its line is not
        known.
        """
        return self if self.line is None else replace(self, line=self.line + content.line_of(character))

    def place(self, with_source: bool = False) -> str:
        """``algebra.tex:3616``, ``paper.pdf:p. 12``, empty where the file is not known."""
        if self.file is None:
            return ""
        is_source = self.source is None or self.file == self.source or self.file.startswith(f"{self.source}/")
        file = f"{self.source}/{self.file}" if with_source and not is_source else self.file
        if self.line is None:
            return file
        return f"{file}:p. {self.line}" if self.is_paged else f"{file}:{self.line}"

    @property
    def is_paged(self) -> bool:
        """Whether ``line`` counts the pages of a PDF."""
        return self.file is not None and self.file.lower().endswith(".pdf")

    @property
    def address(self) -> str | None:
        """The address that opens the file on this machine, a PDF at its page; None where the path is not known."""
        if self.path is None:
            return None
        address = self.path.resolve().as_uri()
        return f"{address}#page={self.line}" if self.is_paged and self.line is not None else address

    def text(self, with_source: bool = False, title: str = "", longest: int | None = None) -> str:
        """One line: ``algebra.tex:3616 · Lemma · Quasi-finite maps › Main theorem · tag 00Q9``; empty where nothing is
        known that a reader would look up.

        :param with_source: whether the name of the source is shown before the file.
        :param title: the title shown beside it: a heading that says the same is left out.
        :param longest: of a longer line, outer headings are left out.
        """
        headings = list(self.section[:-1] if self.section and self.section[-1] == title else self.section)
        while True:
            line = self._line(headings, with_source)
            if longest is None or len(line) <= longest or len(headings) < 2 + (headings[:1] == ["…"]):
                return line
            headings = ["…", *headings[2 if headings[0] == "…" else 1 :]]

    def _line(self, headings: Sequence[str], with_source: bool) -> str:
        kind = self.kind.replace("-", " ").replace("_", " ") if self.kind and self.kind not in _SAY_NOTHING else ""
        parts = [
            self.place(with_source), kind[:1].upper() + kind[1:], " › ".join(map(_short, headings)),
            f"tag {self.tag}" if self.tag else "", self.url or "",
        ]
        return one_printable_line(" · ".join(part for part in parts if part))

    def __str__(self) -> str:
        return self.text()


def editor_address(location: Location, template: str) -> str | None:
    """The address that opens a file in an editor, by a template with ``{file}`` and ``{line}``, such as
    ``vscode://file/{file}:{line}``; None where the file is not known."""
    if location.path is None or not template:
        return None
    return template.replace("{file}", quote(location.path.as_posix())).replace("{line}", str(location.line or 1))


def _post_address(source: Source, doc_id: str, kind: str | None) -> str | None:
    """Where a post of a site of Stack Exchange is to be read, None for other documents.

    A dump is of the site that its folder is called by, ``math.stackexchange.com``.
    """
    site = _SITES.get(source.format or source.detected)
    if site == "":
        folder = source.path.name if _SITE_NAME.fullmatch(source.path.name) else source.path.parent.name
        site = folder if _SITE_NAME.fullmatch(folder) else None
    post = _POST.search(doc_id)
    if not site or post is None or kind not in _POST_PATHS:
        return None
    return f"https://{site}/{_POST_PATHS[kind]}/{post[0]}"


def file_has_changed(location: Location, sources: Mapping[str, Source]) -> bool:
    """Whether a file is another than the one that was indexed, by its content where its size is the same.

    False where the index does not know, or the file cannot be read.
    """
    source = sources.get(location.source or "")
    known = source.files.get(_file_of(source, real_name(location.file or ""))) if source is not None else None
    if source is None or known is None or location.path != _path_of(source, location.file or ""):
        return False
    try:
        return _differs(location.path, known)
    except OSError:
        return False


def indexed_file(location: Location, sources: Mapping[str, Source]) -> tuple[Path, str]:
    """The file of a location and the xxh3-128 of its content, if it is a file that was indexed and is as it was then.

    :raises SourceError: it is not, is inside an archive, or cannot be read.
    """
    source, name = sources.get(location.source or ""), real_name(location.file or "")
    known = source.files.get(name) if source is not None else None
    if source is None or known is None or not known.digest:
        raise SourceError("is not a file of the index by itself", where=location.file)
    path = _path_of(source, name)
    try:
        if path.is_file() and not _differs(path, known):
            return path, known.digest
    except OSError as error:
        raise SourceError("cannot be read", where=location.file) from error
    reason = "has changed since it was indexed" if path.exists() else "is no longer there"
    raise SourceError(reason, where=location.file, hint="Bring the index up to date: porism update")


def _differs(path: Path, known: SourceFile) -> bool:
    """Whether a file is another than it was.

    :raises OSError: it cannot be read.
    """
    status = path.stat()
    if status.st_size != known.size:
        return True
    if known.mtime and status.st_mtime_ns == known.mtime:
        return False
    with path.open("rb") as file:
        digest = xxhash.xxh3_128()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return bool(known.digest) and digest.hexdigest() != known.digest


def _path_of(source: Source, file: str) -> Path:
    """Where a file of a source is on this machine."""
    file = _file_of(source, real_name(file))
    is_file = source.path.name == file and not source.path.is_dir()
    return source.path if is_file else source.path / file


def _file_of(source: Source, file: str) -> str:
    """The file of a source that a file is in: itself, or the archive around it."""
    if file in source.files:
        return file
    return next((str(outer) for outer in PurePosixPath(file).parents if str(outer) in source.files), file)


def _all(metadata: Metadata, key: str) -> tuple[str, ...]:
    value = metadata.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)


def _first(metadata: Metadata, key: str) -> str | None:
    return next(iter(_all(metadata, key)), None) or None


def _shown_heading(heading: str) -> str:
    return one_printable_line(show_content(split_math(heading), "unicode"))


def _short(heading: str) -> str:
    return heading if len(heading) <= _MAX_HEADING_LENGTH else f"{heading[: _MAX_HEADING_LENGTH - 1]}…"
