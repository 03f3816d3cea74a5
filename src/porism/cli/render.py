"""Hits and index facts as lines on a terminal."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from porism.cli.terminal import echo, echo_styled, style
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.retrieve.formulas.matches import FormulaMatch
    from porism.search.answers import FormulaHit, Hit
    from porism.search.marked_text import Snippet
    from porism.search.reasons import Reasons

SHOWN_TAGS = 5
MAX_WIDTH = 100
"""Columns of a passage on a wider terminal, and without a terminal."""

MAX_PLACE_WIDTH = 90
"""Characters of the line that says where a document is; outer headings are left out of a longer one."""

_NUMBER_WIDTH = 4


def print_hits(hits: Sequence[Hit]) -> None:
    """Prints hits as a list: rank and title; score and place; passage; id and tags; matches of formulas and the
    explanation, if the hit has them.

    Matches are in colour where there is colour, and not marked elsewhere: any sign could be one of a formula's.
    """
    if not hits:
        echo("Nothing found: no document shares a word or a part of a formula with the question.")
        return
    several = len({hit.location.source for hit in hits}) > 1
    indent = " " * _NUMBER_WIDTH
    width = min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH) - _NUMBER_WIDTH
    for hit in hits:
        echo_styled(f"{hit.rank:>2}. {styled(hit.title, bold=True)}")
        known = hit.location.file or hit.location.url
        where = hit.location.text(several, str(hit.title), MAX_PLACE_WIDTH) if known else ""
        facts = f"{hit.id}{_tags(hit)}"
        echo_styled(indent + style(f"{hit.score:.3f}  ", dim=True) + (
            style(where, fg="cyan") if where else style(facts, dim=True)
        ))
        for line in styled_lines(hit.snippet, width):
            echo_styled(indent + line)
        if where:
            echo_styled(indent + style(facts, dim=True))
        if hit.reasons is not None:
            _print_reasons(hit.reasons, hit.matches or ())
        if hit.matches:
            print_matches(hit.matches, tree=False)
        if hit.explanation is not None:
            _print_explanation(hit)
        echo()


def _print_reasons(reasons: Reasons, matches: Sequence[FormulaMatch]) -> None:
    """The line that says why a document was found."""
    from porism.search.printable import one_printable_line
    from porism.search.reasons import reason_line

    if line := one_printable_line(reason_line(reasons, matches)):
        echo(f"      {_cut(f'{line[:1].upper()}{line[1:]}.')}")


def _print_explanation(hit: Hit) -> None:
    """The explanation of a score; of a document that was re-ranked that of each stage, the last one first."""
    from porism.search.highlighting import short_lines

    explained = [("", hit.explanation)]
    if hit.stages:
        explained = [(f"{stage.stage}: rank {stage.rank}", stage.explanation) for stage in reversed(hit.stages)]
    for heading, explanation in explained:
        if heading:
            echo(f"      {heading}")
        for line in () if explanation is None else short_lines(explanation):
            echo(f"      {'  ' if heading else ''}{line}")


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


MAX_UNBROKEN_WIDTH = 40
"""Columns of a formula that stays on one line."""


def styled(snippet: Snippet, **plain: bool) -> str:
    """A title or passage on one line; matching words are bold and yellow, formulas bold and green, without colours
    neither."""
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
        whole = piece.formula and _columns(piece.text) <= MAX_UNBROKEN_WIDTH
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


SHOWN_PLACES = 3
MAX_LINE_LENGTH = 500
"""A formula that is longer is cut: one line must not fill the terminal."""


def print_formula_hits(hits: Sequence[FormulaHit], explain: bool, show: str) -> None:
    """Prints formulas as a list: rank, formula, score and places, substitution, and with ``explain`` all of the match.

    Where there is colour the matched symbols are bold and green; elsewhere they are not marked.
    """
    from porism.search.highlighting import MarkedMatch
    from porism.search.marked_text import show_formula

    if not hits:
        echo("Nothing found: no formula shares a part with the query.")
        return
    several = len({document.location.source for hit in hits for document in hit.shown}) > 1
    for hit in hits:
        marked = MarkedMatch(hit.match) if hit.match is not None else None
        if show == "latex" or marked is None:
            shown = style(_cut(show_formula(hit.formula, "latex" if show == "latex" else "unicode")))
        else:
            shown = styled(cut_snippet(marked.pieces[1]))
        echo_styled(f"{hit.rank:>2}. {shown}")
        echo_styled("    " + style(f"{hit.score:.3f}  {_where(hit, several)}", dim=True))
        if explain and hit.match is not None:
            print_matches([hit.match])
        elif marked is not None and (substitution := marked.substitution()):
            echo(f"    with {_cut(substitution)}")
        echo()


def print_matches(matches: Sequence[FormulaMatch], *, tree: bool = True) -> None:
    """Prints how query formulas match formulas that were found, one block of lines a match."""
    from porism.search.highlighting import MarkedMatch, short_lines

    for match in matches:
        marked = MarkedMatch(match)
        for name, snippet, share in zip(
            ("asked for", "found"), marked.pieces, (match.query_share, match.found_share), strict=True
        ):
            echo_styled(f"      {name:<10} {styled(cut_snippet(snippet))}  ({share:.0%} matched)")
        if substitution := marked.substitution():
            echo(f"      with       {_cut(substitution)}")
        for line in marked.values():
            echo(f"      as         {_cut(line)}")
        for line in short_lines(match.explanation) if tree else ():
            echo(f"      {_cut(line)}")


def cut_snippet(snippet: Snippet, most: int = MAX_LINE_LENGTH) -> Snippet:
    """A snippet of at most ``most`` characters, with ``…`` where something is left out."""
    from porism.search.marked_text import Piece, Snippet

    pieces: list[Piece] = []
    left = most
    for piece in snippet.pieces:
        if len(piece.text) > left:
            return Snippet((*pieces, Piece(piece.text[:left], piece.match, piece.formula), Piece("…")))
        pieces.append(piece)
        left -= len(piece.text)
    return snippet


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}…"


def _where(hit: FormulaHit, several_sources: bool) -> str:
    """``in 3 documents: basel-problem (title, body), series.tex:12 (body) …``; a file is named where the id has it."""
    fields: dict[str, dict[str, None]] = {}
    for place in hit.places:
        fields.setdefault(place.doc_id, {})[place.field] = None
    called = {
        document.id: document.location.place(several_sources) for document in hit.shown
        if document.location.file and document.location.file in document.id
    }
    named = ", ".join(
        f"{called.get(doc_id, doc_id)} ({', '.join(own)})" for doc_id, own in list(fields.items())[:SHOWN_PLACES]
    )
    more = " …" if hit.documents > SHOWN_PLACES else ""
    return f"in {pluralise(hit.documents, 'document')}: {named}{more}"
