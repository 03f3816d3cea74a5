"""Queries that a model writes for documents, stored apart, added to an index and taken out again (doc2query)."""

from typing import TYPE_CHECKING

from porism.system.lazy_imports import lazy_names

if TYPE_CHECKING:
    from porism.lab.doc2query.applying import ApplyReport, DocumentExpander, apply_expansions, remove_expansions
    from porism.lab.doc2query.expanding import ExpandReport, expand_documents
    from porism.lab.doc2query.fields import (
        EXPANDED_BY,
        EXPANSION_FIELD,
        document_text,
        expanded,
        is_expanded,
        unexpanded,
    )
    from porism.lab.doc2query.generation import QueryGenerator
    from porism.lab.doc2query.settings import ExpansionSettings
    from porism.lab.doc2query.store import DocumentExpansion, ExpansionFile, ExpansionWriter

__all__ = [
    "EXPANDED_BY",
    "EXPANSION_FIELD",
    "ApplyReport",
    "DocumentExpander",
    "DocumentExpansion",
    "ExpandReport",
    "ExpansionFile",
    "ExpansionSettings",
    "ExpansionWriter",
    "QueryGenerator",
    "apply_expansions",
    "document_text",
    "expand_documents",
    "expanded",
    "is_expanded",
    "remove_expansions",
    "unexpanded",
]

__getattr__ = lazy_names(__name__, {
    "applying": ("ApplyReport", "DocumentExpander", "apply_expansions", "remove_expansions"),
    "expanding": ("ExpandReport", "expand_documents"),
    "fields": ("EXPANDED_BY", "EXPANSION_FIELD", "document_text", "expanded", "is_expanded", "unexpanded"),
    "generation": ("QueryGenerator",),
    "settings": ("ExpansionSettings",),
    "store": ("DocumentExpansion", "ExpansionFile", "ExpansionWriter"),
})
