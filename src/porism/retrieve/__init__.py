"""Retrieval models over an index: lexical weightings of channels, and their sum."""

from porism.retrieve.documents.model import DEFAULT_MODEL, ChannelSettings, Feedback, Kinds, Links, SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever, Filters, prepare_segments
from porism.retrieve.formulas.results import FormulaResults
from porism.retrieve.formulas.tangent_cft import EmbeddingModel, EmbeddingRetriever, train_embeddings
from porism.retrieve.formulas.word_vectors import FastTextSettings
from porism.retrieve.lexical.channels import View
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.ranking import Results, UnitResults
from porism.retrieve.weightings.base import BM25, BM25Plus, ChannelStatistics, LexicalChannel, Weighting

__all__ = [
    "BM25",
    "DEFAULT_MODEL",
    "BM25Plus",
    "ChannelSettings",
    "ChannelStatistics",
    "DocumentRetriever",
    "EmbeddingModel",
    "EmbeddingRetriever",
    "FastTextSettings",
    "Feedback",
    "Filters",
    "FormulaResults",
    "Kinds",
    "LexicalChannel",
    "LexicalRetriever",
    "Links",
    "QueryTerms",
    "Results",
    "SearchModel",
    "UnitResults",
    "View",
    "Weighting",
    "prepare_segments",
    "train_embeddings",
]
