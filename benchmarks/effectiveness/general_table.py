"""Makes the table of meanings that comes with Porism, from material whose licences allow it.

::

    python -m benchmarks effectiveness general_table --data ../shared/data --out src/porism/retrieve/meaning/general.bin

It is trained on pairs that the following hold: declarations of Mathlib and their docstrings and names (Apache-2.0);
docstrings of formal conjectures and their statements, the training half (Apache-2.0); questions and answers of
StackMathQA (CC BY 4.0), without those that nearly repeat a topic of ARQMath; titles and texts of the Open Logic Text
(CC BY 4.0). No judgment is read. The same data give the same table, but for the rounding of products on other machines.

Mathlib gives as many pairs as ``--most``: with all of its 100,000 the table is better at Lean and worse at the rest.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import porism
from porism.index import Snapshot
from porism.lab.train.pairs.exclusion import exclusion
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.collection import FieldPairs, field_pairs
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import ROWS
from porism.retrieve.meaning.training import TableTraining, random_table, train_table
from porism.settings import write_settings

SETTINGS = TableTraining(epochs=4)

SOURCES = {
    "Mathlib": "Apache-2.0", "formal conjectures, training half": "Apache-2.0", "StackMathQA, a sample": "CC BY 4.0",
    "Open Logic Text": "CC BY 4.0",
}
"""What the table is made from, and the licences."""


def write_conjectures(data: Path, path: Path) -> Path:
    """The docstrings of the training half as titles of their statements."""
    folder = data / "conjectures"
    texts = {entry["id"]: entry["text"] for entry in map(json.loads, (folder / "docs.jsonl").open(encoding="utf-8"))}
    judged = porism.read_qrels(folder / "qrels.train.txt")
    with path.open("w", encoding="utf-8") as file:
        for line in (folder / "queries.train.tsv").read_text(encoding="utf-8").splitlines():
            topic, _, docstring = line.partition("\t")
            file.write(json.dumps({"id": topic, "title": docstring, "text": texts[next(iter(judged[topic]))]}) + "\n")
    return path


def write_questions(data: Path, path: Path) -> Path:
    """Questions and answers that nearly repeat no topic."""
    excluded = exclusion(sorted((data / "arqmath-topics").rglob("Topics_*.xml")))
    entries = [json.loads(line) for line in (data / "stackmathqa-sample.jsonl").open(encoding="utf-8")]
    repeats = excluded.repeats([entry["Q"] for entry in entries])
    print(f"StackMathQA: {int(repeats.sum())} of {len(entries)} questions nearly repeat a topic, and are left out")
    with path.open("w", encoding="utf-8") as file:
        for number, (entry, repeated) in enumerate(zip(entries, repeats.tolist(), strict=True)):
            if not repeated:
                file.write(json.dumps({"id": str(number), "question": entry["Q"], "text": entry["A"]}) + "\n")
    return path


def material(data: Path, work: Path) -> Iterator[tuple[str, Path]]:
    """The sources by name."""
    files = (
        data / "mathlib" / "Mathlib", write_conjectures(data, work / "conjectures.jsonl"),
        write_questions(data, work / "questions.jsonl"), data / "projects" / "openlogic",
    )
    yield from zip(SOURCES, files, strict=True)


def pairs_of(source: Path, index: Path, most: int) -> FieldPairs:
    """The pairs of a source, which is indexed if need be."""
    if not (index / "manifest.json").exists():
        porism.index_sources([source], index, meaning="off")
    with Snapshot.open(index) as snapshot:
        return field_pairs(snapshot.segments, most=most)


def joined(parts: list[FieldPairs]) -> FieldPairs:
    """The pairs of several collections, whose origins stay apart."""
    left, right, rows = Bags.none(), Bags.none(), Bags.none()
    origins, groups, kinds = [], [], 0
    for part in parts:
        left, right = (
            known.followed_by(Bags(bags.starts, bags.terms + np.int32(len(rows)), bags.weights))
            for known, bags in ((left, part.left), (right, part.right))
        )
        rows = rows.followed_by(part.rows)
        origins.append(part.origins + kinds)
        groups.append(part.groups)
        kinds += int(part.origins.max(initial=-1)) + 1
    return FieldPairs(left, right, np.concatenate(origins), np.concatenate(groups), rows)


def main() -> None:
    """Makes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="a folder for the indexes, which are kept there")
    parser.add_argument("--most", type=int, default=40_000, help="pairs that Mathlib gives")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        parts = []
        for number, (name, source) in enumerate(material(given.data, work)):
            parts.append(pairs_of(source, work / f"{number}.index", given.most))
            print(f"{name}: {len(parts[-1]):,} pairs", flush=True)
        pairs = joined(parts)
        started = time.process_time()
        trained = train_table(
            pairs.left, pairs.right, pairs.rows, random_table(ROWS, SETTINGS.dimensions, SETTINGS.seed), SETTINGS,
            origins=pairs.origins,
        )
        print(f"losses {trained.losses}, {time.process_time() - started:.0f} s of processor time")
        made_of = {
            "sources": SOURCES, "pairs": [len(part) for part in parts], "losses": list(trained.losses),
            "training": write_settings(SETTINGS),
        }
        MeaningTable.of(trained.vectors, made_of).write(given.out)


if __name__ == "__main__":
    main()
