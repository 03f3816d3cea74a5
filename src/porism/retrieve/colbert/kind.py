"""The kind of models for late interaction, and the one that is known by name."""

from __future__ import annotations

from porism.files.artifacts import TOKENS
from porism.retrieve.colbert.model import ColbertModel
from porism.retrieve.colbert.provider import remembered
from porism.retrieve.colbert.retriever import KIND, ColbertRetriever
from porism.retrieve.kinds import Artifact, DocumentKind


def _artifacts(model: ColbertModel) -> tuple[Artifact, ...]:
    return (Artifact(TOKENS, model.store),)  # without a name: whichever the index has


COLBERT = DocumentKind(
    name=KIND, settings=ColbertModel, models={"colbert": ColbertModel()}, artifacts=_artifacts, vectors=remembered,
    make=ColbertRetriever,
)
"""Search by the tokens of documents, which ``porism encode`` computes for an index."""
