"""Similarity matrices of an index: of the live terms of all its segments, and of its embeddings."""

from __future__ import annotations

import numpy as np
import pytest

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ConfigError, IndexCorrupt, IndexNotFound
from porism.index import Snapshot
from porism.index.writer import IndexWriter
from porism.retrieve.lexical.similarity_matrix import open_similarities
from porism.search.sources.indexing import index_documents
from porism.system.files.artifacts import EMBEDDINGS
from porism.types import PLACEHOLDER, Content, Document, Formula
from porism.vectors.embeddings import (
    open_token_vectors,
    write_token_vectors,
)
from porism.vectors.similarity import SimilaritySettings, build_similarities, channel_vocabulary, token_similarities

pytest.importorskip("rapidfuzz", reason="lexical similarity needs rapidfuzz: pip install 'porism[embeddings]'")

CONFIG = AnalysisConfig(text=("words",), formulas=("tokens",), stop_words="none", language="none")
DOCUMENTS = [
    Document("1", {"title": Content("limit limits"), "body": Content("limit of sums")}),
    Document("2", {"body": Content(f"sums {PLACEHOLDER}{PLACEHOLDER}", (Formula("x+y"), Formula("x")))}),
    Document("3", {"body": Content("gone limits sums sumo")}),
    Document("4", {"title": Content("limit"), "body": Content(f"summed {PLACEHOLDER}", (Formula("x"),))}),
]


@pytest.fixture
def path(tmp_path):
    index_documents(DOCUMENTS[:2], tmp_path / "index", config=CONFIG, jobs=1)
    index_documents(DOCUMENTS[2:], tmp_path / "index", jobs=1)
    with IndexWriter(tmp_path / "index") as writer:
        writer.delete(["3"])
        writer.commit()
    with Snapshot.open(tmp_path / "index") as snapshot:
        assert len(snapshot.segments) == 2
    return tmp_path / "index"


def give_vectors(path, name="some", vectors=None, channel="words"):
    vectors = vectors or {"limit": [1, 0], "limits": [3, 4], "sums": [0, 1], "unknown": [1, 1]}
    write_token_vectors(
        EMBEDDINGS.path(path, name), list(vectors), np.array(list(vectors.values()), np.float32),
        {"channel": channel, "method": "by hand"},
    )


def test_the_vocabulary_is_that_of_live_documents_of_all_segments(path):
    with Snapshot.open(path) as snapshot:
        found = channel_vocabulary(snapshot, "words")
        assert dict(zip(found.terms, found.df.tolist(), strict=True)) == {
            "limit": 2, "limits": 1, "of": 1, "summed": 1, "sums": 2,
        }
        assert found.terms == sorted(found.terms)
        formulas = channel_vocabulary(snapshot, "tokens")
        assert dict(zip(formulas.terms, formulas.df.tolist(), strict=True))["x"] == 2
        assert channel_vocabulary(snapshot, "words", 3).terms == ["limit", "limits", "sums"]
        assert channel_vocabulary(snapshot, "words", 1).terms == ["limit"]
        assert channel_vocabulary(snapshot, "words", min_df=2).terms == ["limit", "sums"]
        assert channel_vocabulary(snapshot, "words", min_df=3).terms == []
        with pytest.raises(ConfigError, match=r"no channel 'word'\. It has words, tokens"):
            channel_vocabulary(snapshot, "word")


def test_a_matrix_of_spelling_alone(path):
    file = build_similarities(path, "lex", SimilaritySettings(alpha=1.0))
    matrix = open_similarities(path, "lex")
    assert matrix.path == file
    assert list(matrix.dictionary) == ["limit", "limits", "of", "summed", "sums"]
    assert matrix.most_similar("limit") == [("limits", pytest.approx(1.8 * (5 / 6) ** 5))]
    assert matrix.info["embeddings"] is None
    assert matrix.info["settings"]["alpha"] == 1.0
    assert (matrix.info["channel"], matrix.info["terms"], matrix.info["similarities"]) == (
        "words", 5, len(matrix.columns)
    )


