"""Search of the formulas of several shards, as of one index that has them all: what shards count is added up, and what
they find is ranked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from porism.errors import QueryError
from porism.formula import notation_of
from porism.index import Filters
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.formulas.parts import best_of_parts
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.formula_hits import FormulaHit
from porism.search.formula_occurrences import MOST_PLACES, Naming, Place
from porism.search.formula_queries import FormulaQuery
from porism.search.formulas import CONTEXT_DEPTH, CONTEXT_WEIGHT, with_context
from porism.search.locations import Location
from porism.search.marked_text import Snippet
from porism.search.questions import Question
from porism.serve.shards.asking import Asking, MissingShard
from porism.serve.shards.formula_counting import FormulaCountings
from porism.serve.shards.formula_requests import (
    FormulaHitsRequest,
    FormulaOccurrencesRequest,
    FormulasRequest,
    FormulaStatisticsRequest,
)
from porism.serve.shards.formula_values import DEEPEST, AskedFormula, AskedMatch, FormulaOccurrences, ShardFormulaHit
from porism.serve.shards.gathering import Gathering, ShardsMissing
from porism.serve.shards.merging import add_statistics
from porism.serve.shards.requests import Shard
from porism.serve.shards.showing import location_of, snippet_of
from porism.types import Formula


@dataclass(frozen=True, slots=True)
class HoldingDocument:
    """What is shown of a document that holds a formula: its title, where the formula is there first, and the page
    of the document where it is on a server."""

    title: Snippet
    location: Location
    page: str | None = None


@dataclass(frozen=True, slots=True)
class FederatedFormulas:
    """The formulas that were found, best first, and the shards that are ``missing``; ``documents`` has the first that
    hold each formula, by its first place there. ``total`` is how many were found, up to the depth, and exact where
    there are no more."""

    hits: tuple[FormulaHit, ...]
    documents: Mapping[Place, HoldingDocument]
    missing: tuple[MissingShard, ...] = ()
    total: int = 0
    total_is_exact: bool = True

    @property
    def partial(self) -> bool:
        """Whether a shard is missing."""
        return bool(self.missing)

    def location(self, place: Place) -> Location | None:
        """Where a formula is first in a document; None for documents that are only counted."""
        document = self.documents.get(place)
        return None if document is None else document.location

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``hits``, ``partial``, and the ``missing`` shards with the ``reason`` of each."""
        return {
            "hits": [hit.to_dict() for hit in self.hits], "partial": self.partial,
            "missing": [{"name": one.name, "reason": one.reason} for one in self.missing],
        }


@dataclass(frozen=True, slots=True)
class _Found:
    """A formula: the shard where it counts, its score, what of it the context adds, which query formula it answers."""

    shard: Shard
    key: str
    source: str
    score: float
    query: int
    aligned: bool
    context: float = 0.0


class FormulasOfShards:
    """Searches the formulas of shards; safe to share between threads."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._countings = FormulaCountings(gathering)

    def search(
        self, query: FormulaQuery, k: int, *, first: int = 0, depth: int = 0, filters: Filters | None = None,
        explain: bool = False, keep: Callable[[Formula], bool] | None = None,
    ) -> FederatedFormulas:
        """The best ``k`` formulas of documents that filters allow, those after the ``first`` ones.

        :param depth: so many are counted at least.
        :param keep: which formulas count, of the ``depth`` best.
        :raises QueryError: ``k`` is below 1, or a filter names a key that no document has.
        :raises ConfigError: the formulas of the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        def work(asking: Asking) -> FederatedFormulas:
            search = _Search(self._gathering, self._countings, query, filters, asking)
            depth_of_all = max(depth, first + k)
            found = search.ranked(depth_of_all, len)[:depth_of_all]
            is_exact = len(found) < depth_of_all
            if keep is not None:
                found = [one for one in found if keep(_formula(one.source))]
            hits, documents = search.hits(found[first : first + k], first, explain)
            return FederatedFormulas(tuple(hits), documents, tuple(asking.missing), len(found), is_exact)

        return self._gathering.ask(work)

    def run(
        self, queries: Iterable[tuple[str, FormulaQuery | None]], k: int, *, filters: Filters | None = None,
        context: bool = True, name: str = "porism",
    ) -> Run:
        """The best ``k`` names of formulas for each query, as ``Index.run_formulas`` gives them.

        :raises ShardsMissing: a shard does not answer: a run has the results of all.
        """
        results: dict[str, dict[str, float]] = {}
        seconds: dict[str, float] = {}

        def work(query: FormulaQuery, asking: Asking) -> tuple[dict[str, float], FormulaModel]:
            named: dict[str, float] = {}
            search = _Search(self._gathering, self._countings, query, filters, asking)

            def count(found: Sequence[_Found]) -> int:
                named.clear()
                for one, own in zip(found, search.names(found), strict=True):
                    for formula_name in own:
                        named.setdefault(formula_name, one.score)
                return len(named)

            search.ranked(k, count)
            if asking.missing:
                raise ShardsMissing(str(asking.missing[0]), hint="A run needs the answers of all indexes; try again.")
            return named, search.counting.model

        model: FormulaModel | None = None
        for query_id, query in queries:
            started = time.perf_counter()
            results[query_id] = {}
            if query is not None:
                asked = query if context else FormulaQuery(query.formulas)
                results[query_id], model = self._gathering.ask(partial(work, asked))
                seconds[query_id] = time.perf_counter() - started
        described = {
            "kind": "formula search of shards", "context": context, "model": model.to_dict() if model else None,
            "shards": {shard.name: {"generation": one.generation}
                       for shard, one in self._gathering.collections.items()},
        }
        provenance = Provenance(described, model.tuned_on if model else (), seconds=seconds)
        return Run({query: named.items() for query, named in results.items()}, name, provenance=provenance).top(k)

