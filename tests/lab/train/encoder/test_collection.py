"""Positives are told from all texts of a collection: which these are, the loss by hand, and learning by it."""

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

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.encoder.collection import find_candidates, make_collection_loss, with_kept
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.pairs.base import Pair
from porism.lab.train.pairs.exclusion import Exclusion
from porism.types import Content, Document

COLLECTION = EncoderTraining(loss="collection", epochs=2, batch=12, learning_rate=1e-2, length=32, precision="float32")
OTHERS = {word: f"nothing is known of the {word}" for word in ("sheaf", "prime", "graph", "knot", "ring", "limit")}


def test_rivals_are_all_texts_but_what_answers_the_anchor() -> None:
    pairs = [Pair("a", "p", (), "titles"), Pair("a", "q", (), "titles"), Pair("q", "p", (), "titles")]
    found = find_candidates(pairs, dict(zip("12345", "pxaxy", strict=True)), COLLECTION)
    assert found.texts == ("p", "q", "x", "a", "y")
    assert found.positives.tolist() == [0, 1, 0]
    # The other positive of its anchor and the anchor itself, which stands in the collection, are not negatives.
    assert [spared.tolist() for spared in found.spared] == [[1, 3], [0, 3], [1]]
    assert found.digest != find_candidates(pairs, dict(zip("1234", "pxaz", strict=True)), COLLECTION).digest


def test_documents_that_the_texts_of_a_pair_are_from_are_no_rivals_of_it() -> None:
    pairs = [
        Pair("title", "body", (), "titles", "one", "one"), Pair("title", "more", (), "titles", "three", "three"),
        Pair("other", "body", (), "titles", "two", "one"),
    ]
    found = find_candidates(pairs, {"one": "title body", "two": "other text", "three": "title more"}, COLLECTION)
    assert found.texts == ("body", "more", "title body", "title more", "other text")
    assert [spared.tolist() for spared in found.spared] == [[1, 2, 3], [0, 2, 3], [2, 4]]


def test_a_large_collection_is_drawn_from_by_the_seed() -> None:
    pairs = [Pair("a", "p", (), "titles"), Pair("b", "q", (), "titles")]
    texts = {f"d{number}": str(number) for number in range(100)}
    few = replace(COLLECTION, candidates=10)
    found = find_candidates(pairs, texts, few)
    assert (found.texts[:2], len(found.texts)) == (("p", "q"), 12)
    assert found.texts == find_candidates(pairs, texts, few).texts
    assert found.texts != find_candidates(pairs, texts, replace(few, seed=2)).texts


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ConfigError, match="do not learn by the loss collection"):
        EncoderTraining(kind="colbert", loss="collection")
    with pytest.raises(ConfigError, match="do not learn by the loss collection"):
        EncoderTraining(kind="splade", loss="collection")
    with pytest.raises(ConfigError, match="candidates cannot be 0"):
        EncoderTraining(candidates=0)


@every_case("matryoshka", [(), (4, 2)])
def test_the_loss_is_that_of_the_equation(matryoshka: tuple[int, ...]) -> None:
    need_models()
    import torch

    settings = replace(COLLECTION, temperature=0.5, matryoshka=matryoshka)
    pairs = [Pair("a", "p", (), "titles"), Pair("a", "q", (), "titles"), Pair("b", "x", (), "titles")]
    rivals = find_candidates(pairs, {"1": "y", "2": "z"}, settings)  # p q x y z
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
    loss = make_collection_loss(lambda vectors: {"sentence_embedding": vectors}, [rivals], [texts], settings)
    assert float(loss([asked], torch.tensor([0, 1, 2]))) == pytest.approx(np.mean(losses), abs=1e-5)


