"""A shard: an index that answers in steps, so that several can be searched as one.

1. What it has (:class:`~porism.search.shards.requests.CollectionRequest`), which changes with its commits only.
2. How often the terms of a question occur in it (``StatisticsRequest``).
3. What it finds, scored by the statistics of the whole collection (``CandidatesRequest``).
4. Links of threads (``LinksRequest``), where there are any.
5. What is shown of documents (``HitsRequest``).

Before the third step a question can learn from documents: what terms these have (``DocumentTermsRequest``), and how
often such terms occur in the shard (``FrequenciesRequest``).

How documents are found depends on the model: by terms (:mod:`~porism.search.shards.term_shard`) or by vectors
(:mod:`~porism.search.shards.vector_shard`). Formulas have steps of their own
(:mod:`~porism.search.shards.formula_shard`).
"""

from __future__ import annotations

from typing import Any

from porism.concurrency.caching import cached_property
from porism.errors import ConfigError
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.dense.model import DenseModel
from porism.retrieve.weightings.base import is_stored
from porism.search.index import Index
from porism.search.shards.formula_requests import (
    FormulaCollectionRequest,
    FormulaDigestsRequest,
    FormulaHitsRequest,
    FormulaOccurrencesRequest,
    FormulasRequest,
    FormulaStatisticsRequest,
)
from porism.search.shards.formula_shard import FormulaShard
from porism.search.shards.requests import (
    A,
    CandidatesRequest,
    CollectionRequest,
    CommitRequest,
    DocumentTermsRequest,
    FrequenciesRequest,
    HitsRequest,
    LinksRequest,
    Moved,
    Request,
    StatisticsRequest,
)
from porism.search.shards.term_shard import TermShard
from porism.search.shards.vector_shard import VectorShard

REQUESTS: tuple[type[Request[Any]], ...] = (
    CollectionRequest, StatisticsRequest, DocumentTermsRequest, FrequenciesRequest, CandidatesRequest, LinksRequest,
    HitsRequest, FormulaDigestsRequest, FormulaCollectionRequest, FormulaStatisticsRequest, FormulasRequest,
    FormulaOccurrencesRequest, FormulaHitsRequest,
)
"""All that a shard answers."""


def check_model(model: RetrieverSettings) -> SearchModel | DenseModel:
    """Checks that a model can be searched in shards: a sum over terms whose statistics add up, or vectors of
    documents.

    :raises ConfigError: it cannot; with what keeps it from that.
    """
    if isinstance(model, DenseModel):
        return model
    reason = "it is no sum over terms"
    if isinstance(model, SearchModel):
        stored = [name for name, one in model.channels.items() if is_stored(one.lexical.weighting)]
        similar = [name for name, one in model.channels.items() if one.similarity]
        encoded = [name for name in model.channels if name.partition(":")[0] == "splade"]
        reason = (
            "it aligns formulas" if model.matches.weight > 0
            else f"the channel {stored[0]} stores its factors" if stored
            else f"the channel {similar[0]} matches similar terms" if similar
            else f"the channel {encoded[0]} is that of an encoder" if encoded
            else "it has components of its own" if model.components else ""
        )
        if not reason:
            return model
    raise ConfigError(
        f"indexes on servers cannot be searched together by this model: {reason}",
        hint="Use default, plain, words, tokens, paths, subtrees or dense, or copy the indexes here.",
    )


class IndexShard:
    """An index here, or several as one, as a shard; safe to share between threads."""

    def __init__(self, name: str, index: Index) -> None:
        """
        :raises ConfigError: the model of the index cannot be searched in shards.
        """
        self.name, self.index = name, index
        model = check_model(index.retriever.model)
        self.documents: TermShard | VectorShard = (
            VectorShard(index, model) if isinstance(model, DenseModel) else TermShard(index, model)
        )
        """What answers requests about documents."""

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

    def ask(self, request: Request[A]) -> A:
        """The answer to a request, by the method that has the name of its step.

        :raises Moved: the request is about another commit.
        :raises ConfigError: the model of the index does not answer it.
        """
        if isinstance(request, CommitRequest) and request.generation != self.generation:
            raise Moved(f"the index is at commit {self.generation}, not {request.generation}", hint="Begin again.")
        answerer: Any = self.formulas if request.of_formulas else self.documents
        answer = getattr(answerer, request.step, None)
        if answer is None:
            raise ConfigError("the model of the index does not learn from documents")
        found: A = answer(request)
        return found
