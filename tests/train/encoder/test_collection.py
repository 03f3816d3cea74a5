"""Positives are told from all texts of a collection: which these are, the loss by hand, and learning by it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import need_models

from porism.errors import ConfigError
from porism.train.encoder.collection import find_rivals, make_collection_loss
from porism.train.encoder.settings import EncoderTraining
from porism.train.pairs.base import Pair

COLLECTION = EncoderTraining(loss="collection", epochs=2, batch=12, rate=1e-2, length=32, precision="float32")
OTHERS = {word: f"nothing is known of the {word}" for word in ("sheaf", "prime", "graph", "knot", "ring", "limit")}


def test_rivals_are_all_texts_but_what_answers_the_anchor() -> None:
    pairs = [Pair("a", "p", (), "titles"), Pair("a", "q", (), "titles"), Pair("q", "p", (), "titles")]
    found = find_rivals(pairs, dict(zip("12345", "pxaxy", strict=True)), COLLECTION)
    assert found.texts == ("p", "q", "x", "a", "y")
    assert found.positives.tolist() == [0, 1, 0]
    # The other positive of its anchor and the anchor itself, which stands in the collection, are no negatives.
    assert [spared.tolist() for spared in found.spared] == [[1, 3], [0, 3], [1]]
    assert found.digest != find_rivals(pairs, dict(zip("1234", "pxaz", strict=True)), COLLECTION).digest


def test_documents_that_the_texts_of_a_pair_are_from_are_no_rivals_of_it() -> None:
    pairs = [
        Pair("title", "body", (), "titles", "one", "one"), Pair("title", "more", (), "titles", "three", "three"),
        Pair("other", "body", (), "titles", "two", "one"),
    ]
    found = find_rivals(pairs, {"one": "title body", "two": "other text", "three": "title more"}, COLLECTION)
    assert found.texts == ("body", "more", "title body", "title more", "other text")
    assert [spared.tolist() for spared in found.spared] == [[1, 2, 3], [0, 2, 3], [2, 4]]


def test_a_large_collection_is_drawn_from_by_the_seed() -> None:
    pairs = [Pair("a", "p", (), "titles"), Pair("b", "q", (), "titles")]
    texts = {f"d{number}": str(number) for number in range(100)}
    few = replace(COLLECTION, rivals=10)
    found = find_rivals(pairs, texts, few)
    assert (found.texts[:2], len(found.texts)) == (("p", "q"), 12)
    assert found.texts == find_rivals(pairs, texts, few).texts
    assert found.texts != find_rivals(pairs, texts, replace(few, seed=2)).texts


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ConfigError, match="do not learn by the loss collection"):
        EncoderTraining(kind="colbert", loss="collection")
    with pytest.raises(ConfigError, match="do not learn by the loss collection"):
        EncoderTraining(kind="splade", loss="collection")
    with pytest.raises(ConfigError, match="rivals cannot be 0"):
        EncoderTraining(rivals=0)


@pytest.mark.parametrize("matryoshka", [(), (4, 2)])
def test_the_loss_is_that_of_the_equation(matryoshka: tuple[int, ...]) -> None:
    need_models()
    import torch

    settings = replace(COLLECTION, temperature=0.5, matryoshka=matryoshka)
    pairs = [Pair("a", "p", (), "titles"), Pair("a", "q", (), "titles"), Pair("b", "x", (), "titles")]
    rivals = find_rivals(pairs, {"1": "y", "2": "z"}, settings)  # p q x y z
    draw = np.random.default_rng(3)
    anchors = draw.normal(size=(3, 4))
    stored = draw.normal(size=(5, 4))

    def unit(vectors: Any, size: int) -> Any:
        return vectors[:, :size] / np.linalg.norm(vectors[:, :size], axis=1, keepdims=True)

    losses = []
    for size in matryoshka or (4,):
        scores = unit(anchors, size) @ unit(stored, size).T
        powers = np.exp(scores / 0.5)
        powers[0, 1] = powers[1, 0] = 0  # the other positive of the same anchor
        losses.append(-np.log(powers[range(3), [0, 1, 2]] / powers.sum(1)).mean())

    asked, texts = (torch.tensor(vectors, dtype=torch.float32) for vectors in (anchors, stored))
    loss = make_collection_loss(lambda vectors: {"sentence_embedding": vectors}, rivals, texts, settings)
    assert float(loss([asked], torch.tensor([0, 1, 2]))) == pytest.approx(np.mean(losses), abs=1e-5)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_models()
    for library in ("sentence_transformers", "datasets"):
        pytest.importorskip(library, reason="training needs it: pip install 'porism[neural]'")
    from tiny_encoders import save_encoder

    return save_encoder(tmp_path_factory.mktemp("model") / "model")


def vectors(folder: Path, task: str) -> Any:
    """What sentence-transformers makes of the anchors or the positives of all pairs."""
    from sentence_transformers import SentenceTransformer
    from tiny_encoders import PAIRS

    texts = [pair.anchor if task == "query" else pair.positive for pair in PAIRS]
    return SentenceTransformer(str(folder), device="cpu").encode(texts, task=task, normalize_embeddings=True)


def test_questions_are_learnt_and_documents_keep_their_vectors(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.neural.encoder import load_encoder
    from porism.neural.encoder_files import find_encoder
    from porism.train.encoder.training import train_encoder

    notes: list[str] = []
    settings = replace(COLLECTION, epochs=60, part=5)
    report = train_encoder(
        PAIRS, model, tmp_path / "out", settings, collection=OTHERS, device="cpu", on_note=notes.append
    )
    assert report.last_loss < 0.6 * report.first_loss
    assert notes == ["encoding 78 texts that answers are told from"]
    found = [vectors(folder, "document") for folder in (model, tmp_path / "out")]
    np.testing.assert_array_equal(*found)
    before, after = (
        ((vectors(folder, "query") @ found[0].T).argmax(1) == range(len(PAIRS))).mean()
        for folder in (model, tmp_path / "out")
    )
    assert before < 0.3
    assert after > 0.5
    ours = load_encoder(tmp_path / "out", device="cpu")
    np.testing.assert_allclose(ours.encode_documents([PAIRS[3].positive]).vectors[0], found[0][3], atol=1e-5)
    np.testing.assert_allclose(
        ours.encode_queries([PAIRS[3].anchor])[0][0], vectors(tmp_path / "out", "query")[3], atol=1e-5
    )
    files = [find_encoder(folder) for folder in (model, tmp_path / "out")]
    assert files[0].digest != files[1].digest
    assert files[0].vectors == files[1].vectors  # so an index has them already
    train_encoder(PAIRS, model, tmp_path / "few", replace(settings, steps=1, reads=9), device="cpu")
    assert find_encoder(tmp_path / "few").vectors != files[0].vectors
    with pytest.raises(ConfigError, match="by different parts already"):
        train_encoder(PAIRS, tmp_path / "out", tmp_path / "again", settings, device="cpu")


def test_an_interrupted_training_goes_on_as_if_nothing_had_been(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.train.encoder.training import train_encoder

    def interrupt(done: int, total: int) -> None:
        if done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    where: Any = {"collection": OTHERS, "device": "cpu"}
    stopped = train_encoder(PAIRS, model, tmp_path / "out", COLLECTION, on_progress=interrupt, **where)
    assert (stopped.steps, stopped.interrupted) == (5, True)
    done = train_encoder(PAIRS, model, tmp_path / "out", COLLECTION, **where)
    assert (done.resumed, done.steps) == (5, 12)
    train_encoder(PAIRS, model, tmp_path / "whole", COLLECTION, **where)
    np.testing.assert_array_equal(*(vectors(tmp_path / name, "query") for name in ("out", "whole")))


def test_another_collection_is_another_training(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.train.encoder.training import train_encoder

    class Killed(BaseException):
        pass

    def kill(done: int, total: int) -> None:
        if done == 7:
            raise Killed

    for others, resumed in ((OTHERS, 6), ({"sheaf": OTHERS["sheaf"]}, 0)):
        with pytest.raises(Killed):
            train_encoder(
                PAIRS, model, tmp_path / "out", COLLECTION, collection=OTHERS, device="cpu", on_progress=kill,
                checkpoint_seconds=0,
            )
        report = train_encoder(PAIRS, model, tmp_path / "out", COLLECTION, collection=others, device="cpu")
        assert report.resumed == resumed
