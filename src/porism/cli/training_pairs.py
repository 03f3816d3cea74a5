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
    from porism.lab.train.pairs.base import Pair
    from porism.lab.train.pairs.mining import Mined, MinerCounts
    from porism.search.index import Index

Function = TypeVar("Function", bound=Callable[..., Any])

_FILE = click.Path(path_type=Path, dir_okay=False)
WRITINGS = ("source", "latex", "unified", "prefix", "unicode", "spoken", "none")


def exclusion_options(function: Function) -> Function:
    """The options that say what must not be trained on."""
    for option in reversed((
        click.option("--exclude-topics", "topics", multiple=True, type=_FILE, metavar="FILE",
                     help="Topics whose texts, and what nearly repeats them, are left out; repeatable."),
        click.option("--exclude-ids", "ids", multiple=True, type=_FILE, metavar="FILE",
                     help="Documents that are left out, by ids in the first column, with what nearly repeats them."),
        click.option("--overlap", type=float, default=0.6, show_default=True, metavar="SHARE",
                     help="From which overlap on a text repeats another one."),
    )):
        function = option(function)
    return function


def mining_options(function: Function) -> Function:
    """The options that say which pairs are mined and how they are written."""
    for option in reversed((
        click.option("--miner", "miners", multiple=True, metavar="NAME[:SETTING=VALUE;...]",
                     help="A miner of pairs; repeatable. Without one, those that fit the collection."),
        exclusion_options,
        click.option("--most", type=click.IntRange(min=1), default=None, show_default="all", metavar="N",
                     help="How many pairs of each miner are kept at most."),
        click.option("--formulas", type=click.Choice(WRITINGS), default="source", show_default=True,
                     help="How formulas are written for the model."),
        click.option("--seed", type=int, default=1, show_default=True, help="Other numbers draw other pairs."),
    )):
        function = option(function)
    return function


def negative_options(function: Function) -> Function:
    """The options that say which negatives pairs get."""
    for option in reversed((
        click.option("--negatives", "source", type=click.Choice(["search", "tags", "model"]), default=None,
                     help="Add hard negatives: from a search, of the same tags, or from the encoder --scorer."),
        click.option("--negative-count", "negatives", type=click.IntRange(min=1), default=1, show_default=True,
                     help="Negatives of a pair."),
        click.option("--negative-depth", "depth", type=int, default=50, show_default=True,
                     help="Candidates that negatives are chosen from."),
        click.option("--negative-skip", "skip", type=int, default=0, show_default=True,
                     help="How many of the best candidates are left out."),
        click.option("--negative-draw", "draw", is_flag=True,
                     help="Draw negatives from the candidates, where otherwise the best ones are taken."),
        click.option("--search-model", default="default", show_default=True, metavar="NAME|FILE.toml",
                     help="The model of the search for negatives."),
        click.option("--scorer", default=None, metavar="NAME|DIR",
                     help="An encoder or cross-encoder; candidates that score as high as the positive are left out."),
        click.option("--margin", "score_margin", type=float, default=0.05, show_default=True, metavar="SHARE",
                     help="By which share a candidate must score less than the positive."),
        click.option("--teacher", default=None, metavar="NAME|DIR",
                     help="An encoder or cross-encoder that scores positives and negatives, for --loss margin-mse."),
    )):
        function = option(function)
    return function


def with_negatives(index: Index, pairs: list[Pair], given: dict[str, Any], quiet: bool) -> list[Pair]:
    """The pairs with the negatives and scores that the options ask for."""
    from porism.analysis.model_text import ModelText
    from porism.lab.train.negatives import IndexSearch, Negatives, add_negatives, add_scores

    if given["source"] is not None:
        from porism.lab.train.pairs.exclusion import exclusion
        from porism.search.models.models import read_model

        settings = Negatives(
            given["source"], given["negatives"], given["depth"], given["skip"], given["draw"],
            given["score_margin"], given["overlap"], seed=given["seed"],
        )
        text = ModelText(formulas=given["formulas"])
        exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
        encode = score = None
        if given["scorer"] is not None:
            from porism.lab.train.scorers import open_encode, open_score

            if settings.source == "model":
                encode = open_encode(given["scorer"], index.snapshot.path)
            else:
                score = open_score(given["scorer"], index.snapshot.path)
        searcher = IndexSearch(index.with_models(read_model(given["search_model"])))
        with counting_progress("negatives", quiet) as progress:
            pairs, counts = add_negatives(
                pairs, index.documents, settings, text, searcher=searcher, encode=encode, score=score,
                exclude=exclude, on_progress=progress,
            )
        if not quiet:
            echo(
                f"negatives: {counted(counts.with_negatives, 'pair')} with, {counts.without:,} without; left out "
                f"{counts.known:,} known, {counts.repeats:,} repeated, {counts.too_good:,} too good, "
                f"{counts.excluded:,} excluded"
            )
    if given["teacher"] is not None:
        from porism.lab.train.scorers import open_score

        pairs = add_scores(pairs, open_score(given["teacher"], index.snapshot.path))
    return pairs


def mine(index: Index, given: dict[str, Any], quiet: bool) -> Mined:
    """The pairs that the options ask for."""
    from porism.analysis.model_text import ModelText
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.lab.train.pairs.mining import mine_pairs
    from porism.lab.train.pairs.registry import parse_miner, usual_miners

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
@negative_options
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def pairs(file: Path, index_path: Path, quiet: bool, **given: Any) -> None:
    """Mine training pairs from the documents of an index and write them to FILE, one a line."""
    from porism.lab.train.pairs.files import write_pairs
    from porism.search.index import open_index

    with open_index(index_path) as index:
        mined = mine(index, given, quiet)
        if not quiet:
            echo_counts(mined.counts)
        found = with_negatives(index, mined.pairs, given, quiet)
    count = write_pairs(file, found)
    if not quiet:
        echo(f"{counted(count, 'pair')}: {file}")
