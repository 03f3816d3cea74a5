"""The systems that the scale benchmark compares, behind one interface: build an index in a folder, open it, search.

All get the same terms and the same BM25 (k1 = 1.2, b = 0.75), and use one thread. Repeated query terms are given to
each in the way that serves it: merged with a weight where it takes weights.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.anserini import DRIVER
from benchmarks.speed.collection import TermCorpus

K1, B = 1.2, 0.75

Found = tuple[float, list[int]]
"""Seconds that a search took, and the numbers of the documents it found, best first."""


class System(Protocol):
    """One search system."""

    def build(self, corpus: TermCorpus, folder: Path) -> None:
        """Makes the index."""

    def open(self, folder: Path) -> None:
        """Opens it in this process."""

    def search(self, query: Sequence[str], k: int) -> Found:
        """Searches for the terms."""


class Porism:
    """This library: its index on disk, its retriever, documents named by zero-padded numbers."""

    batch = 2000

    def build(self, corpus: TermCorpus, folder: Path) -> None:
        from porism.index import IndexWriter
        from porism.retrieve.lexical.channels import prepare

        with IndexWriter(folder / "index", config={}) as writer:
            for low in range(0, len(corpus), self.batch):
                writer.add(_analyzed(corpus, low, min(low + self.batch, len(corpus))))
            writer.merge()
            writer.commit(before_publish=lambda segments: prepare(segments, self._channels()))

    def open(self, folder: Path) -> None:
        from porism.index import Snapshot
        from porism.retrieve.lexical.retriever import LexicalRetriever

        self.snapshot = Snapshot.open(folder / "index")
        self.retriever = LexicalRetriever(self.snapshot.segments, self._channels())

    def search(self, query: Sequence[str], k: int) -> Found:
        start = time.perf_counter()
        results = self.retriever.search_terms([{"words": Counter(query)}], k)[0]
        return time.perf_counter() - start, [int(doc_id) for doc_id in results.ids]

    def _channels(self) -> Any:
        from porism.retrieve.weightings.base import BM25, LexicalChannel

        return {"words": LexicalChannel(1.0, BM25(K1, B))}


def _analyzed(corpus: TermCorpus, low: int, high: int) -> Any:
    """Documents ``low`` to ``high`` as analysis would hand them over: a vocabulary of the batch's own."""
    from porism.analysis.batch import AnalyzedBatch, TermMatrix

    span = corpus.starts[low : high + 1]
    tokens = corpus.tokens[span[0] : span[-1]]
    vocabulary = np.unique(tokens)
    own_number = np.zeros(len(corpus.vocabulary), np.int64)
    own_number[vocabulary] = np.arange(len(vocabulary))
    cells, counts = np.unique(
        np.repeat(np.arange(high - low, dtype=np.int64), np.diff(span)) * len(vocabulary) + own_number[tokens],
        return_counts=True,
    )
    rows, terms = np.divmod(cells, len(vocabulary))
    indptr = np.zeros(high - low + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=high - low), out=indptr[1:])
    matrix = TermMatrix(
        [corpus.vocabulary[term] for term in vocabulary], indptr, terms.astype(np.int32),
        np.minimum(counts, 65_535).astype(np.uint16),
    )
    nothing = np.zeros(0, np.int32)
    return AnalyzedBatch(
        ids=[f"{number:08d}" for number in range(low, high)], stored=[b""] * (high - low),
        metadata=[{}] * (high - low), fields=("body",), text={"words": matrix}, formula_keys=[], formula_sources=[],
        formula_trees=[], formulas={}, occurrence_doc=nothing, occurrence_field=nothing.astype(np.uint16),
        occurrence_formula=nothing, occurrence_number=nothing,
    )


class Bm25s:
    """bm25s with its Numba backend; it has no term weights, so repeated terms are given repeatedly."""

    def build(self, corpus: TermCorpus, folder: Path) -> None:
        import bm25s

        retriever = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
        documents = [
            corpus.tokens[start:stop].tolist()
            for start, stop in zip(corpus.starts[:-1].tolist(), corpus.starts[1:].tolist(), strict=True)
        ]
        vocabulary = {term: number for number, term in enumerate(corpus.vocabulary)}
        retriever.index((documents, vocabulary), show_progress=False)
        retriever.save(folder / "index", show_progress=False)

    def open(self, folder: Path) -> None:
        import bm25s

        self.retriever = bm25s.BM25.load(folder / "index", mmap=True, show_progress=False)
        self.retriever.backend = "numba"
        self.retriever.activate_numba_scorer()
        self.documents = int(self.retriever.scores["num_docs"])

    def search(self, query: Sequence[str], k: int) -> Found:
        start = time.perf_counter()
        found, _ = self.retriever.retrieve([list(query)], k=min(k, self.documents), show_progress=False)
        seconds = time.perf_counter() - start
        return seconds, found[0].tolist()


