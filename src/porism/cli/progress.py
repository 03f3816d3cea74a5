"""Progress on standard error: a bar with rate and time left on a terminal, silence in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from porism.cli.terminal import echo
from porism.errors import Problem, counted

if TYPE_CHECKING:
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
            self._file.write(f"{' '.join(str(problem).split())}\n")

    def close(self) -> None:
        """Prints the summary on standard error."""
        if self._file:
            self._file.close()
        if not self.count:
            return
        echo(f"{counted(self.count, 'report')} of skipped or unparsed parts:", err=True)
        for problem in self._first:
            echo(f"  {one_line(problem)}", err=True)
        if self._path:
            echo(f"  all of them: {self._path}", err=True)
        elif self.count > len(self._first):
            echo("  … (--problems FILE writes all of them)", err=True)


def one_line(problem: Problem, most: int = 160) -> str:
    """A report on one line, cut if it is too long."""
    line = "".join(ch if ch.isprintable() else " " for ch in " ".join(str(problem).split()))
    return line if len(line) <= most else f"{line[:most]}…"


@contextmanager
def indexing_progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar over the bytes read, with documents, documents a second and time left."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda progress: None
        return
    columns = (
        TextColumn("indexing"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("indexing", total=None, rate="")

        def show(progress: Progress) -> None:
            elapsed = max(bar.tasks[0].elapsed or 0.0, 1e-3)
            rate = f"{counted(progress.documents, 'document')}, {progress.documents / elapsed:,.0f}/s"
            if progress.to_encode:
                rate = f"encoding: {progress.encoded:,} of {progress.to_encode:,}"
            if progress.to_merge:
                rate = f"merging: {progress.merged:,} of {progress.to_merge:,}"
            bar.update(task, completed=progress.bytes_done, total=progress.bytes_total or None, rate=rate)

        yield show


@contextmanager
def counting_progress(label: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar over steps; the function it yields takes how many are done and how many there are."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (
        TextColumn(label), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None, rate="")

        def show(done: int, total: int) -> None:
            elapsed = max(bar.tasks[0].elapsed or 0.0, 1e-3)
            bar.update(task, completed=done, total=total, rate=f"{done / elapsed:,.1f}/s")

        yield show


@contextmanager
def phase_progress(phases: Sequence[str], quiet: bool) -> Iterator[list[Callable[[int, int], None]]]:
    """A bar for each phase of a work, shown when it begins; yields one function a phase, as :func:`counting_progress`
    does."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield [lambda done, total: None for _ in phases]
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        tasks = [bar.add_task(phase, total=None, visible=False, start=False) for phase in phases]

        def shows(number: int) -> Callable[[int, int], None]:
            def show(done: int, total: int) -> None:
                if not bar.tasks[number].started:
                    bar.start_task(tasks[number])
                bar.update(tasks[number], completed=done, total=total, visible=True)

            return show

        yield [shows(number) for number in range(len(tasks))]


@contextmanager
def share_progress(label: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar without numbers; the function it yields takes how much is done and how much there is.

    It is drawn when that function is called, not by a thread of its own.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn(label), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, refresh=True)

        yield show
