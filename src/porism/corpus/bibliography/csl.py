"""Items of CSL-JSON, with the names of BibTeX for their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CSL_KINDS = {
    "article-journal": "article", "article": "preprint", "book": "book", "chapter": "incollection",
    "paper-conference": "inproceedings", "thesis": "thesis", "report": "report", "webpage": "online",
    "post-weblog": "online", "manuscript": "unpublished", "article-magazine": "article", "article-newspaper": "article",
    "entry-encyclopedia": "incollection", "entry-dictionary": "incollection", "monograph": "book", "dataset": "dataset",
    "software": "software", "speech": "talk", "lecture": "talk", "review": "review", "preprint": "preprint",
    "document": "misc", "personal_communication": "misc", "motion_picture": "misc", "broadcast": "misc",
    "bill": "misc", "legislation": "misc", "legal_case": "misc", "patent": "misc", "map": "misc", "graphic": "misc",
}
"""Types of items, and what they are called in BibTeX."""
_NAMES = {
    "title": "title", "abstract": "abstract", "keyword": "keywords", "container-title": "journal",
    "publisher": "publisher", "volume": "volume", "issue": "number", "page": "pages", "DOI": "doi", "URL": "url",
    "note": "note", "id": "key", "citation-key": "key", "language": "language", "annote": "note",
}


def csl_fields(item: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """The fields of an item."""
    fields: dict[str, str | list[str]] = {"kind": CSL_KINDS.get(str(item.get("type")), "misc")}
    for name, field in _NAMES.items():
        value = item.get(name)
        if isinstance(value, str | int) and str(value).strip():
            fields.setdefault(field, str(value))
    for role in ("author", "editor"):
        people = item.get(role)
        names = [name for person in people if (name := _person(person))] if isinstance(people, list) else []
        if names:
            fields[role] = names
    if year := _year(item.get("issued")):
        fields["year"] = year
    return fields


def _person(person: Any) -> str:
    if not isinstance(person, Mapping):
        return ""
    parts = [person.get(part) for part in ("given", "non-dropping-particle", "family", "suffix")]
    return " ".join(part for part in parts if isinstance(part, str)) or str(person.get("literal") or "")


def _year(date: Any) -> str:
    """The year of ``{"date-parts": [[2010, 5]]}``, ``{"raw": "2010"}`` or ``"2010-05"``."""
    if isinstance(date, Mapping):
        parts = date.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
            return str(parts[0][0])
        date = date.get("raw") or date.get("literal")
    return date if isinstance(date, str) else ""
