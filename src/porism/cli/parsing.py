"""``porism parse``: how Porism reads a formula."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from porism.cli.options import json_option, print_json
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.formula import LayoutTree
    from porism.types import Notation


_NOTATIONS = ("latex", "mathml", "unicode", "asciimath", "typst", "lean", "spoken")


@click.command()
@click.argument("formula", required=False)
@click.option("--from", "notation", type=click.Choice(_NOTATIONS), help="The notation of FORMULA; else it is detected.")
@click.option("--to", "target", type=click.Choice(_NOTATIONS), help="Print only the formula in this notation.")
@click.option("--terms", metavar="CHANNEL", help="Print only the terms of a channel, one a line.")
@click.option("--tokenizer", "tokenizer_path", type=click.Path(dir_okay=False), metavar="FILE",
              help="Print only the tokens of a tokenizer, one a line.")
@click.option("--pdf", "pdf_path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Show what is read of a page of this PDF, instead of FORMULA.")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="The page of --pdf, from 1.")
@json_option
def parse(
    formula: str | None, notation: str | None, target: str | None, terms: str | None, tokenizer_path: str | None,
    pdf_path: Path | None, page: int, as_json: bool,
) -> None:
    """Show how a formula is read: its layout tree, its operator tree, its MathML, and its unparsed parts.

    FORMULA is LaTeX without dollars, MathML, or in a plain notation: Unicode, AsciiMath, Typst, a term of Lean,
    spoken English.
    """
    if pdf_path is not None:
        from porism.cli.parsing_pdf import show_page

        show_page(pdf_path, page, as_json)
        return
    if formula is None:
        raise click.UsageError("Missing argument 'FORMULA'.")
    from porism import formula as formulas
    from porism.analysis.analyzer import AnalysisConfig, Analyzer
    from porism.analysis.channels import parse_channel
    from porism.formula import (
        PLAIN_NOTATIONS,
        detect_notation,
        extract,
        layout_string,
        operator_string,
        operator_tree,
        to_latex,
        to_mathml,
        to_unicode,
    )
    from porism.types import Content, Formula

    text = formula.strip()
    if notation is None and text[:1] == text[-1:] == "$":
        notation = "latex"
    source = cast("Notation", notation) if notation is not None else detect_notation(text)
    layout = formulas.parse(text.strip("$") if source == "latex" else text, source)
    if target is not None:
        written = getattr(formulas, f"to_{target}")(layout)
        if as_json:
            print_json({target: written, "problems": _problems(layout)})
        else:
            echo(written)
            _show_problems(layout)
        return
    operators = operator_tree(layout)
    if terms is not None or tokenizer_path is not None:
        if tokenizer_path is not None:
            from porism.analysis.tokenizers.tokenizer import load_tokenizer

            extracted = load_tokenizer(tokenizer_path).formula_terms(layout)
        elif parse_channel(str(terms)).reads == "text":
            is_plain = source in PLAIN_NOTATIONS
            read = Formula(to_latex(layout)) if is_plain else Formula(layout.source, source)
            content = Content.of(read)
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
        print_json({**facts, "problems": _problems(layout)})
        return
    for name, value in facts.items():
        echo(f"{name:<10} {value}")
    _show_problems(layout)


def _problems(layout: LayoutTree) -> list[dict[str, object]]:
    return [{"position": problem.position, "what": problem.what} for problem in layout.problems]


def _show_problems(layout: LayoutTree) -> None:
    for problem in layout.problems:
        echo(f"character {problem.position}: {problem.what}", err=True)
