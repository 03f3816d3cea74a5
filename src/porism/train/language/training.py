"""Training a language model further on the documents of a collection, with its perplexity before and after."""

from __future__ import annotations

import inspect
import math
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import xxhash

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.extras import need
from porism.files.durable import make_folder, storage_errors
from porism.neural.encoder_settings import EncoderSettings, write_encoder_settings
from porism.neural.loading import EXTRA, choose_device, load_tokenizer, load_torch, load_transformers, loading
from porism.settings import write_settings
from porism.train.checkpoints import Checkpoints, check_target, publish_folder, write_report
from porism.train.language.examples import PURPOSE, Reading
from porism.train.language.sequences import Example
from porism.train.language.settings import LanguageTraining
from porism.train.trainers import (
    CHECKPOINT_SECONDS,
    OnNote,
    OnProgress,
    guarded,
    mean_losses,
    precision_arguments,
    run_trainer,
)
from porism.types import Document


@dataclass(frozen=True, slots=True)
class Measured:
    """What a language model is worth on text that is held out: its perplexity over masked tokens, and the share of
    pairs of which it knows whether they follow one another, None where it does not learn that."""

    perplexity: float
    following: float | None = None


@dataclass(frozen=True, slots=True)
class LanguageReport:
    """What was trained: the folder, how many documents, sequences and tokens, steps done of how many, how many of them
    before this start, the mean loss of the first and last steps, the measures before and after, the seconds of this
    start, and whether it was interrupted: then there is no folder yet, and the same call goes on."""

    path: Path
    documents: int
    sequences: int
    tokens: int
    steps: int
    total: int
    resumed: int
    first_loss: float
    last_loss: float
    before: Measured
    after: Measured | None
    seconds: float
    interrupted: bool


