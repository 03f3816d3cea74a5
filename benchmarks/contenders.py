"""The systems of :file:`peers.py` behind one interface: build an index in a folder, open it, ask it a topic.

Each runs as it is meant to (``porism``, ``lucene``, ``bm25s``, ``bm25s-ngrams``, ``approach0``): from the topic's words
and LaTeX to ranked ids, its analysis included in the time. ``…-terms`` are the three engines on the same terms: words
and token 1- to 3-grams as Porism analyses them, terms known before the clock starts, plain BM25 with the same
parameters, each distinct term counted as often as the topic has it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from anserini import Unavailable, java_command
from task import Entry, read_entries

K1, B = 1.2, 0.75
TITLE = {"title": 3}
TERM_CHANNELS = ("words", "tokens", "tokens-2", "tokens-3")

Answer = tuple[float, list[tuple[str, float]]]
"""Seconds that it took, and the ranking: (document id, score)."""


def peak_mb(process: int | str = "self") -> float | None:
    """The most memory that a process had at once (resident set, from the kernel); None where it is not told."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else None


class Contender(ABC):
    """One system. ``settings`` come from the command line of the benchmark, as strings."""

    title: ClassVar[str]
    install: ClassVar[str] = "pip install '.[bench]'"

    def __init__(self, task: Path, folder: Path, settings: dict[str, str]) -> None:
        """``task`` is the folder of the prepared task, ``folder`` the contender's own."""
        self.task, self.folder, self.settings = task, folder, settings
        self.index = folder / "index"

    @abstractmethod
    def build(self) -> dict[str, Any]:
        """Makes the index; figures that only the contender knows are returned."""

    @abstractmethod
    def open(self) -> None:
        """Opens the index in this process."""

    @abstractmethod
    def ask(self, topic: Entry, k: int) -> Answer:
        """Answers a topic."""

    def memory(self) -> float | None:
        """Peak memory so far in MiB of the process that searches."""
        return peak_mb()

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Ends what was started."""

    def documents(self) -> Iterable[Entry]:
        """The collection."""
        return read_entries(self.task / "documents.jsonl")


class Porism(Contender):
    """The default index with all term extractors and stored documents, and the default model."""

    title = "Porism"

    def build(self) -> dict[str, Any]:
        import porism

        options = porism.ReaderOptions(unit="answer", comments=False)
        source = Path(self.settings["data"]) / "arqmath-mini"
        jobs = int(self.settings["jobs"]) if self.settings.get("jobs") else None
        report = porism.index_sources([source], self.index, format="arqmath", options=options, jobs=jobs)
        return {"problems": report.problems}

    def open(self) -> None:
        import porism

        self.opened = porism.open_index(self.index)

    def ask(self, topic: Entry, k: int) -> Answer:
        query = as_query(topic)
        start = time.perf_counter()
        run = self.opened.run([query], k)
        return time.perf_counter() - start, run[topic.id]


def as_query(topic: Entry) -> Any:
    """A topic as Porism's query."""
    import porism

    return porism.Query(topic.id, {
        name: porism.Content.of(*(part if kind == "text" else porism.Formula(part) for kind, part in parts))
        for name, parts in topic.fields.items()
    })


class PorismTerms(Porism):
    """The search engine alone, on terms given."""

    title = "Porism, terms given"

    def build(self) -> dict[str, Any]:
        import porism

        options = porism.ReaderOptions(unit="answer", comments=False)
        documents = porism.open_source(Path(self.settings["data"]) / "arqmath-mini", format="arqmath", options=options)
        porism.index_documents(
            documents, self.index, config=porism.AnalysisConfig(text=("words",), formulas=TERM_CHANNELS[1:]),
            model=porism.SearchModel({name: porism.ChannelSettings(1.0, K1, B) for name in TERM_CHANNELS}),
        )
        return {}

    def open(self) -> None:
        from porism.index import Snapshot
        from porism.retrieve import BM25, LexicalChannel, LexicalRetriever

        self.snapshot = Snapshot.open(self.index)
        channels = {name: LexicalChannel(1.0, BM25(K1, B)) for name in TERM_CHANNELS}
        self.retriever = LexicalRetriever(self.snapshot.segments, channels)
        self.terms = read_terms(self.task)

    def ask(self, topic: Entry, k: int) -> Answer:
        terms: dict[str, dict[str, int]] = {name: {} for name in TERM_CHANNELS}
        for (channel, term), count in Counter(self.terms[topic.id]).items():
            terms[channel][term] = count
        start = time.perf_counter()
        found = self.retriever.search_terms([terms], k)[0]
        return time.perf_counter() - start, list(zip(found.ids, found.scores.tolist(), strict=True))


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


