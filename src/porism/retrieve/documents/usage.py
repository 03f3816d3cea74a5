"""Usage: a declaration that many others name gains, as a page does that many others link.

A question in words often fits a dozen lemmas of a formal library about one thing; what others build upon is mostly what
is asked for. A candidate gains ``weight · score · ln(1 + n)``. Here n is the number of documents that mention its full
name as it is written, namespaces included; shorter names may mean others, and are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Segment
from porism.index.mentions import SegmentMentions, open_mentions
from porism.index.strings import offsets
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import check_weight
from porism.settings import Settings
from porism.system.concurrency.caching import cached_property
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Usage(Settings):
    """Declarations gain ``weight`` times their score for each e-fold of the documents that name them; 0 is off.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.08

    def __post_init__(self) -> None:
        check_weight("usage", self.weight)


class UsedDeclarations(ScoreComponent):
    """Adds to the scores of declarations that others name; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], settings: Usage) -> None:
        self.settings = settings
        self._segments = tuple(segments)

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        """How many documents name what each document declares (int64, an array for each segment)."""
        mentions = [open_mentions(segment) for segment in self._segments]
        counts: list[NDArray[np.int64]] = []
        for segment, own in zip(self._segments, mentions, strict=True):
            named = np.zeros(len(own.names), np.int64)
            for other_segment, other in zip(self._segments, mentions, strict=True):
                named += _mentioning(other, other_segment.live, own.names)
            of_documents = np.zeros(segment.doc_count, np.int64)
            of_documents[own.declaring] = named
            counts.append(of_documents)
        return counts

    def applies(self, query: Query) -> bool:
        return any(count.any() for count in self.counts)

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        gains = np.zeros(len(candidates.scores))
        for number, mine, units in candidates.by_segment():
            gains[mine] = np.log1p(self.counts[number][units]) * candidates.scores[mine]
        return self.settings.weight * gains

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        one = candidates.take(slice(position, position + 1))
        number, _, units = next(iter(one.by_segment()))
        count = int(self.counts[number][units][0])
        score, weight = float(one.scores[0]), self.settings.weight
        return Explanation(
            float(self.scores(query, one)[0]),
            f"usage: {count:,} documents name it, {score:.4f} · {weight:g} · ln {count + 1:,}",
        )


def _mentioning(
    mentions: SegmentMentions, live: NDArray[np.bool_], names: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """How many live documents of a segment mention each name (int64)."""
    if not len(mentions.written):
        return np.zeros(len(names), np.int64)
    sums = offsets(live[mentions.docs].view(np.uint8))
    totals = sums[mentions.starts[1:]] - sums[mentions.starts[:-1]]
    places = np.minimum(np.searchsorted(mentions.written, names), len(mentions.written) - 1)
    return np.where(mentions.written[places] == names, totals[places], 0)


def _make(context: ComponentContext, settings: Usage) -> UsedDeclarations | None:
    return UsedDeclarations(context.snapshot.segments, settings) if settings.weight > 0 else None


USAGE = ComponentKind(name="usage", settings=Usage, make=_make)
"""The component of usage."""
