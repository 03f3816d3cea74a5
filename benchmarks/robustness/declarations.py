"""How Lean projects are read: declarations that are documents, their lines, what is reported, and the time it takes.

::

    python -m benchmarks robustness declarations --data ../shared/data
    python -m benchmarks robustness declarations --folder ~/mathlib4 --show 20

A plain scan of the sources, which shares no code with Porism, says in which lines declarations begin: those outside
comments that begin with a keyword, behind attributes and modifiers. A declaration is *found* where a document has its
file and its line. Of a random sample of documents (``--sample``), those are *right* whose line has the keyword and,
there or in the next lines, the name. *Seconds* is the processor time of the reader alone, on one core.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import RESULTS
from porism.corpus import open_source

KEYWORDS = (
    "theorem lemma def abbrev instance structure class inductive coinductive axiom opaque irreducible_def alias".split()
)
MODIFIERS = "private protected public noncomputable nonrec unsafe partial local scoped meta".split()
NEXT_LINES = 3
"""The name may be so many lines below the keyword."""

_DECLARATION = re.compile(rf"(?:@\[.*?\]\s*)*(?:(?:{'|'.join(MODIFIERS)})\s+)*({'|'.join(KEYWORDS)})(?=\s|$)")
_COMMENT = re.compile(r"--.*|/-|-/")


def declarations(root: Path) -> dict[tuple[str, int], str]:
    """File (relative to the root) and line of each declaration at the left margin → its keyword."""
    return {
        (path.relative_to(root).as_posix(), line): keyword
        for path in sorted(root.rglob("*.lean")) for line, keyword in _declarations(path.read_text(encoding="utf-8"))
    }


def _declarations(text: str) -> Iterator[tuple[int, str]]:
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        if depth == 0 and (match := _DECLARATION.match(line)) is not None:
            yield number, match.group(1)
        for match in _COMMENT.finditer(line):
            if match.group() == "/-":
                depth += 1
            elif match.group() == "-/":
                depth = max(0, depth - 1)
            elif depth and "-/" in match.group():  # two hyphens are nothing in a comment
                depth -= match.group().count("-/") - match.group().count("/-")


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


def outcome(root: Path, sample: int) -> Outcome:
    """Reads a project, and compares with its sources."""
    reports: list[str] = []
    places: set[tuple[str, int]] = set()
    written: list[tuple[str, int, str, str]] = []
    generated = documents = 0
    start = time.process_time()
    for document in open_source(root, "lean", on_problem=lambda problem: reports.append(str(problem))):
        documents += 1
        kind, file, line = (str(document.metadata.get(key, "")) for key in ("kind", "file", "line"))
        if "generated" in document.metadata:
            generated += 1
        elif kind:
            places.add((file, int(line)))
            written.append((file, int(line), kind, document.title.text))
    seconds = time.process_time() - start
    wanted = declarations(root)
    chosen = random.Random(0).sample(written, min(sample, len(written)))
    return Outcome(
        documents=documents, generated=generated, declarations=len(wanted),
        missing=[f"{file}:{line}: {keyword}" for (file, line), keyword in wanted.items() if (file, line) not in places],
        sample=len(chosen), wrong=[f"{file}:{line}: {name}" for file, line, kind, name in chosen
                                   if not _is_there(root / file, line, kind, name)],
        reports=reports, seconds=seconds,
    )  # fmt: skip


def _is_there(path: Path, line: int, kind: str, name: str) -> bool:
    """Whether a line of a file has the keyword of a declaration, and its name, which an instance may lack."""
    lines = path.read_text(encoding="utf-8").split("\n")[line - 1 : line + NEXT_LINES]
    last = name.rpartition(".")[2]
    named = last in "\n".join(lines) or (kind == "instance" and last.startswith("inst"))
    return re.search(rf"\b{re.escape(kind.split()[0])}\b", lines[0]) is not None and named


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
    parser.add_argument("--folder", type=Path, nargs="*", default=[], help="other projects")
    parser.add_argument("--sample", type=int, default=500, help="of so many documents the lines are checked")
    parser.add_argument("--show", type=int, default=0, help="so many of what is wrong are printed")
    parser.add_argument("--output", type=Path, default=RESULTS / "declarations.json")
    arguments = parser.parse_args()
    if arguments.data is None and not arguments.folder:
        parser.error("name --data or --folder")
    roots = [*([arguments.data / "mathlib"] if arguments.data else []), *arguments.folder]
    figures = {}
    for root in roots:
        found = outcome(root, arguments.sample)
        row = figures[root.name] = found.figures()
        if root == roots[0]:
            print(f"{'':12}", *(f"{name:>12}" for name in row))
        print(f"{root.name:12}", *(
            f"{value:>12.2%}" if name == "found" else f"{value:>12,}" for name, value in row.items()
        ), flush=True)  # fmt: skip
        if arguments.show:
            show(found, arguments.show)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
