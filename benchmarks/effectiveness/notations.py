"""Whether a question finds its answers in whatever notation its formula is written: 200 questions, each in six.

::

    python -m benchmarks effectiveness notations --data ../shared/data
    python -m benchmarks effectiveness notations --data ../shared/data --index mathlib.index --show

``notations/questions.toml`` has 50 questions for each of four collections: the bundled sample, ``projects/d2l``,
``projects/openlogic`` and Mathlib. LaTeX is between dollars; formulas in Unicode, plain ASCII, Typst and Lean stand
in the text as they are, and the last notation is spoken English. Questions are read as the pages of a server read
them. Of Mathlib a few folders are indexed, or ``--index`` names an index of all of it; questions without an answer in
the index are left out. Printed are nDCG@10 and the reciprocal rank by notation, and each notation's share of the best.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import porism
from benchmarks.common.bench import print_table
from porism.lab.evaluate import evaluate_run
from porism.sample import ENTRIES

QUESTIONS = Path(__file__).parent / "notations" / "questions.toml"
NOTATIONS = ("latex", "unicode", "ascii", "typst", "lean", "spoken")
MEASURES = ("nDCG@10", "RR")
MATHLIB = ("Order", "Logic", "Data/Set", "Data/Nat", "Algebra/Order", "Algebra/Field", "LinearAlgebra/Matrix")
"""The folders of Mathlib that are indexed."""
SOURCES: Mapping[str, tuple[str, ...]] = {
    "sample": (str(ENTRIES),), "d2l": ("projects/d2l",), "openlogic": ("projects/openlogic",),
    "mathlib": tuple(f"mathlib/Mathlib/{folder}" for folder in MATHLIB),
}
"""The files or folders of each collection, below the data or anywhere."""


@dataclass(frozen=True, slots=True)
class NotationQuestion:
    """A question in every notation, and the documents that answer it."""

    forms: Mapping[str, str]
    answers: Mapping[str, int]


def questions(collection: str, index: porism.Index) -> list[NotationQuestion]:
    """The questions about a collection that have an answer in its index."""
    ids = [doc_id for segment in index.snapshot.segments for doc_id in segment.doc_ids(range(segment.doc_count))]
    entries = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))[collection]
    read = [NotationQuestion(_forms(entry), dict(_answers(entry["answers"], ids))) for entry in entries]
    return [question for question in read if question.answers]


def _forms(entry: Mapping[str, Any]) -> dict[str, str]:
    """The whole question in each notation."""
    words = entry.get("words", "{}")
    return {name: words.replace("{}", f"${entry[name]}$" if name == "latex" else entry[name]) for name in NOTATIONS}


def _answers(endings: list[str], ids: list[str]) -> Iterator[tuple[str, int]]:
    """The documents whose id is one of these, or ends with it after a slash or a number sign."""
    for ending in endings:
        yield from ((doc_id, 1) for doc_id in ids if doc_id == ending or doc_id.endswith((f"/{ending}", f"#{ending}")))


def scores(index: porism.Index, asked: list[NotationQuestion], notation: str) -> NDArray[np.float64]:
    """The measures of each question in a notation: float64 of (questions, measures)."""
    runs, qrels = {}, {}
    for number, question in enumerate(asked):
        read = index.question(question.forms[notation], guess_formulas=True)
        runs[str(number)] = index.ranked(read, 10)[read.query.id]
        qrels[str(number)] = question.answers
    found = evaluate_run(porism.Run(runs), qrels, list(MEASURES)).per_topic
    return np.array([[found[measure].get(topic, 0.0) for measure in MEASURES] for topic in runs])


def show(asked: list[NotationQuestion], by_notation: Mapping[str, NDArray[np.float64]]) -> None:
    """Prints the questions that one notation answers worse than LaTeX."""
    for number, question in enumerate(asked):
        for name, values in by_notation.items():
            if values[number, 0] < by_notation["latex"][number, 0]:
                latex = by_notation["latex"][number, 0]
                print(f"  {name:8} {values[number, 0]:.2f} (LaTeX {latex:.2f})  {question.forms[name]}")


def main() -> None:
    """Indexes the collections, asks, and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks effectiveness notations", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with mathlib and projects")
    parser.add_argument("--index", type=Path, help="an index of all of Mathlib")
    parser.add_argument("--work", type=Path, help="folder that keeps the indexes")
    parser.add_argument("--only", nargs="+", choices=SOURCES, default=list(SOURCES), help="these collections")
    parser.add_argument("--jobs", type=int, default=None, help="processes of indexing")
    parser.add_argument("--show", action="store_true", help="print what a notation finds less well than LaTeX")
    given = parser.parse_args()
    every: dict[str, list[NDArray[np.float64]]] = {name: [] for name in NOTATIONS}
    rows = [["collection", "questions", *(f"{name} {measure}" for measure in MEASURES for name in NOTATIONS)]]
    with tempfile.TemporaryDirectory() as folder:
        for collection in given.only:
            path = (given.work or Path(folder)) / f"{collection}.index"
            if collection == "mathlib" and given.index is not None:
                path = given.index
            if not path.exists():
                porism.index_sources([given.data / source for source in SOURCES[collection]], path, jobs=given.jobs)
            with porism.open_index(path) as index:
                asked = questions(collection, index)
                by_notation = {name: scores(index, asked, name) for name in NOTATIONS} if asked else {}
            if given.show:
                show(asked, by_notation)
            for name, values in by_notation.items():
                every[name].append(values)
            rows.append(row(collection, by_notation))
    total = {name: np.concatenate(values) for name, values in every.items() if values}
    rows.append(row("all", total))
    best = [max((values[:, measure].mean() for values in total.values()), default=1.0) for measure in range(2)]
    rows.append(["of the best", "", *(
        f"{values[:, measure].mean() / best[measure]:.3f}" for measure in range(2) for values in total.values()
    )])
    print_table(rows)


def row(name: str, by_notation: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """A row of the table: how many questions, and the mean of each measure in each notation."""
    count = len(next(iter(by_notation.values()), ()))
    return [name, str(count), *(
        f"{values[:, measure].mean():.3f}" for measure in range(len(MEASURES)) for values in by_notation.values()
    )]


if __name__ == "__main__":
    main()
