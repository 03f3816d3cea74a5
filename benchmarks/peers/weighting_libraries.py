"""Other libraries' weightings: each with the weighting that it is compared with, and what it does otherwise.

A peer gets documents as lists of terms. What it should give for a query is computed from Porism's scores of the
documents and, where its definition differs, from the terms; :attr:`Comparison.note` says how it differs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Settings = Mapping[str, float]


class Peer(Protocol):
    """A library with its index of the documents."""

    def scores(self, query: Sequence[str]) -> np.ndarray:
        """The score of each document (float64)."""

    def top(self, query: Sequence[str]) -> Any:
        """The best 1,000 documents, as the library finds them."""


@dataclass(frozen=True)
class Given:
    """Documents that have terms: ids, terms with repetition, their counts; and df of each term."""

    ids: list[str]
    texts: list[list[str]]
    counts: list[Counter[str]]
    df: Counter[str]
    position: dict[str, int]

    @classmethod
    def of(cls, terms: Mapping[str, list[str]]) -> Given:
        """The documents that have a term: those without one are in no statistics of Porism."""
        kept = {doc_id: found for doc_id, found in terms.items() if found}
        counts = [Counter(found) for found in kept.values()]
        df = Counter(term for of_document in counts for term in of_document)
        return cls(list(kept), list(kept.values()), counts, df, {doc_id: at for at, doc_id in enumerate(kept)})

    def has(self, term: str) -> np.ndarray:
        """How often each document has a term."""
        return np.array([counts[term] for counts in self.counts], np.float64)


Expected = Callable[[np.ndarray, Sequence[str], Given, Settings], np.ndarray]


def same(ours: np.ndarray, query: Sequence[str], given: Given, settings: Settings) -> np.ndarray:
    """The definitions are the same."""
    return ours


def whole_queries(query: Sequence[str], given: Given) -> list[list[str]]:
    """The query as it is, without terms that no document has."""
    return [[term for term in query if given.df[term]]]


def rare_terms(query: Sequence[str], given: Given) -> list[list[str]]:
    """The query without the terms of half of the documents or more."""
    return [[term for term in query if 0 < 2 * given.df[term] < len(given.ids)]]


def single_terms(query: Sequence[str], given: Given) -> list[list[str]]:
    """One query of each of the first three distinct terms."""
    return [[term] for term in list(dict.fromkeys(t for t in query if given.df[t]))[:3]]


@dataclass(frozen=True)
class Comparison:
    """A peer's model beside a weighting."""

    title: str
    weighting: str
    build: Callable[[Given, Settings], Peer]
    settings: Settings = field(default_factory=dict)
    note: str = ""
    expected: Expected = same
    asked: Callable[[Sequence[str], Given], list[list[str]]] = whole_queries


def best(scores: np.ndarray, k: int = 1000) -> np.ndarray:
    """The best documents, in order."""
    k = min(k, len(scores))
    chosen = np.argpartition(-scores, k - 1)[:k]
    return chosen[np.argsort(-scores[chosen], kind="stable")]


class Bm25s:
    """bm25s with its Numba scorer, in float64."""

    def __init__(self, method: str, given: Given, settings: Settings) -> None:
        import bm25s

        self.engine = bm25s.BM25(
            method=method, backend="numba", dtype="float64", k1=settings["k1"], b=settings["b"],
            delta=settings.get("delta", 0.5),
        )
        self.engine.index(given.texts, show_progress=False)
        self.engine.activate_numba_scorer()
        self.count = len(given.texts)

    def scores(self, query: Sequence[str]) -> np.ndarray:
        return np.asarray(self.engine.get_scores(list(query)), np.float64)

    def top(self, query: Sequence[str]) -> Any:
        return self.engine.retrieve([list(query)], k=min(1000, self.count), show_progress=False, n_threads=0)


def bm25s_build(method: str) -> Callable[[Given, Settings], Peer]:
    """bm25s with a method of its own."""
    return lambda given, settings: Bm25s(method, given, settings)


class RankBm25:
    """rank_bm25."""

    def __init__(self, name: str, given: Given, settings: Settings) -> None:
        import rank_bm25

        self.engine = getattr(rank_bm25, name)(given.texts, **settings)

    def scores(self, query: Sequence[str]) -> np.ndarray:
        return np.asarray(self.engine.get_scores(list(query)), np.float64)

    def top(self, query: Sequence[str]) -> Any:
        return best(self.engine.get_scores(list(query)))


def rank_build(name: str) -> Callable[[Given, Settings], Peer]:
    """A class of rank_bm25."""
    return lambda given, settings: RankBm25(name, given, settings)


class Sklearn:
    """scikit-learn's TfidfVectorizer and a product of sparse matrices."""

    def __init__(self, given: Given, settings: Settings) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.vectorizer = TfidfVectorizer(
            analyzer=list, smooth_idf=bool(settings.get("smooth", 1)), sublinear_tf=bool(settings.get("sublinear", 0))
        )
        self.matrix = self.vectorizer.fit_transform(given.texts).tocsr()

    def scores(self, query: Sequence[str]) -> np.ndarray:
        return np.asarray((self.matrix @ self.vectorizer.transform([list(query)]).T).todense())[:, 0]

    def top(self, query: Sequence[str]) -> Any:
        return best(self.scores(query))


