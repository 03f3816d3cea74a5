"""``porism train word2vec``, ``fasttext`` and ``positional``, and ``porism neighbours``: vectors of terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from porism.cli.options import cluster_option, index_option, json_option, print_json, quiet_option
from porism.cli.progress import phase_progress
from porism.cli.settings_options import given_settings, settings_options
from porism.cli.terminal import echo
from porism.cli.training_runs import all_options, restart_option
from porism.errors import pluralise
from porism.vectors.embeddings.settings import FastText, Positional, Word2Vec

Function = TypeVar("Function", bound=Callable[..., Any])


def _training_options(method: type[Word2Vec], *omit: str) -> Callable[[Function], Function]:
    """The arguments and options that all methods have, and those of the method."""
    return all_options(
        click.argument("name"),
        index_option,
        click.option("--channel", required=True, help="The channel whose terms get vectors, e.g. words or tokens."),
        click.option("--preset", metavar="NAME",
                     help="Settings that a published system was trained with: mirmu2021-scm (fasttext), scm2022 "
                          "(word2vec), scm2022-positional. Options that you give replace them."),
        settings_options(method, omit=("last_rate", *omit)),
        click.option("--jobs", type=int, default=None,
                     help="Processes that read the documents; all processors by default."),
        cluster_option, restart_option, quiet_option,
    )


@click.command()
@_training_options(Word2Vec)
def word2vec(**given: Any) -> None:
    """Learn vectors of the terms of a channel by word2vec, and keep them in the index as NAME.

    After an interruption, the same command continues after the last complete epoch. It needs gensim
    (pip install 'porism[embeddings]').
    """
    _train(**given)


@click.command()
@_training_options(FastText)
def fasttext(**given: Any) -> None:
    """Learn vectors of the terms of a channel by fastText, and keep them in the index as NAME.

    Rare terms get the mean of their n-grams, so all terms of the channel have vectors. Interrupted, the same command
    goes on after the last whole epoch. It needs gensim (pip install 'porism[embeddings]').
    """
    _train(**given)


@click.command()
@_training_options(Positional, "skip_gram")
def positional(**given: Any) -> None:
    """Learn vectors by word2vec with constrained positional weighting, and keep them in the index as NAME.

    After an interruption, the same command continues after the last complete epoch.
    """
    _train(**given)


def _train(
    name: str, index_path: Path, channel: str, preset: str | None, settings: Word2Vec, jobs: int | None,
    cluster: str | None, restart: bool, quiet: bool,
) -> None:
    from porism.system.concurrency.clusters import connected
    from porism.vectors.embeddings import train_token_vectors
    from porism.vectors.embeddings.methods import preset_settings

    if preset is not None:
        settings = type(settings)(**preset_settings(preset, settings.method) | given_settings(settings))
    losses: list[float | None] = []
    with connected(cluster), phase_progress(("reading", "training"), quiet) as (reading, training):
        report = train_token_vectors(
            index_path, name, channel, settings, jobs=jobs, restart=restart, on_reading=reading,
            on_progress=training, on_epoch=lambda epoch, loss: losses.append(loss),
        )
    if quiet:
        return
    if report.resumed:
        echo(f"went on after epoch {report.resumed} of {settings.epochs}")
    shown = ", ".join(f"{loss:.3f}" for loss in losses if loss is not None)
    if shown:
        echo(f"mean loss of a term by epoch: {shown}")
    size = report.path.stat().st_size / 1e6
    echo(
        f"{pluralise(report.terms, 'vector')} from {pluralise(report.tokens, 'term')} in "
        f"{pluralise(report.texts, 'text')}, {report.seconds:.1f} s: {report.path} ({size:.1f} MB)"
    )


@click.command()
@click.argument("name")
@click.argument("term")
@index_option
@click.option("-k", type=int, default=10, show_default=True, help="How many neighbours.")
@json_option
def neighbours(name: str, term: str, index_path: Path, k: int, as_json: bool) -> None:
    """Show the terms whose vectors, of the embeddings NAME, lie nearest to that of TERM."""
    from porism.vectors.embeddings import open_token_vectors

    nearest = open_token_vectors(index_path, name).nearest(term, k)
    if as_json:
        print_json([{"term": neighbour.term, "cosine": neighbour.cosine} for neighbour in nearest])
        return
    for neighbour in nearest:
        echo(f"{neighbour.cosine:6.3f}  {neighbour.term}")
