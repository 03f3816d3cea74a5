"""The document of an entry of a bibliography, whatever the format: title, abstract, keywords, authors, year, link."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from porism.analysis.document_languages import LANGUAGE
from porism.analysis.languages import language_named
from porism.corpus.base import UnitId, clean
from porism.corpus.posts.threads import join_contents
from porism.types import Content, Document

ReadText = Callable[[str, str], Content]
"""Makes content of the value of a field (value, name of the field)."""

MAX_AUTHORS = 200
"""So many authors of an entry are kept."""
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_SEPARATED = re.compile(r"\s*[,;]\s*")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(r"(?:arxiv:)?\s*((?:[a-z-]+(?:\.[A-Za-z-]{2})?/)?\d[\d.]{5,}(?:v\d+)?)\s*(?:\[.*)?", re.IGNORECASE)
_VENUES = (
    "journal", "journaltitle", "booktitle", "series", "maintitle", "publisher", "school", "institution", "howpublished"
)
_NOTES = ("note", "annote", "annotation", "addendum")


def entry_document(values: Mapping[str, Any], doc_id: UnitId, source: str, read: ReadText) -> Document | None:
    """The document of an entry with BibTeX's names of fields; None where it has neither a title nor a text."""

    def content(name: str) -> Content:
        texts = values.get(name, ())
        contents = [read(text, name) for text in ([texts] if isinstance(texts, str) else texts)]
        return contents[0] if len(contents) == 1 else _joined(contents)

    title = _joined([content("title"), content("subtitle")], ": ")
    abstract, notes = content("abstract"), _joined([content(name) for name in _NOTES])
    authors = _people(values, read)
    venue = next((text for name in _VENUES if (text := content(name))), Content(""))
    keywords = _keywords(values, read)
    if not (title or abstract or notes):
        return None
    year = _YEAR.search(str(values.get("date") or values.get("year") or ""))
    said = Content(", ".join(filter(None, [*authors, year.group(1) if year else ""])))
    fields = {
        "title": title, "body": _joined([abstract, notes]) or _joined([said, venue], ". "),
        "authors": Content(", ".join(authors)), "journal": venue, "tags": Content(", ".join(keywords)),
    }
    metadata: dict[str, str | tuple[str, ...]] = {
        "source": source, "type": str(values.get("kind", "misc")), "key": str(values.get("key", "")),
        "authors": tuple(authors), "tags": tuple(keywords), "journal": venue.to_latex(),
        "year": year.group(1) if year else "", "url": link(values), "attachments": attachments(values),
        LANGUAGE: language_named(str(values.get("langid") or values.get("language") or "")) or "",
    }
    return Document(
        doc_id, {name: text for name, text in fields.items() if text or name == "body"},
        {name: value for name, value in metadata.items() if value},
    )


def link(values: Mapping[str, Any]) -> str:
    """The address of a work: its DOI, its page at arXiv, or the one that is stated."""
    doi = _DOI.search(str(values.get("doi", "")).replace("\\_", "_"))
    if doi is not None:
        return f"https://doi.org/{doi.group()}"
    kind = str(values.get("eprinttype") or values.get("archiveprefix") or "arxiv").lower()
    eprint = _ARXIV.fullmatch(str(values.get("arxivid") or values.get("eprint") or "")) if kind == "arxiv" else None
    if eprint is not None:
        return f"https://arxiv.org/abs/{eprint.group(1)}"
    url = str(values.get("url", "")).replace("\\", "").strip().removeprefix("url{").rstrip("}")
    return url if re.match(r"https?://\S+\Z", url) else ""


def attachments(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of an entry: ``file = {Full Text:files/12/a.pdf:application/pdf;…}``, ``{:a.pdf:PDF}``, or a path."""
    stated = values.get("file", ())
    files: list[str] = []
    for text in [stated] if isinstance(stated, str) else stated:
        for attachment in re.split(r"(?<!\\);", text):
            parts = [
                re.sub(r"\\(.)", r"\1", part).strip() for part in re.split(r"(?<!\\):(?![\\/]{1,2}\w)", attachment)
            ]
            path = parts[1] if len(parts) in (2, 3) else parts[0]
            if path:
                files.append(clean(path.replace("\n", " ")).removeprefix("file://"))
    return tuple(dict.fromkeys(files))


def _people(values: Mapping[str, Any], read: ReadText) -> list[str]:
    stated = values.get("author") or values.get("editor") or ()
    names = _split(stated) if isinstance(stated, str) else stated
    return [name for person in names[:MAX_AUTHORS] if (name := _in_order(read(person, "author").to_latex()))]


def _split(names: str) -> list[str]:
    """Names between ``and``, unless that is in braces."""
    people = [""]
    for piece in _AND.split(names):
        open_braces = people[-1].count("{") > people[-1].count("}")
        if open_braces:
            people[-1] += f" and {piece}"
        elif people == [""]:
            people = [piece]
        else:
            people.append(piece)
    return people


def _in_order(name: str) -> str:
    """``von Neumann, Jr, John`` → ``John von Neumann Jr``."""
    last, *others = (part.strip() for part in name.split(","))
    if not others:
        return last
    return " ".join(filter(None, [others[-1], last, *others[:-1]]))


def _keywords(values: Mapping[str, Any], read: ReadText) -> list[str]:
    stated = values.get("keywords", ())
    texts: Sequence[str] = _SEPARATED.split(stated) if isinstance(stated, str) else stated
    keywords = [read(text, "keywords").to_latex() for text in texts]
    return list(dict.fromkeys(keyword for keyword in [*keywords, str(values.get("primaryclass", ""))] if keyword))


def _joined(contents: Sequence[Content], separator: str = "\n\n") -> Content:
    return join_contents([content for content in contents if content], separator)
