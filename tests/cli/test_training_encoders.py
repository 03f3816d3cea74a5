"""``porism train encoder`` leaves a model in the index that the library opens."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from tiny_models import need_models

need_models()
pytest.importorskip("sentence_transformers", reason="training needs it: pip install 'porism[neural]'")
pytest.importorskip("datasets", reason="training needs it: pip install 'porism[neural]'")

from tiny_encoders import PAIRS, hits, save_encoder  # noqa: E402

from porism.lab.train.pairs.files import read_pairs, write_pairs  # noqa: E402
from porism.search.index import open_index  # noqa: E402
from porism.vectors.neural.encoder import Encoder  # noqa: E402

SMALL = ("--length", 32, "--device", "cpu", "--precision", "float32", "--learning-rate", 1e-2, "--batch", 12)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("model") / "model")


def test_an_encoder_is_trained_on_the_index_and_kept_in_it(porism, sample_index, tmp_path, model):
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    command = ("train", "encoder", "own", "--index", index, "--from", model, "--miner", "titles", "--most", 40, *SMALL)
    result = porism(*command, "--formulas", "unicode")
    assert (result.status, result.err) == (0, "")
    assert "titles: 40 pairs" in result.out
    assert "40 pairs: " in result.out
    encoder = Encoder.load("own", index_path=index, device="cpu")
    assert (encoder.length, encoder.settings.text.formulas) == (32, "unicode")
    assert encoder.encode_queries(["a limit"])[0].shape == (1, 16)
    assert porism("info", index).status == 0
    assert porism("train", "encoder", "more", "--index", index, "--from", "own", "--miner", "titles", *SMALL,
                  "--steps", 2, "--quiet").out == ""


def test_an_encoder_is_trained_on_files_of_pairs(porism, sample_index, tmp_path, model):
    write_pairs(tmp_path / "pairs", PAIRS)
    result = porism("train", "encoder", "x", "--index", sample_index, "--from", model, "--pairs", tmp_path / "pairs",
                    "--output", tmp_path / "out", "--epochs", 12, "--matryoshka", "16,8", *SMALL)
    assert (result.status, result.err) == (0, "")
    assert hits(tmp_path / "out") > 0.6
    wrong = porism("train", "encoder", "x", "--from", model, "--pairs", tmp_path / "pairs", "--output", tmp_path / "y",
                   "--matryoshka", "a")
    assert "is not a list of numbers" in wrong.err


def test_questions_are_trained_against_the_documents_of_the_index(porism, sample_index, tmp_path, model):
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    with open_index(index) as opened:
        left, *others = (document.id for document in opened.documents)
    (tmp_path / "left.txt").write_text(f"{left}\n")
    result = porism("train", "encoder", "own", "--index", index, "--from", model, "--miner", "titles", "--most", 40,
                    "--loss", "collection", "--exclude-ids", tmp_path / "left.txt", *SMALL)
    assert result.status == 0
    told = re.search(r"encoding ([\d,]+) texts that answers are told from", result.err)
    # The documents beside the 40 positives, without the one and what nearly repeats it.
    assert 40 + len(others) - 5 <= int(told[1].replace(",", "")) <= 40 + len(others)
    (before, after) = (Encoder.load(name, index_path=index, device="cpu") for name in (model, "own"))
    np.testing.assert_array_equal(*(one.encode_documents(["a limit"]).vectors for one in (before, after)))
    assert not np.array_equal(*(one.encode_queries(["a limit"])[0] for one in (before, after)))


def test_questions_of_files_are_read_as_before(porism, sample_index, tmp_path, model):
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    write_pairs(tmp_path / "kept", PAIRS)
    command = ("train", "encoder", "--index", index, "--from", model, "--miner", "titles", "--most", 40, *SMALL)
    for name, more in (("free", ()), ("bound", ("--keep", tmp_path / "kept", "--keep-share", 2, "--keep-weight", 90))):
        assert porism(*command[:2], name, *command[2:], "--loss", "collection", "--epochs", 4, *more).status == 0
    before, free, bound = (
        Encoder.load(name, index_path=index, device="cpu").encode_queries([pair.anchor for pair in PAIRS])[0]
        for name in (model, "free", "bound")
    )
    assert (1 - (bound * before).sum(axis=1)).mean() < 0.5 * (1 - (free * before).sum(axis=1)).mean()
    result = porism(*command[:2], "both", *command[2:], "--loss", "collection", "--beside", sample_index,
                    tmp_path / "kept", "--rivals", 9)  # the former names of --also and --candidates
    assert result.status == 0
    # Of each index the positives and 9 texts drawn from the others.
    assert f"encoding {40 + len(PAIRS) + 18} texts that answers are told from" in result.err
    assert f"{40 + len(PAIRS)} pairs: " in result.out
    wrong = porism(*command[:2], "other", *command[2:], "--keep", tmp_path / "kept")
    assert "the loss ranking has no questions that keep their vectors" in wrong.err


def test_pairs_get_negatives_and_scores(porism, sample_index, tmp_path, model):
    command = ("train", "pairs", tmp_path / "p", "--index", sample_index, "--miner", "titles", "--most", 12)
    result = porism(*command, "--negatives", "search", "--negative-count", 2, "--teacher", model)
    assert (result.status, result.err) == (0, "")
    assert "negatives: 12 pairs with" in result.out
    found = read_pairs(tmp_path / "p")
    assert {len(pair.negatives) for pair in found} <= {1, 2}
    assert all(len(pair.scores) == 1 + len(pair.negatives) for pair in found)
    porism(*command, "--negatives", "model", "--scorer", model, "--margin", 0)
    assert any(pair.negatives for pair in read_pairs(tmp_path / "p"))
    report = porism("train", "encoder", "x", "--from", model, "--pairs", tmp_path / "p", "--loss", "margin-mse",
                    "--output", tmp_path / "out", *SMALL)
    assert "a teacher has scored" in report.err


def test_a_model_that_is_none_is_refused_before_anything_is_mined(porism, sample_index, tmp_path):
    result = porism("train", "encoder", "x", "--index", sample_index, "--from", tmp_path, "--miner", "titles")
    assert result.status == 1
    assert "not the folder of a model" in result.err
