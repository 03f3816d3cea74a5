"""Curves and places of results: precision against recall, and where the results of a fusion come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate.evaluation import Missing, check_missing, ranked_documents, shared_topics
from porism.lab.evaluate.judgments import Qrels, whole_gains
from porism.lab.evaluate.measures import RELEVANT
from porism.lab.evaluate.tables import some
from porism.runs.run import Run

RECALL_LEVELS: NDArray[np.float64] = np.arange(11) / 10
"""0, 0.1, … 1: where :func:`precision_recall` has its points."""
RECALL_LEVELS.flags.writeable = False


def precision_recall(
    run: Run,
    qrels: Qrels,
    judged_only: bool = False,
    *,
    rel: int = RELEVANT,
    missing: Missing = "zero",
    depth: int | None = 1000,
) -> NDArray[np.float64]:
    """The 11-point interpolated precision-recall curve, averaged over topics: float64 [11].

    At each of :data:`RECALL_LEVELS` is the highest precision of a topic at this recall or a higher one, 0 where the
    run does not reach it. ``judged_only`` removes unjudged documents first; a gain of ``rel`` or more is relevant.
    Topics count as in :func:`~porism.lab.evaluate.evaluate_run`: one without a relevant document has 0 everywhere. All
    is as in trec_eval (the measure ``IPrec@0.5``), also how it rounds recall: 2 of 3 reach the level 0.7.

    :raises ConfigError: an option has a wrong value.
    :raises QueryError: the run and the judgments have no topic in common.
    """
    check_missing(missing, depth)
    if rel < 1:
        raise ConfigError(f"rel is {rel}", hint="It is 1 or more.")
    answered = shared_topics(run, qrels)
    total = np.zeros(11)
    for topic, ranking in ranked_documents(run, answered, depth).items():
        gains = whole_gains(topic, qrels[topic])
        relevant = sum(gain >= rel for gain in gains.values())
        if not relevant:
            continue
        seen = [gains[doc] for doc in ranking if doc in gains] if judged_only else [
            gains.get(doc, 0) for doc in ranking
        ]
        places = np.flatnonzero(np.array(seen, np.int64) >= rel)
        if not len(places):
            continue
        found = np.arange(1, len(places) + 1)
        best = np.maximum.accumulate((found / (places + 1))[::-1])[::-1]  # the highest precision from here on
        needed = np.maximum((RECALL_LEVELS * relevant + 0.9).astype(np.int64), 1)  # trec_eval's rounding
        reached = needed <= len(places)
        total[reached] += best[needed[reached] - 1]
    return total / (len(qrels) if missing == "zero" else len(answered))


def rank_positions(fused: Run, sources: Sequence[Run], topic: str, k: int = 10) -> NDArray[np.int64]:
    """The ranks of the first ``k`` results of a fused run in each of its sources: int64 [up to k, sources].

    Ranks are from 1, those of the files for runs that were read with them; 0 where a source lacks the document. This
    is what figure 3 of Zhong et al. (2022) plots.

    :raises QueryError: the fused run does not have the topic.
    :raises ConfigError: ``k`` is below 1.
    """
    if k < 1:
        raise ConfigError(f"k is {k}", hint="It is 1 or more.")
    if topic not in fused:
        raise QueryError(
            f"there is no topic {topic}", where=fused.name, hint=f"The run has {some(list(fused)) or 'none'}."
        )
    shown = ranked_documents(fused, [topic], k)[topic]
    positions = np.zeros((len(shown), len(sources)), np.int64)
    for column, source in enumerate(sources):
        if topic not in source:
            continue
        number = source.query_ids.index(topic)
        start, stop = int(source.offsets[number]), int(source.offsets[number + 1])
        rank_of = dict(zip(source.doc_ids[start:stop], source.ranks[start:stop].tolist(), strict=True))
        positions[:, column] = [rank_of.get(doc, 0) for doc in shown]
    return positions
