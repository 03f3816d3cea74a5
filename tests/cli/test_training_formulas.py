"""``porism train formula-encoder`` leaves a model that searches use, and ``porism encode`` takes it elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest


def test_train_and_encode(porism, tmp_path: Path, sample_index: Path) -> None:
    pytest.importorskip("accelerate", reason="training needs torch: pip install 'porism[neural]'")
    path, other = tmp_path / "index", tmp_path / "other"
    shutil.copytree(sample_index, path)
    shutil.copytree(sample_index, other)
    small = ("--dimensions", 8, "--heads", 2, "--width", 8, "--most", 60, "--epochs", 1, "--batch", 16, "--jobs", 1)
    result = porism("train", "formula-encoder", "fe", "--index", path, *small)
    assert (result.status, result.err) == (0, "")
    assert "formulas encoded" in result.out
    assert (path / "models" / "fe" / "model.safetensors").exists()
    for further in ((), ("--formulas",)):
        found = porism("search", "$x^2+1$", "--index", path, "--model", "formula-encoder", "--json", *further)
        assert found.status == 0
        assert json.loads(found.out)[0]["score"] > 0
    assert porism("encode", path / "models" / "fe", "--index", other, "--name", "taken").status == 0
    assert porism("search", "--formulas", "x+1", "--index", other, "--model", "formula-encoder").status == 0
    assert porism("encode", path / "models" / "fe", "--index", other, "--dtype", "int8").status == 2
    refused = porism("encode", path / "models" / "fe", "--index", other, "--set", "cut=head")
    assert (refused.status, "has no settings of text" in refused.err) == (1, True)
    assert "no longer part" in porism("encode", "taken", "--index", other, "--remove").out
    assert "porism train formula-encoder" in porism(
        "search", "--formulas", "x+1", "--index", other, "--model", "formula-encoder"
    ).err


def test_training_needs_torch(porism, sample_index: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = porism("train", "formula-encoder", "fe", "--index", sample_index)
    assert result.status == 1
    assert "pip install 'porism[neural]'" in result.err
