"""Retrieval models over an index: lexical weightings of channels, and their sum."""

from porism.retrieve.channels import View
from porism.retrieve.embeddings import EmbeddingModel, EmbeddingRetriever, train_embeddings
from porism.retrieve.hybrid import Filters, HybridRetriever, prepare_segments
from porism.retrieve.lexical import LexicalRetriever, QueryTerms
from porism.retrieve.model import DEFAULT_MODEL, ChannelSettings, Coverage, Feedback, Kinds, Links, SearchModel
from porism.retrieve.ranking import Results, UnitResults
from porism.retrieve.results import FormulaResults
from porism.retrieve.weighting import BM25, BM25Plus, ChannelStatistics, LexicalChannel, Weighting
from porism.retrieve.wordvectors import FastTextSettings

__all__ = [
    "BM25",
    "DEFAULT_MODEL",
    "BM25Plus",
    "ChannelSettings",
    "ChannelStatistics",
    "Coverage",
    "EmbeddingModel",
    "EmbeddingRetriever",
    "FastTextSettings",
    "Feedback",
    "Filters",
    "FormulaResults",
    "HybridRetriever",
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
