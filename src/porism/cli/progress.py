"""Progress on standard error: a bar with rate and time left on a terminal, silence in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from porism.cli.terminal import echo
from porism.errors import Problem, pluralise
from porism.search.printable import one_printable_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from porism.search.sources.indexing import Progress

SHOWN_PROBLEMS = 5


class ProblemLog:
    """Collects reports of skipped and unparsed parts; shows the first few, and writes all of them to a file."""

    def __init__(self, path: str | None = None) -> None:
        self._file = open(path, "w", encoding="utf-8", errors="replace") if path else None  # noqa: SIM115
        self._path = path
        self._first: list[Problem] = []
        self.count = 0

    def __call__(self, problem: Problem) -> None:
        """Takes one report."""
        self.count += 1
        if len(self._first) < SHOWN_PROBLEMS:
            self._first.append(problem)
        if self._file:
            self._file.write(f"{one_printable_line(str(problem))}\n")

    def close(self) -> None:
        """Prints the summary on standard error."""
        if self._file:
            self._file.close()
        if not self.count:
            return
        echo(f"{pluralise(self.count, 'report')} of skipped or unparsed parts:", err=True)
        for problem in self._first:
            echo(f"  {one_line(problem)}", err=True)
        if self._path:
            echo(f"  all of them: {self._path}", err=True)
        elif self.count > len(self._first):
            echo("  … (--problems FILE writes all of them)", err=True)


def one_line(problem: Problem, most: int = 160) -> str:
    """A report on one line, cut if it is too long."""
    line = "".join(ch if ch.isprintable() else " " for ch in one_printable_line(str(problem)))
    return line if len(line) <= most else f"{line[:most]}…"


@contextmanager
def _bar(label: str, quiet: bool, *, steps: bool, rate: bool = False, elapsed: bool = False, **options: Any
         ) -> Iterator[Bar | None]:
    """A bar on the terminal with a share or a number of steps; None if ``quiet`` or without a terminal."""
    from rich import progress as bars
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = [
        bars.TextColumn(label), bars.BarColumn(), bars.MofNCompleteColumn() if steps else bars.TaskProgressColumn(),
        *([bars.TextColumn("{task.fields[rate]}")] if rate else []),
        bars.TimeElapsedColumn() if elapsed else bars.TimeRemainingColumn(),
    ]
    with bars.Progress(*columns, console=console, transient=True, **options) as bar:
        yield bar


def _elapsed(bar: Bar) -> float:
    return max(bar.tasks[0].elapsed or 0.0, 1e-3)


@contextmanager
def indexing_progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar over the bytes read, with documents, documents a second and time left."""
    with _bar("indexing", quiet, steps=False, rate=True) as bar:
        if bar is None:
            yield lambda progress: None
            return
        task = bar.add_task("indexing", total=None, rate="")

        def show(progress: Progress) -> None:
            rate = f"{pluralise(progress.documents, 'document')}, {progress.documents / _elapsed(bar):,.0f}/s"
            if progress.to_encode:
                rate = f"encoding: {progress.encoded:,} of {progress.to_encode:,}"
            if progress.to_merge:
                rate = f"merging: {progress.merged:,} of {progress.to_merge:,}"
            if progress.to_learn:
                rate = f"learning meanings: {progress.learnt:,} of {progress.to_learn:,}"
            bar.update(task, completed=progress.bytes_done, total=progress.bytes_total or None, rate=rate)

        yield show


@contextmanager
def counting_progress(label: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar over steps; the function it yields takes how many are done and how many there are."""
    with _bar(label, quiet, steps=True, rate=True) as bar:
        if bar is None:
            yield lambda done, total: None
            return
        task = bar.add_task(label, total=None, rate="")
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=f"{done / _elapsed(bar):,.1f}/s")


@contextmanager
def phase_progress(phases: Sequence[str], quiet: bool) -> Iterator[list[Callable[[int, int], None]]]:
    """A bar for each phase of a command, shown when it begins; yields a function for each, as
    :func:`counting_progress` does."""
    with _bar("{task.description}", quiet, steps=True) as bar:
        if bar is None:
            yield [lambda done, total: None for _ in phases]
            return
        tasks = [bar.add_task(phase, total=None, visible=False, start=False) for phase in phases]

        def show(number: int, done: int, total: int) -> None:
            if not bar.tasks[number].started:
                bar.start_task(tasks[number])
            bar.update(tasks[number], completed=done, total=total, visible=True)

        yield [partial(show, number) for number in range(len(tasks))]


@contextmanager
def share_progress(label: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar without numbers; the function it yields takes how much is done and how much there is.

    It is drawn when that function is called, not by a thread of its own.
    """
    with _bar(label, quiet, steps=False, elapsed=True, auto_refresh=False) as bar:
        if bar is None:
            yield lambda done, total: None
            return
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)


def compile_once(quiet: bool = False, fusing: bool = False) -> None:
    """Compiles the kernels of indexing and searching, or those of fusion, if they are not cached on disk.

    A line on standard error and a bar on a terminal report it, unless ``quiet``.
    """
    with compiling_once(quiet, fusing):
        pass


@contextmanager
def compiling_once(quiet: bool = False, fusing: bool = False) -> Iterator[None]:
    """The same while the block runs, which waits when it first calls a kernel, and at its end."""
    from porism.system.compiled.warmup import FUSING, SEARCHING, compilation

    work = compilation(FUSING if fusing else SEARCHING)
    if work is None:
        yield
        return
    if not quiet:
        echo(f"Compiling the kernels once, about {work.seconds} s …", err=True)
        if not work.kept:
            echo(
                "Warning: no folder for them can be written by you alone, so every command compiles them again. "
                "Name one: export NUMBA_CACHE_DIR=FOLDER", err=True,
            )

    with share_progress("compiling", quiet) as progress, work.meanwhile(progress):
        yield
