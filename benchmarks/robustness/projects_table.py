"""What the benchmarks of reading projects share: their command line, and a line of figures for each project."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from benchmarks import RESULTS


class ProjectOutcome(Protocol):
    """What was read of one project."""

    def figures(self) -> dict[str, Any]:
        """The figures of the table; ``found`` is a share."""


Outcome = TypeVar("Outcome", bound=ProjectOutcome)


def parse_projects(parser: argparse.ArgumentParser, name: str) -> argparse.Namespace:
    """Reads the command line; the table is written to the results by this name."""
    parser.add_argument("--folder", type=Path, nargs="*", default=[], help="other projects")
    parser.add_argument("--show", type=int, default=0, help="so many of what is wrong are printed")
    parser.add_argument("--output", type=Path, default=RESULTS / f"{name}.json")
    arguments = parser.parse_args()
    if arguments.data is None and not arguments.folder:
        parser.error("name --data or --folder")
    return arguments


def report(
    roots: Mapping[str, Path], outcome: Callable[[Path], Outcome], show: Callable[[Outcome, int], None],
    arguments: argparse.Namespace,
) -> None:
    """Reads the projects, prints a line for each and what is wrong, and writes the table."""
    figures: dict[str, dict[str, Any]] = {}
    for name, root in roots.items():
        read = outcome(root)
        row = read.figures()
        if not figures:
            print(f"{'':12}", *(f"{title:>12}" for title in row))
        figures[name] = row
        print(f"{name:12}", *(
            f"{value:>12.2%}" if title == "found" else f"{value:>12,}" for title, value in row.items()
        ), flush=True)  # fmt: skip
        if arguments.show:
            show(read, arguments.show)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(figures, indent=2), encoding="utf-8")
