"""``porism train`` leaves a model that the retriever reads."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from porism.index import Snapshot
from porism.types import Formula
from porism.vectors.formula_vectors.tangent_cft import TangentCftRanker


def test_train_leaves_a_model_in_the_index(porism, tmp_path, sample_index):
    pytest.importorskip("gensim", reason="training needs gensim: pip install 'porism[embeddings]'")
    path = tmp_path / "index"
    shutil.copytree(sample_index, path)
    small = ("--dimensions", 6, "--window", 2, "--epochs", 1, "--negative", 1, "--min-n", 1, "--max-n", 2, "--seed", 3)
    result = porism("train", "tangent-cft", "--index", path, *small)
    assert (result.status, result.err) == (0, "")
    assert "models/tangent-cft.bin" in result.out
    with Snapshot.open(path) as snapshot:
        retriever = TangentCftRanker(snapshot)
        assert retriever.vectors.dimensions == 6
        assert retriever.search([Formula("x^2+1")], 3)[0].scores[0] > 0
    assert porism("train", "tangent-cft", "--index", path, *small, "--quiet").out == ""
    assert porism("info", path, "--verify").status == 0
    for further in ((), ("--formulas",)):
        found = porism("search", "$x^2+1$", "--index", path, "--model", "tangent-cft", "--json", "--explain", *further)
        assert found.status == 0
        assert json.loads(found.out)[0]["score"] > 0


def test_train_says_what_is_wrong(porism, tmp_path, sample_index, monkeypatch):
    assert "cannot be 0 in training" in porism("train", "tangent-cft", "--index", sample_index, "--dimensions", 0).err
    assert porism("train", "tangent-bert", "--index", sample_index).status == 2
    monkeypatch.setitem(sys.modules, "gensim", None)
    result = porism("train", "tangent-cft", "--index", sample_index)
    assert result.status == 1
    assert "pip install 'porism[embeddings]'" in result.err
    monkeypatch.undo()
    pytest.importorskip("gensim")
    assert porism("train", "tangent-cft", "--index", tmp_path / "none").status == 1
