"""Lists of results for language models: short, so that many fit a context; the same rows as text and as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import Field

from porism.errors import pluralise
from porism.search.printable import one_printable_line
from porism.serve.web import schema
from porism.serve.web.mcp_texts import content_text, pieces_text
from porism.serve.web.served import View

MAX_BYTES = 1_000
"""A short list takes no more, as text and as JSON."""
MAX_LINE = 500

_NOTE = 60  # bytes for what the text says before and after the rows
_ROW = len(json.dumps({"id": "", "line": ""}, separators=(",", ":"))) + 1


class ListedHit(schema.Model):
    """A result: its id, which :func:`fetch` takes, and what it is in a line."""

    id: str
    line: str = Field(description="Title, unless the id has it, then the signature, or a passage.")


class Listing(schema.Model):
    """The results of a page, best first; ``left_out`` of them did not fit."""

    total: int = Field(description="So many results there are.")
    exact: bool = Field(description="Whether that is all, not only at least so many.")
    hits: tuple[ListedHit, ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()


def listed_hits(view: View, hits: Iterable[schema.HitView]) -> list[ListedHit]:
    """Documents as rows: of a declaration its signature, of others the passage that was found."""
    rows: list[ListedHit] = []
    for hit in hits:
        title = pieces_text(hit.title)
        signature = None
        if "kind" in hit.metadata and hit.home is None and hit.id in view.index:
            signature = view.index.document(hit.id).fields.get("signature")
        passage = content_text(signature) if signature is not None else pieces_text(hit.snippet)
        named = "" if hit.id.endswith((f"#{title}", f"/{title}")) or hit.id == title else title
        rows.append(ListedHit(id=hit.id, line=_line(": ".join(filter(None, (named, passage))))))
    return rows


def listed_formulas(hits: Iterable[schema.FormulaHitView]) -> list[ListedHit]:
    """Formulas as rows, with the id of the first document that has each."""
    return [
        ListedHit(id=hit.places[0].id if hit.places else "", line=_line(f"${hit.formula.latex}$ ({hit.relation})"))
        for hit in hits
    ]


def listed_statements(hits: Iterable[schema.PatternHitView]) -> list[ListedHit]:
    """Statements that match a pattern as rows."""
    return [ListedHit(id=hit.id, line=_line(hit.statement)) for hit in hits]


def listing(results: schema.Page | schema.PatternResults, rows: Sequence[ListedHit], short: bool) -> Listing:
    """The rows of a page; a ``short`` one is cut to :data:`MAX_BYTES`, each row to its share."""
    exact = isinstance(results, schema.PatternResults) or results.total_is_exact
    if not short:
        return Listing(total=results.total, exact=exact, hits=tuple(rows), notes=tuple(results.hints))
    empty = Listing(total=results.total, exact=exact, hits=(), left_out=len(rows))
    left = MAX_BYTES - _NOTE - _size(empty.model_dump_json())
    kept: list[ListedHit] = []
    for number, row in enumerate(rows):
        share = left // (len(rows) - number)
        least = _ROW + _size(row.id) + 2
        if least > left:
            break
        fitting = row.model_copy(update={"line": _cut(row.line, max(0, share - least))})
        kept.append(fitting)
        left -= _ROW + _size(fitting.id) + _size(fitting.line)
    return empty.model_copy(update={"hits": tuple(kept), "left_out": len(rows) - len(kept)})


def listing_text(listing: Listing, noun: str) -> str:
    """A list as text, a row a line."""
    lines = [f"{'' if listing.exact else 'At least '}{pluralise(listing.total, noun)} found."]
    lines += [f"Note: {note}" for note in listing.notes]
    lines += [f"{hit.id}: {hit.line}" if hit.line else hit.id for hit in listing.hits]
    if listing.left_out:
        lines.append(f"[{listing.left_out} more did not fit]")
    return "\n".join(lines)


def _line(text: str) -> str:
    line = one_printable_line(" ".join(text.split()))
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…"


def _size(text: str) -> int:
    """How many bytes a text has as a string of JSON, without the quotation marks."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def _cut(text: str, size: int) -> str:
    """The beginning of a text that has at most so many bytes in JSON."""
    if _size(text) <= size:
        return text
    text = text[:size]
    while text and _size(text) > size - 3:
        text = text[: min(len(text) - 1, max(0, len(text) - (_size(text) - size + 3) // 4))]
    return f"{text}…" if text else ""
