"""Tangent-CFT: formulas as vectors, near to each other where their trees share parts.

The tuples of a formula's layout tree and of its operator tree are words of fastText, type and value of a symbol apart,
without locations. A formula's vector is the sum of the mean vectors of both, and formulas are ranked by the cosine with
the query's: Mansouri et al., *Tangent-CFT: An Embedding Model for Mathematical Formulas* (ICTIR 2019). Here each mean
is brought to length 1 first, so that both trees count the same, however long the vectors of either training came out.

:func:`train_tangent_cft` writes the vectors of words into the folder of the index. The vectors of formulas lie beside
each segment (:mod:`porism.index.vectors`); those of new formulas are computed before a commit is published
(:func:`porism.search.models.vectors.prepare_vectors`), so formulas that are indexed later need no new training, and no
query computes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import clean_text
from porism.errors import ConfigError, IndexCorrupt
from porism.explanation import Explanation
from porism.extras import need
from porism.formula import extract, operator_tree, parse
from porism.index import Segment, Snapshot
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.engine.units import formula_units
from porism.index.vectors import VectorSpec, remove_vectors
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.kinds import FormulaKind, RequiredArtifact
from porism.system.files.artifacts import MODELS
from porism.types import Formula
from porism.vectors.embeddings.corpus import GENSIM
from porism.vectors.embeddings.settings import FastText
from porism.vectors.embeddings.subwords import WordVectors, write_word_vectors
from porism.vectors.formula_vectors.nearest_formulas import (
    FormulaVectors,
    NearestFormulas,
    NearestModel,
    stored_formula,
)

MODEL = "tangent-cft"
"""The name of the model among those of an index."""

EXTRACTORS = ("tangent-cft", "tangent-cft-operators")
"""The extractors whose terms are the words of a formula: those of its layout, and those of its operator tree."""

_KIND = "embeddings"
_CHUNK = 1_024

TRAINING = FastText(dimensions=100, min_count=1, sample=1e-3, rate=0.025, skip_gram=True, min_n=3, max_n=6)
"""How words are trained where nothing else is said: skip-gram, with the other settings that fastText has by itself."""

Words = tuple[list[list[str]], list[list[str]]]
"""The words of formulas, by tree."""


def train_tangent_cft(
    index_path: str | os.PathLike[str], settings: FastText = TRAINING, *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Trains Tangent-CFT on the formulas of an index and stores it in its folder; returns the file.

    A model that was there is replaced at the end, all at once. ``on_progress`` receives how many steps are done of how
    many: one is reading a formula, or a formula in one epoch of one tree.

    :raises MissingExtra: gensim is not installed.
    :raises ConfigError: the index has no formulas, or a setting is out of its range.
    :raises StorageError: the model cannot be written.
    """
    need("gensim", "embeddings", GENSIM)
    with Snapshot.open(index_path) as snapshot:
        units = formula_units(snapshot.segments)
        count = sum(int(np.count_nonzero(formulas.live)) for formulas in units)
        if not count:
            raise ConfigError("there is nothing to train on", hint="Index documents with formulas first.")
        total = count * (1 + len(EXTRACTORS) * settings.epochs)
        done = 0

        def step(formulas: int) -> None:
            nonlocal done
            done += formulas
            on_progress(done, total)

        words: Words = ([], [])
        known: dict[str, str] = {}  # one object for each distinct word
        for formulas in units:
            live = np.flatnonzero(formulas.live)
            for start in range(0, len(live), _CHUNK):
                chunk = live[start : start + _CHUNK]
                for of_tree, chunk_texts in zip(words, _words(formulas.segment, chunk), strict=True):
                    of_tree.extend([known.setdefault(word, word) for word in text] for text in chunk_texts)
                step(len(chunk))
        path = MODELS.prepare(index_path, MODEL)
        with ContainerWriter(path, _KIND, atomic=True) as writer:
            for name, texts in zip(EXTRACTORS, words, strict=True):
                write_word_vectors(writer, name, texts, settings, lambda: step(count))
            sizes = {"min": settings.min_n, "max": settings.max_n}
            writer.finish({
                "formulas": count, "dimensions": settings.dimensions, "ngrams": sizes,
                "generation": snapshot.generation,
            })
        vectors = TangentCftVectors(index_path)
        for formulas in units:
            remove_vectors(formulas.segment, MODEL)  # those of the model before
            vectors.complete(formulas.segment)
        vectors.finish(snapshot.segments)
    return path


def trained_vectors(index_path: Path) -> tuple[TangentCftVectors, ...]:
    """What computes the vectors of formulas, if Tangent-CFT was trained for an index."""
    return (TangentCftVectors(index_path),) if MODELS.path(index_path, MODEL).exists() else ()


