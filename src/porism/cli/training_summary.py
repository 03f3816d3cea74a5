"""What commands that train neural models print at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.lab.train.trainers import TrainingReport


def echo_training(report: TrainingReport, quiet: bool, details: str, *done: str) -> None:
    """Prints how a training went, and exits with 130 where it was interrupted.

    :param details: what follows the number of steps, with what separates it.
    :param done: lines on the model; after an interruption how to go on stands in their place.
    """
    if not quiet:
        stopped = "Stopped. " if report.interrupted else ""
        before = f", {report.resumed:,} of them before" if report.resumed else ""
        steps = f"{report.steps:,} of {counted(report.total, 'step')}"
        echo(f"{stopped}{steps}{before}{details}; {report.seconds:.1f} s")
        for line in ("Run the same command to go on.",) if report.interrupted else done:
            echo(line)
    if report.interrupted:
        raise click.exceptions.Exit(130)


def losses(report: TrainingReport) -> str:
    """The mean loss of the first steps and of the last ones."""
    return f"loss {report.first_loss:.3f} to {report.last_loss:.3f}"
