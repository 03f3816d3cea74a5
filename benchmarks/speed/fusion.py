"""How fast runs are fused and scored, beside ranx: every method on the same runs in memory.

::

    python -m benchmarks speed fusion
    python -m benchmarks speed fusion --systems 50 --topics 100 --depth 1000 --rounds 3

The runs are made up from a seed: each topic has a pool of documents with a hidden merit, and each system ranks them by
that merit and its own noise, so that lists overlap as those of real systems do. Both tools get the runs in their own
form, in memory; a fusion is timed from there to the fused run, Porism's alignment of the runs included. They take
turns, in one process; *first ms* is the first call there, with what has to be loaded (compiled code comes from caches
on disk, where earlier runs left it), and the other figures are medians of the rounds after it. What takes longer than
``ENOUGH`` seconds is called once only, and ranx's slowest methods (``SLOW``) get one topic in ten: their time is
multiplied, and marked with ~. Prints tables and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks import RESULTS
from porism import Run
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import FusionTable, fuse

ENOUGH = 10.0
"""Seconds after which a call is not made again; its figure is that of the first."""

SLOW = ("bordafuse", "condorcet")
"""Methods of ranx whose time grows with the square of the candidates: minutes for 100 topics."""

Timed = Callable[[], Any]


def methods(systems: int) -> list[tuple[str, dict[str, Any], str | None, str | None, dict[str, Any]]]:
    """Porism's method and parameters; ranx's method, norm and parameters (None where it has no such method)."""
    weights = [round(0.1 * (number % 9 + 1), 1) for number in range(systems)]
    return [
        ("rrf", {}, "rrf", None, {"k": 60}),
        ("borda", {}, "bordafuse", None, {}),
        *((f"comb{kind}", {}, kind, "min-max", {}) for kind in ("sum", "mnz", "anz", "min", "max", "med")),
        ("combsum", {"norm": "z-score"}, "sum", "zmuv", {}),
        ("isr", {}, "isr", None, {}),
        ("log-isr", {}, "logn_isr", None, {"sigma": 0.01}),
        ("linear", {"weights": weights}, "wsum", "min-max", {"weights": weights}),
        ("condorcet", {}, "condorcet", None, {}),
        ("ibc", {}, None, None, {}),
        ("ibc", {"ties": "majority"}, None, None, {}),
        ("wibc", {"weights": weights}, None, None, {}),
        ("rbc", {"coefficients": weights}, None, None, {}),
    ]


def made_up(systems: int, topics: int, depth: int, seed: int) -> tuple[list[Run], dict[str, dict[str, int]]]:
    """Runs out of pools of four times their depth, and judgments of 500 documents a topic."""
    rng = np.random.default_rng(seed)
    pool = 4 * depth
    columns: list[tuple[list[str], list[float]]] = [([], []) for _ in range(systems)]
    qrels: dict[str, dict[str, int]] = {}
    names = [f"T.{topic}" for topic in range(topics)]
    for topic in names:
        merit = rng.normal(size=pool)
        ids = rng.choice(10_000_000, pool, replace=False)
        for doc_ids, scores in columns:
            seen = merit + 1.5 * rng.normal(size=pool)
            order = np.argsort(-seen)[:depth]
            doc_ids.extend(map(str, ids[order].tolist()))
            scores.extend(seen[order].tolist())
        judged = np.argsort(-(merit + rng.normal(size=pool)))[:500]
        qrels[topic] = {str(ids[at]): int(np.clip(merit[at] - 0.5, 0, 3)) for at in judged.tolist()}
    bounds = [depth * number for number in range(topics + 1)]
    return [
        Run.from_columns(names, bounds, doc_ids, scores, f"system-{number}")
        for number, (doc_ids, scores) in enumerate(columns)
    ], qrels


def timed(contenders: dict[str, Timed], rounds: int) -> dict[str, tuple[float, float]]:
    """(First, median of the others) milliseconds of each contender; they take turns."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, work in contenders.items():
            if taken[name] and taken[name][-1] > 1000 * ENOUGH:
                continue
            started = time.perf_counter()
            work()
            taken[name].append(1000 * (time.perf_counter() - started))
    return {name: (found[0], median(found[1:] or found)) for name, found in taken.items()}


