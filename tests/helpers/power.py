"""A disk that loses power: what can be found of a folder when only what was made durable is certain to be there.

A :class:`Disk` watches the calls ``os.fsync`` and ``os.replace`` of this process and remembers, for each file, the
content that it had when it was last synced, and for each folder, the names that it had then. Everything later may be
there after a power cut or not, name by name and file by file: that is what POSIX allows, and more than most file
systems make of it. :meth:`Disk.image` writes one of the states that are possible. It needs a system that names open
files by their descriptors (``/proc/self/fd``).
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Entries = dict[str, int]
"""The names in a folder, each with the number of its file or folder."""


class Disk:
    """Watches everything below ``root``, which is durable as it is when watching begins.

    ``on_event`` is called before and after each call that makes something durable or gives a file its name.
    """

    def __init__(self, root: Path, on_event: Callable[[], None]) -> None:
        self.root = root
        self.on_event = on_event
        self._busy = False
        self._files: dict[int, bytes] = {}
        self._folders: dict[int, Entries] = {}
        self._held: dict[int, int] = {}
        """Descriptors that keep numbers from being given to other files."""
        for parent, _, names in os.walk(root):
            self._sync_folder(parent)
            for name in names:
                self._sync_file(os.path.join(parent, name))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches this process while the block runs."""
        fsync, replace = os.fsync, os.replace

        def tell() -> None:
            if not self._busy:  # what is done about an event is none
                self._busy = True
                try:
                    self.on_event()
                finally:
                    self._busy = False

        def watched_fsync(target: Any) -> None:
            tell()  # the disk itself need not be waited for
            descriptor = target if isinstance(target, int) else target.fileno()
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            if not Path(path).is_relative_to(self.root):
                return
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                self._sync_folder(path)
            else:
                self._sync_file(path)
            tell()

        def watched_replace(*arguments: Any, **options: Any) -> None:
            tell()
            replace(*arguments, **options)
            tell()

        os.fsync, os.replace = watched_fsync, watched_replace
        try:
            yield
        finally:
            os.fsync, os.replace = fsync, replace
            for descriptor in self._held.values():
                os.close(descriptor)
            self._held = {}

    def _hold(self, path: str) -> int:
        number = os.stat(path).st_ino
        if number not in self._held:
            self._held[number] = os.open(path, os.O_RDONLY)
        return number

    def _sync_file(self, path: str) -> None:
        self._files[self._hold(path)] = Path(path).read_bytes()

    def _sync_folder(self, path: str) -> None:
        number = self._hold(path)
        self._folders[number] = {name: self._hold(os.path.join(path, name)) for name in os.listdir(path)}

    def image(self, target: Path, chance: random.Random) -> None:
        """Writes what may be found after a power cut at this moment as the folder ``target``."""
        paths: dict[int, str] = {}
        now: dict[int, Entries] = {}
        for parent, folders, files in os.walk(self.root):
            entries = {name: os.stat(os.path.join(parent, name)).st_ino for name in [*folders, *files]}
            now[os.stat(parent).st_ino] = entries
            paths.update({number: os.path.join(parent, name) for name, number in entries.items()})
        # Some power cuts lose all that may be lost, some little: both find what those in the middle do not.
        kept = chance.choice([0.0, 0.2, 0.5, 0.8, 1.0])

        def write(number: int, place: Path) -> None:
            if number in now or number in self._folders:
                place.mkdir(parents=True)
                before, after = self._folders.get(number, {}), now.get(number, {})
                for name in {**before, **after}:
                    chosen = before.get(name) if before.get(name) == after.get(name) else (
                        after if chance.random() < kept else before
                    ).get(name)
                    if chosen is not None:
                        write(chosen, place / name)
            else:
                place.write_bytes(self._content(number, paths.get(number), kept, chance))

        write(os.stat(self.root).st_ino, target)

    def _content(self, number: int, path: str | None, kept: float, chance: random.Random) -> bytes:
        durable = self._files.get(number)
        current = Path(path).read_bytes() if path is not None else durable or b""
        if durable == current:
            return current
        if chance.random() < kept:
            return current
        least = len(durable) if durable and current.startswith(durable) else 0  # appending spoils nothing before
        cut = chance.randrange(least, len(current) + 1)
        return chance.choice([durable or b"", current[:cut], current[:cut] + bytes(len(current) - cut)])
