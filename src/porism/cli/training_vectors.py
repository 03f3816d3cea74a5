"""``porism train word2vec``, ``fasttext`` and ``positional``, and ``porism neighbours``: vectors of terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from porism.analysis.tokenizers.training import BpeSettings
from porism.cli.options import (
    all_options,
    cluster_option,
    device_option,
    index_option,
    json_option,
    print_json,
    quiet_option,
)
from porism.cli.progress import ProblemLog, counting_progress, phase_progress
from porism.cli.settings_options import given_settings, settings_options
from porism.cli.terminal import echo
from porism.cli.training_runs import restart_option
from porism.errors import pluralise
from porism.vectors.embeddings.decontextual import Decontextualised
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


@click.command()
@click.argument("name")
@index_option
@click.option("--channel", required=True, help="The channel whose terms get vectors, e.g. words or tokens.")
@click.option("--model", required=True, metavar="NAME|DIR",
              help="A model of Hugging Face, by its name on the hub or its folder.")
@settings_options(Decontextualised)
@click.option("--batch", type=int, default=8192, show_default=True, help="Tokens that the model reads at once.")
@device_option
@restart_option
@quiet_option
def decontextualised(
    name: str, index_path: Path, channel: str, model: str, settings: Decontextualised, batch: int, device: str,
    restart: bool, quiet: bool,
) -> None:
    """Average what a transformer makes of each term, in all its places in the documents of an index.

    The vectors are kept in the folder of the index under NAME. Needs torch and transformers
    (pip install 'porism[neural]'); using the vectors does not. Ctrl-C keeps what was read; run it again to go on.
    """
    from porism.vectors.embeddings.decontextual_training import train_decontextualised

    with counting_progress("reading", quiet) as progress:
        report = train_decontextualised(
            index_path, name, channel, model, settings, device=device, batch=batch, restart=restart,
            on_progress=progress,
        )
    if not quiet:
        before = f", {report.resumed:,} of them before" if report.resumed else ""
        echo(
            f"{'Stopped. ' if report.interrupted else ''}{pluralise(report.texts, 'text')} read{before}, "
            f"{pluralise(report.tokens, 'token')}; {report.seconds:.1f} s"
        )
        if report.interrupted:
            echo("Run the same command to go on.")
        else:
            missing = f", {report.missing:,} without one" if report.missing else ""
            echo(f"{pluralise(report.terms, 'term')} with a vector{missing}: {report.path}")
    if report.interrupted:
        raise click.exceptions.Exit(130)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--model", required=True, metavar="NAME|DIR",
              help="The model that is extended, by its name on the hub or its folder.")
@click.option("--tokenizer", "tokenizer_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="A tokenizer of LaTeX whose tokens are added, as porism train tokenizer writes it.")
@click.option("--token", "tokens", multiple=True, metavar="TOKEN", help="A token that is added.")
@click.option("--marks/--no-marks", default=True, show_default=True, help="Whether to add [MATH] and [/MATH].")
@click.option("--initial", type=click.Choice(["mean", "random"]), default="mean", show_default=True,
              help="How embeddings of new tokens begin: as the mean of what they were read as before, or at random.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other numbers give other random embeddings.")
@click.option("--quiet", is_flag=True, help="No summary.")
def extended(
    folder: Path, model: str, tokenizer_path: Path | None, tokens: tuple[str, ...], marks: bool, initial: str,
    seed: int, quiet: bool,
) -> None:
    """Extend a transformer and its tokenizer by tokens of LaTeX, and save both in FOLDER, which transformers opens.

    Old tokens keep their numbers and embeddings, and text without formulas is read as before. The new embeddings are
    a beginning: train the model on texts with formulas before you use it.
    """
    from porism.analysis.tokenizers.tokenizer import load_tokenizer
    from porism.vectors.neural.extension import extend_model, latex_tokens

    wanted = [*tokens, *(latex_tokens(load_tokenizer(tokenizer_path)) if tokenizer_path else ())]
    extension = extend_model(
        model, wanted, folder, marks=marks, initial=initial, seed=seed,  # type: ignore[arg-type]  # click has checked it
    )
    if not quiet:
        first, last = extension.first, extension.first + len(extension.tokens) - 1
        echo(
            f"{pluralise(len(extension.tokens), 'token')} added ({first:,} to {last:,}), "
            f"{extension.left_out:,} left out: {folder}"
        )


@click.command("tokenizer")
@click.argument("name")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@settings_options(BpeSettings)
@click.option("--vocabulary", type=click.IntRange(min=1), metavar="N",
              help="How many tokens there are at most, in place of --merges: bytes, marks and merges.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The file to write; NAME.json if not given.")
@quiet_option
def tokenizer(
    name: str, sources: tuple[str, ...], index_path: Path, settings: BpeSettings, vocabulary: int | None,
    output: Path | None, quiet: bool,
) -> None:
    """Learn how to split LaTeX, text, or both into tokens, and write it to a file.

    It is learnt from the documents of an index, or of files and folders if there are any SOURCEs. The file is used by
    porism index --tokenizer NAME=FILE. It needs the library tokenizers (pip install 'porism[embeddings]').
    """
    import time

    from porism.search.tokenizing import train_tokenizer
    from porism.system.files.artifacts import TOKENIZERS

    TOKENIZERS.check_name(name)
    if vocabulary is not None:
        settings = settings.of_vocabulary(vocabulary)
    path = output or Path(f"{name}.json")
    log = ProblemLog()
    started = time.monotonic()
    with counting_progress("reading", quiet) as progress:
        trained = train_tokenizer(
            path, sources=sources, index=index_path, settings=settings, on_problem=log,
            on_progress=lambda done, total: progress(done, total or done),
        )
    if not quiet:
        log.close()
        echo(
            f"{pluralise(len(trained), 'token')} learnt from {pluralise(trained.info['documents'], 'document')} in "
            f"{time.monotonic() - started:.1f} s: {path}"
        )
        echo(f"Use it: porism index SOURCE --tokenizer {name}={path} --index DIR")