class Gensim:
    """A model of gensim, and its sparse index of the documents' vectors."""

    def __init__(self, given: Given, documents: Callable[[Any], Any], queries: Callable[[Any], Any] | None) -> None:
        from gensim.corpora import Dictionary
        from gensim.similarities import SparseMatrixSimilarity

        self.dictionary = Dictionary(given.texts)
        bows = [self.dictionary.doc2bow(text) for text in given.texts]
        model = documents(self.dictionary)
        self.model = queries(self.dictionary) if queries else None
        self.index = SparseMatrixSimilarity(
            [model[bow] for bow in bows], num_docs=len(bows), num_terms=len(self.dictionary), dtype=np.float64,
            normalize_queries=False, normalize_documents=False,
        )

    def scores(self, query: Sequence[str]) -> np.ndarray:
        bow = self.dictionary.doc2bow(list(query))
        return np.asarray(self.index[self.model[bow] if self.model else bow], np.float64)

    def top(self, query: Sequence[str]) -> Any:
        return best(self.scores(query))


def gensim_bm25(name: str) -> Callable[[Given, Settings], Peer]:
    """A BM25 of gensim; queries are counts."""

    def build(given: Given, settings: Settings) -> Peer:
        import gensim.models

        return Gensim(given, lambda dictionary: getattr(gensim.models, name)(dictionary=dictionary, **settings), None)

    return build


def gensim_smart(scheme: str) -> Callable[[Given, Settings], Peer]:
    """gensim's TfidfModel for documents and for queries."""

    def build(given: Given, settings: Settings) -> Peer:
        from gensim.models import TfidfModel

        one, other = (
            (lambda dictionary, letters=letters: TfidfModel(dictionary=dictionary, smartirs=letters, **settings))
            for letters in scheme.split(".")
        )
        return Gensim(given, one, other)

    return build


def times_k1_plus_1(ours: np.ndarray, query: Sequence[str], given: Given, settings: Settings) -> np.ndarray:
    """With the constant of the numerator."""
    return (settings["k1"] + 1.0) * ours


def plus_for_all(constant: bool) -> Expected:
    """BM25+ where terms that a document lacks count δ too; Porism's score is the published one over k1 + 1."""

    def expected(ours: np.ndarray, query: Sequence[str], given: Given, settings: Settings) -> np.ndarray:
        found = (settings["k1"] + 1.0) * ours if constant else ours
        for term, times in Counter(query).items():
            idf = math.log((len(given.ids) + 1) / given.df[term])
            found = found + np.where(given.has(term) > 0, 0.0, times * idf * settings["delta"])
        return found

    return expected


def bm25l_for_all(ours: np.ndarray, query: Sequence[str], given: Given, settings: Settings) -> np.ndarray:
    """BM25L where terms that a document lacks count as with a frequency of 0."""
    k1, delta = settings["k1"], settings["delta"]
    for term, times in Counter(query).items():
        idf = math.log((len(given.ids) + 1) / (given.df[term] + 0.5))
        absent = times * idf * (k1 + 1.0) * delta / (k1 + delta)
        ours = ours + np.where(given.has(term) > 0, 0.0, absent)
    return ours


def times_frequency(ours: np.ndarray, query: Sequence[str], given: Given, settings: Settings) -> np.ndarray:
    """The score of a query of one term, times its frequency."""
    return ours * given.has(query[0])


_BM25: Settings = {"k1": 1.2, "b": 0.75}
_PLUS: Settings = {**_BM25, "delta": 1.0}
_L: Settings = {**_BM25, "delta": 0.5}
_ABSENT = "terms that a document lacks count δ as well, so that δ changes no ranking"
_ABSENT_L = "terms that a document lacks count as much as a frequency of 0 gives in the formula"
_EPSILON = (
    "constant k1 + 1; terms of half the documents or more count a quarter of the mean idf (asked without them)"
)

PEERS: Sequence[Comparison] = (
    Comparison("bm25s lucene", "bm25", bm25s_build("lucene"), _BM25),
    Comparison("bm25s robertson", "bm25-robertson", bm25s_build("robertson"), _BM25),
    Comparison("bm25s atire", "bm25-atire", bm25s_build("atire"), _BM25),
    Comparison("bm25s bm25+", "bm25+", bm25s_build("bm25+"), _PLUS, f"constant k1 + 1; {_ABSENT}", plus_for_all(True)),
    Comparison("bm25s bm25l", "bm25l", bm25s_build("bm25l"), _L, _ABSENT_L, bm25l_for_all),
    Comparison(
        "rank_bm25 BM25Okapi", "bm25-robertson", rank_build("BM25Okapi"), _BM25, _EPSILON, times_k1_plus_1, rare_terms
    ),
    Comparison(
        "rank_bm25 BM25Plus", "bm25+", rank_build("BM25Plus"), _PLUS, f"constant k1 + 1; {_ABSENT}", plus_for_all(True)
    ),
    Comparison(
        "rank_bm25 BM25L", "bm25l", rank_build("BM25L"), _L,
        "each term's score is multiplied by its frequency once more (asked term by term)", times_frequency,
        single_terms,
    ),
    Comparison("gensim LuceneBM25Model", "bm25", gensim_bm25("LuceneBM25Model"), _BM25),
    Comparison("gensim AtireBM25Model", "bm25-atire", gensim_bm25("AtireBM25Model"), _BM25),
    Comparison(
        "gensim OkapiBM25Model", "bm25-robertson", gensim_bm25("OkapiBM25Model"), _BM25, _EPSILON, times_k1_plus_1,
        rare_terms,
    ),
    Comparison("scikit-learn TfidfVectorizer", "tf-idf", Sklearn),
    Comparison("scikit-learn, sublinear", "tf-idf", Sklearn, {"sublinear": 1, "smooth": 0}),
    *(
        Comparison(f"gensim TfidfModel {scheme}", scheme, gensim_smart(scheme), {"slope": 0.2})
        for scheme in ("Lnu.ltb", "ltc.ltc", "nfc.nfc", "dtb.apu", "bpn.atn", "anb.Lfc")
    ),
)
"""All comparisons."""
