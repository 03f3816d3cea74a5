"""Several runs side by side: for each topic, the documents of all of them under the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.runs.run import Run


@dataclass(frozen=True, slots=True)
class TopicLists:
    """The rankings of one topic, one a run: document numbers from 0 below ``documents``, best first (int64)."""

    topic: str
    lists: tuple[NDArray[np.int64], ...]
    documents: int


def check_runs(runs: Sequence[Run], depth: int | None) -> None:
    """Refuses what cannot be compared.

    :raises QueryError: there is no run.
    :raises ConfigError: the depth is below 1.
    """
    if not runs:
        raise QueryError("there is no run to compare")
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more, or None for whole rankings.")


def aligned_topics(
    runs: Sequence[Run], topics: Iterable[str] | None = None, depth: int | None = None
) -> Iterator[TopicLists]:
    """The lists of each topic, to ``depth`` results; by default of the topics that some run has, in the runs' order."""
    places = [{topic: number for number, topic in enumerate(run.query_ids)} for run in runs]
    bounds = [run.offsets.tolist() for run in runs]
    empty: NDArray[np.int64] = np.empty(0, np.int64)
    for topic in dict.fromkeys(topic for run in runs for topic in run.query_ids) if topics is None else topics:
        numbers: dict[str, int] = {}
        lists: list[NDArray[np.int64]] = []
        for run, place, offsets in zip(runs, places, bounds, strict=True):
            number = place.get(topic)
            if number is None:
                lists.append(empty)
                continue
            start, stop = offsets[number], offsets[number + 1]
            if depth is not None:
                stop = min(stop, start + depth)
            lists.append(np.array([numbers.setdefault(doc, len(numbers)) for doc in run.doc_ids[start:stop]], np.int64))
        yield TopicLists(topic, tuple(lists), len(numbers))
