"""Search of several shards, here or on servers, as of one index that has all their documents."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from porism.errors import OnProblem, QueryError
from porism.explanation import Explanation
from porism.index import Filters
from porism.retrieve.base import RetrieverSettings
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.answering import Answerer, RankingStage, Reranking, SearchOptions, count_matching, with_stages
from porism.search.answers import Answer, FormulaHit, Hit, Occurrences
from porism.search.formula_queries import make_formula_query, read_formula_question, readable_topic
from porism.search.grouping import Group, grouped, members
from porism.search.index import judgments
from porism.search.patterns import PatternAnswer
from porism.search.questions import Question
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.federated_formulas import FormulasOfShards
from porism.serve.shards.federated_patterns import search_patterns
from porism.serve.shards.federated_places import occurrences_of_shards
from porism.serve.shards.merging import Ranked
from porism.serve.shards.ranking import ShardRanking, SumRanking
from porism.serve.shards.requests import GroupsRequest, HitsRequest, Shard, TextsRequest
from porism.serve.shards.shard_group import SECONDS, ShardGroup, ShardsMissing
from porism.serve.shards.values import ShardHits, ShardQuestion
from porism.types import Content, Document, Query


class FederatedIndex(Answerer):
    """Several shards that are searched as one index; safe to share between threads.

    Each shard has so many ``seconds`` for a question. One that fails or is too slow is missing from the answer, which
    says so; the statistics are those of the shards that answered the first two steps.
    """

    def __init__(self, shards: Sequence[Shard], *, seconds: float = SECONDS) -> None:
        """
        :raises ConfigError: there are no shards, two have one name, or the time is not above 0.
        """
        self.group = ShardGroup(shards, seconds=seconds)
        self.shards = self.group.shards
        self._formulas = FormulasOfShards(self.group)

    def answer_formulas(
        self, question: str | Content, options: SearchOptions, on_problem: OnProblem | None = None
    ) -> Answer[FormulaHit]:
        """The best formulas of all shards for a formula, distinct by their normalised form, as
        :meth:`porism.search.answering.Answerer.answer_formulas`.

        :raises ConfigError: the formulas of the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        content, notes = read_formula_question(question) if isinstance(question, str) else (question, [])
        answer = self._formulas.search(make_formula_query(content, on_problem), options)
        return replace(answer, hints=tuple(notes))

    def search_patterns(
        self, pattern: str, k: int = 10, *, symmetric: bool = True, filters: Filters | None = None,
        on_problem: OnProblem | None = None,
    ) -> PatternAnswer:
        """The smallest statements of all shards that match a pattern, and how many do, as
        :func:`porism.serve.shards.federated_patterns.search_patterns`."""
        return search_patterns(self.group, pattern, k, symmetric=symmetric, filters=filters, on_problem=on_problem)

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

    def occurrences(
        self, key: str, k: int = 10, *, first: int = 0, filters: Filters | None = None
    ) -> Occurrences | None:
        """All places of a formula by its key, page by page, as
        :func:`porism.serve.shards.federated_places.occurrences_of_shards`."""
        return occurrences_of_shards(self.group, key, k, first=first, filters=filters)

    @property
    def model(self) -> RetrieverSettings:
        """The model by which all shards are searched.

        :raises ShardsMissing: no shard answers.
        """
        return self.group.model

    def __len__(self) -> int:
        return len(self.group)

    def answer(self, question: str | Question, options: SearchOptions) -> Answer[Hit]:
        """The best documents of all shards, as :meth:`porism.search.answering.Answerer.answer`. An id that several
        shards have is preceded by the name of its shard.

        Whole documents are fetched to be re-ranked; what rerankers take does not count as time of a shard.

        :raises QueryError: as there; or a judged document is in several shards.
        :raises ConfigError: as there; or the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        judged = judgments(options.relevant, options.not_relevant)
        depth = max(options.counted, options.rerank.depth if options.rerank else 0)

        def work(calls: ShardCalls) -> Answer[Hit]:
            read = self.group.read(question, calls)
            asked = self.group.shard_question(read, options.filters, calls)
            ranking = self.group.rank(asked, depth, calls, judged)
            run, matching = Run({}), count_matching([document.score for document in ranking.ranked])
            stages: Sequence[RankingStage] = ()
            if options.rerank is not None:
                ranking, run, stages = self._reranked(read.query, ranking, calls, options.rerank)
            results, groups = self._grouped(ranking, calls, options)
            chosen = results[options.first : options.first + options.k]
            hits = self._hits(asked, replace(ranking, ranked=[document for document, _ in chosen]), calls, options)
            group_by_id = {document.shown_id: group for document, group in chosen}
            hits = [replace(hit, group=group_by_id[hit.id]) for hit in hits]
            if stages:
                hits = with_stages(hits, read.query, run, stages)
            total = len(results) if options.group else len(ranking.ranked)
            return Answer(
                tuple(hits), read.notes, bool(read.conditions or read.filters), total,
                len(ranking.ranked) < options.counted, tuple(calls.missing), groups, matching,
            )

        return self.group.ask(work)

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

        def work(query: Query, calls: ShardCalls) -> list[tuple[str, float]]:
            asked = self.group.shard_question(Question(query), filters, calls)
            ranking = self.group.rank(asked, k, calls)
            if calls.missing:
                raise ShardsMissing(str(calls.missing[0]), hint="A run needs the answers of all indexes; try again.")
            return [(document.shown_id, document.score) for document in ranking.ranked]

        for query in wanted:
            started = time.perf_counter()
            has_content = any(query.fields.values())
            results[query.id] = self.group.ask(partial(work, query)) if has_content else []
            seconds[query.id] = time.perf_counter() - started
        described = {"kind": "search of shards", "model": self.model.to_dict(), "shards": {
            shard.name: {"documents": collection.documents, "generation": collection.generation}
            for shard, collection in self.group.collections.items()
        }}
        return Run(results, name, provenance=Provenance(described, self.group.tuned_on, seconds=seconds))

    @staticmethod
    def _grouped(
        ranking: ShardRanking, calls: ShardCalls, options: SearchOptions
    ) -> tuple[list[tuple[Ranked, Group | None]], int | None]:
        """The results that are shown, each with its group where they are grouped, and how many groups there are then.

        :raises StaleCommit: a shard has a newer commit.
        """
        if not options.group and not options.group_by:
            return [(document, None) for document in ranking.ranked], None
        wanted: dict[Shard, list[str]] = {}
        for document in ranking.ranked:
            if document.shard in calls.shards:
                wanted.setdefault(document.shard, []).append(document.id)
        answers = calls.some(dict.fromkeys(wanted, lambda shard: shard.ask(
            GroupsRequest(ranking.generations[shard], tuple(wanted[shard]))
        ).groups))
        names = {
            (shard, doc_id): name
            for shard, of_shard in answers.items() for doc_id, name in zip(wanted[shard], of_shard, strict=True)
        }
        known = [document for document in ranking.ranked if (document.shard, document.id) in names]
        groups = [names[document.shard, document.id] for document in known]
        if options.group:
            return [(document, None) for document in members(known, groups, options.group)], None
        best = grouped(known, groups)
        return best, len(best)

    @staticmethod
    def _reranked(
        query: Query, ranking: ShardRanking, calls: ShardCalls, rerank: Reranking
    ) -> tuple[ShardRanking, Run, Sequence[RankingStage]]:
        """The documents in another order, with the run before and the stages; those of lost shards are left out.

        :raises StaleCommit: a shard has a newer commit.
        """
        wanted: dict[Shard, list[Ranked]] = {}
        for document in ranking.ranked:
            if document.shard in calls.shards:
                wanted.setdefault(document.shard, []).append(document)

        def ask(shard: Shard) -> list[Document]:
            ids = tuple(place.id for place in wanted[shard])
            texts = shard.ask(TextsRequest(ranking.generations[shard], ids)).documents
            if tuple(text.id for text in texts) != ids:
                raise QueryError("it gave other documents than it was asked for")
            return [replace(text, id=place.shown_id) for text, place in zip(texts, wanted[shard], strict=True)]

        answers = calls.some(dict.fromkeys(wanted, ask))
        documents = {text.id: text for texts in answers.values() for text in texts}
        known = {document.shown_id: document for document in ranking.ranked if document.shown_id in documents}
        before = Run({query.id: [(shown_id, document.score) for shown_id, document in known.items()]})
        stages = rerank(query, before, documents)
        ranked = (stages[-1].run if stages else before)[query.id]
        return replace(ranking, ranked=[known[shown_id] for shown_id, _ in ranked]), before, stages

    def _hits(
        self, asked: ShardQuestion, ranking: ShardRanking, calls: ShardCalls, options: SearchOptions
    ) -> list[Hit]:
        wanted: dict[Shard, list[str]] = {}
        for document in ranking.ranked:
            if document.shard in calls.shards:
                wanted.setdefault(document.shard, []).append(document.id)
        shown = calls.some(dict.fromkeys(wanted, lambda shard: shard.ask(HitsRequest(
            ranking.generations[shard], asked, ranking.statistics, tuple(wanted[shard]), options.explain,
            ranking.expanded,
        ))))
        by_id = {(shard, hit.id): hit for shard, answer in shown.items() for hit in answer.hits}
        if options.explain and isinstance(ranking, SumRanking):
            by_id |= self._explained(asked, ranking, {shard: tuple(wanted[shard]) for shard in shown}, by_id, calls)
        shown_here = [document for document in ranking.ranked if (document.shard, document.id) in by_id]
        return [
            _shown(by_id[document.shard, document.id], document, rank)
            for rank, document in enumerate(shown_here, options.first + 1)
        ]

    @staticmethod
    def _explained(
        asked: ShardQuestion, ranking: SumRanking, wanted: Mapping[Shard, tuple[str, ...]],
        shown: Mapping[tuple[Shard, str], Hit], calls: ShardCalls,
    ) -> dict[tuple[Shard, str], Hit]:
        """The hits of a sum of models with why they have their scores, as its parts tell it."""

        def ask(shard: Shard) -> dict[str, ShardHits]:
            return {
                name: shard.ask(HitsRequest(
                    ranking.generations[shard], asked, part.ranking.statistics, wanted[shard], True, part=name
                ))
                for name, part in ranking.parts.items()
            }

        told: dict[tuple[Shard, str], dict[str, Explanation]] = {}
        for shard, answers in calls.some(dict.fromkeys(wanted, ask)).items():
            for name, answer in answers.items():
                for hit in answer.hits:
                    if hit.explanation is not None:
                        told.setdefault((shard, hit.id), {})[name] = hit.explanation
        return {
            place: replace(shown[place], explanation=ranking.explain(*place, parts))
            for place, parts in told.items() if place in shown and len(parts) == len(ranking.parts)
        }


def _shown(hit: Hit, ranked: Ranked, rank: int) -> Hit:
    explanation, page = hit.explanation, getattr(ranked.shard, "page", None)
    if explanation is not None and ranked.links:
        parts = [*explanation.parts, Explanation(ranked.links, "links: what linked threads give")]
        explanation = replace(explanation, value=ranked.score, parts=parts)
    return replace(
        hit, rank=rank, id=ranked.shown_id, score=ranked.score, explanation=explanation,
        home=hit.home or ranked.shard.name, page=page(ranked.id) if page is not None else None,
    )
