"""Encoders of the usual form are opened without sentence-transformers, and give the vectors that it gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import TEXTS, need_encoders, save_bert, save_encoder

import porism
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_settings import EncoderSettings, read_encoder_settings
from porism.vectors.neural.plain_encoder import PlainEncoder, plain_parts

need_encoders()

LONG = " ".join(TEXTS)


def save(folder: Path, *layers: str, pooling: str = "mean", **more: Any) -> Path:
    """A BERT of 16 numbers with further layers: dense ones (bias and tanh, or neither) and normalisation."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

    inner = save_encoder(folder.with_name("plain"))
    torch.manual_seed(3)
    made: dict[str, Any] = {
        "tanh": lambda: Dense(16, 16), "linear": lambda: Dense(16, 5, bias=False, activation_function=None),
        "residual": lambda: Dense(16, 16, use_residual=True), "normalize": Normalize,
    }
    modules = [Transformer(str(inner)), Pooling(16, pooling_mode=pooling), *(made[name]() for name in layers)]
    SentenceTransformer(modules=modules, device="cpu", **more).save(str(folder))
    return folder


def of_library(folder: Path, of: str = "document", **settings: Any) -> Any:
    """What sentence-transformers makes of the texts."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", **settings)
    return getattr(model, f"encode_{of}")([*TEXTS, LONG])


@every_case(("layers", "pooling"), [
    ((), "mean"), (("normalize",), "mean"), ((), "cls"), (("normalize",), "cls"),
    (("tanh", "normalize"), "mean"), (("linear",), "cls"), (("tanh", "linear"), "mean"),
])
def test_vectors_are_those_of_sentence_transformers(tmp_path: Path, layers: tuple[str, ...], pooling: str) -> None:
    folder = save(tmp_path / "model", *layers, pooling=pooling)
    encoder = Encoder.load(folder, settings=EncoderSettings(similarity="dot"), device="cpu", precision="float32")
    assert isinstance(encoder._model, PlainEncoder)
    expected = of_library(folder)
    assert encoder.dimensions == expected.shape[1]
    np.testing.assert_allclose(encoder.encode_documents([*TEXTS, LONG]).vectors, expected, atol=2e-6)


def test_weights_of_16_bits_give_what_autocast_gives(tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    folder = save(tmp_path / "model", "normalize")
    encoder = Encoder.load(folder, device="cpu", precision="bfloat16")
    linear = encoder._model.children()[0].auto_model.encoder.layer[0].intermediate.dense
    assert linear.weight.dtype == torch.bfloat16
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS[:1])
    np.testing.assert_allclose(encoder.encode_documents(TEXTS[:1]).vectors, expected, atol=1e-6)


def test_prompts_and_similarity_of_a_model_are_read(tmp_path: Path) -> None:
    prompts = {"query": "series: ", "document": "limit of "}
    folder = save(tmp_path / "model", prompts=prompts, similarity_fn_name="dot")
    settings = read_encoder_settings(folder)
    assert (settings.query_prefix, settings.document_prefix, settings.similarity) == ("series: ", "limit of ", "dot")
    encoder = Encoder.load(folder, device="cpu", precision="float32")
    np.testing.assert_allclose(encoder.encode_documents([*TEXTS, LONG]).vectors, of_library(folder), atol=2e-6)
    np.testing.assert_allclose(encoder.encode_queries([*TEXTS, LONG])[0], of_library(folder, "query"), atol=2e-6)
    assert abs(of_library(folder) - of_library(folder, "query")).max() > 0.01


def test_the_prompt_of_passages_is_that_of_documents(tmp_path: Path) -> None:
    file = tmp_path / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": {"query": "q: ", "document": "", "passage": "p: "}}))
    settings = read_encoder_settings(tmp_path)
    assert (settings.query_prefix, settings.document_prefix, settings.similarity) == ("q: ", "p: ", "cos")
    file.write_text(json.dumps({"model_type": "MultiVectorEncoder", "prompts": {"query": "[Q] "}}))
    assert read_encoder_settings(tmp_path) == EncoderSettings()


def test_a_length_and_another_pooling_are_respected(tmp_path: Path) -> None:
    folder = save(tmp_path / "model")
    file = folder / "sentence_bert_config.json"
    file.write_text(json.dumps({"max_seq_length": 12, "do_lower_case": False}))
    encoder = Encoder.load(folder, settings=EncoderSettings(similarity="dot"), device="cpu", precision="float32")
    assert encoder.length == 12
    np.testing.assert_allclose(encoder.encode_documents([*TEXTS, LONG]).vectors, of_library(folder), atol=2e-6)
    cls = Encoder.load(folder, settings=EncoderSettings(pooling="cls"), device="cpu", precision="float32")
    assert not np.allclose(cls.encode_documents(TEXTS).vectors, encoder.encode_documents(TEXTS).vectors, atol=0.01)


def test_a_folder_of_transformers_alone_has_mean_pooling(tmp_path: Path) -> None:
    folder = save_bert(tmp_path / "bert")
    assert plain_parts(folder) == ("mean", (), None)
    encoder = Encoder.load(folder, settings=EncoderSettings(similarity="dot"), device="cpu", precision="float32")
    np.testing.assert_allclose(encoder.encode_documents(TEXTS).vectors, of_library(folder)[:-1], atol=2e-6)


@every_case("unusual", ["max pooling", "residual", "lower case", "module", "family"])
def test_other_forms_are_left_to_sentence_transformers(tmp_path: Path, unusual: str) -> None:
    folder = save(
        tmp_path / "model", *(["residual"] if unusual == "residual" else []),
        pooling="max" if unusual == "max pooling" else "mean",
    )
    if unusual == "lower case":
        (folder / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    elif unusual in ("module", "family"):
        file, key, value = {
            "module": ("modules.json", "sentence_transformers.", "mine."), "family": ("config.json", '"bert"', '"t5"')
        }[unusual]
        written = (folder / file).read_text()
        assert key in written
        (folder / file).write_text(written.replace(key, value))
    assert plain_parts(folder) is None
    if unusual in ("max pooling", "residual"):
        encoder = Encoder.load(folder, settings=EncoderSettings(similarity="dot"), device="cpu", precision="float32")
        np.testing.assert_allclose(encoder.encode_documents([*TEXTS, LONG]).vectors, of_library(folder), atol=2e-6)


@LONG_ONLY
def test_a_search_does_not_import_sentence_transformers(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", "normalize")
    program = (
        "import sys; from porism.vectors.neural.encoder import Encoder; "
        f"Encoder.load({str(folder)!r}, device='cpu').encode_queries(['a series']); "
        "print(sorted({'sentence_transformers', 'sklearn', 'datasets', 'pandas'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(porism.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=300)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
