"""What models read of queries and documents that are re-ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from porism.analysis.model_text import ModelText, document_text
from porism.errors import OnProblem, Problem, pluralise
from porism.types import Document, Query

_NAMED = 3


class DocumentSource(Protocol):
    """What rerankers read of an index, as :class:`~porism.search.searcher.IndexSearcher` has it: documents by id."""

    @property
    def folder(self) -> str | None:
        """Where the index is, and the models that belong to it; None where it is not on this machine."""

    def __contains__(self, doc_id: object) -> bool: ...

    def document(self, doc_id: str) -> Document:
        """A document by its id."""


class GivenDocuments:
    """Documents that were fetched for one question, for rerankers; ``folder`` has models that they can be named by."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self.found: Mapping[str, Document] = {}

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.found

    def document(self, doc_id: str) -> Document:
        """A document by its id."""
        return self.found[doc_id]


class RerankedTexts:
    """The texts of queries and of documents of an index, each written once."""

    def __init__(
        self, index: DocumentSource, text: ModelText | None = None, query_fields: Sequence[str] = (),
        on_problem: OnProblem | None = None,
    ) -> None:
        """
        :param text: how documents and queries are written; its fields are those of documents.
        :param query_fields: the fields of a query that are read, in this order; all if none is named.
        :param on_problem: receives which documents are not in the index any more, or have no text.
        """
        text = text or ModelText()
        self.index = index
        self.text = text
        self.query_text = ModelText(tuple(query_fields), text.formulas, text.before, text.after, text.between)
        self.on_problem = on_problem

    def query(self, query: Query) -> str:
        """What is read of a query."""
        return document_text(Document(query.id, query.fields), self.query_text)

    def documents(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """The texts of documents by id; those that the index lacks or that have no text are left out, and reported."""
        texts: dict[str, str] = {}
        gone: list[str] = []
        empty: list[str] = []
        for doc_id in dict.fromkeys(doc_ids):
            if doc_id not in self.index:
                gone.append(doc_id)
                continue
            text = document_text(self.index.document(doc_id), self.text)
            if text.strip():
                texts[doc_id] = text
            else:
                empty.append(doc_id)
        self._report(gone, "in the index no more")
        self._report(empty, "without text")
        return texts

    def _report(self, doc_ids: Sequence[str], reason: str) -> None:
        if doc_ids and self.on_problem is not None:
            named = ", ".join(doc_ids[:_NAMED]) + (", …" if len(doc_ids) > _NAMED else "")
            self.on_problem(Problem(
                "re-ranking", f"{pluralise(len(doc_ids), 'document')} {reason} ({named}): ranked below the others"
            ))
