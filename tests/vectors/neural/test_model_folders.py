"""Model folders of strangers: weights of any type, positions of any family, and what is broken or lacks a part."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import TEXTS, need_encoders, save_bert, save_cross_encoder, save_encoder, save_splade, word_tokenizer

from porism.errors import ConfigError
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_settings import EncoderSettings, read_encoder_settings
from porism.vectors.neural.networks import load_model, longest_input, positions_of
from porism.vectors.neural.scoring.base import score_texts
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder
from porism.vectors.neural.sparse_encoder import SparseEncoder

need_encoders()

LONG = " ".join(TEXTS * 3)
POSITIONS = 40


def save_family(folder: Path, family: str, head: str = "AutoModel", **more: Any) -> Path:
    """A model of 16 numbers of a family of transformers, with positions for 40 tokens and padding of the number 1."""
    import torch
    import transformers

    tokenizer = word_tokenizer(limit=10**9)  # what tokenizers without a limit say
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        family, vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=POSITIONS, pad_token_id=1, **more,
    )
    getattr(transformers, head).from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def change_weights(folder: Path, change: Callable[[str, Any], Any]) -> None:
    """Writes the weights anew as ``change`` gives them; those that are None are left out."""
    from safetensors.torch import load_file, save_file

    changed = {name: change(name, weight) for name, weight in load_file(folder / "model.safetensors").items()}
    kept = {name: weight for name, weight in changed.items() if weight is not None}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def change_config(folder: Path, **changes: Any) -> None:
    """Changes the configuration of a model."""
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def as_numbers(folder: Path, numbers: str) -> Path:
    """The model with its weights as numbers of 16 bits, which its configuration says."""
    import torch

    change_weights(folder, lambda name, weight: weight.to(getattr(torch, numbers)))
    change_config(folder, dtype=numbers)
    return folder


@every_case("numbers", ["float16", "bfloat16"])
@every_case("precision", ["auto", "float32", "bfloat16", "int8"])
def test_weights_of_16_bits_encode_in_any_precision(tmp_path: Path, numbers: str, precision: Any) -> None:
    folder = save_encoder(tmp_path / "model")
    exact = Encoder.load(folder, device="cpu", precision="float32").encode_documents(TEXTS).vectors
    half = Encoder.load(as_numbers(folder, numbers), device="cpu", precision=precision)
    assert (half.encode_documents(TEXTS).vectors * exact).sum(axis=1).min() > 0.95
    if precision == "float32":
        import torch

        assert {weight.dtype for weight in half._model.children()[0].auto_model.parameters()} == {torch.float32}


@every_case("family", ["deberta", "fnet"])
def test_layers_that_only_float32_has_read_weights_of_16_bits(tmp_path: Path, family: str) -> None:
    more = {} if family == "fnet" else {"pos_att_type": ["c2p", "p2c"], "relative_attention": True}
    folder = as_numbers(save_family(tmp_path / family, family, **more), "float16")
    assert np.isfinite(Encoder.load(folder, device="cpu").encode_documents([LONG]).vectors).all()


@every_case("precision", ["auto", "float32", "bfloat16", "int8"])
def test_a_cross_encoder_of_16_bits_scores_in_any_precision(tmp_path: Path, precision: Any) -> None:
    folder = save_cross_encoder(tmp_path / "model")
    texts = [(TEXTS[0], text) for text in TEXTS]
    exact = score_texts(CrossEncoder(folder, device="cpu", precision="float32"), texts)
    half = score_texts(CrossEncoder(as_numbers(folder, "float16"), device="cpu", precision=precision), texts)
    assert np.corrcoef(exact, half)[0, 1] > 0.9


def test_a_sparse_encoder_of_16_bits_is_read(tmp_path: Path) -> None:
    folder = as_numbers(save_splade(tmp_path / "model"), "float16")
    assert len(SparseEncoder.load(folder, device="cpu", precision="bfloat16").encode_documents([LONG]).terms)


@every_case(("family", "length"), [
    ("bert", 40), ("distilbert", 40), ("albert", 40), ("electra", 40),
    ("roberta", 38), ("xlm-roberta", 38), ("camembert", 38), ("mpnet", 38), ("data2vec-text", 38), ("ibert", 38),
])
def test_the_longest_input_is_what_the_positions_of_a_model_allow(tmp_path: Path, family: str, length: int) -> None:
    folder = save_family(tmp_path / family, family)
    encoder = Encoder.load(folder, device="cpu")
    assert encoder.length == length
    assert encoder.encode_documents([LONG]).vectors.shape == (1, encoder.dimensions)
    assert Encoder.load(folder, device="cpu", settings=EncoderSettings(length=length)).length == length
    with pytest.raises(ConfigError, match=f"reads {length} tokens at once, not {length + 1}"):
        Encoder.load(folder, device="cpu", settings=EncoderSettings(length=length + 1))


def test_a_cross_encoder_reads_as_much_as_its_positions_allow(tmp_path: Path) -> None:
    folder = save_family(tmp_path / "mpnet", "mpnet", "AutoModelForSequenceClassification", num_labels=1)
    scorer = CrossEncoder(folder, device="cpu")
    assert scorer.length == 38
    assert np.isfinite(score_texts(scorer, [(LONG, LONG)])).all()


def test_positions_of_models_without_a_limit() -> None:
    class Config:
        n_positions = 48

    class Network:
        config = Config()

    assert positions_of(Network()) is None
    assert longest_input(None, Network()) == 48
    assert (positions_of(None), longest_input(None, None)) == (None, 512)


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut weights": (
        lambda folder: (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-99]),
        r"cannot be loaded \(.*incomplete.*Copy the folder again",
    ),
    "a pointer": (
        lambda folder: (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n"),
        "pointer of Git LFS.*git lfs pull",
    ),
    "weights of another program": (
        lambda folder: (
            (folder / "model.safetensors").unlink(), (folder / "pytorch_model.bin").write_bytes(b"weights" * 99)
        ),
        r"cannot be loaded \(",
    ),
    "a layer that is missing": (
        lambda folder: change_weights(folder, lambda name, weight: None if "layer.1" in name else weight),
        r"lack 16 weights \(encoder\.layer\.1.*random numbers",
    ),
    "weights of another kind": (
        lambda folder: change_config(folder, model_type="distilbert"), r"lack \d+ weights .*random numbers"
    ),
    "fewer words than weights": (
        lambda folder: change_config(folder, vocab_size=20),
        r"config\.json does not fit the weights: .*word_embeddings\.weight is \(\d+, 16\) in the files, \(20, 16\) by",
    ),
    "weights that are not numbers": (
        lambda folder: change_weights(
            folder, lambda name, weight: weight * float("nan") if "word_embeddings" in name else weight
        ),
        "not made of finite numbers.*Its weights are damaged",
    ),
    "an unknown family": (lambda folder: change_config(folder, model_type="mine9"), r"cannot be loaded \(.*mine9"),
    "a wrong type": (lambda folder: change_config(folder, num_hidden_layers="two"), r"cannot be loaded \(.*layers"),
    "no tokenizer": (
        lambda folder: [file.unlink() for file in folder.glob("tokenizer*")], r"has no vocabulary \(tokenizer\.json\)"
    ),
    "a model of pictures": (lambda folder: change_config(folder, model_type="vit"), "the model fails on a text"),
}


@every_case("name", BROKEN)
def test_a_broken_folder_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    damage, message = BROKEN[name]
    folder = save_encoder(tmp_path / "model")
    damage(folder)
    with pytest.raises(ConfigError, match=message) as error:
        Encoder.load(folder, device="cpu").encode_documents(TEXTS)
    assert str(folder) in str(error.value)


def test_a_broken_cross_encoder_is_an_error_that_names_it(tmp_path: Path) -> None:
    folder = save_cross_encoder(tmp_path / "model")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ConfigError, match="has no vocabulary"):
        CrossEncoder(folder, device="cpu")
    other = save_cross_encoder(tmp_path / "other")
    tokenizer = word_tokenizer(limit=64)
    tokenizer.add_tokens(["one", "more"])
    tokenizer.save_pretrained(other)
    with pytest.raises(ConfigError, match="do not belong together"):
        CrossEncoder(other, device="cpu")


def test_weights_in_several_files_are_read(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = save_encoder(tmp_path / "model")
    whole = Encoder.load(folder, device="cpu").encode_documents(TEXTS).vectors
    weights = load_file(folder / "model.safetensors")
    files = {name: f"model-0000{1 + place % 2}-of-00002.safetensors" for place, name in enumerate(sorted(weights))}
    for file in set(files.values()):
        part = {name: weight for name, weight in weights.items() if files[name] == file}
        save_file(part, folder / file, metadata={"format": "pt"})
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": files}))
    np.testing.assert_array_equal(Encoder.load(folder, device="cpu").encode_documents(TEXTS).vectors, whole)
    (folder / min(files.values())).unlink()
    with pytest.raises(ConfigError, match=r"cannot be loaded \(.*model-00001-of-00002"):
        Encoder.load(folder, device="cpu")


@every_case("length", [-1, "long", 4096])
def test_a_length_that_cannot_be_is_not_believed(tmp_path: Path, length: object) -> None:
    folder = save_bert(tmp_path / "model", limit=64)
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length}))
    assert Encoder.load(folder, device="cpu").length == 64


@every_case("prompts", [["q: "], "q: ", {"query": 5}, None, {}])
def test_prompts_of_another_form_are_none(tmp_path: Path, prompts: object) -> None:
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    assert read_encoder_settings(tmp_path) == EncoderSettings()


def test_no_code_of_a_model_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *prompt: pytest.fail("nobody is asked"))
    folder = save_cross_encoder(tmp_path / "model")
    change_config(folder, model_type="mine9", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"})
    (folder / "own.py").write_text("raise SystemExit('run')\n")
    for load in (lambda: CrossEncoder(folder, device="cpu"), lambda: Encoder.load(folder, device="cpu")):
        with pytest.raises(ConfigError, match="cannot be loaded"):
            load()


def test_the_weights_of_a_head_are_not_left_to_chance(tmp_path: Path) -> None:
    bert = save_bert(tmp_path / "bert")
    assert load_model("AutoModel", bert, "cpu", "a test")  # without a pooler, which nothing is computed with
    with pytest.raises(ConfigError, match="random numbers"):
        load_model("AutoModelForSequenceClassification", bert, "cpu", "a test")
