"""Which sparse encoders an index has weighted terms of: a file for each in its folder, by name.

A file says everything that new documents are encoded with, and has the vocabulary. Of an encoder whose queries need no
model it also has their tokenizer and the weights of their terms: searches need neither the model nor torch then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import Dictionary, Packed, write_dictionary
from porism.index.vectors import VectorSpec
from porism.retrieve.encoding_store import EncodingStore
from porism.system.files.artifacts import SPARSE
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_queries import QueryTable
from porism.vectors.records import TextEncoding, container_reader

KIND = "sparse-encoder"

STEPS = 100
"""Weights of documents are stored as multiples of 1 / STEPS, the nearest one: none is off by more than 0.005, and those
of most models, which are below 2.55, have a code of one byte in postings. A term below 0.005 is left out."""


@dataclass(frozen=True, eq=False)
class SparseRecord(TextEncoding):
    """A sparse encoder of an index: its ``name``, how its ``model`` is found (a folder, or a name), the ``digest`` of
    its files, how it reads text, and with which ``precision`` it computes.

    ``numbers`` (int32) is the number in the ``dictionary`` of each term of the model. ``table`` weighs queries; it is
    None where the model does.
    """

    family = "splade"
    stored = "terms"

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision
    dictionary: Dictionary
    numbers: NDArray[np.int32]
    table: QueryTable | None = None

    form = str(STEPS)

    @property
    def spec(self) -> VectorSpec:
        return VectorSpec(self.stored_name, 2)


def write_sparse_record(
    path: Path, info: Mapping[str, Any], terms: Sequence[str], table: QueryTable | None
) -> SparseRecord:
    """Keeps a sparse encoder among those of an index, in the file ``path``; ``info`` is what
    :func:`~porism.vectors.records.container_info` gives.

    :raises StorageError: the file cannot be written.
    """
    with ContainerWriter(path, KIND, atomic=True) as writer:
        numbers = write_dictionary(writer, "terms", Packed.of(terms))
        writer.add("numbers", numbers.astype(np.int32))
        of_queries: dict[str, Any] = {}
        if table is not None:
            writer.add("query:weights", table.weights)
            writer.add("query:tokenizer", np.frombuffer(table.tokenizer, np.uint8))
            of_queries["queries"] = {"length": table.length, "prefix": table.prefix}
        writer.finish({**info, "terms": len(terms), **of_queries})
    return read_sparse_record(path)


def _read(container: Container) -> Mapping[str, Any]:
    numbers, dictionary = container.array("numbers"), Dictionary(container, "terms")
    if numbers.dtype != np.int32 or not np.array_equal(np.sort(numbers), np.arange(len(dictionary))):
        raise ValueError("its terms are not numbered")
    table = None
    if "queries" in container.info:
        weights = container.array("query:weights")
        if weights.dtype != np.float32 or weights.shape != numbers.shape:
            raise ValueError("its queries have no weights")
        of_queries = container.info["queries"]
        table = QueryTable(
            weights, container.array("query:tokenizer").tobytes(), of_queries["length"], of_queries["prefix"]
        )
    return {"dictionary": dictionary, "numbers": numbers, "table": table}


read_sparse_record = container_reader(SparseRecord, SPARSE, KIND, "a sparse encoder", _read)
"""Reads the record of a sparse encoder from its file."""

SPARSE_RECORDS = EncodingStore(
    SPARSE, SparseRecord.family, read_sparse_record,
    none="the documents of the index have no terms of a sparse encoder", several="splade:{name}",
    make="Encode them by one: porism encode DIR --index {index}",
)
