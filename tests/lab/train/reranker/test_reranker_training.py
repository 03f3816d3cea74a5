"""Rerankers of every kind learn from pairs with negatives; an interruption loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import need_models

from porism.errors import ConfigError
from porism.lab.train.pairs.base import Pair
from porism.lab.train.reranker.settings import RerankerTraining

need_models()
pytest.importorskip("accelerate", reason="training needs it: pip install 'porism[neural]'")

from tiny_models import save_bert, save_cross_encoder, save_mono  # noqa: E402

from porism.lab.train.reranker.training import open_scorer, train_reranker, with_head  # noqa: E402
from porism.vectors.neural.scoring.base import score_texts  # noqa: E402
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder  # noqa: E402
from porism.vectors.neural.scoring.seq2seq import TrueFalse  # noqa: E402

GOOD = "prime number"
WORDS = ("function", "series", "limit", "interval", "fraction", "equation")
PAIRS = [
    Pair(f"a {word}", f"every {other} is a {GOOD}", tuple(f"every {one} has a {other}" for one in WORDS if one != word))
    for word in WORDS for other in WORDS if word != other
]
"""A text is right where it speaks of a prime number."""

SMALL = RerankerTraining(
    epochs=2, batch=6, learning_rate=1e-2, head_rate=1e-2, negatives=2, length=40, precision="float32"
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("model") / "model", [pair.positive for pair in PAIRS], limit=64)


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_mono(tmp_path_factory.mktemp("t5") / "t5")


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def same(one: Path, other: Path, tolerance: float = 0.0) -> bool:
    first, second = weights(one), weights(other)
    return all(float((first[name] - second[name]).abs().max()) <= tolerance for name in first)


def right(scorer: Any) -> float:
    """The share of pairs whose positive scores above all of its negatives."""
    found = []
    for pair in PAIRS[::3]:
        scores = score_texts(scorer, [(pair.anchor, text) for text in (pair.positive, *pair.negatives)])
        found.append(scores[0] > scores[1:].max())
    return float(np.mean(found))


def preferred(scorer: Any) -> float:
    """The mean probability that a positive is better than a negative, read in both orders."""
    both = [
        score_texts(scorer, [(pair.anchor, pair.positive, text), (pair.anchor, text, pair.positive)])
        for pair in PAIRS[::5] for text in pair.negatives[:1]
    ]
    return float(np.mean([(one + 1 - other) / 2 for one, other in both]))


def test_a_cross_encoder_learns_from_an_encoder(encoder: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = train_reranker(
        PAIRS, encoder, tmp_path / "out", replace(SMALL, epochs=4, max_tokens=50), device="cpu",
        on_progress=lambda done, total: steps.append((done, total)),
    )
    assert (report.pairs, report.negatives, report.steps, report.resumed) == (30, 150, 20, 0)
    assert not report.interrupted
    assert steps[-1] == (20, 20)
    assert report.last_loss < report.first_loss / 2
    trained = CrossEncoder(tmp_path / "out")
    assert trained.length == 50
    assert CrossEncoder(tmp_path / "out", length=64).length == 64  # its positions are the limit
    with pytest.raises(ConfigError, match="the model reads 64 tokens at once, not 65"):
        CrossEncoder(tmp_path / "out", length=65)
    assert right(CrossEncoder(with_head(encoder, tmp_path / "start", 1))) < 0.6
    assert right(trained) == 1.0
    written = json.loads((tmp_path / "out" / "training.json").read_text())
    assert (written["from"], written["pairs"], written["settings"]["epochs"]) == (str(encoder), 30, 4)


@LONG_ONLY
@every_case("changes", [
    {"loss": "binary"}, {"micro_batch": 2}, {"accumulate": 2}, {"precision": "bfloat16"},
    {"loss": "binary", "negatives": 9},
], ids=str)
def test_every_way_of_training_lowers_its_loss(encoder: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    report = train_reranker(PAIRS, encoder, tmp_path / "out", replace(SMALL, epochs=8, **changes), device="cpu")
    assert report.last_loss < 0.8 * report.first_loss


def test_a_teacher_is_learnt(encoder: Path, tmp_path: Path) -> None:
    scored = [replace(pair, scores=(3.0, *[1.0] * len(pair.negatives))) for pair in PAIRS]
    settings = replace(SMALL, loss="margin-mse", epochs=6)
    train_reranker(scored, encoder, tmp_path / "out", settings, device="cpu")
    trained = CrossEncoder(tmp_path / "out")
    pair = PAIRS[0]
    margins = np.subtract.outer(*(
        score_texts(trained, [(pair.anchor, text) for text in texts]) for texts in ((pair.positive,), pair.negatives)
    ))
    assert np.abs(margins - 2.0).max() < 0.5


def test_a_pairwise_cross_encoder_learns_which_is_better(encoder: Path, tmp_path: Path) -> None:
    settings = replace(SMALL, kind="pairwise-cross-encoder", epochs=8)
    report = train_reranker(PAIRS, encoder, tmp_path / "out", settings, device="cpu")
    assert report.first_loss == pytest.approx(np.log(2), abs=0.1)
    assert preferred(CrossEncoder(tmp_path / "out", documents=2)) > 0.8


@LONG_ONLY
def test_a_t5_learns_to_say_true(t5: Path, tmp_path: Path) -> None:
    settings = replace(SMALL, kind="mono-t5", epochs=20, length=100)
    report = train_reranker(PAIRS, t5, tmp_path / "out", settings, device="cpu")
    assert report.last_loss < 0.7 * report.first_loss
    assert right(TrueFalse(tmp_path / "out")) > 0.7


ASKED = "limit prime group ring field graph knot set tree sum angle torus".split()


@LONG_ONLY
def test_a_duo_t5_learns_which_document_was_asked_for(tmp_path: Path) -> None:
    texts = [" ".join(("Query: Document0: Document1: Relevant:", *ASKED)), *ASKED] * 3
    model = save_mono(
        tmp_path / "t5", texts=texts, d_model=32, d_ff=64, num_layers=1, num_heads=4, initializer_factor=1.0,
        dropout_rate=0.0,
    )
    pairs = [Pair(one, one, (other,)) for one in ASKED for other in ASKED if one != other]
    drawn = np.random.default_rng(1).permutation(len(pairs)).tolist()
    held_out = [pairs[at] for at in drawn[:24]]

    def accuracy(folder: Path) -> float:
        scorer = TrueFalse(folder, documents=2, device="cpu", precision="float32")
        rows = [(pair.anchor, pair.positive, pair.negatives[0]) for pair in held_out]
        first = score_texts(scorer, rows)
        second = score_texts(scorer, [(anchor, wrong, good) for anchor, good, wrong in rows])
        return float(((first > 0.5).mean() + (second < 0.5).mean()) / 2)

    assert 0.3 < accuracy(model) < 0.7
    settings = RerankerTraining(
        kind="duo-t5", epochs=40, batch=16, negatives=1, length=64, learning_rate=5e-3, precision="float32"
    )
    report = train_reranker([pairs[at] for at in drawn[24:]], model, tmp_path / "out", settings, device="cpu")
    assert report.first_loss > 0.5
    assert accuracy(tmp_path / "out") > 0.8


@pytest.fixture
def without_dropout(encoder: Path, t5: Path, tmp_path: Path) -> dict[str, Path]:
    """The models by kind, such that they compute in training what they compute later."""
    found: dict[str, Path] = {}
    head = with_head(encoder, tmp_path / "head", 1)
    for kind, model in (("cross-encoder", head), ("pairwise-cross-encoder", head), ("mono-t5", t5), ("duo-t5", t5)):
        found[kind] = Path(shutil.copytree(model, tmp_path / kind))
        config = json.loads((found[kind] / "config.json").read_text())
        off = dict.fromkeys((name for name in config if "dropout" in name), 0.0)
        (found[kind] / "config.json").write_text(json.dumps(config | off))
    return found


@pytest.mark.parametrize("kind", ["cross-encoder", "pairwise-cross-encoder", "mono-t5", "duo-t5"])
@pytest.mark.parametrize("scored", [False, True])
def test_the_first_loss_by_hand(without_dropout: dict[str, Path], tmp_path: Path, kind: Any, scored: bool) -> None:
    pair = replace(PAIRS[0], negatives=PAIRS[0].negatives[:3], scores=(1.0, 0.0, 2.0, 1.0) if scored else ())
    settings = replace(SMALL, kind=kind, negatives=3, batch=1, epochs=1, length=100 if "t5" in kind else 60)
    if scored and settings.documents == 1:
        settings = replace(settings, loss="margin-mse")
    model = without_dropout[kind]
    report = train_reranker([pair], model, tmp_path / "out", settings, device="cpu")
    scorer = open_scorer(model, settings, "cpu", tmp_path / "start")
    if settings.documents == 1:
        scores = score_texts(scorer, [(pair.anchor, text) for text in (pair.positive, *pair.negatives)])
        expected = -float(np.log(np.exp(scores[0]) / np.exp(scores).sum()))
        if scored:
            expected = float(np.mean((scores[0] - scores[1:] - np.array([1.0, -1.0, 0.0])) ** 2))
    else:
        better = 1 / (1 + np.exp([-1.0, 1.0, 0.0])) if scored else np.ones(3)
        first = score_texts(scorer, [(pair.anchor, pair.positive, other) for other in pair.negatives])
        second = score_texts(scorer, [(pair.anchor, other, pair.positive) for other in pair.negatives])
        asked, wanted = np.append(first, second), np.append(better, 1 - better)
        expected = -float(np.mean(wanted * np.log(asked) + (1 - wanted) * np.log(1 - asked)))
    assert report.first_loss == pytest.approx(expected, rel=1e-4)


def test_a_cross_encoder_is_trained_further(tmp_path: Path) -> None:
    model = save_cross_encoder(tmp_path / "model")
    scorer = open_scorer(model, SMALL, "cpu", tmp_path / "start")
    assert not (tmp_path / "start").exists()
    assert scorer.named == str(model)


def test_the_same_seed_trains_the_same_model(encoder: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        train_reranker(PAIRS, encoder, tmp_path / name, replace(SMALL, epochs=1, seed=seed), device="cpu")
    assert same(tmp_path / "one", tmp_path / "again")
    assert not same(tmp_path / "one", tmp_path / "other")


def test_an_interrupted_training_goes_on_where_it_was(encoder: Path, tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 4:
            os.kill(os.getpid(), signal.SIGINT)

    stopped = train_reranker(PAIRS, encoder, tmp_path / "out", SMALL, device="cpu", on_progress=interrupt)
    assert (stopped.steps, stopped.interrupted) == (4, True)
    assert not (tmp_path / "out").exists()
    done = train_reranker(PAIRS, encoder, tmp_path / "out", SMALL, device="cpu")
    assert (done.resumed, done.steps, done.interrupted) == (4, 10, False)
    train_reranker(PAIRS, encoder, tmp_path / "whole", SMALL, device="cpu")
    assert same(tmp_path / "out", tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "whole"]


def test_what_does_not_fit_is_said(encoder: Path, tmp_path: Path) -> None:
    bare = [replace(pair, negatives=()) for pair in PAIRS]
    with pytest.raises(ConfigError, match="learns from pairs with negatives"):
        train_reranker(bare, encoder, tmp_path / "out", SMALL)
    with pytest.raises(ConfigError, match="a teacher has scored"):
        train_reranker(PAIRS, encoder, tmp_path / "out", replace(SMALL, loss="margin-mse"))
    with pytest.raises(ConfigError, match="loss cannot be 'listwise'"):
        replace(SMALL, kind="duo-t5", loss="listwise")
    with pytest.raises(ConfigError, match="leave no room"):
        replace(SMALL, length=8)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"no config\.json"):
        train_reranker(PAIRS, tmp_path / "empty", tmp_path / "out", SMALL, device="cpu")
