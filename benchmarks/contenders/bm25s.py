"""bm25s as a contender: over words and LaTeX tokens, and its engine on terms given."""

from __future__ import annotations

import json
import re
import time
from typing import Any, ClassVar

from benchmarks.common.task import Entry
from benchmarks.common.terms import K1, B, read_terms
from benchmarks.contenders.base import TITLE, Answer, Contender


class Bm25s(Contender):
    """bm25s (Numba) over stemmed words and LaTeX tokens, titles three times."""

    title = "bm25s, words + LaTeX tokens"
    grams: ClassVar[tuple[int, ...]] = (1,)
    parameters: ClassVar[dict[str, float]] = {"k1": 1.5, "b": 0.75}

    word = re.compile(r"(?u)\b\w\w+\b")
    token = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]|\d+(?:\.\d+)?|[^\s{}$&]")

    def analyse(self, entry: Entry, repeat: dict[str, int] | None = None) -> list[str]:
        """Stems of words, stop words left out, and runs of LaTeX tokens."""
        terms: list[str] = []
        for kind, part in entry.parts(repeat):
            if kind == "text":
                terms += self.stem([word for word in self.word.findall(part.lower()) if word not in self.stop])
            else:
                tokens = self.token.findall(part)
                for n in self.grams:
                    terms += ["$" + " ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
        return terms

    def _prepare(self) -> None:
        import Stemmer
        from bm25s.stopwords import STOPWORDS_EN

        self.stem = Stemmer.Stemmer("english").stemWords
        self.stop = frozenset(STOPWORDS_EN)

    def terms_of_documents(self) -> tuple[list[str], list[list[str]]]:
        """Ids of the documents, and their terms."""
        self._prepare()
        documents = list(self.documents())
        return [entry.id for entry in documents], [self.analyse(entry, TITLE) for entry in documents]

    def build(self) -> dict[str, Any]:
        import bm25s

        ids, terms = self.terms_of_documents()
        engine = bm25s.BM25(method="lucene", backend="numba", **self.parameters)
        engine.index(terms, show_progress=False)
        engine.save(self.index, show_progress=False)
        (self.index / "ids.json").write_text(json.dumps(ids))
        return {}

    def open(self) -> None:
        import bm25s
        import numpy as np

        self.engine = bm25s.BM25.load(self.index, mmap=True, show_progress=False)
        self.engine.backend = "numba"
        self.engine.activate_numba_scorer()
        self.ids = np.array(json.loads((self.index / "ids.json").read_text()))
        self._prepare()

    def ask(self, topic: Entry, k: int) -> Answer:
        start = time.perf_counter()
        documents, scores = self.engine.retrieve(
            [self.analyse(topic)], corpus=self.ids, k=min(k, len(self.ids)), show_progress=False, n_threads=0
        )
        seconds = time.perf_counter() - start
        return seconds, self.ranking(documents[0].tolist(), scores[0].tolist())

    def ranking(self, documents: list[str], scores: list[float]) -> list[tuple[str, float]]:
        """Ids and scores; documents without a common term, which bm25s fills up with, are left out."""
        return [(doc_id, score) for doc_id, score in zip(documents, scores, strict=True) if score > 0]


class Bm25sNgrams(Bm25s):
    """The same with runs of two and three LaTeX tokens."""

    title = "bm25s, words + LaTeX token 1-3-grams"
    grams = (1, 2, 3)


class Bm25sTerms(Bm25s):
    """The engine alone, on terms given; it has no term weights, so terms are repeated."""

    title = "bm25s, terms given"
    parameters: ClassVar[dict[str, float]] = {"k1": K1, "b": B}

    def terms_of_documents(self) -> tuple[list[str], list[list[str]]]:
        terms = read_terms(self.task, "documents")
        return list(terms), [[f"{channel} {term}" for channel, term in found] for found in terms.values()]

    def open(self) -> None:
        super().open()
        self.terms = {
            topic: [f"{channel} {term}" for channel, term in found] for topic, found in read_terms(self.task).items()
        }

    def ask(self, topic: Entry, k: int) -> Answer:
        terms = [self.terms[topic.id]]
        start = time.perf_counter()
        documents, scores = self.engine.retrieve(
            terms, corpus=self.ids, k=min(k, len(self.ids)), show_progress=False, n_threads=0
        )
        seconds = time.perf_counter() - start
        return seconds, self.ranking(documents[0].tolist(), scores[0].tolist())


class Bm25sFormulas(Bm25sNgrams):
    """The same where documents and topics are formulas."""

    title = "bm25s, LaTeX token 1-3-grams"
