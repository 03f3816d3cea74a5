"""Formulas found, and how they match, as lines on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from porism.cli.styled_text import styled
from porism.cli.terminal import echo, echo_styled, style
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.retrieve.formulas.matches import FormulaMatch
    from porism.search.answers import FormulaHit
    from porism.search.marked_text import Snippet

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
