"""``porism search``: ask an index."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.options import filter_option, index_option, json_option, model_option, open_with_model, print_json

MATCHED_HITS = 100
"""For at most so many hits a list of formulas marks what matches."""


@click.command()
@click.argument("question")
@index_option
@click.option("--formulas", is_flag=True, help="Find formulas, not documents: QUESTION is LaTeX or MathML.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results.")
@filter_option
@json_option
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--show", type=click.Choice(["unicode", "latex"]), default="unicode", show_default=True,
              help="How to show formulas.")
@model_option
def search(
    question: str, index_path: Path, formulas: bool, k: int, filters: tuple[str, ...], as_json: bool, explain: bool,
    show: str, model_name: str,
) -> None:
    """Find documents by words and formulas: porism search 'why does $\\sum 1/n^2$ converge?'

    Formulas stand between dollars. With --json, prints one array of objects with rank, id, score, title, snippet
    (matches between <mark> and </mark>) and metadata; with --explain each also has its explanation, and how formulas of
    the document match those of the question.

    With --formulas the results are formulas, each with the places where it stands; with --json, objects with rank,
    score, key, latex, text, mathml, documents and places, and with --explain a match.
    """
    if formulas:
        _search_formulas(question, index_path, k, filters, as_json, explain, show, model_name)
    else:
        _search_documents(question, index_path, k, filters, as_json, explain, show, model_name)


def _search_documents(
    question: str, index_path: Path, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    model_name: str,
) -> None:
    from porism.cli.render import print_hits
    from porism.searching import filters_from_strings, make_query

    with open_with_model(index_path, model_name, formulas=False) as index:
        query, chosen = make_query(question), filters_from_strings(filters)
        hits = index.search(query, k, filters=chosen, formulas=show)  # type: ignore[arg-type]
        explanations = {
            hit.id: index.explain(query, hit.id, k=k, filters=chosen) for hit in hits
        } if explain else {}
        matches = {hit.id: index.matches(query, hit.id) for hit in hits} if explain else {}
    if as_json:
        from porism.highlighting import MatchView

        print_json([
            hit.to_dict() if not explain else {
                **hit.to_dict(), "explanation": explanations[hit.id].to_dict(),
                "matches": [MatchView(match).to_dict() for match in matches[hit.id]],
            }
            for hit in hits
        ])
        return
    print_hits(hits, explanations, matches)


def _search_formulas(
    question: str, index_path: Path, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    model_name: str,
) -> None:
    from porism.cli.formula_render import print_formula_hits
    from porism.cli.progress import one_line
    from porism.searching import filters_from_strings

    with open_with_model(index_path, model_name, formulas=True) as index:
        hits = index.search_formulas(
            question, k, filters=filters_from_strings(filters),
            explain=explain or (not as_json and k <= MATCHED_HITS),
            on_problem=lambda problem: click.echo(one_line(problem), err=True),
        )
    if as_json:
        print_json([hit.to_dict() for hit in hits])
    else:
        print_formula_hits(hits, explain, show)
