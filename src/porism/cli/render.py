"""Hits and index facts as lines on a terminal."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from porism.cli.terminal import echo, echo_styled, style

if TYPE_CHECKING:
    from porism.explanation import Explanation
    from porism.retrieve.formulas.matches import FormulaMatch
    from porism.search.answers import Hit
    from porism.search.marked_text import Snippet

SHOWN_TAGS = 5
WIDEST = 100
"""Columns of a passage on a wider terminal, and where there is none."""

LONGEST_PLACE = 90
"""Characters of the line that says where a document stands; outer headings are left out of a longer one."""

UNBROKEN = 40
"""A formula of at most so many columns stays on one line."""

_NUMBER_WIDTH = 4


def styled(snippet: Snippet, **plain: bool) -> str:
    """A title or passage on one line, words that match bold and yellow, formulas bold and green; plain where there are
    no colours."""
    return "".join(
        style(piece.text, fg="green" if piece.formula else "yellow", bold=True) if piece.match
        else style(piece.text, **plain)
        for piece in snippet.pieces
    )


def styled_lines(snippet: Snippet, width: int) -> list[str]:
    """A passage on lines of at most ``width`` columns, broken at blanks, with the styles of :func:`styled`."""
    lines: list[list[str]] = [[]]
    used = 0
    for word in _words(snippet):
        columns = sum(_columns(text) for text, _ in word)
        if used and used + 1 + columns > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append(" ")
            used += 1
        lines[-1] += [style(text, **how) for text, how in word]
        used += columns
    return ["".join(line) for line in lines if line]


def _words(snippet: Snippet) -> Iterator[list[tuple[str, dict[str, str | bool]]]]:
    """The words of a passage, each in parts with one style."""
    word: list[tuple[str, dict[str, str | bool]]] = []
    for piece in snippet.pieces:
        how: dict[str, str | bool] = {"fg": "green" if piece.formula else "yellow", "bold": True} if piece.match else {}
        whole = piece.formula and _columns(piece.text) <= UNBROKEN
        for number, part in enumerate([piece.text] if whole else piece.text.split(" ")):
            if number and word:
                yield word
                word = []
            if part:
                word.append((part, how))
    if word:
        yield word


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def print_hits(
    hits: Sequence[Hit], explanations: Mapping[str, Explanation] | None = None,
    matches: Mapping[str, Sequence[FormulaMatch]] | None = None,
) -> None:
    """Prints hits as a list: rank and title; score and where the document stands; the passage; id and tags; and where
    there are any, how formulas of the question match formulas of the document (by its id), and the explanation.

    Matches are in colour where there is colour, and not marked elsewhere: any sign could be one of a formula's.
    """
    if not hits:
        echo("Nothing found: no document shares a word or a part of a formula with the question.")
        return
    several = len({hit.location.source for hit in hits}) > 1
    indent = " " * _NUMBER_WIDTH
    width = min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST) - _NUMBER_WIDTH
    for hit in hits:
        echo_styled(f"{hit.rank:>2}. {styled(hit.title, bold=True)}")
        known = hit.location.file or hit.location.url
        where = hit.location.text(several, str(hit.title), LONGEST_PLACE) if known else ""
        facts = f"{hit.id}{_tags(hit)}"
        echo_styled(indent + style(f"{hit.score:.3f}  ", dim=True) + (
            style(where, fg="cyan") if where else style(facts, dim=True)
        ))
        for line in styled_lines(hit.snippet, width):
            echo_styled(indent + line)
        if where:
            echo_styled(indent + style(facts, dim=True))
        if matches and hit.id in matches:
            from porism.cli.formula_render import print_matches

            print_matches(matches[hit.id], tree=False)
        if explanations and hit.id in explanations:
            from porism.search.highlighting import short_lines

            for explained in short_lines(explanations[hit.id]):
                echo(f"      {explained}")
        echo()


def _tags(hit: Hit) -> str:
    tags = hit.metadata.get("tags", ())
    shown = ", ".join((tags,) if isinstance(tags, str) else tags[:SHOWN_TAGS])
    return f"  [{shown}]" if shown else ""


def human_bytes(size: float) -> str:
    """A size with its unit, such as ``1.5 MB``."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
