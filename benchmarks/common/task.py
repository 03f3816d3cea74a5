"""Task 1 of ARQMath on a small collection, prepared once for all contenders: the same words and formulas for each.

:func:`prepare` reads the collection with Porism's readers and writes plain JSON. Reading that needs the standard
library only, so that it works in any contender's own Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from porism import Document, Query

FIELDS = ("title", "body", "question", "tags")
"""Of a document: its question's title, the answer, the question, the question's tags."""

YEARS = ("2020", "2021")

Part = tuple[str, str]
"""``("text", words)`` or ``("math", LaTeX)``."""


@dataclass(frozen=True)
class Entry:
    """A document or a topic: its fields as text and LaTeX in turn."""

    id: str
    fields: dict[str, list[Part]]

    def parts(self, repeat: dict[str, int] | None = None) -> Iterator[Part]:
        """All parts of all fields; a field named in ``repeat`` comes that often."""
        for name, parts in self.fields.items():
            for _ in range((repeat or {}).get(name, 1)):
                yield from parts


def prepare(data: Path, folder: Path) -> dict[str, int]:
    """Writes ``documents.jsonl`` and ``topics-YEAR.jsonl`` (judged topics only) to ``folder``; counts what is there."""
    import porism

    options = porism.ReaderOptions(unit="answer", comments=False)
    documents = porism.open_source(data / "arqmath-mini", format="arqmath", options=options)
    counts = {"documents": write_entries(folder / "documents.jsonl", map(_entry, documents))}
    ids = {entry.id for entry in read_entries(folder / "documents.jsonl")}
    for year in YEARS:
        judged = judgments(data, year, ids)
        topics = porism.read_topics(data / "arqmath-topics" / year / f"Topics_Task1_{year}.xml")
        path = folder / f"topics-{year}.jsonl"
        counts[f"topics of {year}"] = write_entries(path, (_entry(topic) for topic in topics if topic.id in judged))
    return counts


def judgments(data: Path, year: str, ids: set[str]) -> dict[str, dict[str, int]]:
    """The judgments of the collection's documents, topics with a gain above 0 only."""
    import porism
    from porism.lab.evaluate import restrict_qrels

    return restrict_qrels(porism.read_qrels(data / "arqmath-topics" / year / f"qrel_task1_{year}.tsv"), ids)


def read_entries(path: Path) -> Iterator[Entry]:
    """The documents or topics of a file that :func:`prepare` wrote."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            yield Entry(entry["id"], {name: [tuple(part) for part in parts] for name, parts in entry["fields"].items()})


def write_entries(path: Path, entries: Iterable[Entry]) -> int:
    """Writes documents or topics as :func:`read_entries` reads them; how many there were."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps({"id": entry.id, "fields": entry.fields}) + "\n")
            count += 1
    return count


def _entry(source: Document | Query) -> Entry:
    return Entry(source.id, {
        name: [("text", part) if isinstance(part, str) else ("math", part.source) for part in content.parts]
        for name, content in source.fields.items()
    })
