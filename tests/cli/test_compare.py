"""``porism compare``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus import read_qrels
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import fuse
from porism.runs.provenance import Provenance
from porism.runs.run import Run

Ranked = list[tuple[str, float]]


def ranking(docs: str) -> Ranked:
    return [(doc, -float(place)) for place, doc in enumerate(docs)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """``good.run``, ``poor.run`` (tuned on t1), ``qrels.txt``, ``topics.tsv`` and ``information.csv``."""
    topics = ["t1", "t2", "t3", "t4"]
    Run({topic: ranking("ab") for topic in topics}, "good").write(tmp_path / "good.run")
    Run(
        {topic: ranking("xba") for topic in topics[:3]}, "poor", provenance=Provenance(tuned_on=("t1",))
    ).write(tmp_path / "poor.run")
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 a 3\n{topic} 0 b 0\n" for topic in topics))
    (tmp_path / "topics.tsv").write_text("".join(f"{topic}\tword $x+{topic[1]}$\n" for topic in topics))
    (tmp_path / "information.csv").write_text("Topic,Category\nt1,Proof\nt2,Proof\nt3,Concept\nt4,Concept\n")
    return tmp_path


@pytest.fixture
def compare(porism, files: Path) -> Callable[..., object]:
    return lambda *options: porism(
        "compare", files / "good.run", files / "poor.run", "--qrels", files / "qrels.txt", *options
    )


def test_the_table_has_warning_runs_and_method(compare) -> None:
    result = compare("--measures", "RR P'@1")
    assert result.status == 0
    lines = result.out.split("\n")
    assert lines[0] == "WARNING: poor: tuned on 1 of these 4 topics: not held out."
    assert lines[3].split() == ["run", "RR", "P'@1"]
    assert lines[4].split() == ["good", "‡", "1.0000", "1.0000"]
    # 1/3 1/3 1/3 0 beside 1 1 1 1: t is 0.75 / (1/6 / √4) = 9 with 3 degrees of freedom, p = 0.0029
    assert lines[5].split()[:3] == ["poor", "†", "0.2500**"]
    assert any(line.startswith("4 topics of qrels.txt") for line in lines)


def test_json_has_the_same_numbers(compare) -> None:
    found = json.loads(compare("--measures", "RR", "--json").out)
    assert found["baseline"] == "good"
    assert found["tests"]["RR"]["poor"]["difference"] == pytest.approx(-0.75)
    assert found["warnings"][0].startswith("poor: tuned on 1")
    assert found["versions"]["Porism"]


def test_names_and_baseline(compare, files: Path) -> None:
    found = json.loads(compare("--names", "A, B", "--baseline", "B", "--json").out)
    assert [run["run"] for run in found["runs"]] == ["A", "B"]
    assert found["baseline"] == "B"
    assert json.loads(compare("--baseline", files / "poor.run", "--json").out)["baseline"] == "poor"
    assert json.loads(compare("--baseline", "best", "--json").out)["baseline"] == "good"


def test_groups_by_query_and_information(compare, files: Path) -> None:
    result = compare(
        "--topics", files / "topics.tsv", "--information", files / "information.csv", "--measures", "RR", "--json"
    )
    by = {part["by"]: part["groups"] for part in json.loads(result.out)["breakdowns"]}
    assert set(by) == {"category", "length", "share of mathematics"}
    assert by["category"]["Concept"]["runs"]["poor"]["RR"] == pytest.approx(1 / 6)


def test_reports_are_written(compare, files: Path) -> None:
    pytest.importorskip("matplotlib")
    result = compare(
        "--html", files / "r.html", "--latex", files / "r.tex", "--csv", files / "r.csv", "--svg", files / "plots",
        "--title", "Some runs", "--fused", "poor", "--topic", "t2",
    )
    assert result.status == 0
    assert "<h1>Some runs</h1>" in (files / "r.html").read_text(encoding="utf-8")
    assert r"\label{tab:r}" in (files / "r.tex").read_text(encoding="utf-8")
    assert (files / "r.csv").read_text(encoding="utf-8").startswith("run,")
    assert (files / "r.topics.csv").exists()
    assert "rank-positions.svg" in {path.name for path in (files / "plots").iterdir()}
    assert "plots" in result.err
    first = (files / "r.html").read_bytes()
    compare("--html", files / "again.html", "--title", "Some runs", "--fused", "poor", "--topic", "t2")
    assert (files / "again.html").read_bytes() == first


@every_case(("options", "words"), [
    (["--baseline", "goood"], "Did you mean good"),
    (["--measures", "nDGC"], "nDCG"),
    (["--html", "missing/r.html"], "folder does not exist"),
    (["--svg", "qrels.txt"], "not a folder"),
    (["--fused", "god"], "Did you mean good"),
    (["--topics", "none.tsv"], "none.tsv"),
])
def test_errors_are_one_line(compare, files: Path, monkeypatch, options: list[str], words: str) -> None:
    monkeypatch.chdir(files)
    result = compare(*options)
    assert result.status == 1
    assert result.err.startswith("Error: ")
    assert words in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_wrong_usage(compare) -> None:
    assert compare("--names", "one").status == 2
    assert compare("--formulas").status == 2
    assert compare("--by", "category").status == 2
    assert compare("--confidence", "1.5").status == 2


def test_a_run_on_other_topics_is_named(porism, files: Path) -> None:
    Run({"z": ranking("a")}, "stranger").write(files / "other.run")
    result = porism("compare", files / "good.run", files / "other.run", "--qrels", files / "qrels.txt")
    assert result.status == 1
    assert "stranger" in result.err


def test_a_collection_restricts_the_judgments(porism, files: Path, sample_index: Path) -> None:
    (files / "sample.qrels").write_text("q 0 basel-by-parseval 2\nq 0 elsewhere 2\n")
    Run({"q": [("elsewhere", 2.0), ("basel-by-parseval", 1.0)]}, "one").write(files / "one.run")
    result = porism(
        "compare", files / "one.run", "--qrels", files / "sample.qrels", "--collection", sample_index, "--json",
        "--measures", "P'@1",
    )
    found = json.loads(result.out)
    assert found["runs"][0]["aggregated"]["P'@1"] == 1.0
    assert "restricted to a collection" in found["method"][0]


@pytest.mark.needs_shared_data
def test_real_runs_with_the_ranks_of_their_files(porism, shared_data: Path, tmp_path: Path) -> None:
    runs = sorted((shared_data / "arqmath-runs-2020").glob("prim_*.tsv"))
    topics = shared_data / "arqmath-topics" / "2020"
    result = porism(
        "compare", *runs, "--qrels", topics / "qrel_task1_2020.tsv", "--topics", topics / "Topics_Task1_2020.xml",
        "--ranks", "file", "--baseline", "best", "--measures", "nDCG'", "--json",
    )
    found = json.loads(result.out)
    assert found["baseline"] == "MathDowsers"
    values = {run["run"]: run["aggregated"]["nDCG'"] for run in found["runs"]}
    assert values["MathDowsers"] == pytest.approx(0.345, abs=5e-4)  # as published
    assert values["APPROACH0"] == pytest.approx(0.247, abs=5e-4)
    assert {part["by"] for part in found["breakdowns"]} == {"length", "share of mathematics"}


def test_ablation(porism, files: Path) -> None:
    pytest.importorskip("scipy")
    topics = ["t1", "t2", "t3", "t4"]
    Run({topic: ranking("xa") for topic in topics}, "third").write(files / "third.run")
    runs = [Run.read(files / f"{name}.run") for name in ("good", "poor", "third")]
    fuse(runs, "rrf").write(files / "fused.run")
    result = porism(
        "compare", *(files / f"{name}.run" for name in ("good", "poor", "third", "fused")),
        "--qrels", files / "qrels.txt", "--measures", "RR", "--ablation", "rrf", "--ablation", "combmnz",
        "--csv", files / "out.csv",
    )
    assert result.status == 0, result.err
    assert "Not in the ablation, as fusions of the others: rrf." in result.err
    lines = result.out.splitlines()
    values = {}
    for method in ("rrf", "combmnz"):
        qrels = read_qrels(files / "qrels.txt")
        values[method] = [
            evaluate_run(fuse(members, method), qrels, ["RR"])["RR"]
            for members in (runs, runs[1:], runs[::2], runs[:2])
        ]
        start = next(number for number, line in enumerate(lines) if line.startswith(f"{method}: fused"))
        rows = [line.split() for line in lines[start + 1 : start + 5]]
        assert [row[0] for row in rows] == ["all", "without", "without", "without"]
        shown = [float(next(cell for cell in row if cell.startswith(("0.", "1.")))) for row in rows]
        assert shown == pytest.approx(values[method], abs=1e-4)
        assert lines[start + 5].startswith("one of each of 2 clusters, mean")
    assert (files / "out.ablation.csv").read_text().count("\nrrf,without,") == 3


def test_ablations_that_cannot_be(compare, porism, files: Path) -> None:
    assert "Did you mean rrf?" in compare("--ablation", "rff").err
    assert "rbc has to learn from judgments" in compare("--ablation", "rbc").err
    alone = porism("compare", files / "good.run", "--qrels", files / "qrels.txt", "--ablation", "rrf")
    assert (alone.status, "--ablation takes two runs or more." in alone.err) == (2, True)
    two = compare("--ablation", "rrf", "--json")
    assert "one_per_cluster" not in json.loads(two.out)["ablation"]["rrf"]


def test_nothing_that_is_read_is_written_over(compare, files: Path) -> None:
    before = {path: path.read_bytes() for path in files.iterdir()}
    for option, name, what in [
        ("--csv", "good.run", "one of the runs"), ("--html", "qrels.txt", "a file that is read"),
        ("--latex", "good.run", "one of the runs"),
    ]:
        result = compare(option, files / name)
        assert result.status == 2
        assert f"{option} is {what}; give another file." in result.err
    result = compare("--html", files / "out", "--latex", files / "out")
    assert (result.status, "--latex and --html are the same file" in result.err) == (2, True)
    assert {path: path.read_bytes() for path in files.iterdir()} == before
