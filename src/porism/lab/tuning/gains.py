"""Measures of many rankings of the same candidates, from the gains alone: nDCG, AP and P without a dictionary.

The values are those of ``trec_eval``: nDCG sums ``gain / log₂(rank + 1)`` and divides by the same of the ideal ranking
of all judged documents, AP divides by the number of relevant documents, P by its cutoff. They agree with
:func:`porism.lab.evaluate.evaluate_run` but for the rounding of the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.lab.evaluate import Measure, Qrels
from porism.lab.evaluate.judgments import whole_gains

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNJUDGED = -1
_PARAMETERS = {"nDCG": {"cutoff"}, "AP": {"rel", "cutoff"}, "P": {"rel", "cutoff"}}


@dataclass(frozen=True, slots=True)
class GainMeasure:
    """One measure over candidates in Q topics whose gains are known.

    ``gains`` (int64 [C]) are those of the candidates, ``UNJUDGED`` without a judgment; ``ideal`` (float64 [Q]) is what
    the sum of a topic is divided by, 0 where that is nothing. ``cutoff`` 0 is none.
    """

    kind: str
    judged_only: bool
    cutoff: int
    relevant: int
    gains: Ints
    ideal: Floats

    @classmethod
    def of(
        cls, measure: Measure, qrels: Qrels, topics: Sequence[str], offsets: Ints, doc_ids: Sequence[str]
    ) -> GainMeasure | None:
        """For candidates ``doc_ids`` [C], of topic t those at ``offsets[t]:offsets[t + 1]``.

        None if the measure is another, or its arguments, or a gain is negative: then ir_measures has to compute it.

        :raises ConfigError: there is no such measure.
        :raises FormatError: a gain is not a whole number.
        """
        resolved = measure.resolve()
        given = {name: value for name, value in resolved.params.items() if value is not None}
        kind = resolved.NAME
        if kind not in _PARAMETERS or not set(given) <= _PARAMETERS[kind]:
            return None
        cutoff, relevant = int(given.get("cutoff", 0)), int(given.get("rel", 1))
        gains = np.full(len(doc_ids), UNJUDGED, np.int64)
        ideal = np.zeros(len(topics))
        for number, topic in enumerate(topics):
            judged = whole_gains(topic, qrels.get(topic, {}))
            if any(gain < 0 for gain in judged.values()):
                return None
            start, stop = int(offsets[number]), int(offsets[number + 1])
            gains[start:stop] = [judged.get(doc_id, UNJUDGED) for doc_id in doc_ids[start:stop]]
            values = np.array(sorted(judged.values(), reverse=True), np.int64)
            if kind == "nDCG":
                best = values[: cutoff or None]
                ideal[number] = (best / np.log2(np.arange(2, len(best) + 2))).sum()
            else:
                ideal[number] = cutoff if kind == "P" else (values >= relevant).sum()
        return cls(kind, measure.judged_only, cutoff, relevant, gains, ideal)

    def values(self, offsets: Ints, ranked: Ints) -> Floats:
        """The value of each topic (float64 [Q]) for rankings: candidates ``ranked`` [N], best first, by ``offsets``."""
        gains = self.gains[ranked]
        topics = np.repeat(np.arange(len(self.ideal)), np.diff(offsets))
        if self.judged_only:
            judged = gains >= 0
            gains, topics = gains[judged], topics[judged]
        starts = np.searchsorted(topics, np.arange(len(self.ideal)))
        ranks = np.arange(1, len(gains) + 1) - starts[topics]
        if self.kind == "nDCG":
            gained = np.maximum(gains, 0) / np.log2(ranks + 1)
        else:
            relevant = gains >= self.relevant
            gained = relevant.astype(np.float64)
            if self.kind == "AP":
                so_far = np.concatenate([[0], np.cumsum(relevant)])
                gained *= (so_far[1:] - so_far[starts[topics]]) / ranks
        if self.cutoff:
            gained = np.where(ranks <= self.cutoff, gained, 0.0)
        sums = np.bincount(topics, gained, minlength=len(self.ideal)).astype(np.float64)  # integers of no results
        return np.divide(sums, self.ideal, out=np.zeros_like(sums), where=self.ideal > 0)
