"""Tangent-CFT's vectors at random, for tests that need some and train none."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from porism.index import Snapshot
from porism.index.container_writer import ContainerWriter
from porism.search.models.vectors import prepare_vectors
from porism.system.files.artifacts import MODELS
from porism.vectors.embeddings.subwords import character, store_word_vectors
from porism.vectors.formula_vectors.tangent_cft import EXTRACTORS, MODEL, TangentCftVectors


def random_model(path: Path, dimensions: int = 7, seed: int = 0) -> TangentCftVectors:
    """A model of random vectors for every word that can be made of a few tokens, and for some n-grams;
    and the vectors of all formulas."""
    chance = np.random.default_rng(seed)
    tokens = sorted(["V", "N", "x", "y", "a", "2", "1", "+", "=", "n", "nn", "a", "0!", "U", "plus", "eq", "0", "1"])
    tokens = sorted(set(tokens))
    codes = [character(number) for number in range(len(tokens))]
    with ContainerWriter(MODELS.prepare(path, MODEL), "embeddings", atomic=True) as writer:
        for name in EXTRACTORS:
            words = {
                "".join(chance.choice(codes, size)): chance.normal(size=dimensions) for size in (3, 4, 5) * 300
            }
            grams = {code: chance.normal(size=dimensions) for code in codes}
            store_word_vectors(writer, name, tokens, words, grams, dimensions)
        writer.finish({"formulas": 3, "dimensions": dimensions, "ngrams": {"min": 1, "max": 2}})
    with Snapshot.open(path) as snapshot:
        prepare_vectors(snapshot.segments)
    return TangentCftVectors(path)
