"""The languages of documents: as they say themselves, as detected, or as the texts around them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from porism.analysis.detection import READ_CHARACTERS, detect
from porism.analysis.languages import LanguageChoice, language_named
from porism.types import PLACEHOLDER, Document

LANGUAGE = "language"
"""The metadata key by which a document says what language it is in; indexing adds it where that is not the fallback."""


def stated_language(document: Document) -> str | None:
    """The language that the metadata of a document name; None where they name none that is known."""
    stated = document.metadata.get(LANGUAGE)
    return language_named(stated) if isinstance(stated, str) else None


def languages_of(documents: Sequence[Document], choice: LanguageChoice) -> list[str]:
    """The language of each of some documents that follow one another.

    One whose words do not say is in the language of most documents of its file, or else of its source; documents that
    come from no source are of one.
    """
    if not choice.detected:
        return [choice.fallback] * len(documents)
    found = [stated_language(document) or detect(_prose(document), choice.among) for document in documents]
    if None not in found:
        return [language for language in found if language is not None]
    around: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for document, language in zip(documents, found, strict=True):
        if language is not None:
            for place in _places(document):
                around[place][language] += 1
    return [
        language or next(
            (around[place].most_common(1)[0][0] for place in _places(document) if place in around), choice.fallback
        )
        for document, language in zip(documents, found, strict=True)
    ]


def labelled(document: Document, language: str, choice: LanguageChoice) -> Document:
    """The document with the name of its language among its metadata, unless that is the fallback, of which they say
    nothing, or they say something else of it."""
    if not choice.detected or (language == choice.fallback and LANGUAGE not in document.metadata):
        return document
    if LANGUAGE in document.metadata and stated_language(document) is None:
        return document
    return replace(document, metadata={**document.metadata, LANGUAGE: language})


def _prose(document: Document) -> str:
    """The beginning of a document's text without its formulas."""
    text = "\n".join(content.text for content in document.fields.values())
    return text[:READ_CHARACTERS].replace(PLACEHOLDER, " ")


def _places(document: Document) -> tuple[tuple[str, ...], ...]:
    """What a document is a part of, from the narrowest on."""
    source, file = (str(document.metadata.get(key, "")) for key in ("source", "file"))
    return ((source, file), (source,))
