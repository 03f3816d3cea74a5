"""Tangent-CFT: formulas as vectors, near to each other where their trees share parts.

The tuples of a formula's layout tree and of its operator tree are words of fastText, type and value of a symbol apart,
without locations. A formula's vector is the sum of the mean vectors of both, and formulas are ranked by the cosine with
the query's: Mansouri et al., *Tangent-CFT: An Embedding Model for Mathematical Formulas* (ICTIR 2019). Here each mean
is brought to length 1 first, so that both trees count the same, however long the vectors of either training came out.

:func:`train_embeddings` writes the *model*, which is the vectors of words, into the folder of the index. The vectors of
formulas are derived data of each segment, computed from the model where they are missing: formulas that are indexed
later need no new training.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import clean_text
from porism.compiled.kernels import as_layout
from porism.concurrency.locks import Lock
from porism.engine.topk import best
from porism.engine.units import FormulaUnits, formula_units
from porism.errors import ConfigError, IndexCorrupt, QueryError, StorageError
from porism.formula import extract, operator_tree, parse
from porism.index import Segment, Snapshot
from porism.index.container import Container, ContainerWriter
from porism.retrieve.formulas.results import FormulaResults
from porism.retrieve.formulas.word_vectors import FastTextSettings, WordVectors, load_gensim, write_word_vectors
from porism.types import Formula

MODEL_FILE = "tangent-cft.bin"
"""The model's file in the folder of an index."""

VIEWS = ("tangent-cft", "tangent-cft-operators")
"""The extractors whose terms are the words of a formula: those of its layout, and those of its operator tree."""

_KIND = "embeddings"
_CHUNK = 1_024
_MOST_COSINES = 1 << 23
_DERIVED = "embeddings"
_ABANDONED = 3_600.0

Words = tuple[list[list[str]], list[list[str]]]
"""The words of formulas, by view."""


