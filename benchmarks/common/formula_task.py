"""Task 2 of ARQMath on a small collection: find formulas, each distinct one (by its visual id) a document.

The files are those of :mod:`task`, so that the same contenders can read them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.common.task import YEARS, Entry, read_entries, write_entries

FIELD = "formula"


def prepare_formulas(data: Path, folder: Path) -> dict[str, int]:
    """Writes ``documents.jsonl`` and ``topics-YEAR.jsonl`` (judged topics only) to ``folder``; counts what is there.

    Formulas without a visual id cannot be judged and are left out.
    """
    counts = {"distinct formulas": write_entries(folder / "documents.jsonl", read_distinct(data / "arqmath-mini"))}
    ids = {entry.id for entry in read_entries(folder / "documents.jsonl")}
    for year in YEARS:
        judged = formula_judgments(data, year, ids)
        path = folder / f"topics-{year}.jsonl"
        counts[f"topics of {year}"] = write_entries(
            path, (topic for topic in read_formula_topics(data, year) if topic.id in judged)
        )
    return counts


def read_formula_topics(data: Path, year: str) -> Iterator[Entry]:
    """The formulas that the topics of a year ask for."""
    import porism

    for topic in porism.read_topics(data / "arqmath-topics" / year / f"Topics_Task2_{year}.xml"):
        yield Entry(topic.id, {FIELD: [("math", topic.fields["formula"].formulas[0].source)]})


def formula_judgments(data: Path, year: str, ids: set[str]) -> dict[str, dict[str, int]]:
    """The judgments of the collection's formulas by visual id, topics with a gain above 0 only."""
    import porism
    from porism.lab.evaluate import restrict_qrels

    path = data / "arqmath-topics" / year / f"qrel_task2_{year}_visual_id.v3.tsv"
    return restrict_qrels(porism.read_qrels(path), ids)


def read_distinct(collection: Path) -> Iterator[Entry]:
    """The formulas of a collection by visual id, each as its first occurrence is written."""
    from porism.corpus.posts.arqmath import read_formulas

    seen: set[str] = set()
    for found in read_formulas(collection):
        visual_id = found.visual_id
        if visual_id and visual_id not in seen:
            seen.add(visual_id)
            yield Entry(visual_id, {FIELD: [("math", found.formula.source)]})