def show(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Prints a table of a title, Porism's and ranx's figures and their ratio."""
    print(f"\n{title:30}{'Porism ms':>11}{'first ms':>10}{'ranx ms':>11}{'first ms':>10}{'ratio':>8}")
    for row in rows:
        line = f"{row['what']:30}{row['porism'][1]:11.1f}{row['porism'][0]:10.1f}"
        if "ranx" in row:
            about = "~" if row.get("extrapolated") else ""
            line += f"{about + format(row['ranx'][1], '.1f'):>11}{about + format(row['ranx'][0], '.1f'):>10}"
            line += f"{row['ranx'][1] / row['porism'][1]:8.1f}"
        print(line, flush=True)


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", help="these methods of Porism only, separated by commas")
    parser.add_argument("--alone", action="store_true", help="without ranx")
    options = parser.parse_args()
    runs, qrels = made_up(options.systems, options.topics, options.depth, options.seed)
    print(f"{options.systems} runs of {options.topics} topics and {options.depth:,} documents; "
          f"{len(FusionTable(runs).doc_ids):,} candidates in all")
    ranx = None
    if not options.alone:
        try:
            import ranx
        except ImportError:
            print("ranx is not installed: pip install '.[bench]'")
    theirs: list[Any] = []
    fewer: list[Any] = []
    fewer_topics = runs[0].query_ids[: max(1, options.topics // 10)]
    rows: list[dict[str, Any]] = []
    warnings.simplefilter("ignore")  # Numba's, about ranx's types
    if ranx is not None:
        plain = [run.to_dict() for run in runs]
        started = time.perf_counter()
        theirs = [ranx.Run(given, name=run.name) for given, run in zip(plain, runs, strict=True)]
        fewer = [ranx.Run(run.only(fewer_topics).to_dict(), name=run.name) for run in runs]
        print(f"ranx made its runs of dictionaries in {time.perf_counter() - started:.1f} s (not counted below)")
    chosen = options.methods.split(",") if options.methods else None
    for method, parameters, their_method, norm, theirs_too in methods(options.systems):
        if chosen and method not in chosen:
            continue
        contenders: dict[str, Timed] = {"porism": lambda m=method, p=parameters: fuse(runs, m, **p)}  # type: ignore[misc]
        if ranx is not None and their_method is not None:
            part = fewer if their_method in SLOW else theirs
            contenders["ranx"] = lambda m=their_method, n=norm, p=theirs_too, of=part: ranx.fuse(  # type: ignore[misc]
                of, norm=n, method=m, params=p
            )
        given = ", ".join(f"{name}={value}" for name, value in parameters.items() if isinstance(value, str))
        rows.append({"what": f"{method} {given}".strip(), **timed(contenders, options.rounds)})
        if their_method in SLOW and "ranx" in rows[-1]:
            times = options.topics / len(fewer_topics)
            rows[-1] |= {"ranx": [time_taken * times for time_taken in rows[-1]["ranx"]], "extrapolated": True}
        print(f"  {rows[-1]['what']} …", flush=True)
    show("fusion", rows)
    measures = ["nDCG", "AP", "P@10"]
    contenders = {"porism": lambda: [evaluate_run(run, qrels, measures) for run in runs]}
    if ranx is not None:
        judgments = ranx.Qrels(qrels)
        names = ["ndcg", "map", "precision@10"]
        contenders["ranx"] = lambda: [ranx.evaluate(judgments, run, names) for run in theirs]
    scored = [{"what": f"{', '.join(measures)} of all runs", **timed(contenders, options.rounds)}]
    show("evaluation", scored)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "fusion.json").write_text(json.dumps({"options": vars(options), "fusion": rows, "evaluation": scored}))


if __name__ == "__main__":
    main()
