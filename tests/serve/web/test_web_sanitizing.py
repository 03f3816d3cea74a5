"""Nothing hostile of a document becomes markup: our writers escape it, and what they let slip the sanitizer removes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")
pytest.importorskip("nh3", reason="needs the extra: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from lxml import etree, html

from porism.corpus.posts.arqmath import read_formulas
from porism.formula import notation_of, parse, to_mathml
from porism.search.sources.indexing import index_documents
from porism.serve.web import formula_views, rendering, sanitizing
from porism.serve.web.app import create_app
from porism.serve.web.formula_views import draw_tree, with_classes
from porism.serve.web.sanitizing import clean_drawing, clean_formula, clean_text, element
from porism.serve.web.schema import FormulaView, PieceView
from porism.serve.web.settings import WebSettings
from porism.types import Content, Document, Formula

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"
ATTACK = f'" onmouseover="alert(1)" data-x="{HOSTILE}\'><svg onload=alert(1)>'
ESCAPING = (
    ("porism.serve.web.sanitizing", "escape"), ("porism.serve.web.formula_views", "escape"),
    ("porism.formula.writers.mathml", "escape"),
)


@pytest.fixture(scope="module")
def hostile_client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server of a document that tries everything."""
    path = tmp_path_factory.mktemp("hostile") / "index"
    mathml = (
        f'<math><mi href="javascript:alert(1)" onclick="alert(1)">x</mi><mtext>{HOSTILE}</mtext>'
        '<annotation-xml encoding="text/html"><script>alert(1)</script></annotation-xml><mo>=</mo><mn>1</mn></math>'
    )
    document = Document(
        f"id{ATTACK}",
        {
            "title": Content.of(f"Title {ATTACK}"),
            "body": Content.of(f"series {ATTACK} ", Formula(mathml, "mathml"), " ", Formula(rf"\text{{{ATTACK}}}=1")),
        },
        {"tags": (ATTACK, "javascript:alert(1)"), "url": "javascript:alert(1)", "type": ATTACK, "file": ATTACK},
    )
    other = Document("plain", {"body": Content.of("series ", Formula("x=1"))}, {"tags": ("javascript:alert(1)",)})
    index_documents([document, other], path, jobs=1)
    return TestClient(create_app(WebSettings({"hostile": path}, logs=False)), base_url="http://localhost")


