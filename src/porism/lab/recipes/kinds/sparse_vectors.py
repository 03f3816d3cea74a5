"""``[sparse_vectors.NAME]``: weighted terms of the collection's documents by a sparse encoder, for the channel
``splade:NAME``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.lab.recipes.execution import OnCount
from porism.lab.recipes.kinds.encoded_documents import EncodedKind, EncodeDocuments, EncodedTable
from porism.lab.recipes.kinds.vector_needs import SPARSE_VECTORS
from porism.system.files.artifacts import SPARSE
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_encoder import is_masked_model, is_sparse_model
from porism.vectors.splade.encoding import encode_terms
from porism.vectors.splade.provider import DocumentTerms
from porism.vectors.splade.stores import SPARSE_STORES


@dataclass(frozen=True, slots=True)
class SparseVectorTable(EncodedTable):
    """Weighted terms of documents."""


class EncodeTerms(EncodeDocuments):
    """Weighs the terms."""

    name = "sparse-vectors"
    verb = "encode terms"
    artifacts = SPARSE

    def encode(
        self, index: Path, model: Path, name: str, table: SparseVectorTable, settings: EncoderSettings,
        on_count: OnCount,
    ) -> bool:
        """Weighs the terms of each document."""
        return encode_terms(
            index, model, name=name, settings=settings, precision=table.precision, device=table.device,
            on_progress=on_count,
        ).interrupted

    def provider(self, index: Path, name: str) -> DocumentTerms:
        """What computes their terms."""
        return DocumentTerms(index, SPARSE_STORES.find(index, name))

    def is_other(
        self, index: Path, name: str, table: SparseVectorTable, files: EncoderFiles, settings: EncoderSettings
    ) -> bool:
        """Whether they are of another model, or read otherwise."""
        there = SPARSE_STORES.find(index, name)
        return (there.digest, there.settings) != (files.digest, settings)

    def about(self, index: Path, name: str) -> dict[str, Any]:
        """How many terms the model knows, and whether queries need it."""
        store = SPARSE_STORES.find(index, name)
        return {"vocabulary": len(store.dictionary), "inference_free": store.table is not None}


class SparseVectorKind(EncodedKind[SparseVectorTable]):
    """Weighted terms."""

    table = SPARSE_VECTORS
    settings = SparseVectorTable
    stage = EncodeTerms()
    stages = (stage,)
    artifact = stage.artifacts
    gives = "splade"
    hint = "Name a sparse encoder, or train one: [encoders.NAME] with kind = \"splade\"."

    def is_right(self, folder: Path) -> bool:
        """Whether it weighs terms."""
        return is_sparse_model(folder) or is_masked_model(folder)


SPARSE_VECTOR_KIND = SparseVectorKind()
