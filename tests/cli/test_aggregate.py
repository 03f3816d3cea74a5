"""``porism aggregate`` and ``porism flips``."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from pairwise_cases import THREE, made_up

from porism.lab.pairwise import AGGREGATIONS, PairwiseRun, aggregate, read_pairwise, write_pairwise
from porism.runs.run import Run

RUNS = {"q": [("a", 5.0), ("b", 4.0), ("c", 3.0), ("d", 2.0), ("e", 1.0)], "other": [("x", 2.0), ("y", 1.0)]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Pairwise scores of three documents, and a run of five that begins with them."""
    write_pairwise(tmp_path / "pairs.tsv", PairwiseRun((THREE,)))
    Run(RUNS, "first").write(tmp_path / "first.run")
    return tmp_path


def test_pairs_are_aggregated_into_a_run(porism, files) -> None:
    result = porism("aggregate", files / "pairs.tsv", "--output", files / "out.run", "--name", "mine")
    assert (result.status, result.err) == (0, "")
    assert "1 query, 6 pairs aggregated by sym-sum in " in result.out
    written = Run.read(files / "out.run")
    assert written == aggregate(PairwiseRun((THREE,)))
    assert written.name == "mine"
    assert written.provenance is not None
    assert written.provenance.made_by["of"] == {"kind": "file", "name": "pairs.tsv"}


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_every_method_above_the_rest_of_the_first_stage(porism, files, method) -> None:
    result = porism("aggregate", files / "pairs.tsv", "--method", method, "--run", files / "first.run",
                    "--output", files / "out.run", "--quiet")
    assert (result.status, result.out) == (0, "")
    assert "query other: it has no pairwise scores, and keeps its order" in result.err
    written = Run.read(files / "out.run")
    ranked = [doc_id for doc_id, _ in written["q"]]
    assert ranked[:3] == [doc_id for doc_id, _ in aggregate(PairwiseRun((THREE,)), method)["q"]]
    assert ranked[3:] == ["d", "e"]
    assert written["other"] == RUNS["other"]


def test_a_depth_leaves_documents_out_of_the_comparison(porism, files) -> None:
    result = porism("aggregate", files / "pairs.tsv", "--run", files / "first.run", "--depth", 2, "--set", "cuts=[1]",
                    "--method", "loop-truncation", "--output", files / "out.run", "--quiet")
    assert result.status == 0
    assert [doc_id for doc_id, _ in Run.read(files / "out.run")["q"]] == ["a", "b", "c", "d", "e"]
    deep = porism("aggregate", files / "pairs.tsv", "--run", files / "first.run", "--depth", 50,
                  "--output", files / "out.run")
    assert "query q: 3 documents were compared, fewer than the depth of 50" in deep.err


def test_repairs_are_reported_and_stored(porism, files) -> None:
    (files / "broken.tsv").write_text("q a b 0.9\nq a b 0.7\nq b a nan\nq z a 0.5\n")
    options = ("--run", files / "first.run", "--store", files / "out.npz", "--problems", files / "problems.txt")
    refused = porism("aggregate", files / "broken.tsv", *options)
    assert refused.status == 1
    assert "broken.tsv:3: 1 score that is not a probability" in refused.err
    assert not (files / "out.npz").exists()
    result = porism("aggregate", files / "broken.tsv", *options, "--duplicates", "mean", "--invalid", "skip",
                    "--unknown", "drop")
    assert result.status == 0
    assert f"1 query, 1 pair: {files / 'out.npz'}" in result.out
    assert len((files / "problems.txt").read_text().splitlines()) == 3
    (stored,) = read_pairwise(files / "out.npz").queries
    assert (stored.doc_ids, stored.ranked, stored.matrix[0, 1]) == (("a", "b"), True, pytest.approx(0.8))


def test_holes(porism, files) -> None:
    (files / "holes.tsv").write_text("q a b 0.9\nq a c 0.8\n")
    refused = porism("aggregate", files / "holes.tsv", "--output", files / "out.run")
    assert refused.status == 1
    assert "2 of 6 pairs have no score in either order, such as b and c" in refused.err
    result = porism("aggregate", files / "holes.tsv", "--output", files / "out.run", "--missing-scores", "half")
    assert "2 pairs got 1 - the score of the other order, 2 pairs that no order has a score of got 1/2" in result.err
    assert Run.read(files / "out.run")["q"][0] == ("a", pytest.approx(3.4))


@every_case(("arguments", "status", "message"), [
    (("pairs.tsv",), 2, "--output RUN or --store FILE"),
    (("pairs.tsv", "--output", "out.run", "--depth", 3), 2, "--depth works with --run only"),
    (("pairs.tsv", "--output", "pairs.tsv"), 2, "--output is a file that is read"),
    (("none.tsv", "--output", "out.run"), 1, "this file does not exist"),
    (("pairs.tsv", "--output", "none/out.run"), 1, "this folder does not exist"),
    (("pairs.tsv", "--output", "out.run", "--method", "out-of-flip"), 1, "needs the order of the stage before"),
    (("pairs.tsv", "--output", "out.run", "--method", "sums"), 1, "Did you mean sum"),
    (("pairs.tsv", "--output", "out.run", "--set", "least=1"), 1, "least"),
])
def test_what_is_refused(porism, files, monkeypatch, arguments, status, message) -> None:
    monkeypatch.chdir(files)
    result = porism("aggregate", *arguments)
    assert result.status == status
    assert message in result.err
    assert not (files / "out.run").exists()


def test_the_list_of_methods(porism) -> None:
    listed = porism("aggregate", "--list").out
    assert all(f"{method}: " in listed for method in AGGREGATIONS)
    assert "    cuts = (200, 100, 50)" in listed


def test_flips(porism, files) -> None:
    pytest.importorskip("matplotlib")
    pairs = PairwiseRun(tuple(made_up(seed, 40, f"q{seed}") for seed in range(5)))
    write_pairwise(files / "many.npz", pairs)
    result = porism("flips", files / "many.npz", "--depths", "10,40", "--output", files / "flips.tsv",
                    "--plot", files / "flips.svg")
    assert result.status == 0
    assert [line.split()[:3] for line in result.out.splitlines()[1:]] == [["10", "5", "225"], ["40", "5", "3,900"]]
    lines = (files / "flips.tsv").read_text().splitlines()
    assert len(lines) == 11
    assert lines[1].startswith("q0\t10\t45\t")
    assert "40 candidates" in (files / "flips.svg").read_text()


def test_flips_need_an_order_for_depths(porism, files) -> None:
    assert porism("flips", files / "pairs.tsv").status == 0
    refused = porism("flips", files / "pairs.tsv", "--depths", "2")
    assert refused.status == 1
    assert "--run RUN" in refused.err
    assert porism("flips", files / "pairs.tsv", "--depths", "2", "--run", files / "first.run").status == 0
    wrong = porism("flips", files / "pairs.tsv", "--depths", "2,x")
    assert (wrong.status, "--depths is 2,x" in wrong.err) == (2, True)
