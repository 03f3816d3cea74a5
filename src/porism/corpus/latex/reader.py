"""LaTeX projects: a folder of sources or one main file, with all that it includes.

Documents are the theorem-like environments, each with the proof that follows it, and what is left of each section.
The id of a document is ``file#label``, or ``file#type-number`` where it has no label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import xxhash

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.groups import ReadGroup
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.latex.tokens import FileFrame, clean
from porism.corpus.text_files import decode, open_file, read_bytes, read_text, size_of
from porism.corpus.units import UnitStore
from porism.corpus.walking import check_file, is_inside, walk
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
_TAG = re.compile(r"[0-9A-Z]{4,6}")
_INPUTENC = re.compile(rb"\\usepackage\s*\[\s*([A-Za-z0-9-]+)\s*\]\s*\{inputenc\}")
_ENCODINGS = {
    "latin1": "latin-1", "ansinew": "cp1252", "cp1252": "cp1252", "latin9": "latin-9", "latin2": "latin2",
    "applemac": "mac-roman", "cp1251": "cp1251", "koi8-r": "koi8-r", "cp1250": "cp1250",
}  # fmt: skip


def is_latex(path: Path) -> bool:
    """Whether the name is that of a LaTeX source."""
    return path.suffix.lower() in EXTENSIONS


class LatexReader:
    """Reads LaTeX projects."""

    name = "latex"

    def detect(self, path: Path) -> bool:
        """Whether the path is a ``.tex`` file, or a folder that has some."""
        if path.is_dir():
            try:
                return any(map(is_latex, path.iterdir()))
            except OSError:
                return False
        return is_latex(path)

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of a project.

        :raises SourceError: there is no such file or folder, or no LaTeX source in it.
        """
        if path.is_dir():
            files = list(filter(is_latex, walk(path, on_problem, outside=options.outside, wanted=is_latex)))
            if not files:
                raise SourceError("holds no LaTeX source", where=str(path), hint="Name a folder with .tex files")
            yield from self.read_files(path, files, options, on_problem, on_progress)
        elif path.is_file():
            yield from self.read_files(path.parent, [path], options, on_problem, on_progress, source=path.name)
        else:
            check_file(path)  # says what it is

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
        project = LatexProject(root, list(files), options, source or root.resolve().name)
        for group in project.groups():
            yield from group.items(on_problem, on_progress)


