"""The formula editor of boxes, which is there where MathLive is not, and what is pasted into the box."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

from porism.serve.web.pasting import pasted_question

WORD_SUM = """<p>so <!--[if gte msEquation 12]><m:oMath><m:nary><m:naryPr><span style='font-family:"Cambria Math"'>
<m:chr m:val="∑"/><m:ctrlPr></m:ctrlPr></span></m:naryPr><m:sub><i><span lang=EN-US style='x'><m:r>n</m:r><m:r>=1</m:r>
</span></i></m:sub><m:sup><m:r>&#8734;</m:r></m:sup><m:e><m:f><m:fPr><m:ctrlPr/></m:fPr><m:num><m:r>1</m:r></m:num>
<m:den><m:sSup><m:e><m:r>n</m:r></m:e><m:sup><m:r>2</m:r></m:sup></m:sSup></m:den></m:f></m:e></m:nary></m:oMath>
<![endif]--><![if !msEquation]><span><img alt="x_1" src="x.png"></span><![endif]> ok</p>"""
PASTED = (
    ("<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>", r"$\frac{a}{2}$"),
    ("<p>a <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> costs $5</p>",
     r"a $x^{2}$ costs \$5"),
    ('<p>E: <img alt="{\\displaystyle e^{i\\pi }+1=0}" src="s.svg"> <img alt="A cat" src="c.png"></p>',
     r"E: $e^{i\pi }+1=0$"),
    ('<img class="tex" alt="x">', "$x$"),
    (WORD_SUM, r"so $\sum_{n=1}^{\infty}\frac{1}{n^{2}}$ ok"),
    ("<m:oMath><m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e><m:r><m:t>2x</m:t></m:r></m:e></m:rad>"
     "</m:oMath>", r"$\sqrt{2x}$"),
    ("<m:oMath><m:func><m:fName><m:r><m:rPr><m:sty m:val='p'/></m:rPr><m:t>sin</m:t></m:r></m:fName><m:e><m:r>α</m:r>"
     "</m:e></m:func></m:oMath>", r"$\sin\alpha$"),
    ("<m:oMath><m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=')'/></m:dPr><m:e><m:r>0</m:r></m:e></m:d></m:oMath>",
     "$[0)$"),
    ("<p>nothing of the kind, $ 5</p>", None),
)


@pytest.fixture(scope="module")
def url(sample_index: Path) -> Iterator[str]:
    with serving({"sample": sample_index}) as address:
        yield address


def test_formulas_of_pages_of_word_and_of_pictures_are_pasted_as_latex(client: Any) -> None:
    wrong = [(html, text) for html, wanted in PASTED if (text := pasted_question(html)) != wanted]
    assert wrong == []
    deep = "<m:oMath>" + "<m:d><m:e>" * 5_000 + "<m:r>x</m:r>" + "</m:e></m:d>" * 5_000 + "</m:oMath>"
    assert (pasted_question(deep) or "").count("x") <= 1
    assert client.post("/paste", content=PASTED[0][0]).text == PASTED[0][1]
    assert client.post("/paste", content=PASTED[-1][0]).status_code == 204
    assert client.post("/paste", content="<math>" + " " * 200_000).status_code == 400


def test_what_is_pasted_goes_where_the_cursor_is(opened: Open) -> None:
    page = opened("/")
    page.fill("#q", "why ")
    page.evaluate("""html => {
        const data = new DataTransfer();
        data.setData("text/html", html);
        data.setData("text/plain", "a2");
        document.querySelector("#q").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
    }""", PASTED[0][0])
    page.wait_for_function("document.querySelector('#q').value === 'why $\\\\frac{a}{2}$'")


def test_boxes_are_filled_and_the_question_follows(opened: Open) -> None:
    page = opened("/")
    page.fill("#q", "value of ")
    page.click("#editor-button")
    page.wait_for_selector(".builder input:focus")
    page.click(".builder [aria-label=sum]")
    for text in ("n=1", "∞", "1/n^2"):
        assert page.evaluate("document.activeElement.value") == ""
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    assert page.locator("#q").input_value() == r"value of $\sum_{n=1}^{∞} \frac{1}{n^{2}}$"
    page.wait_for_selector("#preview .part.formula munderover")
    page.click(".builder summary >> text=Greek")
    page.click(".builder [aria-label=alpha]")
    assert "α" in page.locator("#q").input_value()
    page.keyboard.press("Enter")
    assert not page.locator("#editor").is_visible()
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")


def test_a_structure_is_removed_by_backspace_and_a_matrix_has_its_cells(opened: Open) -> None:
    page = opened("/")
    page.click("#editor-button")
    page.wait_for_selector(".builder input:focus")
    page.keyboard.type("x^2")
    page.keyboard.press("ArrowRight")
    assert page.locator("#q").input_value() == "$x^{2}$"
    page.keyboard.press("Backspace")
    assert page.locator("#q").input_value() == "$x$"
    page.keyboard.press("Backspace")
    assert page.locator("#q").input_value() == ""
    page.click(".builder [aria-label=matrix]")
    for text in "abcd":
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    assert page.locator("#q").input_value() == r"$\begin{pmatrix}a&b\\c&d\end{pmatrix}$"


def test_tab_goes_to_the_next_empty_braces(opened: Open) -> None:
    page = opened("/")
    page.click("#palette-button")
    page.click("#palette [aria-label=fraction]")
    page.keyboard.type("a")
    page.keyboard.press("Tab")
    page.keyboard.type("b")
    assert page.locator("#q").input_value() == r"$\frac{a}{b}$"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "q"
