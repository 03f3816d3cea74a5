"""The files of a LaTeX project: how they are called and found, and which of them a document loads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem
from porism.corpus.latex.encodings import decode_source, foreign_encoding
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.latex.tables import CLASSES, IMPORTS, PACKAGES, words
from porism.corpus.latex.tokens import FileFrame, clean
from porism.corpus.text_files import decode, guess_encoding, read_bytes, read_text, size_of
from porism.corpus.walking import is_inside
from porism.errors import OnProblem, Problem
from porism.formula.macros.definition import Macro
from porism.formula.macros.tokens import join

EXTENSIONS = (".tex", ".ltx", ".latex")
STYLES = frozenset((".sty", ".cls", ".def", ".clo", ".cfg", ".ldf"))
"""Files in which ``@`` is a letter, and nothing is content."""
_DISTRIBUTED = words(
    "amstex amssym amssym.def amssym.tex amsppt.sty lamstex xy xypic epsf epsf.tex epsf.sty glyphtounicode pstricks "
    "pst-node pst-plot pst-3d tikz pgf pictex pictexwd mssymb miniltx eplain psfig psfig.sty psfig.tex boxedeps "
    "harvmac color.sty graphicx.tex ulem.sty supp-pdf.mkii supp-pdf supp-pdf.tex mathdots rotate insbox texdraw "
    "fontmath cyracc.def setspace.sty amsmath.tex diagrams.tex"
)
"""Files that come with TeX, as ``\\input`` names them."""
_TAG = re.compile(r"[0-9A-Z]{4,6}")
_BY_NAME = {**PACKAGES, **CLASSES}
_BESIDE = words("subfile subfileinclude includestandalone")
"""Commands whose files name others relative to their own folder."""
_BRACED = re.compile(r"\{([^{}]*)\}")

Lookup = tuple[str, str | None, tuple[str, ...]]
"""What a file was called, the suffix of a package, and the folders where it was looked for."""


class ProjectFiles:
    """The files of a project, and what its documents share.

    :param root: the folder that file names in ids and metadata are relative to.
    """

    def __init__(self, root: Path, files: list[Path], options: ReaderOptions) -> None:
        self.root, self.files, self.options = root, files, options
        self.done: set[Path] = set()  # files whose documents have been handed out
        self.bytes_done = 0
        self.bytes_all = sum(size_of(path) for path in files)
        self.missing: set[str] = set()
        """What was named and not there, or not to be read, as far as it has been reported."""
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

    def relative(self, path: Path) -> str:
        """The name of a file in ids and metadata."""
        for candidate, root in ((path, self.root), (path, self.root.resolve())):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root).as_posix()
        return path.as_posix()

    def may_read(self, path: Path) -> bool:
        """Whether a file is inside the source, or may be outside."""
        return self.options.outside or is_inside(path, self.root)

    def look_up(self, lookup: Lookup) -> str | None:
        """The name of the file that is meant, None where there is none."""
        argument, package, folders = lookup
        file = self._find(argument, package, tuple(self.root / folder for folder in folders))
        if file is not None and ".." in file.parts:
            straight = Path(os.path.normpath(file))
            file = straight if straight.resolve() == file.resolve() else file
        return None if file is None else self.relative(file)

    def _find(self, argument: str, package: str | None, folders: tuple[Path, ...]) -> Path | None:
        """The file that is meant: the first inside the source, or else the first outside, which may be refused."""
        beyond: Path | None = None
        names = [argument + package] if package else [argument, *(argument + suffix for suffix in EXTENSIONS)]
        for folder in dict.fromkeys(folders):
            for name in names:
                path = folder / name
                try:
                    if not path.is_file():
                        continue
                    if is_inside(path, self.root):
                        return path
                    beyond = beyond or path
                except OSError:
                    continue
        return beyond


@dataclass(slots=True)
class Loaded:
    """What was loaded since some moment, and what that depended on.

    ``visited`` says of each file that was named whether it had been read before that moment, ``missing`` the same of
    names whose absence was to be reported. ``unsure`` is whether something could not be read, or was refused.
    """

    lookups: dict[Lookup, str | None] = field(default_factory=dict)
    visited: dict[str, bool] = field(default_factory=dict)
    missing: dict[str, bool] = field(default_factory=dict)
    opened: list[FileFrame] = field(default_factory=list)
    unsure: bool = False


class FileLoader:
    """Opens the files that one document of a project loads, each once.

    :param files: receives their paths.
    :param digests: receives the xxh3-128 of what was read of each.
    """

    def __init__(self, project: ProjectFiles, path: Path, files: list[Path], digests: dict[Path, str]) -> None:
        self.project, self._path, self._files, self._digests = project, path, files, digests
        self.visited: set[Path] = set()
        self.lookups: dict[Lookup, str | None] = {}
        self.since = Loaded()
        """What was loaded since this was last replaced."""
        self.encoding: str | None = None
        """The first encoding but UTF-8 that a file declares; it counts for those without a declaration."""
        self._names: dict[str, Path] = {}
        self._read: dict[Path, bytes] = {}

    def attach(self, machine: LatexStructure, on_problem: OnProblem, on_progress: OnProgress) -> None:
        """Names the reader that the files are for, and where problems and progress go."""
        self._machine, self._on_problem, self._on_progress = machine, on_problem, on_progress

    def open(self, path: Path, on_problem: OnProblem, on_progress: OnProgress) -> FileFrame | None:
        """The file as what is to be read; None, and a problem, where it cannot be read."""
        project = self.project
        name, real = project.relative(path), path.resolve()
        self.visited.add(real)
        if path not in self._files:
            self._files.append(path)
        data = self._read.pop(path, None)
        if data is None:
            data = read_bytes(path, name, on_problem)
        if data is None or (b"\0" in data[:4096] and guess_encoding(data) is None):
            if data is not None:
                on_problem(Problem(name, "is not text; it is left out"))
            self.since.unsure = True
            return None
        self._digests[path] = xxhash.xxh3_128_hexdigest(data)
        if self.encoding is None:
            self.encoding = foreign_encoding(data)
        if real not in project.done:
            project.bytes_done += len(data)
            on_progress(min(project.bytes_done, project.bytes_all), project.bytes_all)
        self._names[name] = path
        frame = self._frame(path, data, on_problem)
        self.since.opened.append(frame)
        return frame

    def peek(self, name: str) -> FileFrame | None:
        """A file that may be opened next, as it would be; None where it cannot be read or may not."""
        path = self.project.root / name
        if not self.project.may_read(path) or path.resolve() in self.visited:
            return None
        data = read_bytes(path, name, ignore_problem)
        if data is None:
            return None
        self._read[path] = data
        return self._frame(path, data, ignore_problem)

    def forget_peeks(self) -> None:
        """Forgets the content of files that :meth:`peek` has read and that were not opened."""
        self._read.clear()

    def _frame(self, path: Path, data: bytes, on_problem: OnProblem) -> FileFrame:
        name = self.project.relative(path)
        encoding = self.project.options.encoding
        if encoding is None:
            text = decode_source(data, name, on_problem, self.encoding)
        else:
            text = decode(data, name, on_problem, encoding)
        return FileFrame(clean(text), name, at_letter=path.suffix.lower() in STYLES)

    def load(self, command: str, name: str, folder: str = "") -> FileFrame | None:
        """The file that a command names; None, and a problem where one is due, where there is none to read."""
        if not name or "\0" in name or "#" in name or len(name) > 1000:
            return None
        machine, project = self._machine, self.project
        called = f"{folder}{name}"
        if "\\" in called:
            machine.report_file(f"\\{command} names {called}, whose macros cannot be expanded; it is not read")
            return None
        file = self._found(self._lookup(command, called))
        if file is None:
            if (command not in _BY_NAME or "/" in name) and name not in _DISTRIBUTED:
                self._misses(called, lambda: machine.report_file(f"\\{command} names {called}, which is not there"))
            return None
        path = project.root / file
        if not project.may_read(path):
            self.since.unsure = True
            self._misses(called, lambda: machine.report_file(
                f"\\{command} names {called}, which is outside the source; it is not read (--outside allows it)"
            ))
            return None
        real = path.resolve()
        self.since.visited.setdefault(file, real in self.visited)
        if real in self.visited:
            if any(self._names.get(frame.name, self._path).resolve() == real for frame in machine.files):
                machine.report(f"\\{command}{{{called}}} includes a file in itself")
                return None
            if not machine.repeats(file):
                return None
            self.since.unsure = True
        frame = self.open(path, self._on_problem, self._on_progress)
        if frame is not None:
            frame.is_repeated = machine.repeats(file)
            frame.folder = self._folder_of(command, path, name, machine.files[-1])
        return frame

    def has_omitted(self) -> None:
        """Says that something of a file that was read has been left out, which may be read in another place."""
        self.since.unsure = True

    def finds(self, command: str, name: str) -> bool:
        """Whether a command names a file of the project, which may be read."""
        if not name or len(name) > 1000 or any(character in name for character in "\0#\\"):
            return False
        file = self._found(self._lookup(command, name))
        return file is not None and self.project.may_read(self.project.root / file)

    def _lookup(self, command: str, name: str) -> Lookup:
        """Where the name is looked for: as a rule beside the main file, and from what was imported, beside that."""
        machine, project = self._machine, self.project
        prefix, suffix = _BY_NAME.get(command, ("", None))
        frame = machine.files[-1]
        here = self._names.get(frame.name, self._path).parent
        folders = [self._path.parent, here]
        if frame.folder:
            folders.insert(0, project.root / frame.folder)
        if command in _BESIDE:
            folders.insert(0, here)
        folders += [self._path.parent / folder for folder in input_path(machine.expander.macros.get("\\input@path"))]
        names = tuple(dict.fromkeys(map(project.relative, (*folders, project.root))))
        return prefix + name.strip('"'), suffix, names

    def _folder_of(self, command: str, file: Path, name: str, frame: FileFrame) -> str:
        """The folder that names in a file are relative to, where this is not that of the main file."""
        if command in _BESIDE:
            return self.project.relative(file.parent)
        if command in IMPORTS:
            return self.project.relative(file.parents[name.strip("/").count("/")])
        return frame.folder

    def _found(self, lookup: Lookup) -> str | None:
        name = self.project.look_up(lookup)
        self.lookups[lookup] = self.since.lookups[lookup] = name
        return name

    def _misses(self, argument: str, report: Callable[[], None]) -> None:
        """Reports what is not there where it is named for the first time."""
        missing = self.project.missing
        reported = argument in missing
        self.since.missing.setdefault(argument, reported)
        missing.add(argument)
        if not reported:
            report()

    def fits(self, then: Loaded) -> bool:
        """Whether files would be found, read and reported missing now as they were then."""
        project = self.project
        return (
            all(project.look_up(lookup) == name for lookup, name in then.lookups.items())
            and all(((project.root / name).resolve() in self.visited) == was for name, was in then.visited.items())
            and all((argument in project.missing) == was for argument, was in then.missing.items())
        )

    def replay(self, then: Loaded, names: Sequence[str], on_progress: OnProgress) -> list[FileFrame]:
        """Records what was loaded then as loaded now, and opens these files; :meth:`peek` has seen that it can be done.

        What was wrong with them has been reported.
        """
        self.lookups.update(then.lookups)
        self.project.missing.update(then.missing)
        frames = (self.open(self.project.root / name, ignore_problem, on_progress) for name in names)
        return [frame for frame in frames if frame is not None]


def input_path(macro: Macro | None) -> list[str]:
    """The folders that ``\\def\\input@path{{one/}{two/}}`` names."""
    return _BRACED.findall(join(macro.fixed)) if macro is not None else []
