"""Retrieval models over an index: lexical weightings of channels, and their sum."""

from porism.retrieve.hybrid import Filters, HybridRetriever, prepare_segments
from porism.retrieve.lexical import LexicalRetriever, QueryTerms, Results
from porism.retrieve.model import DEFAULT_MODEL, ChannelSettings, SearchModel
from porism.retrieve.weighting import BM25, BM25Plus, ChannelStatistics, LexicalChannel, Weighting

__all__ = [
    "BM25",
    "DEFAULT_MODEL",
    "BM25Plus",
    "ChannelSettings",
    "ChannelStatistics",
    "Filters",
    "HybridRetriever",
    "LexicalChannel",
    "LexicalRetriever",
    "QueryTerms",
    "Results",
    "SearchModel",
    "Weighting",
    "prepare_segments",
]
