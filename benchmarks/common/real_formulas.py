"""The distinct formulas of real collections, as Porism's readers find them.

``arqmath-mini`` has the LaTeX of its formula table; of the others every source is read as ``porism index`` reads it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import porism

COLLECTIONS: dict[str, str] = {
    "arqmath-mini": "arqmath-mini/latex_representation_v3",
    "stackmathqa-sample": "stackmathqa-sample.jsonl",
    "hott": "projects/hott",
    "openlogic": "projects/openlogic",
    "proofwiki": "proofwiki/statements.jsonl",
    "planetmath": "planetmath/docs.jsonl",
}
"""Name of a collection → where it lies in the folder of the data."""


def distinct_formulas(data: Path, name: str) -> list[str]:
    """The distinct formulas in LaTeX of one of :data:`COLLECTIONS`, in the order of their first occurrence."""
    path = data / COLLECTIONS[name]
    formulas = (latex for _, latex in formula_table(path)) if name == "arqmath-mini" else _formulas_of_documents(path)
    return list(dict.fromkeys(formulas))


def formula_table(folder: Path) -> Iterator[tuple[str, str]]:
    """Id and text of each formula in the tables of an ARQMath collection: a folder of TSV files."""
    csv.field_size_limit(sys.maxsize)
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, delimiter="\t"):
                if len(row) > 8 and row[0] != "id":
                    yield row[0], row[8]


def _formulas_of_documents(path: Path) -> Iterator[str]:
    documents: Iterable[porism.Document] = porism.open_source(path)
    for document in documents:
        for content in document.fields.values():
            for formula in content.formulas:
                if formula.notation == "latex":
                    yield formula.source
