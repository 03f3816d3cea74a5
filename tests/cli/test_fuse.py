"""``porism fuse``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

from porism.lab.fusion import FUSIONS, fuse
from porism.runs.run import Run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three runs of ten topics and judgments of them; ``gaps.run`` has ranks with gaps."""
    rng = np.random.default_rng(1)
    lines: dict[str, list[str]] = {"good": [], "fair": [], "noise": []}
    qrels: list[str] = []
    for topic in range(10):
        gains = rng.integers(0, 4, 20)
        qrels += [f"T{topic}\t0\td{doc}\t{gain}" for doc, gain in enumerate(gains)]
        for name, noise in (("good", 0.5), ("fair", 2.0), ("noise", 50.0)):
            scores = gains + noise * rng.normal(size=20)
            order = np.argsort(-scores)[:15]
            lines[name] += [
                f"T{topic} Q0 d{doc} {at} {scores[doc]:.6f} {name}" for at, doc in enumerate(order.tolist(), 1)
            ]
    for name, content in lines.items():
        (tmp_path / f"{name}.run").write_text("\n".join(content) + "\n")
    (tmp_path / "qrels.tsv").write_text("\n".join(qrels) + "\n")
    (tmp_path / "gaps.run").write_text("T0 Q0 d1 4 2.0 gaps\nT0 Q0 d2 9 1.0 gaps\n")
    return tmp_path


def runs_of(files: Path) -> list[Path]:
    return [files / "good.run", files / "fair.run", files / "noise.run"]


def test_runs_are_fused_into_a_file(porism, files) -> None:
    result = porism("fuse", *runs_of(files), "--set", "k=10", "--set", "weights=1,0.5,0.1", "--depth", 7,
                    "--name", "mine", "--output", files / "out.run")
    assert result.status == 0
    assert "3 runs fused by rrf: 10 topics, 70 results" in result.out
    written = Run.read(files / "out.run")
    assert written.name == "mine"
    assert written == fuse([Run.read(path) for path in runs_of(files)], "rrf", k=10, weights=[1, 0.5, 0.1], depth=7)
    assert written.provenance is not None
    assert written.provenance.made_by["parameters"] == {"k": 10.0, "weights": [1.0, 0.5, 0.1]}


