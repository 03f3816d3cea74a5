"""Runs: the tie rule, and TREC files read and written."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError, FormatError, Problem, SourceError
from porism.runs.provenance import Provenance
from porism.runs.run import Run, rank
from porism.system.files.text import read_lines


def test_score_descending_then_id_descending_by_code_point() -> None:
    assert rank([("a", 1.0), ("b", 2.0), ("c", 1.0), ("B", 1.0), ("é", 1.0), ("10", 1.0), ("9", 1.0)]) == [
        ("b", 2.0), ("é", 1.0), ("c", 1.0), ("a", 1.0), ("B", 1.0), ("9", 1.0), ("10", 1.0),
    ]


@given(st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False)))
def test_ranking_does_not_depend_on_the_order_given(scores: dict[str, float]) -> None:
    results = list(scores.items())
    assert rank(results) == rank(results[::-1]) == rank(sorted(results))
    assert sorted(rank(results)) == sorted(results)


def test_columns_and_rankings() -> None:
    run = Run({"q1": [("a", 1.0), ("b", 2.0)], "q2": [], "q3": [("c", -1.0)]}, "mine")
    assert run["q1"] == [("b", 2.0), ("a", 1.0)]
    assert run["q2"] == run["unknown"] == []
    assert (run.query_ids, run.doc_ids) == (("q1", "q2", "q3"), ("b", "a", "c"))
    assert run.offsets.tolist() == [0, 2, 2, 3]
    assert run.scores.tolist() == [2.0, 1.0, -1.0]
    assert len(run) == 3
    assert list(run) == ["q1", "q2", "q3"]
    assert "q2" in run
    assert "q4" not in run
    assert repr(run) == "Run('mine', 3 queries, 3 results)"
    assert run.to_dict() == {"q1": {"b": 2.0, "a": 1.0}, "q2": {}, "q3": {"c": -1.0}}
    assert run.top(1).doc_ids == ("b", "c")
    assert run.filter(lambda query, doc: doc == "a" and query == "q1").doc_ids == ("a",)


def test_a_run_cannot_be_changed() -> None:
    run = Run({"q": [("a", 1.0)]})
    with pytest.raises(ValueError, match="read-only"):
        run.scores[0] = 2.0
    run.to_dict()["q"]["a"] = 5.0
    assert run["q"] == [("a", 1.0)]
    with pytest.raises(TypeError, match="unhashable"):
        hash(run)


def test_equality_is_of_rankings_not_of_names_or_order() -> None:
    assert Run({"p": [("a", 1.0)], "q": []}, "x") == Run({"q": [], "p": [("a", 1.0)]}, "y")
    assert Run({"p": [("a", 1.0)]}) != Run({"p": [("a", 2.0)]})
    assert Run({}) != {}


@every_case("score", [float("nan"), float("inf"), -float("inf")])
def test_scores_are_finite(score: float) -> None:
    with pytest.raises(FormatError, match="query q: a score is not a finite number"):
        Run({"q": [("a", 1.0), ("b", score)]})


def test_a_document_stands_once() -> None:
    with pytest.raises(FormatError, match="query q: a document occurs twice"):
        Run({"q": [("a", 1.0), ("a", 2.0)]})


def test_spaces_tabs_gaps_in_ranks_line_ends_and_no_tag(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_bytes("\ufeffA.1\tQ0\t12\t1\t3.5\ttag\r\n\r\nA.1 Q0 7  9 3.5 tag\nA.2 Q0 5 1 -1e-3\n".encode())
    run = Run.read(path)
    assert run.name == "tag"
    assert run.to_dict() == {"A.1": {"7": 3.5, "12": 3.5}, "A.2": {"5": -0.001}}
    assert run["A.1"] == [("7", 3.5), ("12", 3.5)]


def test_the_better_of_two_lines_for_one_document_stays(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_text("q Q0 a 1 2.0\nq Q0 a 2 3.0\nq Q0 a 3 1.0\n")
    problems: list[Problem] = []
    run = Run.read(path, problems.append, duplicates="best", ranks="file")
    assert run["q"] == [("a", 3.0)]
    assert run.ranks.tolist() == [2]
    assert run.name == "some"
    assert [str(problem) for problem in problems] == [
        "some.run:2: document a occurs twice for query q",
        "some.run:3: document a occurs twice for query q",
    ]


@every_case(
    ("line", "message"),
    [
        ("q Q0 a 1", "some.run:2: 4 columns where a run has 6. Expected: query Q0 document rank score tag."),
        ("q Q0 a 1 2 tag more", "some.run:2: 7 columns where a run has 6"),
        ("q Q0 a 1 high tag", "some.run:2: the score 'high' is not a finite number"),
        ("q Q0 a 1 nan tag", "some.run:2: the score 'nan' is not a finite number"),
        ("q Q0 a 1 3.0 tag", "some.run:2: document a occurs twice for query q. Leave one of the lines out"),
        ("q Q0 a 1 1e999 tag", "some.run:2: the score '1e999' is not a finite number"),
        ("q Q0 a 1 1_000 tag", "some.run:2: the score '1_000' is not a finite number"),
        ("q Q0 a 1 ٣ tag", "some.run:2: the score '٣' is not a finite number"),
        ("q Q0 a 1 0x10 tag", "some.run:2: the score '0x10' is not a finite number"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "some.run"
    path.write_text(f"q Q0 a 1 2.0 tag\n{line}\n")
    with pytest.raises(FormatError) as caught:
        Run.read(path)
    assert message in str(caught.value)


IDS = st.text(st.characters(exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=8).filter(
    lambda text: len(text.split()) == 1 and text.split()[0] == text and not text.startswith("\ufeff")
)


@given(
    st.dictionaries(
        IDS,
        st.dictionaries(IDS, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4),
        max_size=3,
    ),
    st.sampled_from(["run.txt", "run.gz"]),
)
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, scores: dict[str, dict[str, float]],
                                      name: str) -> None:
    path = tmp_path_factory.mktemp("runs") / name
    run = Run({query: results.items() for query, results in scores.items()}, "two words")
    run.write(path)
    again = Run.read(path)
    assert again == run
    assert again.name == ("two_words" if scores else "run")


def test_the_file_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("before")
    with pytest.raises(FormatError, match="'a b' cannot be in a TREC file"):
        Run({"q": [("x", 2.0), ("a b", 1.0)]}).write(path)
    with pytest.raises(FormatError, match="the query id '' cannot be in a TREC file"):
        Run({"": [("x", 2.0)]}).write(path)
    with pytest.raises(FormatError, match="an id cannot be written as UTF-8"):
        Run({"q": [("\ud800", 1.0)]}).write(path)
    assert path.read_text() == "before"
    assert [other.name for other in tmp_path.iterdir()] == ["run.txt"]


def test_tags_and_ranks_are_written(tmp_path: Path) -> None:
    Run({"q": [("a", 0.1), ("b", 0.25)]}, "").write(tmp_path / "run")
    assert (tmp_path / "run").read_text() == "q\tQ0\tb\t1\t0.25\tporism\nq\tQ0\ta\t2\t0.1\tporism\n"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "none" / "run", tmp_path / "file" / "run", tmp_path, tmp_path / ("x" * 300)):
        with pytest.raises(SourceError, match="cannot be written"):
            Run({"q": [("a", 1.0)]}).write(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        Run.read(tmp_path / "none")
    with pytest.raises(SourceError, match="cannot be read"):
        Run.read(tmp_path)
    whole = gzip.compress(b"".join(b"q Q0 doc%d 1 %d tag\n" % (n, n * 7919 % 1000) for n in range(5000)))
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged.gz").write_bytes(whole[:200] + b"\xff" * 100 + whole[300:])
    (tmp_path / "text.gz").write_bytes(b"q Q0 a 1 1 tag\n")
    for name in ("cut.gz", "damaged.gz", "text.gz"):
        with pytest.raises(SourceError, match=f"{name}: cannot be read"):
            Run.read(tmp_path / name)


def test_broken_bytes_are_replaced_and_lines_are_numbered(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"one\r\n\xfftwo\n\nfour")
    assert list(read_lines(tmp_path / "text")) == [(1, "one"), (2, "\ufffdtwo"), (3, ""), (4, "four")]


def test_ranks_are_positions_unless_a_file_s_own_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "cut.run"
    path.write_text("q Q0 a 3 9.0 t\nq Q0 b 7 8.0 t\nq Q0 c 20 8.0 t\np Q0 a 1 1.0 t\n")
    plain, kept = Run.read(path), Run.read(path, ranks="file")
    assert plain.doc_ids == kept.doc_ids == ("a", "c", "b", "a")
    assert (plain.ranks.tolist(), plain.has_file_ranks) == ([1, 2, 3, 1], False)
    assert (kept.ranks.tolist(), kept.has_file_ranks) == ([3, 20, 7, 1], True)
    assert kept.top(2).ranks.tolist() == [3, 20, 1]
    assert kept.only(["p", "none"]).ranks.tolist() == [1]
    assert kept.filter(lambda query, doc: doc != "c").ranks.tolist() == [3, 7, 1]
    assert plain.filter(lambda query, doc: doc != "c").ranks.tolist() == [1, 2, 1]
    assert kept.renamed("n").ranks.tolist() == kept.ranks.tolist()
    kept.write(tmp_path / "again.run")
    assert Run.read(tmp_path / "again.run", ranks="file").ranks.tolist() == kept.ranks.tolist()
    for bad in ("0", "-1", "1.5", "first"):
        path.write_text(f"q Q0 a {bad} 9.0 t\n")
        with pytest.raises(FormatError, match=f"cut.run:1: the rank '{bad}' is not a whole number from 1"):
            Run.read(path, ranks="file")
    with pytest.raises(ConfigError, match="ranks='own'"):
        Run.read(path, ranks="own")  # type: ignore[arg-type]


def test_parts_of_a_run() -> None:
    run = Run({"q": [("a", 2.0), ("b", 1.0)], "r": [], "p": [("c", 1.0)]}, "mine", provenance=Provenance({"kind": "x"}))
    part = run.only(["p", "q", "p"])
    assert part.query_ids == ("q", "p")
    assert part["p"] == [("c", 1.0)]
    assert part.name == "mine"
    assert part.provenance is run.provenance
    assert run.renamed("other").name == "other"
    assert run.with_provenance(None).provenance is None
    assert run.with_provenance(None) == run


def test_columns_are_taken_as_they_are_and_checked() -> None:
    run = Run.from_columns(["q", "p"], [0, 2, 3], ["b", "a", "c"], [1.0, 1.0, 5.0], "mine")
    assert run == Run({"q": [("a", 1.0), ("b", 1.0)], "p": [("c", 5.0)]})
    assert not run.has_file_ranks
    for columns, message in [
        ((["q"], [0, 2], ["a", "b"], [1.0, 2.0]), "not sorted"),
        ((["q"], [0, 1], ["a"], [float("nan")]), "finite"),
        ((["q"], [0, 1], ["a", "b"], [2.0, 1.0]), "do not fit"),
        ((["q", "q"], [0, 1, 2], ["a", "b"], [2.0, 1.0]), "do not fit"),
        ((["q", "p"], [0, 2, 1], ["a"], [2.0]), "do not fit"),
    ]:
        with pytest.raises(FormatError, match=message):
            Run.from_columns(*columns)  # type: ignore[arg-type]


@every_case("name", ["a.run", "a.run.gz"])
def test_the_provenance_lies_beside_the_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    provenance = Provenance(
        {"kind": "fusion", "weights": (0.5, np.float64(0.25))}, ("A.1", "A.2", "A.1"),
        ({"measure": "nDCG'", "folds": 5},), {"A.1": 0.25},
    )
    run = Run({"A.1": [("a", 1.0)]}, "mine", provenance=provenance)
    run.write(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [name, f"{name}.provenance.json"]
    found = Run.read(path).provenance
    assert found is not None
    assert found.made_by == {"kind": "fusion", "weights": [0.5, 0.25]}
    assert found.tuned_on == ("A.1", "A.2")
    assert found.evidence == ({"measure": "nDCG'", "folds": 5},)
    assert found.seconds == {"A.1": 0.25}
    Run({"A.1": [("a", 1.0)]}).write(path)  # made otherwise: the record of the other is not left beside it
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert Run.read(path).provenance is None


@every_case(
    ("record", "reason"),
    [
        (None, "the record is of another run or of another state of this one"),
        (b"{", "the record beside the run is not JSON"),
        (b"[1]", "this is not the record of a run, or one of another version"),
        (b'{"format": 2, "run_digest": "0", "made_by": {}, "tuned_on": "A.1", "evidence": [], "seconds": {}}',
         "the record of a run lacks a part"),
    ],
)
def test_a_record_that_does_not_fit_is_told_and_not_used(tmp_path: Path, record: bytes | None, reason: str) -> None:
    path = tmp_path / "a.run"
    Run({"q": [("a", 1.0)]}, provenance=Provenance(tuned_on=("q",))).write(path)
    if record is None:
        path.write_text(path.read_text() + "q Q0 b 2 0.5 t\n")
    else:
        (tmp_path / "a.run.provenance.json").write_bytes(record)
    problems: list[Problem] = []
    assert Run.read(path, problems.append).provenance is None
    assert [problem.where for problem in problems] == ["a.run.provenance.json"]
    assert reason in problems[0].what
    assert problems[0].what.endswith("it is not used")


def test_a_run_that_is_renamed_packed_or_retagged_keeps_its_record(tmp_path: Path) -> None:
    tuned = Run({"q": [("a", 2.0), ("b", 1.0)], "p": [("c", 0.1)]}, "mine", provenance=Provenance(tuned_on=("q",)))
    tuned.write(tmp_path / "a.run")
    content = (tmp_path / "a.run").read_bytes()
    (tmp_path / "copy.run").write_bytes(content)
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(content))
    lines = content.decode().replace("mine", "other").replace("\t", " ").splitlines()
    (tmp_path / "edited.run").write_text("\r\n".join(reversed(lines)))
    (tmp_path / "link.run").symlink_to("a.run")
    problems: list[Problem] = []
    for name in ("a.run", "copy.run", "a.run.gz", "edited.run", "link.run"):
        found = Run.read(tmp_path / name, problems.append).provenance
        assert found is not None, name
        assert found.tuned_on == ("q",)
    (tmp_path / "less.run").write_text(content.decode().splitlines()[0])
    assert Run.read(tmp_path / "less.run", problems.append).provenance is None
    assert not problems
    (tmp_path / "a.run").write_text(content.decode() + "q Q0 z 3 0.5 mine\n")
    assert Run.read(tmp_path / "a.run", problems.append).provenance is None
    assert problems[0].what == ("the record is of another run or of another state of this one, which was tuned on "
                                "1 topic; it is not used")


def test_a_run_read_in_any_order_of_lines_is_ranked_as_one_made_in_memory(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    results = {
        f"q{query}": [(f"d{doc}", float(random.integers(4))) for doc in random.permutation(150)] for query in range(5)
    }
    lines = [f"{query} Q0 {doc} 1 {score} t" for query, ranked in results.items() for doc, score in ranked]
    random.shuffle(lines)
    path = tmp_path / "some.run"
    path.write_text("\n".join(lines))
    assert Run.read(path) == Run(results)
    assert Run.read(path).digest() == Run(results).digest()
    assert Run(results).digest() != Run(results).top(149).digest()


def test_a_provenance_that_json_cannot_hold_writes_nothing(tmp_path: Path) -> None:
    for value in (float("nan"), object()):
        with pytest.raises(FormatError, match="cannot be written as JSON"):
            Run({"q": [("a", 1.0)]}, provenance=Provenance({"x": value})).write(tmp_path / "a.run")
    assert not list(tmp_path.iterdir())


def test_merged_provenances() -> None:
    record = {"measure": "nDCG'", "score": 0.5}
    first = Provenance({"kind": "a"}, ("1", "2"), (record,), {"1": 1.0})
    second = Provenance({"kind": "b"}, ("3", "2"), (dict(record), {"measure": "MAP'"}))
    both = Provenance.merged([first, None, second], {"kind": "fusion"})
    assert both == Provenance({"kind": "fusion"}, ("1", "2", "3"), (record, {"measure": "MAP'"}))
