"""Search of the formulas of several shards, as of one index that has them all: what shards count is added up, and what
they find is ranked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from porism.errors import QueryError
from porism.formula import notation_of
from porism.index import Filters
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.formulas.parts import best_of_parts
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.answering import SearchOptions
from porism.search.answers import Answer, FormulaHit
from porism.search.formula_occurrences import MAX_PLACES, Naming
from porism.search.formula_queries import FormulaQuery
from porism.search.formulas import CONTEXT_DEPTH, CONTEXT_WEIGHT, with_context
from porism.search.questions import Question
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.federated_places import page_of
from porism.serve.shards.formula_counting import FormulaCountings
from porism.serve.shards.formula_requests import (
    MAX_FORMULA_DEPTH,
    FormulaHitsRequest,
    FormulaOccurrences,
    FormulaOccurrencesRequest,
    FormulasRequest,
    FormulaStatisticsRequest,
    FormulaToShow,
    ShardFormulaHit,
)
from porism.serve.shards.merging import add_statistics
from porism.serve.shards.requests import Shard
from porism.serve.shards.shard_group import ShardGroup, ShardsMissing
from porism.types import Formula


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

    def __init__(self, group: ShardGroup) -> None:
        self._group = group
        self._countings = FormulaCountings(group)

    def search(self, query: FormulaQuery, options: SearchOptions) -> Answer[FormulaHit]:
        """The best formulas of documents that filters allow.

        :raises QueryError: ``k`` is below 1, or a filter names a key that no document has.
        :raises ConfigError: the formulas of the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        def work(calls: ShardCalls) -> Answer[FormulaHit]:
            search = _Search(self._group, self._countings, query, options.filters, calls)
            depth = options.counted
            formulas = search.ranked(depth, len)[:depth]
            is_exact = len(formulas) < depth
            if options.keep is not None:
                formulas = [formula for formula in formulas if options.keep(_formula(formula.source))]
            hits = search.hits(formulas[options.first : options.first + options.k], options)
            return Answer(tuple(hits), total=len(formulas), total_is_exact=is_exact, missing=tuple(calls.missing))

        return self._group.ask(work)

    def run(
        self, queries: Iterable[tuple[str, FormulaQuery | None]], k: int, *, filters: Filters | None = None,
        context: bool = True, name: str = "porism",
    ) -> Run:
        """The best ``k`` names of formulas for each query, as ``Index.run_formulas`` gives them.

        :raises ShardsMissing: a shard does not answer: a run has the results of all.
        """
        results: dict[str, dict[str, float]] = {}
        seconds: dict[str, float] = {}

        def work(query: FormulaQuery, calls: ShardCalls) -> tuple[dict[str, float], FormulaModel]:
            named: dict[str, float] = {}
            search = _Search(self._group, self._countings, query, filters, calls)

            def count(formulas: Sequence[_Found]) -> int:
                named.clear()
                for formula, own in zip(formulas, search.names(formulas), strict=True):
                    for formula_name in own:
                        named.setdefault(formula_name, formula.score)
                return len(named)

            search.ranked(k, count)
            if calls.missing:
                raise ShardsMissing(str(calls.missing[0]), hint="A run needs the answers of all indexes; try again.")
            return named, search.counting.model

        model: FormulaModel | None = None
        for query_id, query in queries:
            started = time.perf_counter()
            results[query_id] = {}
            if query is not None:
                asked = query if context else FormulaQuery(query.formulas)
                results[query_id], model = self._group.ask(partial(work, asked))
                seconds[query_id] = time.perf_counter() - started
        described = {
            "kind": "formula search of shards", "context": context, "model": model.to_dict() if model else None,
            "shards": {shard.name: {"generation": collection.generation}
                       for shard, collection in self._group.collections.items()},
        }
        provenance = Provenance(described, model.tuned_on if model else (), seconds=seconds)
        return Run({query: named.items() for query, named in results.items()}, name, provenance=provenance).top(k)


