"""Vectors of the terms of a channel: how they lie on disk, and which terms lie near to one another.

One file a set of vectors, ``INDEX/embeddings/NAME.bin``: the terms in code-point order and a matrix of float32, one row
a term, read through a memory map. Which method made them, and with which settings, is in the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container, Stamp
from porism.index.container_writer import ContainerWriter
from porism.index.strings import Dictionary, Packed, write_dictionary
from porism.system.concurrency.caching import cached_property
from porism.system.files.artifacts import EMBEDDINGS

_KIND = "token-vectors"
_BATCH_SIZE = 1 << 14


class Neighbour(NamedTuple):
    """A term and the cosine of its vector with that of the query term."""

    term: str
    cosine: float


def write_token_vectors(
    path: Path, terms: Sequence[str], vectors: NDArray[np.floating[Any]], info: Mapping[str, Any]
) -> Stamp:
    """Writes vectors (terms × dimensions, in the order of ``terms``) for :class:`TokenVectors`, all at once.

    ``info`` (JSON-ready) says what they are: at least ``channel`` and ``method``.

    :raises ConfigError: there are no terms or dimensions, a term occurs twice, the shapes differ, or a number is not
        finite in float32.
    :raises StorageError: the file cannot be written.
    """
    where = path.name
    if vectors.ndim != 2 or vectors.shape[0] != len(terms):
        raise ConfigError(f"{len(terms)} terms cannot have vectors of shape {vectors.shape}", where=where)
    if not vectors.size:
        raise ConfigError("there are no vectors to store", where=where)
    with np.errstate(over="ignore"):
        rows = np.asarray(vectors, np.float32)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise ConfigError(
            f"the vector of {terms[int(np.argmin(finite))]!r} has a number that is not finite "
            f"({int((~finite).sum())} of {len(terms)} vectors have)",
            where=where, hint="Train with a smaller learning rate.",
        )
    if len(set(terms)) < len(terms):
        twice = next(term for at, term in enumerate(sorted(terms)[1:]) if sorted(terms)[at] == term)
        raise ConfigError(f"the term {twice!r} occurs twice", where=where)
    EMBEDDINGS.prepare(path.parents[1], EMBEDDINGS.name_of(path))
    with ContainerWriter(path, _KIND, atomic=True) as writer:
        numbers = write_dictionary(writer, "terms", Packed.of(terms))
        ordered = np.empty_like(rows)
        ordered[numbers] = rows
        writer.add("vectors", ordered)
        return writer.finish({**info, "terms": len(terms), "dimensions": rows.shape[1]})


class TokenVectors:
    """The vectors that :func:`write_token_vectors` wrote, memory-mapped.

    ``vectors`` is float32, terms × dimensions, rows in code-point order of the ``terms``; ``info`` says how they were
    made; ``dictionary`` finds the row of a term; ``digest`` identifies the content.

    :raises FileNotFoundError: there is no such file.
    :raises IndexCorrupt: it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        container = Container(path, _KIND)
        self.info: dict[str, Any] = container.info
        self.dictionary = Dictionary(container, "terms")
        self.vectors: NDArray[np.float32] = container.array("vectors")
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.dictionary) or self.vectors.dtype != np.float32:
            raise IndexCorrupt("has vectors that do not belong to its terms", where=str(path), hint="Train them again.")
        self.digest = f"{container.stamp.digest:016x}"

    def __repr__(self) -> str:
        kind = f"{self.info.get('method', 'vectors')} of {self.info.get('channel', 'a channel')}"
        return f"TokenVectors({self.path.name!r}, {len(self):,} terms, {self.dimensions} dimensions, {kind})"

    def __len__(self) -> int:
        return len(self.dictionary)

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and bool(self.dictionary.lookup([term])[0] >= 0)

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def terms(self) -> list[str]:
        """All terms in code-point order, one a row of ``vectors``."""
        return self.dictionary.packed().strings()

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        return np.concatenate(
            [np.sqrt(np.einsum("ij,ij->i", part, part)) for part in np.array_split(self.vectors, self._parts)]
        )

    @property
    def _parts(self) -> int:
        return max(1, -(-len(self) // _BATCH_SIZE))

    def vector(self, term: str) -> NDArray[np.float32]:
        """The vector of a term (float32, dimensions).

        :raises ConfigError: it has none.
        """
        row = int(self.dictionary.lookup([term])[0])
        if row < 0:
            raise ConfigError(
                f"there is no vector of the term {term!r}", where=self.path.name,
                hint="Terms are as the index holds them: words stemmed, formulas as `porism parse --terms` shows them.",
            )
        vector: NDArray[np.float32] = self.vectors[row]
        return vector

    def nearest(self, term: str, k: int = 10) -> list[Neighbour]:
        """The ``k`` other terms whose vectors have the highest cosines with that of ``term``, the best first.

        Ties come in code-point order; terms whose vector is 0 are not neighbours.

        :raises ConfigError: the term has no vector, or ``k`` is below 1.
        """
        if k < 1:
            raise ConfigError(f"{k} neighbours cannot be found", hint="Ask for at least 1.")
        query_vector = self.vector(term).astype(np.float64)
        own = int(self.dictionary.lookup([term])[0])
        length = float(np.sqrt(query_vector @ query_vector))
        if length == 0.0:
            return []
        near = np.concatenate([part @ (query_vector / length) for part in np.array_split(self.vectors, self._parts)])
        near = np.divide(near, self._lengths, out=np.full(len(self), -np.inf), where=self._lengths > 0)
        near[own] = -np.inf
        order = np.argsort(-near, kind="stable")[:k]
        order = order[np.isfinite(near[order])]
        return [
            Neighbour(neighbour, min(1.0, max(-1.0, cosine)))
            for neighbour, cosine in zip(self.dictionary.select(order).strings(), near[order].tolist(), strict=True)
        ]


def open_token_vectors(index_path: str | os.PathLike[str], name: str) -> TokenVectors:
    """The token vectors ``name`` of an index.

    :raises ConfigError: there are none of that name.
    :raises IndexCorrupt: the file is damaged.
    """
    path = EMBEDDINGS.path(index_path, name)
    try:
        return TokenVectors(path)
    except FileNotFoundError:
        raise EMBEDDINGS.missing(index_path, name) from None