class Lucene(Contender):
    """Lucene's BM25 with Anserini's analysis and parameters, LaTeX as words, titles three times."""

    title = "Lucene (Anserini), LaTeX as words"
    install = "a JDK 17; pip download --no-deps pyserini==0.22.1 and ANSERINI_JAR=the fatjar in it"
    mode: ClassVar[list[str]] = ["text"]
    process: subprocess.Popen[str] | None = None

    def lines(self) -> Iterable[tuple[str, str]]:
        """Each document's id and line for the driver."""
        for entry in self.documents():
            yield entry.id, self.flat(entry, TITLE)

    @staticmethod
    def flat(entry: Entry, repeat: dict[str, int] | None = None) -> str:
        """All text of an entry in one line."""
        return " ".join(" ".join(part for _, part in entry.parts(repeat)).split())

    def java(self) -> list[str]:
        """The command that starts the driver."""
        return java_command(Path(self.settings["jar"]), self.folder.parent / "classes")

    def build(self) -> dict[str, Any]:
        found = list(self.lines())
        source = self.folder / "documents.txt"
        source.write_text("".join(f"{line}\n" for _, line in found), encoding="utf-8")
        (self.folder / "ids.json").write_text(json.dumps([doc_id for doc_id, _ in found]))
        subprocess.run([*self.java(), "build", str(source), str(self.index), *self.mode], check=True)
        source.unlink()
        return {}

    def open(self) -> None:
        self.ids = json.loads((self.folder / "ids.json").read_text())
        self.process = subprocess.Popen(
            [*self.java(), "search", str(self.index), *self.mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, topic: Entry, k: int) -> Answer:
        return self.send(self.flat(topic), k)

    def send(self, query: str, k: int) -> Answer:
        """Asks the driver, which takes the time itself."""
        assert self.process
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{k}\t{query}\n")
        self.process.stdin.flush()
        nanoseconds, _, pairs = self.process.stdout.readline().rstrip("\n").partition("\t")
        found = (pair.partition(":") for pair in pairs.split())
        return int(nanoseconds) / 1e9, [(self.ids[int(number)], float(score)) for number, _, score in found]

    def memory(self) -> float | None:
        return peak_mb(self.process.pid) if self.process else None

    def close(self) -> None:
        if self.process:
            assert self.process.stdin
            self.process.stdin.close()
            self.process.wait(30)


class LuceneTerms(Lucene):
    """The engine alone, on terms given; each is written as a number, for they contain blanks."""

    title = "Lucene, terms given"
    mode: ClassVar[list[str]] = []

    def lines(self) -> Iterable[tuple[str, str]]:
        numbers: dict[tuple[str, str], int] = {}
        for doc_id, terms in read_terms(self.task, "documents").items():
            yield doc_id, " ".join(str(numbers.setdefault(term, len(numbers))) for term in terms)
        rows = [[channel, term, number] for (channel, term), number in numbers.items()]
        (self.folder / "numbers.json").write_text(json.dumps(rows))

    def open(self) -> None:
        super().open()
        rows = json.loads((self.folder / "numbers.json").read_text())
        numbers = {(channel, term): number for channel, term, number in rows}
        self.queries = {
            topic: " ".join(f"{numbers[term]} {count}" for term, count in Counter(terms).items() if term in numbers)
            for topic, terms in read_terms(self.task).items()
        }

    def ask(self, topic: Entry, k: int) -> Answer:
        return self.send(self.queries[topic.id], k)


class ApproachZero(Contender):
    """Approach Zero through pya0's compiled module, with all formulas and words of a topic, as many as it can take."""

    title = "Approach Zero, automatic"
    install = "pip install pya0==0.3.7 in an environment of Python 3.11, named by --pya0-python"
    word = re.compile(r"[^\W_]+")
    longest: ClassVar[int] = 128
    """More words and formulas in one query end its process."""

    def _module(self) -> Any:
        from importlib.util import find_spec

        found = find_spec("pya0")  # only located: the package itself imports much that is not needed here
        if found is None or not found.submodule_search_locations:
            raise Unavailable("this Python has no pya0")
        sys.path.insert(0, next(iter(found.submodule_search_locations)))
        import _pya0

        return _pya0

    def build(self) -> dict[str, Any]:
        module = self._module()
        index = module.index_open(str(self.index), option="w")
        writer = module.index_writer(index)
        for entry in self.documents():
            content = " ".join(
                part if kind == "text" else f"[imath]{part}[/imath]" for kind, part in entry.parts()
            )
            module.writer_add_doc(writer, content=content, url=entry.id)
        module.writer_flush(writer)
        module.writer_close(writer)
        module.index_close(index)
        return {}

    def open(self) -> None:
        self.module = self._module()
        self.handle = self.module.index_open(str(self.index), option="r")

    def ask(self, topic: Entry, k: int) -> Answer:
        start = time.perf_counter()
        formulas: list[dict[str, str]] = []
        words: list[dict[str, str]] = []
        for kind, part in topic.parts():
            if kind == "math":
                formulas.append({"str": part, "type": "tex"})
            else:
                words += [{"str": word, "type": "term"} for word in self.word.findall(part.lower())]
        query = (formulas + words)[: self.longest]
        answer = self.module.search(self.handle, query, verbose=False, topk=k)
        seconds = time.perf_counter() - start
        best: dict[str, float] = {}
        for hit in json.loads(answer)["hits"]:
            best.setdefault(hit["field_url"], float(hit["score"]))
        return seconds, list(best.items())


def write_terms(task: Path) -> None:
    """Analyses documents and topics by Porism for the contenders that get terms: lines of id, [channel, term]…"""
    import porism
    from porism.analysis import Analyzer

    analyzer = Analyzer(porism.AnalysisConfig(text=("words",), formulas=TERM_CHANNELS[1:]))
    known: dict[str, list[tuple[str, str]]] = {}
    for name in ("documents", "topics-2020", "topics-2021"):
        with (task / f"terms-{name}.jsonl").open("w", encoding="utf-8") as file:
            for entry in read_entries(task / f"{name}.jsonl"):
                terms: list[tuple[str, str]] = []
                for kind, part in entry.parts():
                    if kind == "text":
                        terms += [("words", term) for term in analyzer.text_terms(part)["words"]]
                        continue
                    if part not in known:
                        found = analyzer.formula_terms(porism.Formula(part)).terms
                        known[part] = [(channel, term) for channel in TERM_CHANNELS[1:] for term in found[channel]]
                    terms += known[part]
                file.write(json.dumps([entry.id, terms]) + "\n")


def read_terms(task: Path, name: str = "topics") -> dict[str, list[tuple[str, str]]]:
    """Id → (channel, term) with repetition, of the ``documents`` or of the ``topics`` of both years."""
    names = ("topics-2020", "topics-2021") if name == "topics" else (name,)
    terms: dict[str, list[tuple[str, str]]] = {}
    for path in (task / f"terms-{one}.jsonl" for one in names):
        with path.open(encoding="utf-8") as file:
            for line in file:
                entry_id, found = json.loads(line)
                terms[entry_id] = [(channel, term) for channel, term in found]
    return terms


CONTENDERS: dict[str, type[Contender]] = {
    "porism": Porism, "bm25s": Bm25s, "bm25s-ngrams": Bm25sNgrams, "lucene": Lucene, "approach0": ApproachZero,
    "porism-terms": PorismTerms, "bm25s-terms": Bm25sTerms, "lucene-terms": LuceneTerms,
}
"""In the order of the table; the first is what the others are compared with, and ``porism-terms`` by ``…-terms``."""
