"""Training an encoder of formulas: from the formulas of an index to the folder of a model."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.extras import need
from porism.files.durable import make_folder, storage_errors
from porism.neural.formula_encoder import FormulaEncoder, FormulaModelFile, save_formula_encoder
from porism.neural.formula_nodes import NodeRows, node_batch
from porism.neural.loading import EXTRA, choose_device, load_torch, load_transformers
from porism.settings import write_settings
from porism.train.checkpoints import Checkpoints, check_target, publish_folder, write_report
from porism.train.formulas.examples import FormulaExample, FormulaExamples, digest_examples, formula_examples
from porism.train.formulas.network import PURPOSE, contrastive_loss, make_network, weights_of
from porism.train.formulas.settings import FormulaTraining
from porism.train.trainers import (
    CHECKPOINT_SECONDS,
    OnNote,
    OnProgress,
    guarded,
    mean_losses,
    precision_arguments,
    run_trainer,
)

_WINDOW = 16
"""So many batches are drawn together, and each gets formulas of about the same length."""


class Told(NamedTuple):
    """How well an encoder tells formulas that were held out: the share of those whose equal formula is the nearest
    among the equal ones of all (``found``), and is nearer than one that is nearly equal (``apart``)."""

    found: float
    apart: float


@dataclass(frozen=True, slots=True)
class FormulaReport:
    """What was trained: the folder, how many ``formulas`` have variants, how many were ``excluded`` as those of topics
    and how many have no variants (``alone``); steps done of how many, how many of them before this start; the mean loss
    of the first and last steps; how well formulas were told ``before`` and ``after``; the seconds of this start, and
    whether it was interrupted: then there is no folder yet, and the same call goes on."""

    path: Path
    formulas: int
    excluded: int
    alone: int
    steps: int
    total: int
    resumed: int
    first_loss: float
    last_loss: float
    before: Told | None
    after: Told | None
    seconds: float
    interrupted: bool

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return {
            "formulas": self.formulas, "excluded": self.excluded, "alone": self.alone, "steps": self.steps,
            "first_loss": self.first_loss, "last_loss": self.last_loss,
            "before": self.before and self.before._asdict(), "after": self.after and self.after._asdict(),
            "seconds": self.seconds,
        }


def train_formula_encoder(
    index_path: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: FormulaTraining | None = None,
    *,
    topics: Sequence[Path] = (),
    jobs: int | None = None,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_reading: Callable[[int, int], None] = lambda done, total: None,
    on_progress: OnProgress = lambda done, total: None,
    on_note: OnNote = lambda note: None,
) -> FormulaReport:
    """Trains an encoder on the formulas of an index and variants of them, and saves it as a folder.

    Interruptions, memory and losses are treated as by :func:`porism.train.encoder.training.train_encoder`.

    :param topics: files of topics, whose formulas are not trained on.
    :param jobs: processes that make variants; all processors by default.
    :param on_reading: receives of how many formulas variants were made, of how many.
    :raises ConfigError: the index has too few formulas, the loss is not finite, or the folder is there and is no
        trained model.
    :raises MissingExtra: torch, transformers or accelerate is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or FormulaTraining()
    started = time.monotonic()
    load_torch(PURPOSE)
    target = Path(folder)
    check_target(target)
    where = choose_device(device)
    made = formula_examples(index_path, settings, topics=topics, jobs=jobs, on_progress=on_reading)
    trained, held_out = _split(made.examples, settings)
    make_folder(target.parent)
    checkpoints = Checkpoints(
        target.with_name(f"{target.name}.training"), _fingerprint(made, settings), restart=restart
    )
    try:
        network = make_network(settings.network, len(made.vocabulary), settings.seed)
        before = _told(made, settings, network, held_out)
        trainer = _trainer(network.to(where), trained, settings, where, checkpoints.folder, on_note)
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        first, last = mean_losses(outcome.losses)
        after = None if outcome.interrupted else _told(made, settings, network, held_out)
        report = FormulaReport(
            target, len(made.examples), made.excluded, made.alone, outcome.steps, outcome.total, outcome.resumed, first,
            last, before, after, time.monotonic() - started, outcome.interrupted,
        )
        if not outcome.interrupted:
            folder_made = checkpoints.folder / "made"
            with storage_errors(target):
                if folder_made.exists():
                    shutil.rmtree(folder_made)
            make_folder(folder_made)
            save_formula_encoder(folder_made, settings.network, made.vocabulary, weights_of(network))
            write_report(folder_made, {"settings": write_settings(settings), **report.to_dict()})
            publish_folder(folder_made, target)
    except BaseException:
        checkpoints.close()
        raise
    checkpoints.close(remove=not report.interrupted)
    return report


