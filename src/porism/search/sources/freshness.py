"""Whether files have changed since they were read: by size and time first, and by content where these do not decide."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import xxhash

from porism.corpus.text_files import open_file
from porism.index.sources import SourceFile

_BLOCK = 1 << 20
_TICK = 2_000_000_000
"""Nanoseconds within which two changes of a file may leave the same time."""


def file_digest(path: Path) -> str:
    """The xxh3-128 of a file's content.

    :raises OSError: it cannot be read.
    """
    digest = xxhash.xxh3_128()
    with open_file(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class FileStates:
    """The files of one source: as they were when it was read, and as they are now, each looked at once.

    The time of a file that has changed since this was made, or just before, is not kept: then the content decides the
    next time, and a change while the file is read cannot be missed.

    :param root: the folder that names are relative to.
    :param recorded: what the index remembers.
    :param trusting: whether a file of the same size and time counts as unchanged, without a look at its content.
    """

    def __init__(self, root: Path, recorded: Mapping[str, SourceFile], *, trusting: bool = True) -> None:
        self.root, self._recorded, self._trusting = root, recorded, trusting
        self._prefix = f"{root}{os.sep}"
        self._latest = time.time_ns() - _TICK
        self._now: dict[str, SourceFile | None] = {}
        self.failed: dict[str, str] = {}
        """Files that are there and cannot be read, with the reason."""

    def name(self, path: Path) -> str:
        """The name of a file: relative to the root, with slashes; absolute outside of it."""
        whole = str(path)
        if whole.startswith(self._prefix):
            return whole[len(self._prefix) :].replace(os.sep, "/")
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()

    def names(self, paths: Sequence[Path]) -> list[str]:
        """The names of files."""
        return [self.name(path) for path in paths]

    def now(self, name: str) -> SourceFile | None:
        """The file as it is; None where it is not there or cannot be read."""
        if name not in self._now:
            self._now[name] = self._look(name, "")
        return self._now[name]

    def unchanged(self, name: str) -> bool:
        """Whether the file is as it was when it was read."""
        before, now = self._recorded.get(name), self.now(name)
        return before is not None and now is not None and bool(before.digest) and before.digest == now.digest

    def after_reading(self, name: str, digest: str) -> SourceFile:
        """The file as it was read; ``digest`` is that of what was read, where the reader knows it."""
        state = self._look(name, digest) if digest else self.now(name)
        return state or SourceFile(0, 0, "")

    def is_gone(self, name: str) -> bool:
        """Whether there is certainly nothing of that name: a folder that cannot be entered does not say so."""
        try:
            os.stat(self.root / name)
            return False
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError as error:
            self.failed[name] = error.strerror or str(error)
            return False

    def _look(self, name: str, digest: str) -> SourceFile | None:
        path = os.path.join(self.root, name)
        try:
            status = os.stat(path)
            before = self._recorded.get(name)
            known = (status.st_size, status.st_mtime_ns)
            same = self._trusting and before is not None and (before.size, before.mtime) == known
            if same and not digest and os.access(path, os.R_OK):  # it may have become unreadable
                return before
            mtime = status.st_mtime_ns if status.st_mtime_ns < self._latest else 0
            return SourceFile(status.st_size, mtime, digest or file_digest(Path(path)))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            self.failed[name] = error.strerror or str(error)
            return None


def can_list(root: Path, name: str) -> bool:
    """Whether all folders on the way to a file can be listed."""
    return all(os.access(root / folder, os.R_OK | os.X_OK) for folder in Path(name).parents if (root / folder).is_dir())
