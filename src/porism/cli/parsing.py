"""``porism parse``: how Porism reads a formula."""

from __future__ import annotations

import click

from porism.cli.options import json_option, print_json


@click.command()
@click.argument("formula")
@click.option("--terms", metavar="CHANNEL", help="Print the terms of one channel instead, one a line.")
@json_option
def parse(formula: str, terms: str | None, as_json: bool) -> None:
    """Show how a formula (LaTeX without dollars, or MathML) is read: its trees, its MathML, what was not understood."""
    from porism.formula import (
        extract,
        layout_string,
        operator_string,
        operator_tree,
        parse_latex,
        parse_mathml,
        to_latex,
        to_mathml,
        to_unicode,
    )

    text = formula.strip()
    layout = parse_mathml(text) if text.startswith("<") else parse_latex(text.strip("$"))
    operators = operator_tree(layout)
    if terms is not None:
        found = extract(terms, layout, operators)
        if as_json:
            print_json(found)
        else:
            click.echo("\n".join(found))
        return
    facts = {
        "unicode": to_unicode(layout),
        "latex": to_latex(layout),
        "layout": layout_string(layout),
        "operators": operator_string(operators),
        "mathml": to_mathml(layout),
    }
    if as_json:
        problems = [{"position": problem.position, "what": problem.what} for problem in layout.problems]
        print_json({**facts, "problems": problems})
        return
    for name, value in facts.items():
        click.echo(f"{name:<10} {value}")
    for problem in layout.problems:
        click.echo(f"character {problem.position}: {problem.what}", err=True)
