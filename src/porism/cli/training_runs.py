"""What commands that train neural models share: their options, where the model goes, and what they print at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from porism.cli.options import all_options, device_option, index_option, quiet_option
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.lab.train.trainers import TrainerReport

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

restart_option = click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before.")
pairs_option = click.option(
    "--pairs", "files", multiple=True, type=FILE, metavar="FILE",
    help="Pairs to train on; repeatable. Without, they are mined from the index.",
)
formulas_option = click.option(
    "--formulas", type=click.Choice(("source", "latex", "unified", "prefix", "unicode", "spoken", "none")),
    default="source", show_default=True, help="How formulas are written for the model.",
)


def base_option(text: str, default: str | None = None) -> Callable[[Function], Function]:
    """``--from NAME|DIR``: the model that training begins with."""
    return click.option(
        "--from", "model", required=default is None, default=default, show_default=True, metavar="NAME|DIR", help=text
    )


def training_options(
    settings: Any, *more: Callable[[Any], Any], omit: Iterable[str] = (), names: dict[str, str] | None = None
) -> Callable[[Function], Function]:
    """The argument and options of a command that trains a model by a dataclass of settings.

    :param more: options of this command; they come first.
    :param omit: settings that are not options, and ``names``: options that are not called as their setting.
    """
    from porism.lab.train.settings import FORMER_NAMES

    former = {new: f"--{old}" for old, new in FORMER_NAMES.items()}
    return all_options(
        click.argument("name"),
        index_option,
        settings_options(settings, omit={"warmup", "decay", *omit}, names=names, former=former),
        *more,
        click.option("--output", type=FOLDER, metavar="DIR",
                     help="The folder of the model; in the folder of the index if not given."),
        device_option, restart_option, quiet_option,
    )


@dataclass(frozen=True)
class TrainingRun:
    """Where a model is written, and how its training runs."""

    target: Path
    device: str
    restart: bool
    quiet: bool

    @classmethod
    def of(
        cls, name: str, index_path: Path, output: Path | None, device: str, restart: bool, quiet: bool
    ) -> TrainingRun:
        """That of the options of a command.

        :raises ConfigError: a model cannot have this name, or something else is in its place.
        """
        from porism.lab.train.checkpoints import check_target
        from porism.system.files.artifacts import MODELS

        target = output if output is not None else index_path / MODELS.folder / MODELS.check_name(name)
        check_target(target)
        return cls(target, device, restart, quiet)

    def options(self, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
        """What a function that trains is called with."""
        return {
            "device": self.device, "restart": self.restart, "on_progress": on_progress,
            "on_warning": lambda warning: echo(warning, err=True),
        }


def echo_training(report: TrainerReport, quiet: bool, details: str, *done: str) -> None:
    """Prints how a training went, and exits with 130 where it was interrupted.

    :param details: what follows the number of steps, with what separates it.
    :param done: lines on the model; after an interruption how to go on stands in their place.
    """
    if not quiet:
        stopped = "Stopped. " if report.interrupted else ""
        before = f", {report.resumed:,} of them before" if report.resumed else ""
        steps = f"{report.steps:,} of {pluralise(report.total, 'step')}"
        echo(f"{stopped}{steps}{before}{details}; {report.seconds:.1f} s")
        for line in ("Run the same command to go on.",) if report.interrupted else done:
            echo(line)
    if report.interrupted:
        raise click.exceptions.Exit(130)


def losses(report: TrainerReport) -> str:
    """The mean loss of the first steps and of the last ones."""
    return f"loss {report.first_loss:.3f} to {report.last_loss:.3f}"
