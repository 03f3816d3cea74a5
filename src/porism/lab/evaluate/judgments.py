"""Relevance judgments: topic → document → gain."""

from __future__ import annotations

from collections.abc import Container, Mapping

from porism.errors import FormatError

Qrels = Mapping[str, Mapping[str, int]]
"""Topic id → document id → gain. A document that is not listed is unjudged; a gain of 0 or less is not relevant."""

MAX_GAIN = 10_000
"""trec_eval keeps one counter for each gain up to the highest, on the stack: a gain of a million ends the process."""


def restrict_qrels(qrels: Qrels, doc_ids: Container[str]) -> dict[str, dict[str, int]]:
    """The judgments of documents in ``doc_ids`` (anything with ``in``: a set, an index), for a partial collection.

    Topics that keep no document with a gain above 0 are left out: no run over that collection could answer them.
    """
    kept = {topic: {doc: gain for doc, gain in gains.items() if doc in doc_ids} for topic, gains in qrels.items()}
    return {topic: gains for topic, gains in kept.items() if any(gain > 0 for gain in gains.values())}


def whole_gains(topic: str, gains: Mapping[str, int | float]) -> dict[str, int]:
    """The gains of one topic as integers; ``2.0`` is 2.

    :raises FormatError: a gain is not a whole number, or beyond ``MAX_GAIN`` either way.
    """
    values = gains.values()
    if set(map(type, values)) == {int} and max(values) <= MAX_GAIN and min(values) >= -MAX_GAIN:
        return dict(gains)  # type: ignore[arg-type]  # as a rule; the loop below is slow
    whole: dict[str, int] = {}
    for doc, gain in gains.items():
        if not abs(gain) <= MAX_GAIN or gain != int(gain):  # the first test is also false for a NaN
            raise FormatError(
                f"the gain {gain!r} of document {doc} is not a whole number up to {MAX_GAIN:,}",
                where=f"judgments of topic {topic}",
            )
        whole[doc] = int(gain)
    return whole
