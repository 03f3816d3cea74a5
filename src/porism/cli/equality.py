"""``porism equal``: whether two formulas are equal, and in which sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from porism.cli.options import json_option, print_json
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.formula.comparison import Comparison
    from porism.types import Formula


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("first")
@click.argument("second")
@json_option
def equal(first: str, second: str, as_json: bool) -> None:
    """Say whether two formulas are equal: porism equal '2x+4y-3=0' 'y=-x/2+3/4'

    They may be expressions, equations, inequalities or intervals, in LaTeX with or without dollars, MathML, or a plain
    notation. Equal ones are the same, up to names, in value, or say the same; with the steps where these are simple. Of
    others it prints what an equality would assume, a point where they differ, and what they have in common.

    The exit status is 0 if they are equal, 1 if not, or if that is not known.
    """
    from porism.formula.comparison import compare

    formulas = _formula(first), _formula(second)
    comparison = compare(*formulas)
    if as_json:
        print_json(_as_dict(comparison, formulas))
    else:
        for line in _lines(comparison, formulas):
            echo(line)
    if not comparison.equal:
        raise click.exceptions.Exit(1)


def _formula(text: str) -> Formula:
    """A formula that was typed, which may be in dollars."""
    from porism.formula import detect_notation
    from porism.types import Formula

    stripped = text.strip()
    inner = stripped.strip("$")
    if not inner.strip():
        raise click.UsageError("A formula is empty.")
    return Formula(inner, "latex" if inner != stripped else detect_notation(inner))


def _lines(comparison: Comparison, formulas: tuple[Formula, Formula]) -> list[str]:
    lines = [comparison.verdict]
    if comparison.names:
        lines.append("  names: " + ", ".join(f"{_shown(old)} ↦ {_shown(new)}" for old, new in comparison.names))
    lines += [f"  {step.text} {_shown(step.latex)}".rstrip() for step in comparison.steps]
    if (apart := comparison.difference) is not None:
        at = ", ".join(f"{_shown(name)} = {_shown(value)}" for name, value in apart.point)
        lines.append(f"  At {at} the first is {_shown(apart.first)}, the second {_shown(apart.second)}.")
    lines += [f"  both have {_shown(latex)}" for latex in _common(comparison, formulas[0])]
    return lines


def _shown(latex: str) -> str:
    from porism.formula import parse, to_unicode

    return latex if latex.isalpha() else to_unicode(parse(latex, "latex"))


def _common(comparison: Comparison, first: Formula) -> list[str]:
    """The largest parts of the first formula that the second has by the same names, in LaTeX."""
    from porism.formula import to_latex
    from porism.search.highlighting import FormulaParts

    parts = FormulaParts(first)
    return [to_latex(parts.subexpression(part.first)) for part in comparison.common if not part.renamed]


def _as_dict(comparison: Comparison, formulas: tuple[Formula, Formula]) -> dict[str, object]:
    apart = comparison.difference
    return {
        "relation": comparison.relation, "equal": comparison.equal, "explanation": comparison.explanation,
        "steps": [{"text": step.text, "latex": step.latex} for step in comparison.steps],
        "names": dict(comparison.names),
        "difference": None if apart is None else {
            "point": dict(apart.point), "first": apart.first, "second": apart.second,
        },
        "common": _common(comparison, formulas[0]),
    }
