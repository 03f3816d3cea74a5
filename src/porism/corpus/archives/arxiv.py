"""Papers of arXiv: their ids in the names of files, and what records of listings say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from porism.corpus.base import clean
from porism.types import Metadata

_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga "
    "funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph "
    "q-alg q-bio quant-ph solv-int supr-con"
)
_ID = (
    r"(?:(?P<new>\d\d(?:0[1-9]|1[0-2])\.\d{4,5})"
    rf"|(?P<archive>{_ARCHIVES.replace(' ', '|')})(?:\.[A-Z]{{2}})?[/_]?(?P<number>\d\d(?:0[1-9]|1[0-2])\d{{3}}))"
    r"(?P<version>v\d{1,3})?"
)
_FILE = re.compile(rf"(?:arxiv[-_.]?)?{_ID}(?:\.[a-z][\w.]*)?", re.IGNORECASE)
_NAMED = re.compile(rf"(?:.*[/:])?{_ID}", re.IGNORECASE)
_KEYS: dict[str, tuple[str, ...]] = {
    "id": ("id", "arxiv_id", "entry_id", "paper_id"), "title": ("title",), "abstract": ("abstract", "summary"),
    "authors": ("authors", "author"), "categories": ("categories", "primary_category", "category"),
    "version": ("version", "versions"),
}
"""What the listings call the same thing."""
_AUTHORS = re.compile(r"\s*,\s+(?:and\s+)?|\s+and\s+")


@dataclass(frozen=True, slots=True)
class Paper:
    """What is known of a paper; ``version`` is like ``v2``. Whatever is not known is empty."""

    id: str
    version: str = ""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The address of its abstract page."""
        return f"https://arxiv.org/abs/{self.id}"

    @property
    def metadata(self) -> Metadata:
        """What each document of the paper has."""
        values: dict[str, str | tuple[str, ...]] = {
            "url": self.url, "arxiv": self.id, "version": self.version, "paper": self.title, "authors": self.authors,
            "tags": self.categories,
        }  # fmt: skip
        return {name: value for name, value in values.items() if value}


def named_paper(name: str) -> Paper | None:
    """The paper that a file is named after (``2301.00001v2.tar.gz``), with no more than its id and version."""
    return _matched(_FILE.fullmatch(name))


def listed_paper(values: Mapping[str, Any]) -> Paper | None:
    """The paper that a record of a listing describes; None for records of other things."""
    record = {name: next((values[key] for key in keys if values.get(key)), None) for name, keys in _KEYS.items()}
    known = _matched(_NAMED.fullmatch(str(record["id"] or "")))
    if known is None or not (record["categories"] or record["abstract"]):
        return None
    versions = record["version"]
    last = versions[-1] if isinstance(versions, list) and versions else versions
    last = last.get("version") if isinstance(last, Mapping) else last
    categories, authors = record["categories"], record["authors"]
    return Paper(
        known.id, known.version or (last if isinstance(last, str) else ""), _text(record["title"]),
        _text(record["abstract"]), tuple(_AUTHORS.split(authors) if isinstance(authors, str) else _names(authors)),
        tuple(categories.split() if isinstance(categories, str) else _names(categories)),
    )


def _matched(match: re.Match[str] | None) -> Paper | None:
    if match is None:
        return None
    return Paper(match["new"] or f"{match['archive'].lower()}/{match['number']}", (match["version"] or "").lower())


def _text(value: Any) -> str:
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


def _names(values: Any) -> list[str]:
    """The entries of a list of strings, or of objects with a name."""
    entries = values if isinstance(values, list) else []
    names = (_text(entry.get("name") if isinstance(entry, Mapping) else entry) for entry in entries)
    return [name for name in names if name]
