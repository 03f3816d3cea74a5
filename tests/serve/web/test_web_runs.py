"""Pages of runs: tables topic by topic, rankings with grades, plots under the pages' policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from lxml import html

from porism.cli import main
from porism.corpus import read_qrels, read_topics
from porism.errors import ConfigError, SourceError
from porism.lab.evaluate import compare_runs, evaluate_run
from porism.lab.reports.theme import COLOURS
from porism.runs.run import Run
from porism.serve.web.app import create_app
from porism.serve.web.judgments import Judgments
from porism.serve.web.known_questions import GradeScale, JudgedQuestion, KnownQuestions
from porism.serve.web.laboratory import Laboratory
from porism.serve.web.run_answering import ranked_page
from porism.serve.web.run_tables import measures_of
from porism.serve.web.settings import WebSettings

QUESTION = r"sum of squares $\sum k^2$"
QRELS = """A.2 0 sum-of-squares 3
A.2 0 square-pyramid 1
A.2 0 sum-of-cubes 0
A.2 0 elsewhere 2
A.10 0 chain-rule 2
A.10 0 sum-of-squares 0
A.3 0 chain-rule 3
"""
TOPICS = f"A.2\t{QUESTION}\nA.10\tderivative of a composition\nA.3\tchain rule\n"
FIRST = {
    "A.2": [("sum-of-squares", 3.0), ("not-in-the-index", 2.5), ("square-pyramid", 2.0), ("sum-of-cubes", 1.0)],
    "A.10": [("sum-of-squares", 2.0), ("chain-rule", 1.0)], "A.3": [("chain-rule", 1.0)],
}
SECOND = {"A.2": [("square-pyramid", 2.0), ("sum-of-squares", 1.0)], "A.10": [("chain-rule", 1.0)]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    Run(FIRST, "first").write(tmp_path / "runs" / "first.run")
    Run(SECOND, "second").write(tmp_path / "runs" / "second.tsv.gz")
    (tmp_path / "runs" / "notes.md").write_text("no run", encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    (tmp_path / "topics.tsv").write_text(TOPICS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def lab(library: Any, sample_index: Path, files: Path) -> Iterator[Any]:
    settings = WebSettings(
        {"sample": sample_index}, runs=(files / "runs",), qrels=files / "qrels.tsv", topics=files / "topics.tsv",
        logs=False,
    )
    with TestClient(create_app(settings, library), base_url="http://localhost") as client:
        yield client


def page(client: Any, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(path, params=parameters or None)
    assert answer.status_code == status, re.findall("<h1>.*</h1>", answer.text)
    return html.document_fromstring(answer.text)


def cells(row: Any) -> list[str]:
    return [" ".join(cell.text_content().split()) for cell in row.xpath("th|td")]


def test_all_runs_are_measured_beside_the_baseline(lab: Any, files: Path) -> None:
    found = page(lab, "/runs", measures="nDCG' P(rel=1)@5 NumRet")
    head, *rows = found.xpath("//table[contains(@class, 'measured')]//tr")
    assert cells(head) == ["Run", "nDCG'", "P(rel=1)@5", "NumRet", "better / equal / worse"]
    qrels = read_qrels(files / "qrels.tsv")
    measured = [evaluate_run(Run(run), qrels, ["nDCG'", "P(rel=1)@5", "NumRet"]).aggregated for run in (FIRST, SECOND)]
    for row, values, name, changes in zip(rows, measured, ("first ‡", "second"), ("–", "1 / 0 / 2"), strict=True):
        ndcg, precision, found_relevant = values.values()
        assert cells(row) == [name, f"{ndcg:.3f}", f"{precision:.3f}", f"{found_relevant:.0f}", changes]
    assert "against first (‡)" in found.text_content()
    other = page(lab, "/runs", baseline="second", sort="name", order="falls")
    assert [cells(row)[0] for row in other.xpath("//tbody/tr")] == ["second ‡", "first"]
    assert page(lab, "/runs", 404, baseline="third").xpath("string(//h1)") == "There is no run 'third'."
    assert "Runs" in page(lab, "/").xpath("//header//nav/a/text()")


def test_a_run_is_shown_topic_by_topic_and_sorted_by_links(lab: Any, files: Path) -> None:
    found = page(lab, "/run", name="first")
    rows = found.xpath("//tbody/tr")
    per_topic = evaluate_run(Run(FIRST), read_qrels(files / "qrels.tsv"), ["nDCG'", "bpref"]).per_topic
    for row, topic in zip(rows, ("A.2", "A.10", "A.3"), strict=True):
        shown = cells(row)
        assert (shown[0], shown[2]) == (topic, f"{per_topic['nDCG' + chr(39)][topic]:.3f}")
        assert shown[5] == f"{per_topic['bpref'][topic]:.3f}"
    assert rows[0].xpath("td[1]//math")
    assert cells(rows[2])[1] == "chain rule"
    links = {cells(cell)[0] if cells(cell) else cell.text_content().strip(): cell.xpath("a/@href")[0]
             for cell in found.xpath("//thead//th[a]")}
    by_name = page(lab, links["Topic"])
    assert [cells(row)[0] for row in by_name.xpath("//tbody/tr")] == ["A.2", "A.3", "A.10"]
    (head,) = by_name.xpath("//th[@aria-sort]")
    assert (head.get("aria-sort"), head.text_content().split()[0]) == ("ascending", "Topic")
    back = page(lab, head.xpath("a/@href")[0])
    assert [cells(row)[0] for row in back.xpath("//tbody/tr")] == ["A.10", "A.3", "A.2"]
    assert back.xpath("//th[@aria-sort]/@aria-sort") == ["descending"]
    by_value = page(lab, links["nDCG'"])
    assert [cells(row)[0] for row in by_value.xpath("//tbody/tr")] == ["A.3", "A.2", "A.10"]
    assert cells(found.xpath("//tfoot/tr")[0])[0] == "All topics"


def test_differences_to_another_run_are_signed_and_sorted(lab: Any, files: Path) -> None:
    found = page(lab, "/run", name="second", against="first", sort="difference bpref", measures="bpref")
    gaps = compare_runs(
        [Run(FIRST, "first"), Run(SECOND, "second")], read_qrels(files / "qrels.tsv"), ["bpref"]
    ).differences("second", "bpref")
    expected = sorted(gaps, key=lambda topic: -gaps[topic])
    rows = found.xpath("//tbody/tr")
    assert [cells(row)[0].removesuffix(" not in the run") for row in rows] == expected
    for row, topic in zip(rows, expected, strict=True):
        gap = gaps[topic]
        sign, kind = ("+", "up") if gap > 0 else ("−", "down") if gap < 0 else ("±", "same")
        assert row.xpath(f"td/span[@class='{kind}']/text()") == [f"{sign}{abs(gap):.3f}"]
    assert cells(rows[-1])[0] == "A.3 not in the run"
    assert cells(found.xpath("//tfoot/tr")[1]) == ["Better / equal / worse", "", "1 / 0 / 2"]
    assert found.xpath("//select[@name='against']/option[@selected]/text()") == ["first"]


def test_a_ranking_shows_grades_what_is_not_judged_and_what_is_missed(lab: Any) -> None:
    found = page(lab, "/run/topic", name="first", topic="A.2", against="second")
    head, *rows = found.xpath("//table[@class='ranking']//tr")
    assert cells(head) == ["Rank", "Document", "Grade", "In second", "Score"]
    assert [cells(row)[0:1] + cells(row)[2:] for row in rows] == [
        ["1", "3 highly relevant", "2", "3"], ["2", "not judged", "–", "2.5"], ["3", "1 slightly relevant", "1", "2"],
        ["4", "0 not relevant", "–", "1"],
    ]
    assert rows[1].xpath("td[2]/code/text()") == ["not-in-the-index"]
    (link,) = rows[0].xpath("td[2]/a/@href")
    assert page(lab, link).xpath("//mark")  # opened with the topic's question
    assert [row.get("class") for row in rows] == ["", "unjudged", "", ""]
    assert found.xpath("//ul[@class='missed']/li")[0].text_content().split() == ["elsewhere", "2", "relevant"]
    assert found.xpath("//p[@class='summary-line']/text()") == [
        "Of these 4 results 3 are judged, 1 relevant. In all 4 documents are judged for this question, 2 relevant."
    ]
    strip = found.xpath("//*[local-name()='svg'][@class='strip']")[0]
    assert [one.get("class") for one in strip] == ["g3", "none", "g1", "g0"]
    assert [one.get("height") for one in strip.xpath(".//*[local-name()='rect']")] == ["34", "14", "4"]
    assert found.xpath("//a[@rel='next']/text()") == ["A.10"]
    assert "q=sum+of+squares" in found.xpath("//a[text()='Search for it']/@href")[0]
    assert page(lab, "/run/topic", name="second", topic="A.3").xpath("//p[@class='hint']/text()") == [
        "The run has no results for this topic."
    ]


def test_results_of_a_known_question_are_marked(lab: Any, files: Path) -> None:
    found = page(lab, "/search", q=f"  {QUESTION} ")
    marks = {card.get("data-id"): card.xpath("string(.//h2/span[contains(@class, 'grade')])")
             for card in found.xpath("//li[@class='card']")}
    assert len(marks) == 10
    assert (marks["sum-of-squares"], marks["sum-of-cubes"]) == ("3 highly relevant", "0 not relevant")
    assert sum(mark == "not judged" for mark in marks.values()) >= 5
    assert "Topic A.2: Of these 10 results" in found.text_content()
    assert not page(lab, "/search", q="squares").xpath("//span[contains(@class, 'grade')]")
    tag = lab.get("/search", params={"q": QUESTION}).headers["etag"]
    (files / "qrels.tsv").write_text(QRELS.replace("sum-of-squares 3", "sum-of-squares 0"), encoding="utf-8")
    changed = lab.get("/search", params={"q": QUESTION}, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert "0 not relevant" in changed.text


def test_plots_have_no_styles_and_the_colours_of_reports(lab: Any) -> None:
    text = lab.get("/run", params={"name": "first", "against": "second"}).text
    found = html.document_fromstring(text)
    titles = found.xpath("//figcaption/strong/text()")
    assert titles == [
        "Confidence intervals of nDCG'", "Per-topic differences from second", "How nDCG' is spread over the topics",
        "Precision at levels of recall",
    ]
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=", text)
    ids = found.xpath("//@id")
    assert len(ids) == len(set(ids))
    css = lab.get("/static/laboratory.css").text
    used = set(re.findall(r"var\(--([\w-]+)\)", "".join(re.findall(r"<svg.*?</svg>", text, re.S))))
    assert {"ink", "muted", "baseline", "series-1"} <= used
    for name in used - {"ink"}:
        light, dark = COLOURS[name]
        assert re.findall(rf"--{name}: (#\w+);", css) == [light, dark, dark, light]
    sorted_by = page(lab, "/run", name="first", against="second", sort="bpref").xpath("//figcaption/strong/text()")
    assert sorted_by[0] == "Confidence intervals of bpref"


def test_files_may_change_while_they_are_served(lab: Any, files: Path) -> None:
    (files / "runs" / "broken.run").write_text("nonsense\n", encoding="utf-8")
    Run({"B.1": [("x", 1.0)]}, "other").write(files / "runs" / "other.run")
    Run(SECOND).write(files / "runs" / "third.run")
    found = page(lab, "/runs")
    assert [cells(row)[0] for row in found.xpath("//tbody/tr")] == ["first ‡", "second", "third"]
    problems = found.xpath("//p[@class='hint']/text()")
    assert problems[0].startswith("broken.run is not a run")
    assert problems[1] == "other has no topic with judgments"
    (files / "runs" / "first.run").unlink()
    assert page(lab, "/run", 404, name="first").xpath("string(//h1)") == "There is no run 'first'."


@every_case(("path", "parameters", "status", "said"), [
    ("/run", {"name": "../qrels"}, 404, "no run '../qrels'"), ("/run", {"name": "first.run"}, 404, "no run"),
    ("/run", {"name": "first", "against": "/etc/passwd"}, 404, "no run '/etc/passwd'"),
    ("/run", {"name": "first", "measures": "nonsense"}, 400, "no measure 'nonsense'"),
    ("/run", {"name": "first", "sort": "difference bpref"}, 400, "cannot be sorted by 'difference bpref'"),
    ("/run", {"name": "first", "sort": "<script>"}, 400, "cannot be sorted"),
    ("/runs", {"measures": " ".join(f"P@{n}" for n in range(1, 20))}, 400, "19 measures"),
    ("/run/topic", {"name": "first", "topic": "A.9"}, 404, "have a topic A.9"),
    ("/run/topic", {"name": "first", "topic": "A.2", "page": "0"}, 404, "no page 0"),
])
def test_what_does_not_exist_is_said(lab: Any, path: str, parameters: dict[str, str], status: int, said: str) -> None:
    text = page(lab, path, status, **parameters).xpath("string(//section[@role='alert'])")
    assert said.replace("A.9", "'A.9'") in text


def test_runs_are_scored_by_what_is_judged_here(library: Any, sample_index: Path, files: Path) -> None:
    folder = files / "judged"
    settings = WebSettings({"sample": sample_index}, runs=(files / "runs",), judgments=folder, logs=False)
    with TestClient(create_app(settings, library), base_url="http://localhost") as client:
        assert "Nothing is judged yet" in page(client, "/runs").text_content()
        assert "nothing is judged yet" in page(client, "/run", 400, name="first").text_content().lower()
        client.post("/judge", data={"q": QUESTION})
        client.post("/judge/topic", data={"id": "T1", "grade:sum-of-squares": "3"})
        assert "no run with results for a judged topic" in page(client, "/runs").text_content()
        Run({"T1": FIRST["A.2"]}).write(files / "runs" / "mine.run")
        (row,) = page(client, "/runs").xpath("//tbody/tr")
        assert cells(row)[:2] == ["mine", "1.000"]
        assert page(client, "/run", name="mine").xpath("//tbody//math")
        client.post("/judge/topic", data={"id": "T1", "grade:sum-of-squares": "0"})
        (row,) = page(client, "/runs").xpath("//tbody/tr")
        assert cells(row)[:2] == ["mine", "0.000"]


def test_what_is_judged_here_is_added_to_the_judgments_of_a_file(files: Path) -> None:
    judgments = Judgments(files / "judged")
    topics = {topic.id: topic for topic in read_topics(files / "topics.tsv")}
    qrels = read_qrels(files / "qrels.tsv")
    known = KnownQuestions(judgments, lambda: (topics, qrels))
    before = known.version
    judgments.ask(QUESTION)
    judgments.grade("T1", {"sum-of-squares": 1, "new": 2})
    judgments.ask("another")
    found = known.find(QUESTION)
    assert found is not None
    assert (found.topic, found.gains) == (
        "A.2", {"sum-of-squares": 1, "square-pyramid": 1, "sum-of-cubes": 0, "elsewhere": 2, "new": 2}
    )
    other = known.find("another")
    assert other is not None
    assert (other.topic, other.gains) == ("T2", {})
    assert known.find("nothing") is None
    assert known.version != before


@every_case(("highest", "gain", "shown", "relevant"), [
    (1, 1, (3, "relevant"), 1), (1, 0, (0, "not relevant"), 1), (3, 1, (1, "1 slightly relevant"), 2),
    (3, 3, (3, "3 highly relevant"), 2), (3, -1, (0, "−1 not relevant"), 2), (4, 4, (3, "4 of 4"), 2),
    (4, 1, (1, "1 of 4"), 2), (2, 1, (2, "1 of 2"), 2), (0, None, (None, "not judged"), 1),
])
def test_grades_have_names(highest: int, gain: int | None, shown: tuple[int | None, str], relevant: int) -> None:
    grade = GradeScale(highest).grade(gain)
    assert (grade.level, grade.text) == shown
    assert GradeScale(highest).relevant == relevant
    assert measures_of("", GradeScale(highest))[1] == ("AP'" if relevant == 2 else "AP'(rel=1)")


def test_rankings_have_pages() -> None:
    run = Run({"T": [(f"d{number:03}", 200.0 - number) for number in range(120)]})
    page = ranked_page(run, JudgedQuestion("T", {"d060": 2, "gone": 3, "lost": 2, "bad": 0}, GradeScale(3)), None, 2)
    assert [(hit.rank, hit.id) for hit in page.hits][:: 49] == [(51, "d050"), (100, "d099")]
    assert (page.total, page.judged) == (120, 1)
    assert [document.id for document in page.missed] == ["gone", "lost"]


def test_runs_need_judgments_and_files(
    files: Path, sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="no judgments"):
        Laboratory([files / "runs"])
    with pytest.raises(SourceError, match="no such file or folder"):
        Laboratory([files / "gone"], files / "qrels.tsv")
    for options, said in (
        (["--run", str(files / "runs")], "--qrels FILE or --judge FOLDER"),
        (["--topics", str(files / "topics.tsv")], "--qrels FILE, which is not given"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["serve", "--index", str(sample_index), *options])
        assert ended.value.code == 2
        assert said in " ".join(capsys.readouterr().err.split())
