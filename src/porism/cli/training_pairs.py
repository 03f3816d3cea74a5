"""``porism train pairs``: texts that a retriever shall find by one another, mined from an index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.search.index import Index
    from porism.train.pairs.mining import Mined, MinerCounts

Function = TypeVar("Function", bound=Callable[..., Any])

_FILE = click.Path(path_type=Path, dir_okay=False)
WRITINGS = ("source", "latex", "unified", "prefix", "unicode", "spoken", "none")


def mining_options(function: Function) -> Function:
    """The options that say which pairs are mined and how they are written."""
    for option in reversed((
        click.option("--miner", "miners", multiple=True, metavar="NAME[:SETTING=VALUE;...]",
                     help="A miner of pairs; repeatable. Without one, those that fit the collection."),
        click.option("--exclude-topics", "topics", multiple=True, type=_FILE, metavar="FILE",
                     help="Topics whose texts, and what nearly repeats them, are left out; repeatable."),
        click.option("--exclude-ids", "ids", multiple=True, type=_FILE, metavar="FILE",
                     help="Documents that are left out, by ids in the first column, with what nearly repeats them."),
        click.option("--overlap", type=float, default=0.6, show_default=True, metavar="SHARE",
                     help="From which overlap on a text repeats another one."),
        click.option("--most", type=click.IntRange(min=1), default=None, show_default="all", metavar="N",
                     help="How many pairs of each miner are kept at most."),
        click.option("--formulas", type=click.Choice(WRITINGS), default="source", show_default=True,
                     help="How formulas are written for the model."),
        click.option("--seed", type=int, default=1, show_default=True, help="Other numbers draw other pairs."),
    )):
        function = option(function)
    return function


def mine(index: Index, given: dict[str, Any], quiet: bool) -> Mined:
    """The pairs that the options ask for."""
    from porism.analysis.model_text import ModelText
    from porism.train.pairs.exclusion import exclusion
    from porism.train.pairs.mining import mine_pairs
    from porism.train.pairs.registry import parse_miner, usual_miners

    text = ModelText(formulas=given["formulas"])
    miners = [parse_miner(written) for written in given["miners"]]
    chosen = bool(miners)
    if not miners:
        keys: set[str] = set()
        names: set[str] = set()
        for document in index.documents:
            keys.update(document.metadata)
            names.update(document.fields)
        miners = usual_miners(keys, names)
    exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
    with counting_progress("mining", quiet) as progress:
        return mine_pairs(
            index.documents, miners, text, exclude=exclude, most=given["most"], seed=given["seed"], strict=chosen,
            on_progress=progress,
        )


def echo_counts(counts: list[MinerCounts]) -> None:
    """A line for each miner."""
    for one in counts:
        left = {"excluded": one.excluded, "repeated": one.repeated, "more than wanted": one.surplus}
        told = "".join(f", {number:,} {why}" for why, number in left.items() if number)
        echo(f"{one.miner}: {counted(one.kept, 'pair')}{told}{f' ({one.reason})' if one.reason else ''}")


@click.command()
@click.argument("file", type=_FILE)
@index_option
@mining_options
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def pairs(file: Path, index_path: Path, quiet: bool, **given: Any) -> None:
    """Mine training pairs from the documents of an index and write them to FILE, one a line."""
    from porism.search.index import open_index
    from porism.train.pairs.files import write_pairs

    with open_index(index_path) as index:
        mined = mine(index, given, quiet)
    count = write_pairs(file, mined.pairs)
    if not quiet:
        echo_counts(mined.counts)
        echo(f"{counted(count, 'pair')}: {file}")
