"""Indexes that are brought up to date, compared with those that are made anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from porism.analysis.documents import load_document
from porism.index import Snapshot
from porism.search.index import open_index
from porism.search.sources.update_run import UpdateReport
from porism.search.sources.updating import index_sources
from porism.types import Document

Write = Callable[..., Path]


def contents(index: Path) -> dict[str, Document]:
    """All documents of an index, by id."""
    with Snapshot.open(index) as snapshot:
        found = [
            load_document(segment.stored(doc)) for segment in snapshot.segments
            for doc in range(segment.doc_count) if segment.live[doc]
        ]
    assert len({document.id for document in found}) == len(found)
    return {document.id: document for document in found}


def check(report: UpdateReport, added: int, changed: int, removed: int, read: int | None = None) -> None:
    assert (report.added, report.changed, report.removed) == (added, changed, removed)
    if read is not None:
        assert report.files_read == read


def same_as_new(index: Path, *sources: Path, **settings: Any) -> None:
    """The index is that which would be made of the sources now: documents, and answers."""
    fresh = index.with_name(f"fresh{len(list(index.parent.iterdir()))}")
    index_sources(sources, fresh, jobs=1, **settings)
    assert contents(index) == contents(fresh)
    with open_index(index) as one, open_index(fresh) as other:
        found, expected = (opened.search("words $x^2$ a", 20) for opened in (one, other))
    assert [(hit.id, round(hit.score, 4)) for hit in found] == [(hit.id, round(hit.score, 4)) for hit in expected]
