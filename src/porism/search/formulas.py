"""Formula search: what is ranked are the distinct formulas of an index, for hits and for runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Snapshot
from porism.index.snapshot import Masks
from porism.retrieve import FormulaRanker, Retriever
from porism.retrieve.base import HasResultWarnings
from porism.retrieve.formulas.matches import FormulaMatch
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.answers import FormulaHit
from porism.search.formula_occurrences import FormulaPlaces
from porism.search.formula_queries import FormulaQuery
from porism.search.models.models import write_model
from porism.types import Formula, Query

CONTEXT_WEIGHT = 0.05
"""What the context can add to a formula's score, as a part of the best formula's score."""

CONTEXT_DEPTH = 1_000
"""So many formulas and so many documents are looked at where a context counts."""

_MAX_CANDIDATES = 200
"""Formulas of one document, or of one visual id, that are compared when only that is named."""

Named = Literal["auto", "key", "visual_id", "document"]


class _Ranked(NamedTuple):
    """Formulas best first: segment and ordinal there, score, what of it the context adds, which query formula."""

    segments: NDArray[np.int32]
    formulas: NDArray[np.int32]
    scores: NDArray[np.float64]
    context: NDArray[np.float64]
    query_formulas: NDArray[np.int64]

    def take(self, chosen: NDArray[Any] | slice) -> _Ranked:
        """The chosen ones."""
        return _Ranked(
            self.segments[chosen], self.formulas[chosen], self.scores[chosen], self.context[chosen],
            self.query_formulas[chosen],
        )


_NOTHING = _Ranked(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class FormulaRanking:
    """The formulas that were found for a query, in the documents that are allowed."""

    query: FormulaQuery
    allowed: Masks | None
    ranked: _Ranked

    def __len__(self) -> int:
        return len(self.ranked.scores)


class FormulaSearcher:
    """Searches the formulas of a snapshot.

    A formula's score is the best that any of the query formulas gives it. With a context it is that plus
    ``CONTEXT_WEIGHT · t · c / m``. Here ``t`` is the best formula's score. The score for the context is ``c`` for the
    best document that holds the formula, and ``m`` for the best document of all. The context reorders the best formulas
    and finds no others.
    """

    def __init__(
        self, snapshot: Snapshot, ranker: FormulaRanker, documents: Retriever, context_weight: float = CONTEXT_WEIGHT
    ) -> None:
        """``ranker`` and ``documents`` search the same snapshot."""
        self.snapshot = snapshot
        self.ranker = ranker
        self.documents = documents
        self.context_weight = context_weight
        self.places = FormulaPlaces(snapshot)
        self._described = write_model(ranker.model, formulas=True)

    def search(
        self, query: FormulaQuery, k: int, *, allowed: Masks | None = None, explain: bool = False
    ) -> list[FormulaHit]:
        """The best ``k`` formulas of the documents that are allowed (all by default), best first.

        :raises QueryError: ``k`` is below 1.
        """
        return self.hits(self.rank(query, k, allowed=allowed), explain=explain)

    def rank(self, query: FormulaQuery, k: int, *, allowed: Masks | None = None) -> FormulaRanking:
        """The same, to be shown by :meth:`hits`.

        :raises QueryError: ``k`` is below 1.
        """
        ranked = self._ranked(query, k, lambda hits: len(hits.scores), allowed)
        return FormulaRanking(query, allowed, ranked.take(slice(k)))

    def kept(self, ranking: FormulaRanking, keep: Callable[[Formula], bool]) -> FormulaRanking:
        """The formulas of a ranking that count."""
        places = zip(ranking.ranked.segments.tolist(), ranking.ranked.formulas.tolist(), strict=True)
        counting = [keep(self.places.formula(self.snapshot.segments[number], ordinal)) for number, ordinal in places]
        return replace(ranking, ranked=ranking.ranked.take(np.flatnonzero(counting)))

    def hits(
        self, ranking: FormulaRanking, shown: slice = slice(None), *, explain: bool = False,
        documents: int | None = None,
    ) -> list[FormulaHit]:
        """What is shown of a ranking, all of it by default.

        :param documents: only places in so many first documents of each formula are listed, without their ids.
        """
        ranked = ranking.ranked.take(shown)
        counts = self.places.documents(ranked.segments, ranked.formulas, ranking.allowed).tolist()
        hits: list[FormulaHit] = []
        for rank, (segment_number, ordinal, score, context, query_formula) in enumerate(
            zip(*(column.tolist() for column in ranked), strict=True)
        ):
            segment = self.snapshot.segments[segment_number]
            key = segment.formula_key(ordinal)
            if documents is None:
                places = self.places.places(key, ranking.allowed)
            else:
                _, _, of_documents = self.places.by_document(key, ranking.allowed, slice(0, documents))
                places = tuple(chain.from_iterable(of_documents))
            match = None
            if explain:
                match = with_context(self.ranker.match(ranking.query.formulas[query_formula], key), context)
            formula = self.places.formula(segment, ordinal, places)
            number = rank + (shown.start or 0) + 1
            hits.append(FormulaHit(number, score, formula, key, counts[rank], places, match))
        return hits

    def notes(self) -> list[str]:
        """What whoever asks should know of the results, without a full stop."""
        return self.ranker.formula_notes() if isinstance(self.ranker, HasResultWarnings) else []

    def run(
        self, queries: Iterable[tuple[str, FormulaQuery | None]], k: int, *, allowed: Masks | None = None,
        context: bool = True, name: str = "porism",
    ) -> Run:
        """The best ``k`` names of formulas for each query, see :meth:`FormulaPlaces.names`.

        A formula gives its score to all its names, and a name has that of its best formula. As many formulas are
        searched for as ``k`` names need. A query that is None has no results.
        """
        results: dict[str, dict[str, float]] = {}
        seconds: dict[str, float] = {}
        for query_id, query in queries:
            started = time.perf_counter()
            named = results[query_id] = {}
            if query is None:
                continue

            def count(ranked: _Ranked, named: dict[str, float] = named) -> int:
                named.clear()
                names = self.places.names(ranked.segments, ranked.formulas, allowed)
                for score, own in zip(ranked.scores.tolist(), names, strict=True):
                    for formula_name in own:
                        named.setdefault(formula_name, score)
                return len(named)

            self._ranked(query if context else FormulaQuery(query.formulas), k, count, allowed)
            seconds[query_id] = time.perf_counter() - started
        model = self.ranker.model
        made_by = {"kind": "formula search", "model": self._described, "context": context}
        provenance = Provenance(made_by, model.tuned_on, seconds=seconds)
        return Run({query: named.items() for query, named in results.items()}, name, provenance=provenance).top(k)

    def explain(self, query: FormulaQuery, name: str, named: Named = "auto") -> FormulaMatch:
        """Why a formula has its score: the best match of any query formula with any formula of this name.

        :raises QueryError: the index has no formula of this name.
        """
        keys = self._keys(name, named)
        if not keys:
            kinds = {"auto": "formula or document", "key": "formula", "visual_id": "visual id", "document": "document"}
            raise QueryError(
                f"there is no {kinds[named]} {name!r} with a formula in the index", where=str(self.snapshot.path),
                hint="Name the key of a hit, a visual id, or a document's id.",
            )
        matches = [self.ranker.match(formula, key) for key in keys[:_MAX_CANDIDATES] for formula in query.formulas]
        return max(matches, key=lambda match: match.score)

    def _keys(self, name: str, named: Named) -> list[str]:
        if named in ("auto", "key") and any(
            segment.find_formula(name) is not None for segment in self.snapshot.segments
        ):
            return [name]
        if named in ("auto", "visual_id") and (keys := self.places.keys_of_visual_id(name)):
            return keys
        return self.places.keys_of_document(name) if named in ("auto", "document") else []

    def _ranked(self, query: FormulaQuery, k: int, count: Callable[[_Ranked], int], allowed: Masks | None) -> _Ranked:
        """The best formulas, searched until they count ``k`` or there are no more."""
        if k < 1:
            raise QueryError(f"k is {k}", hint="Ask for at least 1 result.")
        if allowed is not None and not any(mask.any() for mask in allowed):
            return _NOTHING
        depth = max(k, CONTEXT_DEPTH) if query.context is not None else k
        while True:
            ranked, is_all = self._best(query.formulas, depth)
            if allowed is not None:
                occurs = self.places.documents(ranked.segments, ranked.formulas, allowed) > 0
                ranked = ranked.take(np.flatnonzero(occurs))
            if query.context is not None:
                ranked = self._with_context(ranked, query.context)
            so_far = count(ranked)
            if so_far >= k or is_all:
                return ranked
            depth = int(depth * min(4.0, 1.2 * k / max(1, so_far))) + 10

    def _best(self, formulas: tuple[Formula, ...], depth: int) -> tuple[_Ranked, bool]:
        """The best formulas for any of the query, and whether there are no more."""
        results = self.ranker.search(formulas, depth)
        query_formulas = np.repeat(np.arange(len(results)), [len(result.scores) for result in results])
        scores = np.concatenate([result.scores for result in results])
        segments = np.concatenate([result.segments for result in results])
        ordinals = np.concatenate([result.units for result in results])
        ranked = _Ranked(segments, ordinals, scores, np.zeros(len(scores)), query_formulas)
        if len(results) > 1:
            ranked = ranked.take(np.argsort(-scores, kind="stable"))
            _, first = np.unique(np.stack([ranked.segments, ranked.formulas]), axis=1, return_index=True)
            ranked = ranked.take(np.sort(first)[:depth])
        return ranked, all(len(result.scores) < depth for result in results)

    def _with_context(self, ranked: _Ranked, context: Query) -> _Ranked:
        scores = [np.zeros(segment.doc_count, np.float64) for segment in self.snapshot.segments]
        number_of = {id(segment): number for number, segment in enumerate(self.snapshot.segments)}
        ranking = self.documents.search([context], CONTEXT_DEPTH)[context.id]
        if not ranking or not len(ranked.scores) or ranking[0][1] <= 0:
            return ranked
        for doc_id, score in ranking:
            place = self.snapshot.find(doc_id)
            if place is not None:
                scores[number_of[id(place[0])]][place[1]] = score / ranking[0][1]
        added = self.context_weight * ranked.scores.max() * self.places.best(ranked.segments, ranked.formulas, scores)
        changed = ranked._replace(scores=ranked.scores + added, context=added)
        return changed.take(np.argsort(-changed.scores, kind="stable"))


def with_context(match: FormulaMatch, added: float) -> FormulaMatch:
    """A match to whose score the context has added."""
    if added == 0:
        return match
    parts = (match.explanation, Explanation(added, "the best document that holds it, for the text around the formula"))
    total = match.score + added
    return replace(match, score=total, explanation=Explanation(total, "formula and context", parts))