class Tantivy:
    """tantivy through its Python package, one segment."""

    def build(self, corpus: TermCorpus, folder: Path) -> None:
        import tantivy

        (folder / "index").mkdir()
        index = tantivy.Index(self._schema(), path=str(folder / "index"))
        writer = index.writer(heap_size=1_000_000_000, num_threads=1)
        for number, text in enumerate(corpus.texts()):
            writer.add_document(tantivy.Document(body=text, id=number))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        import tantivy

        self.tantivy = tantivy
        self.schema = self._schema()
        index = tantivy.Index.open(str(folder / "index"))
        index.reload()
        self.searcher = index.searcher()

    def search(self, query: Sequence[str], k: int) -> Found:
        kind, should = self.tantivy.Query, self.tantivy.Occur.Should
        start = time.perf_counter()
        clauses = [
            (should, kind.boost_query(kind.term_query(self.schema, "body", term, "freq"), float(weight)))
            for term, weight in Counter(query).items()
        ]
        hits = self.searcher.search(kind.boolean_query(clauses), limit=k, count=False).hits
        seconds = time.perf_counter() - start
        return seconds, [self.searcher.doc(place)["id"][0] for _, place in hits]

    def _schema(self) -> Any:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("id", stored=True)
        return builder.build()


class Lucene:
    """Lucene from Anserini's jar (``ANSERINI_JAR``), driven through :file:`LuceneDriver.java`."""

    driver = DRIVER
    process: subprocess.Popen[str]

    def build(self, corpus: TermCorpus, folder: Path) -> None:
        documents = folder / "documents.txt"
        with documents.open("w", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in corpus.texts())
        subprocess.run([*self._java(), "build", str(documents), str(folder / "index")], check=True)
        documents.unlink()

    def open(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [*self._java(), "search", str(folder / "index")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def search(self, query: Sequence[str], k: int) -> Found:
        assert self.process.stdin
        assert self.process.stdout
        terms = " ".join(f"{term} {count}" for term, count in Counter(query).items())
        self.process.stdin.write(f"{k}\t{terms}\n")
        self.process.stdin.flush()
        nanos, _, pairs = self.process.stdout.readline().rstrip("\n").partition("\t")
        return int(nanos) / 1e9, [int(pair.partition(":")[0]) for pair in pairs.split()]

    def _java(self) -> list[str]:
        return ["java", "-Xmx2g", "-cp", os.environ["ANSERINI_JAR"], str(self.driver)]


SYSTEMS: dict[str, type[System]] = {"porism": Porism, "bm25s": Bm25s, "tantivy": Tantivy, "lucene": Lucene}


class Exact:
    """BM25 in float64 over all documents, the plain way: what the others are compared with."""

    def __init__(self, corpus: TermCorpus) -> None:
        indptr, terms, counts = corpus.counts()
        rows = np.repeat(np.arange(len(corpus), dtype=np.int32), np.diff(indptr))
        order = np.argsort(terms, kind="stable")
        self.number = {term: number for number, term in enumerate(corpus.vocabulary)}
        df = np.bincount(terms, minlength=len(corpus.vocabulary))
        self.bounds = np.concatenate([[0], np.cumsum(df)])
        self.docs, self.tf = rows[order], counts[order].astype(np.float64)
        lengths = np.diff(corpus.starts).astype(np.float64)
        self.norm = K1 * (1 - B + B * lengths / lengths.mean())
        self.idf = np.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))

    def scores(self, query: Sequence[str]) -> NDArray[np.float64]:
        """The score of every document (0 where no term occurs)."""
        total = np.zeros(len(self.norm))
        for term, weight in sorted(Counter(query).items()):
            number = self.number.get(term)
            if number is not None:
                part = slice(self.bounds[number], self.bounds[number + 1])
                docs, tf = self.docs[part], self.tf[part]
                total[docs] += weight * self.idf[number] * (tf / (tf + self.norm[docs]))
        return total
