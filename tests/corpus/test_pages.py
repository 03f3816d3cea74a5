"""Web pages: what is content, where units begin and end, and formulas in every form."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG_ONLY, examples

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.html.reader import PageReader, page_documents
from porism.errors import Problem
from porism.types import Document, Notation

LONG = "word " * 500


def read(html: str, problems: list[Problem] | None = None, formulas: Notation = "latex") -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(page_documents(html, "p.html", "site", formulas, report))


def test_a_short_page_is_one_document() -> None:
    (document,) = read(
        "<html><head><title>T</title><style>h1{}</style><script>var x = '$a$';</script></head><body><nav>menu</nav>"
        "<p>Text $x$ \\(y\\) <span class='math-container'>$$z$$</span></p><script type='math/tex'>w</script>"
        "<aside>ads</aside><footer>foot</footer></body></html>"
    )
    assert document.id == "p.html"
    assert document.title.text == "T"
    assert [formula.source for formula in document.fields["body"].formulas] == ["x", "y", "z", "w"]
    assert document.fields["body"].text.startswith("Text")
    assert not {"menu", "ads", "foot"} & set(document.fields["body"].text.split())


def test_headings_split_a_long_page() -> None:
    documents = read(f"<title>T</title>in<h1 id=a>A</h1><p>{LONG}</p><h2>B &amp; $x$</h2><p>b</p><H1>C</H1>c")
    assert [document.id for document in documents] == ["p.html", "p.html#a", "p.html#b-x", "p.html#c"]
    assert documents[2].metadata["section"] == ("T", "A", "B & $x$")
    assert documents[3].fields["body"].text == "c"


LATEXML = """<!DOCTYPE html><html><head><title>On primes</title></head><body>
<nav class="ltx_page_navbar"><ul><li>Nav</li></ul></nav><article class="ltx_document">
<h1 class="ltx_title ltx_title_document">On primes</h1>
<div class="ltx_authors">Somebody</div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6><p>We count
<math alttext="\\pi(x)" display="inline"><semantics><mi>x</mi>
<annotation encoding="application/x-tex">\\pi(x)</annotation>
</semantics></math>.</p></div>
<section id="S1" class="ltx_section"><h2 class="ltx_title ltx_title_section">
<span class="ltx_tag ltx_tag_section">1 </span>
Introduction</h2><div class="ltx_para"><p>Text.</p></div>
<div id="S1.T1" class="ltx_theorem ltx_theorem_thm"><h6 class="ltx_title ltx_title_theorem"><span
class="ltx_tag ltx_tag_theorem"><span class="ltx_text">Theorem 1.1</span></span><span> (Euclid).</span></h6>
<div class="ltx_para"><p>There are <div>nested</div> infinitely many.</p></div></div>
<div class="ltx_proof"><h6 class="ltx_title">Proof.</h6><div><p>Multiply.</p></div></div>
<div class="ltx_para"><p>After.</p></div></section>
<section id="bib" class="ltx_bibliography"><h2>References</h2><section>inner</section></section>
<section id="S2" class="ltx_section"><h2 class="ltx_title">Last</h2><p>End.</p></section></article></body></html>"""


def test_latexml_pages() -> None:
    documents = {document.id: document for document in read(LATEXML)}
    assert list(documents) == ["p.html#abstract-1", "p.html#S1", "p.html#S1.T1", "p.html#S2"]
    assert documents["p.html#abstract-1"].fields["body"].to_latex() == r"We count $\pi(x)$."
    assert documents["p.html#S1"].title.text == "Introduction"
    assert documents["p.html#S1"].fields["body"].text.split() == ["Text.", "After."]
    theorem = documents["p.html#S1.T1"]
    assert theorem.metadata["type"] == "theorem"
    assert theorem.title.text == "Euclid"
    assert theorem.fields["body"].text.split() == ["There", "are", "nested", "infinitely", "many."]
    assert theorem.fields["proof"].text == "Multiply."
    assert theorem.metadata["section"] == ("On primes", "Introduction")
    assert documents["p.html#S2"].fields["body"].text == "End."


def test_the_notation_that_is_wanted() -> None:
    (document,) = read(LATEXML.split("<section")[0], formulas="mathml")
    (formula,) = document.fields["body"].formulas
    assert formula.notation == "mathml"
    assert formula.source.startswith("<math")


@every_case(
    "data",
    [
        '<meta charset="iso-8859-1"><p>café</p>'.encode("latin-1"),
        '<?xml version="1.0" encoding="ISO-8859-1"?><html xmlns="x"><p>café</p></html>'.encode("latin-1"),
        '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><p>café</p>'.encode(),
        "<p>café</p>".encode("utf-16"),
        "<p>café</p>".encode(),
        '<meta charset="no-such-thing"><p>café</p>'.encode(),
        b"<p>caf&eacute;</p>",
    ],
)
def test_encodings(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(data)
    problems: list[Problem] = []
    (document,) = PageReader().read(tmp_path / "a.html", ReaderOptions(), problems.append, ignore_progress)
    assert document.fields["body"].text == "café"
    assert problems == []


@every_case(
    ("html", "complaint"), [("<p>a</p><script>b", "no end of <script>"), ("a<nav>b", "no end of <nav>")]
)
def test_truncated_pages_are_reported(html: str, complaint: str) -> None:
    problems: list[Problem] = []
    (document,) = read(html, problems)
    assert document.fields["body"].text.startswith("a")
    assert complaint in problems[0].what


def test_xhtml_pages() -> None:
    (document,) = read(
        '<?xml version="1.0"?>\n<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:m="http://www.w3.org/1998/Math/MathML"><head><script src="a.js"/><title>T</title></head><body>'
        '<div class="navbar"/><a id="top"/><p>Let <m:math><m:mrow><m:mspace/><m:mi>x</m:mi></m:mrow></m:math>.</p>'
        "<textarea/>End</body></html>"
    )
    assert document.title.text == "T"
    assert document.fields["body"].text.split() == ["Let", "\ufffc.", "End"]
    (formula,) = document.fields["body"].formulas
    assert formula.source == "<math><mrow><mspace></mspace><mi>x</mi></mrow></math>"


def test_a_heading_without_end_swallows_nothing() -> None:
    problems: list[Problem] = []
    (document,) = read("<title>T</title><h1>A</h1>a<h2>B<p>b $x$</p>", problems)
    assert document.fields["body"].text.split() == ["A", "a", "B", "b", "\ufffc"]
    assert problems == [Problem("p.html", "no end of <h2>")]


def test_problems_and_units_name_their_lines() -> None:
    problems: list[Problem] = []
    documents = read(
        f"<!-- a\nb\nc -->\n<h1>A</h1>{LONG}\n<p>lonely $</p>\n\n<h2>B</h2>b\n<div class='theorem'>\nc</div>", problems
    )
    assert [document.metadata["line"] for document in documents] == ["4", "7", "8"]
    assert [problem.where for problem in problems] == ["p.html:4"]


def test_long_pages_are_read_as_short_ones() -> None:
    part = "<p>One <b>two</b> <i>three</i> <code>$a$</code> <a href='x'>$y$</a></p>"
    short, long = (read("<title>T</title>" + part * count)[0].fields["body"] for count in (1, 1000))
    assert long.text.strip().split("\n") == [short.text.strip()] * 1000
    assert short.text.strip() == "One two three $a$ \ufffc"
    assert long.formulas == short.formulas * 1000


@LONG_ONLY
@pytest.mark.parametrize(
    "unit", ["<h1>", "<h1>x</h1>", "<div class=theorem>", "<section id=a><h2>$</h2>", "<nav>", "<p>$",
             "<main>", "<main><article>", "<a href='#a'><div>", "<a href='#a'>¶</a>"]
)
def test_hostile_pages_take_linear_time(unit: str, assert_linear) -> None:
    def work(size: int) -> None:
        read(unit * (size // len(unit)), [])

    assert_linear(work, 4_000, 16_000)
    work(200_000)


FRAGMENTS = [
    "<h1>", "</h1>", "<h2 id='a'>", "</h2>", '<div class="ltx_theorem ltx_theorem_lemma" id="q">', "</div>", "<div>",
    "<section id=s>", "</section>", "<math>", "</math>", "<script>", "</script>", "<nav>", "</nav>", "<!--", "-->",
    "<title>", "</title>", "<div class='ltx_proof'>", "$x$", "$", "text", "&lt;", "<", '"', "'", ">", "<p>", "<svg/>",
    '<h6><span class="ltx_tag">Theorem 1</span> (X)</h6>', "\ufffc",
    "<main>", "</main>", "<article>", "</article>", "<a href='#q'>¶</a>", "<aside>", "</aside>",
]  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join), st.text(max_size=60)))
def test_any_text_gives_documents(html: str) -> None:
    documents = read(html)
    assert len({document.id for document in documents}) == len(documents)


def test_actions_of_templates_are_no_text() -> None:
    problems: list[Problem] = []
    page = "<div>{{- $x := .Title -}}\n{{ if $x }}$a$ {{ .Content }} ${{y}}^2${{ end }}</div>"
    (document,) = page_documents(page, "n.html", "pages", "latex", problems.append)
    assert document.fields["body"].to_latex() == "$a$ ${{y}}^2$"
    assert problems == []
