"""Whatever one value of a request to a shard is changed to, the server says what is wrong with it."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from shard_servers import post

from porism.search.questions import Question, make_query
from porism.serve.shards.formula_requests import REQUESTS
from porism.serve.shards.formula_shard import name_of_marks
from porism.serve.shards.merging import add_statistics, totals_of
from porism.serve.shards.requests import CollectionRequest, StatisticsRequest
from porism.serve.shards.values import ChannelLengths, ShardQuestion, ShardStatistics
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX
from porism.serve.web.settings import WebSettings

NUMBERS = (-1, 0, 2**31, 10**400, float("nan"), float("inf"), None)
TEXTS = ("", "\ud800", "x", 0)
LISTS = ([], [[]], [""], [-1], [["", ""]], None)
OBJECTS: tuple[Any, ...] = ({}, {"": -1}, {"": 1.5}, {"": {"": -1}}, {"": []}, None)


@pytest.fixture(scope="module")
def server(library: Any, sample_index: Path) -> Iterator[TestClient]:
    """A server that answers 500 where another one would raise."""
    app = create_app(WebSettings({"sample": sample_index}, logs=False), library)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def valid_requests(client: TestClient, shard: Any) -> dict[str, dict[str, Any]]:
    """A request of each step that has a value in all of its fields."""
    generation = {"generation": shard.generation}
    query = ShardQuestion(Question(make_query("sum $x$")))
    collection = shard.ask(CollectionRequest())
    statistics = add_statistics(
        collection.documents, totals_of([collection.channels]), [shard.ask(StatisticsRequest(query))]
    )
    question = asdict(query) | {"languages": {"english": 5}}
    given = generation | {"question": question, "statistics": asdict(statistics)}
    ids = list(post(client, "candidates", **given, depth=2).json()["ids"][:2])
    marks = np.ones(post(client, "formula_digests", **generation).json()["count"], np.bool_)
    sent = {"first": 0, "marks": base64.b64encode(np.packbits(marks).tobytes()).decode()}
    counting = generation | {"counting": name_of_marks(marks)}
    lengths = post(client, "formula_collection", **counting, **sent).json()["channels"]
    formulas = counting | {"formulas": [asdict(formula) for formula in query.question.query.content.formulas]}
    counted = post(client, "formula_statistics", **formulas).json()
    formula_statistics = asdict(add_statistics(
        len(marks), totals_of([[ChannelLengths(**channel) for channel in lengths]]), [ShardStatistics(**counted)]
    ))
    searched = formulas | {"statistics": formula_statistics}
    [key] = post(client, "formulas", **searched, depth=1).json()["found"][0]["keys"][:1]
    filters = {"tags": ["analysis"]}
    others = marks.copy()
    others[0] = False
    unknown = {
        "counting": name_of_marks(others), "first": 0, "marks": base64.b64encode(np.packbits(others).tobytes()).decode()
    }
    condition = {"content": {"text": "sum", "formulas": []}, "field": "title", "exact": True}
    narrow = question | {"question": question["question"] | {"conditions": [condition], "filters": filters}}
    expanded = {"expanded": {"words": {"sum": 1.0}}}
    return {
        "collection": {"part": "", "index": ""},
        "statistics": {"question": narrow},
        "candidates": given | expanded | {"depth": 5, "by_terms": False},
        "document_terms": given | {"ids": ids},
        "frequencies": generation | {"terms": [["words", "sum"]]},
        "scores": given | {"ids": ids},
        "links": generation | {"threads": ["1"], "asked": ["2"]},
        "texts": generation | {"ids": ids},
        "hits": given | expanded | {"ids": ids, "explain": True},
        "groups": generation | {"ids": ids},
        "places": generation | {"key": key, "first": 0, "k": 2, "filters": filters},
        "patterns": {"pattern": "?a = ?b", "k": 3, "symmetric": True, "filters": filters},
        "formula_digests": generation | {"first": 0},
        "formula_collection": generation | unknown,
        "formula_statistics": formulas,
        "formulas": searched | {"depth": 5},
        "formula_occurrences": generation | {"keys": [key], "filters": filters, "values": {ids[0]: 1.0},
                                             "names": "places"},
        "formula_hits": searched | {"asked": [{"key": key, "formula": 0, "aligned": True}], "filters": filters,
                                    "explain": True},
    }


def changed(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places of a value with what may be there in place of it; of long lists and mappings only the first members."""
    wrong = OBJECTS if isinstance(value, dict) else LISTS if isinstance(value, list) else (
        TEXTS if isinstance(value, str) else NUMBERS
    )
    yield from ((place, other) for other in wrong)
    keys = list(value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ())
    for key in keys if len(keys) < 9 else keys[:2]:
        yield from changed(value[key], (*place, key))


def test_no_value_of_a_request_breaks_the_server(server: TestClient, library: Any) -> None:
    tried: set[tuple[tuple[Any, ...], str]] = set()
    broken = []
    valid = valid_requests(server, library.view().shard)
    assert set(valid) == {request.step for request in REQUESTS}
    for step, body in json.loads(json.dumps(valid)).items():
        assert post(server, step, **body).status_code == 200, step
        for place, other in changed(body):
            if not place or (place, repr(other)) in tried:
                continue  # other requests have the same value there
            tried.add((place, repr(other)))
            sent = copy.deepcopy(body)
            inner: Any = sent
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = other
            answered = server.post(f"{PREFIX}/shard/{step}", content=json.dumps(sent), headers={
                "content-type": "application/json"
            })
            if answered.status_code >= 500 or (answered.status_code >= 400 and "error" not in answered.json()):
                broken.append((step, place, other))
    assert broken == []


@every_case(("languages", "message"), [
    ({"english": -1}, "A language has 1 to 9,007,199,254,740,992 documents."),
    ({"english": 2**70}, "A language has 1 to 9,007,199,254,740,992 documents."),
    ({"": 1}, "'' is not a known language."), ({"Klingon": 1}, "'Klingon' is not a known language."),
])
def test_languages_are_known_and_have_documents(server: TestClient, languages: Any, message: str) -> None:
    question = {"query": {"id": "", "fields": {"": {"text": "0"}}}}
    refused = post(server, "statistics", question={"question": question, "languages": languages})
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, message)


def test_counts_and_weights_are_possible_ones(server: TestClient, library: Any) -> None:
    given = valid_requests(server, library.view().shard)["candidates"]
    documents = given["statistics"]["documents"]
    for change, message in (
        ({"statistics": given["statistics"] | {"query": {"df": {"words": {"sum": documents + 1}}}}}, "A count is"),
        ({"statistics": given["statistics"] | {"channels": [["", "words", 269, float("inf")]]}}, "Counts are numbers"),
        ({"expanded": {"words": {"sum": float("nan")}}}, "Weights of terms must be"),
    ):
        refused = server.post(f"{PREFIX}/shard/candidates", content=json.dumps(given | change), headers={
            "content-type": "application/json"
        })
        assert (refused.status_code, refused.json()["error"]["message"].startswith(message)) == (400, True), change
