"""Writes the search of a static site: the script, an example page, and the index in parts that the script loads.

Parts are scripts themselves (``porism("terms", 3, …)``), so that they load from a disk, too, and where a policy of the
site forbids inline scripts.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from porism.analysis.documents import load_document
from porism.errors import ConfigError
from porism.formula import to_mathml
from porism.index import Snapshot
from porism.index.languages import snapshot_analyzer
from porism.search.locations import Location
from porism.search.marked_text import layout_of
from porism.serve.site.notation import notation_tables
from porism.serve.site.postings import PREFIXES, SiteTerms, constants, in_parts
from porism.types import Content, Document

PART_SIZE = 8_000
"""How large a part is made, in bytes: small ones load fast, and many of them burden who copies them."""

SNIPPET_LENGTH = 300
"""How many characters of its text are shown of a unit, a formula counted as one."""

MARK = "porism-search.json"
"""A file by which an export knows a folder of its own."""

_PAGE_FILES = ("search.js", "example.html")


class SiteReport(NamedTuple):
    """What was written: units, files, and their bytes together."""

    units: int
    files: int
    size: int


def export_site(
    path: str | os.PathLike[str], folder: str | os.PathLike[str], *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> SiteReport:
    """Writes the search of the units of an index into a folder, in place of one that is there.

    :raises IndexNotFound: there is no index.
    :raises ConfigError: the folder has other files.
    """
    target = Path(folder)
    if target.exists() and any(target.iterdir()) and not (target / MARK).is_file():
        raise ConfigError(
            f"{target} has files that no export wrote", hint="Name a new folder, or one of an earlier export."
        )
    with Snapshot.open(path) as snapshot:
        analyzer = snapshot_analyzer(snapshot)
        terms = SiteTerms(snapshot, analyzer)
        units: list[bytes] = []
        for number, unit in terms.order:
            document = load_document(snapshot.segments[number].stored(unit))
            terms.read(document)
            units.append(orjson.dumps(_shown(document)))
            on_progress(len(units), len(terms.order))
        entries = terms.entries()
        counts = {prefix: terms.documents_of(channel) for channel, prefix in PREFIXES.items()}
    keys = sorted(entries, key=lambda key: key.encode("utf-16-be", "surrogatepass"))  # the order of JavaScript
    dumped = [orjson.dumps(entries[key].stored()) for key in keys]
    of_terms = list(in_parts((len(key) + len(entry) for key, entry in zip(keys, dumped, strict=True)), PART_SIZE))
    of_units = list(in_parts(map(len, units), PART_SIZE))
    manifest = {
        "terms": [keys[first] for first, _ in of_terms], "units": [first for first, _ in of_units],
        "documents": counts, **constants(terms),
    }
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("part-*.js"):
        old.unlink()
    names = {key[1:] for key in keys if key[0] == PREFIXES["tokens"]}
    written = [
        _write(target / name, files("porism.serve.site.static").joinpath(name).read_bytes()) for name in _PAGE_FILES
    ]
    written.append(_write(target / MARK, orjson.dumps({"units": len(units)})))
    written.append(_part(target, "manifest", 0, manifest))
    written.append(_part(target, "notation", 0, notation_tables(names)))
    for number, (first, last) in enumerate(of_terms):
        part = dict(zip(keys[first:last], map(orjson.Fragment, dumped[first:last]), strict=True))
        written.append(_part(target, "terms", number, part))
    for number, (first, last) in enumerate(of_units):
        written.append(_part(target, "units", number, list(map(orjson.Fragment, units[first:last]))))
    return SiteReport(len(units), len(written), sum(written))


def _part(target: Path, kind: str, number: int, value: Any) -> int:
    script = b"porism(%b,%d,%b)\n" % (orjson.dumps(kind), number, orjson.dumps(value))
    return _write(target / f"part-{kind}-{number}.js", script)


def _write(path: Path, data: bytes) -> int:
    return path.write_bytes(data)


def _shown(document: Document) -> Sequence[str]:
    """What a result shows: its title and the beginning of its text as HTML, its link, and where it is."""
    fields = document.fields
    title = fields.get("title") or fields.get("section") or Content(document.id)
    text = next((fields[name] for name in ("body", *fields) if name in fields and name != "title"), Content(""))
    location = Location.of(document.metadata)
    above = " › ".join(heading for heading in location.section if heading != title.to_latex())
    return _html(title), _html(text), location.url or "", above if location.url else location.place()


def _html(content: Content) -> str:
    """The beginning of a content as HTML, formulas as MathML."""
    left = SNIPPET_LENGTH
    pieces: list[str] = []
    for part in content.with_terms_as_text().parts:
        if not isinstance(part, str):
            pieces.append(to_mathml(layout_of(part.source, part.notation), ids=False))
            left -= 1
        elif len(part) <= left:
            pieces.append(html.escape(part, quote=False))
            left -= len(part)
        else:
            pieces.append(html.escape(part[: max(part.rfind(" ", 0, left + 1), 0)], quote=False))
            left = 0
        if left <= 0:
            return "".join([*pieces, " …"])
    return "".join(pieces)
