"""HTML to content: text, and formulas in every form that pages use."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from long_forms import LONG

from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.html.content import formula_of_math, html_to_content
from porism.corpus.html.tree import parse_html
from porism.errors import Problem
from porism.types import Content, Formula

F = "\ufffc"
MATH = (
    '<math alttext="x&lt;1" display="block"><semantics><mrow><mi>x</mi><mo>&lt;</mo><mn>1</mn></mrow>'
    '<annotation encoding="application/x-tex">x &lt; 1</annotation></semantics></math>'
)


@every_case(
    ("html", "text"),
    [
        ("plain  words\nhere", "plain words here"),
        ("<p>One</p><p>Two <em>and</em> three</p>", "One\nTwo and three"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
        ("<h1>T</h1>text<table><tr><td>1</td><td>2</td></tr></table>", "T\ntext\n1\n2"),
        ("a &amp; b &lt; c &eacute; &#228;", "a & b < c é ä"),
        ("a<!-- hidden <p> -->b<!DOCTYPE html><?php x?>c", "abc"),
        ("x<script>var a = '<p>$y$</p>';</script><style>p {}</style>y", "xy"),
        ("<svg><text>drawn</text></svg>seen", "seen"),
        ("<pre><code>for i:\n    x = $i\n</code></pre>after", "for i:\n    x = $i\nafter"),
        ("write <code>$x$</code> for it", "write $x$ for it"),
        ('<a href="u" title="a<b">link</a> text', "link text"),
        ('<img alt="<span class=" id="1" math-container"="" src="u">y', "y"),
        ("if a < b and vector<T> or 3<4", "if a < b and vector<T> or 3<4"),
        ("<my-box>kept</my-box>", "kept"),
        ("<p>open <b>never closed", "open never closed"),
        ("a\x00b\x1b[31m &#xFFFC;\ufffc c", "a b [31m c"),
        ("", ""),
        ('<script src="a.js"/>x<div class="katex-html"/><p>y', "x\ny"),
        ("x<p/>y<br/>z<span/>!", "x\ny\nz!"),
        ("I </3 you, n<!m, <?", "I </3 you, n<!m, <?"),
        ("<![if !IE]>a<![endif]>b", "ab"),
        ("<p>a</p></body></html>b", "a\nb"),
        ("a &leq; b&nbsp;&#8804; c&#1;d", "a ≤ b ≤ c d"),
        ("<table><tr><th>a<td>b<tr><td>c</table>d", "a\nb\nc\nd"),
        ("<b>a<p>b</b>c", "a\nbc"),
        ("<pre>\n a\n  b\n</pre>", " a\n  b"),
    ],
)
def test_text(html: str, text: str) -> None:
    assert html_to_content(html) == Content(text)


@every_case(
    ("html", "formula"),
    [
        ('<span class="math-container" id="17">$a&lt;b$</span>', Formula("a<b", id="17")),
        ('<span class="math-container">$$x^2$$</span>', Formula("x^2", display=True)),
        (
            '<span class="math-container">\\begin{align}a\\end{align}</span>',
            Formula("\\begin{align}a\\end{align}", display=True),
        ),
        ('<span class="math-container" lost="" id="5">$a<i>b</i>$</span>', Formula("ab", id="5")),
        ('<SPAN id="5" class=\'math-container wide\'>\\(y\\)</SPAN>', Formula("y", id="5")),
        (f'<span class="math-container" id="8" visual_id="9">{MATH}</span>', Formula("x < 1", "latex", "8", "9", True)),
        ("$z$", Formula("z")),
        ("\\[z\\]", Formula("z", display=True)),
        (
            "<p>\\begin{equation}a &amp;= b\\end{equation}</p>",
            Formula("\\begin{equation}a &= b\\end{equation}", display=True),
        ),
        ("$$a<br>b$$", Formula("a\nb", display=True)),
        ("$a<b$", Formula("a<b")),
        ("$a <b, c<d\\}$", Formula("a <b, c<d\\}")),
        ("$x<y >z$", Formula("x<y >z")),
        ('<span class="math-container">$a<b$</span>', Formula("a<b")),
        ("<m:math><m:mrow><m:mspace/><m:mi>q</m:mi></m:mrow></m:math>", Formula(
            "<math><mrow><mspace></mspace><mi>q</mi></mrow></math>", "mathml")),
        ("<math><mi>q</mi><!-- no --><mn>&nbsp;</mn></math>", Formula(
            "<math><mi>q</mi><mn>\xa0</mn></math>", "mathml"
        )),
        (MATH, Formula("x < 1", display=True)),
        ('<math alttext="q"><mi>q</mi></math>', Formula("q")),
        (
            '<math><mi>q</mi><annotation encoding="StarMath">no</annotation>'
            '<annotation encoding="LaTeX">q_1</annotation></math>',
            Formula("q_1"),
        ),
        ("<math><mi>q</mi></math>", Formula("<math><mi>q</mi></math>", "mathml")),
        ('<script type="math/tex">a<b</script>', Formula("a<b")),
        ('<script type="math/tex; mode=display">% <![CDATA[\na %]]></script>', Formula("a", display=True)),
        ('<span class="MathJax_Preview">[a]</span><script type="math/tex">a</script>', Formula("a")),
        (
            f'<span class="katex"><span class="katex-mathml">{MATH}</span>'
            '<span class="katex-html" aria-hidden="true"><span class="base"><span>x</span>&lt;1</span></span></span>',
            Formula("x < 1", display=True),
        ),
        ('<span class="math inline">a_1</span>', Formula("a_1")),
        ('<span class="math display">\\[a\\]</span>', Formula("a", display=True)),
        ('<div class="math">\\[a\\]</div>', Formula("a", display=True)),
        ('<img class="latex" src="x.png" alt="e^x">', Formula("e^x")),
    ],
)
def test_every_form_of_a_formula(html: str, formula: Formula) -> None:
    assert html_to_content(f"see {html} here") in (
        Content(f"see {F} here", (formula,)), Content(f"see\n{F}\nhere", (formula,))
    )


def test_mathml_is_preferred_where_asked_for() -> None:
    content = html_to_content(f"see {MATH}", formulas="mathml")
    assert content == Content(f"see {F}", (Formula(MATH, "mathml", display=True),))
    assert html_to_content("$x$", formulas="mathml").formulas == (Formula("x"),)
    assert html_to_content('<math alttext="x"></math>', formulas="mathml").formulas == (Formula("x"),)


def test_mathml_reads_as_xml_by_itself() -> None:
    formula = formula_of_math(
        '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML" id="e"><m:mi>a</m:mi><m:mo>&InvisibleTimes;</m:mo>'
        "<m:mo>&lt;</m:mo><m:mo>&#x26;</m:mo></m:math>"
    )
    assert formula == Formula(
        '<math xmlns="http://www.w3.org/1998/Math/MathML" id="e"><mi>a</mi><mo>\u2062</mo>'
        "<mo>&lt;</mo><mo>&amp;</mo></math>",
        "mathml", "e",
    )
    assert formula_of_math("<math></math>") is None
    assert formula_of_math("<math alttext='a>b'><mi>a</mi></math>") == Formula("a>b")
    assert formula_of_math("no element") is None


def test_dollars_may_be_left_alone() -> None:
    assert html_to_content("<p>$x$</p>", delimiters=False) == Content("$x$")


def test_a_formula_inside_a_formula_gives_its_source() -> None:
    html = 'let $S_<span class="math-container" id="3">$n$</span> = 1$ be'
    assert html_to_content(html) == Content(f"let {F} be", (Formula("S_{n} = 1"),))


def test_formulas_do_not_cross_blocks_and_lonely_dollars_are_reported() -> None:
    found: list[Problem] = []
    content = html_to_content("<p>cost $x</p><p>and y$ or</p>", where="post 7", on_problem=found.append)
    assert content == Content("cost $x\nand y$ or")
    (problem,) = found
    assert problem.where == "post 7"
    assert "in 1 more paragraph" in problem.what


def test_unclosed_elements_lose_nothing_and_are_reported() -> None:
    found: list[Problem] = []
    content = html_to_content("a <math> b <script> c <!-- d", on_problem=found.append)
    assert content == Content("a b c d")
    assert [problem.what for problem in found] == ["no end of <!--, <math>, <script>"]


@every_case(
    ("html", "text"),
    [
        ('a <p title="b>c <b>d</b> e', 'a <p title="b>c d e'),
        ("a <img alt='b", "a <img alt='b"),
        ('<p class="x">a</p> b <a href="c>d <i>e</i>', 'a\nb <a href="c>d e'),
    ],
)
def test_a_tag_that_is_never_ended_loses_nothing_and_is_reported(html: str, text: str) -> None:
    found: list[Problem] = []
    assert html_to_content(html, on_problem=found.append) == Content(text)
    assert found == [Problem("html", "a tag is never ended, and is kept as text")]


def test_deep_nesting_keeps_the_text() -> None:
    found: list[Problem] = []
    html = f"{'<div>' * 100_000}$x$ in{'</div>' * 100_000}out"
    assert html_to_content(html, on_problem=found.append) == Content(f"{F} in\nout", (Formula("x"),))
    assert found == [Problem("html", "tags nested deeper than 2000 levels are left out (98000 of them)")]


def test_formatting_without_end_is_not_repeated_in_every_paragraph() -> None:
    html = "".join(f'<font color="{number}">' for number in range(5000)) + "<p>x" * 5000
    assert parse_html(html).body.html == "<body>" + "".join(
        f'<?font color="{number}"?>' for number in range(5000)
    ) + "<p>x</p>" * 4999 + "<p>x\x1c</p></body>"


def test_lines_of_elements_can_be_marked() -> None:
    html = "<h1>a</h1>\n<!-- one\ntwo --><p>b\n<H2 id=x>c</h2>"
    marked = parse_html(html, mark_lines=frozenset(("h1", "h2"))).body
    assert [node.attributes.get("data-line") for node in marked.css("h1, p, h2")] == ["1", None, "4"]


@every_case(
    ("source", "expected"),
    [
        ("$x$", ("x", False)), (" $$ x $$ ", ("x", True)), ("\\(x\\)", ("x", False)), ("\\[x\\]", ("x", True)),
        ("$", ("$", False)), ("$$", ("", False)), ("x", ("x", False)),
        ("\\begin{align}\\end{align}", ("\\begin{align}\\end{align}", True)),
    ],
)
def test_strip_delimiters(source: str, expected: tuple[str, bool]) -> None:
    assert strip_delimiters(source) == expected


PIECES = [
    "<p>", "</p>", "<span class=\"math-container\">", "</span>", "<math>", "</math>", "<code>", "</code>", "<pre>",
    "</pre>", "<!--", "-->", "<script type=math/tex>", "</script>", '<span class="katex-html">', "$", "\\[", "\\]", "<",
    ">", '"', "'", "&amp;", "&", "a", " ", "\n", F, '<a title="', "<br>",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text())
def test_any_html_gives_content(html: str) -> None:
    for notation in ("latex", "mathml"):
        content = html_to_content(html, formulas=notation, on_problem=lambda problem: None)  # type: ignore[arg-type]
        assert all(formula.source for formula in content.formulas)
        assert html_to_content(html, formulas=notation) == content  # type: ignore[arg-type]


@every_case(
    "unit",
    [
        "<", "<a ", '<a "', "<a '\"", "<!--", "<!", "<script>", "<math>", "<math></math>", "<MATH></MATH>", "<p>$", "&",
        '<span class="math-container">', '<span class="math-container" x>', "<code>$", "<math alttext='", "<pre>",
        '<span class="katex-html">', '<p title="<', "&#1", "<div>", "<ul><li>", "<b><p>", "<b></p>", "<x-y></p>",
        "<b><table></b></table>", "<div><table></div></table>", "<math><mtext><x-y><p>", "<table>x", "<select><option>",
        "<a b='>", "<code><p>", "<div/>", "</T>", "<T/>", "<m:math>",
    ],
)
def test_hostile_input_comes_to_an_end(unit: str) -> None:
    """In quadratic time it would take ten times as long, and the guard of all tests would end it."""
    html = unit * ((300_000 if LONG else 40_000) // len(unit))
    content = html_to_content(html, on_problem=lambda problem: None)
    assert len(content.text) <= 3 * len(html)
    assert formula_of_math(html) is None


def test_a_hostile_annotation_comes_to_an_end() -> None:
    html = "<math><annotation " + "encoding=tex " * 25_000 + "</math>"
    assert len(html_to_content(html, on_problem=lambda problem: None).text) <= len(html)


@pytest.mark.needs_shared_data
def test_real_posts_keep_their_formulas(shared_data: Path) -> None:
    posts = (shared_data / "arqmath-mini" / "Posts.V1.3.xml").read_text(encoding="utf-8")
    total = kept = 0
    for escaped in re.findall(r' Body="([^"]*)"', posts):
        body = unescape(escaped)
        content = html_to_content(body)
        ids = re.findall(r'<span class="math-container" id="(\w+)">', body)
        found = [formula.id for formula in content.formulas if formula.id is not None]
        assert not set(found) - set(ids)
        total, kept = total + len(ids), kept + len(found)
        assert "<span" not in content.text
        assert "</p>" not in content.text
    # the others are empty, or stand inside a formula between dollars that the collection's own markup cuts up
    assert (total, kept) == (60261, 60217)


@every_case("attribute", ['a{0}="{0}"', "a{0}", 'a{0}=">"', "a{0}='<b'", "/a{0}"])
def test_a_tag_of_many_attributes_is_left_out(attribute: str) -> None:
    problems: list[Problem] = []
    page = f"<p>before</p><div {' '.join(attribute.format(number) for number in range(60_000))}>after</div><p>$x$"
    content = html_to_content(page, on_problem=problems.append)
    # to compare each with all others takes minutes, and the guard of all tests would end it
    assert content.text.startswith("before")
    assert "after" in content.text
    assert [formula.source for formula in content.formulas] == ["x"]
    assert "a tag with more than 256 attributes is left out (1 of them)" in [problem.what for problem in problems]


def test_a_tag_of_some_attributes_stays(tmp_path: Path) -> None:
    many = " ".join(f'a{number}=">"' for number in range(255))
    problems: list[Problem] = []
    content = html_to_content(f'<span {many} class="math-container">x</span>', on_problem=problems.append)
    assert [formula.source for formula in content.formulas] == ["x"]
    assert problems == []


def test_a_formula_of_too_many_attributes_is_not_read() -> None:
    few, many = (" ".join(f'a{number}="x"' for number in range(count)) for count in (100, 60_000))
    assert formula_of_math(f"<math {few}><mi>x</mi></math>") is not None
    assert formula_of_math(f"<math {many}><mi>x</mi></math>") is None


@pytest.mark.parametrize("text", ['<a b="', "<a b=\"<a c='", '<a b=">', "<p a b c d "])
def test_time_of_attributes_is_linear(text: str, assert_linear: Callable[..., None]) -> None:
    assert_linear(lambda count: html_to_content(text * count), 500, 2_000)


@every_case(
    ("html", "expected"),
    [
        ('<div class="tex2jax_ignore">costs $5 and $x$</div><p>$y$</p>', "costs $5 and $x$|y"),
        ('<p class="a mathjax_ignore">$x$ <code>$z$</code> $w$</p>$y$', "$x$ $z$ $w$|y"),
        ('<span class="nomath">$x$ <b>$z$</b></span> $y$', "$x$ $z$ |y"),
        ('<div class="tex2jax_ignore"><span class="math notranslate">\\(x\\)</span> $5<p>$6</p></div>', "|x $5\n$6"),
    ],
)
def test_elements_may_say_that_they_hold_no_formulas(html: str, expected: str) -> None:
    content = html_to_content(html)
    text = "".join(part if isinstance(part, str) else f"|{part.source}" for part in content.parts)
    assert text.replace("\n|", "|") == expected