class _Search:
    """One search of the formulas of the shards that answer."""

    def __init__(
        self, gathering: Gathering, countings: FormulaCountings, query: FormulaQuery, filters: Filters | None,
        asking: Asking,
    ) -> None:
        self._gathering, self._query, self._asking = gathering, query, asking
        self._filters = self._gathering.filters({}, filters, asking)
        self.counting = countings.of(asking)
        self._asked = tuple(AskedFormula(one.source, one.notation) for one in query.formulas)
        counted = self._of_counting(lambda shard: shard.ask(
            FormulaStatisticsRequest(self._generation(shard), self.counting.names[shard], self._asked)
        ))
        self._statistics = add_statistics(self.counting.formulas, self.counting.channels, counted.values())
        self._values: dict[Shard, dict[str, float]] | None = None

    def _generation(self, shard: Shard) -> int:
        return self._gathering.collections[shard].generation

    def _of_counting(self, ask: Callable[[Shard], Any]) -> dict[Shard, Any]:
        """What the shards answer that have formulas."""
        return self._asking.some({shard: ask for shard in self._asking.shards if shard in self.counting.names})

    def ranked(self, k: int, count: Callable[[Sequence[_Found]], int]) -> list[_Found]:
        """The best formulas, searched until they count ``k`` or there are no more."""
        if k < 1:
            raise QueryError(f"k is {k}", hint="Ask for at least 1 result.")
        depth = max(k, CONTEXT_DEPTH) if self._query.context is not None else k
        while True:
            depth = min(depth, max(k, DEEPEST))
            found, is_all = self._best(depth)
            if self._filters or self._query.context is not None:
                found = self._allowed_in_context(found)
            so_far = count(found)
            if so_far >= k or is_all or depth >= max(k, DEEPEST):
                return found
            depth = int(depth * min(4.0, 1.2 * k / max(1, so_far))) + 10

    def _best(self, depth: int) -> tuple[list[_Found], bool]:
        """The best formulas for any of the query, and whether there are no more."""
        model = self.counting.model
        candidates = model.candidates if model.alignment else 0
        answers = self._of_counting(lambda shard: shard.ask(FormulasRequest(
            self._generation(shard), self.counting.names[shard], self._asked, self._statistics,
            max(depth, candidates),
        )))
        shards, parts = list(answers), [one.found for one in answers.values()]
        if any(len(one) != len(self._asked) for one in parts):
            raise QueryError("a shard answered other formulas than those of the question")
        found: list[_Found] = []
        is_all = True
        for number in range(len(self._asked)):
            of_formula = best_of_parts([one[number].part for one in parts], candidates, depth)
            is_all &= len(of_formula) < depth
            found += [
                _Found(shards[one.part], one.key, parts[one.part][number].sources[one.place], one.score, number,
                       one.aligned)
                for one in of_formula
            ]
        if len(self._asked) > 1:
            found.sort(key=lambda one: -one.score)
            best: dict[str, _Found] = {}
            for one in found:
                best.setdefault(one.key, one)
            found = list(best.values())[:depth]
        return found, is_all

    def _allowed_in_context(self, found: list[_Found]) -> list[_Found]:
        """Those that occur in documents that filters allow, and what the context adds to them."""
        if not found:
            return found
        occurrences = self._occurrences(found, self._context_values())
        counts = np.sum([one.documents for one in occurrences.values()], axis=0)
        best = np.max([one.best for one in occurrences.values()], axis=0)
        if self._filters:
            kept = np.flatnonzero(counts).tolist()
            found, best = [found[place] for place in kept], best[kept]
        if self._query.context is None or not found:
            return found
        added = CONTEXT_WEIGHT * max(one.score for one in found) * best
        changed = [
            replace(one, score=one.score + gain, context=gain) for one, gain in zip(found, added.tolist(), strict=True)
        ]
        return sorted(changed, key=lambda one: -one.score)

    def _context_values(self) -> dict[Shard, dict[str, float]]:
        """The scores of documents for the context, by shard and id, as parts of the best one's."""
        if self._values is None:
            self._values = {}
            if self._query.context is not None:
                asked = self._gathering.asked(Question(self._query.context), None, self._asking)
                ranked = self._gathering.rank(asked, CONTEXT_DEPTH, self._asking).ranked
                if ranked and ranked[0].score > 0:
                    for one in ranked:
                        self._values.setdefault(one.shard, {})[one.id] = one.score / ranked[0].score
        return self._values

    def names(self, found: Sequence[_Found]) -> list[list[str]]:
        """What a run calls formulas."""
        if not found:
            return []
        occurrences = self._occurrences(found, {}, self.counting.naming)
        return [
            list(dict.fromkeys(name for one in occurrences.values() for name in one.names[place]))
            for place in range(len(found))
        ]

    def _occurrences(
        self, found: Sequence[_Found], values: Mapping[Shard, dict[str, float]], names: Naming | None = None
    ) -> dict[Shard, FormulaOccurrences]:
        keys = tuple(one.key for one in found)
        answers = self._of_counting(lambda shard: shard.ask(FormulaOccurrencesRequest(
            self._generation(shard), keys, self._filters, values.get(shard, {}), names
        )))
        for one in answers.values():
            columns = [one.documents, one.best, *([one.names] if names is not None else [])]
            if any(len(column) != len(keys) for column in columns):
                raise QueryError("a shard answered of other formulas than it was asked about")
        if not answers:
            raise ShardsMissing("no index answers", hint="Are the servers running?")
        return answers

    def hits(
        self, found: Sequence[_Found], first: int, explain: bool
    ) -> tuple[list[FormulaHit], dict[Place, HoldingDocument]]:
        """What is shown of formulas, and of the first documents that hold each."""
        asked = tuple(AskedMatch(one.key, one.query, one.aligned) for one in found)
        answers: dict[Shard, tuple[ShardFormulaHit, ...]] = {
            shard: one.hits for shard, one in self._of_counting(lambda shard: shard.ask(FormulaHitsRequest(
                self._generation(shard), self.counting.names[shard], self._asked, self._statistics, asked,
                self._filters, explain,
            ))).items() if len(one.hits) == len(asked)
        } if asked else {}
        homes: dict[str, set[Shard]] = {}
        for shard, shown in answers.items():
            for hit in shown:
                for place in hit.places:
                    homes.setdefault(place.doc_id, set()).add(shard)
        hits: list[FormulaHit] = []
        documents: dict[Place, HoldingDocument] = {}
        for number, one in enumerate(found):
            places: list[Place] = []
            for shard, shown in answers.items():
                of_shard = shown[number]
                named = {
                    place.doc_id: f"{shard.name}:{place.doc_id}" if len(homes[place.doc_id]) > 1 else place.doc_id
                    for place in of_shard.places
                }
                first_in: dict[str, Place] = {}
                for place in of_shard.places:
                    places.append(Place(named[place.doc_id], place.field, place.number, place.id, place.visual_id))
                    first_in.setdefault(place.doc_id, places[-1])
                page = getattr(shard, "page", None)
                for document in of_shard.shown:
                    if document.id in first_in:
                        documents[first_in[document.id]] = HoldingDocument(
                            snippet_of(document.title), location_of(document.place), page(document.id) if page else None
                        )
            match = None
            if explain and one.shard in answers and (own := answers[one.shard][number].match) is not None:
                match = with_context(own.match(self._query.formulas[one.query]), one.context)
            formula = _formula(one.source)
            if places:
                formula = replace(formula, id=places[0].id, visual_id=places[0].visual_id)
            hits.append(FormulaHit(
                first + number + 1, one.score, formula, one.key,
                sum(shown[number].documents for shown in answers.values()), tuple(places[:MOST_PLACES]), match,
            ))
        return hits, documents


def _formula(source: str) -> Formula:
    return Formula(source, notation_of(source))
