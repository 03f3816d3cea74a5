"""``porism train language-model``: further pretraining on the documents of an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.progress import counting_progress
from porism.cli.training_pairs import exclusion_options
from porism.cli.training_runs import TrainingRun, base_option, echo_training, formulas_option, training_options
from porism.errors import pluralise
from porism.lab.train.language.settings import LanguageTraining


@click.command("language-model")
@training_options(
    LanguageTraining,
    base_option("The model that is trained further, by its folder, package, or name on the hub."),
    formulas_option, exclusion_options,
)
def language_model(
    name: str, index_path: Path, settings: LanguageTraining, model: str, formulas: Any, topics: tuple[Path, ...],
    ids: tuple[Path, ...], overlap: float, output: Path | None, device: str, restart: bool, quiet: bool,
) -> None:
    """Train a language model further on the documents of an index, and keep it there as NAME.

    An encoder begins with it: porism train encoder --from NAME. After an interruption the same command goes on where it
    was. It needs torch and transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.language.training import train_language_model
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    text = ModelText(formulas=formulas)
    with open_index(index_path) as index, counting_progress("training", quiet) as progress:
        report = train_language_model(
            index.documents, encoder_folder(model, index_path), run.target, settings, text=text,
            exclude=exclusion(topics, ids, index.documents, text, overlap), **run.options(progress),
        )
    done: list[str] = []
    if report.after is not None:
        done.append(f"perplexity {report.before.perplexity:,.2f} to {report.after.perplexity:,.2f}: {run.target}")
        if report.before.following is not None and report.after.following is not None:
            done.append(f"following sentences known: {report.before.following:.3f} to {report.after.following:.3f}")
    echo_training(
        report, quiet, f"; {pluralise(report.tokens, 'token')} in {pluralise(report.sequences, 'sequence')} of "
        f"{pluralise(report.documents, 'document')}", *done,
    )
