"""Memory-mapped matrices of the similarities between the terms of a vocabulary.

The terms are a dictionary in code-point order, so a term's number is its rank. Rows are in CSR form with increasing
columns. Every row has its diagonal, 1; all values are finite and above 0, and what is not stored is 0.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import Dictionary, Packed, write_dictionary
from porism.system.compiled.kernels import as_layout
from porism.system.files.artifacts import SIMILARITIES
from porism.system.files.durable import make_folder

_KIND = "similarities"


class VocabularyCoverage(NamedTuple):
    """The number of distinct ``terms``, and how many of them a matrix has (``known``)."""

    known: int
    terms: int


class SimilarityMatrix:
    """The similarities of n terms, opened for reading; safe to share between threads.

    ``dictionary`` has the terms in code-point order, ``indptr`` (int64, n + 1) bounds the row of each in ``columns``
    (int32, increasing within a row) and ``values`` (float32, finite, above 0; 1 on the diagonal). ``info`` says of what
    the matrix was made: the channel, the vocabulary, the embeddings and all settings.
    """

    def __init__(self, container: Container) -> None:
        """Reads what :func:`write_similarity_matrix` wrote.

        :raises IndexCorrupt: sections are missing, were changed, or do not fit together.
        """
        self.path = container.path
        self.digest = f"{container.stamp.digest:016x}"
        self.info: dict[str, Any] = container.info
        self.dictionary = Dictionary(container, "terms")
        self.indptr = cast("NDArray[np.int64]", as_layout(container.array("indptr"), np.int64))
        self.columns = cast("NDArray[np.int32]", as_layout(container.array("columns"), np.int32))
        self.values = cast("NDArray[np.float32]", as_layout(container.array("values"), np.float32))
        problem = csr_problem(len(self.dictionary), self.indptr, self.columns, self.values)
        if problem:
            raise IndexCorrupt(problem, where=str(self.path), hint="Build the matrix again: porism similarities.")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SimilarityMatrix:
        """The matrix in a file.

        :raises ConfigError: there is no such file.
        :raises IndexCorrupt: it is damaged, or another kind of file.
        :raises IndexVersionError: it was written in a format that this version does not read.
        """
        try:
            return cls(Container(Path(path), _KIND))
        except FileNotFoundError as error:
            raise ConfigError(
                "there is no such similarity matrix", where=str(path), hint="Build it: porism similarities."
            ) from error
        except IndexCorrupt as error:
            raise IndexCorrupt(
                error.what, where=error.where, hint="Build the matrix again: porism similarities."
            ) from error

    def __repr__(self) -> str:
        return f"SimilarityMatrix({len(self):,} terms of {self.channel!r}, {len(self.columns):,} similarities)"

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self.indptr) - 1

    @property
    def channel(self) -> str:
        """The channel whose terms these are; empty where the matrix was made of terms of no index."""
        return str(self.info.get("channel", ""))

    def check_channel(self, channel: str) -> None:
        """Refuses to be used for the terms of another channel.

        :raises ConfigError: the matrix was built for another one.
        """
        if self.channel not in ("", channel):
            raise ConfigError(
                f"the similarity matrix was built for the channel {self.channel!r}, not for {channel!r}",
                where=str(self.path), hint=f"Build one: porism similarities NAME --channel {channel}.",
            )

    def coverage(self, terms: Sequence[str]) -> VocabularyCoverage:
        """How many of distinct terms the matrix has."""
        return VocabularyCoverage(int(np.count_nonzero(self.dictionary.lookup(terms) >= 0)), len(terms))

    def row(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The terms that are similar to the one with a number, itself among them, and how similar they are.

        :raises IndexError: there is no such number.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"row {number} of {len(self)}")
        part = slice(int(self.indptr[number]), int(self.indptr[number + 1]))
        return self.columns[part], self.values[part]

    def most_similar(self, term: str, k: int = 10) -> list[tuple[str, float]]:
        """The ``k`` terms most similar to ``term`` with their similarities, best first, ties in code-point order.

        The term itself is not among them.

        :raises ConfigError: the matrix does not have the term, or ``k`` is below 1.
        """
        if k < 1:
            raise ConfigError(f"{k} similar terms cannot be shown", hint="Ask for at least 1.")
        number = int(self.dictionary.lookup([term])[0])
        if number < 0:
            raise ConfigError(
                f"the term {term[:60]!r} is not in the similarity matrix", where=str(self.path),
                hint="Terms are as the channel has them, such as stemmed words.",
            )
        columns, values = self.row(number)
        others = columns != number
        columns, values = columns[others], values[others]
        order = np.argsort(-values, kind="stable")[:k]
        names = self.dictionary.select(columns[order]).strings()
        return list(zip(names, values[order].astype(float).tolist(), strict=True))


def csr_problem(
    terms: int, indptr: NDArray[np.int64], columns: NDArray[np.int32], values: NDArray[np.float32]
) -> str | None:
    """What is wrong with the rows of a matrix of this many terms, or None."""
    if len(indptr) != terms + 1 or int(indptr[0]) != 0 or bool((np.diff(indptr) < 0).any()):
        return f"the rows of the matrix are not those of {terms:,} terms"
    if not int(indptr[-1]) == len(columns) == len(values):
        return "the sizes of the matrix's arrays do not fit together"
    if not len(columns):
        return None if not terms else "the matrix lacks its diagonal"
    if int(columns.min()) < 0 or int(columns.max()) >= terms:
        return f"the matrix has columns that are none of {terms:,} terms"
    rises = np.diff(columns) > 0
    rises[indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(columns))] - 1] = True
    if not bool(rises.all()):
        return "the columns of the matrix do not increase within its rows"
    if not bool((np.isfinite(values) & (values > 0)).all()):
        return "the matrix has values that are not finite and above 0"
    diagonal = columns == np.repeat(np.arange(terms, dtype=np.int32), np.diff(indptr))
    if int(np.count_nonzero(diagonal)) != terms or not bool((values[diagonal] == 1).all()):
        return "the diagonal of the matrix is not 1"
    return None


def write_similarity_matrix(
    path: str | os.PathLike[str], terms: Sequence[str], indptr: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]], values: NDArray[np.floating[Any]], info: Mapping[str, Any],
) -> Path:
    """Writes a matrix in one step, replacing what was there; returns the file.

    ``terms`` are distinct and in code-point order; ``indptr`` (n + 1), ``columns`` and ``values`` are the rows as
    :class:`SimilarityMatrix` has them, and ``info`` is JSON-ready.

    :raises ConfigError: terms or rows are not like that.
    :raises StorageError: the file cannot be written.
    """
    target = Path(path)
    rows = as_layout(indptr, np.int64), as_layout(columns, np.int32), as_layout(values, np.float32)
    problem = csr_problem(len(terms), *rows)
    if problem is None and any(low >= high for low, high in pairwise(terms)):
        problem = "the terms of the matrix are not distinct and in code-point order"
    if problem:
        raise ConfigError(problem, where=str(target))
    make_folder(target.parent)
    with ContainerWriter(target, _KIND, atomic=True) as writer:
        write_dictionary(writer, "terms", Packed.of(terms))
        for name, array in zip(("indptr", "columns", "values"), rows, strict=True):
            writer.add(name, array)
        writer.finish(info)
    return target


def open_similarities(index_path: str | os.PathLike[str], name: str) -> SimilarityMatrix:
    """The matrix with this name of an index.

    :raises ConfigError: there is none, or this cannot be a name.
    :raises IndexCorrupt: its file is damaged.
    """
    path = SIMILARITIES.path(index_path, name)
    if not path.exists():
        raise SIMILARITIES.missing(index_path, name)
    return SimilarityMatrix.open(path)