class LatexProject:
    """Files of LaTeX in one folder: which of them are read on their own, in which order, and what they share.

    :param root: the folder that file names in ids and metadata are relative to.
    :param source: the name of the collection.
    """

    def __init__(self, root: Path, files: list[Path], options: ReaderOptions, source: str) -> None:
        self.root, self.files, self.options, self.source = root, files, options, options.collection or source
        self.done: set[Path] = set()  # files whose documents have been handed out
        self.bytes_done = 0
        self.bytes_all = sum(size_of(path) for path in files)
        self.unexpanded = 0
        self.first: LatexGroup | None = None
        """The first main file of the folder at hand; the others have its macros."""
        self._missing: set[str] = set()
        self._tags: dict[str, str] | None = None

    def tags(self, on_problem: OnProblem) -> dict[str, str]:
        """Label → tag, from the lines ``TAG,label`` of the file ``tags/tags`` at the root, where there is one."""
        if self._tags is None:
            self._tags = {}
            if self.tag_file.is_file() and (self.options.outside or is_inside(self.tag_file, self.root)):
                text = read_text(self.tag_file, self.relative(self.tag_file), on_problem) or ""
                for line in text.splitlines():
                    tag, comma, label = line.partition(",")
                    if comma and _TAG.fullmatch(tag.strip()) and label.strip():
                        self._tags[label.strip()] = tag.strip()
        return self._tags

    @property
    def tag_file(self) -> Path:
        """Where a table of tags would be."""
        return self.root / "tags" / "tags"

    def groups(self) -> Iterator[LatexGroup]:
        """The files that are read on their own, in order; each is to be read or skipped before the next is requested.

        Which files those are depends on what the earlier ones loaded.
        """
        mains, parts, targets = self._sort(self.files)
        folders: dict[Path, tuple[list[Path], list[Path]]] = {}
        mains.sort(key=lambda path: (len(path.parts), str(path.parent), path.stem in targets, path.name))
        for path in mains:
            folders.setdefault(path.parent, ([], []))[0].append(path)
        folders.setdefault(self.root, ([], []))
        for path in sorted(parts, key=lambda path: (path.stem in targets, str(path))):
            home = next((folder for folder in path.parents if folder in folders), self.root)
            folders[home][1].append(path)
        for heads, others in folders.values():
            self.first = None
            for path in (*heads, *others):
                if path.resolve() not in self.done:
                    yield LatexGroup(self, path, is_main=path in heads)

    def _sort(self, files: list[Path]) -> tuple[list[Path], list[Path], set[str]]:
        """Main files, all others, and the names (without folder and suffix) of what is included somewhere."""
        mains: list[Path] = []
        parts: list[Path] = []
        targets: set[str] = set()
        for path in files:
            try:
                with open_file(path) as file:
                    data = file.read()
            except OSError:
                data = b""  # reported when its turn comes
            for match in _TARGET.finditer(data):
                targets.add(Path(match.group(1).decode("utf-8", "replace")).stem)
            (mains if _MAIN.search(data) else parts).append(path)
        return mains, parts, targets

    def relative(self, path: Path) -> str:
        """The name of a file in ids and metadata."""
        for candidate, root in ((path, self.root), (path, self.root.resolve())):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root).as_posix()
        return path.as_posix()

    def misses(self, argument: str) -> bool:
        """Whether a file that is not there is named for the first time."""
        found = argument in self._missing
        self._missing.add(argument)
        return not found

    def find(self, argument: str, package: str | None, folders: tuple[Path, ...]) -> Path | None:
        """The file that is meant: the first inside the source, or else the first outside, which may be refused."""
        beyond: Path | None = None
        names = [argument + package] if package else [argument, *(argument + suffix for suffix in EXTENSIONS)]
        for folder in dict.fromkeys(folders):
            for name in names:
                path = folder / name
                try:
                    if not path.is_file() or path.suffix.lower() not in _READABLE:
                        continue
                    if is_inside(path, self.root):
                        return path
                    beyond = beyond or path
                except OSError:
                    continue
        return beyond


