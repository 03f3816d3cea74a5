"""Fusions by the book: plain Python, one document after the other, and runs to try them on."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence

from porism.runs.run import Run

Lists = Sequence[Mapping[str, tuple[int, float]]]
"""For one topic, of each run: document → (rank, score)."""


def lists_of(runs: Sequence[Run], topic: str) -> Lists:
    """What the runs say of one topic."""
    found = []
    for run in runs:
        ranks = run.ranks.tolist()
        at = run.query_ids.index(topic) if topic in run else None
        places = range(0) if at is None else range(run.offsets[at], run.offsets[at + 1])
        found.append({run.doc_ids[place]: (ranks[place], float(run.scores[place])) for place in places})
    return found


def candidates(lists: Lists) -> list[str]:
    return sorted({doc for one in lists for doc in one})


def rrf(lists: Lists, k=60.0, weights=None):
    weights = weights or [1.0] * len(lists)
    return {
        doc: sum(w / (k + one[doc][0]) for w, one in zip(weights, lists, strict=True) if doc in one)
        for doc in candidates(lists)
    }


def borda(lists: Lists, weights=None):
    weights = weights or [1.0] * len(lists)
    docs = candidates(lists)
    count = max([len(docs), *(rank for one in lists for rank, _ in one.values())])
    scores = dict.fromkeys(docs, 0.0)
    for weight, one in zip(weights, lists, strict=True):
        last = max((rank for rank, _ in one.values()), default=0)
        left = [count - rank + 1 for rank in range(last + 1, count + 1)]
        for doc in docs:
            points = count - one[doc][0] + 1 if doc in one else sum(left) / len(left) if left else 0.5
            scores[doc] += weight * points
    return scores


def normalised(one, norm):
    scores = {doc: score for doc, (_, score) in one.items()}
    if norm == "none" or not scores:
        return scores
    if norm == "rank":
        last = max(len(one), *(rank for rank, _ in one.values())) if one else 0
        return {doc: 1 - (rank - 1) / last for doc, (rank, _) in one.items()}
    low, high = min(scores.values()), max(scores.values())
    if low == high:
        return dict.fromkeys(scores, {"min-max": 1.0, "z-score": 0.0, "sum": 1 / len(scores)}[norm])
    if norm == "min-max":
        return {doc: (score - low) / (high - low) for doc, score in scores.items()}
    if norm == "sum":
        total = math.fsum(score - low for score in scores.values())
        return {doc: (score - low) / total for doc, score in scores.items()}
    mean, deviation = statistics.fmean(scores.values()), statistics.pstdev(scores.values())
    return {doc: (score - mean) / deviation for doc, score in scores.items()}


COMBINED = {
    "combsum": sum,
    "combmnz": lambda values: sum(values) * len(values),
    "combanz": statistics.fmean,
    "combmin": min,
    "combmax": max,
    "combmed": statistics.median,
}


def comb(lists: Lists, method: str, norm="min-max"):
    normal = [normalised(one, norm) for one in lists]
    return {doc: COMBINED[method]([one[doc] for one in normal if doc in one]) for doc in candidates(lists)}


def linear(lists: Lists, weights=None, norm="min-max"):
    weights = weights or [1 / len(lists)] * len(lists)
    normal = [normalised(one, norm) for one in lists]
    return {
        doc: sum(w * one.get(doc, 0.0) for w, one in zip(weights, normal, strict=True)) for doc in candidates(lists)
    }


def isr(lists: Lists):
    found = {doc: [one[doc][0] for one in lists if doc in one] for doc in candidates(lists)}
    return {doc: len(ranks) * sum(1 / rank**2 for rank in ranks) for doc, ranks in found.items()}


def log_isr(lists: Lists, sigma=0.01):
    found = {doc: [one[doc][0] for one in lists if doc in one] for doc in candidates(lists)}
    return {doc: math.log(len(ranks) + sigma) * sum(1 / rank**2 for rank in ranks) for doc, ranks in found.items()}


def majority_margin(lists: Lists, a: str, b: str, weights=None) -> float:
    """The weight of the runs that rank ``a`` above ``b``, less that of those that rank ``b`` above ``a``."""
    weights = weights or [1.0] * len(lists)
    margin = 0.0
    for weight, one in zip(weights, lists, strict=True):
        first, second = (one[doc][0] if doc in one else math.inf for doc in (a, b))
        margin += weight * ((first < second) - (first > second))
    return margin


def ratings(lists: Lists, doc: str, deepest=1000) -> list[int]:
    """The ratings of a document in thousandths (of ``deepest``), by the runs that have the topic."""
    return [max(0, deepest - one[doc][0]) if doc in one else 0 for one in lists if one]


def taken_medians(grades: list[int]) -> list[int]:
    """The lower middlemost grade, then that of the others, and so on until none is left."""
    left, taken = sorted(grades), []
    while left:
        taken.append(left.pop((len(left) - 1) // 2))
    return taken


def random_runs(seed: int, *, systems=4, topics=3, pool=12, ties=True, gaps=False, missing=True) -> list[Run]:
    """Runs of different depths over the same documents, with ties, missing topics and empty lists as asked."""
    rng = random.Random(seed)
    runs = []
    for system in range(systems):
        results: dict[str, list[tuple[str, float]]] = {}
        for topic in range(topics):
            if missing and rng.random() < 0.15:
                continue
            docs = rng.sample([f"d{number}" for number in range(pool)], rng.randint(0 if missing else 1, pool))
            results[f"T{topic}"] = [
                (doc, float(rng.randint(-3, 3)) if ties else rng.uniform(-5, 5)) for doc in docs
            ]
        run = Run(results, f"s{system}")
        if gaps:
            ranks = []
            for start, stop in zip(run.offsets[:-1], run.offsets[1:], strict=True):
                ranks += sorted(rng.sample(range(1, 3 * pool), stop - start))
            run = Run.from_columns(
                run.query_ids, run.offsets, run.doc_ids, run.scores, run.name, ranks=ranks
            )
        runs.append(run)
    return runs
