"""``porism train language-model`` leaves a model in the index that an encoder begins with."""

from __future__ import annotations

import re
import shutil

import pytest
from tiny_models import need_models, save_bert

from porism.sample import ENTRIES

need_models()
for library in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(library, reason="training needs it: pip install 'porism[neural]'")


def test_a_language_model_is_trained_and_an_encoder_begins_with_it(porism, sample_index, tmp_path):
    index, bert = tmp_path / "index", save_bert(tmp_path / "bert", limit=64)
    shutil.copytree(sample_index, index)
    result = porism("train", "language-model", "math", "--index", index, "--from", bert, "--length", 48, "--steps", 6,
                    "--device", "cpu", "--precision", "float32", "--objective", "mlm-nsp")
    assert (result.status, result.err) == (0, "")
    assert "6 of 6 steps; " in result.out
    assert "perplexity " in result.out
    assert "following sentences known: " in result.out
    ids = [line.split('"id": "')[1].split('"')[0] for line in ENTRIES.read_text().splitlines()]
    (tmp_path / "ids.txt").write_text("\n".join(ids[:100]))
    given = ("--index", index, "--from", bert, "--length", 48, "--steps", 1, "--device", "cpu", "--output")
    less = porism("train", "language-model", "less", *given, tmp_path / "less", "--exclude-ids", tmp_path / "ids.txt")
    documents = [int(re.search(r"of (\d+) documents", one.out)[1]) for one in (result, less)]
    assert documents[0] - documents[1] >= 100
    result = porism("train", "encoder", "own", "--index", index, "--from", "math", "--miner", "titles", "--steps", 1,
                    "--length", 48, "--device", "cpu", "--precision", "float32")
    assert (result.status, result.err) == (0, "")
    assert (index / "models" / "own" / "porism.json").exists()
    assert porism("train", "language-model", "x", "--index", index, "--from", tmp_path).status == 1
