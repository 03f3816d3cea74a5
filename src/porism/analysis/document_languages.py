"""The languages of documents: what they say themselves, what is detected, or that of the texts around them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from porism.analysis.detection import READ_CHARACTERS, Detected, detect, is_in_other_letters
from porism.analysis.languages import LANGUAGES, LanguageChoice, language_named
from porism.types import PLACEHOLDER, Document

LANGUAGE = "language"
"""The metadata key by which a document says what language it is in; indexing adds it where that is not the fallback."""


def stated_language(document: Document) -> str | None:
    """The language that the metadata of a document name; None where they name none that is known."""
    stated = document.metadata.get(LANGUAGE)
    return language_named(stated) if isinstance(stated, str) else None


def languages_of(documents: Sequence[Document], choice: LanguageChoice, usual: str = "") -> list[str]:
    """The language of each of some documents that follow one another; where nothing says it, the ``usual`` one of
    their index, or the fallback.

    One whose words do not say, or hardly, is in the language of most documents of its file, or else of its folder, up
    to its source; documents that come from no source are of one.
    """
    if not choice.detected:
        return [choice.fallback] * len(documents)
    detected = [_language_of(document, choice) for document in documents]
    if all(detection is not None and detection.sure for detection in detected):
        return [detection.language for detection in detected if detection is not None]
    around: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    likely: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for document, detection in zip(documents, detected, strict=True):
        if detection is None:
            continue
        for place in _places(document):
            (around if detection.sure else likely)[place][detection.language] += 1
    return [
        detection.language if detection and detection.sure
        else _most(document, around) or _most(document, likely) or usual or choice.fallback
        for document, detection in zip(documents, detected, strict=True)
    ]


def _language_of(document: Document, choice: LanguageChoice) -> Detected | None:
    stated, prose = stated_language(document), _prose(document)
    if stated and not (LANGUAGES[stated].latin and is_in_other_letters(prose)):  # templates of pages say English of all
        return Detected(stated, True)
    return detect(prose, choice.among)


def _most(document: Document, around: Mapping[tuple[str, ...], Counter[str]]) -> str | None:
    """The language of most texts around a document."""
    return next((around[place].most_common(1)[0][0] for place in _places(document) if place in around), None)


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
    parts = file.split("/")
    return tuple((source, *parts[:count]) for count in range(len(parts), -1, -1))
