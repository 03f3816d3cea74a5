"""LaTeX projects: a folder of sources or one main file, with all that it includes.

Documents are the theorem-like environments, each with the proof that follows it, and what is left of each section.
The id of a document is its label, or ``file#type-number`` where it has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.latex_structure import LatexStructure
from porism.corpus.latex_tokens import FileFrame, clean
from porism.corpus.textfile import decode, read_bytes, size_of
from porism.corpus.units import UnitStore
from porism.errors import OnProblem, SourceError
from porism.types import Document

EXTENSIONS = (".tex", ".ltx", ".latex")
_PACKAGES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
_READABLE = frozenset((*EXTENSIONS, ".sty", ".cls", ".def", ".txt", ".inc", ".tikz", ".out", ""))
_MAIN = re.compile(rb"^[^%\n]*?\\(?:documentclass|documentstyle|begin\s*\{document\})", re.MULTILINE)
_TARGET = re.compile(
    rb"\\(?:input|include|subfile|subfileinclude|(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{[^{}\n]{0,200}\})"
    rb"\s*\{?\s*([^\s{}\\%]{1,200})"
)
_INPUTENC = re.compile(rb"\\usepackage\s*\[\s*([A-Za-z0-9-]+)\s*\]\s*\{inputenc\}")
_ENCODINGS = {
    "latin1": "latin-1", "ansinew": "cp1252", "cp1252": "cp1252", "latin9": "latin-9", "latin2": "latin2",
    "applemac": "mac-roman", "cp1251": "cp1251", "koi8-r": "koi8-r", "cp1250": "cp1250",
}  # fmt: skip


class LatexReader:
    """Reads LaTeX projects."""

    name = "latex"

    def detect(self, path: Path) -> bool:
        """Whether the path is a ``.tex`` file, or a folder that has some."""
        if path.is_dir():
            try:
                return any(entry.suffix.lower() in EXTENSIONS for entry in path.iterdir())
            except OSError:
                return False
        return path.suffix.lower() in EXTENSIONS

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of a project.

        :raises SourceError: there is no such file or folder, or no LaTeX source in it.
        """
        if path.is_dir():
            files = [
                found for found in sorted(path.rglob("*"))
                if found.suffix.lower() in EXTENSIONS and "/." not in f"/{found.relative_to(path).as_posix()}"
            ]
            if not files:
                raise SourceError("holds no LaTeX source", where=str(path), hint="Name a folder with .tex files")
            yield from self.read_files(path, files, options, on_problem, on_progress)
        elif path.is_file():
            yield from self.read_files(path.parent, [path], options, on_problem, on_progress, source=path.name)
        else:
            raise SourceError("there is no such file or folder", where=str(path))

    def read_files(
        self,
        root: Path,
        files: Iterable[Path],
        options: ReaderOptions,
        on_problem: OnProblem,
        on_progress: OnProgress,
        source: str | None = None,
    ) -> Iterator[Document]:
        """Yields the documents of these files and of those that they include, main files first.

        A file that another one includes is read in its place there; files that nothing includes are read on their
        own, with the macros of the first main file of their folder or of one above it.

        :param root: the folder that file names in ids and metadata are relative to.
        """
        project = _Project(root, options, on_problem, on_progress, source or root.resolve().name)
        yield from project.read(list(files))


