"""The kind of models for late interaction, and the one that is known by name."""

from __future__ import annotations

from porism.retrieve.colbert.model import ColbertModel
from porism.retrieve.colbert.provider import remembered
from porism.retrieve.colbert.retriever import KIND, ColbertRetriever
from porism.retrieve.kinds import DocumentKind

COLBERT = DocumentKind(
    name=KIND, settings=ColbertModel, models={"colbert": ColbertModel()}, vectors=remembered, make=ColbertRetriever,
)
"""Search by the tokens of documents, which ``porism encode`` computes for an index."""
