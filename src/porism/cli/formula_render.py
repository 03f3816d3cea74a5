"""Formulas found, and how they match, as lines on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from porism.cli.render import on_terminal

if TYPE_CHECKING:
    from porism.formula_places import Place
    from porism.formula_searching import FormulaHit
    from porism.highlighting import MarkStyle
    from porism.retrieve.matches import FormulaMatch

SHOWN_PLACES = 3
LONGEST_LINE = 500
"""A formula that is longer is cut: one line must not fill the terminal."""


def print_formula_hits(hits: Sequence[FormulaHit], explain: bool, show: str) -> None:
    """Prints formulas as a list: rank, formula, score and places, substitution, and with ``explain`` all of the match.

    On a terminal the matched symbols are bold and green; where there is none, they stand in brackets.
    """
    from porism.highlighting import MatchView
    from porism.snippets import show_formula

    if not hits:
        click.echo("Nothing found: no formula shares a part with the one asked for.")
        return
    for hit in hits:
        view = MatchView(hit.match) if hit.match is not None else None
        if show == "latex" or view is None:
            shown = show_formula(hit.formula, "latex" if show == "latex" else "unicode")
        else:
            shown = view.text(_style())[1]
        click.echo(f"{hit.rank:>2}. {_cut(shown)}")
        facts = f"{hit.score:.3f}  {_where(hit)}"
        click.echo(f"    {click.style(facts, dim=True) if on_terminal() else facts}")
        if explain and hit.match is not None:
            print_matches([hit.match])
        elif view is not None and (substitution := view.substitution()):
            click.echo(f"    with {_cut(substitution)}")
        click.echo()


def print_matches(matches: Sequence[FormulaMatch], *, tree: bool = True) -> None:
    """Prints how query formulas match formulas that were found, one block of lines a match."""
    from porism.highlighting import match_lines

    for match in matches:
        for line in match_lines(match, _style(), tree=tree):
            click.echo(f"      {_cut(line)}")


def _style() -> MarkStyle:
    return "ansi" if on_terminal() else "brackets"


def _cut(line: str) -> str:
    """A line that is not too long; marks that are open in it are closed."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}…" + ("\x1b[0m" if "\x1b" in line else "")


def _where(hit: FormulaHit) -> str:
    """``in 3 documents: basel-problem (title, body), fourier-series (body) …``."""
    fields: dict[str, list[str]] = {}
    for place in hit.places:
        _add(fields, place)
    named = ", ".join(f"{doc_id} ({', '.join(names)})" for doc_id, names in list(fields.items())[:SHOWN_PLACES])
    more = " …" if hit.documents > SHOWN_PLACES else ""
    return f"in {hit.documents:,} document{'s' if hit.documents != 1 else ''}: {named}{more}"


def _add(fields: dict[str, list[str]], place: Place) -> None:
    names = fields.setdefault(place.doc_id, [])
    if place.field not in names:
        names.append(place.field)
