"""Documents in memory, by the protocol that training reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porism.corpus import split_math
from porism.types import Document


class SupplementaryHits:
    """A list of documents; those asked for by id are counted."""

    def __init__(self, *documents: Document) -> None:
        self.documents = {document.id: document for document in documents}

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents.values())

    def get(self, ids: Sequence[str]) -> list[Document]:
        return [self.documents[one] for one in ids]


def document(name: str, metadata: dict[str, str | tuple[str, ...]] | None = None, **fields: str) -> Document:
    """A document of fields of text, formulas between dollars."""
    return Document(name, {key: split_math(text) for key, text in fields.items()}, metadata or {})
