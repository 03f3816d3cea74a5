"""Whether names, labels and definitions are found: 60 queries of our own with judgments, ``names/queries.jsonl`` and
``names/qrels.txt``.

25 are about the LaTeX of a book (``napkin``), 20 about statements that have no names (``proofwiki``), and 15 about the
bundled sample. Units of the book are judged by their label or, without one, by file and unit: so they stay the same
whatever an index calls them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import porism
from porism.corpus import split_math

FOLDER = Path(__file__).parent / "names"


def name_queries(collection: str) -> list[porism.Query]:
    """The queries about a collection."""
    lines = (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        porism.Query(entry["id"], {"query": split_math(entry["query"])})
        for entry in map(json.loads, lines) if entry["id"].startswith(f"{collection}-")
    ]


def name_judgments(collection: str, index: porism.Index) -> dict[str, dict[str, int]]:
    """The judgments of a collection, by the ids that the documents have in an index.

    :raises ValueError: the index lacks a judged unit.
    """
    return unit_judgments(FOLDER / "qrels.txt", index, f"{collection}-")


def unit_judgments(path: Path, index: porism.Index, prefix: str = "") -> dict[str, dict[str, int]]:
    """The judgments of a file for queries whose ids have the prefix, by the ids that the documents have in an index.

    :raises ValueError: the index lacks a judged unit.
    """
    ids = {name: doc_id for doc_id, names in _names(index) for name in names}
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, name, gain = line.split()
        if query.startswith(prefix):
            if name not in ids:
                raise ValueError(f"the index has no unit {name}, which the query {query} asks for")
            found.setdefault(query, {})[ids[name]] = int(gain)
    return found


def _names(index: porism.Index) -> Iterator[tuple[str, list[str]]]:
    """Each document's id, and what the judgments may call it."""
    for segment in index.snapshot.segments:
        for doc_id in segment.doc_ids(range(segment.doc_count)):
            if doc_id in index:
                yield doc_id, [doc_id, *_of_unit(doc_id, index.document(doc_id).metadata)]


def _of_unit(doc_id: str, metadata: Mapping[str, str | tuple[str, ...]]) -> list[str]:
    unit = doc_id.rpartition("#")[2]
    labels = metadata.get("labels", ())
    return [*((labels,) if isinstance(labels, str) else labels), f"{metadata.get('file')}#{unit}"]
