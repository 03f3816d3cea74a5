"""Which encoders an index has tokens of documents of: for each a file with its codec, which says how tokens are
compressed.

All segments share the codec. So an update needs to be told nothing, and a new codec means new tokens everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from porism.index.container import Container
from porism.index.token_rows import TokenSpec
from porism.retrieve.encoding_store import EncodingStore
from porism.system.files.artifacts import TOKENS
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_codec import KIND, TokenCodec, read_codec
from porism.vectors.records import TextEncoding, container_reader


@dataclass(frozen=True, eq=False)
class TokenRecord(TextEncoding):
    """An encoder of tokens of an index: its ``name``, how its ``model`` is found (a folder, or a name), the ``digest``
    of its files, and how it reads text.

    It also records with which ``precision`` it computes, and how many ``centroids`` were wanted (None: by the number of
    tokens). The ``codec`` comes with the digest of its file.
    """

    family = "tokens"
    stored = "tokens"

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision
    centroids: int | None
    codec: TokenCodec
    codec_digest: int

    @property
    def bits(self) -> int:
        """Bits of a dimension of a residual."""
        return self.codec.bits

    @property
    def form(self) -> str:
        return f"{self.codec_digest:016x}"

    @property
    def spec(self) -> TokenSpec:
        return TokenSpec(self.stored_name, self.codec.width, len(self.codec.centroids))


def _read(container: Container) -> Mapping[str, Any]:
    return {
        "centroids": container.info["wanted"], "codec": read_codec(container), "codec_digest": container.stamp.digest,
    }


read_token_record = container_reader(TokenRecord, TOKENS, KIND, "a token store", _read)
"""Reads the record of an encoder of tokens from its file."""

TOKEN_RECORDS = EncodingStore(
    TOKENS, TokenRecord.family, read_token_record, none="the index has no tokens of documents",
    several="colbert:{name}",
    make="Encode them by a model for late interaction: porism encode DIR --index {index}",
)
