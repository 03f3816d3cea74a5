"""LaTeX projects: a folder of sources or one main file, with all that it includes.

Documents are the theorem-like environments, each with the proof that follows it, and what is left of each section.
The id of a document is ``file#label``, or ``file#type-number`` where it has no label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import xxhash

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.groups import Item, Known, ReadGroup
from porism.corpus.latex.loading import EXTENSIONS, FileLoader, ProjectFiles
from porism.corpus.latex.stretches import StretchReader
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.text_files import open_file
from porism.corpus.units import UnitStore
from porism.corpus.walking import check_file, walk
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Document

_MAIN = re.compile(rb"^[^%\n]*?\\(?:documentclass|documentstyle|(?:begin|end)\s*\{document\}|bye\b)", re.MULTILINE)
_END = re.compile(rb"^[^%\n]*?\\(?:end\s*\{document\}|enddocument\b|bye\b)", re.MULTILINE)
_PART_CLASS = re.compile(rb"^[^%\n]*?\\documentclass\s*(?:\[[^\]]*\]\s*)?\{(?:subfiles|standalone)\}", re.MULTILINE)
_ROOT = re.compile(rb"^%+[ \t]*!tex[ \t]+root[ \t]*=[ \t]*([^\r\n]{1,300})", re.MULTILINE | re.IGNORECASE)
_CLASS = re.compile(rb"^[^%\n]*?\\document(?:class|style)\b", re.MULTILINE)
_BODY = re.compile(rb"^[^%\n]*?\\begin\s*\{document\}", re.MULTILINE)
_FORMAT = re.compile(rb"%&[ \t]*([A-Za-z][\w.-]*)")
_BEGIN = re.compile(r"^[^%\n]*?\\(?:begin\s*\{document\}|document\b)", re.MULTILINE)
_TARGET = re.compile(
    rb"\\(?:input|include|subfile|subfileinclude|includestandalone|"
    rb"(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{[^{}\n]{0,200}\})"
    rb"\s*\{?\s*([^\s{}\\%]{1,200})"
)


def is_latex(path: Path) -> bool:
    """Whether the name is that of a LaTeX source."""
    return path.suffix.lower() in EXTENSIONS


class LatexReader:
    """Reads LaTeX projects."""

    name = "latex"
    document = "a theorem-like environment with its proof; the rest of each section"

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
        root, files, source = path.parent, [path], path.name
        if path.is_dir():
            root, source = path, path.resolve().name
            files = list(filter(is_latex, walk(path, on_problem, outside=options.outside, wanted=is_latex)))
            if not files:
                raise SourceError("holds no LaTeX source", where=str(path), hint="Name a folder with .tex files")
        elif not path.is_file():
            check_file(path)  # says what it is
        for group in LatexProject(root, files, options, source).groups():
            for item in group.items(on_problem, on_progress):
                if isinstance(item, Document):  # nothing was recalled that could stay unread
                    yield item


class LatexProject(ProjectFiles):
    """Files of LaTeX in one folder: which of them are read on their own, in which order, and what they share.

    A file that another one includes is read in its place there. Files that nothing includes are read on their own,
    with the macros of a main file. That is the one that they name (``% !TeX root``), or the first one of their
    folder or of one above it. Documents that are parts of larger ones (of the classes ``subfiles`` and
    ``standalone``) come between these.

    :param root: the folder that file names in ids and metadata are relative to.
    :param source: the name of the collection.
    """

    def __init__(self, root: Path, files: list[Path], options: ReaderOptions, source: str) -> None:
        super().__init__(root, files, options)
        self.source = options.collection or source
        self.unexpanded = 0
        self.firsts: dict[Path, LatexGroup] = {}
        """The first main file of each folder; what is read there on its own has its macros."""
        self.mains: dict[Path, LatexGroup] = {}
        """The main files that have been read or skipped."""
        self.formats: dict[Path, str] = {}
        """The dumped formats of main files that begin after their class (``pdflatex -fmt macros``)."""
        self.roots: dict[Path, Path] = {}
        """Which main file others name as theirs (``% !TeX root = …``)."""

    def groups(self) -> Iterator[LatexGroup]:
        """The files that are read on their own, in order; each is to be read or skipped before the next is requested.

        Which files those are depends on what the earlier ones loaded.
        """
        mains, documents, parts, targets = self._sort(self.files)
        mains.sort(key=lambda path: (len(path.parts), str(path.parent), path.stem in targets, path.name))
        folders = dict.fromkeys((*(path.parent for path in mains), self.root))
        for path in mains:
            if path.resolve() not in self.done:
                yield LatexGroup(self, path, path.parent, is_main=True)
        for others in (documents, parts):
            homes: dict[Path, list[Path]] = {folder: [] for folder in folders}
            for path in sorted(others, key=lambda path: (path.stem in targets, str(path))):
                homes[next((folder for folder in path.parents if folder in homes), self.root)].append(path)
            for home, paths in homes.items():
                for path in paths:
                    if path.resolve() not in self.done:
                        yield LatexGroup(self, path, home, is_main=False)

    def _sort(self, files: list[Path]) -> tuple[list[Path], list[Path], list[Path], set[str]]:
        """Main files, documents that are parts of larger ones, all others, and the names (without folder and suffix)
        of what is included somewhere.
        """
        mains: list[Path] = []
        documents: list[Path] = []
        others: list[Path] = []
        headers: list[Path] = []
        preambles: list[Path] = []
        classless: list[Path] = []
        targets: set[str] = set()
        for path in files:
            try:
                with open_file(path) as file:
                    data = file.read()
            except OSError:
                data = b""  # reported when its turn comes
            if (root := _ROOT.search(data)) is not None:
                self.roots[path] = (path.parent / root.group(1).decode("utf-8", "replace").strip()).resolve()
            if (dumped := _FORMAT.match(data)) is not None:
                targets.add(dumped.group(1).decode("utf-8", "replace"))
            elif bool(_CLASS.search(data)) != bool(_BODY.search(data)):
                (classless if _BODY.search(data) else preambles).append(path)
            for match in _TARGET.finditer(data):
                targets.add(Path(match.group(1).decode("utf-8", "replace")).stem)
            if _PART_CLASS.search(data):
                documents.append(path)
            elif _MAIN.search(data):
                (mains if _END.search(data) else headers).append(path)
            else:
                others.append(path)
        for path in classless:
            beside = [other for other in preambles if other.parent == path.parent and other.stem not in targets]
            if len(beside) == 1:  # only that can be its beginning
                self.formats[path] = beside[0].stem
        targets.update(self.formats.values())
        for path in headers:  # a document without an end is the beginning of others where one includes it
            (others if path.stem in targets else mains).append(path)
        return mains, documents, others, targets


class LatexGroup(ReadGroup):
    """A LaTeX file with all that it loads.

    Its ``note`` has seven entries:

    - ``own``: the files that it loaded.
    - ``silent``: those of them whose documents another group gave.
    - ``tagged``: whether there was a table of tags.
    - ``first``: the group whose macros it has.
    - ``format``: the dumped format that nothing in it names.
    - ``lookups``: where each file was looked for and found.
    - ``stretches``: the parts that need not be read again.
    """

    def __init__(self, project: LatexProject, path: Path, home: Path, *, is_main: bool) -> None:
        files = [path, project.tag_file] if project.tag_file.is_file() else [path]
        super().__init__(project.relative(path), LatexReader.name, files)
        self.project, self.path, self.home, self.is_main = project, path, home, is_main
        self.was_read = False
        self.machine: LatexStructure | None = None
        self._remembered: Mapping[str, str] = {}
        self._known: Known = lambda ids: None
        self._loader = FileLoader(project, path, self.files, self.digests)
        self._stretches: dict[str, str] = {}

    @property
    def first(self) -> LatexGroup | None:
        """The main file whose macros it has: the one that it names, or else the first in its folder."""
        named = self.project.mains.get(self.project.roots.get(self.path, self.path))
        return self.project.firsts.get(self.home) if named is None or named is self else named

    def _is_read_or_skipped(self) -> None:
        if self.is_main:
            self.project.mains[self.path.resolve()] = self
            self.project.firsts.setdefault(self.home, self)

    @property
    def encoding(self) -> str | None:
        """The first encoding but UTF-8 that its files declare, as far as it was read."""
        return self._loader.encoding

    def recall(self, note: Any, known: Known) -> None:
        if isinstance(note, dict) and note["silent"] == self._silent(note):
            self._remembered, self._known = note.get("stretches", {}), known

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        project = self.project
        self.was_read = True
        before = set(project.done)
        tags = project.tags(on_problem)
        yield from self._read(tags, on_problem, on_progress)
        loader = self._loader
        first = self.first
        self.note = {
            "own": sorted(map(project.relative, loader.visited)),
            "first": first.name if first is not None else None,
            "format": project.formats.get(self.path, ""),
            "silent": sorted(map(project.relative, loader.visited & before)),
            "tagged": project.tag_file.is_file(),
            "lookups": [[*key, file] for key, file in loader.lookups.items()],
            "stretches": self._stretches,
        }
        self._is_read_or_skipped()
        project.done |= loader.visited

    def _read(self, tags: dict[str, str], on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        project = self.project
        silent = {project.relative(done) for done in project.done}
        self._loader = loader = FileLoader(project, self.path, self.files, self.digests)
        stretches: StretchReader | None = None

        def report(problem: Problem) -> None:
            if problem.where.rpartition(":")[0] in silent:
                return  # the group that gives the documents of that file has reported it
            if stretches is not None:
                stretches.problem(problem)
            on_problem(problem)

        first = None if self.is_main else self.first
        source = first.read_macros() if first is not None else None
        loader.encoding = first.encoding if first is not None else None
        frame = loader.open(self.path, report, on_progress)
        if frame is None:
            return
        frame.format = frame.format or project.formats.get(self.path, "")
        machine = LatexStructure(UnitStore(project.source, report, tags=tags), loader, report)
        loader.attach(machine, report, on_progress)
        machine.silent = silent
        if first is not None and source is not None:
            machine.expander.macros.update(source.expander.macros)
            machine.expander.environments.update(source.expander.environments)
            machine.declarations.theorems.update(source.declarations.theorems)
            machine.expander.shorthands.update(source.expander.shorthands)
            self.files += [file for file in first.files if file not in self.files]
        beside = xxhash.xxh3_128_hexdigest(repr(sorted(tags.items())).encode("utf-8", "surrogatepass"))
        stretches = StretchReader(machine, loader, beside, self._remembered, self._known, on_problem, on_progress)
        machine.at_section = stretches.at_section
        for item in machine.read(frame, preamble=_BEGIN.search(frame.text) is not None):
            if isinstance(item, Document):
                stretches.document(item)
            yield item
        self.machine, self._stretches = machine, stretches.stretches
        project.unexpanded += machine.formulas.unexpanded

    def read_macros(self) -> LatexStructure | None:
        """What was read of it; reads it for its macros alone where it was skipped."""
        if self.machine is None and not self.was_read:
            for _ in self._read({}, ignore_problem, ignore_progress):
                pass
        return self.machine

    def fits(self, note: Any, files: list[Path]) -> bool:
        project, first = self.project, self.first
        if not isinstance(note, dict) or note["first"] != (first.name if first is not None else None):
            return False
        if note.get("format", "") != project.formats.get(self.path, ""):
            return False
        if first is not None and first.was_read and not self.is_main:
            return False
        if note["tagged"] != project.tag_file.is_file() or note["silent"] != self._silent(note):
            return False
        return all(
            project.look_up((argument, package, tuple(folders))) == file
            for argument, package, folders, file in note["lookups"]
        )

    def skip(self, note: Any, files: list[Path]) -> None:
        self.files = files
        self._is_read_or_skipped()
        self.project.done |= {(self.project.root / name).resolve() for name in note["own"]}

    def _silent(self, note: dict[str, Any]) -> list[str]:
        """Those files of the last reading whose documents other groups give now."""
        root, done = self.project.root, self.project.done
        return [name for name in note["own"] if (root / name).resolve() in done]
