"""How formal libraries are read: declarations that are documents, their lines, what is reported, and the time it takes.

::

    python -m benchmarks robustness declarations --data ../shared/data
    python -m benchmarks robustness declarations --folder ~/mathlib4 --show 20
    python -m benchmarks robustness declarations --prover rocq --folder ~/math-comp

A plain scan of the sources, which shares no code with Porism, says in which lines declarations begin: those outside
comments that begin with a keyword, behind attributes and modifiers (:mod:`benchmarks.robustness.provers`). A
declaration is *found* where a document has its file and its line. Of a random sample of documents (``--sample``), those
are *right* whose line has the keyword and, there or in the next lines, the name. *Seconds* is the processor time of the
reader alone, on one core.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.robustness.projects_table import parse_projects, report
from benchmarks.robustness.provers import NEXT_LINES, SCANS, Scan
from porism.corpus import open_source


def declarations(root: Path, prover: str = "lean") -> dict[tuple[str, int], str]:
    """File (relative to the root) and line of each declaration that begins a line → its keyword."""
    scan = SCANS[prover]
    return {
        (path.relative_to(root).as_posix(), line): keyword
        for path in scan.files(root) for line, keyword in scan.lines(_text(path), path.name)
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was read of one project."""

    documents: int
    generated: int
    declarations: int
    missing: list[str]
    sample: int
    wrong: list[str]
    reports: list[str]
    seconds: float

    @property
    def share(self) -> float:
        """Which share of the declarations is a document with the right line."""
        return 1 - len(self.missing) / self.declarations if self.declarations else 1.0

    def figures(self) -> dict[str, Any]:
        """The figures of the table."""
        return {
            "documents": self.documents, "generated": self.generated, "declarations": self.declarations,
            "found": round(self.share, 5), "sample": self.sample, "right": self.sample - len(self.wrong),
            "reports": len(self.reports), "seconds": round(self.seconds, 1),
        }  # fmt: skip


def outcome(root: Path, sample: int, prover: str = "lean") -> Outcome:
    """Reads a project, and compares with its sources."""
    reports: list[str] = []
    places: set[tuple[str, int]] = set()
    written: list[tuple[str, int, str, str]] = []
    generated = documents = 0
    start = time.process_time()
    for document in open_source(root, prover, on_problem=lambda problem: reports.append(str(problem))):
        documents += 1
        kind, file, line = (str(document.metadata.get(key, "")) for key in ("kind", "file", "line"))
        if "generated" in document.metadata:
            generated += 1
        elif kind:
            places.add((file, int(line)))
            written.append((file, int(line), kind, document.title.text))
    seconds = time.process_time() - start
    wanted = declarations(root, prover)
    chosen = random.Random(0).sample(written, min(sample, len(written)))
    return Outcome(
        documents=documents, generated=generated, declarations=len(wanted),
        missing=[f"{file}:{line}: {keyword}" for (file, line), keyword in wanted.items() if (file, line) not in places],
        sample=len(chosen), wrong=[f"{file}:{line}: {name}" for file, line, kind, name in chosen
                                   if not _is_there(SCANS[prover], root / file, line, kind, name)],
        reports=reports, seconds=seconds,
    )  # fmt: skip


def _is_there(scan: Scan, path: Path, line: int, kind: str, name: str) -> bool:
    """Whether a line of a file has the keyword of a declaration, and its name, which an instance may lack."""
    return scan.is_there(_text(path).split("\n")[line - 1 : line + NEXT_LINES], kind, name)


def show(found: Outcome, most: int) -> None:
    """Prints the first of what is wrong."""
    for title, places in (("not found", found.missing), ("wrong lines", found.wrong), ("reports", found.reports)):
        print(f"  {title}:", *(f"    {place}" for place in places[:most]), sep="\n")


def main() -> None:
    """Reads the projects and prints a line for each."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks robustness declarations", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder with mathlib")
    parser.add_argument("--prover", choices=SCANS, default="lean", help="whose library the folders are")
    parser.add_argument("--sample", type=int, default=500, help="of so many documents the lines are checked")
    arguments = parse_projects(parser, "declarations")
    roots = [*([arguments.data / "mathlib"] if arguments.data else []), *arguments.folder]
    report({root.name: root for root in roots}, lambda root: outcome(root, arguments.sample, arguments.prover), show,
           arguments)


if __name__ == "__main__":
    main()
