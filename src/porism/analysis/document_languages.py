"""The languages of documents: stated in their metadata, detected, or that of neighbouring documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from porism.analysis.detection import READ_CHARACTERS, Detected, detect, is_in_other_letters
from porism.analysis.languages import LANGUAGES, LanguageChoice, language_named
from porism.types import PLACEHOLDER, Document

LANGUAGE = "language"
"""The metadata key of a document's language; indexing adds it unless it is the fallback."""

LANGUAGE_ORIGIN = "language_origin"
"""The metadata key that says whether the language of a document was stated or detected; documents have it that have
their language, except in indexes of older versions."""

STATED, DETECTED = "stated", "detected"


def stated_language(document: Document) -> str | None:
    """The known language that the metadata of a document name, or None."""
    stated = document.metadata.get(LANGUAGE)
    return language_named(stated) if isinstance(stated, str) else None


def languages_of(documents: Sequence[Document], choice: LanguageChoice, usual: str = "") -> list[str]:
    """The language of each of several consecutive documents.

    A document without enough evidence has the language of most documents of its file, or else of its folders, up to its
    source. Otherwise it has the ``usual`` language of the index, or the fallback. Documents without a source share one.
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
    """The language of most documents in the narrowest place of a document that has any."""
    return next((around[place].most_common(1)[0][0] for place in _places(document) if place in around), None)


def labelled(document: Document, language: str, choice: LanguageChoice) -> Document:
    """The document with its language and the origin of that in its metadata.

    It stays as it is in the fallback language, which is not its stated one, and with another value in its metadata.
    """
    if not choice.detected or (language == choice.fallback and LANGUAGE not in document.metadata):
        return document
    stated = stated_language(document)
    if LANGUAGE in document.metadata and stated is None:
        return document
    # A document that is read from an index, or from an export of one, has its origin.
    origin = document.metadata.get(LANGUAGE_ORIGIN, STATED) if stated == language else DETECTED
    return replace(document, metadata={**document.metadata, LANGUAGE: language, LANGUAGE_ORIGIN: origin})


def _prose(document: Document) -> str:
    """The beginning of a document's text without its formulas."""
    text = "\n".join(content.text for content in document.fields.values())
    return text[:READ_CHARACTERS].replace(PLACEHOLDER, " ")


def _places(document: Document) -> tuple[tuple[str, ...], ...]:
    """The file, folders and source of a document, the narrowest first."""
    source, file = (str(document.metadata.get(key, "")) for key in ("source", "file"))
    parts = file.split("/")
    return tuple((source, *parts[:count]) for count in range(len(parts), -1, -1))
