"""Documents over the API: reading and comparing."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")


def get(client: Any, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/v1{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def text_of(section: Any) -> str:
    return "\n".join("".join(one["text"] for one in paragraph["pieces"]) for paragraph in section["paragraphs"])


def test_a_document_has_all_its_text_in_order(client: Any) -> None:
    found = get(client, "/document", id="basel-by-parseval")
    assert [section["name"] for section in found["sections"]] == ["question", "body"]
    assert "".join(one["text"] for one in found["title"]) == "Sum of reciprocal squares from a Fourier series"
    assert text_of(found["sections"][0]).startswith("I can see that ∑_(k ≥ 1) k⁻² converges")
    assert text_of(found["sections"][1]).endswith("one finds ζ(4) = π⁴/90 in the same way.")
    assert found["formulas"] == 13
    assert not any(one["match"] for section in found["sections"] for one in section["paragraphs"][0]["pieces"])
    assert found["place"]["text"] == "entries.jsonl:46 · Question and answer"
    assert "path" not in found["place"]


def test_matches_of_a_question_are_marked_in_all_of_it(client: Any) -> None:
    found = get(client, "/document", id="basel-by-parseval", q=r"does it converge to $\pi^2/6$")
    marked = [
        (one["text"], one["part"]) for section in found["sections"] for paragraph in section["paragraphs"]
        for one in paragraph["pieces"] if one["match"]
    ]
    assert marked == [("converges", 0), ("π²/6", 1), ("ζ(2) = π²/6", 1)]


def test_equal_formulas_of_two_documents_are_linked(client: Any) -> None:
    found = get(client, "/compare", left="basel-by-parseval", right="parseval-identity")
    assert (found["left"]["id"], found["right"]["id"]) == ("basel-by-parseval", "parseval-identity")
    for link in found["links"]:
        assert (link["share"] == 1) == (link["kind"] in ("same", "renamed", "equal value"))
    mirrored = get(client, "/compare", left="basel-by-parseval", right="basel-by-parseval")
    pairs = {(link["left"][0], link["right"][0]) for link in mirrored["links"]}
    assert all(left == right for left, right in pairs)
    assert {link["kind"] for link in mirrored["links"]} == {"same"}
    assert len(pairs) > 8


def test_sums_with_other_bounds_correspond(client: Any) -> None:
    found = get(client, "/compare", left="p-series", right="basel-by-parseval")
    bounds = [link["part"]["text"] for link in found["links"] if link["kind"] == "other bounds"]
    assert bounds == ["∑ 1/n²"]
    page = client.get("/compare", params={"left": "p-series", "right": "basel-by-parseval"}).text
    assert "with other bounds:" in page
    assert "No formula in common" not in page


def test_links_have_the_numbers_of_formulas_in_reading_order(client: Any) -> None:
    found = get(client, "/compare", left="sum-of-squares", right="square-pyramid")

    def latex(side: str, number: int) -> str:
        formulas = [
            one["formula"]["latex"] for section in found[side]["sections"] for paragraph in section["paragraphs"]
            for one in paragraph["pieces"] if one["formula"]
        ]
        return str(formulas[number])

    linked = {(latex("left", link["left"][0]), latex("right", link["right"][0])) for link in found["links"]}
    assert ("(n+1)^2", "(m-1)^{2}") in linked


def test_documents_that_do_not_exist_are_named(client: Any) -> None:
    assert "no document 'nope'" in get(client, "/document", 404, id="nope")["error"]["message"]
    assert "no document 'nope'" in get(client, "/compare", 404, left="chain-rule", right="nope")["error"]["message"]
