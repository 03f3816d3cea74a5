"""Formula search over the parts of a collection, merged into the results of a search of the whole.

Each part scores by the statistics of the whole collection. Which formulas are aligned depends on all parts: the first
ones by channels, and those with equal values or subexpressions. So each part returns all formulas that could be
aligned, with their scores if they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from porism.formula import layout_key
from porism.index.engine.units import FormulaUnits
from porism.retrieve.formulas.equal_formulas import MAX_EQUAL, MAX_HOLDERS
from porism.retrieve.formulas.retriever import FormulaRetriever, QueryFormula
from porism.retrieve.ranking import UnitResults, unit_numbers

_MAX_LISTED = max(MAX_EQUAL, MAX_HOLDERS)


@dataclass(frozen=True)
class SupplementaryHits:
    """The hits of a search beside the channels: positions among the formulas of a part, and scores there."""

    places: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class FoundPart:
    """The results of a part, in columns: the ``first`` formulas by channels, best first, then others.

    ``keys`` are the formulas and ``sources`` their notation, ``scores`` their scores by channels, and ``whole`` their
    scores if they are aligned. ``itself`` is the position of the query formula, -1 if the part does not have it.
    """

    keys: tuple[str, ...]
    scores: tuple[float, ...]
    whole: tuple[float, ...]
    first: int
    itself: int
    lists: tuple[SupplementaryHits, ...]
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        count = len(self.keys)
        places = [place for listed in self.lists for place in listed.places]
        if not (
            len(self.scores) == len(self.whole) == len(self.sources) == count and 0 <= self.first <= count
            and -1 <= self.itself < count and min(places, default=0) >= 0 and max(places, default=-1) < count
            and all(len(listed.places) == len(listed.scores) for listed in self.lists)
        ):
            raise ValueError("the columns of formulas have different lengths")
        numbers = [*self.scores, *self.whole, *(score for listed in self.lists for score in listed.scores)]
        if not np.isfinite(np.array(numbers)).all():
            raise ValueError("a score is not a finite number")


class PartHit(NamedTuple):
    """A formula of the whole collection: its part, its place there, its key and score, and whether it was aligned."""

    part: int
    place: int
    key: str
    score: float
    aligned: bool


def find_part(retriever: FormulaRetriever, query: QueryFormula, depth: int) -> FoundPart:
    """What a part finds: the first ``depth`` formulas by channels, and all that can be aligned."""
    results = retriever.lexical.search_units([query.terms], depth)[0]
    first = len(results.scores)
    lists: list[UnitResults] = []
    if retriever.aligner is not None:
        lists = retriever.other_candidates(query)
        results = retriever.with_itself(query, results)
        for hits in lists:
            results = retriever.joined(query, results, hits)
    numbers = unit_numbers(results)
    order = np.argsort(numbers, kind="stable")
    places = [order[np.searchsorted(numbers, unit_numbers(hits), sorter=order)] for hits in lists]
    whole = results.scores.copy()
    if retriever.aligner is not None and len(results.scores):
        aligned = np.unique(np.concatenate([
            np.arange(min(first, retriever.model.candidates)), np.arange(first, len(numbers)), *places,
        ])).astype(np.int64)
        some = results.take(aligned)
        by_value = (
            np.zeros(len(aligned)) if retriever.values is None
            else retriever.values.similarities(query.operators, some)
        )
        whole[aligned] = retriever.with_similarity(query, some, by_value)
    keys = retriever.lexical.ids.take(results.segments, results.units)
    own = layout_key(query.layout)
    segments = [units.segment for units in retriever.lexical.segments if isinstance(units, FormulaUnits)]
    return FoundPart(
        tuple(keys), tuple(results.scores.tolist()), tuple(whole.tolist()), first,
        keys.index(own) if own in keys else -1,
        tuple(
            SupplementaryHits(tuple(at.tolist()), tuple(hits.scores.tolist()))
            for at, hits in zip(places, lists, strict=True)
        ),
        tuple(
            segments[segment].formula_source(unit)
            for segment, unit in zip(results.segments.tolist(), results.units.tolist(), strict=True)
        ),
    )


def best_of_parts(parts: Sequence[FoundPart], candidates: int, k: int) -> list[PartHit]:
    """The best ``k`` formulas of all parts, ties by descending key, as a search of the whole finds them.

    :param candidates: the number of first formulas by channels that are aligned, 0 for none.
    """
    depth = max(k, candidates)
    ranked = [
        (score, key, number, place)
        for number, part in enumerate(parts)
        for place, (score, key) in enumerate(zip(part.scores[: part.first], part.keys, strict=False))
    ]
    ranked = sorted(ranked, reverse=True)[:depth]
    aligned = {(number, place) for _, _, number, place in ranked[:candidates]}
    if candidates:
        aligned.update((number, part.itself) for number, part in enumerate(parts) if part.itself >= 0)
        for lists in zip_longest(*(part.lists for part in parts), fillvalue=SupplementaryHits((), ())):
            listed = [
                (score, parts[number].keys[place], number, place)
                for number, hit in enumerate(lists)
                for place, score in zip(hit.places, hit.scores, strict=True)
            ]
            aligned.update((number, place) for _, _, number, place in sorted(listed, reverse=True)[:_MAX_LISTED])
    chosen = [
        PartHit(number, place, parts[number].keys[place], parts[number].whole[place], True) for number, place in aligned
    ]
    chosen += [
        PartHit(number, place, key, score, False)
        for score, key, number, place in ranked if (number, place) not in aligned
    ]
    return sorted(chosen, key=lambda hit: (hit.score, hit.key), reverse=True)[:k]
