"""Feedback in several shards: documents give their terms to a question, wherever they are.

The question is expanded here, by the statistics of all shards, from the terms of the documents that it finds first or
that its user judged. What it learns is what it would learn from one index of all documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.feedback.base import FeedbackMethod, document_prior
from porism.retrieve.feedback.documents import DocumentTerms
from porism.retrieve.feedback.learning import ChannelExamples, Judged, learn, learner_of, term_factors
from porism.retrieve.feedback.term_numbers import GivenTerms
from porism.retrieve.weightings.base import computed
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.merging import best, choose
from porism.serve.shards.requests import (
    CandidatesRequest,
    DocumentTermsRequest,
    ExpandedTerms,
    FrequenciesRequest,
    Shard,
)
from porism.serve.shards.values import ShardQuestion, ShardTerms, TermsOfDocument, WholeStatistics


class ExpandedQuestion(NamedTuple):
    """The terms of a question that has learnt some, and the statistics with those of these terms."""

    expanded: ExpandedTerms | None
    statistics: WholeStatistics


class _Documents(NamedTuple):
    """The documents that a question learns from, its own terms, and how likely the relevant ones are relevant."""

    relevant: Sequence[TermsOfDocument]
    other: Sequence[TermsOfDocument]
    question: ExpandedTerms
    prior: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FeedbackRound:
    """A question that learns from documents of the shards that have counted for it."""

    calls: ShardCalls
    question: ShardQuestion
    statistics: WholeStatistics
    generations: Mapping[Shard, int]
    model: RetrieverSettings

    def learn(self, judged: Judged | None) -> ExpandedQuestion:
        """What the question learns from judged documents, or else from those found first.

        Where a shard is lost meanwhile it learns nothing: it has to begin again without that shard.

        :raises QueryError: no shard, or more than one, has a judged document.
        :raises ConfigError: the method cannot learn from documents that are not relevant.
        """
        nothing = ExpandedQuestion(None, self.statistics)
        if not isinstance(self.model, SearchModel):
            return nothing
        learner = learner_of(self.model.feedback, judged)
        if not judged and not learner.active:
            return nothing
        before = len(self.calls.missing)
        documents = self._judged(judged) if judged else self._first(learner)
        if documents is None:
            return nothing
        only = self.model.feedback.channels
        terms = {
            name: list(dict.fromkeys(chain.from_iterable(
                document.channels[name].terms for document in (*documents.relevant, *documents.other)
                if name in document.channels
            )))
            for name in documents.question if self._has(name) and (not only or name in only)
        }
        counted = self._counted(terms)
        if len(self.calls.missing) > before:
            return nothing
        channels = {name: self._examples(name, documents, answer) for name, answer in counted.items()}
        expanded = learn(
            documents.question, self.model.feedback, learner, documents.prior, len(documents.other), channels.get
        )
        return ExpandedQuestion(expanded, self._with_counts(expanded, counted))

    def _with_counts(self, expanded: ExpandedTerms, counted: Mapping[str, GivenTerms]) -> WholeStatistics:
        """The statistics of the question, with those of the terms that it has learnt."""
        df = {name: dict(own) for name, own in self.statistics.query.df.items()}
        for name, terms in counted.items():
            own = df.setdefault(name, {})
            new = [term for term in expanded[name] if term not in own]
            own.update(zip(new, terms.df(terms.find(new)).tolist(), strict=True))
        return replace(self.statistics, query=replace(self.statistics.query, df=df))

    def _has(self, channel: str) -> bool:
        """Whether documents have a channel of the model."""
        assert isinstance(self.model, SearchModel)
        return channel in self.model.channels and any(
            (zone, name) == ("", channel) for zone, name, _, _ in self.statistics.channels
        )

    def _first(self, learner: FeedbackMethod) -> _Documents | None:
        """The documents that are found first; None where there are none, or where a shard is lost."""
        assert isinstance(self.model, SearchModel)
        most = self.model.feedback.documents
        depth = learner.search_depth(most)
        candidates = self.calls.all(lambda shard: shard.ask(CandidatesRequest(
            self.generations[shard], self.question, self.statistics, depth, by_terms=True
        )))
        ranked = best(choose(candidates, depth), depth, {})
        first, last = ranked[:most], ranked[learner.first_other(most, len(ranked)) :]
        wanted: dict[Shard, list[str]] = {}
        for document in (*first, *last):
            wanted.setdefault(document.shard, []).append(document.id)
        answers = self._terms({shard: tuple(ids) for shard, ids in wanted.items()}, all_there=True)
        if len(answers) < len(wanted) or not wanted:
            return None
        known = {(shard, document.id): document for shard, answer in answers.items() for document in answer.documents}
        return _Documents(
            [known[document.shard, document.id] for document in first],
            [known[document.shard, document.id] for document in last], _question(answers),
            document_prior(np.array([document.score for document in first]), learner.document_prior),
        )

    def _judged(self, judged: Judged) -> _Documents | None:
        """The documents that were judged, by their ids, or by these behind the name of their shard.

        :raises QueryError: no shard has one of them, or several have it.
        """
        ids = (*judged.relevant, *judged.not_relevant)
        wanted = {
            shard: tuple(dict.fromkeys((*ids, *(
                doc_id.removeprefix(f"{shard.name}:") for doc_id in ids if doc_id.startswith(f"{shard.name}:")
            ))))
            for shard in self.calls.shards
        }
        answers = self._terms(wanted)
        if len(answers) < len(wanted) or not wanted:
            return None
        known: dict[str, dict[Shard, TermsOfDocument]] = {}
        for shard, answer in answers.items():
            for document in answer.documents:
                known.setdefault(document.id, {})[shard] = document
                known.setdefault(f"{shard.name}:{document.id}", {})[shard] = document
        documents = [self._only(doc_id, known.get(doc_id, {})) for doc_id in ids]
        relevant, other = documents[: len(judged.relevant)], documents[len(judged.relevant) :]
        return _Documents(relevant, other, _question(answers), document_prior(np.ones(len(relevant)), "equal"))

    def _only(self, doc_id: str, holders: Mapping[Shard, TermsOfDocument]) -> TermsOfDocument:
        """The one document of an id.

        :raises QueryError: there is none, or more than one.
        """
        if len(holders) > 1:
            named = " or ".join(f"{shard.name}:{doc_id}" for shard in holders)
            raise QueryError(f"several indexes have a document {doc_id!r}", hint=f"Say which is meant: {named}.")
        if not holders:
            missing = "".join(f" ({missing_index})" for missing_index in self.calls.missing)
            raise QueryError(f"no index has a document {doc_id!r}{missing}")
        [document] = holders.values()
        return document

    def _terms(self, wanted: Mapping[Shard, tuple[str, ...]], *, all_there: bool = False) -> dict[Shard, ShardTerms]:
        """What shards say of documents; one that lacks some is lost where ``all_there`` says that it has them."""

        def ask(shard: Shard) -> ShardTerms:
            answer = shard.ask(
                DocumentTermsRequest(self.generations[shard], self.question, self.statistics, wanted[shard])
            )
            if all_there and not {document.id for document in answer.documents}.issuperset(wanted[shard]):
                raise QueryError("it lacks a document that it has found")
            return answer

        return self.calls.some(dict.fromkeys(wanted, ask))

    def _counted(self, terms: Mapping[str, Sequence[str]]) -> dict[str, GivenTerms]:
        """Terms with the number of documents of all shards that have them, by channel."""
        wanted = tuple((name, term) for name, own in terms.items() for term in own)

        def ask(shard: Shard) -> NDArray[np.int64]:
            answer = shard.ask(FrequenciesRequest(self.generations[shard], wanted))
            if len(answer.df) != len(wanted):
                raise QueryError("it has counted other terms than it was asked about")
            return np.array(answer.df, np.int64)

        df = sum(self.calls.all(ask).values(), np.zeros(len(wanted), np.int64)) if wanted else np.zeros(0, np.int64)
        ends = np.cumsum([len(own) for own in terms.values()])
        return {
            name: GivenTerms(own, df[end - len(own) : end].tolist())
            for (name, own), end in zip(terms.items(), ends.tolist(), strict=True)
        }

    def _examples(self, name: str, documents: _Documents, terms: GivenTerms) -> ChannelExamples:
        """What the documents have of a channel."""
        assert isinstance(self.model, SearchModel)
        weighting = computed(self.model.channels[name].lexical.weighting)
        statistics = self.statistics.of_collection.of(name)

        def terms_of(given: Sequence[TermsOfDocument]) -> DocumentTerms:
            having = [place for place, document in enumerate(given) if name in document.channels]
            columns = [given[place].channels[name] for place in having]
            sizes = [len(column.terms) for column in columns]
            places = np.repeat(np.arange(len(columns)), sizes)
            lengths = np.array([column.length for column in columns], np.float64)
            frequencies = np.array([number for column in columns for number in column.frequencies], np.float64)
            return DocumentTerms(
                np.array(having, np.int64)[places],
                terms.find(list(chain.from_iterable(column.terms for column in columns))), frequencies, lengths[places],
                term_factors(weighting, statistics, frequencies, lengths, places),
            )

        return ChannelExamples(terms_of(documents.relevant), terms_of(documents.other), terms, weighting, statistics)


def _question(answers: Mapping[Shard, ShardTerms]) -> ExpandedTerms:
    """The terms of the question, by channel; a shard may lack some channels."""
    return {name: terms for answer in answers.values() for name, terms in answer.question.items()}
