"""Search of several shards, here or on servers, as of one index that has all their documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from porism.errors import OnProblem, QueryError
from porism.explanation import Explanation
from porism.index import Filters
from porism.retrieve.base import RetrieverSettings
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.answers import Hit
from porism.search.formula_queries import make_formula_query, readable_topic
from porism.search.index import judgments
from porism.search.questions import Question
from porism.serve.shards.asking import Asking, MissingShard
from porism.serve.shards.federated_formulas import FederatedFormulas, FormulasOfShards
from porism.serve.shards.gathering import SECONDS, Gathering, ShardsMissing
from porism.serve.shards.merging import Ranked
from porism.serve.shards.ranking import Ranking
from porism.serve.shards.requests import HitsRequest, Shard, TextsRequest
from porism.serve.shards.showing import explanation_of, location_of, snippet_of
from porism.serve.shards.sums import SumRanking
from porism.serve.shards.values import ShardHit, ShardHits, ShardQuestion
from porism.types import Content, Document, Formula, Query

Reorder: TypeAlias = Callable[[Query, Run, Mapping[str, Document]], Run]
"""Orders the results of a query anew: the run with that query, and its documents by id, as they are named there."""


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """The hits, best first, hints, and the shards that are ``missing`` from the answer. By id of a hit, ``homes`` has
    the name of its shard and its id there, and ``pages`` the address of its page where that is on a server; ``total``
    is how many documents were found, up to the depth."""

    hits: tuple[Hit, ...]
    hints: tuple[str, ...] = ()
    missing: tuple[MissingShard, ...] = ()
    pages: Mapping[str, str] | None = None
    restricted: bool = False
    total: int = 0
    homes: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def partial(self) -> bool:
        """Whether a shard is missing."""
        return bool(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``hits``, ``hints``, ``partial``, and the ``missing`` shards with the ``reason`` of each."""
        return {
            "hits": [hit.to_dict() for hit in self.hits], "hints": list(self.hints), "partial": self.partial,
            "missing": [{"name": one.name, "reason": one.reason} for one in self.missing],
        }