class _Project:
    def __init__(
        self, root: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress, source: str
    ) -> None:
        self.root, self.options = root, options
        self.on_problem, self.on_progress = on_problem, on_progress
        self.store = UnitStore(options.collection or source, on_problem)
        self.done: set[Path] = set()  # files whose documents have been handed out
        self.names: dict[str, Path] = {}
        self.bytes_done = self.bytes_all = 0
        self.unexpanded = 0
        self._first: LatexStructure | None = None
        self._missing: set[str] = set()

    def read(self, files: list[Path]) -> Iterator[Document]:
        self.bytes_all = sum(size_of(path) for path in files)
        mains, parts, targets = self._sort(files)
        folders: dict[Path, tuple[list[Path], list[Path]]] = {}
        mains.sort(key=lambda path: (len(path.parts), str(path.parent), path.stem in targets, path.name))
        for path in mains:
            folders.setdefault(path.parent, ([], []))[0].append(path)
        folders.setdefault(self.root, ([], []))
        for path in sorted(parts, key=lambda path: (path.stem in targets, str(path))):
            home = next((folder for folder in path.parents if folder in folders), self.root)
            folders[home][1].append(path)
        for heads, others in folders.values():
            self._first = None
            for path in (*heads, *others):
                if path.resolve() not in self.done:
                    yield from self._read_root(path, is_main=path in heads)
        self.on_progress(self.bytes_all, self.bytes_all)

    def _sort(self, files: list[Path]) -> tuple[list[Path], list[Path], set[str]]:
        """Main files, all others, and the names (without folder and suffix) of what is included somewhere."""
        mains: list[Path] = []
        parts: list[Path] = []
        targets: set[str] = set()
        for path in files:
            try:
                data = path.read_bytes()
            except OSError:
                data = b""  # reported when its turn comes
            for match in _TARGET.finditer(data):
                targets.add(Path(match.group(1).decode("utf-8", "replace")).stem)
            (mains if _MAIN.search(data) else parts).append(path)
        return mains, parts, targets

    def _read_root(self, path: Path, *, is_main: bool) -> Iterator[Document]:
        visited: set[Path] = set()
        frame = self._open(path, visited)
        if frame is None:
            return
        folder = path.parent.relative_to(self.root) if path.is_relative_to(self.root) else Path()
        self.store.prefix = "" if folder == Path() else f"{folder.as_posix()}/"

        def load(command: str, argument: str) -> FileFrame | None:
            return self._load(command, argument, path, machine, visited)

        machine = LatexStructure(self.store, load, self.on_problem)
        machine.silent = {self._relative(done) for done in self.done}
        if self._first is not None and not is_main:
            machine.expander.macros.update(self._first.expander.macros)
            machine.expander.environments.update(self._first.expander.environments)
            machine.declarations.theorems.update(self._first.declarations.theorems)
        yield from machine.read(frame, preamble=is_main and "\\begin{document}" in frame.text)
        if is_main and self._first is None:
            self._first = machine
        self.done |= visited
        self.unexpanded += machine.formulas.unexpanded

    def _relative(self, path: Path) -> str:
        for candidate, root in ((path, self.root), (path, self.root.resolve())):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root).as_posix()
        return path.as_posix()

    def _open(self, path: Path, visited: set[Path]) -> FileFrame | None:
        name = self._relative(path)
        real = path.resolve()
        visited.add(real)
        data = read_bytes(path, name, self.on_problem)
        if data is None:
            self.done.add(real)
            return None
        if real not in self.done:
            self.bytes_done += len(data)
            self.on_progress(min(self.bytes_done, self.bytes_all), self.bytes_all)
        encoding = self.options.encoding
        if encoding is None and (named := _INPUTENC.search(data)):
            encoding = _ENCODINGS.get(named.group(1).decode().lower())
        text = clean(decode(data, name, self.on_problem, encoding))
        self.names[name] = path
        return FileFrame(text, name, at_letter=path.suffix in (".sty", ".cls"))

    def _load(
        self, command: str, argument: str, main: Path, machine: LatexStructure, visited: set[Path]
    ) -> FileFrame | None:
        if not argument or "\0" in argument or len(argument) > 1000:
            return None
        package = _PACKAGES.get(command)
        here = self.names.get(machine.files[-1].name, main)
        found = self._find(argument.strip('"'), package, (main.parent, here.parent, self.root))
        if found is None:
            told = argument in self._missing or "\\" in argument or "#" in argument
            if package is None and command != "InputIfFileExists" and not told:
                self._missing.add(argument)
                machine.report(f"\\{command} names {argument}, which is not there")
            return None
        real = found.resolve()
        if real in visited:
            if any(self.names.get(frame.name, main).resolve() == real for frame in machine.files):
                machine.report(f"\\{command}{{{argument}}} includes a file in itself")
            return None
        return self._open(found, visited)

    def _find(self, argument: str, package: str | None, folders: tuple[Path, ...]) -> Path | None:
        if Path(argument).is_absolute():
            return None
        names = [argument + package] if package else [argument, *(argument + suffix for suffix in EXTENSIONS)]
        for folder in dict.fromkeys(folders):
            for name in names:
                path = folder / name
                try:
                    if path.is_file() and path.suffix.lower() in _READABLE:
                        return path
                except OSError:
                    continue
        return None
