"""Which sparse encoders an index has weighted terms of: a file for each in its folder, by name.

A file says everything that new documents are encoded with, and has the vocabulary. Of an encoder whose queries need no
model it also has their tokenizer and the weights of their terms: searches need neither the model nor torch then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import Dictionary, Packed, write_dictionary
from porism.index.vectors import VectorSpec
from porism.retrieve.encoding_store import EncodingStore
from porism.settings import read_settings
from porism.system.files.artifacts import SPARSE
from porism.vectors.file_backed import FileBackedModel
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_queries import QueryTable

FAMILY = "splade"
"""How the names of the weighted terms of documents begin."""

KIND = "sparse-encoder"

STEPS = 100
"""Weights of documents are stored as multiples of 1 / STEPS, the nearest one: none is off by more than 0.005, and those
of most models, which are below 2.55, have a code of one byte in postings. A term below 0.005 is left out."""

_PRECISIONS: tuple[Precision, ...] = get_args(Precision)


@dataclass(frozen=True, eq=False)
class SparseStore(FileBackedModel):
    """A sparse encoder of an index: its ``name``, how its ``model`` is found (a folder, or a name), the ``digest`` of
    its files, how it reads text, and with which ``precision`` it computes.

    ``numbers`` (int32) is the number in the ``dictionary`` of each term of the model. ``table`` weighs queries; it is
    None where the model does.
    """

    stored = "terms"

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision
    dictionary: Dictionary
    numbers: NDArray[np.int32]
    table: QueryTable | None = None

    @property
    def spec(self) -> VectorSpec:
        """The rows of documents, one a term: its number in the dictionary, and its weight in steps. Their name holds
        the digest of the model and of how it reads documents."""
        files = EncoderFiles("", Path(), self.settings, self.digest)
        return VectorSpec(f"{FAMILY}-{xxhash.xxh3_64_hexdigest(f'{files.vectors} {STEPS}'.encode())}", 2)


def write_store(
    path: Path, *, model: str, digest: str, settings: EncoderSettings, precision: Precision, terms: Sequence[str],
    table: QueryTable | None,
) -> SparseStore:
    """Keeps a sparse encoder among those of an index, in the file ``path``.

    :raises StorageError: the file cannot be written.
    """
    info = {"model": model, "digest": digest, "settings": settings.to_dict(), "precision": precision,
            "terms": len(terms)}
    with ContainerWriter(path, KIND, atomic=True) as writer:
        numbers = write_dictionary(writer, "terms", Packed.of(terms))
        writer.add("numbers", numbers.astype(np.int32))
        if table is not None:
            writer.add("query:weights", table.weights)
            writer.add("query:tokenizer", np.frombuffer(table.tokenizer, np.uint8))
            info |= {"queries": {"length": table.length, "prefix": table.prefix}}
        writer.finish(info)
    return read_store(path)


def read_store(path: Path) -> SparseStore:
    """The sparse encoder that a file describes.

    :raises FileNotFoundError: there is none.
    :raises IndexCorrupt: it cannot be read.
    """
    container = Container(path, KIND)
    info = container.info
    try:
        precision = next(one for one in _PRECISIONS if one == info["precision"])
        numbers, dictionary = container.array("numbers"), Dictionary(container, "terms")
        if numbers.dtype != np.int32 or not np.array_equal(np.sort(numbers), np.arange(len(dictionary))):
            raise ValueError("its terms are not numbered")
        table = None
        if "queries" in info:
            weights = container.array("query:weights")
            if weights.dtype != np.float32 or weights.shape != numbers.shape:
                raise ValueError("its queries have no weights")
            of_queries = info["queries"]
            table = QueryTable(
                weights, container.array("query:tokenizer").tobytes(), of_queries["length"], of_queries["prefix"]
            )
        return SparseStore(
            SPARSE.name_of(path), str(info["model"]), str(info["digest"]),
            read_settings(EncoderSettings, info["settings"]), precision, dictionary, numbers, table,
        )
    except (KeyError, TypeError, ValueError, StopIteration, ConfigError) as error:
        raise IndexCorrupt(
            f"does not describe a sparse encoder ({error})", where=str(path),
            hint="Remove it, and run porism encode again.",
        ) from error


SPARSE_STORES = EncodingStore(
    SPARSE, FAMILY, read_store, none="the documents of the index have no terms of a sparse encoder",
    several="splade:{name}", make="Encode them by one: porism encode DIR --index {index}",
)
