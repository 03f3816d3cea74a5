"""Similarity matrices on disk: what is written is read, and what is broken is told."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container_writer import ContainerWriter
from porism.retrieve.lexical.similarity_matrix import (
    SimilarityMatrix,
    VocabularyCoverage,
    open_similarities,
    write_similarity_matrix,
)
from porism.system.files.artifacts import SIMILARITIES

TERMS = ["A", "b", "é", "𝔸"]
INDPTR = np.array([0, 3, 5, 7, 8])
COLUMNS = np.array([0, 1, 2, 0, 1, 0, 2, 3])
VALUES = np.array([1, 0.25, 0.5, 0.25, 1, 0.5, 1, 1])


def write(path, *, terms=TERMS, indptr=INDPTR, columns=COLUMNS, values=VALUES, channel="words"):
    return write_similarity_matrix(
        path, terms, np.array(indptr), np.array(columns), np.array(values), {"channel": channel}
    )


def test_what_is_written_is_read(tmp_path):
    path = write(SIMILARITIES.path(tmp_path, "one"))
    assert path == tmp_path / "similarities" / "one.bin"
    matrix = open_similarities(tmp_path, "one")
    assert list(matrix.dictionary) == TERMS
    assert (matrix.indptr.dtype, matrix.columns.dtype, matrix.values.dtype) == (np.int64, np.int32, np.float32)
    assert (matrix.indptr.tolist(), matrix.columns.tolist()) == (INDPTR.tolist(), COLUMNS.tolist())
    assert matrix.values.tolist() == VALUES.tolist()
    assert (len(matrix), matrix.channel, matrix.info) == (4, "words", {"channel": "words"})
    assert repr(matrix) == "SimilarityMatrix(4 terms of 'words', 8 similarities)"
    columns, values = matrix.row(2)
    assert (columns.tolist(), values.tolist()) == ([0, 2], [0.5, 1])
    with pytest.raises(IndexError):
        matrix.row(4)


def test_the_most_similar_terms(tmp_path):
    matrix = SimilarityMatrix.open(write(tmp_path / "m.bin"))
    assert matrix.most_similar("A") == [("é", 0.5), ("b", 0.25)]
    assert matrix.most_similar("A", 1) == [("é", 0.5)]
    assert matrix.most_similar("𝔸") == []
    with pytest.raises(ConfigError, match="'z' is not in the similarity matrix"):
        matrix.most_similar("z")
    with pytest.raises(ConfigError, match="0 similar terms"):
        matrix.most_similar("A", 0)


def test_equally_similar_terms_come_in_code_point_order(tmp_path):
    write(tmp_path / "m.bin", terms=["a", "b", "c"], indptr=[0, 3, 5, 7], columns=[0, 1, 2, 0, 1, 0, 2],
          values=[1, 0.5, 0.5, 0.5, 1, 0.5, 1])
    assert SimilarityMatrix.open(tmp_path / "m.bin").most_similar("a") == [("b", 0.5), ("c", 0.5)]


def test_what_it_covers_and_which_channel_it_is_for(tmp_path):
    matrix = SimilarityMatrix.open(write(tmp_path / "m.bin"))
    assert matrix.coverage(["A", "z", "é"]) == VocabularyCoverage(2, 3)
    assert matrix.coverage([]) == VocabularyCoverage(0, 0)
    matrix.check_channel("words")
    with pytest.raises(ConfigError, match="built for the channel 'words', not for 'tokens'"):
        matrix.check_channel("tokens")
    SimilarityMatrix.open(write(tmp_path / "any.bin", channel="")).check_channel("tokens")


def test_a_matrix_of_nothing(tmp_path):
    write(tmp_path / "m.bin", terms=[], indptr=[0], columns=np.zeros(0, int), values=np.zeros(0))
    matrix = SimilarityMatrix.open(tmp_path / "m.bin")
    assert (len(matrix), matrix.coverage(["a"])) == (0, (0, 1))


BROKEN = [
    ({"indptr": [0, 3, 5, 7]}, "rows of the matrix are not those of 4 terms"),
    ({"indptr": [0, 5, 3, 7, 8]}, "rows of the matrix"),
    ({"indptr": [1, 3, 5, 7, 8]}, "rows of the matrix"),
    ({"values": VALUES[:-1]}, "sizes of the matrix's arrays"),
    ({"columns": [0, 1, 9, 0, 1, 0, 2, 3]}, "columns that are none of 4 terms"),
    ({"columns": [0, -1, 2, 0, 1, 0, 2, 3]}, "columns that are none of 4 terms"),
    ({"columns": [0, 2, 1, 0, 1, 0, 2, 3]}, "do not increase"),
    ({"columns": [0, 1, 1, 0, 1, 0, 2, 3]}, "do not increase"),
    ({"values": [1, np.nan, 0.5, 0.25, 1, 0.5, 1, 1]}, "not finite and above 0"),
    ({"values": [1, 0, 0.5, 0.25, 1, 0.5, 1, 1]}, "not finite and above 0"),
    ({"values": [1, -0.5, 0.5, 0.25, 1, 0.5, 1, 1]}, "not finite and above 0"),
    ({"values": [0.5, 0.25, 0.5, 0.25, 1, 0.5, 1, 1]}, "diagonal of the matrix is not 1"),
    ({"columns": [1, 2, 3, 0, 1, 0, 2, 3]}, "diagonal of the matrix is not 1"),
    ({"indptr": [0, 0, 0, 0, 0], "columns": np.zeros(0, int), "values": np.zeros(0)}, "lacks its diagonal"),
    ({"terms": ["b", "A", "é", "𝔸"]}, "distinct and in code-point order"),
    ({"terms": ["A", "A", "é", "𝔸"]}, "distinct and in code-point order"),
]


@every_case(("wrong", "message"), BROKEN)
def test_a_matrix_that_is_none_is_not_written(tmp_path, wrong, message):
    write(tmp_path / "m.bin")
    before = (tmp_path / "m.bin").read_bytes()
    with pytest.raises(ConfigError, match=message):
        write(tmp_path / "m.bin", **wrong)
    assert (tmp_path / "m.bin").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.bin"]


def test_empty_rows_at_either_end_are_reported(tmp_path):
    for indptr in ([0, 0, 3, 5, 5], [0, 3, 3, 5, 8]):
        with pytest.raises(ConfigError):
            write(tmp_path / "m.bin", indptr=indptr)


def test_a_file_that_was_changed_is_reported(tmp_path):
    path = write(tmp_path / "m.bin")
    good = path.read_bytes()
    for broken in (b"", good[:100], good[:-1], b"x" * len(good)):
        path.write_bytes(broken)
        with pytest.raises(IndexCorrupt, match="Build the matrix again"):
            SimilarityMatrix.open(path)
    at = good.index(VALUES.astype(np.float32).tobytes())
    path.write_bytes(good[:at] + b"\xff\xff\xff\x7f" + good[at + 4 :])
    with pytest.raises(IndexCorrupt, match="values"):
        SimilarityMatrix.open(path)


def test_a_file_of_another_kind_or_without_sections_is_reported(tmp_path):
    for kind in ("segment", "similarities"):
        with ContainerWriter(tmp_path / "m.bin", kind, atomic=True) as writer:
            writer.finish({})
        with pytest.raises(IndexCorrupt, match="Build the matrix again"):
            SimilarityMatrix.open(tmp_path / "m.bin")


def test_names_of_matrices(tmp_path):
    assert SIMILARITIES.names(tmp_path) == []
    with pytest.raises(ConfigError, match=r"no similarity matrix 'one'. Make it: porism similarities one"):
        open_similarities(tmp_path, "one")
    for name in ("b-2.x", "a_1"):
        write(SIMILARITIES.path(tmp_path, name))
    (tmp_path / "similarities" / "c.bin.12-ab.tmp").write_bytes(b"")
    assert SIMILARITIES.names(tmp_path) == ["a_1", "b-2.x"]
    with pytest.raises(ConfigError, match=r"It has: a_1, b-2.x"):
        open_similarities(tmp_path, "one")
    with pytest.raises(ConfigError, match="there is no such similarity matrix"):
        SimilarityMatrix.open(tmp_path / "none.bin")


@every_case("name", ["", ".hidden", "-x", "a/b", "../a", "a b", "a\n", "é"])
def test_what_cannot_be_a_name(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot be the name of a similarity matrix"):
        SIMILARITIES.path(tmp_path, name)
