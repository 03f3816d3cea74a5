"""One way to answer: a question and :class:`SearchOptions` make an :class:`Answer`, whatever is searched.

An index here, several as one, and indexes of servers (:class:`porism.serve.shards.federated.FederatedIndex`) answer
alike. The command line prints answers; pages and the API of a server are made of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from porism.errors import OnProblem
from porism.explanation import Explanation
from porism.index import Filters
from porism.retrieve.documents.more_like_this import MoreLikeThisSettings
from porism.retrieve.ranking import check_depth
from porism.runs.run import Run
from porism.search.answers import Answer, FormulaDocument, FormulaHit, Hit, StageScore
from porism.search.formula_occurrences import Place
from porism.search.formula_queries import make_formula_query, read_formula_question
from porism.search.formulas import FormulaRanking
from porism.search.grouping import Grouping, grouped, members
from porism.search.index import Index
from porism.search.marked_text import Piece, Snippet, show_formula, tidy
from porism.search.questions import Question
from porism.search.reasons import reasons_of
from porism.search.snippets import FormulaStyle
from porism.search.suggestions import filter_hints
from porism.types import Content, Document, Formula, Query

MIN_MATCH_SHARE = 0.5
"""A document matches well if its score is at least this share of the best one's. Others mostly share a word with the
question."""

SEARCH = "search"
"""What the first stage is called."""


class RankingStage(Protocol):
    """The results of one query after a reranker."""

    @property
    def name(self) -> str:
        """What the reranker is called."""

    @property
    def run(self) -> Run:
        """The results."""

    def explain(self, doc_id: str) -> Explanation:
        """Why a document has its score after the reranker."""


class Reranking(Protocol):
    """Rerankers that follow one another, as :class:`porism.lab.pipeline.rerankers.explaining.RerankerChain`."""

    depth: int
    """So many results of the search they need."""

    def __call__(self, query: Query, run: Run, documents: Mapping[str, Document]) -> Sequence[RankingStage]:
        """The results after each of them. ``documents`` has those of the run that are not in an index here, by id."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What an answer has: the best ``k`` hits after the ``first`` ones.

    :param depth: so many results are counted at least.
    :param relevant: documents from which the question learns in place of those found first; so ``not_relevant``.
    :param formulas: how titles and passages show formulas.
    :param group_by: by what documents are grouped; of each group the best one is a hit.
    :param group: only the documents of this group, by its id, are hits.
    :param rerank: puts the first results of a search for documents in another order.
    :param keep: which formulas count, of the ``depth`` best.
    :param documents: so many documents of each formula are shown.
    :param all_places: whether places of a formula are listed that are not in these documents.
    :param is_over: says when no more hits are to be explained.
    """

    k: int = 10
    first: int = 0
    depth: int = 0
    filters: Filters = field(default_factory=dict)
    explain: bool = False
    relevant: Sequence[str] = ()
    not_relevant: Sequence[str] = ()
    formulas: FormulaStyle = "unicode"
    group_by: Grouping = ""
    group: str = ""
    rerank: Reranking | None = None
    keep: Callable[[Formula], bool] | None = None
    documents: int = 5
    all_places: bool = True
    is_over: Callable[[], bool] = lambda: False

    @property
    def counted(self) -> int:
        """So many results are found at least.

        :raises QueryError: ``k`` is below 1.
        """
        check_depth(self.k)
        return max(self.depth, self.first + self.k)


class Answerer(ABC):
    """What answers questions: :class:`IndexAnswers`, or several indexes here and on servers."""

    def search(self, question: str | Question, k: int = 10, **options: Any) -> Answer[Hit]:
        """:meth:`answer`, with :class:`SearchOptions` by name."""
        return self.answer(question, SearchOptions(k, **options))

    def search_formulas(
        self, question: str | Content, k: int = 10, *, on_problem: OnProblem | None = None, **options: Any
    ) -> Answer[FormulaHit]:
        """:meth:`answer_formulas`, with :class:`SearchOptions` by name."""
        return self.answer_formulas(question, SearchOptions(k, **options), on_problem)

    @abstractmethod
    def answer(self, question: str | Question, options: SearchOptions) -> Answer[Hit]:
        """The documents that answer a question as a person types it: formulas without dollars are recognised.

        With ``explain`` each hit has its explanation, and how its formulas match those of the question.

        :raises QueryError: the question is empty, ``k`` is below 1, a filter names a key that no document has, or there
            is no document that is judged.
        :raises ConfigError: documents are judged and the model does not learn from them, or a model cannot score.
        """

    @abstractmethod
    def answer_formulas(
        self, question: str | Content, options: SearchOptions, on_problem: OnProblem | None = None
    ) -> Answer[FormulaHit]:
        """The formulas that answer a question.

        :param on_problem: receives the unparsed parts of the question.
        :raises QueryError: there is no formula in it, ``k`` is below 1, or a filter names an unknown key.
        """


@dataclass(frozen=True, slots=True)
class StagedRanking:
    """What was found for a question: the run of the search, what rerankers made of it, and the results in their last
    order."""

    question: Question
    run: Run
    stages: Sequence[RankingStage]
    results: Sequence[tuple[str, float]]

    @property
    def matching(self) -> list[str]:
        """The documents that match well, by the search and not by rerankers, best first."""
        ranked = list(self.run[self.question.query.id])
        return [doc_id for doc_id, _ in ranked[: count_matching([score for _, score in ranked])]]


def count_matching(scores: Sequence[float]) -> int:
    """How many of some scores, the best first, are those of documents that match well; all where none is above 0."""
    least = MIN_MATCH_SHARE * scores[0] if scores else 0.0
    return sum(score >= least for score in scores) if least > 0 else len(scores)


class IndexAnswers(Answerer):
    """Answers of an index here, or of several as one."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def answer(self, question: str | Question, options: SearchOptions = SearchOptions()) -> Answer[Hit]:
        return self.show(self.rank(question, options), options)

    def rank(self, question: str | Question, options: SearchOptions) -> StagedRanking:
        """What is found, of which :meth:`show` makes an answer."""
        index, reranking = self.index, options.rerank
        read = index.question(question, guess_formulas=True)
        run = index.ranked(
            read, max(options.counted, reranking.depth if reranking else 0), filters=options.filters,
            relevant=options.relevant, not_relevant=options.not_relevant,
        )
        stages = reranking(read.query, run, {}) if reranking else ()
        return StagedRanking(read, run, stages, list((stages[-1].run if stages else run)[read.query.id]))

    def show(self, ranking: StagedRanking, options: SearchOptions) -> Answer[Hit]:
        """The answer with the chosen ones of the results."""
        index, read, first = self.index, ranking.question, options.first
        results, groups = ranking.results, None
        if options.group:
            results = members(results, index.groups([doc_id for doc_id, _ in results]), options.group)
        elif options.group_by:
            groups = grouped(results, index.groups([doc_id for doc_id, _ in results]))
        shown = groups if groups is not None else [(result, None) for result in results]
        page = shown[first : first + options.k]
        hits = [
            replace(hit, rank=rank, group=group) for rank, (hit, (_, group)) in enumerate(
                zip(index.hits([result for result, _ in page], read, options.formulas), page, strict=True), first + 1
            )
        ]
        if options.explain:
            depth = len(ranking.run[read.query.id]) if ranking.stages else options.k
            hits = [hit if options.is_over() else self._explained(hit, read, depth, options) for hit in hits]
        if ranking.stages:
            hits = with_stages(hits, read.query, ranking.run, ranking.stages)
        return Answer(
            tuple(hits), tuple(index.hints(read, options.filters)), bool(read.conditions or read.filters),
            len(results), len(ranking.results) < options.counted, groups=None if groups is None else len(groups),
            matching=None if options.group else len(ranking.matching),
        )

    def _explained(self, hit: Hit, read: Question, depth: int, options: SearchOptions) -> Hit:
        explanation = self.index.explain(
            read, hit.id, k=depth, filters=options.filters, relevant=options.relevant,
            not_relevant=options.not_relevant,
        )
        matches = tuple(self.index.matches(read, hit.id))
        reasons = reasons_of(read.query, self.index.document(hit.id), matches, self.index.analyzer)
        return replace(hit, explanation=explanation, matches=matches, reasons=reasons)

    def answer_similar(
        self, doc_id: str, options: SearchOptions = SearchOptions(), settings: MoreLikeThisSettings | None = None
    ) -> Answer[Hit]:
        """The documents like one of the index, see :meth:`porism.Index.more_like`."""
        index, k, filters = self.index, options.k, options.filters
        hits = index.more_like(doc_id, k, filters=filters, formulas=options.formulas, likeness=settings)
        if options.explain:
            given: dict[str, Any] = {"k": k, "filters": filters, "likeness": settings}
            hits = [replace(hit, explanation=index.explain_likeness(doc_id, hit.id, **given)) for hit in hits]
        return Answer(tuple(hits), tuple(filter_hints(index.snapshot, filters)), total=len(hits))

    def answer_formulas(
        self, question: str | Content, options: SearchOptions = SearchOptions(), on_problem: OnProblem | None = None
    ) -> Answer[FormulaHit]:
        content, notes = read_formula_question(question) if isinstance(question, str) else (question, [])
        answer = self.show_formulas(self.rank_formulas(content, options, on_problem), options)
        return replace(answer, hints=(*notes, *answer.hints))

    def rank_formulas(
        self, question: str | Content, options: SearchOptions, on_problem: OnProblem | None = None
    ) -> FormulaRanking:
        """What is found, of which :meth:`show_formulas` makes an answer."""
        snapshot = self.index.snapshot
        allowed = snapshot.filter(options.filters) if options.filters else None
        return self.index.formulas.rank(make_formula_query(question, on_problem), options.counted, allowed=allowed)

    def show_formulas(self, ranking: FormulaRanking, options: SearchOptions) -> Answer[FormulaHit]:
        """The answer with the chosen ones of the formulas that were found."""
        index, is_exact = self.index, len(ranking) < options.counted
        if options.keep is not None:
            ranking = index.formulas.kept(ranking, options.keep)
        hits = [
            replace(hit, shown=formula_documents(index, hit.places, options.documents))
            for hit in index.formulas.hits(
                ranking, slice(options.first, options.first + options.k), explain=options.explain,
                documents=None if options.all_places else options.documents,
            )
        ]
        hints = (*index.formulas.notes(), *filter_hints(index.snapshot, options.filters))
        return Answer(tuple(hits), hints, total=len(ranking), total_is_exact=is_exact)


