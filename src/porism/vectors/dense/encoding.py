"""Vectors of documents, of each one or one a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment, Snapshot
from porism.index.vector_rows import NumberType, check_type
from porism.index.vectors import ComputedRows
from porism.retrieve.encoding_store import write_record
from porism.settings import Settings
from porism.system.files.artifacts import ENCODERS
from porism.vectors.dense.approximate import build_approximate
from porism.vectors.dense.model import Approximate
from porism.vectors.dense.records import DENSE_RECORDS, EncoderRecord
from porism.vectors.encoding import ModelChoice, TextEncodingKind
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.sparse_encoder import is_sparse_model
from porism.vectors.neural.token_model import is_token_model
from porism.vectors.providers import DocumentProvider, SegmentProvider


class DenseVectors(DocumentProvider[EncoderRecord, Encoder]):
    """Computes the vectors of documents."""

    noun = "the encoder"
    chunk = 512
    encoder_class = Encoder

    def compute(self, segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        encoded = self.encoder.encode_documents(self.texts(segment, numbers))
        return ComputedRows(encoded.vectors, np.diff(encoded.offsets))

    def finish(self, segments: Sequence[Segment]) -> None:
        super().finish(segments)
        for segment in segments:
            build_approximate(segment, self.record)


@dataclass(frozen=True, slots=True)
class DenseOptions(Settings):
    """What vectors are stored as, and the indexes of near vectors to build.

    :raises ConfigError: vectors cannot be stored so.
    """

    numbers: NumberType = "float32"
    approximate: Approximate = field(default_factory=Approximate)

    def __post_init__(self) -> None:
        check_type(self.numbers)


class DenseEncoding(TextEncodingKind[EncoderRecord, Encoder]):
    """Vectors of documents; any transformer can give them."""

    name = "dense"
    records = DENSE_RECORDS
    options = DenseOptions
    compared = ("numbers",)
    search = "'words and $formula$' --model neural"
    provider_class = DenseVectors

    def recognises(self, folder: Path) -> bool:
        return not (is_sparse_model(folder) or is_token_model(folder))

    def write(
        self, name: str, chosen: ModelChoice, encoder: Encoder, options: DenseOptions, snapshot: Snapshot
    ) -> SegmentProvider:
        record = EncoderRecord(
            name, chosen.persistent_name, encoder.files.digest, encoder.dimensions, encoder.settings, options.numbers,
            chosen.precision, options.approximate,
        )
        write_record(ENCODERS, chosen.index, name, record)
        return self.provider(chosen.index, record, encoder, chosen.device)

    def about(self, record: EncoderRecord) -> dict[str, Any]:
        return {"dimensions": record.dimensions, "numbers": record.numbers}

    def describe(self, record: EncoderRecord) -> str:
        return f"{record.dimensions} dimensions ({record.numbers})"


DENSE_ENCODING = DenseEncoding()
