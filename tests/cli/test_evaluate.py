"""``porism evaluate``: what it prints beside the measures, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

from porism.runs.provenance import Provenance
from porism.runs.run import Run

Command = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    run = Run(
        {"s": [("a", 2.0), ("x", 1.0)], "t": [("b", 2.0), ("a", 1.0)]}, "mine",
        provenance=Provenance(tuned_on=("t",), seconds={"s": 0.01, "t": 0.03}),
    )
    run.write(tmp_path / "mine.run")
    (tmp_path / "qrels").write_text("s 0 a 2\nt 0 a 2\nt 0 b 0\n")
    (tmp_path / "topics.tsv").write_text("s\tone $x$ two\nt\tthree\nother\ta b c d e f\n")
    (tmp_path / "information.csv").write_text("Topic,Category\ns,Proof\nt,Concept\n")
    return tmp_path / "mine.run", tmp_path / "qrels"


def test_confidence(porism: Command, files: tuple[Path, Path]) -> None:
    result = porism("evaluate", *files, "--measures", "RR", "--confidence", "0.9")
    assert result.out.splitlines() == [
        "measure                    value",
        "RR       0.7500 [0.5000, 1.0000]",
        "2 topics",
        "tuned on 1 of these 2 topics: not held out",
        "in brackets: 90% bootstrap intervals over topics",
    ]
    with_topics = porism("evaluate", *files, "--measures", "RR", "--confidence", "0.9", "--per-topic").out
    assert "all    0.7500 [0.5000, 1.0000]" in with_topics.splitlines()
    value = json.loads(porism("evaluate", *files, "--measures", "RR", "--confidence", "0.9", "--json").out)
    assert value["intervals"] == {"RR": [0.5, 1.0]}
    assert value["tuned_on"] == ["t"]


def test_depths(porism: Command, files: tuple[Path, Path]) -> None:
    result = porism("evaluate", *files, "--measures", "recall", "--depths", "2, 1")
    table = result.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["measure", "first", "1", "first", "2"]
    assert table[1].split() == ["recall", "0.5000", "[0.0000,", "1.0000]", "1.0000", "[1.0000,", "1.0000]"]
    assert table[2].split() == ["judged", "‰", "1000.0", "750.0"]
    value = json.loads(porism("evaluate", *files, "--measures", "recall", "--depths", "1", "--json").out)
    assert value["depths"]["depths"][0]["aggregated"] == {"recall": 0.5}


def test_breakdowns(porism: Command, files: tuple[Path, Path]) -> None:
    folder = files[0].parent
    result = porism(
        "evaluate", *files, "--measures", "RR", "--by", "category", "--by", "length", "--by", "math-share",
        "--topics", folder / "topics.tsv", "--information", folder / "information.csv",
    )
    tables = [table.splitlines() for table in result.out.rstrip("\n").split("\n\n")[1:]]
    assert [table.pop() for table in tables] == 3 * ["tuned on 1 of these 2 topics: not held out"]
    assert tables == [
        ["category  topics      RR", "Concept        1  0.5000", "Proof          1  1.0000"],
        # The third topic is not judged and has no part in the groups.
        ["length    topics      RR", "1 tokens       1  0.5000", "3 tokens       1  1.0000"],
        ["math-share         topics      RR", "0% mathematics          1  0.5000", "33.3% mathematics       1  1.0000"],
    ]
    by_category = ("--by", "Category", "--information", folder / "information.csv")
    value = json.loads(porism("evaluate", *files, "--measures", "RR", *by_category, "--json").out)
    assert value["breakdowns"][0]["groups"]["Proof"] == {"topics": ["s"], "runs": {"mine": {"RR": 1.0}}}


def test_times(porism: Command, files: tuple[Path, Path]) -> None:
    out = porism("evaluate", *files, "--times").out
    assert out.splitlines()[-1] == "2 queries: median 20.0 ms, 95th percentile 29.0 ms, worst 30.0 ms (t), mean 20.0 ms"
    assert json.loads(porism("evaluate", *files, "--times", "--json").out)["times"]["slowest_topic"] == "t"
    files[0].with_name("mine.run.provenance.json").unlink()
    result = porism("evaluate", *files, "--times")
    assert result.status == 1
    assert "nothing is known of its times" in result.err


@every_case(
    ("options", "message"),
    [
        (["--by", "length"], "--by length needs the topics: --topics FILE"),
        (["--by", "lenght"], "grouped by length or math-share"),
        (["--depths", "10,x"], "'10,x' are not whole numbers"),
        (["--depths", ""], "'' are not whole numbers"),
        (["--depths", "0"], "'0' are not whole numbers"),
        (["--confidence", "95"], "not in the range"),
        (["--measures", "nDCQ'"], "Did you mean nDCG or"),
    ],
)
def test_wrong_options_are_refused_before_a_file_is_read(porism: Command, options: list[str], message: str) -> None:
    result = porism("evaluate", "missing.run", "missing.qrels", *options)
    assert result.status != 0
    assert message in result.err
    assert "missing." not in result.err


def test_an_unknown_column_is_named_with_the_nearest(porism: Command, files: tuple[Path, Path]) -> None:
    result = porism("evaluate", *files, "--by", "categroy", "--information", files[0].parent / "information.csv")
    assert result.status == 1
    assert "topics have no 'categroy'. Did you mean category?" in result.err


def test_a_document_that_stands_twice_is_an_error(porism: Command, files: tuple[Path, Path]) -> None:
    files[0].write_text("s Q0 a 1 2.0 x\ns Q0 a 2 1.0 x\n")
    result = porism("evaluate", *files)
    assert result.status == 1
    assert "document a occurs twice for query s" in result.err
