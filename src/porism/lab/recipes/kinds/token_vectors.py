"""``[token_vectors.NAME]``: compressed vectors of the tokens of the collection's documents, for late interaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from porism.lab.recipes.execution import OnCount
from porism.lab.recipes.kinds.encoded_documents import EncodedKind, EncodeDocuments, EncodedTable
from porism.lab.recipes.kinds.vector_needs import TOKEN_VECTORS
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.encoding import encode_tokens
from porism.vectors.colbert.provider import DocumentTokens
from porism.vectors.colbert.stores import TOKEN_STORES
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_model import is_token_model


@dataclass(frozen=True, slots=True)
class TokenVectorTable(EncodedTable):
    """Vectors of tokens, with so many ``bits`` for a dimension of what is left of a token beside its centroid, of
    which there are so many as the tokens need if ``centroids`` is None. ``seed`` draws the documents that the centroids
    are found in."""

    bits: Literal[1, 2, 4] = 2
    centroids: int | None = None
    seed: int = 1


class EncodeTokens(EncodeDocuments):
    """Computes and compresses the vectors of tokens."""

    name = "token-vectors"
    verb = "encode tokens"
    artifacts = TOKENS

    def encode(
        self, index: Path, model: Path, name: str, table: TokenVectorTable, settings: EncoderSettings,
        on_count: OnCount,
    ) -> bool:
        """Finds centroids, where there are none yet, and encodes the tokens of each document."""
        return encode_tokens(
            index, model, name=name, settings=settings, bits=table.bits, centroids=table.centroids,
            precision=table.precision, device=table.device, seed=table.seed, on_progress=on_count,
        ).interrupted

    def provider(self, index: Path, name: str) -> DocumentTokens:
        """What computes their tokens."""
        return DocumentTokens(index, TOKEN_STORES.find(index, name))

    def is_other(
        self, index: Path, name: str, table: TokenVectorTable, files: EncoderFiles, settings: EncoderSettings
    ) -> bool:
        """Whether they are of another model, or read or compressed otherwise."""
        there = TOKEN_STORES.find(index, name)
        return (there.digest, there.settings, there.codec.bits, there.wanted) != (
            files.digest, settings, table.bits, table.centroids
        )

    def about(self, index: Path, name: str) -> dict[str, Any]:
        """How they are compressed."""
        codec = TOKEN_STORES.find(index, name).codec
        return {"dimensions": codec.dimensions, "bits": codec.bits, "centroids": len(codec.centroids)}


class TokenVectorKind(EncodedKind[TokenVectorTable]):
    """Vectors of tokens."""

    table = TOKEN_VECTORS
    settings = TokenVectorTable
    stage = EncodeTokens()
    stages = (stage,)
    artifact = stage.artifacts
    gives = "colbert"
    hint = "Name a model for late interaction, or train one: [encoders.NAME] with kind = \"colbert\"."

    def is_right(self, folder: Path) -> bool:
        """Whether it is a model for late interaction."""
        return is_token_model(folder)


TOKEN_VECTOR_KIND = TokenVectorKind()
