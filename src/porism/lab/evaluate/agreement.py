"""How far two judges agree on the documents that both have graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple


class Agreement(NamedTuple):
    """Of ``documents`` that two judges have graded: the share with the same grade, and Cohen's kappa (Cohen 1960,
    equation 1); None where chance alone makes them agree on everything."""

    documents: int
    share: float
    kappa: float | None


def agreement(
    first: Mapping[str, Mapping[str, int]], second: Mapping[str, Mapping[str, int]]
) -> Agreement | None:
    """The agreement of two judges, each given as topic → document → grade; None where they graded nothing in common."""
    pairs = [
        (grade, second[topic][doc_id])
        for topic, judged in first.items() if topic in second
        for doc_id, grade in judged.items() if doc_id in second[topic]
    ]
    if not pairs:
        return None
    count = len(pairs)
    share = sum(grade == other for grade, other in pairs) / count
    grades, others = Counter(grade for grade, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(grades[grade] * others[grade] for grade in grades) / count**2
    return Agreement(count, share, None if chance == 1 else (share - chance) / (1 - chance))
