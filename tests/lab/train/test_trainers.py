"""A training of a few lines has all that trainings share: parts of batches, checkpoints, interruptions, a report."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import need_models

from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings

need_models()
pytest.importorskip("accelerate", reason="training needs it: pip install 'porism[neural]'")

import torch  # noqa: E402

from porism.lab.train.checkpoints import Checkpoints, check_target, fingerprint  # noqa: E402
from porism.lab.train.trainers import Batch, Epochs, TrainerReport, make_trainer, run_trainer, shuffled  # noqa: E402

SETTINGS = TrainerSettings(epochs=3, batch=8, learning_rate=0.3, precision="float32")
INPUTS = np.random.default_rng(1).normal(size=(24, 3)).astype(np.float32)
TARGETS = INPUTS @ np.array([1.0, -2.0, 0.5], np.float32)
WEIGHTS = np.arange(1, 25, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReport(TrainerReport):
    rows: int


def collate(rows: Any) -> Batch:
    return {name: torch.tensor(np.array([row[name] for row in rows])) for name in rows[0]}


def squares(model: Any, batch: Batch) -> Any:
    """The mean squared error of rows that count differently."""
    error = (model(batch["input"]).squeeze(1) - batch["target"]) ** 2
    return (error * batch["weight"]).sum() / batch["weight"].sum()


def total_weight(batch: Batch) -> float:
    return float(batch["weight"].sum())


def train(
    target: Path, settings: TrainerSettings = SETTINGS, *, loss: Any = squares, weight: Any = total_weight,
    on_progress: Callable[[int, int], None] = lambda done, total: None, notes: list[str] | None = None,
) -> tuple[LineReport, Any]:
    started = time.monotonic()
    check_target(target)
    torch.manual_seed(5)
    network = torch.nn.Linear(3, 1)
    order = shuffled(len(INPUTS), settings)
    with Checkpoints.of(target, fingerprint(settings, TARGETS.tolist())) as checkpoints:
        trainer = make_trainer(
            network, Epochs(order, lambda number, place: {
                "input": INPUTS[number], "target": TARGETS[number], "weight": WEIGHTS[number]
            }), collate, loss, settings, device=torch.device("cpu"), folder=checkpoints.folder,
            on_warning=(notes if notes is not None else []).append, weight=weight,
        )
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress)
        report = LineReport(rows=len(INPUTS), **outcome.reported(target, started))
        if not outcome.interrupted:
            checkpoints.publish(
                target, lambda folder: torch.save(network.state_dict(), folder / "line.pt"), report.to_dict()
            )
    return report, network.weight.detach().numpy().copy()


def test_a_trained_model_appears_whole_with_its_report(tmp_path: Path) -> None:
    report, weights = train(tmp_path / "line")
    assert (report.path, report.rows, report.steps, report.total, report.resumed) == (tmp_path / "line", 24, 9, 9, 0)
    assert report.last_loss < report.first_loss / 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["line"]
    written = json.loads((tmp_path / "line" / "training.json").read_bytes())
    assert written == {
        "rows": 24, "steps": 9, "first_loss": report.first_loss, "last_loss": report.last_loss,
        "seconds": report.seconds,
    }
    assert np.array_equal(torch.load(tmp_path / "line" / "line.pt")["weight"].numpy(), weights)


@every_case("accumulate", [1, 2])
@every_case("part", [1, 3, 8, 20])
def test_parts_add_up_to_their_batch(tmp_path: Path, part: int, accumulate: int) -> None:
    settings = replace(SETTINGS, accumulate=accumulate)
    whole, weights = train(tmp_path / "whole", settings)
    report, others = train(tmp_path / "parts", replace(settings, micro_batch=part))
    assert (report.first_loss, report.last_loss) == pytest.approx((whole.first_loss, whole.last_loss), rel=1e-4)
    np.testing.assert_allclose(others, weights, atol=1e-5)


def test_parts_of_another_weight_than_the_loss_has_do_not_add_up(tmp_path: Path) -> None:
    _, weights = train(tmp_path / "whole", weight=None)
    _, others = train(tmp_path / "parts", replace(SETTINGS, micro_batch=3), weight=None)
    assert np.abs(weights - others).max() > 1e-3


def test_without_memory_parts_become_smaller_and_nothing_else_changes(tmp_path: Path) -> None:
    def limited(model: Any, batch: Batch) -> Any:
        if len(batch["target"]) > 2:
            raise RuntimeError("CUDA out of memory")
        return squares(model, batch)

    notes: list[str] = []
    _, weights = train(tmp_path / "whole")
    _, others = train(tmp_path / "parts", loss=limited, notes=notes)
    np.testing.assert_allclose(others, weights, atol=1e-5)
    assert notes == [
        f"Memory ran out with {rows} rows at once; training goes on with {rows // 2}." for rows in (8, 4)
    ]


def test_other_errors_end_a_training_and_free_its_folder(tmp_path: Path) -> None:
    def broken(model: Any, batch: Batch) -> Any:
        raise RuntimeError("shapes do not fit")

    with pytest.raises(RuntimeError, match="shapes do not fit"):
        train(tmp_path / "line", loss=broken)
    assert not (tmp_path / "line").exists()
    assert train(tmp_path / "line")[0].steps == 9


def test_an_interrupted_training_goes_on_as_it_would_have(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 4:
            os.kill(os.getpid(), signal.SIGINT)

    stopped, _ = train(tmp_path / "line", on_progress=interrupt)
    assert (stopped.interrupted, stopped.steps, (tmp_path / "line").exists()) == (True, 4, False)
    report, weights = train(tmp_path / "line")
    assert (report.interrupted, report.resumed, report.steps) == (False, 4, 9)
    assert np.array_equal(weights, train(tmp_path / "whole")[1])


def test_steps_end_a_training(tmp_path: Path) -> None:
    report, _ = train(tmp_path / "line", replace(SETTINGS, steps=2))
    assert (report.steps, report.total) == (2, 2)


def test_each_epoch_has_all_examples_in_another_order() -> None:
    order = shuffled(50, SETTINGS).reshape(3, 50)
    assert [sorted(epoch) for epoch in order.tolist()] == [list(range(50))] * 3
    assert len({tuple(epoch) for epoch in order.tolist()}) == 3
    assert np.array_equal(order.ravel(), shuffled(50, SETTINGS))
    epochs = Epochs(np.array([2, 0, 2]), lambda number, place: (number, place))
    assert (len(epochs), [epochs[place] for place in range(3)]) == (3, [(2, 0), (0, 1), (2, 2)])


@every_case(("given", "message"), [
    ({"epochs": 0}, "epochs cannot be 0"),
    ({"steps": 0}, "steps cannot be 0"),
    ({"micro_batch": 0}, "micro_batch cannot be 0"),
    ({"accumulate": 0}, "accumulate cannot be 0"),
    ({"batch": 0}, "batch cannot be 0"),
    ({"batch": 1}, "batches of 1 have nothing to compare with"),
    ({"learning_rate": 0.0}, "a learning rate is above 0, not 0 Try 5e-05."),
    ({"decay": -0.1}, "decay is 0 or more, not -0.1 Try 0.01."),
    ({"warmup": 1.0}, "warmup is a share from 0 to below 1, not 1 Try 0.1."),
    ({"precision": "int8"}, "precision cannot be 'int8'"),
])
def test_settings_out_of_their_range(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainerSettings(**given).check_trainer(min_batch=2)
    assert message in " ".join(filter(None, (caught.value.what, caught.value.hint)))


def accepted(min_batch: int = 1, **given: Any) -> bool:
    try:
        TrainerSettings(**given).check_trainer(min_batch=min_batch)
    except ConfigError:
        return False
    return True


@every_case("border", [
    {"epochs": 1}, {"steps": 1}, {"micro_batch": 1}, {"accumulate": 1}, {"batch": 1}, {"decay": 0}, {"warmup": 0},
])
def test_the_border_of_a_range_is_accepted_and_what_is_below_is_not(border: dict[str, int]) -> None:
    below = {name: value - 1 for name, value in border.items()}
    assert (accepted(**border), accepted(**below)) == (True, False)


def test_a_trainer_that_compares_needs_two_in_a_batch() -> None:
    assert (accepted(2, batch=2), accepted(2, batch=1)) == (True, False)
