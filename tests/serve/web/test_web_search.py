"""Searching documents over the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from porism.search.index import open_index
from porism.serve.web import answering
from porism.serve.web.requests import SearchRequest
from porism.serve.web.settings import Limits
from porism.serve.web.templating import roughly

QUESTION = r"sum of squares $\sum_{i=1}^n i^2$ and $\frac{n(n+1)}{2}$"


def get(client: Any, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/v1{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_results_are_those_of_the_library(client: Any, sample_view: Any) -> None:
    found = get(client, "/search", q=QUESTION, k=5)
    expected = sample_view.index.search(sample_view.index.question(QUESTION, guess_formulas=True), 5)
    assert [(hit["rank"], hit["id"]) for hit in found["hits"]] == [(hit.rank, hit.id) for hit in expected]
    assert [hit["score"] for hit in found["hits"]] == pytest.approx([hit.score for hit in expected])
    assert (found["index"], found["page"], found["per_page"], found["partial"]) == ("sample", 1, 5, False)


def test_the_parts_of_the_question_are_numbered_and_matches_refer_to_them(client: Any) -> None:
    found = get(client, "/search", q=QUESTION, k=3)
    assert [(one["number"], one["kind"], one["text"], one["colour"]) for one in found["parts"]] == [
        (0, "word", "sum", 0), (1, "word", "squares", 0), (2, "formula", r"\sum_{i=1}^n i^2", 1),
        (3, "formula", r"\frac{n(n+1)}{2}", 2),
    ]
    first = found["hits"][0]
    assert first["id"] == "sum-of-squares"
    assert [(one["text"], one["part"]) for one in first["title"] if one["match"]] == [
        ("Sum", 0), ("n", 2), ("squares", 1),
    ]
    (formula,) = [one for one in first["snippet"] if one["match"] and one["formula"]]
    assert formula["part"] == 2
    assert 'class="m">∑</mo>' in formula["formula"]["mathml"]  # the symbols that match, and no others
    assert "<mn>6</mn>" in formula["formula"]["mathml"]


def test_pages_follow_each_other(client: Any) -> None:
    ten = [hit["id"] for hit in get(client, "/search", q="series", k=10)["hits"]]
    second = get(client, "/search", q="series", k=5, page=2)
    assert [hit["id"] for hit in second["hits"]] == ten[5:]
    assert [hit["rank"] for hit in second["hits"]] == [6, 7, 8, 9, 10]
    assert get(client, "/search", q="series", k=100, page=3)["hits"] == []


def test_facets_count_what_matches_well_and_filters_keep_it(client: Any) -> None:
    found = get(client, "/search", q="series", k=100)
    facets = {facet["key"]: {one["value"]: one["count"] for one in facet["values"]} for facet in found["facets"]}
    assert set(facets) == {"type", "tags"}
    well = [hit for hit in found["hits"] if hit["score"] >= found["hits"][0]["score"] / 2]
    assert 1 < found["matching"] == len(well) < found["total"]
    assert sum(facets["type"].values()) == found["matching"]
    assert facets["type"]["theorem"] == sum(hit["metadata"]["type"] == "theorem" for hit in well)
    theorems = get(client, "/search", q="series", filter=["type=theorem"], k=100)
    assert {hit["metadata"]["type"] for hit in theorems["hits"]} == {"theorem"}
    (chosen,) = [facet for facet in theorems["facets"] if facet["key"] == "type"]
    assert [(one["value"], one["chosen"]) for one in chosen["values"]] == [("theorem", True)]
    alone = get(client, "/facets", q="series", filter=["type=theorem"])
    assert (alone["total"], alone["matching"], alone["facets"]) == (
        theorems["total"], theorems["matching"], theorems["facets"]
    )
    page = client.get("/search", params={"q": "series"}).text
    assert f"<strong>{found['matching']}</strong> match well, {found['total']} share a word" in page
    assert client.get("/search", params={"q": "series", "group": "none"}).status_code == 200
    written = [roughly(count) for count in (7, 99, 124, 995, 1_234)]
    assert written == ["7", "99", "about 120", "about 1,000", "about 1,200"]


def test_an_explanation_adds_up_and_aligns_formulas(client: Any) -> None:
    found = get(client, "/search", q=QUESTION, k=1, explain=True)
    (hit,) = found["hits"]
    explained = hit["explanation"]
    assert explained == get(client, "/explain", q=QUESTION, id=hit["id"])
    tree = explained["contributions"]
    assert tree["value"] == pytest.approx(hit["score"], abs=1e-5)
    assert sum(part["value"] for part in tree["parts"]) == pytest.approx(tree["value"], abs=1e-4)
    values = [part["value"] for part in tree["parts"]]
    assert values == sorted(values, key=lambda value: -abs(value))
    first = explained["alignments"][0]
    assert (first["part"], first["query"]["latex"]) == (2, r"\sum_{i=1}^n i^2")
    assert [(one["latex"], other["latex"]) for one, other in first["substitution"]] == [("i", "k")]
    assert 0.9 < first["query_share"] <= 1 > first["found_share"]


def test_a_body_asks_the_same_as_an_address(client: Any) -> None:
    asked = client.post("/api/v1/search", json={"q": "series", "filters": {"type": ["theorem"]}, "k": 3})
    assert asked.status_code == 200
    by_address = get(client, "/search", q="series", filter=["type=theorem"], k=3)
    assert {**asked.json(), "seconds": 0} == {**by_address, "seconds": 0}


def test_explanations_stream_after_the_results(client: Any) -> None:
    with client.stream("GET", "/api/v1/search/stream", params={"q": QUESTION, "k": 2}) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        events = [json.loads(line) for line in answer.iter_lines()]
    assert [event["event"] for event in events] == ["results", "explanation", "explanation", "end"]
    assert [event["explanation"]["id"] for event in events[1:3]] == [hit["id"] for hit in events[0]["results"]["hits"]]
    assert events[3]["partial"] is False


def test_an_answer_has_a_tag_and_is_not_sent_twice(client: Any) -> None:
    first = client.get("/api/v1/search", params={"q": "series"})
    tag = first.headers["etag"]
    again = client.get("/api/v1/search", params={"q": "series"}, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get("/api/v1/search", params={"q": "sequence"}, headers={"If-None-Match": tag})
    assert other.status_code == 200
    assert other.headers["etag"] != tag


def test_a_page_is_made_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    search = answering.search

    def counted(view: Any, request: SearchRequest, limits: Any) -> Any:
        made.append(request.q)
        return search(view, request, limits)

    monkeypatch.setattr(answering, "search", counted)
    pages = [client.get("/search", params={"q": "a page that is made once"}) for _ in range(3)]
    assert {page.status_code for page in pages} == {200}
    assert {page.text for page in pages} == {pages[0].text}
    assert made == ["a page that is made once"]
    tag = pages[0].headers["etag"]
    again = client.get("/search", params={"q": "a page that is made once"}, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


@every_case(("path", "parameters", "status", "code", "words"), [
    ("/search", {"q": " "}, 400, "bad_request", "query is empty"),
    ("/search", {"q": "a " * 3_000}, 400, "bad_request", "6,000 characters"),
    ("/search", {"q": " ".join(f"$x^{n}$" for n in range(13))}, 400, "bad_request", "13 formulas"),
    ("/search", {"q": "series", "k": 101}, 400, "bad_request", "K is 101"),
    ("/search", {"q": "series", "k": 10, "page": 101}, 400, "bad_request", "Page 101"),
    ("/search", {"q": "series", "sort": "size"}, 400, "bad_request", "sorted by 'size'"),
    ("/search", {"q": "series", "filter": "type"}, 400, "bad_request", "key=value"),
    ("/search", {"q": "series", "filter": "colour=red"}, 400, "bad_request", "colour"),
    ("/search", {"q": "series", "index": "other"}, 404, "not_found", "no index 'other'"),
    ("/search", {}, 422, "invalid", "Parameter q: Field required"),
    ("/search", {"q": "series", "k": "many"}, 422, "invalid", "Parameter k: Input should be a valid integer"),
    ("/explain", {"q": "series", "id": "none"}, 404, "not_found", "no document 'none'"),
    ("/nothing", {}, 404, "not_found", "no such page"),
])
def test_errors_have_one_form(
    client: Any, path: str, parameters: dict[str, Any], status: int, code: str, words: str
) -> None:
    error = get(client, path, status, **parameters)["error"]
    assert error["code"] == code
    assert words in error["message"]
    assert error["message"][0] == error["message"][0].upper()


def test_the_time_budget_leaves_out_explanations_and_says_so(sample_view: Any) -> None:
    from porism.serve.web import answering

    found = answering.search(sample_view, SearchRequest(q=QUESTION, explain=True), Limits(seconds=0))
    assert found.partial
    assert [hit.explanation for hit in found.hits] == [None] * 10
    assert len(found.hits) == 10


def test_formulas_are_marked_as_wholes_when_time_is_short(sample_view: Any) -> None:
    from porism.serve.web import answering

    sample_view.memory._values.clear()
    found = answering.search(sample_view, SearchRequest(q=QUESTION), Limits(alignment_seconds=0))
    (formula,) = [one for one in found.hits[0].snippet if one.match and one.formula]
    assert formula.part == 2
    assert 'class="m"' not in formula.formula.mathml


def test_the_question_is_read_while_it_is_typed(client: Any) -> None:
    found = get(client, "/question", q=r'uniform $\frac{a}{$ x^2+1 title:compact type:theorem "metric space"')
    assert [(one["kind"], one["text"]) for one in found["parts"]] == [
        ("word", "uniform"), ("formula", r"\frac{a}{"), ("formula", "x^{2}+1"), ("word", "compact"),
        ("word", "metric"), ("word", "space"), ("phrase", "title:compact"), ("phrase", "“metric space”"),
        ("filter", "type: theorem"),
    ]
    assert found["parts"][1]["problems"]
    assert found["error"] is None
    assert "no field 'foo'" in get(client, "/question", q="foo:bar")["error"]


def test_suggestions_come_from_the_index(client: Any) -> None:
    words = get(client, "/suggest", q="the binom")["completions"]
    assert [(one["kind"], one["text"], one["start"]) for one in words[:1]] == [("word", "binomial", 4)]
    tags = get(client, "/suggest", q="limit tags:cal")["completions"]
    assert [(one["text"], one["start"]) for one in tags] == [("tags:calculus", 6)]
    assert tags[0]["documents"] == 31
    formulas = get(client, "/suggest", q=r"so $\sum_{k=1}^ n k")["completions"]
    assert formulas
    assert all(one["kind"] == "formula" and one["text"].replace(" ", "").startswith(r"\sum_{k=1}^nk")
               for one in formulas)
    assert all(one["text"].endswith("$") and one["start"] == 4 for one in formulas)
    for typed, doc_id in (("Chain rule", "chain-rule"), ("rule", "cramers-rule")):  # by any of its words
        assert doc_id in {one["id"] for one in get(client, "/suggest", q=typed)["completions"]}


def test_commands_go_on_after_a_backslash_and_words_elsewhere(client: Any) -> None:
    def kinds(text: str) -> list[tuple[str, str]]:
        found = get(client, "/suggest", q=text, k=50)["completions"]
        assert all(one["id"] or (text[: one["start"]] + one["text"]).startswith(text) or one["kind"] == "formula"
                   for one in found)
        return [(one["kind"], one["text"]) for one in found]

    inside = kinds(r"the sum $\fr")
    assert inside[0] == ("command", r"\frac")
    assert {kind for kind, _ in inside} == {"command", "formula"}
    assert {kind for kind, _ in kinds(r"\fr")} == {"command"}
    assert {kind for kind, _ in kinds(r"$a$ and \alph")} == {"command"}
    assert kinds(r"$$\int x$$ fract")[0] == ("word", "fractions")
    assert kinds("Binom")[0] == ("word", "Binomial")
    assert {kind for kind, _ in kinds("$$x")} == {"formula"}
    assert all(text.endswith("$$") for _, text in kinds("$$x"))
    assert all(kind != "command" for kind, _ in kinds(r"$a \\fr"))  # a new line, and letters
    shown = {one["text"]: one["formula"] for one in get(client, "/suggest", q=r"$\fr")["completions"]}
    assert "<mfrac>" in shown[r"\frac"]["mathml"]


def test_health_describes_the_index(client: Any, sample_view: Any) -> None:
    (index,) = get(client, "/health")["indexes"]
    assert index["documents"] == len(sample_view.index) == 269
    assert index["fields"] == ["title", "body", "tags", "question"]
    assert get(client, "/indexes") == [index]


def test_similar_documents_are_those_of_the_library(client: Any, sample_view: Any) -> None:
    found = get(client, "/similar", id="chain-rule", k=3)
    assert [hit["id"] for hit in found["hits"]] == [hit.id for hit in sample_view.index.more_like("chain-rule", 3)]


def test_facets_are_values_that_documents_share_and_no_numbers_but_years(tmp_path: Path) -> None:
    from porism.search.sources.indexing import index_documents
    from porism.serve.web.facets import facet_keys
    from porism.serve.web.served import View
    from porism.types import Content, Document

    documents = [
        Document(
            f"d{number}", {"body": Content.of("words")},
            {"year": str(2000 + number % 2), "duplicates": str(number % 3), "kind": "ab"[number % 2],
             "name": f"n{number}", "same": "x", "file": "fg"[number % 2],
             "language_origin": ("stated", "detected")[number % 2]},
        )
        for number in range(8)
    ]
    index_documents(documents, tmp_path / "x", jobs=1)
    assert facet_keys(View("x", open_index(tmp_path / "x"))) == ["year", "kind"]
