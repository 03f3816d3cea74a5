"""Folders with a network in ONNX: they are run as networks of transformers are."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from dense_cases import document, write_index
from numpy.typing import NDArray
from tiny_models import TEXTS, need_encoders, save_cross_encoder, save_encoder, save_splade

from porism.errors import ConfigError, MissingExtra
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_files import digest_of, find_encoder, onnx_file
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.scoring.base import score_texts
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder
from porism.vectors.neural.scoring.seq2seq import TrueFalse
from porism.vectors.neural.sparse_encoder import SparseEncoder

need_encoders()
needs_onnx = pytest.mark.skipif(
    not all(map(find_spec, ("onnxruntime", "onnx"))),
    reason="networks in ONNX need onnxruntime, and onnx to make one: pip install 'porism[dev]'",
)

LONG = " ".join(TEXTS)


def write_network(file: Path, table: NDArray[np.float32], output: str, *, pooled: bool = False) -> None:
    """Writes a network in ONNX that gives each token its row of a table, or a text the sum of the rows of its tokens;
    the table is in a file of its own."""
    from onnx import TensorProto, helper, numpy_helper, save

    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in names]
    given = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    rows = output if not pooled else "rows"
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [rows])]
    stored = [numpy_helper.from_array(table, "table")]
    if pooled:
        stored.append(numpy_helper.from_array(np.array([1], np.int64), "tokens"))
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["there"]),
            helper.make_node("Mul", [rows, "there"], ["counted"]),
            helper.make_node("ReduceSum", ["counted", "tokens"], [output], keepdims=0),
        ]
        stored.append(numpy_helper.from_array(np.array([2], np.int64), "last"))
    network = helper.make_model(
        helper.make_graph(nodes, "network", inputs, [given], stored), opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    file.parent.mkdir(exist_ok=True)
    save(network, file, save_as_external_data=True, location=f"{file.name}_data", size_threshold=64)


def encoder_in_onnx(folder: Path, place: str = "model.onnx", output: str = "last_hidden_state") -> tuple[Path, Any]:
    """An encoder whose network gives each token its row of a table, and that table."""
    save_encoder(folder)
    (folder / "model.safetensors").unlink()
    table = np.random.default_rng(3).normal(size=(200, 16)).astype(np.float32)
    write_network(folder / place, table, output)
    return folder, table


@needs_onnx
@every_case(("place", "output"), [
    ("model.onnx", "last_hidden_state"), ("onnx/model.onnx", "token_embeddings"),
    ("onnx/model_O2.onnx", "token_embeddings"),
])
def test_an_encoder_in_onnx_gives_the_mean_of_what_its_network_gives_tokens(
    tmp_path: Path, place: str, output: str
) -> None:
    folder, table = encoder_in_onnx(tmp_path / "model", place, output)
    encoder = Encoder.load(folder)
    assert (encoder.length, encoder.dimensions) == (64, 16)
    texts = [*TEXTS, LONG, "sum"]
    tokens = encoder._routes["document"].tokenizer(texts, truncation=True, max_length=64)["input_ids"]
    means = np.stack([table[ids].mean(axis=0) for ids in tokens])
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.encode_documents(texts).vectors, expected, atol=1e-6)
    digest = digest_of(folder)
    data = folder / f"{place}_data"
    data.write_bytes(data.read_bytes() + b"0")
    assert digest_of(folder) != digest
    with pytest.raises(ConfigError, match="reads 64 tokens at once, not 65"):
        Encoder.load(folder, settings=EncoderSettings(length=65))
    with pytest.raises(ConfigError, match="computes with the numbers of its file, not in bfloat16"):
        Encoder.load(folder, precision="bfloat16")
    with pytest.raises(ConfigError, match="computes with the numbers of its file, not in int8"):
        Encoder.load(folder, precision="int8")


@needs_onnx
def test_an_index_is_encoded_by_an_encoder_in_onnx(tmp_path: Path) -> None:
    path = write_index(tmp_path / "i.index", [document(number) for number in range(5)])
    report = DENSE_ENCODING.encode(path, encoder_in_onnx(tmp_path / "tiny")[0])
    assert (report.encoded, report.record.dimensions) == (5, 16)


@needs_onnx
@every_case("precision", ["auto", "float32"])
def test_a_cross_encoder_in_onnx_gives_the_logits_of_its_network(tmp_path: Path, precision: Any) -> None:
    folder = save_cross_encoder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    table = np.random.default_rng(5).normal(size=(200, 1)).astype(np.float32)
    write_network(folder / "model.onnx", table, "logits", pooled=True)
    scorer = CrossEncoder(folder, precision=precision)
    texts = [(TEXTS[0], text) for text in ("sum", *TEXTS)]
    expected = [
        float(table[scorer.together(scorer.tokenised(pair)).ids].sum(dtype=np.float64)) for pair in texts
    ]
    np.testing.assert_allclose(score_texts(scorer, texts), expected, rtol=1e-4)


@needs_onnx
def test_a_network_with_other_inputs_or_outputs_is_refused(tmp_path: Path) -> None:
    folder, _ = encoder_in_onnx(tmp_path / "model", output="sentence_embedding")
    with pytest.raises(ConfigError, match="is not one from attention_mask, input_ids, token_type_ids to last_hidden"):
        Encoder.load(folder)
    (folder / "model.onnx").write_bytes(b"something else")
    with pytest.raises(ConfigError, match=r"cannot be loaded \("):
        Encoder.load(folder)


def in_onnx(folder: Path, *names: str) -> Path:
    """The folder with files of ONNX, which nothing reads, in place of its weights."""
    (folder / "model.safetensors").unlink()
    for name in names or ("model.onnx",):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"network")
    return folder


def test_the_file_of_a_network_is_found(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "model")
    assert onnx_file(folder) is None
    assert onnx_file("org/name") is None
    (folder / "model.onnx").write_bytes(b"unread")
    assert onnx_file(folder) is None  # its weights are read
    (folder / "model.onnx").unlink()
    in_onnx(folder, "onnx/model_quantized.onnx")
    assert onnx_file(folder) == folder / "onnx" / "model_quantized.onnx"
    (folder / "onnx" / "model_O2.onnx").write_bytes(b"network")
    with pytest.raises(ConfigError, match=r"several networks in ONNX \(model_O2.onnx, model_quantized.onnx\)"):
        find_encoder(folder)
    (folder / "onnx" / "model.onnx").write_bytes(b"network")
    assert onnx_file(folder) == folder / "onnx" / "model.onnx"
    assert find_encoder(folder).digest


def test_weights_in_the_folder_of_a_part_go_before_a_network(tmp_path: Path) -> None:
    folder = in_onnx(save_encoder(tmp_path / "model"), "onnx/model.onnx")
    parts = json.loads((folder / "modules.json").read_text())
    parts[0]["path"] = "0_Transformer"
    (folder / "modules.json").write_text(json.dumps(parts))
    (folder / "0_Transformer").mkdir()
    assert onnx_file(folder) is not None
    (folder / "0_Transformer" / "model.safetensors").write_bytes(b"weights")
    assert onnx_file(folder) is None


@every_case(("save", "load"), [
    (save_encoder, lambda folder: Encoder.load(folder)),
    (save_cross_encoder, lambda folder: CrossEncoder(folder)),
])
def test_without_onnxruntime_its_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path], Path], load: Callable[[Path], object]
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[onnx\]'"):
        load(in_onnx(save(tmp_path / "model")))


def test_models_in_onnx_that_are_not_run_are_refused(tmp_path: Path) -> None:
    sparse = in_onnx(save_splade(tmp_path / "sparse"))
    with pytest.raises(ConfigError, match=r"only encoders of a usual form.*model.safetensors"):
        SparseEncoder.load(sparse)
    pooled = in_onnx(save_encoder(tmp_path / "pooled"))
    (pooled / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "max", "embedding_dimension": 16}))
    with pytest.raises(ConfigError, match="only encoders of a usual form"):
        Encoder.load(pooled)
    with pytest.raises(ConfigError, match="only encoders and cross-encoders are run"):
        TrueFalse(in_onnx(save_encoder(tmp_path / "other")))