class LatexGroup(ReadGroup):
    """A LaTeX file with all that it loads.

    Its ``note`` names the files that it loaded (``own``), those of them whose documents another group gave
    (``silent``), whether there was a table of tags (``tagged``), the group whose macros it has (``first``), and where
    each file was looked for and found (``lookups``).
    """

    def __init__(self, project: LatexProject, path: Path, *, is_main: bool) -> None:
        files = [path, project.tag_file] if project.tag_file.is_file() else [path]
        super().__init__(project.relative(path), LatexReader.name, files)
        self.project, self.path, self.is_main = project, path, is_main
        self.was_read = False
        self.machine: LatexStructure | None = None
        self._visited: set[Path] = set()
        self._names: dict[str, Path] = {}
        self._lookups: dict[tuple[str, str | None, tuple[str, ...]], str | None] = {}

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Document]:
        project = self.project
        self.was_read = True
        self._lookups.clear()
        before = set(project.done)
        store = UnitStore(project.source, on_problem, tags=project.tags(on_problem))
        yield from self._read(store, on_problem, on_progress)
        first = project.first
        self.note = {
            "own": sorted(map(project.relative, self._visited)),
            "first": first.name if first is not None else None,
            "silent": sorted(map(project.relative, self._visited & before)),
            "tagged": project.tag_file.is_file(),
            "lookups": [[*key, found] for key, found in self._lookups.items()],
        }
        if self.is_main and first is None:
            project.first = self
        project.done |= self._visited

    def _read(self, store: UnitStore, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Document]:
        project = self.project
        frame = self._open(self.path, on_problem, on_progress)
        if frame is None:
            return

        def load(command: str, argument: str) -> FileFrame | None:
            return self._load(command, argument, machine, on_problem, on_progress)

        machine = LatexStructure(store, load, on_problem)
        machine.silent = {project.relative(done) for done in project.done}
        first = project.first
        if first is not None and not self.is_main and (source := first.read_macros()) is not None:
            machine.expander.macros.update(source.expander.macros)
            machine.expander.environments.update(source.expander.environments)
            machine.declarations.theorems.update(source.declarations.theorems)
            self.files += [file for file in first.files if file not in self.files]
        yield from machine.read(frame, preamble=self.is_main and "\\begin{document}" in frame.text)
        self.machine = machine
        project.unexpanded += machine.formulas.unexpanded

    def read_macros(self) -> LatexStructure | None:
        """What was read of it; reads it for its macros alone where it was skipped."""
        if self.machine is None and not self.was_read:
            for _ in self._read(UnitStore(self.project.source, ignore_problem), ignore_problem, ignore_progress):
                pass
        return self.machine

    def fits(self, note: Any, files: list[Path]) -> bool:
        project, first = self.project, self.project.first
        if not isinstance(note, dict) or note["first"] != (first.name if first is not None else None):
            return False
        if first is not None and first.was_read and not self.is_main:
            return False
        if note["tagged"] != project.tag_file.is_file():
            return False
        if note["silent"] != [name for name in note["own"] if (project.root / name).resolve() in project.done]:
            return False
        return all(
            self._found(argument, package, tuple(project.root / folder for folder in folders)) == found
            for argument, package, folders, found in note["lookups"]
        )

    def skip(self, note: Any, files: list[Path]) -> None:
        self.files = files
        if self.is_main and self.project.first is None:
            self.project.first = self
        self.project.done |= {(self.project.root / name).resolve() for name in note["own"]}

    def _found(self, argument: str, package: str | None, folders: tuple[Path, ...]) -> str | None:
        """The name of the file that an argument names, None where there is none; remembers where it was looked for."""
        found = self.project.find(argument, package, folders)
        name = None if found is None else self.project.relative(found)
        self._lookups[argument, package, tuple(map(self.project.relative, folders))] = name
        return name

    def _open(self, path: Path, on_problem: OnProblem, on_progress: OnProgress) -> FileFrame | None:
        project = self.project
        name, real = project.relative(path), path.resolve()
        self._visited.add(real)
        if path not in self.files:
            self.files.append(path)
        data = read_bytes(path, name, on_problem)
        if data is None:
            return None
        self.digests[path] = xxhash.xxh3_128_hexdigest(data)
        if real not in project.done:
            project.bytes_done += len(data)
            on_progress(min(project.bytes_done, project.bytes_all), project.bytes_all)
        encoding = project.options.encoding
        if encoding is None and (named := _INPUTENC.search(data)):
            encoding = _ENCODINGS.get(named.group(1).decode().lower())
        text = clean(decode(data, name, on_problem, encoding))
        self._names[name] = path
        return FileFrame(text, name, at_letter=path.suffix in (".sty", ".cls"))

    def _load(
        self, command: str, argument: str, machine: LatexStructure, on_problem: OnProblem, on_progress: OnProgress
    ) -> FileFrame | None:
        if not argument or "\0" in argument or len(argument) > 1000:
            return None
        package = _PACKAGES.get(command)
        here = self._names.get(machine.files[-1].name, self.path)
        folders = (self.path.parent, here.parent, self.project.root)
        name = self._found(argument.strip('"'), package, folders)
        if name is None:
            computed = "\\" in argument or "#" in argument
            if package is None and command != "InputIfFileExists" and not computed and self.project.misses(argument):
                machine.report(f"\\{command} names {argument}, which is not there")
            return None
        found = self.project.root / name
        if not (self.project.options.outside or is_inside(found, self.project.root)):
            if self.project.misses(argument):
                machine.report(
                    f"\\{command} names {argument}, which is outside the source; it is not read (--outside allows it)"
                )
            return None
        real = found.resolve()
        if real in self._visited:
            if any(self._names.get(frame.name, self.path).resolve() == real for frame in machine.files):
                machine.report(f"\\{command}{{{argument}}} includes a file in itself")
            return None
        return self._open(found, on_problem, on_progress)
