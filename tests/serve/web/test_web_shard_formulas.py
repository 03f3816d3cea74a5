"""Formulas of indexes on servers are found together with those here, as of one index."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from shard_servers import post, run

from porism.serve.shards.formula_requests import FormulaOccurrences, FormulaOccurrencesRequest
from porism.serve.shards.formula_shard import name_of_marks
from porism.serve.shards.requests import LinksRequest
from porism.serve.web.client import PREFIX
from porism.serve.web.remote_shards import in_parts, joined


def test_formulas_of_another_server_are_found_too(client: TestClient, beside: TestClient) -> None:
    for asked in (
        {"q": r"\sum_{n=1}^\infty \frac{1}{n^2}", "k": 5}, {"q": "n", "k": 4, "page": 2, "explain": False},
        {"q": r"\sum_{k=1}^n k^2", "match": "renamed"}, {"q": "x^2", "filter": "tags=topology"},
    ):
        whole = client.get(f"{PREFIX}/formulas", params=asked).json()
        answered = beside.get(f"{PREFIX}/formulas", params={**asked, "index": "all"})
        found = answered.json()
        assert "etag" not in answered.headers
        for key in ("question", "parts", "total", "total_is_exact", "page", "per_page", "partial", "missing"):
            assert found[key] == whole[key], (asked, key)
        assert [(hit["rank"], hit["score"], hit["documents"], hit["relation"]) for hit in found["hits"]] == [
            (hit["rank"], hit["score"], hit["documents"], hit["relation"]) for hit in whole["hits"]
        ]
        explained = [[hit["alignment"] is not None for hit in one["hits"]] for one in (found, whole)]
        assert explained[0] == explained[1] == [asked.get("explain", True)] * len(whole["hits"])
    found = beside.get(f"{PREFIX}/formulas", params={"q": "n", "index": "all"}).json()
    there = [place for hit in found["hits"] for place in hit["places"] if place["page"]]
    assert there
    html = beside.get("/search", params={"q": "n", "mode": "formulas", "index": "all"}).text
    assert there[0]["page"].replace("&", "&amp;") in html
    none = {"q": r"continuous functions $\qopname{zzz}$", "filter": "tags=topology", "index": "all"}
    assert beside.get(f"{PREFIX}/formulas", params=none).status_code == 200


def test_steps_of_formulas_have_limits(client: Any, library: Any) -> None:
    shard = library.view().shard
    generation = shard.generation
    first = post(client, "formula_digests", generation=generation).json()
    assert first["count"] * 16 == len(base64.b64decode(first["digests"]))
    marks = np.ones(first["count"], np.bool_)
    counting = name_of_marks(marks)
    sent = {"generation": generation, "counting": counting, "first": 0,
            "marks": base64.b64encode(np.packbits(marks).tobytes()).decode()}
    has = post(client, "formula_collection", **sent).json()
    assert has["complete"]
    asked = {"generation": generation, "counting": counting, "formulas": [{"source": "x^2"}]}
    counted = post(client, "formula_statistics", **asked).json()
    assert counted["df"]["tokens"]
    statistics = {"documents": first["count"], "query": counted, "channels": [
        (one["zone"], one["channel"], sum(one["counts"]),
         sum(length * count for length, count in zip(one["lengths"], one["counts"], strict=True)) / sum(one["counts"]))
        for one in has["channels"]
    ]}
    found = post(client, "formulas", **asked, statistics=statistics, depth=3).json()["found"][0]
    expected = library.view().index.search_formulas("x^2", 1)[0]
    assert found["whole"][found["keys"].index(expected.key)] == pytest.approx(expected.score)
    for step, change, status, message in (
        ("formulas", {"depth": 0}, 400, "The depth is 0"), ("formulas", {"depth": 10_001}, 400, "The depth is 10,001"),
        ("formulas", {"formulas": [{"source": "x" * 4_001}]}, 400, "too long"),
        ("formulas", {"formulas": [{"source": "x"}] * 13}, 400, "13 formulas"),
        ("formulas", {"counting": "none"}, 409, "not known here any more"),
        ("formulas", {"generation": 99}, 409, "at commit"),
        ("formulas", {"statistics": statistics | {"query": {"df": {}}}}, 400, "was not given"),
        ("formula_hits", {"asked": [{"key": "x"}] * 101}, 400, "101 asked"),
        ("formula_hits", {"asked": [{"key": "x", "formula": 2}], "explain": True}, 400, "no query formula 2"),
    ):
        ranked = {"statistics": statistics, "depth": 3} if step == "formulas" else {"statistics": statistics}
        refused = post(client, step, **asked | ranked | change)
        assert refused.status_code == status, (step, change)
        assert message in refused.json()["error"]["message"]


def test_requests_about_many_formulas_go_in_parts() -> None:
    keys = tuple(f"k{number}" for number in range(4_500))
    parts: Any = in_parts(FormulaOccurrencesRequest(1, keys))
    assert [len(part.keys) for part in parts] == [2_000, 2_000, 500]
    assert sum((part.keys for part in parts), ()) == keys
    long: Any = in_parts(FormulaOccurrencesRequest(1, ("x" * 150_000, "y" * 150_000, "z")))
    assert [len(part.keys) for part in long] == [1, 2]
    assert in_parts(FormulaOccurrencesRequest(1, ())) == [FormulaOccurrencesRequest(1, ())]
    assert in_parts(LinksRequest(3)) == [LinksRequest(3)]
    answers = [FormulaOccurrences(1, (2, 0), (0.5, 0.0), (("a",), ())), FormulaOccurrences(1, (1,), (0.25,), (("b",),))]
    assert joined(answers) == FormulaOccurrences(1, (2, 0, 1), (0.5, 0.0, 0.25), (("a",), (), ("b",)))


def test_the_command_line_finds_formulas_on_servers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_index: Path,
    sample_shards: list[Path], address: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    indexes = ("--index", sample_shards[0], "--index", address)
    asked = ("search", "--formulas", r"\sum_{k=1}^n k^2", "-k", 4)
    found = json.loads(run(capsys, *asked, *indexes, "--json", "--explain")[1])
    assert (found["partial"], found["missing"]) == (False, [])
    whole = json.loads(run(capsys, *asked, "--index", sample_index, "--json", "--explain")[1])
    assert [(hit["key"], hit["score"], hit["documents"]) for hit in found["hits"]] == [
        (hit["key"], hit["score"], hit["documents"]) for hit in whole
    ]
    assert all(hit["match"] for hit in found["hits"])
    status, out, _ = run(capsys, *asked, *indexes)
    assert status == 0
    assert f"{found['hits'][0]['score']:.3f}" in out
    (tmp_path / "topics.jsonl").write_text('{"id": "q1", "formula": "$x^2$", "title": "square"}\n')
    given = ("run", "--topics", tmp_path / "topics.jsonl", "--formulas", "-k", 20, "--quiet", "--output")
    assert run(capsys, *given, tmp_path / "both.run", *indexes)[0] == 0
    assert run(capsys, *given, tmp_path / "one.run", "--index", sample_index)[0] == 0
    assert (tmp_path / "both.run").read_text() == (tmp_path / "one.run").read_text()
    assert (tmp_path / "both.run").read_text().count("\n") == 20
