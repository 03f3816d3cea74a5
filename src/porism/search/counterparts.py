"""The counterparts of a document: a declaration for a theorem of a book, and the other way round.

They are the best documents of the other kind for what the document is called and says, as a question.
"""

from __future__ import annotations

from porism.types import PLACEHOLDER, Content, Document, Query

MAX_CHARACTERS = 400
"""So much of a text is the question; what comes later is rarely the statement."""

_TEXTS = ("body", "question", "text")


def counterpart_query(document: Document) -> Query:
    """What a document is called and says, as a question."""
    fields = {"title": document.title} if document.title else {}
    text = next((document.fields[field] for field in _TEXTS if document.fields.get(field)), None)
    if text is not None:
        fields["question"] = _beginning(text)
    return Query("counterparts", fields)


def _beginning(content: Content) -> Content:
    """The first sentences of a text."""
    if len(content.text) <= MAX_CHARACTERS:
        return content
    end = content.text.rfind(" ", 0, MAX_CHARACTERS)
    text = content.text[: end if end > 0 else MAX_CHARACTERS]
    return Content(text, content.formulas[: text.count(PLACEHOLDER)])
