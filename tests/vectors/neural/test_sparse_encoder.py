"""Sparse encoders: texts to weighted terms."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from tiny_models import TEXTS, need_encoders, save_bert, save_encoder, save_splade

need_encoders()

from porism.errors import ConfigError  # noqa: E402
from porism.vectors.neural.encoder_settings import EncoderSettings  # noqa: E402
from porism.vectors.neural.sparse_encoder import EncodedTerms, SparseEncoder  # noqa: E402
from porism.vectors.neural.sparse_queries import QueryWeights, TableQueries  # noqa: E402

LONG = " ".join(TEXTS).replace("$", "") * 3


@pytest.fixture(scope="module")
def splade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sparse encoder whose queries are read by the model."""
    return save_splade(tmp_path_factory.mktemp("model") / "splade")


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sparse encoder whose queries need no model."""
    return save_splade(tmp_path_factory.mktemp("model") / "free", static=True)


def matrix(found: EncodedTerms, terms: int) -> np.ndarray:
    """Weighted terms as a matrix."""
    rows = np.zeros((len(found.offsets) - 1, terms), np.float32)
    for number in range(len(rows)):
        part = slice(found.offsets[number], found.offsets[number + 1])
        rows[number, found.terms[part]] = found.weights[part]
    return rows


def row(found: QueryWeights, terms: int) -> np.ndarray:
    """The weighted terms of a query as a row."""
    weights = np.zeros(terms, np.float32)
    weights[found.terms] = found.weights
    return weights


@pytest.mark.parametrize("kind", ["splade", "free"])
def test_documents_have_the_weights_that_the_library_gives(kind: str, request: pytest.FixtureRequest) -> None:
    from sentence_transformers import SparseEncoder as Library

    model: Path = request.getfixturevalue(kind)
    encoder = SparseEncoder.load(model, device="cpu", batch_tokens=40)
    found = encoder.encode_documents([*TEXTS, " "])
    expected = Library(str(model), device="cpu").encode_document(list(TEXTS), convert_to_sparse_tensor=False)
    assert np.abs(matrix(found, len(encoder.terms))[:-1] - expected.numpy()).max() < 1e-5
    assert found.offsets[-1] == found.offsets[-2]
    assert 0 < len(found.terms) < 0.9 * len(TEXTS) * len(encoder.terms)


@pytest.mark.parametrize("kind", ["splade", "free"])
def test_queries_have_the_weights_that_the_library_gives(kind: str, request: pytest.FixtureRequest) -> None:
    from sentence_transformers import SparseEncoder as Library

    model: Path = request.getfixturevalue(kind)
    encoder = SparseEncoder.load(model, device="cpu")
    asked = ["prime prime limit $x^2$", "the sum"]
    found = (TableQueries(encoder.table) if encoder.table else encoder).encode_queries([*asked, ""])
    expected = Library(str(model), device="cpu").encode_query(asked, convert_to_sparse_tensor=False).numpy()
    for one, wanted in zip(found, expected, strict=False):
        assert np.abs(row(one, len(encoder.terms)) - wanted).max() < 1e-5
    assert not len(found[2].terms)


def test_terms_are_named_by_their_tokens(splade: Path) -> None:
    encoder = SparseEncoder.load(splade, device="cpu")
    assert len(set(encoder.terms)) == len(encoder.terms)
    assert {"[CLS]", "prime", "limit"} < set(encoder.terms)


def test_of_chunks_each_term_has_its_greatest_weight(splade: Path) -> None:
    settings = EncoderSettings(cut="chunks", overlap=0)
    encoder = SparseEncoder.load(splade, settings=settings, device="cpu")
    whole = matrix(encoder.encode_documents([LONG]), len(encoder.terms))
    tokens = encoder._tokenizer(LONG, add_special_tokens=False)["input_ids"]
    room = encoder.length - 2
    pieces = [tokens[start : start + room] for start in range(0, len(tokens), room)]
    assert len(pieces) > 2
    each = [encoder._forward([[2, *piece, 3]], "document")[0] for piece in pieces]
    assert encoder._tokenizer.convert_ids_to_tokens([2, 3]) == ["[CLS]", "[SEP]"]
    assert np.abs(whole[0] - np.max(each, axis=0)).max() < 1e-5


def test_only_the_heaviest_terms_stay_where_the_settings_say_so(splade: Path) -> None:
    everything = SparseEncoder.load(splade, device="cpu").encode_documents(TEXTS)
    found = SparseEncoder.load(splade, settings=EncoderSettings(dimensions=5), device="cpu").encode_documents(TEXTS)
    for number in range(len(TEXTS)):
        part = slice(everything.offsets[number], everything.offsets[number + 1])
        heaviest = np.sort(everything.weights[part])[::-1][:5]
        kept = found.weights[found.offsets[number] : found.offsets[number + 1]]
        assert np.array_equal(np.sort(kept)[::-1], heaviest)


def test_a_masked_language_model_is_one_without_more(tmp_path: Path) -> None:
    encoder = SparseEncoder.load(save_bert(tmp_path / "bert"), device="cpu")
    assert encoder.encode_documents(["a prime number"]).weights.min() > 0


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a sparse encoder"):
        SparseEncoder.load(save_encoder(tmp_path / "dense"), device="cpu")


def test_weights_that_are_no_numbers_are_refused(splade: Path) -> None:
    import torch

    encoder = SparseEncoder.load(splade, device="cpu")
    with torch.no_grad():
        for parameter in encoder._model.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(ConfigError, match="not made of finite numbers"):
        encoder.encode_documents(["a prime number"])


def test_an_incomplete_folder_is_refused(free: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(free, broken)
    next(broken.glob("document_0*/model.safetensors")).unlink()
    with pytest.raises(ConfigError):
        SparseEncoder.load(broken, device="cpu")


def test_two_vocabularies_are_refused(free: Path, tmp_path: Path) -> None:
    from sentence_transformers import SparseEncoder as Library
    from sentence_transformers.base.modules import Router, Transformer
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
    from tiny_models import word_tokenizer

    other = word_tokenizer(["quite other words are here"])
    document = Transformer(str(free.with_name("free-inner")), transformer_task="fill-mask")
    router = Router.for_query_document([SparseStaticEmbedding(other)], [document, SpladePooling("max")])
    Library(modules=[router], device="cpu").save(str(tmp_path / "two"))
    with pytest.raises(ConfigError, match="different vocabularies"):
        SparseEncoder.load(tmp_path / "two", device="cpu")


def test_a_batch_that_does_not_fit_is_halved(splade: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    encoder = SparseEncoder.load(splade, device="cpu", on_warning=notes.append)
    whole = encoder.encode_documents(TEXTS)
    forward = encoder._forward

    def small(sequences: list[list[int]], task: str) -> np.ndarray:
        if len(sequences) > 1:
            raise MemoryError
        return forward(sequences, task)

    monkeypatch.setattr(encoder, "_forward", small)
    found = encoder.encode_documents(TEXTS)
    assert "going on with" in notes[0]
    assert np.array_equal(found.terms, whole.terms)
    assert np.abs(found.weights - whole.weights).max() < 1e-5


def test_what_is_beyond_the_model_of_a_query_is_counted(splade: Path) -> None:
    encoder = SparseEncoder.load(splade, device="cpu")
    tokens = len(encoder._tokenizer(LONG, add_special_tokens=False)["input_ids"])
    assert [one.beyond for one in encoder.encode_queries(["a", LONG])] == [0, tokens - 62]
