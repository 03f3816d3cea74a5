"""The kind of dense models, and those that are known by name."""

from __future__ import annotations

from porism.retrieve.kinds import Artifact, DocumentKind
from porism.system.files.artifacts import ENCODERS
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.provider import remembered
from porism.vectors.dense.retriever import KIND, DenseRetriever


def _artifacts(model: DenseModel) -> tuple[Artifact, ...]:
    return (Artifact(ENCODERS, model.encoder),)  # without a name: whichever the index has


DENSE = DocumentKind(
    name=KIND, settings=DenseModel, models={"dense": DenseModel()}, artifacts=_artifacts, vectors=remembered,
    make=DenseRetriever,
)
"""Search by vectors of documents, which ``porism encode`` computes for an index."""
