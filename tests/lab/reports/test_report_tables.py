"""CSV and text: every number is that of the comparison."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

from porism.errors import ConfigError, SourceError
from porism.lab.evaluate import compare_runs, evaluate_run
from porism.lab.evaluate.depths import judged_per_mille
from porism.lab.reports import (
    Report,
    make_report,
    plots,
    report_values,
    summary_csv,
    text_table,
    topics_csv,
    write_csv,
    write_plots,
)
from porism.lab.reports.html import html_page
from porism.lab.reports.latex import latex_tables
from porism.lab.reports.plots import most_different
from porism.runs.run import Run

ODD = r"<b>&$_%$ \x{}^~#"
QRELS = {f"t{number}": {"a": 3, "b": 2, "c": 1, "d": 0} for number in range(1, 7)}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_summary_has_a_row_a_run(report: Report) -> None:
    rows = rows_of(summary_csv(report))
    assert [row["run"] for row in rows] == [ODD, "plain", "_fused", "slow"]
    assert [row["baseline"] for row in rows] == ["1", "0", "0", "0"]
    assert [row["tuned_topics"] for row in rows] == ["0", "0", "2", "0"]
    assert [row["missing_topics"] for row in rows] == ["0", "1", "0", "0"]
    result = report.result("nDCG'", "plain")
    assert float(rows[1]["nDCG'"]) == report.comparison["plain"]["nDCG'"]
    assert float(rows[1]["nDCG' difference"]) == result.difference
    assert float(rows[1]["nDCG' corrected_p"]) == result.adjusted
    assert rows[1]["nDCG' losses"] == "6"
    assert rows[0]["nDCG' p"] == ""
    assert (float(rows[1]["nDCG' low"]), float(rows[1]["nDCG' high"])) == report.intervals["nDCG'"]["plain"]


def test_topics_have_a_row_each_and_run(report: Report) -> None:
    rows = rows_of(topics_csv(report))
    assert len(rows) == 6 * 4
    assert [row["run"] for row in rows[:4]] == [ODD, "plain", "_fused", "slow"]
    assert (rows[0]["query_length"], rows[0]["math_share"]) == ("1", "0.0")
    tuned = {(row["topic"], row["run"]) for row in rows if row["tuned"] == "1"}
    assert tuned == {("t1", "_fused"), ("t2", "_fused")}
    mean = sum(float(row["nDCG'"]) for row in rows if row["run"] == "plain") / 6
    assert mean == pytest.approx(report.comparison["plain"]["nDCG'"])


def test_names_are_quoted() -> None:
    name = 'a,"b"\nc'
    report = make_report([Run({"t": [("a", 1.0)]}, name)], {"t": {"a": 1}}, ["nDCG'"], detailed=False)
    assert rows_of(summary_csv(report))[0]["run"] == name


def test_csv_goes_into_two_files(report: Report, tmp_path: Path) -> None:
    paths = write_csv(report, tmp_path / "results.csv")
    assert [path.name for path in paths] == ["results.csv", "results.topics.csv"]
    assert paths[1].read_bytes().decode() == topics_csv(report)


def test_the_text_has_warning_table_marks_and_method(report: Report) -> None:
    lines = text_table(report).split("\n")
    assert lines[0] == "WARNING: _fused: tuned on 2 of these 6 topics: not held out."
    at = next(number for number, line in enumerate(lines) if line.startswith("run "))
    assert lines[at].split() == ["run", "nDCG'", "P'@2", "num_rel_ret"]
    assert lines[at + 1].startswith(f"{ODD} ‡")
    assert lines[at + 3].startswith("_fused †")
    assert any(line.startswith("nDCG' by category") for line in lines)
    assert any(line.startswith("seconds a query") for line in lines)
    part = next(part for part in report.breakdowns if part.by == "category")
    at = next(number for number, line in enumerate(lines) if line.startswith("nDCG' by category"))
    shown = next(line for line in lines[at + 3 :] if line.startswith("  less "))
    first = part.difference(part.groups[0], "plain", "nDCG'")
    assert first is not None
    mine, other = (part.values[part.groups[0]][name]["nDCG'"] for name in ("plain", report.baseline))
    assert first.difference == pytest.approx(mine - other)
    assert shown.split()[-len(part.groups)] == f"{first.difference:+.4f}".replace("-", "−")
    won = next(line for line in lines[at + 3 :] if line.startswith("  wins/losses"))
    assert won.split()[1:] == [
        f"{one.wins}/{one.losses}" for group in part.groups if (one := part.difference(group, "plain", "nDCG'"))
    ]
    assert any(line.startswith("6 topics of qrels_&.txt") for line in lines)
    assert not any(line.startswith("P'@2 ") for line in lines)


def test_p_values_that_are_not_corrected_are_not_called_so(report: Report) -> None:
    plain = replace(report, comparison=replace(report.comparison, correction="none"))
    for text in (text_table(plain, p_values=True), html_page(plain), latex_tables(plain)):
        assert "not corrected" in text
        assert not re.search(r"(?<!not )corrected( for the number of runs| p|\.$)", text, re.MULTILINE), text


def test_p_values_are_shown_on_demand(report: Report) -> None:
    text = text_table(report, p_values=True)
    assert "corrected p" in text
    assert "corrected p" not in text_table(report)
    heads = [line.split()[:2] for line in text.split("\n") if "% interval" in line]
    assert heads == [["nDCG'", "mean"], ["P'@2", "mean"], ["num_rel_ret", "sum"]]


def test_control_characters_do_not_reach_the_terminal() -> None:
    report = make_report([Run({"t": [("a", 1.0)]}, "a\x1b[31mb")], {"t": {"a": 1}}, ["nDCG'"], detailed=False)
    assert "\x1b" not in text_table(report)


def test_json_is_plain(report: Report) -> None:
    found = json.loads(json.dumps(report_values(report)))
    assert found["warnings"][0] == "_fused: tuned on 2 of these 6 topics: not held out."
    assert found["tests"]["nDCG'"]["plain"]["losses"] == 6
    assert len(found["diversity"]["rho"]) == 4


def test_runs_are_alike_by_the_documents_that_are_chosen() -> None:
    runs = [Run({"t": [(doc, -float(at)) for at, doc in enumerate(docs)]}, docs) for docs in ("axb", "yab")]
    rho = {
        documents: make_report(runs, {"t": {"a": 1}}, ["nDCG'"], documents=documents).diversity.rho[0, 1]
        for documents in ("pool", "both")
    }
    assert rho["both"] == 1.0  # a before b in both lists
    assert rho["pool"] < 0.5


def test_a_report_is_the_comparison_with_more(runs: list[Run], report: Report) -> None:
    comparison = compare_runs(runs, QRELS, ["nDCG'", "P'@2", "num_rel_ret"])
    assert comparison.tests == report.comparison.tests
    assert report.at_depths["slow"][-1] == comparison["slow"]["nDCG'"]
    assert report.depths[-1] == 1000
    assert report.judged == pytest.approx({run.name: judged_per_mille(run, QRELS) for run in runs})
    assert report.judged[ODD] == 1000
    assert report.judged["slow"] == pytest.approx(2000 / 3)  # two of three documents
    assert report.breakdowns[0].by == "category"
    assert report.times["slow"].worst == pytest.approx(0.06)


@every_case("measure", ["nDCG'", "nDCG", "bpref", "MAP'", "num_rel_ret"])
def test_values_at_depths_are_those_of_an_evaluation(runs: list[Run], measure: str) -> None:
    long = Run({topic: [(f"d{place}" if place % 7 else "dcba"[place // 7 % 4] + "x" * (place // 28), -float(place))
                        for place in range(60)] for topic in QRELS}, "long")
    report = make_report([*runs, long], QRELS, [measure])
    assert report.depths == (10, 20, 50, 100, 200, 500, 1000)
    for run in [*runs, long]:
        expected = [evaluate_run(run, QRELS, [measure], depth=depth)[measure] for depth in report.depths]
        assert list(report.at_depths[run.name]) == expected
    assert len(set(report.at_depths["long"])) > 1 or measure == "bpref"


def test_the_runs_that_differ_most_have_panels() -> None:
    values = {name: np.array(column) for name, column in {
        "near": [0.5, 0.6], "base": [0.5, 0.5], "far": [0.0, 1.0], "middle": [0.1, np.nan],
    }.items()}
    assert most_different(values, "base", 3) == ("base", "far", "middle")
    assert most_different(values, "base", 4) == tuple(values)


def test_fused_runs_say_where_their_results_stood(report: Report) -> None:
    (part,) = report.rank_positions
    assert (part.fused, part.sources) == ("_fused", (ODD, "plain"))
    if part.topic == "t1":  # bca: second, third, first of abcd; plain lacks t1
        assert part.positions.tolist() == [[2, 0], [3, 0], [1, 0]]
    assert part.topic in part.why or "not a typical one" in part.why


def test_sources_are_known_by_their_names_before(runs: list[Run]) -> None:
    report = make_report(runs, QRELS, ["nDCG'"], names=["A", "B", "C", "D"], topic="t2")
    (part,) = report.rank_positions
    assert (part.fused, part.sources) == ("C", ("A", "B"))
    with pytest.raises(ConfigError, match="1 names for 4 runs"):
        make_report(runs, QRELS, ["nDCG'"], names=["A"])


def test_a_topic_can_be_chosen(runs: list[Run]) -> None:
    report = make_report(runs, QRELS, ["nDCG'"], fused="_fused", topic="t2")
    assert report.rank_positions[0].positions.tolist() == [[2, 1], [3, 3], [1, 2]]  # bca in abcd and in bacd


def test_tuning_comes_from_the_record_of_the_run(report: Report) -> None:
    (curve,) = report.tuning
    assert (curve.what, curve.measure, curve.chosen) == ("_fused", "nDCG'", {"k": 60})
    assert curve.trials == (({"k": 1}, 0.4), ({"k": 10}, 0.5), ({"k": 60}, 0.6), ({"k": 100}, 0.55))


def test_plots_have_unique_names_and_become_files(report: Report, tmp_path: Path) -> None:
    drawn = plots(report)
    names = [plot.name for plot in drawn]
    assert len(set(names)) == len(names)
    assert {"intervals", "differences", "spread", "precision-recall", "depths", "length", "math-share", "by-category",
            "clustering", "similarity-rho", "similarity-rbo", "rank-positions", "tuning", "times"} <= set(names)
    paths = write_plots(drawn, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [f"{name}.svg" for name in names]
    with pytest.raises(SourceError):
        write_plots(drawn, paths[0])


@every_case("count", [1, 2])
@every_case("topics", [1, 6])
def test_one_run_or_one_topic_are_enough(runs: list[Run], count: int, topics: int) -> None:
    qrels = dict(list(QRELS.items())[-topics:])
    report = make_report(runs[:count], qrels, ["nDCG'"])
    names = {plot.name for plot in plots(report)}
    assert ("differences" in names) == (count == 2)
    assert "nan" not in text_table(report).lower()


def test_wrong_names_are_errors_with_the_nearest(runs: list[Run]) -> None:
    with pytest.raises(ConfigError, match="_fused"):
        make_report(runs, QRELS, ["nDCG'"], fused="fused")
    with pytest.raises(ConfigError, match="no topic 't9'"):
        make_report(runs, QRELS, ["nDCG'"], topic="t9")
    with pytest.raises(ConfigError, match="category"):
        make_report(runs, QRELS, ["nDCG'"], information={"t1": {"category": "x"}}, columns=["categry"])
    with pytest.raises(ConfigError, match="none of the topics"):
        make_report(runs, QRELS, ["nDCG'"], information={"z": {"category": "x"}})


def test_names_are_not_formulas_of_a_spreadsheet() -> None:
    runs = [Run({"@t": [("a", 1.0)]}, name) for name in ("=1+2", "-x", "plain")]
    report = make_report(runs, {"@t": {"a": 1}}, ["nDCG'"], detailed=False)
    assert [row["run"] for row in rows_of(summary_csv(report))] == ["'=1+2", "'-x", "plain"]
    assert {row["topic"] for row in rows_of(topics_csv(report))} == {"'@t"}
