"""Stored documents: by id, and one after another."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.analysis.documents import load_document
from porism.errors import QueryError
from porism.index import IndexWriter, Snapshot
from porism.index.documents import StoredDocuments
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Documents, Formula


def one(doc_id: str) -> Document:
    return Document(doc_id, {"body": Content.of(f"text of {doc_id} ", Formula("x^2"))}, {"tags": ("a", "b")})


def test_what_was_indexed_comes_back_without_what_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "i.index"
    index_documents([one("a"), one("b")], path)
    index_documents([one("c")], path)
    with IndexWriter(path) as writer:
        writer.delete(["b"])
    with Snapshot.open(path) as snapshot:
        documents: Documents = StoredDocuments(snapshot)
        assert len(documents) == 2
        assert list(documents) == [one("a"), one("c")]
        assert documents.get(["c", "a", "c"]) == [one("c"), one("a"), one("c")]
        assert list(map(load_document, StoredDocuments(snapshot).packed())) == list(documents)
        with pytest.raises(QueryError, match="no document 'b'"):
            documents.get(["a", "b"])
