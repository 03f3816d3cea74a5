"""``porism watch``: an index in step with its sources."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.first_use import compile_once
from porism.cli.options import index_option, jobs_option
from porism.cli.progress import ProblemLog, indexing_progress, one_line
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.errors import PorismError, Problem
    from porism.search.sources.update_run import UpdateReport


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@jobs_option("Processes that analyse documents.")
@click.option("--quiet", is_flag=True, help="Print errors only.")
def watch(sources: tuple[str, ...], index_path: Path, jobs: int | None, quiet: bool) -> None:
    """Keep an index in step with its sources as they change.

    SOURCE is a file or folder, which is added to the index first, as porism index does; without one, the sources of the
    index are watched. Each change is one commit, and porism serve shows it within a second. Ctrl-C ends the watch.
    Needs pip install 'porism[web]'.
    """
    from porism.extras import need
    from porism.index.manifest import read_manifest
    from porism.search.sources.updating import index_sources
    from porism.search.sources.watching import watch_index

    need("watchfiles", "web", "watching files")
    if sources:
        log = ProblemLog()
        compile_once(quiet)
        with indexing_progress(quiet) as progress:
            report = index_sources(sources, index_path, jobs=jobs, on_problem=log, on_progress=progress)
        if not quiet:
            log.close()
            echo(_summary(report))
        if report.interrupted:
            raise click.exceptions.Exit(130)
    else:
        read_manifest(index_path)  # before anything is compiled
        compile_once(quiet)
    if not quiet:
        echo(f"Watching the sources of {index_path}. Ctrl-C ends it.")

    def tell(report: UpdateReport) -> None:
        if not quiet:
            echo(f"{_clock()}  {_summary(report)}")
        if report.unreachable:
            echo(f"{_clock()}  Not there: {', '.join(report.unreachable)}. The documents stay.", err=True)

    def warn(error: PorismError) -> None:
        echo(f"{_clock()}  Error: {error}", err=True)

    def note(problem: Problem) -> None:
        if not quiet:
            echo(f"{_clock()}  {one_line(problem)}", err=True)

    watch_index(index_path, jobs=jobs, on_update=tell, on_error=warn, on_problem=note)
    if not quiet:
        echo("Stopped.")


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _summary(report: UpdateReport) -> str:
    """The changes of an update, on one line."""
    failed = f", {pluralise(report.files_failed, 'file')} not readable" if report.files_failed else ""
    return (
        f"+{report.added:,} ~{report.changed:,} −{report.removed:,} documents in {report.seconds:.1f} s{failed}: "
        f"{report.path}"
    )
