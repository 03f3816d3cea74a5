"""``porism train decontextualised`` leaves vectors in the index."""

from __future__ import annotations

import shutil
import sys

from tiny_models import need_models, save_bert

from porism.vectors.embeddings import open_token_vectors


def test_vectors_of_words_are_left_in_the_index(porism, sample_index, tmp_path):
    need_models()
    path, model = tmp_path / "index", save_bert(tmp_path / "bert")
    shutil.copytree(sample_index, path)
    command = ("train", "decontextualised", "small", "--index", path, "--model", model, "--channel", "words",
               "--device", "cpu", "--min-count", 2)
    result = porism(*command)
    assert (result.status, result.err) == (0, "")
    assert "terms with a vector" in result.out
    assert "without one" in result.out
    found = open_token_vectors(path, "small")
    assert "seri" in found
    assert found.dimensions == 16
    assert porism(*command, "--quiet").out == ""
    assert porism(*command, "--layer", 9).status == 1


def test_a_model_is_extended_into_a_folder(porism, tmp_path):
    need_models()
    from transformers import AutoTokenizer

    model, folder = save_bert(tmp_path / "bert"), tmp_path / "extended"
    result = porism("train", "extended", folder, "--model", model, "--token", r"\frac{", "--token", "word")
    assert (result.status, "3 tokens added" in result.out, "1 left out" in result.out) == (0, True, True)
    assert r"\frac{" in AutoTokenizer.from_pretrained(folder).tokenize(r"[MATH]\frac{a}{b}[/MATH]")
    assert porism("train", "extended", folder, "--model", model).status == 1


def test_without_the_extra_the_command_that_installs_it_is_reported(porism, sample_index, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    result = porism("train", "decontextualised", "x", "--index", sample_index, "--model", "m", "--channel", "words")
    assert result.status == 1
    assert "pip install 'porism[neural]'" in result.err