def train_embeddings(
    index_path: str | os.PathLike[str],
    settings: FastTextSettings | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Trains Tangent-CFT on the formulas of an index and stores it in its folder; returns the file.

    A model that was there is replaced at the end, all at once. ``on_progress`` is told how many steps are done of how
    many: one is reading a formula, or a formula in one epoch of one view.

    :raises MissingExtra: gensim is not installed.
    :raises ConfigError: the index has no formulas, or a setting is out of its range.
    :raises StorageError: the model cannot be written.
    """
    load_gensim()
    settings = settings or FastTextSettings()
    with Snapshot.open(index_path) as snapshot:
        units = formula_units(snapshot.segments)
        count = sum(int(np.count_nonzero(one.live)) for one in units)
        total = count * (1 + len(VIEWS) * settings.epochs)
        done = 0

        def step(formulas: int) -> None:
            nonlocal done
            done += formulas
            on_progress(done, total)

        words: Words = ([], [])
        known: dict[str, str] = {}  # one object for each distinct word
        for one in units:
            live = np.flatnonzero(one.live)
            for start in range(0, len(live), _CHUNK):
                chunk = live[start : start + _CHUNK]
                for view, found in zip(words, _words(one.segment, chunk), strict=True):
                    view.extend([known.setdefault(word, word) for word in text] for text in found)
                step(len(chunk))
        path = Path(index_path) / MODEL_FILE
        _remove(path.parent.glob(f"{path.name}.*.tmp"), _ABANDONED)  # what trainings that were killed have left
        with ContainerWriter(path, _KIND, atomic=True) as writer:
            for name, texts in zip(VIEWS, words, strict=True):
                write_word_vectors(writer, name, texts, settings, lambda: step(count))
            sizes = {"min": settings.min_n, "max": settings.max_n}
            writer.finish({"formulas": count, "dimensions": settings.dimensions, "ngrams": sizes})
        for one in units:  # vectors of the model before
            _remove(one.segment.derived_path("").parent.glob(f"{_DERIVED}-*.bin"))
    return path


def _remove(files: Iterable[Path], age: float = 0.0) -> None:
    """Removes files that are at least so many seconds old."""
    for file in files:
        try:
            if time.time() - file.stat().st_mtime >= age:
                file.unlink()
        except OSError:  # it has just gone, is in use (Windows) or not ours: it harms nothing
            continue


def _words(segment: Segment, formulas: NDArray[np.integer]) -> Words:
    """The words of formulas of a segment; those of one that cannot be read are none."""
    return _words_of([_stored(segment.formula_source(formula)) for formula in formulas.tolist()])


def _words_of(formulas: Sequence[Formula]) -> Words:
    layouts, operators = [], []
    for formula in formulas:
        layout = parse(Formula(clean_text(formula.source), formula.notation))
        tree = operator_tree(layout)
        layouts.append(extract(VIEWS[0], layout, tree))
        operators.append(extract(VIEWS[1], layout, tree))
    return layouts, operators


def _stored(source: str) -> Formula:
    """A formula as it stands in an index, which does not say in which notation."""
    return Formula(source, "mathml" if source.lstrip().startswith("<") and "</" in source else "latex")


class EmbeddingModel:
    """The vectors of words that :func:`train_embeddings` stored in the folder of an index.

    :raises ConfigError: nothing was trained there.
    :raises IndexCorrupt: the file is damaged.
    """

    def __init__(self, index_path: str | os.PathLike[str]) -> None:
        path = Path(index_path) / MODEL_FILE
        again = f"porism train tangent-cft --index {index_path}"
        try:
            container = Container(path, _KIND)
            self._views = [WordVectors(container, name) for name in VIEWS]
            self.formulas: int = container.info["formulas"]
            self.dimensions: int = container.info["dimensions"]
        except FileNotFoundError as error:
            raise ConfigError(
                "no embeddings were trained for this index", where=str(index_path), hint=f"Train them: {again}"
            ) from error
        except (IndexCorrupt, KeyError) as error:
            raise IndexCorrupt(f"cannot be read ({error})", where=str(path), hint=f"Train again: {again}") from error
        self.digest = f"{container.stamp.digest:016x}"

    def __repr__(self) -> str:
        words = " + ".join(f"{len(view):,}" for view in self._views)
        return f"EmbeddingModel({self.dimensions} dimensions, {words} words of {self.formulas:,} formulas)"

    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        """The vectors of formulas (float32, formulas × dimensions), each of length 1, or 0 where no word is known."""
        return self._vectors(_words_of(formulas))

    def segment_vectors(self, segment: Segment) -> NDArray[np.float32]:
        """The vectors of all formulas of a segment by ordinal: stored ones, else computed and, where the folder can be
        written, stored."""
        name = f"{_DERIVED}-{self.digest}"
        stored = segment.read_derived(name)
        if stored is not None and "vectors" in stored[0]:
            vectors: NDArray[np.float32] = as_layout(stored[0]["vectors"], np.float32)
            if vectors.shape == (segment.formula_count, self.dimensions):
                return vectors
        computed = np.empty((segment.formula_count, self.dimensions), np.float32)
        for start in range(0, len(computed), _CHUNK):
            stop = min(start + _CHUNK, len(computed))
            computed[start:stop] = self._vectors(_words(segment, np.arange(start, stop)))
        try:
            segment.write_derived(name, {"vectors": computed}, {})
        except StorageError:  # a folder that this user may only read: the vectors stay in memory
            return computed
        return computed

    def _vectors(self, words: Words) -> NDArray[np.float32]:
        means = [_unit(view.means(texts)) for view, texts in zip(self._views, words, strict=True)]
        return _unit(means[0] + means[1]).astype(np.float32)


def _unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Vectors brought to length 1; the vector 0 stays 0."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    unit: NDArray[np.float64] = wide / np.where(lengths > 0, lengths, 1.0)
    return unit


class EmbeddingRetriever:
    """Ranks the formulas of a snapshot by the cosine of their Tangent-CFT vectors with a query formula's.

    Exact: every formula is compared. Formulas whose cosine is not above 0 are not results; ties come by descending key.
    Safe to share between threads.
    """

    def __init__(self, snapshot: Snapshot, model: EmbeddingModel | None = None) -> None:
        """``model`` is the one in the folder of the index if none is given.

        :raises ConfigError: nothing was trained there.
        """
        self.model = model or EmbeddingModel(snapshot.path)
        self.units: list[FormulaUnits] = formula_units(snapshot.segments)
        self._lock = Lock()
        self._matrices: list[NDArray[np.float32]] | None = None

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[FormulaResults]:
        """The best ``k`` formulas for each of ``formulas``; none where no word of a query formula is known.

        :raises QueryError: ``k`` is below 1.
        """
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        queries = self.model.embed(formulas)
        results: list[FormulaResults] = []
        at_once = max(1, _MOST_COSINES // max([1, *(units.doc_count for units in self.units)]))
        for start in range(0, len(queries), at_once):
            results += self._search(queries[start : start + at_once], k)
        return results

    def _search(self, queries: NDArray[np.float32], k: int) -> list[FormulaResults]:
        found: list[list[tuple[int, NDArray[np.int32], NDArray[np.float64]]]] = [[] for _ in queries]
        for number, (units, matrix) in enumerate(zip(self.units, self._vectors(), strict=True)):
            if not units.live.any():
                continue
            near = queries @ matrix.T
            near[:, ~units.live] = -1.0
            for row, query, parts in zip(near, queries, found, strict=True):
                formulas, scores = _best_of(row, query, matrix, k, units.id_order)
                parts.append((number, formulas, scores))
        return [self._merge(parts, k) for parts in found]

    def _vectors(self) -> list[NDArray[np.float32]]:
        with self._lock:
            if self._matrices is None:
                self._matrices = [self.model.segment_vectors(units.segment) for units in self.units]
            return self._matrices

    def _merge(
        self, parts: Sequence[tuple[int, NDArray[np.int32], NDArray[np.float64]]], k: int
    ) -> FormulaResults:
        """The best k over segments by score and then, descending, by key."""
        none = np.zeros(0, np.int32)
        segments = np.concatenate([none, *(np.full(len(one), number, np.int32) for number, one, _ in parts)])
        formulas = np.concatenate([none, *(one for _, one, _ in parts)])
        scores = np.concatenate([np.zeros(0), *(one for _, _, one in parts)])
        if len(parts) > 1:
            keys: list[str] = []
            for number, one, _ in parts:
                keys.extend(self.units[number].doc_ids(one))
            by_key = np.array(sorted(range(len(keys)), key=keys.__getitem__, reverse=True), np.int64)
            order = by_key[np.argsort(-scores[by_key], kind="stable")][:k]
            segments, formulas, scores = segments[order], formulas[order], scores[order]
        return FormulaResults(segments, formulas, scores)


def _best_of(
    near: NDArray[np.float32], query: NDArray[np.float32], matrix: NDArray[np.float32], k: int, order: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The best k formulas by the exact cosine; ``near`` are all cosines (float32) as BLAS rounds them.

    What BLAS adds first depends on the machine and on the shape of the matrix, so all that can be among the best k are
    multiplied again in float64, in one order.
    """
    error = len(query) * np.float32(1.2e-7)  # of a sum of so many products whose absolute values sum up to at most 1
    least = np.float32(-error)
    if k < len(near):
        least = max(least, np.partition(near, len(near) - k)[len(near) - k] - 2 * error)
    candidates = np.flatnonzero(near >= least).astype(np.int32)
    products: NDArray[Any] = matrix[candidates].astype(np.float64) * query.astype(np.float64)
    scores = products.sum(axis=1)
    above = scores > 0
    return best(candidates[above], scores[above], order, k)