def with_stages(hits: Iterable[Hit], query: Query, run: Run, stages: Sequence[RankingStage]) -> list[Hit]:
    """Hits with what each stage gave them; those with an explanation of the search also have that of each stage."""
    names = (SEARCH, *(stage.name for stage in stages))
    scores = [dict(stage_run[query.id]) for stage_run in (run, *(stage.run for stage in stages))]
    ranks = [{doc_id: rank for rank, doc_id in enumerate(of_stage, 1)} for of_stage in scores]

    def staged(hit: Hit) -> Hit:
        explain = hit.explanation is not None
        reasons = (hit.explanation, *(stage.explain(hit.id) if explain else None for stage in stages))
        stage_scores = tuple(
            StageScore(name, places[hit.id], own[hit.id], reason)
            for name, places, own, reason in zip(names, ranks, scores, reasons, strict=True)
        )
        return replace(hit, score=stage_scores[-1].score, stages=stage_scores, explanation=stage_scores[-1].explanation)

    return [staged(hit) for hit in hits]


def formula_documents(index: Index, places: Iterable[Place], most: int) -> tuple[FormulaDocument, ...]:
    """The first documents of some places of a formula."""
    first_in: dict[str, Place] = {}
    for place in places:
        first_in.setdefault(place.doc_id, place)

    def shown(place: Place) -> FormulaDocument:
        document = index.document(place.doc_id)
        title = Snippet(tidy(
            Piece(part) if isinstance(part, str) else Piece(show_formula(part, "unicode"), formula=True, written=part)
            for part in document.title.with_terms_as_text().parts
        ))
        return FormulaDocument(place.doc_id, title, index.location_in(document, place.field, place.number))

    return tuple(map(shown, islice(first_in.values(), most)))
