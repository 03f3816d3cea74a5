"""``porism train formula-encoder`` and ``tangent-cft``: vectors of formulas."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import click

from porism.cli.encoding import encode_and_report
from porism.cli.options import index_option, quiet_option
from porism.cli.progress import counting_progress, phase_progress
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.cli.training_runs import TrainingRun, echo_training, losses, training_options
from porism.errors import pluralise
from porism.lab.train.formulas.settings import FormulaTraining
from porism.vectors.embeddings.settings import FastText
from porism.vectors.formula_vectors.tangent_cft import TRAINING
from porism.vectors.neural.formula_encoder import FormulaNetwork


@click.command("formula-encoder")
@training_options(
    FormulaTraining,
    settings_options(FormulaNetwork, into="network"),
    click.option("--topics", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False),
                 metavar="FILE", help="Topics whose formulas are not trained on; repeatable."),
    click.option("--jobs", type=int, default=None, help="Processes that make variants; all processors by default."),
    omit=("network",),
)
def formula_encoder(
    name: str, index_path: Path, settings: FormulaTraining, network: FormulaNetwork, topics: tuple[Path, ...],
    jobs: int | None, output: Path | None, device: str, restart: bool, quiet: bool,
) -> None:
    """Learn vectors of formulas from the formulas of an index, and keep the model there as NAME.

    Formulas that mean the same (renamed, reordered, written differently, or of one value) shall be near to each other,
    and nearer than some that nearly are the same. After an interruption the same command goes on where it was. It
    needs torch and transformers (pip install 'porism[neural]'); searching by the vectors does not need torch.
    """
    from porism.lab.train.formulas.training import train_formula_encoder

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    with phase_progress(("variants", "training"), quiet) as (reading, training):
        report = train_formula_encoder(
            index_path, run.target, replace(settings, network=network), topics=topics, jobs=jobs, on_reading=reading,
            **run.options(training),
        )
    done = [f"{losses(report)}: {run.target}"]
    if report.before is not None and report.after is not None:
        done.append(
            f"of formulas held out, the equal one is nearest to {report.before.found:.3f} before and "
            f"{report.after.found:.3f} after, and nearer than a nearly equal one to {report.before.apart:.3f} and "
            f"{report.after.apart:.3f}"
        )
    echo_training(
        report, quiet, f"; {pluralise(report.formulas, 'formula')} with variants, {report.alone:,} without, "
        f"{report.excluded:,} excluded", *done,
    )
    if output is None:
        encode_and_report(index_path, str(run.target), quiet, name=name)


@click.command()
@index_option
@settings_options(TRAINING, only=("dimensions", "window", "epochs", "negative", "min_n", "max_n", "seed", "workers"))
@quiet_option
def tangent_cft(index_path: Path, settings: FastText, quiet: bool) -> None:
    """Learn vectors of formulas from the formulas of an index, and keep them in its folder.

    Tangent-CFT is fastText over the tuples of both trees of a formula. Training needs gensim
    (pip install 'porism[embeddings]'); searching by the vectors does not.
    """
    from porism.vectors.formula_vectors.tangent_cft import train_tangent_cft

    started = time.monotonic()
    with counting_progress("training", quiet) as progress:
        path = train_tangent_cft(index_path, settings, on_progress=progress)
    if not quiet:
        size = path.stat().st_size / 1e6
        echo(f"trained in {time.monotonic() - started:.1f} s: {path} ({size:.1f} MB)")
