"""The files of a LaTeX project: how they are called and found, and which of them a document loads."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.latex.tokens import FileFrame, clean
from porism.corpus.text_files import decode, read_bytes, read_text, size_of
from porism.corpus.walking import is_inside
from porism.errors import OnProblem

EXTENSIONS = (".tex", ".ltx", ".latex")
_PACKAGES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
_READABLE = frozenset((*EXTENSIONS, ".sty", ".cls", ".def", ".txt", ".inc", ".tikz", ".out", ""))
_TAG = re.compile(r"[0-9A-Z]{4,6}")
_INPUTENC = re.compile(rb"\\usepackage\s*\[\s*([A-Za-z0-9-]+)\s*\]\s*\{inputenc\}")
_ENCODINGS = {
    "latin1": "latin-1", "ansinew": "cp1252", "cp1252": "cp1252", "latin9": "latin-9", "latin2": "latin2",
    "applemac": "mac-roman", "cp1251": "cp1251", "koi8-r": "koi8-r", "cp1250": "cp1250",
}  # fmt: skip

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
        found = self._find(argument, package, tuple(self.root / folder for folder in folders))
        return None if found is None else self.relative(found)

    def _find(self, argument: str, package: str | None, folders: tuple[Path, ...]) -> Path | None:
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
        self._names: dict[str, Path] = {}
        self._read: dict[Path, bytes] = {}

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
        if data is None:
            self.since.unsure = True
            return None
        self._digests[path] = xxhash.xxh3_128_hexdigest(data)
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
        if encoding is None and (named := _INPUTENC.search(data)):
            encoding = _ENCODINGS.get(named.group(1).decode().lower())
        text = clean(decode(data, name, on_problem, encoding))
        return FileFrame(text, name, at_letter=path.suffix in (".sty", ".cls"))

    def load(
        self, command: str, argument: str, machine: LatexStructure, on_problem: OnProblem, on_progress: OnProgress
    ) -> FileFrame | None:
        """The file that a command names; None, and a problem where one is due, where there is none to read."""
        if not argument or "\0" in argument or len(argument) > 1000:
            return None
        package = _PACKAGES.get(command)
        project = self.project
        here = self._names.get(machine.files[-1].name, self._path)
        folders = (self._path.parent, here.parent, project.root)
        name = self._found((argument.strip('"'), package, tuple(map(project.relative, folders))))
        if name is None:
            computed = "\\" in argument or "#" in argument
            if package is None and command != "InputIfFileExists" and not computed:
                self._misses(argument, lambda: machine.report(f"\\{command} names {argument}, which is not there"))
            return None
        found = project.root / name
        if not project.may_read(found):
            self.since.unsure = True
            self._misses(argument, lambda: machine.report(
                f"\\{command} names {argument}, which is outside the source; it is not read (--outside allows it)"
            ))
            return None
        real = found.resolve()
        self.since.visited.setdefault(name, real in self.visited)
        if real in self.visited:
            if any(self._names.get(frame.name, self._path).resolve() == real for frame in machine.files):
                machine.report(f"\\{command}{{{argument}}} includes a file in itself")
            return None
        return self.open(found, on_problem, on_progress)

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
