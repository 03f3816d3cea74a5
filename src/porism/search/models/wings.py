"""What the core takes from the wings of the package: by name, and imported when it is first needed.

The core runs without the wings. Where one is missing, its kinds of models are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from porism.analysis.channels import EncodedChannel, parse_channel
from porism.errors import ConfigError
from porism.retrieve.documents.encoded_channels import NO_ENCODED_CHANNELS, EncodedChannels
from porism.retrieve.encoding_store import EncodingStore
from porism.retrieve.kinds import RetrieverKind, VectorProvider
from porism.retrieve.lexical.settings import ChannelSettings
from porism.system.files.artifacts import SPARSE, ArtifactKind

_MODEL_KINDS = (
    "vectors.formula_vectors.tangent_cft:TANGENT_CFT",
    "vectors.formula_encoder.ranker:FORMULA_ENCODER",
    "vectors.dense.retriever:DENSE",
    "vectors.colbert.retriever:COLBERT",
    "serve.exported.kind:MILVUS",
    "serve.exported.kind:MILVUS_FORMULAS",
)


_ENCODINGS = (
    "vectors.dense.records:DENSE_RECORDS",
    "vectors.splade.records:SPARSE_RECORDS",
    "vectors.colbert.records:TOKEN_RECORDS",
    "vectors.formula_encoder.encoding:FORMULA_RECORDS",
)


def from_wing(reference: str) -> Any:
    """The object that ``module:name`` refers to; the module is named without the package.

    :raises ModuleNotFoundError: the wing is missing.
    """
    module, name = reference.split(":")
    return getattr(import_module(f"porism.{module}"), name)


def _needed(reference: str, purpose: str) -> Any:
    """The object of a wing that something needs."""
    try:
        return from_wing(reference)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("porism."):
            raise
        raise ConfigError(
            f"{purpose} needs {error.name}, which is missing", hint="Install all of Porism: pip install porism"
        ) from error


def _present(references: Sequence[str]) -> Iterator[Any]:
    """The objects of the wings that are there."""
    for reference in references:
        try:
            yield from_wing(reference)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("porism."):
                raise


def wing_kinds() -> Iterator[RetrieverKind[Any]]:
    """The kinds of models of all wings that are there."""
    return _present(_MODEL_KINDS)


def encoding_stores() -> dict[ArtifactKind, EncodingStore[Any]]:
    """What an index can keep encodings of, by the kind of artifact that describes them."""
    return {store.kind: store for store in _present(_ENCODINGS)}


def rebuild_similarities(index_path: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Builds a matrix of similarities again from its settings
    (:func:`porism.vectors.similarity.indexed.build_similarities`)."""
    _needed("vectors.similarity.indexed:rebuild_similarities", "a matrix of similarities")(index_path, name, settings)


def open_sparse_channels(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> EncodedChannels:
    """The channels of sparse encoders among those of a model
    (:func:`porism.vectors.splade.channels.open_encoded`)."""
    if not any(isinstance(parse_channel(name), EncodedChannel) for name in channels):
        return NO_ENCODED_CHANNELS
    opened: EncodedChannels = _needed("vectors.splade.channels:open_encoded", "a channel of a sparse encoder")(
        index_path, channels, query_field_weights
    )
    return opened


def sparse_providers(index_path: Path) -> Sequence[VectorProvider]:
    """What computes weighted terms of documents for an index: one for each sparse encoder that it has."""
    if not SPARSE.files(index_path):
        return ()
    kind = _needed("vectors.splade.encoding:SPARSE_ENCODING", "an index with terms of a sparse encoder")
    providers: Sequence[VectorProvider] = kind.providers(index_path)
    return providers
