"""Lucene as a contender, driven through :file:`LuceneDriver.java`: over words, and its engine on terms given."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.common.anserini import java_command
from benchmarks.common.task import Entry
from benchmarks.common.terms import read_terms
from benchmarks.contenders.base import TITLE, Answer, Contender, peak_mb


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
