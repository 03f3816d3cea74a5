"""The kind of models for late interaction, and the one that is known by name."""

from __future__ import annotations

from porism.retrieve.kinds import Artifact, DocumentKind
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.provider import remembered
from porism.vectors.colbert.retriever import KIND, ColbertRetriever


def _artifacts(model: ColbertModel) -> tuple[Artifact, ...]:
    return (Artifact(TOKENS, model.store),)  # without a name: whichever the index has


COLBERT = DocumentKind(
    name=KIND, settings=ColbertModel, models={"colbert": ColbertModel()}, artifacts=_artifacts, vectors=remembered,
    make=ColbertRetriever,
)
"""Search by the tokens of documents, which ``porism encode`` computes for an index."""
