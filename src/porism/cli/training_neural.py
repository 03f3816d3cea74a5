"""``porism train decontextualised``, vectors of terms from a transformer, and ``extended``, one with new tokens."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.options import device_option, index_option, quiet_option
from porism.cli.progress import counting_progress
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.cli.training_runs import restart_option
from porism.errors import pluralise
from porism.vectors.embeddings.decontextual import Decontextualised


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
