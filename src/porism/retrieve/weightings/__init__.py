"""Weightings beside BM25: which there are, by name, and each as a value that a channel can have.

The computed ones cost what BM25 does; stored ones have their factors computed when a channel is first searched.
"""

from porism.retrieve.weightings.adaptive import BM25T, BM25Adapt, TFldp
from porism.retrieve.weightings.bm25 import BM25L, BM25Atire, BM25Robertson
from porism.retrieve.weightings.impact import Impact
from porism.retrieve.weightings.language import Dirichlet, JelinekMercer
from porism.retrieve.weightings.names import WEIGHTINGS, NamedWeighting, weighting_named
from porism.retrieve.weightings.randomness import DPH, PL2, InL2
from porism.retrieve.weightings.smart import Smart
from porism.retrieve.weightings.tfidf import TfIdf

__all__ = [
    "BM25L", "BM25T", "DPH", "PL2", "WEIGHTINGS", "BM25Adapt", "BM25Atire", "BM25Robertson", "Dirichlet", "Impact",
    "InL2", "JelinekMercer", "NamedWeighting", "Smart", "TFldp", "TfIdf", "weighting_named",
]