def _words(segment: Segment, formulas: NDArray[np.integer]) -> Words:
    """The words of formulas of a segment; those of one that cannot be read are none."""
    return _words_of([stored_formula(segment, formula) for formula in formulas.tolist()])


def _words_of(formulas: Sequence[Formula]) -> Words:
    layouts, operators = [], []
    for formula in formulas:
        layout = parse(Formula(clean_text(formula.source), formula.notation))
        tree = operator_tree(layout)
        layouts.append(extract(EXTRACTORS[0], layout, tree))
        operators.append(extract(EXTRACTORS[1], layout, tree))
    return layouts, operators


@dataclass(frozen=True, slots=True)
class TangentCftModel(NearestModel):
    """How formulas are ranked by the vectors that were trained for an index."""


class TangentCftVectors(FormulaVectors):
    """The vectors of words that :func:`train_tangent_cft` stored in the folder of an index.

    :raises ConfigError: nothing was trained there.
    :raises IndexCorrupt: the file is damaged.
    """

    chunk = 1_024

    def __init__(self, index_path: str | os.PathLike[str]) -> None:
        super().__init__(Path(index_path))
        path = MODELS.path(index_path, MODEL)
        again = f"porism train tangent-cft --index {index_path}"
        try:
            container = Container(path, _KIND)
            self._words = [WordVectors(container, name) for name in EXTRACTORS]
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
        words = " + ".join(f"{len(of_tree):,}" for of_tree in self._words)
        return f"TangentCftVectors({self.dimensions} dimensions, {words} words of {self.formulas:,} formulas)"

    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        return self._vectors(_words_of(formulas))

    def compute_vectors(self, segment: Segment, formulas: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._vectors(_words(segment, formulas))

    def contents(self, segment: Segment) -> Iterable[str | bytes]:
        return (segment.formula_source(formula) for formula in range(segment.formula_count))

    @property
    def origin(self) -> str:
        return "the Tangent-CFT model"

    @property
    def spec(self) -> VectorSpec:
        return VectorSpec(f"{MODEL}-{self.digest}", self.dimensions)

    def parts(self, formula: Formula) -> list[NDArray[np.float64]]:
        """The vectors of a formula's layout and of its operator tree (float64), whose sum has the length 1."""
        words = _words_of([formula])
        means = [_unit(of_tree.means(texts))[0] for of_tree, texts in zip(self._words, words, strict=True)]
        length = float(np.linalg.norm(means[0] + means[1]))
        return [mean / length for mean in means] if length else means

    def _vectors(self, words: Words) -> NDArray[np.float32]:
        means = [_unit(of_tree.means(texts)) for of_tree, texts in zip(self._words, words, strict=True)]
        return _unit(means[0] + means[1]).astype(np.float32)


def _unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Vectors brought to length 1; the vector 0 stays 0."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    unit: NDArray[np.float64] = wide / np.where(lengths > 0, lengths, 1.0)
    return unit


class TangentCftRanker(NearestFormulas):
    """Ranks the formulas of a snapshot by the cosine of their Tangent-CFT vectors with a query formula's."""

    def __init__(
        self, snapshot: Snapshot, model: TangentCftModel | None = None, vectors: TangentCftVectors | None = None
    ) -> None:
        """``vectors`` are those in the folder of the index if none are given.

        :raises ConfigError: nothing was trained there.
        """
        self.model = model or TangentCftModel()
        self.vectors = vectors or TangentCftVectors(snapshot.path)
        super().__init__(snapshot, self.vectors, self.model.least)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score: what either tree adds to the cosine.

        :raises QueryError: the index has no such formula.
        """
        score, segment, unit, _ = self.cosine(formula, key)
        stored = stored_formula(segment, unit)
        (layout, operators), (other_layout, other_operators) = self.vectors.parts(formula), self.vectors.parts(stored)
        layouts, trees = float(layout @ other_layout), float(operators @ other_operators)
        across = score - layouts - trees
        parts = [
            Explanation(layouts, "cosine: the layout trees"),
            Explanation(trees, "cosine: the operator trees"),
            Explanation(across, "cosine: the layout tree of either and the operator tree of the other"),
        ]
        explanation = Explanation(score, f"formula {stored.source}", parts)
        return FormulaMatch(formula, stored, score, (), (), (), 0.0, 0.0, explanation)


TANGENT_CFT = FormulaKind(
    name="tangent-cft", settings=TangentCftModel, models={"tangent-cft": TangentCftModel()},
    artifacts=lambda model: (RequiredArtifact(MODELS, MODEL),), vectors=trained_vectors,
    make=lambda snapshot, analyzer, model: TangentCftRanker(snapshot, model),
)
"""Formula search by Tangent-CFT's vectors, which ``porism train tangent-cft`` trains for an index."""