def test_a_matrix_of_spelling_and_meaning(path):
    give_vectors(path)
    steps = []
    wanted = SimilaritySettings(embeddings="some", alpha=0.5, exponent=2.0, max_distance=2)
    build_similarities(path, "both", wanted, on_progress=lambda done, total: steps.append((done, total)))
    matrix = open_similarities(path, "both")
    # cosines: limit·limits 0.6, limits·sums 0.8; "summed" has no vector and is 3 from "sums"
    assert matrix.most_similar("limits") == [
        ("limit", pytest.approx(0.5 * 1.8 * (5 / 6) ** 5 + 0.5 * 0.36)), ("sums", pytest.approx(0.5 * 0.64)),
    ]
    assert matrix.most_similar("summed") == []
    given = open_token_vectors(path, "some")
    assert matrix.info["embeddings"] == {"name": "some", "digest": given.digest, "terms": 3}
    assert (steps[0], steps[-1]) == ((0, 5), (5, 5))


def test_frequencies_of_documents_decide_who_chooses_first(path):
    wanted = SimilaritySettings(alpha=1.0, top=1, lexical_threshold=0.01)
    build_similarities(path, "lex", wanted)
    matrix = open_similarities(path, "lex")
    with Snapshot.open(path) as snapshot:
        terms, df = channel_vocabulary(snapshot, "words")
    rows = token_similarities(terms, None, wanted, frequencies=df)
    assert matrix.columns.tolist() == rows.columns.tolist()
    assert matrix.values.tolist() == rows.values.tolist()


def test_building_again_gives_the_same_and_replaces(path):
    give_vectors(path)
    wanted = SimilaritySettings(embeddings="some")
    build_similarities(path, "m", wanted)
    first = open_similarities(path, "m")
    build_similarities(path, "m", wanted, workers=1)
    second = open_similarities(path, "m")
    assert first.values.tobytes() == second.values.tobytes()
    assert first.columns.tobytes() == second.columns.tobytes()
    assert first.info["vocabulary"] == second.info["vocabulary"]
    build_similarities(path, "m", SimilaritySettings(alpha=1.0, vocabulary=3))
    assert open_similarities(path, "m").info["vocabulary"] != first.info["vocabulary"]


def test_an_interrupted_build_leaves_what_was_there(path):
    file = build_similarities(path, "m", SimilaritySettings(alpha=1.0))
    before = file.read_bytes()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_similarities(path, "m", SimilaritySettings(alpha=1.0, top=1), on_progress=stop)
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == ["m.bin"]


def test_what_is_wrong_is_reported(path, tmp_path):
    lexical = {"alpha": 1.0}
    with pytest.raises(ConfigError, match=r"alpha 0\.6 need embeddings"):
        build_similarities(path, "m")
    with pytest.raises(ConfigError, match="no embeddings 'none'"):
        build_similarities(path, "m", SimilaritySettings(embeddings="none"))
    with pytest.raises(ConfigError, match="cannot be the name"):
        build_similarities(path, "m/n", SimilaritySettings(**lexical))
    with pytest.raises(ConfigError, match="no channel 'pairs'"):
        build_similarities(path, "m", SimilaritySettings(channel="pairs", **lexical))
    with pytest.raises(ConfigError, match="no terms in at least 9 documents"):
        build_similarities(path, "m", SimilaritySettings(min_df=9, **lexical))
    give_vectors(path, "other", {"foreign": [1.0, 2.0]})
    with pytest.raises(ConfigError, match="'other' have a vector of none of the terms of 'words'"):
        build_similarities(path, "m", SimilaritySettings(embeddings="other"))
    EMBEDDINGS.path(path, "other").write_bytes(b"broken")
    with pytest.raises(IndexCorrupt):
        build_similarities(path, "m", SimilaritySettings(embeddings="other"))
    with pytest.raises(IndexNotFound):
        build_similarities(tmp_path / "nothing", "m", SimilaritySettings(**lexical))
    assert not (path / "similarities").exists()


def test_an_index_whose_documents_are_all_deleted(path):
    with IndexWriter(path) as writer:
        writer.delete(["1", "2", "4"])
        writer.commit()
    with pytest.raises(ConfigError):
        build_similarities(path, "m", SimilaritySettings(alpha=1.0))


def test_vectors_of_terms_that_were_not_trained_count_where_embeddings_make_them(path, monkeypatch):
    give_vectors(path)
    kind = type(open_token_vectors(path, "some"))
    trained = kind.vector
    monkeypatch.setattr(
        kind, "vector", lambda self, term: np.array([0, 2], np.float32) if term == "summed" else trained(self, term)
    )
    build_similarities(path, "m", SimilaritySettings(embeddings="some", alpha=0.0))
    matrix = open_similarities(path, "m")
    assert matrix.info["embeddings"]["terms"] == 4
    assert dict(matrix.most_similar("summed")) == {"sums": 1.0, "limits": pytest.approx(0.8**4)}
