"""TF·IDF in the SMART notation and as in scikit-learn: by hand, and beside gensim and scikit-learn in every letter."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from case_tables import every_case
from weighting_cases import TINY, Counted, random_texts, score

from porism.errors import ConfigError
from porism.retrieve.weightings import Smart, TfIdf
from porism.retrieve.weightings.smart import FREQUENCY, NORMALISATION, RARITY


def test_lnu_ltb_by_hand():
    weighting = Smart("Lnu", "ltb", slope=0.2)
    tf = {"bb": 1.0, "ccc": 1 + math.log2(3)}
    mean = 1 + math.log2(5 / 3)
    norm = 0.8 * 2 + 0.2 * 3  # the pivot is the mean number of distinct terms
    asked = {"bb": 2.0, "ccc": 1.0}
    idf = {"bb": math.log2(5 / 4), "ccc": math.log2(5 / 1)}
    query_norm = 0.8 * (5.75 + 3) + 0.2 * (2 * (2 + 1) + 1 * (3 + 1))
    counted = Counted(TINY)
    sizes = np.array([2.0, 3.0])
    weights = weighting.query_weights(np.array([2.0, 1.0]), np.array([4, 1]), counted.statistics, sizes)
    assert weights.tolist() == pytest.approx([2 * idf["bb"] / query_norm, idf["ccc"] / query_norm])
    expected = sum((1 + math.log2(asked[t])) * idf[t] / query_norm * tf[t] / mean / norm for t in asked)
    assert score(weighting, asked, 1) == pytest.approx(expected)


def test_ltc_ltc_is_a_cosine():
    counted = Counted(TINY)
    scores = counted.scores(Smart("ltc", "ltc"), {"a": 1, "bb": 1, "ccc": 3})
    assert scores[1] == pytest.approx(1.0)
    assert max(value for value in scores if value is not None) <= 1.0 + 1e-12


def test_terms_that_weigh_nothing_are_not_distinct():
    weighting = Smart("nfu", "nnn", slope=1.0)  # bb is in all documents
    assert score(weighting, {"a": 1}, 0) == pytest.approx(math.log2(4 / 2) * 2 / 1)


def test_frequencies_below_one_count_as_they_are():
    weighting = Smart("nnn", "dnn")
    statistics = Counted(TINY).statistics
    weights = weighting.query_weights(np.array([0.25, 0.5, 1.0, 4.0]), np.ones(4, np.int64), statistics, np.ones(4))
    assert weights.tolist() == pytest.approx([0.25, 0.5, 1.0, 1 + math.log2(3)])


def test_unknown_terms_of_the_query_do_not_count_in_its_length():
    weighting, statistics = Smart("nnn", "nnc"), Counted(TINY).statistics
    weights = weighting.query_weights(np.array([3.0, 4.0, 9.0]), np.array([1, 2, 0]), statistics, np.ones(3))
    assert weights.tolist() == pytest.approx([0.6, 0.8, 0.0])
    nothing = np.zeros(0)
    assert weighting.query_weights(nothing, nothing.astype(np.int64), statistics, nothing).tolist() == []


@every_case(("settings", "told"), [
    ({"documents": "Lnq"}, "no normalisation 'q'"),
    ({"documents": "Zna"}, "no term frequency 'Z'"),
    ({"queries": "lzb"}, "no document frequency 'z'"),
    ({"queries": "ltbb"}, "not three letters"),
    ({"slope": 1.1}, "slope = 1.1"),
    ({"query_slope": -0.1}, "query_slope = -0.1"),
    ({"pivot": 0.0}, "pivot = 0.0"),
    ({"query_pivot": float("inf")}, "query_pivot = inf"),
])
def test_what_does_not_exist_is_refused(settings, told):
    with pytest.raises(ConfigError, match=told):
        Smart(**settings)


def test_synonyms_are_one_weighting():
    assert repr(Smart("tnx", "txn")) == repr(Smart("nnn", "nxx"))


QUERY = ["w0", "wo1", "wo1", "wor2", "w5", "w5", "w5", "unknown"]


@pytest.fixture(scope="module")
def gensim_corpus():
    pytest.importorskip("gensim", reason="gensim is in the extra 'embeddings'")
    from gensim.corpora import Dictionary

    texts = random_texts(3, 40)
    dictionary = Dictionary(texts)
    return texts, dictionary, [dictionary.doc2bow(text) for text in texts]


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@every_case("pivot", [None, 7.5])
@every_case("frequency", list(FREQUENCY))
def test_every_scheme_equals_gensim(gensim_corpus, frequency, pivot):
    from gensim.models import TfidfModel

    texts, dictionary, bows = gensim_corpus
    counted = Counted(texts)
    sizes = np.array([len(term) for term in counted.vocabulary], np.float64)
    asked = np.array([QUERY.count(term) for term in counted.vocabulary], np.float64)
    for rarity, normalisation in product(RARITY, NORMALISATION):
        scheme = frequency + rarity + normalisation
        model = TfidfModel(dictionary=dictionary, smartirs=scheme, slope=0.3, pivot=pivot)
        weighting = Smart(scheme, scheme, slope=0.3, pivot=pivot, query_pivot=pivot)
        weights = weighting.term_weights(counted.df, counted.statistics)[counted.rows.terms]
        values = weights * counted.factors(weighting)
        for document, bow in enumerate(bows):
            span = slice(counted.rows.indptr[document], counted.rows.indptr[document + 1])
            ours = dict(zip(counted.rows.terms[span].tolist(), values[span].tolist(), strict=True))
            theirs = {counted.vocabulary.index(dictionary[term]): value for term, value in model[bow]}
            assert {term: value for term, value in ours.items() if abs(value) > 1e-12} == pytest.approx(theirs)
        query = weighting.query_weights(asked, counted.df, counted.statistics, sizes)
        theirs = {counted.vocabulary.index(dictionary[t]): v for t, v in model[dictionary.doc2bow(QUERY)]}
        assert {t: v for t, v in enumerate(query.tolist()) if abs(v) > 1e-12} == pytest.approx(theirs)


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("norm", [2, 1, 0])
def test_tf_idf_equals_scikit_learn(smooth, sublinear, norm):
    pytest.importorskip("sklearn", reason="scikit-learn is in the extra 'lab'")
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = random_texts(4, 30)
    vectorizer = TfidfVectorizer(
        analyzer=lambda words: words, smooth_idf=smooth, sublinear_tf=sublinear,
        norm={2: "l2", 1: "l1", 0: None}[norm],
    )
    theirs = (vectorizer.fit_transform(texts) @ vectorizer.transform([QUERY]).T).toarray()[:, 0]
    asked = {term: float(QUERY.count(term)) for term in QUERY}
    ours = Counted(texts).scores(TfIdf(smooth, sublinear, norm), asked)
    assert [value or 0.0 for value in ours] == pytest.approx(theirs.tolist())
