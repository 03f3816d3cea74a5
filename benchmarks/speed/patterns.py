"""How long searches by pattern take in Mathlib, and whether they find the declarations that they ask for.

::

    python -m benchmarks speed patterns --data ../shared/data
    python -m benchmarks speed patterns --index mathlib.index --show

``pattern_questions.toml`` has the questions, each with the name of a declaration of Mathlib that is an answer. It is
*found* where it is among all statements that match. Times are those of the library, the median of several rounds; the
processor's do not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import porism
from benchmarks import RESULTS
from porism.search.patterns import PatternSearch

QUESTIONS = Path(__file__).with_name("pattern_questions.toml")
ALL = 1_000_000
"""More statements than match, to look for the answer among them."""


def measure(index: Path, rounds: int) -> list[dict[str, Any]]:
    """Of each question whether its answer was found, how many statements match, and the milliseconds of a search."""
    rows: list[dict[str, Any]] = []
    with porism.open_index(index) as opened:
        search = PatternSearch(opened.snapshot)
        search.search("?a = ?b")  # so that nothing is loaded while times are taken
        for name, pattern in tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["questions"].items():
            times, processor_times = [], []
            for _ in range(rounds):
                started, processor_started = time.perf_counter(), time.process_time()
                answer = search.search(pattern, 10)
                times.append(time.perf_counter() - started)
                processor_times.append(time.process_time() - processor_started)
            names = [hit.name for hit in search.search(pattern, max(1, min(answer.total, ALL))).hits]
            rows.append({
                "answer": name, "pattern": pattern, "rank": names.index(name) + 1 if name in names else None,
                "matches": answer.total, "ms": 1000 * statistics.median(times),
                "processor_ms": 1000 * statistics.median(processor_times),
            })  # fmt: skip
    return rows


def main() -> None:
    """Prints how many answers were found and the times."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks speed patterns", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder with mathlib, which is indexed")
    parser.add_argument("--index", type=Path, help="an index of Mathlib instead")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=None, help="processes of indexing")
    parser.add_argument("--show", action="store_true", help="each question is printed")
    parser.add_argument("--output", type=Path, default=RESULTS / "patterns.json")
    arguments = parser.parse_args()
    if arguments.data is None and arguments.index is None:
        parser.error("name --data or --index")
    with tempfile.TemporaryDirectory() as folder:
        index = arguments.index
        if index is None:
            index = Path(folder) / "index"
            porism.index_sources([arguments.data / "mathlib"], index, jobs=arguments.jobs)
        rows = measure(index, arguments.rounds)
    for row in rows if arguments.show else ():
        print(f"{row['ms']:8.1f} ms {row['matches']:>7,} {row['rank'] or '-':>5}  {row['answer']:34} {row['pattern']}")
    times, processor_times = [row["ms"] for row in rows], [row["processor_ms"] for row in rows]
    right = sum(row["rank"] is not None for row in rows)
    print(
        f"{right} of {len(rows)} answers found, median {statistics.median(times):.1f} ms, slowest {max(times):.1f} ms, "
        f"median of processor time {statistics.median(processor_times):.1f} ms"
    )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(rows, indent=2, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
