"""A small index whose documents models re-rank, and queries of it."""

from __future__ import annotations

from pathlib import Path

from tiny_models import TEXTS

from porism.runs.run import Run
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Query

QUERIES = [
    Query("q1", {"title": Content("prime number"), "question": Content("What divides a product?")}),
    Query("q2", {"title": Content("maximum of a continuous function")}),
]
RUN = Run({
    "q1": [("d0", 9.0), ("gone", 8.0), ("d1", 7.0), ("empty", 6.0), ("d2", 5.0), ("d3", 4.0)],
    "q2": [("d2", 3.0), ("d1", 2.0), ("d0", 1.0)],
}, "first")
"""Has a document that the index lacks, and one without text."""


def reranked_index(folder: Path) -> Path:
    """An index of four documents with text, and one without."""
    documents = [Document(f"d{number}", {"body": Content(text)}) for number, text in enumerate(TEXTS)]
    documents.append(Document("empty", {"body": Content(" ")}))
    path = folder / "i.index"
    index_documents(documents, path, jobs=1)
    return path
