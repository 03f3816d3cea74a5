"""Retrieval models of terms and structure; :mod:`porism.search.models` opens models of all kinds."""

from porism.retrieve.base import FormulaRanker, Retriever, RetrieverSettings, Searcher
from porism.retrieve.documents.coverage import Coverage
from porism.retrieve.documents.kinds import Kinds
from porism.retrieve.documents.links import Links
from porism.retrieve.documents.meaning import Meaning
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever, prepare_segments
from porism.retrieve.documents.usage import Usage
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.ranking import Results, UnitResults
from porism.retrieve.weightings.base import BM25, BM25Plus, ChannelStatistics, LexicalChannel, Weighting

__all__ = [
    "BM25",
    "DEFAULT_MODEL",
    "BM25Plus",
    "ChannelSettings",
    "ChannelStatistics",
    "Coverage",
    "DocumentRetriever",
    "Feedback",
    "FormulaRanker",
    "Kinds",
    "LexicalChannel",
    "LexicalRetriever",
    "Links",
    "Meaning",
    "QueryTerms",
    "Results",
    "Retriever",
    "RetrieverSettings",
    "SearchModel",
    "Searcher",
    "UnitResults",
    "Usage",
    "Weighting",
    "Zone",
    "prepare_segments",
]
