"""Re-ranking by what is known of documents without the query: how often each answered the questions of training."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import SourceError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, Reranker, check_count
from porism.lab.pipeline.rerankers.plain import FileKind, FileSettings, check_first_stage
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.lab.train.pairs.files import read_pairs
from porism.types import Query


class PriorReranker(ScoringReranker):
    """Gives each document the logarithm of 1 + the number of training pairs whose positive it is, whatever the query.

    What was often cited is likely to be cited again (evidence that does not depend on the query: Craswell, Robertson,
    Zaragoza and Taylor 2005). Alone it says nothing about a query, so it counts in a sum with the first stage.
    """

    def __init__(self, counts: Mapping[str, int], depth: int = DEPTH, *, first_stage: float = 0.7) -> None:
        """
        :param counts: how often each document was a right answer; others have 0.
        :param first_stage: the share of the first stage's scores, see :class:`ScoringReranker`.
        :raises QueryError: ``depth`` is below 1.
        """
        self.counts = counts
        self.depth = check_count(depth, "the depth")
        self.first_stage = first_stage

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return np.array([math.log1p(self.counts.get(doc_id, 0)) for doc_id in doc_ids], np.float64)

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        count = self.counts.get(doc_ids[at], 0)
        return Explanation(float(scores[at]), f"log of 1 + the {count:,} training pairs whose positive it is")

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"documents": len(self.counts)}


@dataclass(frozen=True, slots=True)
class PriorSettings(FileSettings):
    """Documents have the logarithm of 1 + the number of pairs whose positive they are. The file has training pairs with
    the ids of positives, as ``porism train pairs`` writes it.

    :param first_stage: the share of the first stage's scores in a sum with these, both as standard scores.
    """

    first_stage: float = 0.7

    def __post_init__(self) -> None:
        check_first_stage(self.first_stage)


def positives(path: Path) -> Counter[str]:
    """How many pairs of a file have each document as their positive.

    :raises SourceError: the file is missing or has no pairs.
    :raises FormatError: a line is broken.
    """
    return Counter(pair.positive_id for pair in read_pairs(path) if pair.positive_id)


def _check_pairs(path: Path) -> None:
    """:raises SourceError: no pair has the id of its positive."""
    if not positives(path):
        raise SourceError("no pair has the id of its positive", where=str(path))


def _reranker(index: DocumentSource, settings: PriorSettings, depth: int) -> Reranker:
    reranker = PriorReranker(positives(Path(settings.pairs)), depth, first_stage=settings.first_stage)
    reranker.tuned_on = settings.tuned_on
    return reranker


PRIOR_KIND = FileKind(
    "prior", PriorSettings, _reranker, "pairs", "Give the path of a file that porism train pairs wrote.", _check_pairs
)
