"""Results for other programs: BibTeX to cite documents, CSV for tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from porism.search.answers import Hit
from porism.search.locations import Location
from porism.search.marked_text import Snippet
from porism.types import Metadata

AUTHOR_KEYS = ("author", "authors", "creator")
YEAR_KEYS = ("year", "date", "created", "creation_date")

CSV_COLUMNS = ("rank", "id", "score", "title", "passage", "kind", "file", "line", "url")
_FORMULA_SIGNS = ("=", "+", "-", "@")
"""A cell that begins with one of these is a formula to spreadsheets, which may run programs or send data."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def bibtex(hits: Iterable[Hit]) -> str:
    """Entries for documents, whose titles have their formulas as LaTeX; each key is used once."""
    used: set[str] = set()
    return "\n".join(bibtex_entry(hit.id, hit.title, hit.metadata, hit.location, used) for hit in hits)


def bibtex_entry(
    doc_id: str, title: Snippet, metadata: Metadata, location: Location, used: set[str] | None = None
) -> str:
    """An entry for one document: title, authors and year where they are known, and its address or its file.

    :param title: with formulas as LaTeX between dollars.
    :param used: keys of other entries, to which that of this one is added.
    """
    used = set() if used is None else used
    stem = re.sub(r"[^A-Za-z0-9:./-]+", "-", doc_id).strip("-") or "document"
    key, number = stem, 1
    while key in used:
        number += 1
        key = f"{stem}-{number}"
    used.add(key)
    fields = {
        "title": f"{{{''.join(_title(title))}}}", "author": " and ".join(map(_escaped, _values(metadata, AUTHOR_KEYS))),
        "year": next((year[0] for value in _values(metadata, YEAR_KEYS) if (year := _YEAR.search(value))), ""),
        "url": re.sub(r"[{}\\\s]", lambda sign: f"%{ord(sign[0]):02X}", location.url or ""),
        "howpublished": _escaped(location.place(with_source=True)) if location.url is None else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@misc{{{key},", *lines, "}", ""))


def _title(title: Snippet) -> Iterator[str]:
    for piece in title.pieces:
        yield piece.text if piece.formula and _is_balanced(piece.text) else _escaped(piece.text)


def _is_balanced(latex: str) -> bool:
    """Whether braces pair as BibTeX counts them, which knows no escaped ones."""
    depth = 0
    for sign in latex:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _values(metadata: Metadata, keys: Iterable[str]) -> tuple[str, ...]:
    """The values of the first of some keys that there is."""
    value = next((metadata[key] for key in keys if metadata.get(key)), ())
    return (value,) if isinstance(value, str) else tuple(value)


def csv_table(hits: Iterable[Hit]) -> str:
    """A line for each hit under a head of :data:`CSV_COLUMNS`; no cell is a formula to a spreadsheet."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for hit in hits:
        place = hit.location
        line = "" if place.line is None else str(place.line)
        cells = (hit.id, f"{hit.score:.6g}", str(hit.title), str(hit.snippet), place.kind, place.file, line, place.url)
        writer.writerow([hit.rank, *(_harmless(cell or "") for cell in cells)])
    return table.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA_SIGNS) else cell
