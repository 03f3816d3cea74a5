"""A shard: an index that answers in steps, so that several can be searched as one.

1. What it has (:class:`~porism.serve.shards.requests.CollectionRequest`), which changes with its commits only.
2. How often the terms of a question occur in it (``StatisticsRequest``).
3. What it finds, scored by the statistics of the whole collection (``CandidatesRequest``).
4. Links of threads (``LinksRequest``), where there are any.
5. What is shown of documents (``HitsRequest``).

Before the last step documents can be re-ranked by what they say (``TextsRequest``).

Before the third step a question can learn from documents: what terms these have (``DocumentTermsRequest``), and how
often such terms occur in the shard (``FrequenciesRequest``).

How documents are found depends on the model: by terms (:mod:`~porism.serve.shards.term_shard`) or by vectors.
The parts of a sum of models each answer by themselves, and score what the
others have found (``ScoresRequest``). Formulas have steps of their own
(:mod:`~porism.serve.shards.formula_shard`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from porism.analysis.question_languages import reading_in
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Filters
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.weightings.base import StoredWeighting
from porism.search.index import Index
from porism.search.models.sums.kind import resolve_part
from porism.search.models.sums.retriever import SumModel
from porism.search.occurrences import occurrences_of
from porism.search.questions import Question
from porism.serve.shards.formula_shard import FormulaShard
from porism.serve.shards.requests import (
    A,
    CandidatesRequest,
    CollectionRequest,
    CommitRequest,
    GroupsRequest,
    HitsRequest,
    LinksRequest,
    PartRequest,
    PatternsRequest,
    PlacesRequest,
    Request,
    ScoresRequest,
    StaleCommit,
    StatisticsRequest,
    TextsRequest,
)
from porism.serve.shards.term_shard import TermShard
from porism.serve.shards.values import (
    ShardCandidates,
    ShardCollection,
    ShardGroups,
    ShardHits,
    ShardLinks,
    ShardPatterns,
    ShardPlaces,
    ShardQuestion,
    ShardScores,
    ShardStatistics,
    ShardTexts,
)
from porism.system.concurrency.caching import cached_property
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.retriever import DenseRetriever


def check_model(model: RetrieverSettings) -> SearchModel | DenseModel | ColbertModel | SumModel:
    """Checks that a model can be searched in shards: a sum over terms whose statistics add up, vectors of documents or
    of their tokens, or a sum of such models.

    :raises ConfigError: it cannot; with what keeps it from that.
    """
    if isinstance(model, DenseModel | ColbertModel):
        return model
    if isinstance(model, SumModel):
        for name, part in parts_of(model).items():
            if isinstance(check_model(part), SumModel):
                raise _refused(f"its part {name} is a sum, too")
            if isinstance(part, SearchModel) and part.feedback.active:
                raise _refused(f"its part {name} learns from the documents found first")
        return model
    if not isinstance(model, SearchModel):
        raise _refused("it is not a sum over terms")
    stored = [
        name for name, channel in model.channels.items() if isinstance(channel.lexical.weighting, StoredWeighting)
    ]
    similar = [name for name, channel in model.channels.items() if channel.similarity]
    reason = (
        "it aligns formulas" if model.matches.weight > 0
        else f"the channel {stored[0]} stores its factors" if stored
        else f"the channel {similar[0]} matches similar terms" if similar
        else "it has components of its own" if model.components else ""
    )
    if reason:
        raise _refused(reason)
    return model


def parts_of(model: SumModel) -> dict[str, RetrieverSettings]:
    """The models that a sum adds up, by name."""
    return {name: resolve_part(name, part)[1] for name, part in model.parts.items() if part.weight > 0}


def _refused(reason: str) -> ConfigError:
    return ConfigError(
        f"indexes on servers cannot be searched together by this model: {reason}",
        hint="Use default, plain, words, tokens, paths, subtrees, dense, colbert, splade or neural, or copy the "
        "indexes here.",
    )


class DocumentShard:
    """What all models share: what the shard has, and what is shown of documents, whose passages are chosen by the
    statistics of this index; safe to share between threads."""

    def __init__(self, index: Index, model: RetrieverSettings) -> None:
        self.index, self.generation, self.model = index, index.snapshot.generation, model

    @cached_property
    def _collection(self) -> ShardCollection:
        return ShardCollection.of(self.index.snapshot, self.model)

    def collection(self, request: CollectionRequest) -> ShardCollection:
        return self._collection

    def hits(self, request: HitsRequest) -> ShardHits:
        question = request.question.read()
        shown = self.index.hits([(doc_id, 0.0) for doc_id in request.ids], question)
        if not request.explain:
            return ShardHits.of(self.index, shown)
        return ShardHits.of(
            self.index, shown, None if request.part else question, lambda doc_id: self.explain(question, doc_id)
        )

    def explain(self, question: Question, doc_id: str) -> Explanation | None:
        """Why a document has its score; None of a sum of models, whose parts explain it."""
        return None


class VectorShard(DocumentShard):
    """The documents of an index here whose model compares vectors, each with nothing but the question; safe to share
    between threads."""

    def __init__(self, index: Index, model: DenseModel | ColbertModel) -> None:
        """
        :raises ConfigError: the index is searched by no vectors.
        """
        if not isinstance(index.retriever, DenseRetriever | ColbertRetriever):
            raise ConfigError("the index is searched by no vectors", where=str(index.snapshot.path))
        super().__init__(index, model)
        self._retriever = index.retriever

    @cached_property
    def _collection(self) -> ShardCollection:
        described = self._retriever.describe()["model"]
        codec = {"codec": described["codec"]} if "codec" in described else {}
        return ShardCollection.of(self.index.snapshot, self.model, encoder=described["encoded_by"] | codec)

    def statistics(self, request: StatisticsRequest) -> ShardStatistics:
        """Nothing: scores depend on no statistics."""
        return ShardStatistics({}, (), self.generation)

    def candidates(self, request: CandidatesRequest) -> ShardCandidates:
        """The ``depth`` documents whose vectors are nearest; of tokens those that are compared, by what their centroids
        score, for these decide which are among those of all shards.
        """
        read = request.question.read()
        if not set(read.filters) <= set(self._collection.metadata):
            return ShardCandidates(self.generation)
        query = read.query
        if isinstance(self._retriever, ColbertRetriever) and not self._retriever.model.exhaustive:
            ids, near, scores = self._retriever.candidates(query, allowed=self.index.allowed(read))
            return ShardCandidates(self.generation, tuple(ids), tuple(near.tolist()), tuple(scores.tolist()), len(ids))
        results = self._retriever.search([query], request.depth, allowed=self.index.allowed(read))[query.id]
        own = tuple(score for _, score in results)
        return ShardCandidates(self.generation, tuple(doc_id for doc_id, _ in results), own, own, len(own))

    def scores(self, request: ScoresRequest) -> ShardScores:
        scores = self._retriever.score_documents(request.question.read().query, request.ids)
        if np.isnan(scores).any():
            raise QueryError("the index lacks a document that is to be scored", where="ids")
        return ShardScores(self.generation, tuple(scores.tolist()))

    def links(self, request: LinksRequest) -> ShardLinks:
        """None: they add nothing to scores."""
        return ShardLinks(self.generation, (), ())

    def explain(self, question: Question, doc_id: str) -> Explanation | None:
        return self._retriever.explain(question.query, doc_id)


class IndexShard:
    """An index here, or several as one, as a shard; safe to share between threads."""

    def __init__(self, name: str, index: Index) -> None:
        """
        :raises ConfigError: the model of the index cannot be searched in shards.
        """
        self.name, self.index = name, index
        model = check_model(index.retriever.model)
        parts = parts_of(model) if isinstance(model, SumModel) else {}
        self._documents = {"": _answering(index, model)} | {
            name: _answering(index.with_models(part), part) for name, part in parts.items()
        }

    @property
    def generation(self) -> int:
        """The commit of the index that is open."""
        return self.index.snapshot.generation

    @cached_property
    def formulas(self) -> FormulaShard:
        """What answers requests about formulas.

        :raises ConfigError: the formulas of the index cannot be searched in shards.
        """
        return FormulaShard(self.index)

    def texts(self, request: TextsRequest) -> ShardTexts:
        return ShardTexts(self.generation, tuple(self.index.documents.get(request.ids)))

    def groups(self, request: GroupsRequest) -> ShardGroups:
        return ShardGroups(self.generation, tuple(self.index.groups(request.ids)))

    def places(self, request: PlacesRequest) -> ShardPlaces:
        """None where no document has the metadata of a filter."""
        occurrences = occurrences_of(
            self.index, request.key, request.k, first=request.first, filters=request.filters
        ) if self._has_keys(request.filters) else None
        if occurrences is None:
            return ShardPlaces(self.generation)
        shown = (
            replace(document, location=replace(document.location, path=None)) for document in occurrences.shown
        )
        return ShardPlaces(
            self.generation, occurrences.documents, occurrences.places, occurrences.formula, tuple(shown)
        )

    def _has_keys(self, filters: Filters) -> bool:
        """Whether some document has each key of the metadata that filters name."""
        return set(filters) <= set(self._documents[""].collection(CollectionRequest()).metadata)

    def patterns(self, request: PatternsRequest) -> ShardPatterns:
        """None where no document has the metadata of a filter."""
        if not self._has_keys(request.filters):
            return ShardPatterns(self.generation, (), 0, 0)
        return ShardPatterns.of(self.index, self.index.patterns.search(
            request.pattern, request.k, symmetric=request.symmetric, filters=request.filters or None
        ))

    def ask(self, request: Request[A]) -> A:
        """The answer to a request, by the method that has the name of its step.

        :raises StaleCommit: the request is about another commit.
        :raises ConfigError: the model of the index does not answer it.
        :raises QueryError: the model has no such part.
        """
        if isinstance(request, CommitRequest) and request.generation != self.generation:
            raise StaleCommit(
                f"the index is at commit {self.generation}, not {request.generation}", hint="Begin again."
            )
        part = request.part if isinstance(request, PartRequest) else ""
        if part not in self._documents:
            raise QueryError(f"the model of the index has no part {part!r}", where="part")
        answerers: tuple[Any, ...] = (self.formulas,) if request.of_formulas else (self._documents[part], self)
        answer = next((getattr(own, request.step) for own in answerers if hasattr(own, request.step)), None)
        if answer is None:
            raise ConfigError(f"the model of the index does not answer the step {request.step}")
        question = getattr(request, "question", None)
        with reading_in(question.languages if isinstance(question, ShardQuestion) else {}):
            answered: A = answer(request)
        return answered


def _answering(index: Index, model: RetrieverSettings) -> TermShard | DocumentShard:
    """What answers requests about documents by a model that was checked."""
    if isinstance(model, DenseModel | ColbertModel):
        return VectorShard(index, model)
    if isinstance(model, SumModel):
        return DocumentShard(index, model)
    assert isinstance(model, SearchModel), "other models are refused"
    return TermShard(index, model)
