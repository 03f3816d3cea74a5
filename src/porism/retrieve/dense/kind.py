"""The kind of dense models, and those that are known by name."""

from __future__ import annotations

from porism.retrieve.dense.model import DenseModel
from porism.retrieve.dense.provider import remembered
from porism.retrieve.dense.retriever import KIND, DenseRetriever
from porism.retrieve.kinds import DocumentKind

DENSE = DocumentKind(
    name=KIND, settings=DenseModel, models={"dense": DenseModel()}, vectors=remembered, make=DenseRetriever,
)
"""Search by vectors of documents, which ``porism encode`` computes for an index."""
