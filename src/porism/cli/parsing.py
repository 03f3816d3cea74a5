"""``porism parse``: how Porism reads a formula."""

from __future__ import annotations

import click

from porism.cli.options import json_option, print_json
from porism.cli.terminal import echo


@click.command()
@click.argument("formula")
@click.option("--terms", metavar="CHANNEL", help="Print only the terms of a channel, one a line.")
@click.option("--tokenizer", "tokenizer_path", type=click.Path(dir_okay=False), metavar="FILE",
              help="Print only the tokens of a tokenizer, one a line.")
@json_option
def parse(formula: str, terms: str | None, tokenizer_path: str | None, as_json: bool) -> None:
    """Show how a formula is read: its layout tree, its operator tree, its MathML, and its unparsed parts.

    FORMULA is LaTeX without dollars, or MathML.
    """
    from porism.analysis.analyzer import AnalysisConfig, Analyzer
    from porism.analysis.channels import parse_channel
    from porism.formula import (
        extract,
        layout_string,
        notation_of,
        operator_string,
        operator_tree,
        parse_latex,
        parse_mathml,
        to_latex,
        to_mathml,
        to_unicode,
    )
    from porism.types import Content, Formula

    text = formula.strip()
    notation = notation_of(text)
    layout = parse_mathml(text) if notation == "mathml" else parse_latex(text.strip("$"))
    operators = operator_tree(layout)
    if terms is not None or tokenizer_path is not None:
        if tokenizer_path is not None:
            from porism.analysis.tokenizers.tokenizer import load_tokenizer

            extracted = load_tokenizer(tokenizer_path).formula_terms(layout)
        elif parse_channel(str(terms)).reads == "text":
            content = Content.of(Formula(layout.source, notation))
            extracted = Analyzer(AnalysisConfig((str(terms),), ())).content_terms(content)[str(terms)]
        else:
            extracted = extract(str(terms), layout, operators)
        if as_json:
            print_json(extracted)
        else:
            echo("\n".join(extracted))
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
        echo(f"{name:<10} {value}")
    for problem in layout.problems:
        echo(f"character {problem.position}: {problem.what}", err=True)
