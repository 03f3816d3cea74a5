"""Runs over the API: the values of `porism evaluate` and `porism compare`, typed, and a method of the client each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="the client sends requests by httpx: pip install 'porism[web]'")

from web_transport import Through

from porism.corpus import read_qrels
from porism.lab.evaluate import compare_runs
from porism.runs.run import Run
from porism.serve.web.app import create_app
from porism.serve.web.client import ApiError, Client
from porism.serve.web.settings import WebSettings

QRELS = "A.2 0 a 3\nA.2 0 b 1\nA.2 0 c 0\nA.2 0 gone 2\nA.10 0 d 2\nA.10 0 a 0\nA.3 0 d 3\n"
TOPICS = "A.2\tsum of $k^2$\nA.10\tderivative\nA.3\tchain rule\n"
FIRST = {
    "A.2": [("a", 3.0), ("x", 2.5), ("b", 2.0), ("c", 1.0)], "A.10": [("a", 2.0), ("d", 1.0)], "A.3": [("d", 1.0)],
}
SECOND = {"A.2": [("b", 2.0), ("a", 1.0)], "A.10": [("d", 1.0)]}


@pytest.fixture(scope="module")
def settings(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> WebSettings:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "runs").mkdir()
    Run(FIRST, "first").write(folder / "runs" / "first.run")
    Run(SECOND, "second").write(folder / "runs" / "second.run")
    (folder / "runs" / "broken.run").write_text("no run at all\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    (folder / "topics.tsv").write_text(TOPICS, encoding="utf-8")
    return WebSettings(
        {"sample": sample_index}, runs=(folder / "runs",), qrels=folder / "qrels.tsv", topics=folder / "topics.tsv",
        hosts=("*",), logs=False,
    )


@pytest.fixture(scope="module")
def app(settings: WebSettings, library: Any) -> Any:
    return create_app(settings, library)


@pytest.fixture(scope="module")
def api(app: Any) -> Client:
    return Client("http://localhost", transport=Through(app))


def test_all_runs_have_the_values_and_tests_of_a_comparison(api: Client, settings: WebSettings) -> None:
    assert settings.qrels is not None
    found = api.runs(measures=["nDCG'", "P'@10"])
    expected = compare_runs(
        [Run(FIRST, "first"), Run(SECOND, "second")], read_qrels(settings.qrels), ["nDCG'", "P'@10"], depth=1_000
    )
    assert (found.measures, found.baseline, found.judged_topics) == (expected.measures, "first", 3)
    assert [one.name for one in found.runs] == ["first", "second"]
    for one, evaluation in zip(found.runs, expected.evaluations, strict=True):
        assert one.values == pytest.approx(dict(evaluation.aggregated))
    assert found.runs[0].tests == {}
    for measure, results in expected.tests.items():
        test = found.runs[1].tests[measure]
        assert test.difference == pytest.approx(results["second"].difference)
        assert (test.wins, test.ties, test.losses) == (
            results["second"].wins, results["second"].ties, results["second"].losses
        )
        assert (test.low, test.high) == pytest.approx(results["second"].interval)
    assert len(found.problems) == 1
    assert found.problems[0].startswith("broken.run is not a run")
    assert api.runs(baseline="second").baseline == "second"


def test_a_run_topic_by_topic(api: Client) -> None:
    alone = api.run("first", measures=["P(rel=2)@1"])
    assert [(one.topic, one.text, one.answered) for one in alone.topics] == [
        ("A.2", "sum of $k^2$", True), ("A.10", "derivative", True), ("A.3", "chain rule", True)
    ]
    (measure,) = alone.measures
    assert [one.values[measure] for one in alone.topics] == [1.0, 0.0, 1.0]
    assert alone.values[measure] == pytest.approx(2 / 3)
    assert (alone.against, alone.tests) == (None, {})
    assert all(one.differences == {} for one in alone.topics)
    beside = api.run("second", against="first", measures=["P(rel=2)@1"])
    assert beside.against == "first"
    assert [one.differences[measure] for one in beside.topics] == [-1.0, 1.0, -1.0]
    assert [one.answered for one in beside.topics] == [True, True, False]
    assert (beside.tests[measure].wins, beside.tests[measure].losses) == (1, 2)


def test_the_ranking_of_a_topic(api: Client) -> None:
    found = api.run_topic("first", "A.2", against="second")
    assert [(one.rank, one.id, one.gain, one.rank_there) for one in found.hits] == [
        (1, "a", 3, 2), (2, "x", None, None), (3, "b", 1, 1), (4, "c", 0, None)
    ]
    assert [one.grade for one in found.hits][1] == "not judged"
    assert [(one.id, one.gain) for one in found.missed] == [("gone", 2)]
    assert (found.total, found.judged, found.page, found.per_page) == (4, 3, 1, 50)
    assert (found.text, found.against) == ("sum of $k^2$", "second")
    assert found.values
    assert api.run_topic("first", "A.2", page=2).hits == ()


def test_what_is_not_there(api: Client, client: Any) -> None:
    for call, status in (
        (lambda: api.run("third"), 404), (lambda: api.run("first", against="third"), 404),
        (lambda: api.runs(baseline="third"), 404), (lambda: api.run_topic("first", "A.9"), 404),
        (lambda: api.run_topic("first", "A.2", page=21), 404), (lambda: api.runs(measures=["nothing"]), 400),
    ):
        with pytest.raises(ApiError) as error:
            call()
        assert error.value.status == status
    assert client.get("/api/v1/runs").status_code == 404  # a server without runs


def test_the_routes_do_what_their_description_says(app: Any) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs the extra: pip install 'porism[web-test]'")
    from api_contract import exercise

    description = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    called = [
        operation for operation in (found.ok() for found in description.get_all_operations())
        if operation.path.startswith("/api/v1/run")
    ]
    assert sorted(one.path for one in called) == ["/api/v1/run", "/api/v1/run/topic", "/api/v1/runs"]
    for operation in called:
        exercise(operation, [schemathesis.checks.not_a_server_error])