def _split(
    examples: Sequence[FormulaExample], settings: FormulaTraining
) -> tuple[list[FormulaExample], list[FormulaExample]]:
    """The examples that are trained on, and those that are held out: a tenth at most."""
    order = np.random.default_rng(settings.seed).permutation(len(examples)).tolist()
    count = min(settings.held_out, len(examples) // 10)
    return [examples[number] for number in sorted(order[count:])], [examples[number] for number in order[:count]]


def _fingerprint(made: FormulaExamples, settings: FormulaTraining) -> str:
    whole = xxhash.xxh3_128(digest_examples(made.examples).encode())
    whole.update(orjson.dumps([write_settings(settings), list(made.vocabulary.labels)], option=orjson.OPT_SORT_KEYS))
    return whole.hexdigest()


def _told(
    made: FormulaExamples, settings: FormulaTraining, network: Any, held_out: Sequence[FormulaExample]
) -> Told | None:
    """How well the network tells the held out formulas; None where there are none."""
    if not held_out:
        return None
    about = FormulaModelFile("formula-encoder", settings.network, made.vocabulary.labels, "")
    encoder = FormulaEncoder(about, weights_of(network))
    formulas = encoder.encode_rows([one.formula for one in held_out])
    equal = encoder.encode_rows([one.equal[0] for one in held_out])
    cosines = formulas @ equal.T
    own = cosines.diagonal()
    groups = [set(one.groups) for one in held_out]
    for one, mine in enumerate(groups):
        for other, theirs in enumerate(groups):
            if one != other and mine & theirs:
                cosines[one, other] = -1
    with_other = [number for number, one in enumerate(held_out) if one.different]
    different = encoder.encode_rows([held_out[number].different[0] for number in with_other])
    near = (formulas[with_other] * different).sum(axis=1)
    apart = float((own[with_other] > near).mean()) if with_other else 1.0
    return Told(float((own >= cosines.max(axis=1)).mean()), apart)


class _Formulas:
    """The examples of all epochs in the order in which a trainer reads them, each with an equal and a different one.

    Order and choices depend on the seed and the place alone, so that an interrupted training goes on as it would have.
    """

    def __init__(self, examples: Sequence[FormulaExample], settings: FormulaTraining) -> None:
        self._examples, self._settings = examples, settings
        draw = np.random.default_rng(settings.seed)
        lengths = np.array([example.formula.size for example in examples])
        self._order = np.concatenate([
            _epoch(lengths, settings.batch, draw) for _ in range(settings.epochs)
        ])

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: int) -> tuple[FormulaExample, NodeRows, NodeRows | None]:
        example = self._examples[self._order[place]]
        draw = np.random.default_rng((self._settings.seed, place))
        equal = example.equal[draw.integers(len(example.equal))]
        if draw.random() < self._settings.identical:
            equal = example.formula
        different = example.different[draw.integers(len(example.different))] if example.different else None
        return example, equal, different


