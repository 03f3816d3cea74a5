"""Retrieval models over an index, of all kinds (:data:`RETRIEVERS`), and what opens them."""

from porism.retrieve.base import FormulaRanker, Retriever, RetrieverSettings, Searcher
from porism.retrieve.documents.coverage import Coverage
from porism.retrieve.documents.kinds import Kinds
from porism.retrieve.documents.links import Links
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever, prepare_segments
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.formulas.tangent_cft import TangentCftModel, TangentCftRanker, TangentCftVectors, train_tangent_cft
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.models import read_model
from porism.retrieve.ranking import Results, UnitResults
from porism.retrieve.registry import RETRIEVERS, open_formula_ranker, open_retriever
from porism.retrieve.weightings.base import BM25, BM25Plus, ChannelStatistics, LexicalChannel, Weighting

__all__ = [
    "BM25",
    "DEFAULT_MODEL",
    "RETRIEVERS",
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
    "QueryTerms",
    "Results",
    "Retriever",
    "RetrieverSettings",
    "SearchModel",
    "Searcher",
    "TangentCftModel",
    "TangentCftRanker",
    "TangentCftVectors",
    "UnitResults",
    "Weighting",
    "Zone",
    "open_formula_ranker",
    "open_retriever",
    "prepare_segments",
    "read_model",
    "train_tangent_cft",
]
