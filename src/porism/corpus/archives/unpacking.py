"""A temporary folder that members of an archive are written into, within limits.

Readers open files more than once: LaTeX looks names up in folders, posts are read at offsets. So members become files,
which are removed when the archive has been read. Files that are surely no text are not written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from porism.corpus.text_files import guess_encoding
from porism.errors import OnProblem, Problem, SourceError

MAX_MEMBERS = 100_000
"""Further members of an archive, and of the archives in it, are left out."""
MAX_FOLDER_DEPTH = 64
"""So are members in folders inside more folders than this."""

TOO_LARGE = "members with which the archive unpacks to more than it may are left out (--max-unpacked allows more)"
_UNUSABLE = "members whose names no file can have are left out"
_NAMED = 3
"""So many members are named of those that are left out for the same reason."""
_SNIFFED = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class TooLarge(Exception):
    """An archive unpacks to more bytes than it may."""


@dataclass(slots=True)
class UnpackingLimits:
    """How many more bytes and members may be unpacked, of an archive and of those in it together."""

    bytes_left: int
    members_left: int = MAX_MEMBERS


class UnpackedTree:
    """The members of one archive as files below ``root``.

    :param limits: are used up by what is unpacked.
    :param is_read: whether a reader reads files of such a name whatever is in them.
    """

    def __init__(self, root: Path, limits: UnpackingLimits, is_read: Callable[[str], bool]) -> None:
        self.root, self.limits, self.is_read = root, limits, is_read
        self.only_file = ""
        """The name of the file in a compressed file that is no archive."""
        self.refused: dict[str, list[str]] = {}
        """Members that are not read, or not all of them, by the reason."""

    def refuse(self, name: str, reason: str) -> None:
        """Notes a member that is not read, or not all of it; ``reason`` says of all such members what they are."""
        self.refused.setdefault(reason, []).append(printable(name))

    def report(self, where: str, on_problem: OnProblem) -> None:
        """Reports what was refused, a problem for each reason."""
        for reason, names in self.refused.items():
            named = ", ".join(names[:_NAMED])
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            on_problem(Problem(where, f"{reason}: {named}{more}"))

    def place(self, name: str, size: int = 0) -> Path | None:
        """Where a member is to be written; None where it is left out.

        :param size: what the archive says of it.
        """
        parts = [part for part in printable(name).replace("\\", "/").split("/") if part not in ("", ".")]
        if name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in parts:
            self.refuse(name, "names that lead out of the archive are left out")
        elif not parts or len(parts) > MAX_FOLDER_DEPTH:
            self.refuse(name, _UNUSABLE)
        elif size > self.limits.bytes_left:
            self.refuse(name, TOO_LARGE)
        else:
            return self.root.joinpath(*parts)
        return None

    def member(self, name: str, size: int = 0) -> MemberFile | None:
        """The file for a member, to be written and closed; None where it is left out."""
        path = self.place(name, size)
        if path is None:
            return None
        if self.limits.members_left <= 0:
            self.refuse(name, f"members beyond the first {MAX_MEMBERS:,} are left out")
            return None
        self.limits.members_left -= 1
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)  # a later member replaces one of its name
            return MemberFile(self, path)
        except (OSError, ValueError):
            self.refuse(name, _UNUSABLE)
        return None

    def write(self, name: str, blocks: Iterable[bytes], size: int = 0) -> None:
        """Writes a member from the blocks of its content.

        :raises TooLarge: the archive unpacks to too much.
        :raises SourceError: the file cannot be written.
        """
        file = self.member(name, size)
        if file is not None:
            with file:
                for block in blocks:
                    file.write(block)


class MemberFile:
    """The file of one member; it stays empty where it is surely no text and no reader reads it.

    :raises OSError: there cannot be a file of this name.
    """

    def __init__(self, tree: UnpackedTree, path: Path) -> None:
        self._tree, self._path, self._file = tree, path, path.open("wb")
        self._is_kept: bool | None = None

    def write(self, data: bytes | bytearray) -> None:
        """Adds data.

        :raises TooLarge: the archive unpacks to too much.
        :raises SourceError: the file cannot be written.
        """
        if self._is_kept is None and data:
            head = bytes(data[:_SNIFFED])
            is_text = b"\0" not in head or guess_encoding(head) is not None
            self._is_kept = is_text or self._tree.is_read(self._path.name)
        self._tree.limits.bytes_left -= len(data)
        if self._tree.limits.bytes_left < 0:
            raise TooLarge
        if self._is_kept:
            try:
                self._file.write(data)
            except OSError as error:
                raise SourceError(
                    f"cannot be unpacked ({error.strerror or error})", where=str(self._tree.root),
                    hint="Check the space there; TMPDIR names another folder",
                ) from error

    def close(self) -> None:
        """Ends the member."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        if error is not None and self._is_kept is None:  # nothing of it could be read
            self._path.unlink()


def printable(name: str) -> str:
    """A member's name with characters that no file should have replaced."""
    return _UNPRINTABLE.sub("\ufffd", name)
