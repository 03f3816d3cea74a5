"""Token vectors are stored sorted by term, found by term, and compared by their cosine."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case

from porism.errors import ConfigError, IndexCorrupt
from porism.system.files.artifacts import EMBEDDINGS
from porism.vectors.embeddings import (
    open_token_vectors,
    write_token_vectors,
)

TERMS = ["ring", "\\alpha", "𝔽", "field", "zero"]
VECTORS = np.array([[1, 0], [0, 2], [-3, 0], [1, 1], [0, 0]], np.float32)
INFO = {"channel": "words", "method": "by hand"}


@pytest.fixture
def path(tmp_path):
    file = EMBEDDINGS.path(tmp_path, "small.v1")
    write_token_vectors(file, TERMS, VECTORS, INFO)
    return file


def test_terms_come_in_code_point_order_with_their_vectors(tmp_path, path):
    vectors = open_token_vectors(tmp_path, "small.v1")
    assert vectors.terms == ["\\alpha", "field", "ring", "zero", "𝔽"]
    assert vectors.vectors.tolist() == [[0, 2], [1, 1], [1, 0], [0, 0], [-3, 0]]
    assert vectors.vector("ring").tolist() == [1, 0]
    assert "𝔽" in vectors
    assert "group" not in vectors
    assert (len(vectors), vectors.dimensions) == (5, 2)
    assert vectors.info == {**INFO, "terms": 5, "dimensions": 2}
    assert path == tmp_path / "embeddings" / "small.v1.bin"
    assert EMBEDDINGS.names(tmp_path) == ["small.v1"]


def test_nearest_are_the_highest_cosines_and_ties_come_by_term(tmp_path, path):
    vectors = open_token_vectors(tmp_path, "small.v1")
    found = vectors.nearest("field", 9)  # cosines: both others of 45°, then the opposite direction; not the vector 0
    assert [one.term for one in found] == ["\\alpha", "ring", "𝔽"]
    assert [one.cosine for one in found] == pytest.approx([0.5**0.5, 0.5**0.5, -(0.5**0.5)])
    assert [one.term for one in vectors.nearest("ring", 1)] == ["field"]
    assert vectors.nearest("zero", 3) == []
    with pytest.raises(ConfigError, match="no vector of the term 'group'"):
        vectors.nearest("group")
    with pytest.raises(ConfigError, match="0 neighbours"):
        vectors.nearest("ring", 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e39])
def test_numbers_that_are_not_finite_are_refused_and_what_was_there_stays(tmp_path, path, bad):
    broken = VECTORS.astype(np.float64)
    broken[2, 1] = bad
    with pytest.raises(ConfigError, match="the vector of '𝔽' has a number that is not finite"):
        write_token_vectors(path, TERMS, broken, INFO)
    assert len(open_token_vectors(tmp_path, "small.v1")) == 5


@every_case(
    ("terms", "vectors", "message"),
    [
        ([], np.zeros((0, 3), np.float32), "no vectors"),
        (["a"], np.zeros((1, 0), np.float32), "no vectors"),
        (["a", "b"], np.zeros((3, 2), np.float32), "shape"),
        (["b", "a", "b"], np.zeros((3, 2), np.float32), "'b' occurs twice"),
    ],
)
def test_what_cannot_be_stored_is_refused(tmp_path, terms, vectors, message):
    with pytest.raises(ConfigError, match=message):
        write_token_vectors(EMBEDDINGS.path(tmp_path, "x"), terms, vectors, INFO)


@every_case("name", ["a/b", "", ".hidden", "..", "a b", "-x", "a\n"])
def test_names_that_are_no_file_names_are_refused(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot be the name of embeddings"):
        EMBEDDINGS.path(tmp_path, name)


def test_missing_and_damaged_files_are_reported(tmp_path, path):
    with pytest.raises(ConfigError, match=r"no embeddings 'other'.*It has: small.v1"):
        open_token_vectors(tmp_path, "other")
    with pytest.raises(ConfigError, match="porism train word2vec"):
        open_token_vectors(tmp_path / "nothing", "other")
    data = bytearray(path.read_bytes())
    path.write_bytes(data[:-7])
    with pytest.raises(IndexCorrupt):
        open_token_vectors(tmp_path, "small.v1")
