"""``porism show`` and ``porism duplicates``: a document with what it is related to, and what is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import (
    Indexes,
    folders,
    index_option,
    json_option,
    model_option,
    open_with_model,
    print_json,
    quiet_option,
    searched_indexes_option,
)
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.search.duplicates import DuplicateGroup
    from porism.search.locations import Location
    from porism.search.related import Relations

_BESIDE = frozenset(("title", "section", "labels", "tags"))
"""Fields that are not text of a document."""

MAX_TEXT = 300
"""A longer statement is cut where it is listed."""


@click.command()
@index_option
@click.option("--kind", "kinds", multiple=True, type=click.Choice(["formal", "informal", "formula"]),
              help="What is compared: statements of formal libraries, statements in words and formulas, or formulas by "
                   "their values; repeatable.  [default: all]")
@click.option("--min-size", type=click.IntRange(min=1), default=5, show_default=True,
              help="Leave out statements and formulas of fewer symbols and names.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True,
              help="How many groups are printed, the longest statements first.")
@json_option
@quiet_option
def duplicates(
    index_path: Path, kinds: tuple[str, ...], min_size: int, limit: int, as_json: bool, quiet: bool
) -> None:
    """List the statements and formulas that an index has more than once.

    Statements count as equal if they differ in nothing but names of variables, the order of hypotheses, and the
    direction of = and ↔; formulas, if they are written in different ways and have one value. JSON has the groups with
    the kind, the size, how many members there are, and the text, id, title and location of the first twenty; and the
    total number of groups.
    """
    from porism.index import Snapshot
    from porism.search.duplicates import DUPLICATE_KINDS, find_duplicates

    wanted = tuple(kind for kind in DUPLICATE_KINDS if not kinds or kind in kinds)
    with Snapshot.open(index_path) as snapshot, counting_progress("reading documents", quiet or as_json) as progress:
        found = find_duplicates(snapshot, kinds=wanted, min_size=min_size, limit=limit, on_progress=progress)
    if as_json:
        print_json(found.to_dict())
        return
    for group in found.groups:
        for line in _group_lines(group):
            echo(line)
    if not found.total:
        echo("No statement or formula is there twice.")
    elif found.total > len(found.groups):
        echo(f"{len(found.groups):,} of {found.total:,} groups; --limit shows more.")


def _group_lines(group: DuplicateGroup) -> Iterator[str]:
    yield f"{group.count:,} {group.kind}"
    for member in group.members:
        yield f"  {_named(member.title or member.id, member.location)}"
        yield f"    {_shortened(member.text)}"
    yield ""


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT].rstrip()} …"


@click.command()
@click.argument("name", metavar="ID")
@searched_indexes_option
@click.option("-k", type=click.IntRange(min=1), default=5, show_default=True,
              help="How many related documents of each kind are printed, and how many counterparts are searched for.")
@model_option
@json_option
def show(name: str, indexes: Indexes, k: int, model_name: str, as_json: bool) -> None:
    """Show a document, and what it is related to: porism show add_comm

    ID is that of a document, or the full name of a declaration. Of declarations it lists what they use, and what uses
    them, as far as the text tells; and counterparts: declarations for a document in words, and the other way round.
    """
    from porism.search.related import relations_of

    with open_with_model(folders(indexes), model_name, formulas=False) as index:
        relations = relations_of(index, name, k, listed=k)
    if as_json:
        print_json(relations.to_dict())
        return
    for line in _relation_lines(relations):
        echo(line)


def _relation_lines(relations: Relations) -> Iterator[str]:
    document = relations.document
    yield document.title
    if place := document.location.text(title=document.title):
        yield f"  {place}"
    for field, text in relations.text.items():
        if field not in _BESIDE:
            yield ""
            yield text
    for heading, related in (
        ("Its statement uses", relations.statement_uses), ("Its proof or value uses", relations.proof_uses),
        ("Used by", relations.used_by), ("Counterparts", relations.counterparts),
    ):
        if related.count:
            count = f"{related.count:,}{'' if related.complete else ' or more'}"
            yield ""
            yield f"{heading} ({count})"
            yield from (f"  {_named(other.title, other.location)}" for other in related.documents)


def _named(title: str, location: Location) -> str:
    return " · ".join(part for part in (title, location.place()) if part)
