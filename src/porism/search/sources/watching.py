"""Keeping an index in step with its sources: each change of their files is followed by an update."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread

from porism.errors import IndexLocked, OnProblem, PorismError, SourceError
from porism.extras import need
from porism.index.manifest import read_manifest
from porism.index.snapshot import Snapshot
from porism.search.sources.update_run import UpdateReport
from porism.search.sources.updating import update_index

SETTLED_MS = 300
"""Files are read once nothing has changed for so long: an editor may write several files, or one in several steps."""

MAX_MS = 3_000
"""Files that change all the time are read after so long."""

LOOK_SECONDS = 1.0
"""How often it is looked whether sources have come or gone, and whether another process still writes to the index."""

Roots = Mapping[Path, tuple[int, int]]
"""Sources that are there, with the device and number of their file or folder."""


def watch_index(
    path: str | os.PathLike[str], *, jobs: int | None = None, stop: Event | None = None,
    on_update: Callable[[UpdateReport], None] | None = None, on_error: Callable[[PorismError], None] | None = None,
    on_problem: OnProblem | None = None,
) -> None:
    """Brings an index up to date with its sources now and after each change of their files, until ``stop`` is set.

    Each update is a commit of its own, which readers see as a whole; one that changes nothing is not reported. An error
    of one update is reported and does not end the watch: the next change, or the end of what another process writes,
    is the next try. Sources that another process adds to the index are watched as well. An interruption commits what
    was read, as :func:`porism.search.sources.updating.update_index` does, and ends the watch.

    Not watched are files outside the sources that these read, such as those of a symbolic link.

    :raises IndexNotFound: there is no index.
    :raises MissingExtra: the library that watches files is not installed.
    :raises SourceError: the system cannot watch more files.
    """
    need("watchfiles", "web", "watching files")
    read_manifest(Path(path))
    stop = stop or Event()
    watch = _Watch(Path(path), stop)
    try:
        for _ in watch.changes():
            try:
                report = update_index(path, jobs=jobs, on_problem=on_problem)
            except IndexLocked as error:
                if not watch.waits and on_error is not None:
                    on_error(error)
                watch.waits = True
                continue
            except PorismError as error:
                watch.waits = False
                if on_error is not None:
                    on_error(error)
                continue
            watch.waits = False
            if on_update is not None and _says_something(report):
                on_update(report)
            if report.interrupted:
                return
    except KeyboardInterrupt:
        return
    finally:
        watch.end()


def _says_something(report: UpdateReport) -> bool:
    return bool(
        report.added or report.changed or report.removed or report.files_failed or report.unreachable
        or report.interrupted
    )


@dataclass
class _Watch:
    """What watches the sources of an index; ``waits`` says that the last update could not begin."""

    index: Path
    stop: Event
    waits: bool = False
    _generation: int = -1
    _paths: list[Path] = field(default_factory=list)
    _changed: Queue[BaseException | None] = field(default_factory=Queue)
    _watchers: list[tuple[Thread, Event]] = field(default_factory=list)

    def changes(self) -> Iterator[None]:
        """Yields when the index may be out of step: at the beginning, and after files have changed."""
        roots: Roots = {}
        first = True
        while not self.stop.is_set():
            present = self._roots()
            if present != roots:
                roots = present
                self._restart(list(roots))
                yield
            elif first or self._came():
                yield
            first = False

    def _roots(self) -> Roots:
        if read_manifest(self.index).generation != self._generation:
            with Snapshot.open(self.index) as snapshot:
                self._generation = snapshot.generation
                self._paths = [source.path for source in snapshot.sources.values()]
        roots: dict[Path, tuple[int, int]] = {}
        for path in self._paths:
            try:
                status = path.stat()
            except OSError:  # it is gone, and may come back
                continue
            roots[path] = (status.st_dev, status.st_ino if path.is_dir() else 0)  # editors replace files by new ones
        return roots

    def _came(self) -> bool:
        """Waits for a change; False where there was none for a while."""
        try:
            news = self._changed.get(timeout=LOOK_SECONDS)
        except Empty:
            return self.waits
        while True:
            if news is not None:
                raise SourceError(
                    f"the files cannot be watched ({news})", where=str(self.index),
                    hint="Look at them in turn instead: set WATCHFILES_FORCE_POLLING=1.",
                ) from news
            try:
                news = self._changed.get_nowait()
            except Empty:
                return True

    def _restart(self, roots: Sequence[Path]) -> None:
        self.end()
        folders = [path for path in roots if path.is_dir()]
        files = {path for path in roots if not path.is_dir()}
        if folders:
            self._start(folders, lambda changed: True, deep=True)
        if files:  # an editor may put another file in its place, so its folder is watched
            names = {os.path.join(os.path.realpath(file.parent), file.name) for file in files}
            self._start(sorted({file.parent for file in files}), names.__contains__, deep=False)

    def _start(self, folders: Sequence[Path], means: Callable[[str], bool], *, deep: bool) -> None:
        end, ready = Event(), Event()
        arguments = [[Path(os.path.realpath(folder)) for folder in folders], means, deep, end, ready]
        thread = Thread(target=self._follow, args=arguments, name="porism watch", daemon=True)
        thread.start()
        self._watchers.append((thread, end))
        ready.wait(10)

    def _follow(
        self, folders: Sequence[Path], means: Callable[[str], bool], deep: bool, end: Event, ready: Event
    ) -> None:
        from watchfiles import Change, DefaultFilter, watch

        own = os.path.realpath(self.index)
        usual = DefaultFilter()

        def counts(change: Change, path: str) -> bool:
            inside = path == own or path.startswith(own + os.sep)
            return not inside and usual(change, path) and means(path)

        try:
            followed = watch(
                *folders, watch_filter=counts, debounce=MAX_MS, step=SETTLED_MS, stop_event=end, rust_timeout=200,
                yield_on_timeout=True, raise_interrupt=False, recursive=deep, ignore_permission_denied=True,
            )
            for changed in followed:
                ready.set()  # the first comes after the system has been asked to watch
                if changed:
                    self._changed.put(None)
        except (OSError, RuntimeError) as error:
            if all(folder.exists() for folder in folders):
                self._changed.put(error)
            else:
                time.sleep(SETTLED_MS / 1_000)  # it went meanwhile, which is noticed elsewhere
        finally:
            ready.set()

    def end(self) -> None:
        """Ends all watchers."""
        for _, end in self._watchers:
            end.set()
        for thread, _ in self._watchers:
            thread.join(5)
        self._watchers.clear()
