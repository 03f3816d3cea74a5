"""``porism search``: ask an index."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.options import filter_option, index_option, json_option, print_json


@click.command()
@click.argument("question")
@index_option
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results.")
@filter_option
@json_option
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--show", type=click.Choice(["unicode", "latex"]), default="unicode", show_default=True,
              help="How to show formulas.")
def search(
    question: str, index_path: Path, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str
) -> None:
    """Find documents by words and formulas: porism search 'why does $\\sum 1/n^2$ converge?'

    Formulas stand between dollars. With --json, prints one array of objects with rank, id, score, title, snippet
    (matches between <mark> and </mark>) and metadata; with --explain each also has its explanation.
    """
    from porism.cli.render import print_hits
    from porism.searching import filters_from_strings, make_query, open_index

    with open_index(index_path) as index:
        query = make_query(question)
        hits = index.search(
            query, k, filters=filters_from_strings(filters), formulas=show,  # type: ignore[arg-type]
        )
        explanations = {hit.id: index.explain(query, hit.id) for hit in hits} if explain else {}
    if as_json:
        print_json([
            {**hit.to_dict(), **({"explanation": explanations[hit.id].to_dict()} if explain else {})} for hit in hits
        ])
        return
    print_hits(hits, explanations)
