"""The script of a static site in a real browser: terms and rankings are those of the library, keyboard, no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from web_servers import Open

from porism import Content, Document, Formula, Query, index_documents, open_index
from porism.analysis.documents import load_document
from porism.corpus import split_math
from porism.formula import parse
from porism.formula.extractors.tokens import latex_tokens
from porism.index import Snapshot
from porism.sample import QUERIES
from porism.serve.site.exporting import export_site
from porism.serve.site.postings import SITE_MODEL

FORMULAS = r"""
x^2+\frac{a}{b}=0
\left(\frac12\right)^{n}
f'(x), f''_n
\mathbf{x}+\mathbb{R}^n+\mathcal{F}+\mathfrak g
\mathrm{lcm}(a,b)+\operatorname{Hom}(A,B)+\mathrm d x
\sin x+\log_2 n
\begin{pmatrix} a & b\\ c & d\end{pmatrix}
\left(\begin{matrix} a & b\end{matrix}\right)
\begin{cases} x & y>0\\ 0\end{cases}
\begin{align} a&=b,\\ c&=d. \end{align}
\sqrt[3]{x}+\sqrt 2
\hat{x}_i, \overline{AB}, \bar x
\text{if } x>0 \text{ and $y^2$}
3.14 \cdot 10^{-3}+1{,}000
a \le b \leq c, a <= b
\lim_{n\to\infty} a_n+\underset{n\to\infty}{\lim} b
\sum_{i=1}^n i^2
x^2_i
\overset{a}{=}
\not\in \not=
\binom nk {n\choose k}
\ldots, \cdots, ...
\int_0^1 f\,dx
a \pmod n
\underbrace{x}_{n}
{\bf x} \rm Hom
\xrightarrow{f}
90^\circ
\lVert x\rVert
{}_2F_1
\color{red}{x}
{ab}^2 + \bigl(x\bigr)
x.
\frac
""".strip().splitlines()


@pytest.fixture(scope="module")
def site(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static") / "search"
    export_site(sample_index, folder)
    return folder


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder silently, with a policy that forbids inline scripts."""

    def end_headers(self) -> None:
        policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:"
        self.send_header("Content-Security-Policy", policy)
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        return


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site.parent)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def tokens(opened: Open) -> Callable[[list[str]], list[list[str]]]:
    """The terms that the script makes of formulas."""
    page = opened("/search/example.html")
    read = "formulas => Promise.all(formulas.map(one => porismSearch.tokensOf(one)))"
    return lambda formulas: page.evaluate(read, formulas)


def expected(latex: str) -> list[str]:
    return list(latex_tokens(parse(Formula(latex))))


def known(labels: list[str], sample_index: Path) -> list[str]:
    """The tokens of a formula that some unit of the index has."""
    with Snapshot.open(sample_index) as snapshot:
        names = {name for segment in snapshot.segments for name in segment.dictionary("tokens").packed().strings()}
    return [label for label in labels if label in names]


def test_the_script_reads_formulas_as_the_library_does(
    tokens: Callable[[list[str]], list[list[str]]], sample_index: Path
) -> None:
    for latex, read in zip(FORMULAS, tokens(FORMULAS), strict=True):
        assert known(read, sample_index) == known(expected(latex), sample_index), latex


def test_formulas_of_the_index_are_read_so(tokens: Callable[[list[str]], list[list[str]]], sample_index: Path) -> None:
    with Snapshot.open(sample_index) as snapshot:
        (segment,) = snapshot.segments
        documents = [load_document(segment.stored(number)) for number in range(segment.doc_count)]
    formulas = sorted({
        formula.source for document in documents for content in document.fields.values()
        for formula in content.formulas if formula.notation == "latex"
    })
    equal = [read == expected(latex) for latex, read in zip(formulas, tokens(formulas), strict=True)]
    assert sum(equal) >= 0.98 * len(formulas) > 500