def test_kept_questions_are_mixed_into_batches_shorter_ones_first() -> None:
    pairs = [Pair("a" * length, "p", (), "titles") for length in (9, 2, 7, 4)]
    kept = ["b" * length for length in (1, 5, 3)]
    lengths = [len(pair.anchor) for pair in pairs] + [len(text) for text in kept]
    found = with_kept([[0, 1], [2, 3], [1, 0]], pairs, kept, replace(COLLECTION, keep_share=1.0))
    assert [[lengths[number] for number in batch] for batch in found] == [sorted(lengths[n] for n in b) for b in found]
    assert [{number for number in batch if number < 4} for batch in found] == [{0, 1}, {2, 3}, {0, 1}]
    drawn = [number for batch in found for number in batch if number >= 4]
    assert len(drawn) == 6
    assert sorted(drawn) == [4, 4, 5, 5, 6, 6]  # all of them twice: none comes again before the others came
    few = with_kept([[0, 1], [2, 3]], pairs, kept, replace(COLLECTION, keep_share=0.1))
    assert [len(batch) for batch in few] == [3, 3]
    assert with_kept([[0, 1]], pairs, [], COLLECTION) == [[1, 0]]
    other = [with_kept([[0, 1]] * 3, pairs, kept, replace(COLLECTION, seed=seed)) for seed in range(5)]
    assert any(one != other[0] for one in other)


def test_settings_of_kept_questions_are_checked() -> None:
    for wrong in ({"keep_weight": -1.0}, {"keep_share": 0.0}, {"keep_share": 9.0}):
        with pytest.raises(ConfigError, match="keep_weight is 0 or more, and keep_share above 0 and at most 8"):
            EncoderTraining(**wrong)  # type: ignore[arg-type]


@every_case("matryoshka", [(), (4, 2)])
def test_what_a_kept_question_costs_is_how_far_it_moved(matryoshka: tuple[int, ...]) -> None:
    need_models()
    import torch

    settings = replace(COLLECTION, matryoshka=matryoshka, keep_weight=7.0)
    rivals = find_candidates([Pair("a", "p", (), "titles"), Pair("b", "q", (), "titles")], {"1": "y"}, settings)
    draw = np.random.default_rng(5)
    read, stored, kept = (torch.tensor(draw.normal(size=(rows, 4)), dtype=torch.float32) for rows in (4, 3, 3))
    loss = make_collection_loss(lambda vectors: {"sentence_embedding": vectors}, [rivals], [stored], settings, kept)
    of_pairs = make_collection_loss(lambda vectors: {"sentence_embedding": vectors}, [rivals], [stored], settings)
    cosines = [
        torch.cosine_similarity(read[row, :size], kept[number, :size], dim=0).item()
        for size in matryoshka or (4,) for row, number in ((1, 2), (3, 0))
    ]
    alone = float(of_pairs([read[[0, 2]]], torch.tensor([1, 0])))
    moved = 7 * (1 - np.mean(cosines))
    assert float(loss([read], torch.tensor([1, 4, 0, 2]))) == pytest.approx((alone + moved) / 2, abs=1e-5)
    assert float(loss([read[[1, 3]]], torch.tensor([4, 2]))) == pytest.approx(moved, abs=1e-5)
    assert float(loss([kept], torch.tensor([2, 3, 4]))) == pytest.approx(0, abs=1e-5)


def test_each_collection_tells_its_own_answers_apart() -> None:
    need_models()
    import torch

    rivals = [
        find_candidates([Pair("a", "p", (), "titles"), Pair("b", "q", (), "titles")], {"1": "y"}, COLLECTION),
        find_candidates([Pair("c", "r", (), "titles")], {"1": "z", "2": "c"}, COLLECTION),
    ]
    draw = np.random.default_rng(7)
    read, first, second, kept = (
        torch.tensor(draw.normal(size=(rows, 4)), dtype=torch.float32) for rows in (4, 3, 3, 1)
    )
    network = lambda vectors: {"sentence_embedding": vectors}  # noqa: E731
    together = make_collection_loss(network, rivals, [first, second], COLLECTION, kept)
    one = make_collection_loss(network, rivals[:1], [first], COLLECTION, kept)
    other = make_collection_loss(network, rivals[1:], [second], COLLECTION)
    # Rows: the pair of the second collection, a kept question, and the pairs of the first.
    found = float(together([read], torch.tensor([2, 3, 1, 0])))
    of_first = float(one([read[1:]], torch.tensor([2, 1, 0])))
    of_second = float(other([read[:1]], torch.tensor([0])))
    assert found == pytest.approx((3 * of_first + of_second) / 4, abs=1e-5)


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


