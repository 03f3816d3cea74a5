"""Encoders learn their pairs, by every loss; what goes wrong is said, and an interruption loses nothing."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from long_forms import LONG_ONLY
from tiny_models import need_models

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.encoder.settings import EncoderTraining
from porism.vectors.neural.encoder_settings import read_encoder_settings

need_models()
pytest.importorskip("sentence_transformers", reason="training needs it: pip install 'porism[neural]'")
pytest.importorskip("datasets", reason="training needs it: pip install 'porism[neural]'")

from tiny_encoders import PAIRS, hits, save_encoder, word_tokenizer  # noqa: E402

from porism.lab.train.encoder.model import head_and_tail, open_encoder  # noqa: E402
from porism.lab.train.encoder.training import make_loss, train_encoder  # noqa: E402

SMALL = EncoderTraining(epochs=2, batch=12, learning_rate=1e-2, length=32, precision="float32")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("model") / "model")


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def same(one: Path, other: Path, tolerance: float = 0.0) -> bool:
    first, second = weights(one), weights(other)
    return all(float((first[name] - second[name]).abs().max()) <= tolerance for name in first)


def test_an_encoder_learns_its_pairs(model: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = train_encoder(
        PAIRS, model, tmp_path / "out", replace(SMALL, epochs=12, query_prefix="q: ", length=30, max_tokens=31),
        device="cpu", text=ModelText(formulas="unicode"), on_progress=lambda done, total: steps.append((done, total)),
    )
    assert hits(model) < 0.3
    assert hits(tmp_path / "out", "q: ") > 0.8
    assert report.last_loss < report.first_loss / 3
    assert (report.pairs, report.steps, report.resumed, report.interrupted) == (72, 72, 0, False)
    assert steps[-1] == (72, 72)
    settings = read_encoder_settings(tmp_path / "out")
    assert (settings.text.formulas, settings.query_prefix, settings.length) == ("unicode", "q: ", 31)
    assert settings.trained_on == ("titles",)
    assert json.loads((tmp_path / "out" / "training.json").read_text())["from"] == str(model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@LONG_ONLY
@pytest.mark.parametrize("changes", [
    {"loss": "triplet"}, {"loss": "margin-mse"}, {"matryoshka": (16, 4)}, {"micro_batch": 4}, {"symmetric": False},
    {"accumulate": 2}, {"pooling": "cls"}, {"cut": "head-tail", "length": 8}, {"precision": "bfloat16"},
    {"micro_batch": 4, "matryoshka": (16, 4)},
], ids=str)
def test_every_way_of_training_lowers_its_loss(model: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    report = train_encoder(PAIRS, model, tmp_path / "out", replace(SMALL, epochs=5, **changes), device="cpu")
    assert report.last_loss < 0.8 * report.first_loss
    assert not same(model, tmp_path / "out")


def test_cached_gradients_give_what_whole_batches_give(model: Path, tmp_path: Path) -> None:
    for name, part in (("whole", None), ("parts", 3)):
        settings = replace(SMALL, epochs=1, micro_batch=part, learning_rate=1e-3)
        train_encoder(PAIRS, model, tmp_path / name, settings, device="cpu")
    # Dropout draws other numbers for other parts, so only without it are both alike; these models have 0.1.
    assert same(tmp_path / "whole", tmp_path / "parts", 0.05)


def test_the_same_seed_trains_the_same_model(model: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        train_encoder(PAIRS, model, tmp_path / name, replace(SMALL, epochs=1, seed=seed), device="cpu")
    assert same(tmp_path / "one", tmp_path / "again")
    assert not same(tmp_path / "one", tmp_path / "other")


def test_original_weights_stay_by_their_share(model: Path, tmp_path: Path) -> None:
    for name, share in (("all", 0.0), ("half", 0.5)):
        train_encoder(PAIRS, model, tmp_path / name, replace(SMALL, epochs=1, original=share), device="cpu")
    before, after, half = weights(model), weights(tmp_path / "all"), weights(tmp_path / "half")
    assert any(float((before[name] - after[name]).abs().max()) > 1e-5 for name in before)
    for name in before:
        assert float(((before[name] + after[name]) / 2 - half[name]).abs().max()) < 1e-6, name


def test_only_the_last_layers_are_trained_if_wanted(model: Path, tmp_path: Path) -> None:
    train_encoder(PAIRS, model, tmp_path / "out", replace(SMALL, epochs=1, layers=1), device="cpu")
    before, after = weights(model), weights(tmp_path / "out")
    changed = {name for name in before if float((before[name] - after[name]).abs().max()) > 0}
    last = max(name.partition("layer.")[2].partition(".")[0] for name in before)
    assert changed
    assert all(f"layer.{last}." in name for name in changed)
    learnt = train_encoder(PAIRS, model, tmp_path / "linear", replace(SMALL, epochs=5, layers=0), device="cpu")
    assert same(model, tmp_path / "linear")
    assert learnt.last_loss < learnt.first_loss
    assert hits(tmp_path / "linear") > hits(model)
    with pytest.raises(ConfigError, match=r"the last 9 layers cannot be trained alone: the transformer has \d layers"):
        train_encoder(PAIRS, model, tmp_path / "other", replace(SMALL, layers=9), device="cpu")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_training_goes_on_where_it_was(model: Path, tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)

    def interrupt(done: int, total: int) -> None:
        if done == 5:
            os.kill(os.getpid(), number)

    try:
        stopped = train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu", on_progress=interrupt)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (stopped.steps, stopped.interrupted) == (5, True)
    assert not (tmp_path / "out").exists()
    done = train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu")
    assert (done.resumed, done.steps, done.interrupted) == (5, 12, False)
    train_encoder(PAIRS, model, tmp_path / "whole", SMALL, device="cpu")
    assert same(tmp_path / "out", tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "whole"]


def test_a_killed_training_goes_on_from_the_last_whole_checkpoint(model: Path, tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(done: int, total: int) -> None:
        if done == 7:
            raise Killed

    with pytest.raises(Killed):
        train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu", on_progress=kill, checkpoint_seconds=0)
    half = tmp_path / "out.training" / "checkpoint-99"
    half.mkdir()  # what a process leaves that is killed while it writes one
    (half / "model.safetensors").write_bytes(b"broken")
    done = train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu")
    assert (done.resumed, done.steps) == (6, 12)
    with pytest.raises(Killed):
        train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu", on_progress=kill, checkpoint_seconds=0)
    other = train_encoder(PAIRS, model, tmp_path / "out", replace(SMALL, learning_rate=1e-3), device="cpu")
    assert other.resumed == 0


def test_a_loss_that_is_no_number_ends_the_training(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the loss is nan at step \d+, with a learning rate of"):
        train_encoder(PAIRS, model, tmp_path / "out", replace(SMALL, learning_rate=1e30, warmup=0), device="cpu")


@LONG_ONLY
@pytest.mark.parametrize("loss", ["ranking", "triplet"])
def test_without_memory_smaller_parts_of_a_batch_are_taken(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: Any
) -> None:
    from sentence_transformers.sentence_transformer.modules import Transformer

    forward, notes = Transformer.forward, []

    def limited(self: Any, features: Any, *given: Any, **named: Any) -> Any:
        if len(features["input_ids"]) > limit:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate")
        return forward(self, features, *given, **named)

    monkeypatch.setattr(Transformer, "forward", limited)
    limit = 3 if loss == "ranking" else 9  # the loss of triplets reads all its columns at once
    settings = replace(SMALL, epochs=3, loss=loss)
    report = train_encoder(PAIRS, model, tmp_path / "out", settings, device="cpu", on_warning=notes.append)
    assert notes == [
        "Memory ran out with 12 rows at once; training goes on with 6.",
        "Memory ran out with 6 rows at once; training goes on with 3.",
    ]
    assert report.last_loss < report.first_loss
    limit = 0
    with pytest.raises(ConfigError, match="not enough memory to train on one pair at a time"):
        train_encoder(PAIRS, model, tmp_path / "none", settings, device="cpu")


def test_other_errors_are_not_taken_for_missing_memory(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("sizes do not match")

    from sentence_transformers.sentence_transformer.modules import Transformer

    monkeypatch.setattr(Transformer, "forward", broken)
    with pytest.raises(RuntimeError, match="sizes do not match"):
        train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu")


def test_what_does_not_fit_is_said(model: Path, tmp_path: Path) -> None:
    plain = [replace(pair, negatives=(), scores=()) for pair in PAIRS]
    (tmp_path / "file").write_text("")
    for pairs, settings, name, message in (
        (plain, replace(SMALL, loss="triplet"), "o", "needs pairs with negatives"),
        ([replace(pair, scores=()) for pair in PAIRS], replace(SMALL, loss="margin-mse"), "o", "a teacher has scored"),
        (PAIRS[:1], SMALL, "o", "one pair is too little"),
        (PAIRS, replace(SMALL, length=33), "o", "reads 32 tokens at most, not 33"),
        (PAIRS, SMALL, "file", "is there already and is not a trained model"),
        (PAIRS, replace(SMALL, precision="float16"), "o", "float16 needs a GPU"),
    ):
        with pytest.raises(ConfigError, match=message):
            train_encoder(pairs, model, tmp_path / name, settings, device="cpu")
    with pytest.raises(ConfigError, match="the encoder cannot be loaded"):
        train_encoder(PAIRS, tmp_path, tmp_path / "o", SMALL, device="cpu")


@pytest.mark.parametrize("changes", [
    {"loss": "other"}, {"epochs": 0}, {"batch": 1}, {"learning_rate": 0.0}, {"temperature": 0.0}, {"original": 1.0},
    {"layers": -1}, {"layers": 0, "kind": "colbert"},
    {"warmup": 1.0}, {"negatives": -1}, {"matryoshka": (0,)}, {"length": 0}, {"precision": "int8"},
], ids=str)
def test_settings_out_of_range_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        EncoderTraining(**changes)


def test_any_transformer_becomes_an_encoder(model: Path) -> None:
    import torch

    bert = model.with_name("model-bert")
    found = open_encoder(bert, torch.device("cpu"), "cls", 16)
    assert found.max_seq_length == 16
    assert found.encode("a ring").shape == (16,)
    other = open_encoder(bert, torch.device("cpu"), "mean", 16)
    assert abs(found.encode("a ring") - other.encode("a ring")).max() > 1e-4


def test_the_middle_of_a_long_text_is_left_out() -> None:
    tokenizer = word_tokenizer(["one two three four five six seven eight nine ten"])
    long = "one two three four five six seven eight"
    assert head_and_tail([long, "one two"], tokenizer, 7) == ["one two three seven eight", "one two"]


def test_the_ranking_loss_is_the_cross_entropy_of_the_positive(model: Path) -> None:
    import torch

    network = open_encoder(model, torch.device("cpu")).eval()
    sides = [[getattr(pair, side) for pair in PAIRS[:4]] for side in ("anchor", "positive")]
    features = [dict(network.preprocess(side)) for side in sides]
    vectors = [torch.nn.functional.normalize(network(dict(one))["sentence_embedding"], dim=1) for one in features]
    scores = vectors[0] @ vectors[1].T / 0.1
    right = torch.arange(4)
    one_way = torch.nn.functional.cross_entropy(scores, right)
    both = (one_way + torch.nn.functional.cross_entropy(scores.T, right)) / 2
    for symmetric, expected in ((False, one_way), (True, both)):
        for part in (None, 2):
            loss = make_loss(EncoderTraining(temperature=0.1, symmetric=symmetric), network, part)
            found = loss([dict(one) for one in features], None)
            assert float(found) == pytest.approx(float(expected), abs=1e-5), (symmetric, part)
