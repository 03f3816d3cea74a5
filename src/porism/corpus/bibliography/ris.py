"""The entries of RIS files, with the names of BibTeX for their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from porism.corpus.tables.json_records import Record
from porism.errors import OnProblem, Problem

_TAG = re.compile(r"\s*([A-Z][A-Z0-9])  ?- ?(.*)", re.DOTALL)
_NAMES = {
    name: field
    for field, names in {
        "title": "TI T1 CT", "booktitle": "BT", "abstract": "AB N2", "keywords": "KW", "author": "AU A1",
        "editor": "ED A2 A3", "year": "PY Y1 DA", "journal": "JO JF T2 JA J2", "publisher": "PB", "doi": "DO",
        "url": "UR L2 LK", "file": "L1", "note": "N1", "key": "ID AN", "volume": "VL", "number": "IS",
        "pages": "SP", "language": "LA",
    }.items()
    for name in names.split()
}
_LISTS = frozenset(("author", "editor", "keywords", "file", "note"))
_KINDS = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "BOOK": "book", "CHAP": "incollection",
    "CONF": "inproceedings", "CPAPER": "inproceedings", "THES": "thesis", "RPRT": "report", "UNPB": "unpublished",
    "ELEC": "online", "EBOOK": "book", "ECHAP": "incollection",
}


def ris_records(lines: Iterable[tuple[int, str]], name: str, on_problem: OnProblem) -> Iterator[Record]:
    """Yields the entries of numbered lines; a line without a tag goes on with the value before it."""
    fields: dict[str, str | list[str]] = {}
    first, last = 0, ""
    for line, text in lines:
        match = _TAG.fullmatch(text.rstrip("\r\n"))
        if match is None:
            if text.strip() and last:
                value = fields[last]
                if isinstance(value, list):
                    value[-1] += f"\n{text.strip()}"
                else:
                    fields[last] = f"{value}\n{text.strip()}"
            elif text.strip():
                on_problem(Problem(f"{name}:{line}", "a line outside of any entry is skipped"))
            continue
        tag, value = match.group(1), match.group(2).strip()
        if tag == "TY" or (tag == "ER" and fields):
            if fields and tag == "TY":
                on_problem(Problem(f"{name}:{first}", "an entry has no end (ER); it ends with the next"))
            if fields:
                yield Record(first, fields)
            fields, first, last = {}, line, ""
            if tag == "TY":
                fields["kind"] = _KINDS.get(value, "misc")
            continue
        last = ""
        field = _NAMES.get(tag)
        if field is None or not value or not fields:
            continue
        if field in _LISTS:
            values = fields.setdefault(field, [])
            if isinstance(values, list):
                values.append(value)
            last = field
        elif field not in fields:
            fields[field], last = value, field
    if fields:
        on_problem(Problem(f"{name}:{first}", "the last entry has no end (ER)"))
        yield Record(first, fields)
