"""``porism pattern``: find statements by the form of their hypotheses and conclusions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from porism.cli.options import (
    Indexes,
    color_option,
    filter_option,
    folders,
    json_option,
    print_json,
    searched_indexes_option,
)
from porism.cli.progress import compile_once, one_line
from porism.cli.terminal import echo, echo_styled, style

if TYPE_CHECKING:
    from porism.search.patterns import PatternAnswer


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="PATTERN")
@searched_indexes_option
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results.")
@filter_option
@click.option("--directed", is_flag=True, help="The sides of = and ↔ do not change places.")
@json_option
@color_option
def pattern(
    words: tuple[str, ...], indexes: Indexes, k: int, filters: tuple[str, ...], directed: bool, as_json: bool
) -> None:
    """Find statements by their form: porism pattern '?a ⊔ (?b ⊓ ?c) = _'

    ?a stands for any expression, the same one wherever it occurs, and _ for any. Several conditions stand between
    commas. One may be a name that must occur in the statement (Real.sqrt), or a part of the name of the declaration
    ("comm"). Patterns are of the conclusion (⊢ ?a < ?b), of a hypothesis (?a < ?b ⊢), or of both (?a ≤ ?b → ?a < ?c),
    hypotheses in any order. They are written in Lean's notation, Unicode or LaTeX.

    All statements that match are counted, and the shortest are shown. With --json, prints an object with total,
    undecided, unchecked and hits.
    """
    from porism.cli.last_search import remember_search
    from porism.search.index import filters_from_strings, open_index
    from porism.search.patterns import PatternSearch

    question = " ".join(words)
    paths = folders(indexes)
    compile_once()
    with open_index(paths) as index:
        answer = PatternSearch(index.snapshot).search(
            question, k, symmetric=not directed, filters=filters_from_strings(filters),
            on_problem=lambda problem: echo(one_line(problem), err=True),
        )
    remember_search(paths, question, [hit.id for hit in answer.hits], lines={
        hit.id: hit.location.line for hit in answer.hits
    })  # fmt: skip
    if as_json:
        print_json(answer.to_dict())
    else:
        _print(answer)


def _print(answer: PatternAnswer) -> None:
    from porism.search.printable import one_printable_line

    if not answer.hits:
        echo("Nothing found: no statement has this form.")
    for hit in answer.hits:
        echo_styled(f"{hit.rank:>2}. {style(one_printable_line(hit.name), bold=True)}")
        echo_styled(f"    {style(one_printable_line(hit.location.text()), fg='cyan')}")
        echo(f"    {one_printable_line(hit.statement)}")
        echo()
    if answer.total > len(answer.hits):
        echo(f"{answer.total:,} statements match.")
    if answer.undecided:
        echo(f"{answer.undecided:,} statements were too large to be compared.", err=True)
    echo(f"Not checked: {'; '.join(answer.unchecked)}.", err=True)
