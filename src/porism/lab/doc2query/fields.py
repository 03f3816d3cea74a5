"""Queries as a field of a document, and the document without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from porism.analysis.documents import clean_text
from porism.analysis.model_text import ModelText
from porism.analysis.model_text import document_text as model_text
from porism.corpus.mathtext import split_math
from porism.types import Content, Document, Formula

EXPANSION_FIELD = "expansion"
"""The field that holds generated queries; its weight is that of any field."""

EXPANDED_BY = "expanded-by"
"""The metadata that say which model wrote them, and that they were generated: what can be removed again."""


def is_expanded(document: Document) -> bool:
    """Whether the document has queries that were added by :func:`expanded`."""
    return EXPANDED_BY in document.metadata and EXPANSION_FIELD in document.fields


def has_own_expansion(document: Document) -> bool:
    """Whether its source gave it a field or metadata of these names, like those of generated queries."""
    return (EXPANDED_BY in document.metadata) != (EXPANSION_FIELD in document.fields)


def unexpanded(document: Document) -> Document:
    """The document as it was before :func:`expanded`; itself where it was not expanded."""
    if not is_expanded(document):
        return document
    return replace(
        document,
        fields={name: content for name, content in document.fields.items() if name != EXPANSION_FIELD},
        metadata={key: value for key, value in document.metadata.items() if key != EXPANDED_BY},
    )


def expanded(document: Document, queries: Sequence[str], model: str) -> Document:
    """The document with the queries, one a line, as its last field; formulas between dollars are formulas.

    Queries that it had been given before are replaced. Without queries there is no field.
    """
    plain = unexpanded(document)
    parts: list[str | Formula] = []
    for query in queries:
        parts += [*split_math(query).parts, "\n"]
    content = Content.of(*parts[:-1])
    if not content:
        return plain
    return replace(
        plain, fields={**plain.fields, EXPANSION_FIELD: content}, metadata={**plain.metadata, EXPANDED_BY: model}
    )


def source_text(document: Document, fields: Sequence[str] = ()) -> str:
    """The text of a document's fields, or of those named, with a line between, as they were written.

    Generated queries are never part of it. Its digest shows whether a document has changed.
    """
    contents = (content for name, content in unexpanded(document).fields.items() if not fields or name in fields)
    return "\n".join(clean_text(content.to_latex()) for content in contents)


def document_text(document: Document, fields: Sequence[str] = ()) -> str:
    """What a model reads of a document, or of the fields named in their order in it; generated queries never."""
    plain = unexpanded(document)
    named = tuple(name for name in plain.fields if not fields or name in fields)
    return model_text(plain, ModelText(named)) if named else ""
