"""Archives as they were downloaded: zip, tar and 7z, and single files that are compressed.

Each member is read by the reader of its format, all of LaTeX together as in a folder.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.corpus.archives.arxiv import Paper, named_paper
from porism.corpus.archives.formats import (
    ARCHIVE_EXTENSIONS,
    DAMAGES,
    SEVEN_ZIP,
    archive_kind,
    compression,
    is_tar,
    opened,
    unpack_7z,
    unpack_single,
    unpack_tar,
    unpack_zip,
)
from porism.corpus.archives.listings import PaperListings
from porism.corpus.archives.unpacking import UnpackedTree, UnpackingLimits
from porism.corpus.base import OnProgress, ReaderOptions, UnitId
from porism.corpus.groups import Item, LazyRecord, Placer, ReadGroup, SourceGroups, guarded
from porism.corpus.posts.threads import body_content
from porism.corpus.streams import unpacked_limit
from porism.corpus.text_files import size_of
from porism.corpus.walking import check_file
from porism.errors import OnProblem, Problem, SourceError
from porism.extras import Extra
from porism.types import Content, Document, Metadata

MAX_DEPTH = 2
"""Archives inside this many others are not read."""

_SNIFFED = 8192
_SIGNS = {b"%PDF": ".pdf", b"%!PS": ".ps", b"<!DOCTYPE html": ".html", b"<html": ".html", b"%auto-ignore": ".txt"}
"""How files begin whose names say nothing, and the ending that they should have."""
_TEX = re.compile(rb"\\(?:documentclass|documentstyle|begin\s*\{|input\b|magnification|def\\|font\\|section|bye\b)")

OpenFolder = Callable[[Path, ReaderOptions, OnProblem, "ArchiveReader"], SourceGroups]
"""What is read together of a folder that an archive was unpacked into, with the reader of archives in it."""


class ArchiveReader:
    """Reads archives.

    :param open_folder: opens what was unpacked.
    :param is_read: whether a reader reads files of such a name.
    :param depth: in how many archives those are that it reads.
    :param limits: those of the archive around them.
    """

    name = "archive"
    document = "what the formats of its members say"
    needs: Mapping[str, Extra] = MappingProxyType({".7z": SEVEN_ZIP})
    extensions = ARCHIVE_EXTENSIONS

    def __init__(
        self, open_folder: OpenFolder, is_read: Callable[[str], bool], depth: int = 0,
        limits: UnpackingLimits | None = None,
    ) -> None:
        self._open_folder, self._is_read, self._depth, self._limits = open_folder, is_read, depth, limits

    def detect(self, path: Path) -> bool:
        """Whether it is an archive by its name, or by its first bytes where the name is that of a paper of arXiv."""
        if not path.is_file():
            return False
        if archive_kind(path.name):
            return True
        if compression(path.name):
            return self._is_read(path.stem) or named_paper(path.name) is not None
        return named_paper(path.name) is not None and not self._is_read(path.name) and _start(path, ".gz") != b""

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of all members.

        :raises SourceError: the file is missing, empty, or cannot be read.
        """
        check_file(path)
        group = ArchiveGroup(self, path, path.name, options, PaperListings(path.parent, [path], options), alone=True)
        for item in group.items(on_problem, on_progress):
            document = item.read(on_problem) if isinstance(item, LazyRecord) else item
            if document is not None:
                yield document

    def unpack(self, path: Path, tree: UnpackedTree) -> str:
        """Writes the members of an archive into a tree; returns what was wrong with it as a whole."""
        kind, ending = archive_kind(path.name), compression(path.name)
        if kind == "zip":
            return unpack_zip(path, tree)
        if kind == "7z":
            return unpack_7z(path, tree)
        if kind != "tar":
            ending = ending or ".gz"
            start = _start(path, ending)
            if not is_tar(start):
                with opened(path, ending) as stream:
                    return unpack_single(stream, self._name_inside(path, start), tree)
        with opened(path, ending) as stream:
            return unpack_tar(stream, tree)

    def _name_inside(self, path: Path, start: bytes) -> str:
        """The name of the one file that was compressed."""
        name = path.stem if compression(path.name) else path.name
        if self._is_read(name):
            return name
        head = start.lstrip()
        ending = next((ending for sign, ending in _SIGNS.items() if head.startswith(sign)), "")
        return f"{name}{ending or ('.tex' if _TEX.search(start) else '')}"

    def inside(self, limits: UnpackingLimits) -> ArchiveReader:
        """The reader of the archives in an archive."""
        return ArchiveReader(self._open_folder, self._is_read, self._depth + 1, limits)

    def tree(self, path: Path, root: Path, options: ReaderOptions) -> UnpackedTree:
        """The tree that an archive is unpacked into."""
        limits = self._limits or UnpackingLimits(unpacked_limit(path.stat().st_size, options.max_unpacked))
        return UnpackedTree(root, limits, self._is_read)

    @property
    def is_too_deep(self) -> bool:
        """Whether what it is given is in too many archives."""
        return self._depth >= MAX_DEPTH

    def open(self, tree: UnpackedTree, options: ReaderOptions, on_problem: OnProblem) -> SourceGroups:
        """What is read together of a tree; nothing in it leads outside."""
        return self._open_folder(tree.root, replace(options, outside=False), on_problem, self.inside(tree.limits))


