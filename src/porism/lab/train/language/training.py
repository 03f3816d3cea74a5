"""Training a language model further on the documents of a collection, with its perplexity before and after."""

from __future__ import annotations

import inspect
import math
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.extras import need
from porism.lab.train.checkpoints import Checkpoints, check_target, fingerprint
from porism.lab.train.guarded import OnWarning
from porism.lab.train.language.examples import IGNORED, PURPOSE, Reading
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.pairs.exclusion import Exclusion
from porism.lab.train.trainers import (
    CHECKPOINT_SECONDS,
    Epochs,
    OnProgress,
    TrainerReport,
    check_length,
    make_trainer,
    run_trainer,
    shuffled,
)
from porism.settings import write_settings
from porism.types import Document
from porism.vectors.neural.encoder_settings import EncoderSettings, write_encoder_settings
from porism.vectors.neural.loading import (
    AS_FLOAT32,
    EXTRA,
    choose_device,
    load_tokenizer,
    load_torch,
    load_transformers,
    loading,
)
from porism.vectors.neural.networks import positions_of


@dataclass(frozen=True, slots=True)
class Measured:
    """What a language model is worth on text that is held out: its perplexity over masked tokens, and the share of
    pairs of which it knows whether they follow one another. The share is None where it does not learn that."""

    perplexity: float
    following: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageReport(TrainerReport):
    """What was trained, and on how many documents, sequences and tokens; the measures before and after."""

    documents: int
    sequences: int
    tokens: int
    before: Measured
    after: Measured | None


def train_language_model(
    documents: Iterable[Document],
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: LanguageTraining | None = None,
    *,
    text: ModelText | None = None,
    exclude: Exclusion | None = None,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_progress: OnProgress = lambda done, total: None,
    on_warning: OnWarning = lambda warning: None,
) -> LanguageReport:
    """Trains the language model in the folder ``model`` further, and saves it as a folder that transformers opens.

    Interruptions, memory and losses are treated as by :func:`porism.lab.train.encoder.training.train_encoder`.

    :param text: how documents are written for the model.
    :param exclude: what neither is trained on nor measures perplexity, such as topics.
    :raises ConfigError: the model does not find masked tokens, does not learn the objective or reads fewer tokens. Or
        there is too little text, the loss is not finite, or the folder is not that of a trained model.
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
        on_warning("The model comes without what predicts tokens, which begins at random; give it enough text.")
    reading = Reading(load_tokenizer(model, PURPOSE), settings)
    read = reading.sentences(documents if exclude is None else exclude.without(documents, text), text)
    examples = reading.examples(read, held_out=False)
    measured = reading.measured(reading.examples(read, held_out=True), settings.batch)
    rows = ([list(example.first), list(example.second), example.follows] for example in examples)
    identity = fingerprint(settings, chain([os.path.abspath(model)], rows))
    with Checkpoints.of(target, identity, restart=restart) as checkpoints:
        before = measure(network, measured)
        trainer = make_trainer(
            network,
            Epochs(shuffled(len(examples), settings), lambda number, place: reading.masked(examples[number], place)),
            reading.collate, lambda model, batch: model(**batch).loss, settings, device=where,
            folder=checkpoints.folder, on_warning=on_warning,
            weight=lambda batch: int((batch["labels"] != IGNORED).sum()),
        )
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        report = LanguageReport(
            documents=len(read), sequences=len(examples), before=before,
            tokens=sum(len(example.first) + len(example.second) for example in examples),
            after=None if outcome.interrupted else measure(network, measured), **outcome.reported(target, started),
        )
        if not outcome.interrupted:
            def write(folder: Path) -> None:
                network.save_pretrained(folder)
                reading.tokenizer.save_pretrained(folder)
                write_encoder_settings(folder, EncoderSettings(text=text, trained_on=(settings.objective,)))

            checkpoints.publish(
                target, write, {"from": os.fspath(model), "settings": write_settings(settings), **report.to_dict()}
            )
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
            wanted = labels != IGNORED
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
            network, told = kind.from_pretrained(
                os.fspath(model), output_loading_info=True, local_files_only=True, **AS_FLOAT32
            )
    finally:
        logging.set_verbosity(level)
    if pairs and "next_sentence_label" not in inspect.signature(network.forward).parameters:
        raise ConfigError(
            f"a model of the kind {network.config.model_type} does not learn which sentence follows", where=str(model),
            hint="Use the objective mlm, or a BERT.",
        )
    check_length(settings.length, positions_of(network), model)
    return network.to(device), any("predictions" in key or "lm_head" in key for key in told["missing_keys"])


