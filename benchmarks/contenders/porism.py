"""Porism as a contender: as it comes, and its engine on terms given."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.common.task import Entry
from benchmarks.common.terms import K1, TERM_CHANNELS, B, read_terms
from benchmarks.contenders.base import Answer, Contender


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