def test_any_formula_has_terms(tokens: Callable[[list[str]], list[list[str]]]) -> None:
    pieces = r"} { ^ _ & \ \\ \begin{matrix} \end{x} \left [ ] \sqrt $ \text".split()
    texts = ["".join(pieces[(start + step * number) % len(pieces)] for number in range(20))
             for start in range(len(pieces)) for step in (1, 2, 4, 7)]
    deep = ["{" * 20_000, r"\begin{matrix}" * 500, "x^" * 20_000]
    assert all(isinstance(read, list) for read in tokens([*texts, *deep]))


def test_rankings_are_those_of_the_library(opened: Open, sample_index: Path) -> None:
    questions = [json.loads(line)["query"] for line in QUERIES.read_text(encoding="utf-8").splitlines()][:30]
    page = opened("/search/example.html")
    with open_index(sample_index, model=SITE_MODEL) as index, Snapshot.open(sample_index) as snapshot:
        ids = sorted(segment.doc_id(unit) for segment in snapshot.segments for unit in range(segment.doc_count))
        run = index.run([Query(text, {"query": split_math(text)}) for text in questions], 5)
        same = 0
        for text in questions:
            hits = page.evaluate("text => porismSearch.search(text, 5).then(({hits}) => hits)", text)
            same += [ids[hit["unit"]] for hit in hits] == [doc_id for doc_id, _ in run[text]]
    assert same >= len(questions) - 2


def test_a_question_is_asked_by_keyboard_and_answered_aloud(opened: Open) -> None:
    page = opened("/search/example.html")
    page.keyboard.press("Tab")
    assert page.get_by_label("Search words and").evaluate("field => field === document.activeElement")
    page.keyboard.type(r"sum of the first squares $\sum_{i=1}^n i^2$")
    page.keyboard.press("Enter")
    page.locator(".porism-results li").first.wait_for()
    assert "Sum of the first n squares" in page.locator(".porism-results h2").all_inner_texts()[:3]
    assert "results, the best 10" in page.get_by_role("status").inner_text()
    assert page.locator(".porism-results li").first.locator("math munderover, math msubsup").count() > 0
    assert "square" in "".join(page.locator(".porism-results mark").all_inner_texts())
    page.get_by_label("Search words and").fill("qqqqq")
    page.keyboard.press("Enter")
    page.get_by_text("No results. Not on this site: qqqqq.").wait_for()


def test_a_word_that_no_unit_has_finds_the_spelling_most_like_it(opened: Open) -> None:
    page = opened("/search/example.html?q=squarest")
    page.locator(".porism-results mark", has_text="squares").first.wait_for()


def test_formulas_need_no_dollars(opened: Open) -> None:
    page = opened("/search/example.html?q=" + r"derivative%20of%20x^2%20%2B%20y^2")
    page.locator(".porism-results li").first.wait_for()
    page.get_by_role("status").get_by_text("results").wait_for()
    assert "Not on this site" not in page.get_by_role("status").inner_text()


def test_the_search_works_from_a_disk(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"{(site / 'example.html').as_uri()}?q=chain%20rule")
    page.locator(".porism-results mark").first.wait_for(timeout=10_000)
    page.close()


def test_names_and_other_scripts_are_words(browser: Any, tmp_path: Path) -> None:
    texts = {
        "a": "紧空间的闭子集是紧的。", "b": "向量空间的基。线性无关。", "c": "Компактные пространства и функции.",
        "d": "Finset.sum_comm and isOpen of T2Space", "e": "théorème de convergence dominée",
    }
    index_documents([Document(name, {"body": Content(text)}) for name, text in texts.items()], tmp_path / "index")
    export_site(tmp_path / "index", tmp_path / "site")
    page = browser.new_page()
    page.goto((tmp_path / "site" / "example.html").as_uri())
    questions = ["紧空间", "компактное пространство", "Finset.sum_comm", "open T2Space", "théorèmes convergence"]
    with open_index(tmp_path / "index", model=SITE_MODEL) as index:
        run = index.run([Query(text, {"query": Content(text)}) for text in questions], 5)
    for text in questions:
        hits = page.evaluate("text => porismSearch.search(text).then(({hits}) => hits)", text)
        assert {"abcde"[hit["unit"]]: pytest.approx(hit["score"], rel=1e-4) for hit in hits} == dict(run[text]), text
    page.close()
