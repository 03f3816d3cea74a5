"""``porism check``: compare the files of an index with their checksums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import index_option, json_option, print_json
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.search.checking import CheckReport


@click.command()
@index_option
@click.option("--repair", is_flag=True,
              help="Compute damaged or missing data again that are computed from other files: derived data, and "
                   "similarity matrices whose settings can be read. No other command may write meanwhile.")
@json_option
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
def check(index_path: Path, repair: bool, as_json: bool, quiet: bool) -> None:
    """Read every file of an index and compare it with its checksum.

    Prints a line for each kind of file: manifest, table of sources, segments, deletions, derived data, tokenizers,
    embeddings, similarity matrices. Names each damaged file with what to do about it, and then exits with 1. JSON has
    files by kind, damages, repaired and sound.
    """
    report = checked(index_path, repair=repair, quiet=quiet)
    if as_json:
        print_json(report.to_dict())
    else:
        for line in check_lines(report):
            echo(line)
    if not report.sound:
        raise click.exceptions.Exit(1)


def checked(path: Path, *, repair: bool = False, quiet: bool = False) -> CheckReport:
    """Checks an index, with a progress bar in megabytes."""
    from porism.search.checking import check_index

    with counting_progress("reading MB", quiet) as progress:
        return check_index(
            path, repair=repair, on_bytes=lambda done, total: progress(done // 1_000_000, -(-total // 1_000_000))
        )


def check_lines(report: CheckReport) -> list[str]:
    """What ``porism check`` prints: a line for each kind of file, then damaged and repaired files."""
    from porism.cli.render import human_bytes

    width = max(len(kind.kind) for kind in report.files)
    lines = [
        f"{kind.kind:<{width}}{kind.files:>8,} {'files' if kind.files != 1 else 'file '}{human_bytes(kind.size):>12}  "
        + (f"{kind.damaged:,} damaged" if kind.damaged else "whole")
        for kind in report.files
    ]
    lines += [f"repaired: {damage.file} ({damage.what})" for damage in report.repaired]
    lines += [f"damaged: {damage}" for damage in report.damages]
    if report.sound:
        lines.append("Every file agrees with its checksum.")
    return lines