def _epoch(lengths: NDArray[np.int64], batch: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of all examples by chance, so that those of a batch have about the same length."""
    order = draw.permutation(len(lengths))
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), batch * _WINDOW):
        some = order[start : start + batch * _WINDOW]
        some = some[np.argsort(lengths[some], kind="stable")]
        batches += [some[first : first + batch] for first in range(0, len(some), batch)]
    full = [one for one in batches if len(one) == batch]  # a shorter one would move the borders of those after it
    rest = [one for one in batches if len(one) < batch]
    return np.concatenate([*(full[number] for number in draw.permutation(len(full)).tolist()), *rest])


def _collate(items: Sequence[tuple[FormulaExample, NodeRows, NodeRows | None]]) -> dict[str, Any]:
    """A batch: the nodes of formulas, of equal ones and of different ones, and which of the batch are equal."""
    torch = load_torch(PURPOSE)
    found: dict[str, Any] = {}
    sides = {
        "formula": [example.formula for example, _, _ in items],
        "equal": [equal for _, equal, _ in items],
        "different": [example.formula if other is None else other for example, _, other in items],
    }
    for name, rows in sides.items():
        batch = node_batch(rows)
        found[f"{name}_features"] = torch.from_numpy(np.ascontiguousarray(batch.features.transpose(1, 0, 2)))
        found[f"{name}_relations"] = torch.from_numpy(batch.relations)
        found[f"{name}_mask"] = torch.from_numpy(batch.mask)
    found["has_different"] = torch.tensor([other is not None for _, _, other in items])
    members: dict[int, list[int]] = {}
    for number, (example, _, _) in enumerate(items):
        for group in example.groups:
            members.setdefault(group, []).append(number)
    same = np.zeros((len(items), len(items)), np.bool_)
    for numbers in members.values():
        same[np.ix_(numbers, numbers)] = True
    np.fill_diagonal(same, False)
    found["same"] = torch.from_numpy(same)
    return found


def _trainer(
    network: Any, examples: Sequence[FormulaExample], settings: FormulaTraining, device: Any, folder: Path,
    on_note: OnNote,
) -> Any:
    transformers = load_transformers(PURPOSE)
    need("accelerate", EXTRA, PURPOSE)
    torch = load_torch(PURPOSE)

    class FormulaTrainer(guarded(transformers.Trainer, on_note)):  # type: ignore[misc]
        share = 1.0

        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)

        def part_step(self, model: Any, inputs: Any, num_items_in_batch: Any) -> Any:
            rows = self.batch_rows(inputs)
            if self.part is None or self.part >= rows:
                return super().part_step(model, inputs, num_items_in_batch)
            total: Any = 0.0
            for start in range(0, rows, self.part):
                stop = min(start + self.part, rows)
                some = {name: value[start:stop] for name, value in inputs.items()}
                some["same"] = some["same"][:, start:stop]
                self.share = (stop - start) / rows
                total = total + super().part_step(model, some, num_items_in_batch)
            self.share = 1.0
            return total

        def compute_loss(self, model: Any, inputs: Any, *given: Any, **named: Any) -> Any:
            formula, equal, different = (
                model(*(inputs[f"{side}_{part}"] for part in ("features", "relations", "mask")))
                for side in ("formula", "equal", "different")
            )
            return self.share * contrastive_loss(
                formula, equal, different, inputs["has_different"], inputs["same"], settings.temperature, settings.hard
            )

    arguments = transformers.TrainingArguments(
        output_dir=str(folder), num_train_epochs=1, max_steps=settings.steps or -1,
        per_device_train_batch_size=settings.batch, gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.rate, warmup_steps=settings.warmup, weight_decay=settings.decay,
        lr_scheduler_type="linear", seed=settings.seed, data_seed=settings.seed, save_strategy="no",
        eval_strategy="no", logging_strategy="no", report_to="none", disable_tqdm=True, remove_unused_columns=False,
        **precision_arguments(settings.precision, device),
    )
    torch.manual_seed(settings.seed)
    trainer = FormulaTrainer(
        model=network, args=arguments, train_dataset=_Formulas(examples, settings), data_collator=_collate,
    )
    trainer.model_accepts_loss_kwargs = False  # the loss above is a mean, which accumulation has to divide
    trainer.part = settings.part
    return trainer
