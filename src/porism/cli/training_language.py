"""``porism train language-model``: further pretraining on the documents of an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.cli.training_pairs import WRITINGS, exclusion_options
from porism.cli.training_summary import echo_training
from porism.errors import counted


@click.command("language-model")
@click.argument("name")
@index_option
@click.option("--from", "model", required=True, metavar="NAME|DIR",
              help="The model that is trained further, by its folder, package, or name on the hub.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="The folder of the model; in the folder of the index if not given.")
@click.option("--objective", type=click.Choice(["mlm", "mlm-nsp"]), default="mlm", show_default=True,
              help="Masked tokens of packed text, or these and which sentence follows.")
@click.option("--formulas", type=click.Choice(WRITINGS), default="source", show_default=True,
              help="How formulas are written for the model.")
@exclusion_options
@click.option("--length", type=int, default=256, show_default=True, help="Tokens of a sequence.")
@click.option("--masked", type=float, default=0.15, show_default=True, metavar="SHARE", help="Tokens to be found.")
@click.option("--short", type=float, default=0.1, show_default=True, metavar="SHARE",
              help="Pairs of sentences that are shorter than they could be.")
@click.option("--held-out", type=float, default=0.05, show_default=True, metavar="SHARE",
              help="Documents that perplexity is measured on, and that are not trained on.")
@click.option("--epochs", type=int, default=1, show_default=True, help="How often each sequence is read.")
@click.option("--steps", type=int, default=None, show_default="all", help="Ends the training earlier.")
@click.option("--batch", type=int, default=32, show_default=True, help="Sequences of a batch.")
@click.option("--part", type=int, default=None, show_default="all", help="Sequences of a batch in memory at once.")
@click.option("--accumulate", type=int, default=1, show_default=True, help="Batches of a step.")
@click.option("--rate", type=float, default=5e-5, show_default=True, help="The highest learning rate.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), default="auto",
              show_default=True, help="Numbers that training computes with.")
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="auto, cpu, cuda, cuda:1, …")
@click.option("--seed", type=int, default=1, show_default=True, help="Other numbers train other models.")
@click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def language_model(
    name: str, index_path: Path, model: str, output: Path | None, formulas: Any, topics: tuple[Path, ...],
    ids: tuple[Path, ...], overlap: float, device: str, restart: bool, quiet: bool, **given: Any,
) -> None:
    """Train a language model further on the documents of an index, and keep it there as NAME.

    An encoder begins with it: porism train encoder --from NAME. After an interruption the same command goes on where it
    was. It needs torch and transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.language.settings import LanguageTraining
    from porism.lab.train.language.training import train_language_model
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index
    from porism.system.files.artifacts import MODELS

    target = output if output is not None else index_path / MODELS.folder / MODELS.check_name(name)
    settings, text = LanguageTraining(**given), ModelText(formulas=formulas)
    with open_index(index_path) as index, counting_progress("training", quiet) as progress:
        report = train_language_model(
            index.documents, encoder_folder(model, index_path), target, settings, text=text,
            exclude=exclusion(topics, ids, index.documents, text, overlap), device=device, restart=restart,
            on_progress=progress, on_note=lambda note: echo(note, err=True),
        )
    done: list[str] = []
    if report.after is not None:
        done.append(f"perplexity {report.before.perplexity:,.2f} to {report.after.perplexity:,.2f}: {target}")
        if report.before.following is not None and report.after.following is not None:
            done.append(f"following sentences known: {report.before.following:.3f} to {report.after.following:.3f}")
    echo_training(
        report, quiet, f"; {counted(report.tokens, 'token')} in {counted(report.sequences, 'sequence')} of "
        f"{counted(report.documents, 'document')}", *done,
    )
