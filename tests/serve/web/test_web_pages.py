"""Pages as they are without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from lxml import html

from porism.index.joint import names_of
from porism.serve.web.rendering import FormulaLinker, code_html, pieces_html
from porism.serve.web.schema import FormulaView, PieceView, QueryPart
from porism.serve.web.templating import palette
from porism.serve.web.urls import SearchState
from porism.system.concurrency.caching import Memory

QUESTION = r"sum of squares $\sum_{i=1}^n i^2$"


def page(client: Any, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(path, params=parameters or None)
    assert answer.status_code == status, answer.text[:2000]
    return html.document_fromstring(answer.text)


def classes(elements: Any) -> list[str]:
    return [" ".join(element.get("class", "").split()) for element in elements]


def test_results_are_cards_with_marks_in_the_colours_of_the_parts(client: Any) -> None:
    found = page(client, "/search", q=QUESTION)
    (box,) = found.xpath("//input[@name='q']")
    assert box.get("value") == QUESTION
    parts = found.xpath("//ul[@class='parts']/li")
    assert classes(parts) == ["part c0 word", "part c0 word", "part c1 formula"]
    card = found.xpath("//li[@class='card']")[0]
    assert [mark.text for mark in card.xpath(".//h2//mark")] == ["Sum", "n", "squares"]
    assert [mark.get("data-part") for mark in card.xpath(".//h2//mark")] == ["0", "2", "1"]
    (formula,) = card.xpath(".//p[@class='snippet']//span[contains(@class, 'hit')]")
    assert (formula.get("class"), formula.get("data-part")) == ("f hit c1", "2")
    assert [one.text for one in formula.iter("mo") if one.get("class") == "m"][:1] == ["∑"]
    assert len(found.xpath("//li[@class='card']")) == 10


def test_an_empty_question_keeps_what_is_searched_for(client: Any) -> None:
    for path in ("/", "/search"):
        for mode in ("formulas", "documents", "other"):
            found = page(client, path, q=" ", mode=mode)
            assert found.xpath("//input[@name='mode'][@checked]/@value") == [mode if mode != "other" else "documents"]


def test_formulas_are_mathml_never_latex(client: Any) -> None:
    found = page(client, "/document", id="basel-by-parseval")
    (article,) = found.xpath("//article")
    assert len(article.xpath(".//math")) == 13
    assert "\\" not in article.text_content()
    assert "$" not in article.text_content()


def test_the_whole_state_is_in_the_address() -> None:
    state = SearchState("$x=y$ & z", "formulas", "notes", ("tags=a b", "type=x"), "year", "equal", 3, 20)
    url = urlsplit(state.url(page=3))
    assert url.path == "/search"
    assert parse_qs(url.query) == {
        "q": ["$x=y$ & z"], "mode": ["formulas"], "index": ["notes"], "sort": ["year"], "match": ["equal"],
        "page": ["3"], "k": ["20"], "filter": ["tags=a b", "type=x"],
    }
    assert SearchState("x").url() == "/search?q=x"
    assert parse_qs(urlsplit(state.without_filter("type", "x")).query)["filter"] == ["tags=a b"]
    assert "page" not in parse_qs(urlsplit(state.with_filter("type", "y")).query)
    assert SearchState().with_tag("number-theory") == "/search?q=number+theory&filter=tags%3Dnumber-theory"


def test_facets_pages_and_tags_are_links(client: Any) -> None:
    found = page(client, "/search", q="series")
    links = {
        link.xpath("string(span)"): link.get("href") for link in found.xpath("//aside[@class='facets']//li/a")
    }
    filtered = page(client, links["theorem"])
    (chosen,) = filtered.xpath("//ul[@class='chosen']//a")
    assert chosen.xpath("string(span)") == "Type: theorem"
    assert chosen.get("href") == "/search?q=series"
    (following,) = found.xpath("//a[@rel='next']")
    second = page(client, following.get("href"))
    assert second.xpath("//ol[@class='hits']")[0].get("start") == "11"
    assert second.xpath("//a[@rel='prev']")[0].get("href") == "/search?q=series"


def test_formula_results_say_how_they_match(client: Any) -> None:
    found = page(client, "/search", q=r"$\sum_{i=1}^m i^2$", mode="formulas")
    relations = found.xpath("//p[starts-with(@class, 'relation')]/span[1]/text()")
    assert relations[:2] == ["similar", "equal in value"]
    assert found.xpath("//input[@name='mode'][@checked]/@value") == ["formulas"]
    assert found.xpath("//span[@aria-current]/text()") == ["similar formulas"]


def test_counts_of_one_are_no_plurals(client: Any) -> None:
    same = page(client, "/search", q="$x^2+y^2=z^2$", mode="formulas", match="identical")
    assert " ".join(same.xpath("string(//div[@class='summary']/p)").split()).startswith("at least 1 formula in")
    one = page(client, "/compare", left="sum-of-squares", right="square-pyramid")
    assert one.xpath("string(//p[@class='lead'])").startswith("No whole formula in common, 2 alike in part. Point")
    none = page(client, "/compare", left="chain-rule", right="birthday-problem")
    assert " ".join(none.xpath("string(//p[@class='lead'])").split()) == "No formula in common."


def test_the_page_of_a_formula_keeps_the_index(client: Any) -> None:
    found = page(client, "/formula", formula="x^2", index="sample")
    assert found.xpath("//form[@class='plain']/input[@name='index']/@value") == ["sample"]


def test_hints_in_the_browser_say_nothing_of_a_shell(client: Any) -> None:
    for path in ("/preview", "/search"):
        text = client.get(path, params={"q": "series $x^2"}).text
        assert "dollar has no partner" in text
        assert "shell" not in text


def test_why_is_a_page_and_a_fragment(client: Any) -> None:
    results = page(client, "/search", q=QUESTION)
    (link,) = results.xpath("(//a[@class='why'])[1]/@href")
    whole = page(client, link)
    assert whole.xpath("string(//h1)") == "Why this result?"
    fragment = client.get(f"{link}&fragment=true").text
    assert "<html" not in fragment
    assert "channel words" in fragment
    assert whole.xpath("//dl/dt/text()") == ["asked for", "found", "with"]


def test_helpful_pages_where_nothing_is_found(client: Any) -> None:
    nothing = page(client, "/search", q="series", filter=["type=theorem", "tags=geometry"])
    assert nothing.xpath("//div[@class='message']/h2/text()") == ["Nothing found"]
    assert "/search?q=series" in nothing.xpath("//div[@class='message']//a/@href")
    formulas = page(client, "/search", q=r"compact space $\zzzz^{\qqq}$", mode="formulas", match="identical")
    assert "Show similar formulas" in formulas.xpath("//div[@class='message']//a/text()")
    assert " ".join(formulas.xpath("string(//div[@class='summary'])").split()).startswith("0 formulas")
    assert "None of the most similar formulas is identical" in formulas.xpath("string(//div[@class='message'])")
    wrong = page(client, "/search", 400, q="foo:bar")
    assert wrong.xpath("string(//section[@role='alert']/h1)") == "The index has no field 'foo'."
    missing = page(client, "/document", 404, id="nope")
    assert "no document 'nope'" in missing.xpath("string(//h1)")
    spelled = page(client, "/search", q="binomail theorem")
    assert spelled.xpath("string(//p[@class='hint'])") == (
        "Showing results for binomial theorem. Search instead for binomail theorem"
    )


def test_the_box_is_the_first_page_and_the_examples_have_results(client: Any) -> None:
    first = page(client, "/")
    assert first.xpath("//h1/text()") == ["Find mathematics"]
    assert "269 documents" in " ".join(first.xpath("string(//p[@class='facts'])").split())
    examples = first.xpath("//div[@class='examples']//a/@href")
    assert len(examples) == 5
    for example in examples:
        assert page(client, example).xpath("//li[@class='card']")


@every_case("path", [
    "/", "/search?q=series+%24x%5E2%24", "/search?q=%24x%5E2%24&mode=formulas", "/document?id=chain-rule", "/help",
    "/api", "/compare?left=chain-rule&right=product-quotient-rule", "/similar?id=chain-rule",
    "/formula?formula=x%5E2", "/nothing", "/search?q=foo:bar",
])
def test_pages_have_one_main_heading_landmarks_labels_and_no_inline_code(client: Any, path: str) -> None:
    text = client.get(path).text
    found = html.document_fromstring(text)
    assert len(found.xpath("//main")) == len(found.xpath("//header")) == 1
    assert len(found.xpath("//h1")) == 1
    assert found.get("lang") == "en"
    assert found.xpath("//title")[0].text
    ids = found.xpath("//@id")
    assert len(ids) == len(set(ids))
    for control in found.xpath("//input[not(@type='hidden') and not(@type='radio')]"):
        assert found.xpath(f"//label[@for='{control.get('id')}']")
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|javascript:", text)
    assert all(script.get("src") and not (script.text or "").strip() for script in found.iter("script"))


def test_a_page_of_results_is_small(client: Any) -> None:
    assert len(client.get("/search", params={"q": QUESTION}).content) < 150_000
    assert len(client.get("/search", params={"q": "$x^2+y^2$", "mode": "formulas"}).content) < 150_000


def test_browsers_can_add_the_search(client: Any) -> None:
    text = client.get("/opensearch.xml").text
    assert 'template="http://localhost/search?q={searchTerms}"' in text
    assert 'href="/opensearch.xml"' in client.get("/").text


def test_the_api_page_lists_every_route(client: Any) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    shown = page(client, "/api").xpath("//section[@class='route']/h2/code/text()")
    assert set(shown) == set(paths)
    assert "/api/v1/search/stream" in paths
    assert not any(path.startswith("/search") for path in paths)


def test_the_preview_shows_what_is_understood(client: Any) -> None:
    shown = client.get("/preview", params={"q": r"sum $\frac{1}{2}$"}).text
    assert "<mfrac>" in shown
    assert "<html" not in shown
    broken = client.get("/preview", params={"q": r"$\foo+1$", "mode": "formulas"}).text
    assert "character 0" in broken


def test_pieces_are_escaped_and_linked() -> None:
    parts = (QueryPart(number=0, kind="formula", text="x", colour=3),)
    formula = FormulaView(latex='"x"<', text="x", mathml="<math><mi>x</mi></math>")
    pieces = (PieceView(text="a<b", match=True, part=0), PieceView(text="x", match=True, part=0, formula=formula))
    assert str(pieces_html(pieces, parts)) == (
        '<mark class="hit c3" data-part="0">a&lt;b</mark>'
        '<span class="f hit c3" data-latex="&quot;x&quot;&lt;" data-part="0"><math><mi>x</mi></math></span>'
    )
    linked = str(FormulaLinker(parts, "notes", {0: ["l1"]}).pieces(pieces))
    assert 'class="f pick hit c3 linked" data-links="l1" data-part="0"' in linked
    assert 'data-latex="&quot;x&quot;&lt;"' in linked
    assert "index=notes" in linked


def test_descriptions_have_code_between_backticks() -> None:
    assert code_html("a < b, ``?x`` and `k`") == "a &lt; b, <code>?x</code> and <code>k</code>"


def test_the_palette_inserts_what_it_shows() -> None:
    keys = [key for group in palette().values() for key in group]
    assert len({key.insert for key in keys}) == len(keys) > 80
    assert all("merror" not in key.mathml for key in keys)
    names = {key.insert: key.name for key in keys}
    assert len(set(names.values())) == len(names)
    assert (names["\\leq "], names["\\mathbb{R} "], names["\\times "], names["\\Gamma "]) == (
        "is less than or equal to", "the real numbers", "cross", "Gamma",
    )


def test_a_memory_forgets_what_was_used_longest_ago() -> None:
    memory: Memory[int] = Memory(2)
    made: list[str] = []

    def make(name: str) -> int:
        made.append(name)
        return len(made)

    assert [memory.get(name, lambda name=name: make(name)) for name in "abacab"] == [1, 2, 1, 3, 1, 4]
    assert made == ["a", "b", "c", "b"]
    assert len(memory) == 2


def test_indexes_have_the_names_of_their_folders(tmp_path: Path) -> None:
    paths = (tmp_path / "notes.index", tmp_path / "other" / "notes", tmp_path / "porism-index", tmp_path / "x")
    assert list(names_of(paths)) == ["notes", "notes-2", "porism", "x"]
