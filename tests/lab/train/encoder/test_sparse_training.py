"""Sparse encoders learn from pairs, and keep to few terms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import need_encoders, save_bert, save_encoder, save_splade, word_tokenizer

from porism.errors import ConfigError
from porism.lab.train.encoder.settings import EncoderTraining

need_encoders()

from tiny_encoders import PAIRS, TEXTS  # noqa: E402

from porism.lab.train.encoder.sparse import token_weights  # noqa: E402
from porism.lab.train.encoder.training import train_encoder  # noqa: E402
from porism.vectors.neural.sparse_encoder import SparseEncoder, is_sparse_model  # noqa: E402
from porism.vectors.neural.sparse_queries import TableQueries  # noqa: E402

SMALL = EncoderTraining(
    kind="splade", epochs=20, batch=12, learning_rate=1e-2, length=32, temperature=1.0, precision="float32",
    negatives=0, document_flops=1e-3, query_flops=1e-3,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model that knows nothing yet."""
    texts = [text for pair in PAIRS for text in (pair.anchor, pair.positive)]
    return save_bert(tmp_path_factory.mktemp("model") / "bert", texts, limit=64)


def hits(folder: Path) -> float:
    """For how many anchors their own positive is the best of all."""
    encoder = SparseEncoder.load(folder, device="cpu")
    documents = encoder.encode_documents([pair.positive for pair in PAIRS])
    rows = np.zeros((len(PAIRS), len(encoder.terms)))
    owners = np.repeat(np.arange(len(PAIRS)), np.diff(documents.offsets))
    rows[owners, documents.terms] = documents.weights
    right = 0
    for number, query in enumerate(encoder.encode_queries([pair.anchor for pair in PAIRS])):
        right += int((rows[:, query.terms] @ query.weights).argmax() == number)
    return right / len(PAIRS)


def terms(folder: Path) -> float:
    """Terms that a document has on the average."""
    found = SparseEncoder.load(folder, device="cpu").encode_documents([pair.positive for pair in PAIRS])
    return float(np.diff(found.offsets).mean())


def test_a_masked_language_model_becomes_a_sparse_encoder(model: Path, tmp_path: Path) -> None:
    report = train_encoder(PAIRS, model, tmp_path / "out", SMALL, device="cpu")
    assert is_sparse_model(tmp_path / "out")
    assert report.last_loss < 0.7 * report.first_loss
    assert hits(model) < 0.3
    assert hits(tmp_path / "out") > 0.6


@LONG_ONLY
def test_flops_keep_texts_at_few_terms(model: Path, tmp_path: Path) -> None:
    for name, weight in (("free", 0.0), ("held", 0.3)):
        settings = replace(SMALL, document_flops=weight, query_flops=weight)
        train_encoder(PAIRS, model, tmp_path / name, settings, device="cpu")
    assert terms(tmp_path / "held") < 0.8 * terms(tmp_path / "free")


@LONG_ONLY
def test_queries_are_held_at_few_terms_by_their_own_weight(model: Path, tmp_path: Path) -> None:
    def of_queries(folder: Path) -> float:
        found = SparseEncoder.load(folder, device="cpu").encode_queries([pair.anchor for pair in PAIRS])
        return float(np.mean([len(one.terms) for one in found]))

    for name, weight in (("free", 0.0), ("held", 0.3)):
        settings = replace(SMALL, document_flops=0.0, query_flops=weight)
        train_encoder(PAIRS, model, tmp_path / name, settings, device="cpu")
    assert of_queries(tmp_path / "held") < 0.8 * of_queries(tmp_path / "free")


def test_inner_products_are_not_divided_where_nothing_is_said() -> None:
    assert replace(SMALL, temperature=None).scale == 1.0
    assert replace(SMALL, kind="dense", temperature=None).scale == 20.0
    assert replace(SMALL, kind="colbert", temperature=0.1).scale == pytest.approx(10.0)
    for temperature in (0.0, -1.0):
        with pytest.raises(ConfigError, match="temperature are above 0"):
            replace(SMALL, temperature=temperature)


@LONG_ONLY
@every_case("part", [None, 4])
def test_queries_of_an_inference_free_model_need_a_table_only(model: Path, tmp_path: Path, part: int | None) -> None:
    settings = replace(SMALL, inference_free=True, micro_batch=part, epochs=10)
    report = train_encoder(PAIRS, model, tmp_path / "out", settings, device="cpu")
    assert report.last_loss < 0.8 * report.first_loss
    encoder = SparseEncoder.load(tmp_path / "out", device="cpu")
    assert encoder.table is not None
    queries = TableQueries(encoder.table)
    numbers = {term: number for number, term in enumerate(encoder.terms)}
    (asked,) = queries.encode_queries(["what is a finite ring"])
    assert {encoder.terms[number] for number in asked.terms} <= {"what", "is", "a", "finite", "ring"}
    texts = [text for pair in PAIRS for text in (pair.anchor, pair.positive)]
    begun = token_weights(word_tokenizer(texts), [pair.positive for pair in PAIRS])
    assert begun[numbers["a"]] < begun[numbers["ring"]] < begun[numbers["what"]] == pytest.approx(1.0)
    assert begun[numbers["[SEP]"]] == 0.0
    assert np.abs(encoder.table.weights - begun).max() > 0.05  # it has learnt
    assert hits(tmp_path / "out") > 0.4


@LONG_ONLY
def test_an_inference_free_model_is_trained_further(tmp_path: Path) -> None:
    free = save_splade(tmp_path / "free", texts=TEXTS, static=True)
    before = SparseEncoder.load(free, device="cpu").table
    report = train_encoder(PAIRS, free, tmp_path / "out", replace(SMALL, epochs=5), device="cpu")
    after = SparseEncoder.load(tmp_path / "out", device="cpu").table
    assert report.last_loss < report.first_loss
    assert before is not None
    assert after is not None
    assert np.abs(before.weights - after.weights).max() > 0.05


@LONG_ONLY
@every_case("changes", [{"micro_batch": 4}, {"loss": "margin-mse", "negatives": 1}], ids=str)
def test_other_ways_of_training_lower_the_loss(model: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    report = train_encoder(PAIRS, model, tmp_path / "out", replace(SMALL, **changes), device="cpu")
    assert report.last_loss < 0.9 * report.first_loss


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a sparse encoder"):
        train_encoder(PAIRS, save_encoder(tmp_path / "dense"), tmp_path / "out", SMALL, device="cpu")
    with pytest.raises(ConfigError, match="need the model"):
        replace(SMALL, kind="dense", inference_free=True)
    with pytest.raises(ConfigError, match="no Matryoshka"):
        replace(SMALL, matryoshka=(8,))
    with pytest.raises(ConfigError, match="reads 64 tokens at most"):
        train_encoder(PAIRS, save_splade(tmp_path / "s"), tmp_path / "out", replace(SMALL, length=65), device="cpu")