@pytest.fixture
def no_escaping(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Our own writers let everything through."""
    remembered = (formula_views._view, formula_views._key, sanitizing._opening)
    for module, name in ESCAPING:
        monkeypatch.setattr(import_module(module), name, lambda text: text)
    for memory in remembered:
        memory.cache_clear()
    yield
    monkeypatch.undo()
    for memory in remembered:
        memory.cache_clear()


def check_pages(client: Any, pad: str = "") -> str:
    """Asks for all pages that show the hostile document or a hostile question; ``pad`` makes them new ones."""
    doc_id = f"id{ATTACK}"
    pages = [
        ("/search", {"q": "series $x=1$"}), ("/search", {"q": "$x=1$", "mode": "formulas"}),
        ("/search", {"q": HOSTILE}), ("/search", {"q": rf"$\text{{{HOSTILE}}}$"}), ("/document", {"id": doc_id}),
        ("/document", {"id": doc_id, "q": "series $x=1$"}), ("/compare", {"left": doc_id, "right": "plain"}),
        ("/similar", {"id": "plain"}), ("/why", {"id": doc_id, "q": "series $x=1$"}),
        ("/formula", {"formula": f"\\text{{{HOSTILE}}}+1"}), ("/preview", {"q": f"{HOSTILE} ${HOSTILE}$"}),
        ("/document", {"id": HOSTILE}), ("/search", {"q": "series", "filter": HOSTILE}),
        ("/search", {"q": "series", "index": HOSTILE}),
    ]
    texts = []
    for path, parameters in pages:
        answer = client.get(path, params={**parameters, "pad": pad})
        assert answer.status_code in (200, 400, 404), (path, answer.text)
        texts.append(answer.text)
        page = html.document_fromstring(answer.text)
        assert {script.get("src") for script in page.iter("script")} <= {
            "/static/theme.js", "/static/porism.js", "/static/prefetch.js",
        }
        for one in page.iter():
            if not isinstance(one.tag, str):
                continue
            assert one.tag not in ("img", "iframe", "object", "embed", "annotation-xml", "style", "base"), path
            for name, value in one.attrib.items():
                assert not name.startswith("on"), (path, name)
                assert name != "style", path
                if name in ("href", "src", "action"):
                    assert not value.lower().startswith("javascript"), (path, value)
    return "".join(texts)


def test_nothing_hostile_of_a_document_becomes_markup(hostile_client: Any) -> None:
    text = check_pages(hostile_client)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_sanitizer_holds_where_our_own_escaping_fails(hostile_client: Any, no_escaping: None) -> None:
    check_pages(hostile_client, pad="fails")
    mathml = hostile_client.get("/api/v1/convert", params={"formula": f"\\text{{{HOSTILE}}}", "to": "mathml"}).json()
    assert mathml["text"] == '<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext></mtext></math>'
    parsed = hostile_client.get("/api/v1/parse", params={"formula": f"\\text{{{HOSTILE}}}+1"}).json()
    assert "alert" not in parsed["svg"] + parsed["formula"]["mathml"]


@pytest.mark.parametrize("number", range(len(ESCAPING)))
def test_without_the_sanitizer_these_mistakes_would_be_attacks(
    hostile_client: Any, no_escaping: None, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """So the test above tests something: any of the writers alone would let a script through."""
    monkeypatch.setattr(sanitizing, "_clean", lambda cleaner, markup: markup)
    for module, name in ESCAPING[:number] + ESCAPING[number + 1 :]:
        monkeypatch.setattr(import_module(module), name, sanitizing_escape)
    with pytest.raises(AssertionError):
        check_pages(hostile_client, pad=f"open {number}")


def sanitizing_escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def test_all_formulas_of_the_sample_pass_unharmed(sample_view: Any) -> None:
    seen = 0
    for segment in sample_view.index.snapshot.segments:
        for number in range(len(segment.keys)):
            source = segment.formula_source(number)
            layout = parse(Formula(source, notation_of(source)))
            for display in (False, True):
                written = with_classes(to_mathml(layout, ids=False, display=display))
                assert clean_formula(written) == written
            seen += 1
    assert seen > 1_000


@pytest.mark.needs_shared_data
def test_all_formulas_of_a_real_collection_pass_unharmed(shared_data: Path) -> None:
    rows = read_formulas(shared_data / "arqmath-mini")
    sources = {row.formula.source for row in (rows if LONG else islice(rows, 2_000))}
    assert len(sources) > (30_000 if LONG else 1_000)
    for source in sources:
        written = with_classes(to_mathml(parse(Formula(source)), ids=False))
        assert clean_formula(written) == written


@every_case("latex", [
    r"\sum_{i=1}^n \binom{n}{i} \frac{a}{\sqrt[3]{b}} \le \infty < \mathbf{x}", r"{}_a^b X_c^d \overline{x} \hat{y}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
    r"\begin{aligned} a &= b \\ c &< d \end{aligned}", r"\underbrace{a+b}_{n} \overset{!}{=} \underline{x}",
    r"?x^2 \unknown", r"\color{red}{x}+\fcolorbox{blue}{yellow}{$y$}",
    r"\phantom{x}+\hphantom{y}-\vphantom{z}1",
    r"\lim_{x \to 0} \prod_k \left( \frac{x}{k} \right) | x | \mathfrak{g} \mathbb{R}", r"\text{a & b} \& \lt \#",
])
def test_every_element_that_formulas_have_passes(latex: str) -> None:
    layout = parse(Formula(latex))
    everything = range(200)
    for written in (to_mathml(layout, ids=False), to_mathml(layout, ids=False, marked=everything, mark_class="m")):
        shown = with_classes(written)
        assert clean_formula(shown) == shown
        assert etree.fromstring(clean_formula(shown)).tag == "{http://www.w3.org/1998/Math/MathML}math"


def test_what_formulas_do_not_have_is_removed() -> None:
    for given, left in (
        ('<math><mi onclick="a()" style="x" href="javascript:a()">x</mi></math>', "<math><mi>x</mi></math>"),
        ("<math><mtext><script>a()</script>t</mtext></math>", "<math><mtext>t</mtext></math>"),
        ("<math><mtext><img src=x onerror=a()>t</mtext></math>", "<math><mtext>t</mtext></math>"),
        ('<math><annotation-xml encoding="text/html"><b>x</b></annotation-xml></math>', "<math></math>"),
        ("<math><mi>x</mi></math><!-- a --><iframe src=a></iframe>", "<math><mi>x</mi></math>"),
    ):
        assert clean_formula(given) == left


def test_drawings_stay_the_same_tree_and_have_no_links_to_elsewhere() -> None:
    drawn = draw_tree(formula_views.operator_tree(parse(Formula(r"\frac{a}{b}+?x=\text{a & b}"))).root)
    before, after = (etree.tostring(etree.fromstring(one), method="c14n") for one in (drawn, clean_drawing(drawn)))
    assert after == before
    for given, left in (
        ('<svg><use href="https://e.org/a.svg#a"></use></svg>', "<svg><use></use></svg>"),
        ('<svg><use href="#a"></use></svg>', '<svg><use href="#a"></use></svg>'),
        ('<svg onload="a()"><g><script>a()</script></g></svg>', "<svg><g></g></svg>"),
        ("<svg><foreignObject><b>x</b></foreignObject></svg>", "<svg></svg>"),
    ):
        assert clean_drawing(given) == left


def test_text_is_escaped_and_loses_tags_only_where_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert clean_text('a < b & c > "d"') == "a &lt; b &amp; c &gt; &quot;d&quot;"
    monkeypatch.setattr(sanitizing, "escape", lambda text: text)
    assert clean_text(f"a{HOSTILE}b") == "ab"


def test_tags_of_passages() -> None:
    marked = element("mark", "x", **{"class": "hit c1"}, data_part="2")
    assert marked == '<mark class="hit c1" data-part="2">x</mark>'
    assert element("a", "x", href="/search?q=a&b", data_latex='a "<" b', data_part=None) == (
        '<a href="/search?q=a&amp;b" data-latex="a &quot;&lt;&quot; b">x</a>'
    )
    assert element("a", "x", href="javascript:alert(1)") == "<a>x</a>"
    assert element("a", "x", onclick="alert(1)", href="/") == '<a href="/">x</a>'
    assert element("script", "x") == "x"


def test_attributes_that_break_out_of_their_tag_take_the_tag_with_them(no_escaping: None) -> None:
    assert element("a", "x", data_latex=f'"><b>{HOSTILE}') == "x"
    assert element("a", "x", data_latex='" onclick="alert(1)') == '<a data-latex="">x</a>'


def test_pieces_are_sanitized_with_their_formulas(no_escaping: None) -> None:
    formula = FormulaView(latex='"onclick="a()', text=HOSTILE, mathml="<math></math>")
    pieces = (PieceView(text=HOSTILE, match=True), PieceView(text="x", formula=formula), PieceView(text=f"b{HOSTILE}"))
    marked = '<mark class="hit c0"></mark>'
    assert rendering.pieces_html(pieces) == f'{marked}<span class="f" data-latex=""><math></math></span>b'
    assert rendering.plain_html(pieces) == '<span class="f"><math></math></span>b'
    linked = rendering.FormulaLinker().pieces(pieces)
    assert "<script" not in linked
    assert "onclick=" not in linked
