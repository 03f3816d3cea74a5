"""Files of pairwise scores: what is written is read again, and what is wrong is refused or repaired."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from pairwise_cases import NAN, THREE, made_up

from porism.errors import ConfigError, FormatError, Problem, SourceError
from porism.lab.pairwise import PairwiseRun, PairwiseScores, read_pairwise, write_pairwise

LINES = "q a b 0.9\nq b a 0.2\nq a c 0.6\n\nq c a 0.7\nr x y 1\n"


def matrix_of(run: PairwiseRun, query_id: str = "q") -> list[list[float]]:
    pairs = run.get(query_id)
    assert pairs is not None
    return np.nan_to_num(pairs.matrix, nan=-1.0).tolist()


@every_case("name", ["p.tsv", "p.csv", "p.jsonl", "p.npz", "p.tsv.gz", "p.jsonl.gz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    run = PairwiseRun((THREE, made_up(1, 7, "r")), {"kind": "duo"})
    write_pairwise(tmp_path / name, run)
    found = read_pairwise(tmp_path / name)
    for pairs, before in zip(found.queries, run.queries, strict=True):
        assert (pairs.query_id, pairs.doc_ids) == (before.query_id, before.doc_ids)
        assert np.array_equal(pairs.matrix, before.matrix, equal_nan=True)
        assert pairs.ranked is (name == "p.npz")
    assert found.made_by["kind"] == ("duo" if name == "p.npz" else "file")


def test_an_archive_has_32_bits_where_these_suffice(tmp_path: Path) -> None:
    write_pairwise(tmp_path / "narrow.npz", PairwiseRun((made_up(1, 50),)))
    wide = PairwiseScores("q", tuple("abcdefghij"), np.full((10, 10), 0.1))
    write_pairwise(tmp_path / "wide.npz", PairwiseRun((wide,)))
    assert (tmp_path / "narrow.npz").stat().st_size < 50 * 50 * 4 + 2000
    assert read_pairwise(tmp_path / "wide.npz").queries[0].matrix[0, 1] == 0.1


@every_case(("name", "text"), [
    ("p.txt", LINES),
    ("p.tsv", LINES.replace(" ", "\t")),
    ("p.csv", "query,first,second,score\n" + LINES.replace(" ", ",")),
    ("p.tsv", "rank_a qid id_b id_a score\n" + "1 q b a 0.9\n2 q a b 0.2\n1 q c a 0.6\n3 q a c 0.7\n1 r y x 1\n"),
    ("p.jsonl", '{"qid":"q","id_a":"a","id_b":"b","score":0.9}\n{"qid":"q","id_a":"b","id_b":"a","score":0.2}\n'
                '{"qid":"q","id_a":"a","id_b":"c","score":0.6}\n{"qid":"q","id_a":"c","id_b":"a","score":0.7}\n'
                '{"qid":"r","id_a":"x","id_b":"y","score":1}\n'),
])
def test_forms_of_text(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    run = read_pairwise(tmp_path / name)
    assert [one.doc_ids for one in run.queries] == [("a", "b", "c"), ("x", "y")]
    assert matrix_of(run) == [[-1, 0.9, 0.6], [0.2, -1, -1], [0.7, -1, -1]]
    assert run.pairs == 5


def test_gzip(tmp_path: Path) -> None:
    (tmp_path / "p.tsv.gz").write_bytes(gzip.compress(LINES.encode()))
    assert read_pairwise(tmp_path / "p.tsv.gz").pairs == 5
    (tmp_path / "q.tsv.gz").write_bytes(gzip.compress(LINES.encode() * 100)[:60])
    with pytest.raises(SourceError, match="cannot be read"):
        read_pairwise(tmp_path / "q.tsv.gz")


@every_case(("name", "text", "message"), [
    ("p.tsv", "q a b 0.9\nq b a\n", "p.tsv:2: 3 columns where the file has 4. Expected: query first second score"),
    ("p.tsv", "q a b 1 2 0.9\n", "p.tsv:1: 6 columns without a header"),
    ("p.tsv", "q a b 0.9\nq b a much\n", "p.tsv:2: the score 'much' is not a number"),
    ("p.tsv", "q a b 0_9\n", "p.tsv:1: the score '0_9' is not a number"),
    ("p.tsv", "q a b 0.9\nq a b 0.8\n", r"p.tsv:2 \(query q\): the pair of a and b occurs twice.*--duplicates mean"),
    ("p.tsv", "q a b 0.9\nq b a -1.5\nq a c nan\n", "p.tsv:2: 2 scores that are not a probability.*such as -1.5.*skip"),
    ("p.tsv", "q a a 0.9\n", "p.tsv:1: 1 document that is compared with itself, such as a"),
    ("p.tsv", "\n\n", "p.tsv: there are no pairwise scores in the file"),
    ("p.tsv", "qid id_a id_b score\n", "there are no pairwise scores"),
    ("p.jsonl", "{}\n", "p.jsonl:1: a pair has the keys .*Expected"),
    ("p.jsonl", "[1]\n", "p.jsonl:1: not a pair with its score"),
    ("p.jsonl", '{"qid":"q","id_a":"a","id_b":"b","score":0.9}\n{"qid":"q"}\n', "p.jsonl:2: not a pair with its score"),
    ("p.jsonl", "{\n", "p.jsonl:1: this is not JSON"),
    ("p.jsonl", '{"qid":"q","id_a":"a","id_b":"b","score":[1]}\n', r"p.jsonl:1: the score '\[1\]' is not a number"),
    ("p.npz", "no archive", "this is not an archive of pairwise scores"),
])
def test_broken_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message):
        read_pairwise(tmp_path / name)


def test_repairs_are_counted_and_reported(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("q a b 0.9\nq a b 0.5\nq b a nan\nq a a 0.5\nq b a 0.25\nq a c 7\nq a b 0.1\n")
    for duplicates, expected in (("mean", 0.5), ("last", 0.1)):
        reports: list[Problem] = []
        run = read_pairwise(tmp_path / "p.tsv", duplicates=duplicates, invalid="skip", on_problem=reports.append)  # type: ignore[arg-type]
        assert matrix_of(run) == [[-1, pytest.approx(expected)], [0.25, -1]]
        assert [str(report).split(":")[1] for report in reports] == ["3", "4", "2"]
        assert "2 scores that are not a probability" in reports[0].what
        assert "2 lines with a pair that other lines have" in reports[2].what


def test_null_is_a_score_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        '{"query":"q","i":"a","j":"b","p":0.9}\n{"query":"q","i":"b","j":"a","p":null}\n'
    )
    with pytest.raises(FormatError, match="not a probability"):
        read_pairwise(tmp_path / "p.jsonl")
    assert matrix_of(read_pairwise(tmp_path / "p.jsonl", invalid="skip")) == [[-1, 0.9], [-1, -1]]


def test_what_is_missing_or_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_pairwise(tmp_path / "none.tsv")
    with pytest.raises(SourceError, match="cannot be read"):
        read_pairwise(tmp_path / "none.npz")
    with pytest.raises(SourceError, match="a folder"):
        read_pairwise(tmp_path)
    with pytest.raises(ConfigError, match="duplicates cannot be 'first'"):
        read_pairwise(tmp_path, duplicates="first")  # type: ignore[arg-type]
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(FormatError, match="not an archive of pairwise scores"):
        read_pairwise(tmp_path / "other.npz")
    about = b'{"pairwise":7,"queries":[],"made_by":{}}'
    np.savez(tmp_path / "later.npz", about=np.frombuffer(about, np.uint8))
    with pytest.raises(FormatError, match=r"the format 7.*reads format 1"):
        read_pairwise(tmp_path / "later.npz")


def test_ids_that_columns_cannot_hold(tmp_path: Path) -> None:
    spaced = PairwiseRun((PairwiseScores("q", ("a b", "c,d"), np.full((2, 2), 0.5)),))
    for name in ("p.tsv", "p.csv"):
        with pytest.raises(FormatError, match="cannot be between columns"):
            write_pairwise(tmp_path / name, spaced)
    for name in ("p.jsonl", "p.npz"):
        write_pairwise(tmp_path / name, spaced)
        assert read_pairwise(tmp_path / name).queries[0].doc_ids == ("a b", "c,d")


def test_holes_stay_holes(tmp_path: Path) -> None:
    matrix = np.array([[NAN, 0.5], [NAN, NAN]])
    for name in ("p.tsv", "p.npz"):
        write_pairwise(tmp_path / name, PairwiseRun((PairwiseScores("q", ("a", "b"), matrix),)))
        assert read_pairwise(tmp_path / name).queries[0].holes == 1
