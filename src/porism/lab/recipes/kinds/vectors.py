"""``[vectors.NAME]``: vectors of the collection's documents by an encoder, for dense retrieval."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.index.vector_rows import NumberType
from porism.lab.recipes.execution import OnCount
from porism.lab.recipes.kinds.encoded_documents import EncodedKind, EncodeDocuments, EncodedTable
from porism.lab.recipes.kinds.vector_needs import VECTORS
from porism.system.files.artifacts import ENCODERS
from porism.vectors.dense.encoding import encode_index
from porism.vectors.dense.provider import DenseVectors
from porism.vectors.dense.records import DENSE_RECORDS
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_encoder import is_sparse_model
from porism.vectors.neural.token_model import is_token_model


@dataclass(frozen=True, slots=True)
class VectorTable(EncodedTable):
    """Vectors of documents, stored as ``numbers``."""

    numbers: NumberType = "float32"


class EncodeTexts(EncodeDocuments):
    """Computes the vectors."""

    name = "vectors"
    artifacts = ENCODERS

    def encode(
        self, index: Path, model: Path, name: str, table: VectorTable, settings: EncoderSettings, on_count: OnCount
    ) -> bool:
        """Computes a vector of each document, or several."""
        return encode_index(
            index, model, name=name, settings=settings, numbers=table.numbers, precision=table.precision,
            device=table.device, on_progress=on_count,
        ).interrupted

    def provider(self, index: Path, name: str) -> DenseVectors:
        """What computes their vectors."""
        return DenseVectors(index, DENSE_RECORDS.find(index, name))

    def is_other(
        self, index: Path, name: str, table: VectorTable, files: EncoderFiles, settings: EncoderSettings
    ) -> bool:
        """Whether they are of another model, or read or stored otherwise."""
        there = DENSE_RECORDS.find(index, name)
        return (there.digest, there.settings, there.numbers) != (files.digest, settings, table.numbers)

    def about(self, index: Path, name: str) -> dict[str, Any]:
        """Their dimensions and numbers."""
        record = DENSE_RECORDS.find(index, name)
        return {"dimensions": record.dimensions, "numbers": record.numbers}


class VectorKind(EncodedKind[VectorTable]):
    """Vectors of documents."""

    table = VECTORS
    settings = VectorTable
    stage = EncodeTexts()
    stages = (stage,)
    artifact = stage.artifacts
    gives = "dense"
    hint = "Name an encoder of texts."

    def is_right(self, folder: Path) -> bool:
        """Whether it is not a model of another kind; any transformer can be an encoder of texts."""
        return not (is_sparse_model(folder) or is_token_model(folder))


VECTOR_KIND = VectorKind()