def train_language_model(
    documents: Iterable[Document],
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: LanguageTraining | None = None,
    *,
    text: ModelText | None = None,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_progress: OnProgress = lambda done, total: None,
    on_note: OnNote = lambda note: None,
) -> LanguageReport:
    """Trains the language model in the folder ``model`` further, and saves it as a folder that transformers opens.

    Interruptions, memory and losses are treated as by :func:`porism.train.encoder.training.train_encoder`.

    :param text: how documents are written for the model.
    :raises ConfigError: the model is none of masked tokens, does not learn the objective or reads fewer tokens; there
        is too little text; the loss is not finite; or the folder is there and is no trained model.
    :raises MissingExtra: torch, transformers or accelerate is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings, text = settings or LanguageTraining(), text or ModelText()
    started = time.monotonic()
    target = Path(folder)
    check_target(target)
    where = choose_device(device)
    network, is_new = _open(model, settings, where)
    if is_new:
        on_note("The model comes without what predicts tokens, which begins at random; give it enough text.")
    reading = Reading(load_tokenizer(model, PURPOSE), settings)
    read = reading.sentences(documents, text)
    examples = reading.examples(read, held_out=False)
    measured = reading.measured(reading.examples(read, held_out=True), settings.batch)
    tokens = sum(len(one.first) + len(one.second) for one in examples)
    make_folder(target.parent)
    fingerprint = _fingerprint(examples, model, settings)
    checkpoints = Checkpoints(target.with_name(f"{target.name}.training"), fingerprint, restart=restart)
    try:
        before = measure(network, measured)
        trainer = _trainer(network, examples, reading, settings, where, checkpoints.folder, on_note)
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        first, last = mean_losses(outcome.losses)
        after = None if outcome.interrupted else measure(network, measured)
        report = LanguageReport(
            target, len(read), len(examples), tokens, outcome.steps, outcome.total, outcome.resumed, first, last,
            before, after, time.monotonic() - started, outcome.interrupted,
        )
        if after is not None:
            made = checkpoints.folder / "made"
            with storage_errors(target):
                if made.exists():
                    shutil.rmtree(made)
                network.save_pretrained(made)
                reading.tokenizer.save_pretrained(made)
            write_encoder_settings(made, EncoderSettings(text=text, trained_on=(settings.objective,)))
            write_report(made, {
                "from": os.fspath(model), "settings": write_settings(settings), "documents": len(read),
                "sequences": len(examples), "tokens": tokens, "steps": outcome.steps, "first_loss": first,
                "last_loss": last, "before": asdict(before), "after": asdict(after), "seconds": report.seconds,
            })
            publish_folder(made, target)
    except BaseException:
        checkpoints.close()
        raise
    checkpoints.close(remove=not report.interrupted)
    return report


def measure(network: Any, batches: Sequence[dict[str, Any]]) -> Measured:
    """Perplexity of a model over the masked tokens of batches, and how often it knows what follows."""
    torch = load_torch(PURPOSE)
    network.eval()
    loss = tokens = right = pairs = 0.0
    device = next(network.parameters()).device
    with torch.inference_mode():
        for batch in batches:
            given = {name: value.to(device) for name, value in batch.items()}
            labels, following = given.pop("labels"), given.pop("next_sentence_label", None)
            output = network(**given)
            logits = output.prediction_logits if following is not None else output.logits
            wanted = labels != -100
            loss += float(torch.nn.functional.cross_entropy(logits[wanted].float(), labels[wanted], reduction="sum"))
            tokens += int(wanted.sum())
            if following is not None:
                right += int((output.seq_relationship_logits.argmax(1) == following).sum())
                pairs += len(following)
    if not tokens:
        raise ConfigError("the text that is held out has no token to find", hint="Hold out a larger share.")
    return Measured(math.exp(min(loss / tokens, 700.0)), right / pairs if pairs else None)


def _open(model: str | os.PathLike[str], settings: LanguageTraining, device: Any) -> tuple[Any, bool]:
    """The model with what predicts tokens, and whether that is new."""
    transformers = load_transformers(PURPOSE)
    logging: Any = need("transformers.utils.logging", EXTRA, PURPOSE)
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    pairs = settings.objective == "mlm-nsp"
    kind = transformers.AutoModelForPreTraining if pairs else transformers.AutoModelForMaskedLM
    try:
        with loading(model, "language model"):
            network, told = kind.from_pretrained(os.fspath(model), output_loading_info=True, local_files_only=True)
    finally:
        logging.set_verbosity(level)
    if pairs and "next_sentence_label" not in inspect.signature(network.forward).parameters:
        raise ConfigError(
            f"a model of the kind {network.config.model_type} does not learn which sentence follows", where=str(model),
            hint="Use the objective mlm, or a BERT.",
        )
    positions = getattr(network.config, "max_position_embeddings", None)
    if positions is not None and settings.length > positions:
        raise ConfigError(
            f"the model reads {positions} tokens at most, not {settings.length}", where=str(model),
            hint="Use a smaller length.",
        )
    return network.to(device), any("predictions" in one or "lm_head" in one for one in told["missing_keys"])


def _fingerprint(examples: Sequence[Example], model: str | os.PathLike[str], settings: LanguageTraining) -> str:
    whole = xxhash.xxh3_128()
    whole.update(orjson.dumps([os.path.abspath(model), write_settings(settings)], option=orjson.OPT_SORT_KEYS))
    for one in examples:
        whole.update(orjson.dumps([list(one.first), list(one.second), one.follows]))
    return whole.hexdigest()


class _Sequences:
    """The sequences of all epochs in the order in which a trainer reads them, masked anew in each epoch.

    Order and masks depend on the seed and the place alone, so that an interrupted training goes on as it would have.
    """

    def __init__(self, examples: Sequence[Example], reading: Reading, epochs: int) -> None:
        self._examples, self._reading = examples, reading
        draw = np.random.default_rng(reading.settings.seed)
        self._order = np.concatenate([draw.permutation(len(examples)) for _ in range(epochs)])

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self._reading.masked(self._examples[self._order[place]], place)


def _trainer(
    network: Any, examples: Sequence[Example], reading: Reading, settings: LanguageTraining, device: Any, folder: Path,
    on_note: OnNote,
) -> Any:
    transformers = load_transformers(PURPOSE)
    need("accelerate", EXTRA, PURPOSE)
    torch = load_torch(PURPOSE)

    class LanguageTrainer(guarded(transformers.Trainer, on_note)):  # type: ignore[misc]
        share = 1.0

        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)

        def part_step(self, model: Any, inputs: Any, num_items_in_batch: Any) -> Any:
            rows = self.batch_rows(inputs)
            if self.part is None or self.part >= rows:
                return super().part_step(model, inputs, num_items_in_batch)
            total: Any = 0.0
            masked = max(1, int((inputs["labels"] != -100).sum()))
            for start in range(0, rows, self.part):
                some = {name: value[start : start + self.part] for name, value in inputs.items()}
                self.share = int((some["labels"] != -100).sum()) / masked
                if self.share:
                    total = total + super().part_step(model, some, num_items_in_batch)
            self.share = 1.0
            return total

        def compute_loss(self, model: Any, inputs: Any, *given: Any, **named: Any) -> Any:
            return model(**inputs).loss * self.share

    arguments = transformers.TrainingArguments(
        output_dir=str(folder), num_train_epochs=1, max_steps=settings.steps or -1,
        per_device_train_batch_size=settings.batch, gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.rate, warmup_steps=settings.warmup, weight_decay=settings.decay,
        lr_scheduler_type="linear", seed=settings.seed, data_seed=settings.seed, save_strategy="no",
        eval_strategy="no", logging_strategy="no", report_to="none", disable_tqdm=True, remove_unused_columns=False,
        **precision_arguments(settings.precision, device),
    )
    torch.manual_seed(settings.seed)
    trainer = LanguageTrainer(
        model=network, args=arguments, train_dataset=_Sequences(examples, reading, settings.epochs),
        data_collator=reading.collate,
    )
    trainer.model_accepts_loss_kwargs = False  # the loss above is a mean, which accumulation has to divide
    trainer.part = settings.part
    return trainer