@every_case("method", sorted(set(FUSIONS) - {"wibc", "rbc"}))
def test_every_method(porism, files, method) -> None:
    result = porism("fuse", *runs_of(files), "--method", method, "--output", files / f"{method}.run", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert Run.read(files / f"{method}.run") == fuse([Run.read(path) for path in runs_of(files)], method)


def test_ranks_of_the_file(porism, files) -> None:
    for ranks, best in (("position", 1 / 61), ("file", 1 / 64)):
        porism("fuse", files / "gaps.run", "--ranks", ranks, "--output", files / "out.run")
        assert dict(Run.read(files / "out.run")["T0"])["d1"] == pytest.approx(best)


def test_missing_topics_are_reported(porism, files) -> None:
    result = porism("fuse", files / "good.run", files / "gaps.run", "--output", files / "out.run")
    assert result.status == 0
    assert "gaps has no results for 9 of the 10 topics" in result.err


def test_methods_are_listed(porism) -> None:
    result = porism("fuse", "--list")
    assert result.status == 0
    for method in FUSIONS:
        assert f"\n{method}: " in f"\n{result.out}"
    assert "    k = 60.0\n" in result.out
    assert "    norm = min-max  (min-max, z-score, rank, sum, none)\n" in result.out


def test_a_regression_is_fitted_stored_and_used_again(porism, files) -> None:
    pytest.importorskip("sklearn")
    given = ["fuse", *runs_of(files), "--method", "rbc", "--set", "model=linear"]
    result = porism(*given, "--qrels", files / "qrels.tsv", "--train-topics", "T0,T1,T2", "--store", files / "m.json",
                    "--output", files / "one.run")
    assert result.status == 0
    assert "3 of the 10 topics are ranked by what was learnt from them" in result.err
    stored = json.loads((files / "m.json").read_text())
    assert stored["training_topics"] == ["T0", "T1", "T2"]
    assert len(stored["settings"]["coefficients"]) == 3
    assert porism(*given, "--fitted", files / "m.json", "--output", files / "two.run").status == 0
    one, two = Run.read(files / "one.run"), Run.read(files / "two.run")
    assert one == two
    assert one.provenance is not None
    assert two.provenance is not None
    assert one.provenance.tuned_on == two.provenance.tuned_on == ("T0", "T1", "T2")
    weighted = porism("fuse", *runs_of(files), "--method", "wibc", "--fitted", files / "m.json",
                      "--output", files / "w.run")
    assert weighted.status == 0
    assert Run.read(files / "w.run").provenance.tuned_on == ("T0", "T1", "T2")  # type: ignore[union-attr]


def test_topics_as_a_file_and_as_shares(porism, files) -> None:
    pytest.importorskip("sklearn")
    (files / "train.txt").write_text("T3\nT4 T5,T6\n")
    given = ["fuse", *runs_of(files), "--method", "wibc", "--qrels", files / "qrels.tsv", "--output", files / "out.run"]

    def learnt_from(*options: object) -> dict[str, list[str]]:
        assert porism(*given, *options).status == 0
        provenance = Run.read(files / "out.run").provenance
        assert provenance is not None
        return provenance.evidence[-1]  # type: ignore[return-value]

    assert learnt_from("--train-topics", files / "train.txt")["training_topics"] == ["T3", "T4", "T5", "T6"]
    assert len(learnt_from()["training_topics"]) == 10
    shares = learnt_from("--train-topics", "0.6", "--validation-topics", "0.2", "--seed", 3)
    assert (len(shares["training_topics"]), len(shares["validation_topics"])) == (6, 2)
    assert not set(shares["training_topics"]) & set(shares["validation_topics"])
    assert learnt_from("--train-topics", "0.6", "--seed", 3)["training_topics"] == shares["training_topics"]
    assert learnt_from("--train-topics", "0.6", "--seed", 4)["training_topics"] != shares["training_topics"]
    rest = learnt_from("--validation-topics", "T1,T2")
    assert set(rest["training_topics"]) == {f"T{number}" for number in (0, *range(3, 10))}


def test_folds_leave_no_topic_tuned_on_itself(porism, files) -> None:
    pytest.importorskip("sklearn")
    result = porism("fuse", *runs_of(files), "--method", "rbc", "--set", "model=ridge", "--qrels", files / "qrels.tsv",
                    "--folds", 5, "--output", files / "out.run")
    assert result.status == 0
    assert "learnt from them" not in result.err
    provenance = Run.read(files / "out.run").provenance
    assert provenance is not None
    assert provenance.tuned_on == ()
    assert len(provenance.evidence[-1]["folds"]) == 5


@every_case(("options", "message"), [
    (["--method", "rff"], "there is no fusion 'rff'. Did you mean rrf?"),
    (["--set", "kk=3"], "there is no setting 'kk'. Did you mean k?"),
    (["--set", "k"], "the setting 'k' is not of the form name=value"),
    (["--set", "k=sixty"], "the setting 'k' cannot be 'sixty'"),
    (["--set", "weights=1,2"], "there are 2 weights for 3 runs"),
    (["--set", "weights=1,nan,1"], "the setting 'weights.1' cannot be"),
    (["--method", "combsum", "--set", "norm=zscore"], "the setting 'norm' cannot be 'zscore'"),
    (["--method", "wibc"], "wibc has no weights"),
    (["--method", "rbc"], "rbc is not fitted"),
    (["--method", "wibc", "--qrels", "missing.tsv"], "missing.tsv: this file does not exist"),
    (["--method", "rbc", "--qrels", "{qrels}", "--train-topics", "T0,T99"], "topic 'T99' has no judgments"),
    (["--method", "rbc", "--qrels", "{qrels}", "--train-topics", "0"], "--train-topics is 0"),
    (["--method", "rbc", "--qrels", "{qrels}", "--train-topics", "-0.5"], "--train-topics is -0.5"),
    (["--method", "rbc", "--qrels", "{qrels}", "--train-topics", "nan"], "--train-topics is nan"),
    (["--method", "rbc", "--qrels", "{qrels}", "--train-topics", ","], "--train-topics names no topic"),
    (["--method", "rbc", "--qrels", "{qrels}", "--folds", "11"], "10 topics cannot be divided into 11 folds"),
    (["--method", "rbc", "--set", "model=svn"], "the setting 'model' cannot be 'svn'"),
    (["--method", "rbc", "--fitted", "{qrels}"], "this is not JSON"),
    (["--output", "nowhere/out.run"], "nowhere: this folder does not exist"),
])
def test_bad_input_is_one_line(porism, files, options, message) -> None:
    given = [option.replace("{qrels}", str(files / "qrels.tsv")) for option in options]
    output = [] if "--output" in given else ["--output", files / "out.run"]
    result = porism("fuse", *runs_of(files), *given, *output)
    assert result.status == 1
    assert result.err.startswith("Error: ")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert not (files / "out.run").exists()


@every_case("options", [
    ["--train-topics", "0.5"], ["--folds", "3"], ["--store", "m.json"], ["--qrels", "{qrels}"],
    ["--method", "rbc", "--qrels", "{qrels}", "--fitted", "m.json"],
    ["--method", "rbc", "--qrels", "{qrels}", "--folds", "3", "--store", "m.json"],
    ["--method", "rbc", "--qrels", "{qrels}", "--folds", "1"], ["--depth", "0"], ["--ranks", "score"],
])
def test_options_that_do_not_fit_are_wrong_usage(porism, files, options) -> None:
    given = [option.replace("{qrels}", str(files / "qrels.tsv")) for option in options]
    result = porism("fuse", *runs_of(files), *given, "--output", files / "out.run")
    assert result.status == 2
    assert not (files / "out.run").exists()


@every_case(("content", "message"), [
    ("T0 Q0 d1 1 nan x\n", "broken.run:1: the score 'nan' is not a finite number"),
    ("T0 Q0 d1 1 2.0 x\nT0 Q0 d1 2 1.0 x\n", "broken.run:2: document d1 occurs twice for query T0"),
    ("T0 Q0 d1\n", "broken.run:1: 3 columns where a run has 6"),
    ("Z0 Q0 d1 1 2.0 x\n", "no topic is in more than one of the runs"),
])
def test_broken_runs_are_reported(porism, files, content, message) -> None:
    (files / "broken.run").write_text(content)
    result = porism("fuse", files / "good.run", files / "broken.run", "--output", files / "out.run")
    assert result.status == 1
    assert message in result.err
    assert not (files / "out.run").exists()


def test_a_missing_run_is_told_before_any_is_read(porism, files) -> None:
    (files / "broken.run").write_text("not a run\n")
    result = porism("fuse", files / "broken.run", files / "missing.run", "--output", files / "out.run")
    assert result.status == 1
    assert "missing.run: this file does not exist" in result.err


def test_no_run_is_written_over(porism, files) -> None:
    before = (files / "good.run").read_bytes()
    result = porism("fuse", files / "good.run", files / "fair.run", "--output", files / "good.run")
    assert result.status == 2
    assert "--output is one of the runs" in result.err
    assert (files / "good.run").read_bytes() == before
    qrels = (files / "qrels.tsv").read_bytes()
    for target in ("--output", "--store"):
        options = ["--output", files / "out.run", target, files / "qrels.tsv"]
        result = porism("fuse", files / "good.run", files / "fair.run", "--method", "rbc", "--qrels",
                        files / "qrels.tsv", *options)
        assert result.status == 2
        assert f"{target} is a file that is read" in result.err
    result = porism("fuse", files / "good.run", files / "fair.run", "--method", "rbc", "--qrels", files / "qrels.tsv",
                    "--output", files / "out.run", "--store", files / "out.run")
    assert result.status == 2
    assert "--store and --output are the same file" in result.err
    assert (files / "qrels.tsv").read_bytes() == qrels
    assert not (files / "out.run").exists()


def test_an_empty_run_says_nothing(porism, files) -> None:
    (files / "empty.run").write_text("")
    assert porism("fuse", files / "good.run", files / "empty.run", "--output", files / "out.run").status == 0
    assert len(Run.read(files / "out.run")) == 10