class _Search:
    """One search of the formulas of the shards that answer."""

    def __init__(
        self, group: ShardGroup, countings: FormulaCountings, query: FormulaQuery, filters: Filters | None,
        calls: ShardCalls,
    ) -> None:
        self._group, self._query, self._calls = group, query, calls
        self._filters = self._group.filters({}, filters, calls)
        self.counting = countings.of(calls)
        self._asked = query.formulas
        counted = self._of_counting(lambda shard: shard.ask(
            FormulaStatisticsRequest(self._generation(shard), self.counting.names[shard], self._asked)
        ))
        self._statistics = add_statistics(self.counting.formulas, self.counting.channels, counted.values())
        self._values: dict[Shard, dict[str, float]] | None = None

    def _generation(self, shard: Shard) -> int:
        return self._group.collections[shard].generation

    def _of_counting(self, ask: Callable[[Shard], Any]) -> dict[Shard, Any]:
        """What the shards answer that have formulas."""
        return self._calls.some({shard: ask for shard in self._calls.shards if shard in self.counting.names})

    def ranked(self, k: int, count: Callable[[Sequence[_Found]], int]) -> list[_Found]:
        """The best formulas, searched until they count ``k`` or there are no more."""
        if k < 1:
            raise QueryError(f"k is {k}", hint="Ask for at least 1 result.")
        depth = max(k, CONTEXT_DEPTH) if self._query.context is not None else k
        while True:
            depth = min(depth, max(k, MAX_FORMULA_DEPTH))
            formulas, is_all = self._best(depth)
            if self._filters or self._query.context is not None:
                formulas = self._allowed_in_context(formulas)
            so_far = count(formulas)
            if so_far >= k or is_all or depth >= max(k, MAX_FORMULA_DEPTH):
                return formulas
            depth = int(depth * min(4.0, 1.2 * k / max(1, so_far))) + 10

    def _best(self, depth: int) -> tuple[list[_Found], bool]:
        """The best formulas for any of the query, and whether there are no more."""
        model = self.counting.model
        candidates = model.candidates if model.alignment else 0
        answers = self._of_counting(lambda shard: shard.ask(FormulasRequest(
            self._generation(shard), self.counting.names[shard], self._asked, self._statistics,
            max(depth, candidates),
        )))
        shards, parts = list(answers), [answer.found for answer in answers.values()]
        if any(len(part) != len(self._asked) for part in parts):
            raise QueryError("a shard answered other formulas than those of the question")
        formulas: list[_Found] = []
        is_all = True
        for number in range(len(self._asked)):
            best_of_formula = best_of_parts([part[number] for part in parts], candidates, depth)
            is_all &= len(best_of_formula) < depth
            for best in best_of_formula:
                source = parts[best.part][number].sources[best.place]
                formulas.append(_Found(shards[best.part], best.key, source, best.score, number, best.aligned))
        if len(self._asked) > 1:
            formulas.sort(key=lambda formula: -formula.score)
            first_of_key: dict[str, _Found] = {}
            for formula in formulas:
                first_of_key.setdefault(formula.key, formula)
            formulas = list(first_of_key.values())[:depth]
        return formulas, is_all

    def _allowed_in_context(self, formulas: list[_Found]) -> list[_Found]:
        """Those that occur in documents that filters allow, and what the context adds to them."""
        if not formulas:
            return formulas
        occurrences = self._occurrences(formulas, self._context_values())
        counts = np.sum([answer.documents for answer in occurrences.values()], axis=0)
        best = np.max([answer.best for answer in occurrences.values()], axis=0)
        if self._filters:
            kept = np.flatnonzero(counts).tolist()
            formulas, best = [formulas[place] for place in kept], best[kept]
        if self._query.context is None or not formulas:
            return formulas
        added = CONTEXT_WEIGHT * max(formula.score for formula in formulas) * best
        changed = [
            replace(formula, score=formula.score + gain, context=gain)
            for formula, gain in zip(formulas, added.tolist(), strict=True)
        ]
        return sorted(changed, key=lambda formula: -formula.score)

    def _context_values(self) -> dict[Shard, dict[str, float]]:
        """The scores of documents for the context, by shard and id, as parts of the best one's."""
        if self._values is None:
            self._values = {}
            if self._query.context is not None:
                asked = self._group.shard_question(Question(self._query.context), None, self._calls)
                ranked = self._group.rank(asked, CONTEXT_DEPTH, self._calls).ranked
                if ranked and ranked[0].score > 0:
                    for document in ranked:
                        self._values.setdefault(document.shard, {})[document.id] = document.score / ranked[0].score
        return self._values

    def names(self, formulas: Sequence[_Found]) -> list[list[str]]:
        """What a run calls formulas."""
        if not formulas:
            return []
        occurrences = self._occurrences(formulas, {}, self.counting.naming)
        return [
            list(dict.fromkeys(name for answer in occurrences.values() for name in answer.names[place]))
            for place in range(len(formulas))
        ]

    def _occurrences(
        self, formulas: Sequence[_Found], values: Mapping[Shard, dict[str, float]], names: Naming | None = None
    ) -> dict[Shard, FormulaOccurrences]:
        keys = tuple(formula.key for formula in formulas)
        answers = self._of_counting(lambda shard: shard.ask(FormulaOccurrencesRequest(
            self._generation(shard), keys, self._filters, values.get(shard, {}), names
        )))
        for answer in answers.values():
            columns = [answer.documents, answer.best, *([answer.names] if names is not None else [])]
            if any(len(column) != len(keys) for column in columns):
                raise QueryError("a shard answered of other formulas than it was asked about")
        if not answers:
            raise ShardsMissing("no index answers", hint="Are the servers running?")
        return answers

    def hits(self, formulas: Sequence[_Found], options: SearchOptions) -> list[FormulaHit]:
        """What is shown of formulas, and of the first documents that have each."""
        wanted = tuple(FormulaToShow(formula.key, formula.query, formula.aligned) for formula in formulas)
        answers: dict[Shard, tuple[ShardFormulaHit, ...]] = {
            shard: answer.hits for shard, answer in self._of_counting(lambda shard: shard.ask(FormulaHitsRequest(
                self._generation(shard), self.counting.names[shard], self._asked, self._statistics, wanted,
                self._filters, options.explain,
            ))).items() if len(answer.hits) == len(wanted)
        } if wanted else {}
        homes: dict[str, set[Shard]] = {}
        for shard, shown in answers.items():
            for place in chain.from_iterable(hit.places for hit in shown):
                homes.setdefault(place.doc_id, set()).add(shard)

        def named(shard: Shard, doc_id: str) -> str:
            return f"{shard.name}:{doc_id}" if len(homes[doc_id]) > 1 else doc_id

        hits: list[FormulaHit] = []
        for number, ranked in enumerate(formulas):
            here = {shard: shown[number] for shard, shown in answers.items()}
            places = [
                replace(place, doc_id=named(shard, place.doc_id)) for shard, own in here.items() for place in own.places
            ]
            documents = [
                replace(document, id=named(shard, document.id), page=page_of(shard, document.id))
                for shard, own in here.items() for document in own.shown if document.id in homes
            ]
            match = here[ranked.shard].match if options.explain and ranked.shard in here else None
            formula = _formula(ranked.source)
            if places:
                formula = replace(formula, id=places[0].id, visual_id=places[0].visual_id)
            hits.append(FormulaHit(
                options.first + number + 1, ranked.score, formula, ranked.key,
                sum(own.documents for own in here.values()),
                tuple(places[:MAX_PLACES]), None if match is None else with_context(match, ranked.context),
                tuple(documents),
            ))
        return hits


def _formula(source: str) -> Formula:
    return Formula(source, notation_of(source))
