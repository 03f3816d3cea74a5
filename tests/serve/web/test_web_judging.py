"""Judging: questions and grades become files that the laboratory reads, and pages show what models have of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="judging is a page of the web app: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from lxml import html

from porism.corpus import read_qrels, read_topics
from porism.errors import FormatError, QueryError
from porism.lab.evaluate import evaluate_run
from porism.search.index import open_index
from porism.serve.web.app import create_app
from porism.serve.web.judging_pages import pool_of
from porism.serve.web.judgments import Judgments
from porism.serve.web.settings import Limits, WebSettings

QUESTION = r"sum of squares $\sum k^2$"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "judgments"


@pytest.fixture
def judging(library: Any, sample_index: Path, folder: Path) -> Iterator[Any]:
    """A client of a server with laboratory pages."""
    settings = WebSettings({"sample": sample_index}, judgments=folder, logs=False)
    with TestClient(create_app(settings, library), base_url="http://localhost") as client:
        yield client


def ask(client: Any, question: str = QUESTION) -> Any:
    return client.post("/judge", data={"q": question})


def test_a_question_is_asked_judged_and_measured(judging: Any, folder: Path, sample_index: Path) -> None:
    answer = ask(judging)
    assert answer.status_code == 200
    page = html.fromstring(answer.content)
    names = list(dict.fromkeys(page.xpath("//input[@type='radio'][starts-with(@name, 'grade:')]/@name")))
    assert "grade:sum-of-squares" in names
    assert 20 <= len(names) <= 40
    assert not re.search(r"\bplain\b.*\bsum-of-squares\b", page.text_content())  # who found what is not shown
    grades = {"id": "T1", names[0]: "3", names[1]: "0", names[2]: "1", names[3]: ""}
    saved = html.fromstring(judging.post("/judge/topic", data=grades).content)
    assert "3 judged, 2 relevant" in saved.text_content()
    assert saved.xpath(f"//input[@name='{names[0]}'][@checked]/@value") == ["3"]
    assert saved.xpath(f"//input[@name='{names[3]}'][@checked]/@value") == [""]
    qrels = read_qrels(folder / "qrels.tsv")
    assert qrels == {"T1": {names[0][6:]: 3, names[1][6:]: 0, names[2][6:]: 1}}
    (topic,) = read_topics(folder / "topics.jsonl")
    assert topic.id == "T1"
    with open_index(sample_index) as index:
        measured = evaluate_run(index.run([topic], 1000), qrels, ["nDCG'@10"]).per_topic
    (value,) = (values["T1"] for values in measured.values())
    overview = html.fromstring(judging.get("/judge").content)
    row = overview.xpath("//tbody/tr")[0]
    assert "$" not in row.text_content()
    assert row.xpath("th//math")
    assert [cell.text_content() for cell in row.xpath("td")][:2] == ["3", "2"]
    assert row.xpath("td")[2].text_content().startswith(f"{value:.3f} / ")
    assert judging.get("/judge/files/qrels.tsv").content == (folder / "qrels.tsv").read_bytes()
    assert judging.get("/judge/files/../../etc/passwd").status_code == 404


def test_a_judgment_can_be_changed_and_taken_back(judging: Any, folder: Path) -> None:
    ask(judging)
    judging.post("/judge/topic", data={"id": "T1", "grade:a": "1", "grade:b": "2"})
    judging.post("/judge/topic", data={"id": "T1", "grade:a": "", "grade:b": "3"})
    assert read_qrels(folder / "qrels.tsv") == {"T1": {"b": 3}}
    assert Judgments(folder).topic("T1").grades == {"b": 3}


def test_judges_see_their_own_grades_and_how_far_they_agree(judging: Any, folder: Path) -> None:
    ask(judging)
    for judge, grades in (("ann", {"a": 3, "b": 0, "c": 1}), ("Bo", {"a": 3, "b": 1})):
        asked = {"id": "T1", "judge": judge} | {f"grade:{doc_id}": str(grade) for doc_id, grade in grades.items()}
        saved = judging.post("/judge/topic", data=asked, headers={"accept": "application/json"})
        assert saved.json() == grades
    assert read_qrels(folder / "qrels.tsv") == {"T1": {"a": 3, "b": 1, "c": 1}}  # the last grade that anyone gave
    assert read_qrels(folder / "judge-ann.tsv") == {"T1": {"a": 3, "b": 0, "c": 1}}
    again = Judgments(folder)
    assert again.grades("T1", "bo") == {"a": 3, "b": 1}
    again.grade("T1", {"b": None, "c": 2}, "BO")
    overview = html.fromstring(judging.get("/judge?judge=ann").content)
    row = overview.xpath("//table[@class='agreement']/tbody/tr")[0]
    assert [cell.text_content() for cell in row] == ["ann and bo", "2", "50%", "0.33"]
    assert judging.get("/judge/files/judge-bo.tsv").text == "T1\t0\ta\t3\nT1\t0\tc\t2\n"
    assert judging.get("/judge/files/judge-cy.tsv").status_code == 404
    page = html.fromstring(judging.get("/judge/topic?id=T1&judge=ann").content)
    assert re.search(r"0 of \d+ judged", page.xpath("//span[@class='progress']")[0].text_content())
    assert judging.post("/judge/topic", data={"id": "T1", "grade:a": "1", "judge": "../x"}).status_code == 400
    assert "judge-" not in "".join(path.name for path in folder.parent.iterdir())


def test_the_same_question_is_one_topic(judging: Any, folder: Path) -> None:
    ask(judging)
    ask(judging, f"  {QUESTION} ")
    ask(judging, "another")
    assert [topic.id for topic in Judgments(folder).topics] == ["T1", "T2"]


def test_models_stand_side_by_side_with_judgments(judging: Any) -> None:
    ask(judging)
    judging.post("/judge/topic", data={"id": "T1", "grade:sum-of-squares": "3"})
    page = html.fromstring(judging.get("/beside", params={"q": QUESTION, "left": "plain", "right": "default"}).content)
    assert page.xpath("//section/h2/text()") == ["plain", "default"]
    left, right = ([one.xpath("a/@href")[0] for one in side.xpath(".//li")] for side in page.xpath("//section"))
    ranks = [one.xpath("span[@class='rank']/text()")[0] for one in page.xpath("//section")[0].xpath(".//li")]
    for number, (link, rank) in enumerate(zip(left, ranks, strict=True), 1):
        there = right.index(link) + 1 if link in right else 0
        assert rank == ("not there" if not there else "same rank" if there == number else f"{there} there")
    assert "highly relevant" in page.text_content()


def test_a_pool_favours_no_model(sample_view: Any, folder: Path) -> None:
    topic = Judgments(folder).ask(QUESTION)
    both = [hit.id for hit in pool_of(sample_view, topic, ("default", "plain"), 5, Limits()).hits]
    one, other = (
        [hit.id for hit in pool_of(sample_view, topic, (name,), 5, Limits()).hits] for name in ("default", "plain")
    )
    expected = list(dict.fromkeys(doc_id for pair in zip(one, other, strict=True) for doc_id in pair))
    assert both == expected


@pytest.mark.parametrize(
    ("path", "data", "status", "said"),
    [
        ("/judge", {"q": " "}, 400, "empty"),
        ("/judge/topic", {"id": "T9", "grade:a": "1"}, 400, "no question"),
        ("/judge/topic", {"id": "T1", "grade:a": "7"}, 400, "no grade 7"),
        ("/judge/topic", {"id": "T1", "grade:a": "x"}, 400, "not a number"),
        ("/judge/topic", {"id": "T1", "grade:a\tb": "1"}, 400, "cannot be written"),
        ("/judge/topic", {"id": "T1", "grade:a\0b": "1"}, 400, "cannot be written"),
    ],
)
def test_what_is_wrong_changes_nothing(
    judging: Any, folder: Path, path: str, data: dict[str, str], status: int, said: str
) -> None:
    ask(judging)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    answer = judging.post(path, data=data)
    assert answer.status_code == status
    assert said in html.fromstring(answer.content).text_content()
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_no_other_site_can_judge(judging: Any, folder: Path, headers: dict[str, str]) -> None:
    ask(judging)
    assert judging.post("/judge/topic", data={"id": "T1", "grade:a": "1"}, headers=headers).status_code == 403
    assert judging.post("/judge", data={"q": "more"}, headers=headers).status_code == 403
    assert [(topic.id, topic.grades) for topic in Judgments(folder).topics] == [("T1", {})]
    own = judging.post("/judge", data={"q": "more"}, headers={"origin": "http://localhost"})
    assert own.status_code == 200


def test_an_unknown_model_or_question_is_refused(judging: Any) -> None:
    assert judging.get("/judge/topic", params={"id": "T9"}).status_code == 404
    answer = judging.get("/beside", params={"q": "x", "left": "secret"})
    assert answer.status_code == 400
    assert "Choose from default, plain" in answer.text


def test_without_the_option_there_are_no_such_pages(client: Any) -> None:
    assert client.get("/judge").status_code == 404
    assert client.get("/beside").status_code == 404
    assert "Judging" not in client.get("/").text


def test_judgments_of_many_threads_are_all_kept(folder: Path) -> None:
    judgments = Judgments(folder)
    topic = judgments.ask("x")

    def grade(worker: int) -> None:
        for number in range(10):
            judgments.grade(topic.id, {f"{worker}-{number}": number % 4})

    threads = [threading.Thread(target=grade, args=[worker]) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Judgments(folder).topic(topic.id).grades) == 40


def test_a_folder_does_not_grow_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.serve.web.judgments.MAX_QUESTIONS", 2)
    monkeypatch.setattr("porism.serve.web.judgments.MAX_GRADED", 3)
    judgments = Judgments(folder)
    judgments.ask("a")
    judgments.ask("b")
    with pytest.raises(QueryError, match="2 questions already"):
        judgments.ask("c")
    assert judgments.ask("a").id == "T1"
    judgments.grade("T1", {"1": 1, "2": 1, "3": 1})
    with pytest.raises(QueryError, match="more than 3 documents"):
        judgments.grade("T1", {"4": 1})
    judgments.grade("T1", {"4": 1, "1": None})
    assert judgments.topic("T1").grades == {"2": 1, "3": 1, "4": 1}


def test_ids_with_spaces_and_damaged_files(folder: Path) -> None:
    judgments = Judgments(folder)
    judgments.ask("x")
    judgments.grade("T1", {"my notes/a b.md": 2})
    with pytest.raises(QueryError):
        judgments.topic("T7")
    assert Judgments(folder).topic("T1").grades == {"my notes/a b.md": 2}
    (folder / "topics.jsonl").write_text('{"id": "T2", "query": "y"}\n')
    with pytest.raises(FormatError, match="'T1'"):
        Judgments(folder)
    (folder / "topics.jsonl").write_text("nonsense\n")
    with pytest.raises(FormatError, match=r"topics\.jsonl:1"):
        Judgments(folder)
    with pytest.raises(FormatError, match=r"topics\.jsonl:1"):
        judgments.topic("T1")


def test_a_form_with_too_many_fields_is_refused(judging: Any) -> None:
    ask(judging)
    answer = judging.post("/judge/topic", data={"id": "T1"} | {f"grade:{number}": "" for number in range(6_000)})
    assert answer.status_code == 413
    assert "more than 5,000 fields" in answer.text