class FederatedIndex:
    """Several shards that are searched as one index; safe to share between threads.

    Each shard has so many ``seconds`` for a question. One that fails or is too slow is missing from the answer, which
    says so; the statistics are those of the shards that answered the first two steps.
    """

    def __init__(self, shards: Sequence[Shard], *, seconds: float = SECONDS) -> None:
        """
        :raises ConfigError: there are no shards, two have one name, or the time is not above 0.
        """
        self.gathering = Gathering(shards, seconds=seconds)
        self._formulas = FormulasOfShards(self.gathering)

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The shards."""
        return self.gathering.shards

    def search_formulas(
        self, formula: str | Formula | Content | Query, k: int = 10, *, filters: Filters | None = None,
        explain: bool = False, on_problem: OnProblem | None = None, first: int = 0, depth: int = 0,
        keep: Callable[[Formula], bool] | None = None,
    ) -> FederatedFormulas:
        """The best ``k`` formulas of all shards for a formula, distinct by their normalised form; those after the
        ``first`` ones. Otherwise as :meth:`porism.Index.search_formulas`.

        :param depth: so many are counted at least.
        :param keep: which formulas count, of the ``depth`` best; all by default.
        :raises QueryError: there is no formula in the query, ``k`` is below 1, or a filter names an unknown key.
        :raises ConfigError: the formulas of the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        query = make_formula_query(formula, on_problem)
        return self._formulas.search(query, k, first=first, depth=depth, filters=filters, explain=explain, keep=keep)

    def run_formulas(
        self, queries: Iterable[Query], k: int = 1000, *, context: bool = False, filters: Filters | None = None,
        name: str = "porism", on_problem: OnProblem | None = None,
    ) -> Run:
        """The results of formula topics, as :meth:`porism.search.searcher.IndexSearcher.run_formulas` names them.

        :raises QueryError: ``k`` is below 1, two queries have one id, or a filter names an unknown key.
        :raises ShardsMissing: a shard does not answer: a run has the results of all.
        """
        topics = list(queries)
        if len({query.id for query in topics}) < len(topics):
            raise QueryError("two queries have the same id")
        readable = [(query.id, readable_topic(query, on_problem)) for query in topics]
        return self._formulas.run(readable, k, filters=filters, context=context, name=name)

    @property
    def model(self) -> RetrieverSettings:
        """The model by which all shards are searched.

        :raises ShardsMissing: no shard answers.
        """
        return self.gathering.model

    def __len__(self) -> int:
        return len(self.gathering)

    def search(
        self, question: str | Question, k: int = 10, *, filters: Filters | None = None, explain: bool = False,
        first: int = 0, depth: int = 0, relevant: Iterable[str] = (), not_relevant: Iterable[str] = (),
        reorder: Reorder | None = None,
    ) -> FederatedAnswer:
        """The best ``k`` documents of all shards for a question as a person types it; those after the ``first`` ones.

        From documents that are known to be ``relevant``, or not, the question learns in place of those found first. An
        id that several shards have is preceded by the name of its shard, as in answers.

        :param depth: so many are counted at least.
        :param reorder: orders all that are counted anew, before the best are chosen; a hit has the score that it gives,
            and an explanation of that of the search.
        :raises QueryError: the question is empty, ``k`` is below 1, a filter names a key that no document has, or a
            judged document is in no shard, or in several.
        :raises ConfigError: the shards cannot be searched as one, or documents are judged and the model does not learn
            from them.
        :raises ShardsMissing: no shard answers.
        """
        judged = judgments(relevant, not_relevant)

        def work(asking: Asking) -> FederatedAnswer:
            read = self.gathering.read(question, asking)
            asked = self.gathering.asked(read, filters, asking)
            if k < 1:
                raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
            ranking = self.gathering.rank(asked, max(depth, first + k), asking, judged)
            scores: dict[str, float] | None = None
            if reorder is not None:
                ranking, scores = self._reordered(read.query, ranking, asking, reorder)
            total = len(ranking.ranked)
            ranking = replace(ranking, ranked=ranking.ranked[first : first + k])
            hits, pages = self._hits(asked, ranking, explain, asking, first)
            if scores is not None:
                hits = [replace(hit, score=scores[hit.id]) for hit in hits]
            return FederatedAnswer(
                tuple(hits), read.notes, tuple(asking.missing), pages, bool(read.conditions or read.filters), total,
                {one.shown_id: (one.shard.name, one.id) for one in ranking.ranked},
            )

        return self.gathering.ask(work)

    def run(
        self, queries: Iterable[Query], k: int = 1000, *, filters: Filters | None = None, name: str = "porism"
    ) -> Run:
        """The results of many queries; an empty query has no results.

        :raises QueryError: ``k`` is below 1, two queries have one id, or a filter names a key that no document has.
        :raises ShardsMissing: a shard does not answer: a run has the results of all.
        """
        wanted = list(queries)
        if len({query.id for query in wanted}) < len(wanted):
            raise QueryError("two queries have the same id")
        results: dict[str, list[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}

        def work(query: Query, asking: Asking) -> list[tuple[str, float]]:
            asked = self.gathering.asked(Question(query), filters, asking)
            ranking = self.gathering.rank(asked, k, asking)
            if asking.missing:
                raise ShardsMissing(str(asking.missing[0]), hint="A run needs the answers of all indexes; try again.")
            return [(one.shown_id, one.score) for one in ranking.ranked]

        for query in wanted:
            started = time.perf_counter()
            has_content = any(query.fields.values())
            results[query.id] = self.gathering.ask(partial(work, query)) if has_content else []
            seconds[query.id] = time.perf_counter() - started
        described = {"kind": "search of shards", "model": self.model.to_dict(), "shards": {
            shard.name: {"documents": one.documents, "generation": one.generation}
            for shard, one in self.gathering.collections.items()
        }}
        return Run(results, name, provenance=Provenance(described, self.gathering.tuned_on, seconds=seconds))

    @staticmethod
    def _reordered(
        query: Query, ranking: Ranking, asking: Asking, reorder: Reorder
    ) -> tuple[Ranking, dict[str, float]]:
        """The documents in another order, and their new scores; those of shards that are lost are left out.

        :raises Moved: a shard has a newer commit.
        """
        wanted: dict[Shard, list[Ranked]] = {}
        for one in ranking.ranked:
            if one.shard in asking.shards:
                wanted.setdefault(one.shard, []).append(one)

        def ask(shard: Shard) -> list[Document]:
            ids = tuple(one.id for one in wanted[shard])
            found = shard.ask(TextsRequest(ranking.generations[shard], ids)).documents
            if tuple(one.id for one in found) != ids:
                raise QueryError("it gave other documents than it was asked for")
            return [text.read(one.shown_id) for text, one in zip(found, wanted[shard], strict=True)]

        answers = asking.some(dict.fromkeys(wanted, ask))
        documents = {one.id: one for found in answers.values() for one in found}
        known = {one.shown_id: one for one in ranking.ranked if one.shown_id in documents}
        before = Run({query.id: [(shown_id, one.score) for shown_id, one in known.items()]})
        found = reorder(query, before, documents)[query.id]
        return replace(ranking, ranked=[known[shown_id] for shown_id, _ in found]), dict(found)

    def _hits(
        self, asked: ShardQuestion, ranking: Ranking, explain: bool, asking: Asking, first: int = 0
    ) -> tuple[list[Hit], dict[str, str]]:
        wanted: dict[Shard, list[str]] = {}
        for one in ranking.ranked:
            if one.shard in asking.shards:
                wanted.setdefault(one.shard, []).append(one.id)
        shown = asking.some(dict.fromkeys(wanted, lambda one: one.ask(HitsRequest(
            ranking.generations[one], asked, ranking.statistics, tuple(wanted[one]), explain, ranking.expanded
        ))))
        by_id = {(shard, hit.id): hit for shard, found in shown.items() for hit in found.hits}
        if explain and isinstance(ranking, SumRanking):
            by_id |= self._explained(asked, ranking, {shard: tuple(wanted[shard]) for shard in shown}, by_id, asking)
        hits: list[Hit] = []
        pages: dict[str, str] = {}
        for one in ranking.ranked:
            if (hit := by_id.get((one.shard, one.id))) is not None:
                hits.append(_shown(hit, one, first + len(hits) + 1))
                if (page := getattr(one.shard, "page", None)) is not None:
                    pages[one.shown_id] = page(one.id)
        return hits, pages

    @staticmethod
    def _explained(
        asked: ShardQuestion, ranking: SumRanking, wanted: Mapping[Shard, tuple[str, ...]],
        shown: Mapping[tuple[Shard, str], ShardHit], asking: Asking,
    ) -> dict[tuple[Shard, str], ShardHit]:
        """The hits of a sum of models with why they have their scores, as its parts tell it."""

        def ask(shard: Shard) -> dict[str, ShardHits]:
            return {
                name: shard.ask(HitsRequest(
                    ranking.generations[shard], asked, part.ranking.statistics, wanted[shard], True, part=name
                ))
                for name, part in ranking.parts.items()
            }

        told: dict[tuple[Shard, str], dict[str, Explanation]] = {}
        for shard, answers in asking.some(dict.fromkeys(wanted, ask)).items():
            for name, found in answers.items():
                for hit in found.hits:
                    told.setdefault((shard, hit.id), {})[name] = explanation_of(hit.explanation)
        return {
            place: replace(shown[place], explanation=ranking.explain(*place, parts).to_dict())
            for place, parts in told.items() if place in shown and len(parts) == len(ranking.parts)
        }


def _shown(hit: ShardHit, ranked: Ranked, rank: int) -> Hit:
    explanation = None
    if hit.explanation is not None:
        explanation = explanation_of(hit.explanation)
        if ranked.links:
            parts = [*explanation.parts, Explanation(ranked.links, "links: what linked threads give")]
            explanation = replace(explanation, value=ranked.score, parts=parts)
    metadata = {key: tuple(value) if isinstance(value, list) else value for key, value in hit.metadata.items()}
    return Hit(
        rank, ranked.shown_id, ranked.score, snippet_of(hit.title), snippet_of(hit.snippet), metadata,
        location_of(hit.place), explanation,
    )