@LONG_ONLY
def test_questions_are_learnt_and_documents_keep_their_vectors(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.training import train_encoder
    from porism.vectors.neural.encoder import Encoder
    from porism.vectors.neural.encoder_files import find_encoder

    notes: list[str] = []
    settings = replace(COLLECTION, epochs=60, micro_batch=5)
    report = train_encoder(
        PAIRS, model, tmp_path / "out", settings, collection=OTHERS, device="cpu", on_warning=notes.append
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
    ours = Encoder.load(tmp_path / "out", device="cpu")
    np.testing.assert_allclose(ours.encode_documents([PAIRS[3].positive]).vectors[0], found[0][3], atol=1e-5)
    np.testing.assert_allclose(
        ours.encode_queries([PAIRS[3].anchor])[0][0], vectors(tmp_path / "out", "query")[3], atol=1e-5
    )
    files = [find_encoder(folder) for folder in (model, tmp_path / "out")]
    assert files[0].digest != files[1].digest
    assert files[0].vectors == files[1].vectors  # so an index has them already
    train_encoder(PAIRS, model, tmp_path / "few", replace(settings, steps=1, max_tokens=9), device="cpu")
    assert find_encoder(tmp_path / "few").vectors != files[0].vectors
    with pytest.raises(ConfigError, match="by different parts already"):
        train_encoder(PAIRS, tmp_path / "out", tmp_path / "again", settings, device="cpu")


@LONG_ONLY
def test_kept_questions_are_read_as_before(model: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.training import train_encoder

    pairs = [pair for pair in PAIRS if pair.anchor.endswith(("group", "ring"))]
    others = [pair.anchor for pair in PAIRS if pair not in pairs]
    settings = replace(COLLECTION, epochs=40, micro_batch=5)
    for name, kept in (("free", []), ("bound", [*others, *others[:3]])):
        report = train_encoder(pairs, model, tmp_path / name, settings, kept=kept, device="cpu")
        assert report.pairs == 12

    def moved(name: str, texts: list[str]) -> float:
        before, after = (
            SentenceTransformer(str(folder), device="cpu").encode(texts, task="query", normalize_embeddings=True)
            for folder in (model, tmp_path / name)
        )
        return float((1 - (before * after).sum(axis=1)).mean())

    asked = [pair.anchor for pair in pairs]
    assert moved("bound", others) < 0.3 * moved("free", others)
    assert moved("bound", asked) > 2 * moved("bound", others)
    with pytest.raises(ConfigError, match="the loss ranking has no questions that keep their vectors"):
        train_encoder(pairs, model, tmp_path / "x", replace(settings, loss="ranking"), kept=others, device="cpu")


@LONG_ONLY
def test_questions_of_two_collections_are_learnt_at_once(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.collection import TrainingCollection
    from porism.lab.train.encoder.training import train_encoder

    notes: list[str] = []
    settings = replace(COLLECTION, epochs=60)
    report = train_encoder(
        PAIRS[:36], model, tmp_path / "out", settings, auxiliary=[TrainingCollection(PAIRS[36:], OTHERS)], device="cpu",
        on_warning=notes.append,
    )
    assert (report.pairs, notes) == (72, ["encoding 78 texts that answers are told from"])
    documents = vectors(model, "document")
    for own in (slice(36), slice(36, None)):
        before, after = (
            ((vectors(folder, "query")[own] @ documents[own].T).argmax(1) == range(36)).mean()
            for folder in (model, tmp_path / "out")
        )
        assert before < 0.4
        assert after > 0.8
    with pytest.raises(ConfigError, match="no other collections"):
        train_encoder(
            PAIRS, model, tmp_path / "x", replace(settings, loss="ranking"),
            auxiliary=[TrainingCollection(PAIRS, {})], device="cpu",
        )


def test_a_collection_is_drawn_from_before_its_texts_are_read() -> None:
    from porism.lab.train.encoder.collection import collection_texts

    documents: Any = [Document(f"d{number}", {"body": Content.of(f"text {number}")}) for number in range(50)]
    exclude = Exclusion(ids=frozenset({"d1", "d2"}))
    whole = collection_texts(documents, ModelText(), exclude)
    assert len(whole) == 48
    assert whole["d7"] == "text 7"
    few = collection_texts(documents, ModelText(), exclude, 20, 1)
    assert len(few) == 20
    assert few.items() <= whole.items()
    assert few.keys() != collection_texts(documents, ModelText(), exclude, 20, 2).keys()
    assert few == collection_texts(documents, ModelText(), exclude, 20, 1)


def test_parts_of_a_batch_teach_what_it_teaches_as_a_whole(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.training import train_encoder

    steady = shutil.copytree(model, tmp_path / "steady")
    config = json.loads((steady / "config.json").read_text())
    assert config["hidden_dropout_prob"] > 0
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (steady / "config.json").write_text(json.dumps(config))
    kept = [f"{pair.anchor} and {pair.positive}" for pair in PAIRS[40:]]
    rough = replace(COLLECTION, epochs=1, learning_rate=1e-3)
    found = {}
    for part in (None, 5):
        train_encoder(
            PAIRS[:40], steady, tmp_path / str(part), replace(rough, micro_batch=part), collection=OTHERS, kept=kept,
            device="cpu",
        )
        found[part] = vectors(tmp_path / str(part), "query")
    np.testing.assert_allclose(found[5], found[None], atol=2e-3)
    assert np.abs(found[None] - vectors(model, "query")).max() > 2e-2


def test_padding_that_no_row_of_a_part_needs_is_left_out() -> None:
    need_models()
    import torch

    from porism.lab.train.encoder.examples import without_padding

    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])
    given = {"anchor_input_ids": mask * 5, "anchor_attention_mask": mask, "label": torch.tensor([3, 4]),
             "positive_input_ids": torch.ones(2, 4), "positive_attention_mask": torch.ones(2, 4)}
    found = without_padding(given)
    assert found["anchor_input_ids"].tolist() == [[5, 5, 0], [5, 5, 5]]
    assert found["anchor_attention_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert found["label"].tolist() == [3, 4]
    assert found["positive_input_ids"].shape == (2, 4)


def test_an_interrupted_training_goes_on_as_if_nothing_had_been(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.training import train_encoder

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


@LONG_ONLY
def test_another_collection_is_another_training(model: Path, tmp_path: Path) -> None:
    from tiny_encoders import PAIRS

    from porism.lab.train.encoder.training import train_encoder

    class Killed(BaseException):
        pass

    def kill(done: int, total: int) -> None:
        if done == 7:
            raise Killed

    kept = ["what is a sheaf", "what is a knot"]
    for others, again, resumed in ((OTHERS, kept, 6), ({"sheaf": OTHERS["sheaf"]}, kept, 0), (OTHERS, kept[:1], 0)):
        with pytest.raises(Killed):
            train_encoder(
                PAIRS, model, tmp_path / "out", COLLECTION, collection=OTHERS, kept=kept, device="cpu",
                on_progress=kill, checkpoint_seconds=0,
            )
        report = train_encoder(PAIRS, model, tmp_path / "out", COLLECTION, collection=others, kept=again, device="cpu")
        assert report.resumed == resumed