class ArchiveGroup(ReadGroup):
    """One archive.

    Its ``note`` has four entries:

    - ``listings``: the state of the listings beside it.
    - ``paper``: a digest of what they say of its paper.
    - ``left_out``: how many files in it no reader reads, by their endings.
    """

    def __init__(
        self, reader: ArchiveReader, path: Path, name: str, options: ReaderOptions, listings: PaperListings, *,
        left_out: Counter[str] | None = None, alone: bool = False,
    ) -> None:
        super().__init__(name, reader.name, [path], alone=alone)
        self._reader, self._path, self._options, self._listings = reader, path, options, listings
        self._left_out: Counter[str] = Counter() if left_out is None else left_out

    def fits(self, note: Any, files: list[Path]) -> bool:
        if not isinstance(note, dict):
            return False
        listings = self._listings
        return bool(note["listings"] == listings.state(self._path) or note["paper"] == listings.digest(self._path))

    def skip(self, note: Any, files: list[Path]) -> None:
        self._left_out.update(note["left_out"])

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        left_out: Counter[str] = Counter()
        yield from self._documents(left_out, on_problem, on_progress)
        self._left_out.update(left_out)
        self.note = {
            "listings": self._listings.state(self._path), "paper": self._listings.digest(self._path),
            "left_out": dict(left_out),
        }

    def _documents(
        self, left_out: Counter[str], on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        if self._reader.is_too_deep:
            on_problem(Problem(self.name, f"is inside {MAX_DEPTH} archives; it is not read"))
            return
        listed = self._listings.paper(self._path)
        if listed is not None and not listed.is_row and listed.paper.abstract:
            yield self._abstract(listed.paper, on_problem)
        extra = listed.paper.metadata if listed is not None else {}
        with tempfile.TemporaryDirectory(prefix="porism-", ignore_cleanup_errors=True) as folder:
            tree = self._reader.tree(self._path, Path(folder).resolve(), self._options)
            if problem := self._reader.unpack(self._path, tree):
                on_problem(Problem(self.name, problem))
            tree.report(self.name, on_problem)

            def report(problem: Problem) -> None:
                where = problem.where.removeprefix(str(tree.root)).lstrip("/")
                on_problem(Problem(self._outer(where, tree), problem.what))

            try:
                contents = self._reader.open(tree, self._options, report)
            except SourceError as error:
                if not (problem or tree.refused):
                    on_problem(Problem(self.name, f"{error.what}{f' ({error.hint})' if error.hint else ''}"))
                return
            placer = Placer(self.name)
            size, done = size_of(self._path), 0

            def progress(now: int, of: int) -> None:
                on_progress(size * min(done + now, contents.size) // max(1, contents.size), size)

            for group in contents.groups:
                for item in guarded(group, report, progress):
                    document = item.read(report) if isinstance(item, LazyRecord) else item
                    if document is not None:
                        line = item.line if isinstance(item, LazyRecord) else 0
                        yield self._moved(placer.place(document, item.id, group, line), tree, extra)
                done += sum(map(size_of, group.files))
                progress(0, 0)
            left_out.update(contents.left_out)

    def _moved(self, document: Document, tree: UnpackedTree, extra: Metadata) -> Document:
        """A document of a member as one of this archive."""
        doc_id, file = document.id, document.metadata.get("file", "")
        if isinstance(doc_id, UnitId):
            doc_id = UnitId(self._outer(doc_id.file, tree), doc_id.unit)
        metadata = {**extra, **document.metadata, "file": self._outer(file if isinstance(file, str) else "", tree)}
        return Document(doc_id, document.fields, metadata)

    def _outer(self, name: str, tree: UnpackedTree) -> str:
        """The place that a place in the tree is in this archive; the one file that was compressed is the archive."""
        if tree.only_file:
            return f"{self.name}{name.removeprefix(tree.only_file)}" if name.startswith(tree.only_file) else self.name
        return f"{self.name}/{name}".rstrip("/")

    def _abstract(self, paper: Paper, on_problem: OnProblem) -> Document:
        """The document of a paper as a whole."""
        fields = {
            name: body_content(text, f"{self.name}: {name}", on_problem, self._options.formulas)
            for name, text in (("title", paper.title), ("body", paper.abstract)) if text
        }
        if paper.categories:
            fields["tags"] = Content(" ".join(paper.categories))
        return Document(UnitId(self.name), fields, {"type": "abstract", **paper.metadata})


def _start(path: Path, ending: str) -> bytes:
    """The first bytes of a compressed file, unpacked; empty where that fails."""
    try:
        with opened(path, ending) as stream:
            return stream.read(_SNIFFED)
    except DAMAGES:
        return b""
