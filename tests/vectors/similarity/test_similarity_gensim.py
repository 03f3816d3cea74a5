"""The same matrices as gensim's, where both mean the same."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case
from similarity_reference import dense

from porism.vectors.similarity import SimilaritySettings, token_similarities

gensim = pytest.importorskip("gensim", reason="compares with gensim: pip install 'porism[embeddings]'")
pytest.importorskip("rapidfuzz")


def theirs(index, terms, df, *, symmetric, dominant, top):
    """gensim's matrix; rows of ours are its columns."""
    from gensim.models import TfidfModel
    from gensim.similarities import SparseTermSimilarityMatrix

    dictionary = vocabulary(terms, df)
    tfidf = None if df is None else TfidfModel(dictionary=dictionary)
    made = SparseTermSimilarityMatrix(
        index, dictionary, tfidf, symmetric=symmetric, dominant=dominant, nonzero_limit=top, dtype=np.float64
    )
    return made.matrix.T.toarray()


def vocabulary(terms, df):
    from gensim.corpora import Dictionary

    dictionary = Dictionary()
    dictionary.token2id = {term: number for number, term in enumerate(terms)}
    dictionary.id2token = dict(enumerate(terms))
    dictionary.dfs = dict(enumerate((df if df is not None else np.ones(len(terms), int)).tolist()))
    dictionary.num_docs = 50
    return dictionary


@every_case("symmetric", [True, False])
@every_case("dominant", [True, False])
@every_case("top", [2, 10, 100])
@every_case("rare_first", [True, False])
def test_semantic_matrices_are_gensims(symmetric, dominant, top, rare_first):
    from gensim.models import KeyedVectors
    from gensim.similarities import WordEmbeddingSimilarityIndex

    rng = np.random.default_rng(top)
    terms = [f"t{number:03}" for number in range(80)]
    vectors = rng.normal(size=(80, 6)).astype(np.float32)
    df = rng.integers(1, 20, 80) if rare_first else None
    keyed = KeyedVectors(6)
    keyed.add_vectors(terms, vectors)
    index = WordEmbeddingSimilarityIndex(keyed, threshold=0.2, exponent=2.0)
    given = {"symmetric": symmetric, "dominant": dominant, "top": top}
    ours = token_similarities(
        terms, vectors, SimilaritySettings(alpha=0.0, threshold=0.2, exponent=2.0, **given), frequencies=df
    )
    assert dense(ours) == pytest.approx(theirs(index, terms, df, **given), abs=1e-5)


@every_case("dominant", [True, False])
@every_case("top", [3, 100])
def test_lexical_matrices_are_gensims_at_distance_one(dominant, top):
    # Farther ones gensim asks for only if there are too few near ones, so it can miss a better pair among longer terms.
    from gensim.similarities import LevenshteinSimilarityIndex

    rng = np.random.default_rng(top)
    terms = sorted({"".join(rng.choice(list("ab"), rng.integers(4, 8))) for _ in range(60)})
    df = rng.integers(1, 20, len(terms))
    index = LevenshteinSimilarityIndex(vocabulary(terms, df), alpha=1.8, beta=5.0, max_distance=1)
    given = {"symmetric": True, "dominant": dominant, "top": top}
    ours = token_similarities(
        terms, None, SimilaritySettings(alpha=1.0, max_distance=1, **given), frequencies=df
    )
    assert dense(ours) == pytest.approx(theirs(index, terms, df, **given), abs=1e-6)


def test_lexical_similarity_is_gensims_at_any_distance():
    from gensim.similarities import LevenshteinSimilarityIndex

    terms = ["convergence", "convergent", "converge", "divergence", "diverge", "series"]
    index = LevenshteinSimilarityIndex(vocabulary(terms, None), max_distance=3)
    given = {"symmetric": True, "dominant": False, "top": 100}
    ours = token_similarities(terms, None, SimilaritySettings(alpha=1.0, max_distance=3))
    assert dense(ours) == pytest.approx(theirs(index, terms, None, **given), abs=1e-6)
