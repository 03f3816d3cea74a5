"""How LaTeX projects are read: theorem-like environments found at their lines, documents without a title, reports.

::

    python -m benchmarks robustness projects --data ../shared/data
    python -m benchmarks robustness projects --data ../shared/data --only hott --show 20
    python -m benchmarks robustness projects --folder ~/thesis

Each project is indexed as ``porism index`` does it. A plain scan of the sources
(:mod:`benchmarks.robustness.environments`) says where theorem-like environments begin; one is *found* where a document
has its file and its line. *Untitled* are documents that are neither theorem-like nor proofs and have no title.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.robustness.environments import environments
from benchmarks.robustness.projects_table import parse_projects, report
from porism.corpus import open_source
from porism.search.sources.updating import index_sources

PROJECTS = {"openlogic": "projects/openlogic", "hott": "projects/hott", "napkin": "napkin"}

_VARYING = re.compile(r"\d+|'.*'|\\\w+|\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was read of one project."""

    documents: int
    untitled: list[str]
    environments: int
    missing: list[str]
    reports: list[str]

    @property
    def share(self) -> float:
        """Which share of the theorem-like environments is a document with the right line."""
        return 1 - len(self.missing) / self.environments if self.environments else 1.0

    def figures(self) -> dict[str, Any]:
        """The figures of the table."""
        return {
            "documents": self.documents, "untitled": len(self.untitled), "reports": len(self.reports),
            "environments": self.environments, "found": round(self.share, 4),
        }  # fmt: skip


def outcome(root: Path) -> Outcome:
    """Reads and indexes a project, and compares with its sources."""
    reports: list[str] = []
    with tempfile.TemporaryDirectory() as work:
        index_sources([root], Path(work) / "index", jobs=1, on_problem=lambda problem: reports.append(str(problem)))
    documents = list(open_source(root))
    places = {(str(each.metadata["file"]), int(str(each.metadata["line"]))) for each in documents}
    wanted = environments(root)
    return Outcome(
        documents=len(documents),
        untitled=[
            each.id for each in documents
            if each.metadata["type"] in ("text", "section") and not each.title.text.strip()
        ],
        environments=len(wanted),
        missing=[f"{file}:{line}: {name}" for (file, line), name in wanted.items() if (file, line) not in places],
        reports=reports,
    )


def show(found: Outcome, most: int) -> None:
    """Prints the first of what is wrong."""
    kinds = Counter(_VARYING.sub("…", report.split(": ", 1)[-1]) for report in found.reports)
    print("  kinds of reports:", *(f"{count:>10}  {kind[:120]}" for kind, count in kinds.most_common(most)), sep="\n")
    print("  not found:", *(f"    {place}" for place in found.missing[:most]), sep="\n")
    print("  untitled:", *(f"    {name}" for name in found.untitled[:most]), sep="\n")


def main() -> None:
    """Reads the projects and prints a line for each."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks robustness projects", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder with projects/openlogic, projects/hott and napkin")
    parser.add_argument("--only", nargs="+", choices=PROJECTS, default=list(PROJECTS), help="of the data, these")
    arguments = parse_projects(parser, "projects")
    roots = {name: arguments.data / PROJECTS[name] for name in arguments.only} if arguments.data else {}
    report(roots | {folder.name: folder for folder in arguments.folder}, outcome, show, arguments)


if __name__ == "__main__":
    main()
