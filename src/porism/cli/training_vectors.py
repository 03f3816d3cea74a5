"""``porism train word2vec``, ``fasttext`` and ``positional``, and ``porism neighbours``: vectors of terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from porism.cli.options import cluster_option, index_option, json_option, print_json
from porism.cli.progress import phase_progress
from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.vectors.embeddings import Word2Vec

Function = TypeVar("Function", bound=Callable[..., Any])

_SKIP_GRAM = click.option("--skip-gram", is_flag=True, help="Learn contexts from terms instead of terms from contexts.")


def _training_options(kept: str) -> Callable[[Function], Function]:
    """The arguments and options that all methods have; ``kept`` is the default of ``--kept``."""
    options = [
        click.argument("name"),
        index_option,
        click.option("--channel", required=True, help="The channel whose terms get vectors, e.g. words or tokens."),
        click.option("--preset", metavar="NAME",
                     help="Settings that a published system was trained with: mirmu2021-scm (fasttext), scm2022 "
                          "(word2vec), scm2022-positional. Options that you give replace them."),
        click.option("--dimensions", type=int, default=300, show_default=True, help="Numbers of a vector."),
        click.option("--window", type=int, default=5, show_default=True,
                     help="Terms on either side of a term that it is learnt from."),
        click.option("--epochs", type=int, default=5, show_default=True, help="How often each text is read."),
        click.option("--negative", type=int, default=5, show_default=True, help="Negative samples for each term."),
        click.option("--min-count", type=int, default=5, show_default=True, help="Terms that are rarer are left out."),
        click.option("--sample", type=float, default=1e-4, show_default=True,
                     help="Terms with a larger share of the texts are read less often; 0: never less."),
        click.option("--rate", type=float, default=0.05, show_default=True,
                     help="The learning rate of the beginning; it falls linearly."),
        click.option("--phrases", type=int, default=0, show_default=True,
                     help="How often neighbouring terms are joined to phrases for training."),
        click.option("--kept", type=click.Choice(["average", "input", "output"]), default=kept, show_default=True,
                     help="The vectors that are kept: input, output, or the mean of both."),
        click.option("--seed", type=int, default=1, show_default=True, help="Other numbers give other vectors."),
        click.option("--workers", type=int, default=1, show_default=True,
                     help="Threads; with more than one, no two trainings give the same vectors."),
        click.option("--jobs", type=int, default=None,
                     help="Processes that read the documents; all processors by default."),
        cluster_option,
        click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before."),
        click.option("--quiet", is_flag=True, help="No progress bar and no summary."),
    ]

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.command()
@_training_options("average")
@_SKIP_GRAM
def word2vec(**given: Any) -> None:
    """Learn vectors of the terms of a channel by word2vec, and keep them in the index as NAME.

    After an interruption, the same command continues after the last complete epoch. It needs gensim
    (pip install 'porism[embeddings]').
    """
    from porism.vectors.embeddings import Word2Vec

    _train(Word2Vec, given)


@click.command()
@_training_options("input")
@_SKIP_GRAM
@click.option("--min-n", type=int, default=3, show_default=True, help="The shortest n-grams of a term.")
@click.option("--max-n", type=int, default=6, show_default=True, help="The longest n-grams of a term.")
@click.option("--buckets", type=int, default=0, show_default="one for each n-gram",
              help="Vectors that the n-grams share.")
def fasttext(**given: Any) -> None:
    """Learn vectors of the terms of a channel by fastText, and keep them in the index as NAME.

    Rare terms get the mean of their n-grams, so all terms of the channel have vectors. Interrupted, the same command
    goes on after the last whole epoch. It needs gensim (pip install 'porism[embeddings]').
    """
    from porism.vectors.embeddings import FastText

    _train(FastText, given)


@click.command()
@_training_options("average")
@click.option("--positional", type=int, default=60, show_default=True,
              help="Features that depend on the position of a term in the context.")
@click.option("--initial", type=click.Choice(["product", "ones"]), default="product", show_default=True,
              help="How the weights of positions begin: at random, or at 1.")
def positional(**given: Any) -> None:
    """Learn vectors by word2vec with constrained positional weighting, and keep them in the index as NAME.

    After an interruption, the same command continues after the last complete epoch.
    """
    from porism.vectors.embeddings import Positional

    _train(Positional, given)


def _train(method: type[Word2Vec], given: dict[str, Any]) -> None:
    from porism.system.concurrency.clusters import connected
    from porism.vectors.embeddings import train_token_vectors

    index_path: Path = given.pop("index_path")
    name, channel, jobs, restart, quiet = (given.pop(key) for key in ("name", "channel", "jobs", "restart", "quiet"))
    cluster = given.pop("cluster")
    preset = given.pop("preset")
    if preset is not None:
        from click.core import ParameterSource

        from porism.vectors.embeddings.presets import preset_settings

        context = click.get_current_context()
        given |= {
            option: value for option, value in preset_settings(preset, method.method).items()
            if context.get_parameter_source(option) in (ParameterSource.DEFAULT, None)
        }
    settings = method(**given)
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
        f"{counted(report.terms, 'vector')} from {counted(report.tokens, 'term')} in {counted(report.texts, 'text')}, "
        f"{report.seconds:.1f} s: {report.path} ({size:.1f} MB)"
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

    found = open_token_vectors(index_path, name).nearest(term, k)
    if as_json:
        print_json([{"term": one.term, "cosine": one.cosine} for one in found])
        return
    for one in found:
        echo(f"{one.cosine:6.3f}  {one.term}")
