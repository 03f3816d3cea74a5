"""Which token stores an index has: for each a file with its codec, which says how tokens are encoded.

All segments share the codec. So an update needs to be told nothing, and a new codec means new tokens everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import xxhash

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container
from porism.index.token_rows import TokenSpec
from porism.retrieve.encoding_store import EncodingStore
from porism.settings import read_settings
from porism.system.files.artifacts import TOKENS
from porism.vectors.file_backed import FileBackedModel
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_codec import KIND, TokenCodec, read_codec

FAMILY = "tokens"
"""How the names of the tokens of documents begin."""


@dataclass(frozen=True, eq=False)
class TokenStore(FileBackedModel):
    """A token store of an index: its ``name``, how its ``model`` is found (a folder, or a name), the ``digest`` of its
    files, how it reads text, with which ``precision`` it computes, how many centroids were ``wanted`` (None: by
    the number of tokens), and the ``codec``, with the digest of its file."""

    stored = "tokens"

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision
    wanted: int | None
    codec: TokenCodec
    codec_digest: int

    @property
    def spec(self) -> TokenSpec:
        """The tokens of documents: their name holds the digest of the model, of how it reads them, and of the codec."""
        files = EncoderFiles(self.model, Path(), self.settings, self.digest)
        digest = xxhash.xxh3_64_hexdigest(f"{files.vectors} {self.codec_digest:016x}".encode())
        return TokenSpec(f"{FAMILY}-{digest}", self.codec.width, len(self.codec.centroids))


def read_store(path: Path) -> TokenStore:
    """The token store that a file describes.

    :raises FileNotFoundError: there is none.
    :raises IndexCorrupt: it cannot be read.
    """
    container = Container(path, KIND)
    info = container.info
    try:
        precision = info["precision"]
        if precision not in get_args(Precision):
            raise ValueError(f"there is no precision {precision!r}")
        return TokenStore(
            TOKENS.name_of(path), str(info["model"]), str(info["digest"]),
            read_settings(EncoderSettings, info["settings"]), precision, info["wanted"],
            read_codec(container), container.stamp.digest,
        )
    except (KeyError, TypeError, ValueError, ConfigError) as error:
        raise IndexCorrupt(
            f"does not describe a token store ({error})", where=str(path),
            hint="Remove it, and run porism encode again.",
        ) from error


TOKEN_STORES = EncodingStore(
    TOKENS, FAMILY, read_store, none="the index has no tokens of documents", several="store = {name}",
    make="Encode them by a model for late interaction: porism encode DIR --index {index}",
)
