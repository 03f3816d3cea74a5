"""Formulas over the API: searching, parsing, converting, comparing."""

from __future__ import annotations

import re
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from porism.formula import operator_tree, parse_latex
from porism.formula.tables.alphabets import styled
from porism.formula.tables.setting import EMPTY_SET, SLASHED_ZERO
from porism.formula.tables.styles import ENCLOSURES, ROUNDHAND_SELECTOR
from porism.retrieve.formulas.matching import StructureRanker
from porism.search.formula_occurrences import FormulaPlaces
from porism.search.formulas import FormulaSearcher
from porism.serve import web
from porism.serve.web.formula_views import draw_tree, view
from porism.types import Formula

STATIC = Path(web.__file__).parent / "static"


def get(client: Any, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/v1{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_formulas_have_their_relation_their_places_and_their_alignment(client: Any) -> None:
    found = get(client, "/formulas", q=r"$\sum_{i=1}^m i^2$", k=3)
    relations = {hit["formula"]["text"]: hit["relation"] for hit in found["hits"]}
    assert relations["(1/6)m(m + 1)(2m + 1)"] == "equal value"
    assert relations["Pₘ = ∑ᵢ₌₁ᵐ i²"] == "similar"
    (third,) = [hit for hit in found["hits"] if hit["places"][0]["id"] == "sum-of-squares"]
    assert [[one["latex"], other["latex"]] for one, other in third["alignment"]["substitution"]] == [
        ["i", "k"], ["m", "n"],
    ]
    assert third["places"][0]["fields"] == ["body"]
    assert "".join(one["text"] for one in third["places"][0]["title"]) == "Sum of the first n squares"


def test_a_page_makes_what_it_shows_and_says_why_when_asked(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    for name, step in ((FormulaPlaces, "by_document"), (FormulaPlaces, "places"), (StructureRanker, "match")):
        own = getattr(name, step)

        def call(self: Any, *given: Any, own: Any = own, step: str = step, **settings: Any) -> Any:
            made.append(step)
            return own(self, *given, **settings)

        monkeypatch.setattr(name, step, call)
    page = client.get("/search", params={"q": "$k^2+1$", "mode": "formulas", "k": 7})
    assert page.text.count('class="card"') == 7
    assert made == ["by_document"] * 7
    whole = get(client, "/formulas", q="$k^2+1$", k=1)["hits"][0]
    part = get(client, "/formulas", q="$k^2+1$", k=1, explain=False)["hits"][0]
    assert part["alignment"] is None
    assert re.sub(r"m s\d+", "m", whole["alignment"]["found"]["mathml"]) in page.text  # no numbers of names
    assert part["places"] == whole["places"]
    for fragment in (True, False):
        why = client.get("/why", params={"q": "$k^2+1$", "key": whole["formula"]["key"], "fragment": fragment})
        assert why.status_code == 200
        assert f"{whole['score']:.3f}" in why.text
        assert whole["alignment"]["query"]["mathml"] in why.text
    assert client.get("/why", params={"q": "$k^2+1$", "key": "nothing"}).status_code == 400


def test_match_keeps_equal_formulas_only(client: Any) -> None:
    same = get(client, "/formulas", q="$f(x)=x^2$", match="identical")
    assert {hit["formula"]["text"] for hit in same["hits"]} == {"f(x) = x²"}
    renamed = get(client, "/formulas", q="$g(t)=t^2$", match="renamed")
    assert {hit["relation"] for hit in renamed["hits"]} == {"renamed"}
    assert "f(x) = x²" in {hit["formula"]["text"] for hit in renamed["hits"]}
    equal = get(client, "/formulas", q=r"$\sum_{i=1}^m i^2$", match="equal")
    assert [hit["relation"] for hit in equal["hits"]] == ["equal value"]
    get(client, "/formulas", 422, q="$x$", match="like")


def test_what_a_ranker_has_to_say_is_a_hint(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FormulaSearcher, "notes", lambda searcher: ["some are missing"])
    assert get(client, "/formulas", q="$f(x)=x^2$")["hints"] == ["some are missing"]


def test_wildcards_find_instances(client: Any) -> None:
    found = get(client, "/formulas", q="$?a^2+?b^2=?c^2$", k=5)
    first = found["hits"][0]
    assert first["relation"] == "instance"
    third = found["hits"][2]
    assert ["?b", "(2mn)"] in [[one["latex"], other["latex"]] for one, other in third["alignment"]["substitution"]]
    assert [hit["relation"] for hit in found["hits"]] == ["instance", "instance", "instance", "similar", "similar"]


def test_a_question_without_a_formula_is_refused_with_an_example(client: Any) -> None:
    error = get(client, "/formulas", 400, q="$ $")["error"]
    assert "no formula" in error["message"]
    assert r"\sum" in error["hint"]


def test_a_formula_is_parsed_into_all_notations(client: Any) -> None:
    found = get(client, "/parse", formula=r"$\frac{1}{2}+\unknowncommand$")
    assert found["operators"].startswith("[U!plus")
    assert found["spoken"].startswith("one half plus")
    assert (found["tree"]["label"], len(found["tree"]["children"])) == ("plus", 2)
    assert [problem["position"] for problem in found["problems"]] == [12]
    assert found["svg"].count("<rect") == 5


@every_case(("to", "text"), [
    ("latex", r"x^{2}"), ("unicode", "x²"), ("spoken", "x squared"), ("operators", "[O!SUP,0[V!x],1[N!2]]"),
    ("mathml", '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'),
])
def test_a_formula_is_converted(client: Any, to: str, text: str) -> None:
    assert get(client, "/convert", formula="x^2", to=to)["text"] == text
    assert get(client, "/convert", formula="<math><msup><mi>x</mi><mn>2</mn></msup></math>", to=to)["text"] == text


def test_equality_says_in_which_sense(client: Any) -> None:
    for first, second, relation, equal in (
        ("x^2", "x^{2}", "identical", True), ("(a+b)^2", "a^2+2ab+b^2", "same value", True),
        ("(x+y)^2", "a^2+2ab+b^2", "same value after renaming", True), ("(a+b)^2", "a^2+b^2", "different", False),
    ):
        found = get(client, "/equal", first=first, second=second)
        assert (found["relation"], found["equal"]) == (relation, equal)
    assert [step["formula"]["text"] for step in found["steps"]] == []
    assert [[part["latex"] for part in pair] for pair in found["difference"]["point"]] == [["a", "2"], ["b", "3"]]
    assert (found["difference"]["first"]["latex"], found["difference"]["second"]["latex"]) == ("25", "13")
    shared = get(client, "/equal", first=r"\sum_{n=1}^\infty\frac1{n^2}", second=r"\sum_{n=2}^\infty\frac1{n^2}")
    assert [part["first"]["text"] for part in shared["common"]] == ["1/n²"]
    assert 'class="m"' in shared["first"]["mathml"]
    assert "symbols" in get(client, "/equal", 400, first=r"\sqrt{x}+" * 390, second="x" * 3_900)["error"]["message"]


def test_the_page_of_two_formulas(client: Any) -> None:
    page = client.get("/equal", params={"first": "2x+4y-3=0", "second": "y=-x/2+3/4"}).text
    assert "They say the same" in page
    assert "The left side of the first is that of the second times" in page
    assert "Are these equal?" in client.get("/equal").text
    assert 'value="x"' in client.get("/equal", params={"first": "x"}).text  # the other one is still to be given
    assert 'role="alert"' in client.get("/equal", params={"first": "x", "second": "x" * 5_000}).text
    assert "first=n%5E2" in client.get("/formula", params={"formula": "n^2"}).text


def test_displays_are_aligned_by_classes_for_the_policy_forbids_styles() -> None:
    shown = view(Formula(r"\begin{cases}a&b\\c&d\end{cases}")).mathml
    assert "style=" not in shown
    assert '<mtd class="left">' in shown


def test_boxes_and_strokes_have_classes_that_the_style_sheet_knows() -> None:
    shown = view(Formula(r"\boxed{a+b}+\cancel{c}")).mathml
    assert " style=" not in shown
    assert '<mrow class="boxed"' in shown
    assert '<mrow class="struck-up">' in shown
    sheet = STATIC.joinpath("math.css").read_text(encoding="utf-8")
    for kind, declarations in ENCLOSURES.items():
        assert f".{kind} {{ {declarations}; }}" in sheet


def test_the_font_has_script_letters_of_two_hands() -> None:
    pytest.importorskip("brotli")
    font = pytest.importorskip("fontTools.ttLib").TTFont(STATIC / "porism-math.woff2")
    (hands,) = (table.uvsDict for table in font["cmap"].tables if table.format == 14)
    letters = [ord(styled(letter, "cal")) for letter in ascii_uppercase]
    assert set(letters) <= {code for code, _ in hands[0xFE00]}
    other = dict(hands[ord(ROUNDHAND_SELECTOR)])
    assert all(other[code] != font.getBestCmap()[code] for code in letters)


def test_the_font_has_two_forms_of_the_empty_set() -> None:
    pytest.importorskip("brotli")
    font = pytest.importorskip("fontTools.ttLib").TTFont(STATIC / "porism-math.woff2")
    (forms,) = (table.uvsDict for table in font["cmap"].tables if table.format == 14)
    slashed_zero = dict(forms[ord(SLASHED_ZERO)])[ord(EMPTY_SET)]
    assert slashed_zero not in (None, font.getBestCmap()[ord(EMPTY_SET)])


def test_a_drawn_tree_has_its_nodes_above_their_operands() -> None:
    svg = draw_tree(operator_tree(parse_latex("a<b")).root)
    assert "&lt;" in svg
    assert svg.count("<path") == 2
    heights = [float(part.split('"')[1]) for part in svg.split("<text ")[1:] for part in [part.split("y=")[1]]]
    assert heights[0] < heights[1] == heights[2]
    positions = [float(part.split('x="')[1].split('"')[0]) for part in svg.split("<text ")[1:]]
    assert positions[0] == pytest.approx((positions[1] + positions[2]) / 2)


def test_a_deep_formula_is_parsed_without_a_tree(client: Any) -> None:
    found = get(client, "/parse", formula="{x^" * 80 + "2" + "}" * 80)
    assert (found["tree"], found["svg"]) == (None, "")
    assert found["operators"].startswith("[O!SUP")
