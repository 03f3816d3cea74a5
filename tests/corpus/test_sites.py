"""Folders of built documentation: what of a page is content, its links, and formulas as generators write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus import open_source
from porism.corpus.base import ReaderOptions
from porism.errors import ConfigError, Problem
from porism.index.sources import options_from_json, options_to_json
from porism.search.locations import Location
from porism.types import Document

LONG = "word " * 500
SIGN = '<a class="headerlink" href="#{0}" title="Link to this heading">¶</a>'

SPHINX = f"""<title>Groups — Algebra 1.0 documentation</title><a href="#m">Skip to main content</a>
<div class="bar">Algebra</div><div class="body" role="main"><section id="groups"><h1>Groups{SIGN.format("groups")}</h1>
<p>{LONG}<span class="math notranslate nohighlight">\\(a b\\)</span></p>
<section id="order-2"><h2>Order {SIGN.format("order-2")}</h2><p>Finite.</p><div class="math" id="equation-e">
<span class="eqno">(1){SIGN.format("equation-e")}</span>\\[c^n\\]</div><img class="math" src="a.svg" alt="d_1"/>
<aside class="footnote"><p>A note.</p></aside></section></section></div><div class="footer">© Somebody</div>"""

MATERIAL = f"""<title>Groups - Algebra</title><div class="header">Algebra</div><main><div class="side">
<a href="x">Rings</a></div><article class="md-content__inner"><h1 id="groups">Groups</h1><p>{LONG}
<span class="arithmatex">\\(a b\\)</span></p>
<h2 id="order-2">Order<a class="headerlink" href="#order-2">#</a></h2><p>Finite.
<span class="arithmatex">\\(c^n\\)</span><span class="katex"><span class="katex-mathml"><math><semantics><mi>d</mi>
<annotation encoding="application/x-tex">d_1</annotation></semantics></math></span><span class="katex-html">d1</span>
</span></p><p>A note.</p></article></main>"""

PRETEXT = f"""<title>Groups</title><div class="hidden-content">\\(\\newcommand{{\\ab}}{{a b}}\\)</div>
<main class="ptx-main">
<section class="chapter" id="groups"><h1 class="heading"><span class="title">Groups</span></h1><p>{LONG}\\(\\ab\\)
<a href="#p-1" title="Copy permalink">🔗</a></p><section id="order-2"><h2>Order</h2><p>Finite. <mjx-container
class="MathJax"><mjx-math aria-hidden="true"><mjx-utext>c</mjx-utext></mjx-math><mjx-assistive-mml><math><msup>
<mi>c</mi><mi>n</mi></msup></math></mjx-assistive-mml></mjx-container> \\(d_1\\)</p>
<p>A note.</p></section></section></main>"""


def read(folder: Path, page: str, problems: list[Problem] | None = None) -> list[Document]:
    (folder / "a b").mkdir(exist_ok=True)
    (folder / "a b" / "groups.html").write_text(f"<html>{page}</html>", encoding="utf-8")
    options = ReaderOptions(base_url="https://algebra.org/book/")
    return list(open_source(folder, options=options, on_problem=(problems if problems is not None else []).append))


@every_case("page", [SPHINX, MATERIAL, PRETEXT], ids=["sphinx", "mkdocs", "pretext"])
def test_sections_of_a_site_are_documents_with_links(page: str, tmp_path: Path) -> None:
    groups, order = read(tmp_path, page)
    assert groups.fields["title"].text == "Groups"
    assert groups.fields["body"].text.split() == ["word"] * 500 + ["\ufffc"]
    assert [formula.source for formula in groups.fields["body"].formulas] == ["a b"]
    assert groups.metadata["url"] == "https://algebra.org/book/a%20b/groups.html#groups"
    assert order.fields["title"].text == "Order"
    assert order.fields["body"].text.replace("\ufffc", "").split() == ["Finite.", "A", "note."]
    assert len(order.fields["body"].formulas) == 2
    assert order.metadata["section"] == ("Groups", "Order")
    assert Location.of(order.metadata).url == "https://algebra.org/book/a%20b/groups.html#order-2"


def test_what_has_no_name_in_its_page_is_linked_by_what_is_around_it(tmp_path: Path) -> None:
    page = (
        f"<main><p>in</p><h2>B</h2>{LONG}<section id=c><h2>C</h2><p>c</p><div class=theorem><p>t</p></div>"
        "<div class=lemma id=l><p>l</p></div></section></main>"
    )
    urls = [str(unit.metadata["url"]).removeprefix("https://algebra.org/book/") for unit in read(tmp_path, page)]
    page_url = "a%20b/groups.html"
    assert urls == [page_url, page_url, *(f"{page_url}#{name}" for name in ("c", "c", "l"))]


def test_pages_without_content_are_left_out_and_reported(tmp_path: Path) -> None:
    problems: list[Problem] = []
    links = "".join(f'<li><a href="{number}.html">Chapter {number}</a></li>' for number in range(20))
    assert not read(tmp_path, f"<main><h1>Book</h1><ul>{links}</ul></main>", problems)
    assert not read(tmp_path, '<main><h1>Search</h1><form>x</form><div id="search-results"></div></main>', problems)
    assert not read(tmp_path, '<main><h1>Search</h1><div id="porism-search"></div></main>')
    assert [problem.what for problem in problems] == [
        "the page is a list of links; it is left out", "the page only shows the results of a search; it is left out",
    ]


def test_a_grammar_full_of_links_is_content(tmp_path: Path) -> None:
    rules = "".join(f'<p>rule {number} → <a href="#{number}">formula</a></p>' for number in range(50))
    (document,) = read(tmp_path, f"<main><h1>Grammar</h1>{rules}</main>")
    assert len(document.fields["body"].text.split()) == 200


def test_sources_beside_their_pages_are_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "_sources").mkdir()
    (tmp_path / "_sources" / "index.rst.txt").write_text("Groups\n======\n\nA group.\n")
    assert [document.metadata["file"] for document in open_source(tmp_path)] == ["_sources/index.rst.txt"]
    (tmp_path / "index.html").write_text("<main><h1>Groups</h1><p>A group.</p></main>")
    assert [document.metadata["file"] for document in open_source(tmp_path)] == ["index.html"]


def test_a_base_url_is_an_address_that_the_index_remembers() -> None:
    options = ReaderOptions(base_url="https://algebra.org")
    assert options_from_json(options_to_json(options)) == options
    with pytest.raises(ConfigError, match="is not an address"):
        ReaderOptions(base_url="algebra.org")


QUARTO = """<title>Lines</title><main class="content" id="quarto-document-content"><header><h1 class="title"><span
class="chapter-number">2</span>&nbsp; <span class="chapter-title">Lines</span></h1><div class="quarto-title-meta"><p>Ann
Author</p></div></header><section id="sec-one" class="level2"><h2><span class="header-section-number">2.1</span>
One</h2>
<div id="thm-line" class="theorem"><p><span class="theorem-title"><strong>Theorem 2.1 (Line)</strong></span> It is
<span class="math display">\\[y = mx + b.\\]</span></p></div><div class="proof"><p><span
class="proof-title"><em>Proof</em>.
</span>Clear.</p></div><div id="lem-x" class="theorem lemma"><p><span class="theorem-title"><strong>Lemma
2.1</strong></span>
A lemma.</p></div><div class="proof remark"><p><span class="proof-title"><em>Remark</em>. </span>Remarked.</p></div>
<div class="callout callout-note callout-titled"><div class="callout-header"><div class="callout-title-container
flex-fill">
Exercise (Slopes)</div></div><div class="callout-body"><p>Do it.</p></div></div></section></main>"""

DOCUSAURUS = """<title>Lines</title><main><div class="theme-doc-version-banner alert">Unreleased</div><article><span
class="theme-doc-version-badge">Version: 2.0</span><div class="tocCollapsible_E theme-doc-toc-mobile"><button>On this
page</button></div><div class="theme-doc-markdown markdown"><header><h1>Lines</h1></header><h2 id="one">One<a
href="#one"
class="hash-link">\u200b</a></h2><div class="theme-admonition theme-admonition-note alert"><div
class="admonitionHeading_G"><span class="admonitionIcon_R"><svg viewBox="0 0 1 1"><path d="M"/></svg></span>Theorem
(Line)
</div><div class="admonitionContent_B"><p>It is <span class="katex-display"><span class="katex"><span
class="katex-mathml"><math display="block"><semantics><mi>y</mi><annotation encoding="application/x-tex">y = mx + b.
</annotation></semantics></math></span><span
class="katex-html">y</span></span></span></p></div></div></div></article></main>"""

SPHINX_PROOF = """<title>Lines</title><div role="main"><section id="lines"><h1><span class="section-number">2.
</span>Lines</h1>
<div class="proof theorem admonition" id="thm-line"><p class="admonition-title"><span class="caption-number">Theorem 1
</span> (Line)</p><section class="theorem-content" id="proof-content"><p>It is <span class="math">\\(y = mx +
b.\\)</span></p>
</section></div><div class="proof admonition" id="proof"><p>Proof. Clear.</p></div></section></div>"""


def test_blocks_of_generators_have_their_kinds_and_titles(tmp_path: Path) -> None:
    theorem = ("theorem", "Line", "It is \ufffc", ["y = mx + b."])
    cases = {
        QUARTO: [theorem, ("lemma", "", "A lemma.", []), ("remark", "", "Remarked.", []),
                 ("exercise", "Slopes", "Do it.", [])],
        DOCUSAURUS: [theorem], SPHINX_PROOF: [theorem],
    }  # fmt: skip
    for page, expected in cases.items():
        documents = read(tmp_path, page)
        blocks = [document for document in documents if document.metadata["type"] != "section"]
        assert [
            (
                str(block.metadata["type"]), block.title.text if block.title else "",
                " ".join(block.fields["body"].text.split()), [part.source for part in block.fields["body"].formulas],
            )
            for block in blocks
        ] == expected
        assert {document.metadata["section"][0] for document in documents} == {"Lines"}
        text = " ".join(content.text for document in documents for content in document.fields.values())
        for absent in ("Ann", "2.1", "Version", "On this", "Unreleased"):
            assert absent not in text, absent


def test_what_latexml_and_dlmf_put_beside_the_text_is_left_out(tmp_path: Path) -> None:
    note = (
        '<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">2</sup><span class="ltx_note_outer"><span '
        'class="ltx_note_content"><sup class="ltx_note_mark">2</sup><span class="ltx_tag ltx_tag_note">2</span>A note.'
        "</span></span></span>"
    )
    equation = (
        '<table class="ltx_equation"><tr><td><span class="ltx_tag ltx_tag_equation">(9.2.1)</span></td><td><math '
        'alttext="w=z"><mi>w</mi></math></td></tr></table>'
        '<div class="ltx_metadata ltx_info"><b>Encodings:</b> TeX</div>'
    )
    (document,) = read(tmp_path, f"<article><h1>T</h1><p>Text{note} here.</p>{equation}</article>")
    assert document.fields["body"].text.split() == ["Text", "A", "note.", "here.", "\ufffc"]


def test_a_page_that_a_script_makes_is_left_out_and_reported(tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert not read(tmp_path, '<head><title>App</title><script src="a.js"></script></head><body></body>', problems)
    assert [problem.what for problem in problems] == [
        "the page has no text but what a script makes; it is left out"
    ]
    assert len(read(tmp_path, "<head><title>App</title><script>x</script></head><body>Text</body>")) == 1
