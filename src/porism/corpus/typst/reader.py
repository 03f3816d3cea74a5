"""Typst: a document for each section and each theorem-like block, read with what the file includes and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from porism.corpus.base import ReaderOptions, clean
from porism.corpus.inclusions import IncludingReader, may_read, target_of
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import read_text
from porism.corpus.typst.nodes import FileName, Let, Node
from porism.corpus.typst.parser import TypstParser
from porism.corpus.typst.scope import Scope
from porism.corpus.typst.text import TypstText
from porism.corpus.walking import OUTSIDE, relative_name
from porism.errors import OnProblem, Problem
from porism.types import Content, Document

MAX_FILE_DEPTH = 20
"""Files that include files are read to this depth."""

_FILE = re.compile(rb'#?\b(?:include|import)[ \t]+"([^"\n@]{1,300}\.typ)"')


class TypstReader(IncludingReader):
    """Reads Typst files with those that they include; imported files give their definitions."""

    name = "typst"
    extensions = (".typ",)

    def names_in(self, data: bytes) -> list[str]:
        return [match[1].decode("utf-8", "replace") for match in _FILE.finditer(data)]

    def read_whole(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, silent: frozenset[str]
    ) -> Iterator[Document]:
        fallback = Content(clean(PurePosixPath(name).stem))
        units = FileUnits(name, source, on_problem, fallback=fallback, silent=silent)
        _Project(path.parents[name.count("/")], units, options, on_problem).read(path)
        yield from units.documents()


class _Project:
    """The files of one document."""

    def __init__(self, root: Path, units: FileUnits, options: ReaderOptions, on_problem: OnProblem) -> None:
        self._root, self._units, self._options, self._on_problem = root, units, options, on_problem
        self._nodes: dict[Path, list[Node]] = {}
        self._scopes: dict[Path, Scope] = {}
        self._open: list[Path] = []
        self._importing = 0
        self._read: set[Path] = set()

    def read(self, path: Path) -> None:
        """Reads a file in its place."""
        if path in self._read or len(self._open) >= MAX_FILE_DEPTH:
            return
        self._read.add(path)
        self._open.append(path)
        self._units.file = relative_name(path, self._root)
        text = TypstText(self._units, self._scope(path), self._on_problem, self._include)
        text.read(self._parsed(path))
        text.keep()
        self._open.pop()
        if self._open:
            self._units.file = relative_name(self._open[-1], self._root)

    def _include(self, file: FileName) -> None:
        path = self._found(file, self._open[-1])
        if path is not None and path not in self._read:
            place = self._units.place
            self.read(path)
            self._units.return_to(place)

    def _found(self, file: FileName, path: Path) -> Path | None:
        """The file that another one names, if it is there and may be read; else that is reported."""
        if file.name.startswith("@"):  # a package
            return None
        target = target_of(file.name, path, self._root)
        if may_read(target, self._root, self._options):
            return target
        problem = f"{file.name} {OUTSIDE}" if target.is_file() else f"there is no file {file.name}"
        self._on_problem(Problem(f"{relative_name(path, self._root)}:{file.line}", problem))
        return None

    def _parsed(self, path: Path) -> list[Node]:
        if path not in self._nodes:
            name = relative_name(path, self._root)
            text = read_text(path, name, self._on_problem, self._options.encoding)
            text = (text or "").replace("\r\n", "\n").replace("\r", "\n")
            self._nodes[path] = TypstParser(text, name, self._on_problem).read()
        return self._nodes[path]

    def _scope(self, path: Path) -> Scope:
        """The definitions at the top of a file and of those that it imports."""
        if path not in self._scopes:
            self._scopes[path] = scope = Scope()
            self._importing += 1
            for node in self._parsed(path):
                if isinstance(node, Let):
                    scope.define(node)
                elif isinstance(node, FileName) and not node.is_included:
                    imported = self._found(node, path)
                    if imported is not None and self._importing < MAX_FILE_DEPTH:
                        scope.take_over(self._scope(imported), node.renamed)
            self._importing -= 1
        return self._scopes[path]
