"""What commands that train print at the end, and how they exit."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from porism.cli.training_runs import echo_training, losses
from porism.lab.train.trainers import TrainerReport


def report(*, resumed: int = 0, steps: int = 1_200, interrupted: bool = False) -> TrainerReport:
    return TrainerReport(
        path=Path("model"), steps=steps, total=1_200, resumed=resumed, first_loss=2.0, last_loss=0.12345, seconds=3.21,
        interrupted=interrupted,
    )


def test_a_finished_training(capsys: pytest.CaptureFixture[str]) -> None:
    echo_training(report(), False, f", {losses(report())}", "9 pairs: model", "more")
    assert capsys.readouterr().out == (
        "1,200 of 1,200 steps, loss 2.000 to 0.123; 3.2 s\n9 pairs: model\nmore\n"
    )


def test_one_that_went_on(capsys: pytest.CaptureFixture[str]) -> None:
    echo_training(report(resumed=1_000), False, "; 5 tokens")
    assert capsys.readouterr().out == "1,200 of 1,200 steps, 1,000 of them before; 5 tokens; 3.2 s\n"


def test_an_interrupted_one_says_how_to_go_on_and_exits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.exceptions.Exit) as stopped:
        echo_training(report(steps=7, interrupted=True), False, "", "9 pairs: model")
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().out == "Stopped. 7 of 1,200 steps; 3.2 s\nRun the same command to go on.\n"


def test_a_quiet_one_prints_nothing_and_exits_alike(capsys: pytest.CaptureFixture[str]) -> None:
    echo_training(report(), True, "", "9 pairs: model")
    with pytest.raises(click.exceptions.Exit) as stopped:
        echo_training(report(interrupted=True), True, "")
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().out == ""
