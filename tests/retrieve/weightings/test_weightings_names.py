"""Weightings are found by name, with parameters that exist; none ever gives a number that is not finite."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from weighting_cases import Counted, random_texts

from porism.errors import ConfigError
from porism.retrieve.weightings import (
    BM25L,
    WEIGHTINGS,
    BM25Adapt,
    Dirichlet,
    JelinekMercer,
    Smart,
    TfIdf,
    TFldp,
    weighting_named,
)
from porism.retrieve.weightings.base import (
    BM25,
    BM25Plus,
    ChannelStatistics,
    DocumentCounts,
    StoredWeighting,
    TermCounts,
)
from porism.retrieve.weightings.names import SMART

NAMES = [name for name in WEIGHTINGS if name != SMART]
ALL = [*NAMES, "Lnu.ltb", "ltc.ltc", "dpb.apc", "afu.bnn", "bxx.ntu"]


def test_names():
    assert weighting_named("") == BM25(1.2, 0.75)
    assert weighting_named("", delta=1.0) == BM25Plus(1.2, 0.75, 1.0)
    assert weighting_named("BM25-Lucene", 0.9, 0.4) == BM25(0.9, 0.4)
    assert weighting_named("bm25l", 1.5, 0.7) == BM25L(1.5, 0.7, 0.5)
    assert weighting_named("bm25+", 1.5, 0.7, 0.3) == BM25Plus(1.5, 0.7, 0.3)
    assert weighting_named("bm25+", 1.5, parameters={"absent": 1}) == BM25Plus(1.5, 0.75, 1.0, absent=True)
    assert weighting_named("bm25-adpt", 2.0, 0.1) == BM25Adapt(2.0, 0.1)
    assert weighting_named("tfldp", b=0.2) == TFldp(0.2, 1.0)
    assert weighting_named("tf-idf", parameters={"sublinear": 1, "norm": 1}) == TfIdf(True, True, 1)
    assert weighting_named("dirichlet", parameters={"mu": 50}) == Dirichlet(50)
    assert weighting_named("jelinek-mercer", parameters={"lambda": 0.2}) == JelinekMercer(0.2)
    assert weighting_named("Lnu.ltb", parameters={"slope": 0.2}) == Smart("Lnu", "ltb", 0.2)


def test_letters_of_smart_keep_their_case():
    assert weighting_named("lnu.ltb") != weighting_named("Lnu.ltb")


@every_case(("name", "settings", "what", "hint"), [
    ("bm52", {}, "no weighting 'bm52'", "Did you mean bm25?"),
    ("dirichlt", {}, "no weighting 'dirichlt'", "Did you mean dirichlet?"),
    ("ltc", {}, "no weighting 'ltc'", "ltc.ltc"),
    ("ddd.qqq", {}, "no weighting", ""),
    ("xyzzy", {}, "no weighting 'xyzzy'", "Lnu.ltb"),
    ("Lnu.ltq", {}, "'ltq' has no normalisation 'q'", "n, x, c, u, b"),
    ("Lqu.ltb", {}, "'Lqu' has no document frequency 'q'", "n, x, f, t, p"),
    ("pl2", {"parameters": {"k1": 1.0}}, "no parameter 'k1'", "setting of the channel"),
    ("pl2", {"parameters": {"C": 1.0}}, "no parameter 'C'", "Did you mean c?"),
    ("dph", {"parameters": {"c": 1.0}}, "no parameter 'c'", "It has none."),
    ("bm25t", {"parameters": {"c": 1.0}}, "no parameter 'c'", "b of the channel"),
    ("Lnu.ltb", {"parameters": {"slop": 1.0}}, "no parameter 'slop'", "Did you mean slope?"),
    ("Lnu.ltb", {"parameters": {"slope": 2.0}}, "slope = 2", "from 0 to 1"),
    ("Lnu.ltb", {"parameters": {"slope": float("nan")}}, "slope = nan", "Use a number"),
    ("tf-idf", {"parameters": {"smooth": 0.5}}, "smooth = 0.5", "1 \\(yes\\)"),
    ("tf-idf", {"parameters": {"norm": 3}}, "norm = 3", "Euclidean"),
    ("pl2", {"delta": 1.0}, "'pl2' has no delta", "Leave it out"),
    ("bm25l", {"k1": 0.0}, "k1 = 0", "above 0"),
])
def test_what_does_not_exist_is_refused_with_a_hint(name, settings, what, hint):
    with pytest.raises(ConfigError, match=re.escape(what)) as caught:
        weighting_named(name, **settings)
    assert re.search(hint, caught.value.hint or "")


@every_case("name", ALL)
def test_the_repr_tells_weightings_apart(name):
    assert sum(repr(weighting_named(name)) == repr(weighting_named(other)) for other in ALL) == 1


COLLECTIONS = {
    "nothing": [],
    "empty documents": [[], []],
    "one document": [["x", "y", "y"]],
    "one document of one term": [["x"]],
    "the same term everywhere": [["x"]] * 5 + [[]],
    "all terms everywhere": [["x", "y", "y"]] * 4,
    "one very long document": [["x"] * 100_000 + ["y"], ["y"], ["z"]],
    "any": random_texts(1, 40),
}


@every_case("texts", COLLECTIONS.values(), ids=list(COLLECTIONS))
def test_numbers_are_finite(texts):
    counted = Counted(texts)
    for name in ALL:
        _check_that_numbers_are_finite(counted, weighting_named(name))


def _check_that_numbers_are_finite(counted, weighting):
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        assert np.isfinite(counted.factors(weighting)).all()
        assert np.isfinite(weighting.term_weights(counted.df, counted.statistics)).all()
        for asked in ({}, {"x": 1.0, "y": 0.0}, {"none": 2.0}, {"x": 0.3, "w0": 3.0, "none": 1.0}):
            weights = counted.query(weighting, asked)
            assert np.isfinite(weights).all()
            assert (weights >= 0).all()
            assert all(value is None or np.isfinite(value) for value in counted.scores(weighting, asked))


@every_case("name", ALL)
def test_terms_of_deleted_documents_only_are_finite(name):
    counted, weighting = Counted([["x", "x", "y"], ["y"]]), weighting_named(name)
    nothing = np.zeros(2, np.int64)
    for statistics in (ChannelStatistics(0, 1.0), ChannelStatistics(1, 1.0, 1.0), counted.statistics):
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            assert np.isfinite(weighting.term_weights(nothing, statistics)).all()
            if not isinstance(weighting, StoredWeighting):
                assert np.isfinite(weighting.length_values(np.array([0.0, 1.0]), statistics)).all()
                continue
            sums = weighting.sums(counted.rows, counted.documents, statistics, 2)
            terms = TermCounts(nothing, np.zeros(2), np.zeros((2, 0 if sums is None else sums.shape[1])))
            assert np.isfinite(weighting.factors(counted.rows, terms, counted.documents, statistics)).all()
            empty = DocumentCounts(np.zeros(1), np.zeros(1, np.int64), np.zeros(1), np.zeros(1))
            summands = weighting.document_summands(empty, statistics)
            assert summands is None or np.isfinite(summands).all()


DOCS = Path(__file__).parents[3] / "docs" / "reference" / "weightings.md"


@every_case("name", list(WEIGHTINGS))
def test_the_documentation_has_every_weighting_with_its_defaults(name):
    row = next((line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}`")), None)
    assert row, f"docs/reference/weightings.md has no row for {name}"
    known = WEIGHTINGS[name]
    for setting in known.settings:
        assert f"`{setting}`" in row
    if known.delta:
        assert f"`delta` = {known.delta:g}" in row
    for parameter, default in known.parameters.items():
        assert (f"`{parameter}`" if default is None else f"`{parameter}` = {default:g}") in row
