"""``porism encode`` with a sparse encoder: an index that is searched by the terms that a model gave its documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_models import TEXTS, need_encoders, save_bert, save_encoder, save_splade, write_notes

QUESTION = " ".join(TEXTS[:3])  # of few words a model with random weights gives no document any


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_encoders()
    return save_splade(tmp_path_factory.mktemp("models") / "tiny", static=True)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write_notes(tmp_path)


def test_one_command_prepares_an_index_and_updates_encode_what_is_new(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    made = porism("index", notes, "--index", path, "--jobs", 1, "--encoder", tiny)
    assert (made.status, made.err) == (0, "")
    assert "4 documents encoded in " in made.out
    assert " terms each" in made.out
    assert f"--model splade --index {path}" in made.out
    told = porism("search", QUESTION, "--model", "splade", "--index", path, "--explain")
    assert (told.status, told.err) == (0, "")
    assert "channel splade:tiny: Impact()" in told.out
    with notes.open("a") as file:
        file.write(json.dumps({"id": "new", "title": "", "body": "maximum maximum"}) + "\n")
    assert porism("update", "--index", path, "--jobs", 1).status == 0
    model = tmp_path / "both.toml"
    model.write_text('[channels.words]\nweight = 1.0\n\n[channels."splade:tiny"]\nweight = 0.5\n')
    both = porism("search", QUESTION, "--model", model, "--index", path, "--explain")
    assert both.status == 0, both.err
    assert "channel words" in both.out
    assert "channel splade:tiny" in both.out
    listed = porism("info", path).out
    assert "sparse/tiny" in listed
    assert "not encoded" not in listed
    assert porism("check", "--index", path).status == 0


def test_it_is_a_part_of_a_sum_of_models(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1, "--encoder", tiny)
    model = tmp_path / "sum.toml"
    model.write_text('kind = "sum"\n[parts.default]\nweight = 0.6\n[parts.splade]\nweight = 0.4\n')
    told = porism("search", "a prime divides", "--model", model, "--index", path, "--explain")
    assert told.status == 0, told.err
    assert "splade: 0.4" in told.out


def test_a_masked_language_model_gives_terms_where_that_is_wanted(porism, notes, tmp_path):
    need_encoders()
    path, model = tmp_path / "i.index", save_bert(tmp_path / "bert")
    porism("index", notes, "--index", path, "--jobs", 1)
    assert " terms each" in porism("encode", model, "--index", path, "--kind", "splade").out
    assert "dimensions" in porism("encode", model, "--index", path).out


def test_an_encoder_is_forgotten(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1, "--encoder", tiny)
    assert porism("encode", "tiny", "--index", path, "--remove").status == 0
    missing = porism("search", "prime", "--model", "splade", "--index", path)
    assert missing.status == 1
    assert "no terms of a sparse encoder" in missing.err
    assert porism("encode", "tiny", "--index", path, "--remove").status == 1


def test_what_does_not_fit_is_said(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1)
    wrong = porism("encode", tiny, "--index", path, "--dtype", "int8")
    assert "--dtype is not for models of the kind splade" in wrong.err
    dense = save_encoder(tmp_path / "dense")
    assert "not a sparse encoder" in porism("encode", dense, "--index", path, "--kind", "splade").err
    assert "made by a sparse encoder" in porism("index", notes, "--index", path, "--channels", "splade").err
