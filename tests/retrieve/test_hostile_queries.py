"""Every hostile formula is asked of an index of all of them: it is answered, in order, and finds what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hostile import COMMUTATIVE, HOSTILE, WILD, long_formula
from long_forms import LONG

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index import Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import BM25, LexicalChannel
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula

SIZES = (1, 2, 5, 12, 40, 130) if LONG else (1, 5, 130)
LARGE = 2_500 if LONG else 250
"""Children of one node in the largest formulas."""

ORDINARY = (
    "x", "x+y", "x^2+y^2=z^2", r"\frac{a}{b}", r"\frac{x+1}{x-1}", "(a+b)^2=a^2+2ab+b^2", r"\sum_{k=1}^{n}k^2",
    r"\sum_{i=0}^{\infty}\frac{x^i}{i!}", r"\int_0^1 x^2\,dx", r"\sin^2 x+\cos^2 x=1", r"e^{i\pi}+1=0", "f(x)=ax+b",
    r"\lim_{h\to 0}\frac{f(x+h)-f(x)}{h}", r"\sqrt{a^2+b^2}", r"A\cup B", r"\forall x\in A", r"\binom{n}{k}",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "n!", r"\log(xy)=\log x+\log y", r"|x-y|\leq\varepsilon", "a_1+a_2+a_3",
    r"p\to q", r"\{x\mid x>0\}", r"\nabla\times F", "0", "17", r"\mathbb{R}^n", "AB=BA", r"u'=ku",
)

CHANNELS = {name: LexicalChannel(1.0, BM25(1.2, 0.75)) for name in ("tokens", "tokens-2", "approach0", "subtrees")}
"""The channels of the search without alignment, which must hold by itself."""

Answer = Sequence[tuple[str, float]]
"""Keys of formulas and their scores."""
Ask = Callable[[str, int], Answer]


def formulas() -> dict[str, str]:
    """Hostile and ordinary formulas by name."""
    found = {f"{name} {size}": make(size) for name, make in HOSTILE.items() for size in SIZES}
    found |= {f"{name} {LARGE}": make(LARGE) for name, make in {**COMMUTATIVE, **WILD}.items()}
    return found | dict(zip(ORDINARY, ORDINARY, strict=True))


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """All of them, a document each."""
    path = tmp_path_factory.mktemp("hostile") / "index"
    documents = (Document(name, {"formula": Content.of(Formula(latex))}) for name, latex in formulas().items())
    report = index_documents(documents, path, config=AnalysisConfig(text=()), jobs=1)
    assert report.documents == len(formulas())
    with Snapshot.open(path) as opened:
        yield opened


@pytest.fixture(scope="module", params=["channels", "alignment"])
def ask(request: pytest.FixtureRequest, snapshot: Snapshot) -> Ask:
    """Asks for a formula: (LaTeX, k) → keys and scores, best first."""
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config))
    if request.param == "channels":
        engine = LexicalRetriever(formula_units(snapshot.segments), CHANNELS)

        def by_channels(latex: str, k: int) -> Answer:
            terms = analyzer.formula_terms(Formula(latex), CHANNELS).terms
            results = engine.search_terms([{name: Counter(found) for name, found in terms.items()}], k)[0]
            return list(zip(results.ids, results.scores.tolist(), strict=True))

        return by_channels
    retriever = FormulaRetriever(snapshot, analyzer)

    def by_alignment(latex: str, k: int) -> Answer:
        found = retriever.search([Formula(latex)], k)[0]
        keys = [
            snapshot.segments[segment].formula_key(formula)
            for segment, formula in zip(found.segments.tolist(), found.units.tolist(), strict=True)
        ]
        return list(zip(keys, np.asarray(found.scores).tolist(), strict=True))

    return by_alignment


def check(answer: Answer, k: int) -> None:
    """At most k formulas, none twice, best first, with finite scores above 0."""
    keys, scores = [key for key, _ in answer], [score for _, score in answer]
    assert len(answer) <= k
    assert len(set(keys)) == len(keys)
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < float("inf") for score in scores)


@pytest.mark.parametrize("kind", ["commutative", "deep", "wide", "wild", "senseless"])
def test_each_is_asked_against_all(kind: str, ask: Ask, snapshot: Snapshot) -> None:
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config))
    indexed = formulas()
    asked = {name: latex for name, latex in indexed.items() if name.startswith(kind)}
    assert len(asked) >= 8 * len(SIZES)
    for name, latex in asked.items():
        answer = ask(latex, 1000)
        check(answer, 1000)
        analyzed = analyzer.formula_terms(Formula(latex), CHANNELS)
        if any(analyzed.terms.values()) and "?" not in latex and "qvar" not in latex:
            assert analyzed.key in {key for key, _ in answer}, f"{name} does not find itself"


@pytest.mark.parametrize("latex", ORDINARY)
def test_ordinary_formulas_are_found_among_them(latex: str, ask: Ask, snapshot: Snapshot) -> None:
    answer = ask(latex, 50)
    check(answer, 50)
    key = Analyzer(AnalysisConfig.from_dict(snapshot.config)).formula_terms(Formula(latex), ()).key
    assert key in [key for key, _ in answer]


@pytest.mark.parametrize("name", ["commutative: a sum of many variables", "deep: fractions", "wide: matrix of indices",
                                  "wild: a sum of wildcards", "senseless: open braces"])
def test_a_very_long_one_is_asked(name: str, ask: Ask) -> None:
    check(ask(long_formula(HOSTILE[name], 1_000_000 if LONG else 20_000), 100), 100)
