"""Encoders of tokens: vectors as sentence-transformers has them, each with its place in the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from colbert_cases import SETTINGS, save_token_model
from tiny_models import TEXTS, need_encoders, save_bert, save_encoder

from porism.errors import ConfigError
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_encoder import NOWHERE, TokenEncoder
from porism.vectors.neural.token_model import TokenModelSettings, is_token_model, make_token_model

need_encoders()

LONG = " ".join(TEXTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_token_model(tmp_path_factory.mktemp("models") / "tiny")


def encoder(folder: Path, settings: EncoderSettings | None = None, **more: Any) -> TokenEncoder:
    return TokenEncoder.load(folder, settings=settings, device="cpu", **more)


def library(folder: Path) -> Any:
    from sentence_transformers import MultiVectorEncoder

    return MultiVectorEncoder(str(folder), device="cpu")


@every_case("tokens", [1, 60, 10_000])
def test_documents_are_encoded_as_by_sentence_transformers(folder: Path, tokens: int) -> None:
    texts = [*TEXTS, "", LONG * 3]
    found = encoder(folder, batch_tokens=tokens).encode_documents(texts)
    expected = library(folder).encode_document([*TEXTS, LONG * 3], convert_to_numpy=True)
    assert found.offsets[5] == found.offsets[4]
    for number, vectors in zip((0, 1, 2, 3, 5), expected, strict=True):
        own = found.vectors[found.offsets[number] : found.offsets[number + 1]]
        np.testing.assert_allclose(own, vectors, atol=1e-6)


@every_case("attend", [True, False])
@every_case("strategy", ["min", "fixed"])
def test_queries_are_filled_up_as_by_sentence_transformers(tmp_path: Path, strategy: str, attend: bool) -> None:
    model = library(save_token_model(tmp_path / "tiny"))
    model[0].query_expansion = {"strategy": strategy, "length": 9, "attend": attend}
    model.save_pretrained(str(tmp_path / "other"), create_model_card=False)
    texts = ["a prime", "every continuous function", LONG]
    found = encoder(tmp_path / "other").encode_queries([*texts, " "])
    expected = library(tmp_path / "other").encode_query(texts, convert_to_numpy=True)
    for query, vectors in zip(found, expected, strict=False):
        np.testing.assert_allclose(query.vectors, vectors, atol=1e-6)
        assert len(query.tokens) == len(query.places) == len(vectors)
    assert found[0].tokens == ("[CLS]", "[Q]", "a", "prime", "[SEP]", *["[MASK]"] * 4)
    assert found[0].places == (NOWHERE, NOWHERE, (0, 1), (2, 7), *[NOWHERE] * 5)
    assert found[0].beyond == 0
    whole = len(model.tokenizer("[Q] " + LONG)["input_ids"])
    assert found[2].beyond == whole - (9 if strategy == "fixed" else 24)
    assert found[3].vectors.shape == (0, 8)


def test_tokens_know_their_places_and_skipped_ones_have_none(folder: Path) -> None:
    found = encoder(folder).document_places(TEXTS[3])
    assert [name for name, place in found if place == NOWHERE] == ["[CLS]", "[D]", "[SEP]"]
    for name, (start, stop) in found:
        if start >= 0:
            assert name.removeprefix("##") == TEXTS[3][start:stop].lower()
    names = [name for name, _ in found]
    assert not {"$", "\\", "{", "}", ".", ","} & set(names)
    assert {"frac", "^", "_", "+", "=", "alpha"} <= set(names)
    assert len(found) == len(encoder(folder).encode_documents([TEXTS[3]]).vectors)


def test_long_documents_are_read_in_chunks_and_no_token_twice(folder: Path) -> None:
    chunked = encoder(folder, EncoderSettings(cut="chunks", overlap=5, length=20))
    places = chunked.document_places(LONG)
    inside = [place for _, place in places if place != NOWHERE]
    assert inside == sorted(set(inside))
    everything = library(folder).tokenizer(LONG, add_special_tokens=False, return_offsets_mapping=True)
    spans = [tuple(span) for span in everything["offset_mapping"]]
    skipped = {LONG[start:stop] for start, stop in spans} & set(".,$\\{}")
    assert inside == [span for span in spans if LONG[span[0] : span[1]] not in skipped]
    assert len(chunked.encode_documents([LONG]).vectors) == len(places)
    # One chunk, with its neighbours' words at both ends, gives the vectors of its middle.
    short = encoder(folder, EncoderSettings(cut="chunks", overlap=5, length=64)).encode_documents([TEXTS[0]])
    np.testing.assert_array_equal(short.vectors, encoder(folder).encode_documents([TEXTS[0]]).vectors)


def test_a_head_and_a_tail_are_read_together(folder: Path) -> None:
    words = "a prime number divides a product only where it divides a factor".split()
    one = encoder(folder, EncoderSettings(cut="head-tail", length=7))
    names = [name for name, _ in one.document_places(" ".join(words))]
    assert names == ["[CLS]", "[D]", "a", "prime", "a", "factor", "[SEP]"]
    names = [name for name, _ in encoder(folder, EncoderSettings(length=7)).document_places(" ".join(words))]
    assert names == ["[CLS]", "[D]", "a", "prime", "number", "divides", "[SEP]"]


def test_any_transformer_becomes_a_token_model(tmp_path: Path) -> None:
    plain = save_bert(tmp_path / "bert", limit=64)
    assert not is_token_model(plain)
    model = make_token_model(plain, SETTINGS, texts=TEXTS, device="cpu")
    weight = model[1].linear.weight.detach().numpy()
    np.testing.assert_allclose(weight @ weight.T, np.eye(8), atol=1e-5)
    assert model.tokenizer.convert_tokens_to_ids("[Q]") != model.tokenizer.convert_tokens_to_ids("[D]")
    model.save_pretrained(str(tmp_path / "made"), create_model_card=False)
    assert is_token_model(tmp_path / "made")
    found = encoder(tmp_path / "made").encode_documents(list(TEXTS))
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    again = make_token_model(tmp_path / "made", device="cpu")
    assert again[1].linear.weight.detach().numpy().tolist() == weight.tolist()


def test_principal_directions_keep_more_than_random_ones(tmp_path: Path) -> None:
    base = save_encoder(tmp_path / "base")
    lost = []
    for texts in ((), TEXTS):
        model = make_token_model(base, SETTINGS, texts=texts, device="cpu")
        whole = model[0](model.preprocess(list(TEXTS), prompt="[D] ", task="document"))
        tokens = whole["token_embeddings"][whole["attention_mask"].bool()].detach().numpy()
        weight = model[1].linear.weight.detach().numpy()
        lost.append(float(np.square(tokens - tokens @ weight.T @ weight).sum()))
    assert lost[1] < 0.7 * lost[0]


def test_models_and_settings_that_do_not_fit_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match="gives no vectors of tokens"):
        encoder(save_encoder(tmp_path / "dense"))
    with pytest.raises(ConfigError, match="tokens of 16 dimensions cannot get 24"):
        make_token_model(tmp_path / "dense", TokenModelSettings(dimensions=24), device="cpu")
    with pytest.raises(ConfigError, match="cannot read 3 tokens of a document"):
        encoder(folder, EncoderSettings(length=3))
    for wrong in ({"dimensions": 12}, {"skipped": "all"}, {"expansion": -1}, {"query_length": 4}):
        with pytest.raises(ConfigError):
            TokenModelSettings(**wrong)  # type: ignore[arg-type]


def test_vectors_that_are_no_numbers_are_refused(folder: Path) -> None:
    import torch

    one = encoder(folder)
    with torch.no_grad():
        one._model[1].linear.weight.fill_(float("nan"))
    with pytest.raises(ConfigError, match="not made of finite numbers"):
        one.encode_documents(["a prime"])


def test_a_batch_is_halved_where_memory_does_not_suffice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    one = encoder(folder, on_warning=notes.append)
    expected = one.encode_documents(list(TEXTS)).vectors
    original = one._features

    def fails(pieces: Any, task: str) -> Any:
        if len(pieces) > 1:
            raise RuntimeError("out of memory")
        return original(pieces, task)

    monkeypatch.setattr(one, "_features", fails)
    np.testing.assert_allclose(one.encode_documents(list(TEXTS)).vectors, expected, atol=1e-6)
    assert "2 texts at once" in notes[0]
