"""``porism train positional`` and its kin leave vectors that ``porism neighbours`` shows."""

from __future__ import annotations

import json
import shutil

import pytest

from porism.vectors.embeddings import open_token_vectors


@pytest.fixture(scope="module")
def path(tmp_path_factory, sample_index):
    folder = tmp_path_factory.mktemp("vectors") / "index"
    shutil.copytree(sample_index, folder)
    return folder


SMALL = ("--dimensions", 12, "--epochs", 2, "--min-count", 2, "--sample", 0, "--jobs", 1)


def test_train_positional_and_look_at_neighbours(porism, path):
    result = porism("train", "positional", "v1", "--channel", "words", "--index", path, *SMALL, "--positional", 4)
    assert (result.status, result.err) == (0, "")
    assert "v1.bin" in result.out
    assert "mean loss" in result.out
    shown = porism("neighbours", "v1", "matrix", "--index", path, "-k", 3)
    assert shown.status == 0
    assert len(shown.out.splitlines()) == 3
    told = json.loads(porism("neighbours", "v1", "matrix", "--index", path, "-k", 3, "--json").out)
    assert [f"{one['cosine']:6.3f}  {one['term']}" for one in told] == shown.out.splitlines()
    assert porism("train", "positional", "v1", "--channel", "words", "--index", path, *SMALL, "--positional", 4,
                  "--quiet").out == ""


def test_a_preset_gives_what_no_option_does(porism, path):
    result = porism("train", "positional", "v2", "--channel", "words", "--index", path, *SMALL, "--positional", 4,
                    "--preset", "scm2022-positional", "--quiet")
    assert (result.status, result.err) == (0, "")
    settings = open_token_vectors(path, "v2").info["settings"]
    assert (settings["window"], settings["negative"]) == (15, 10)
    assert (settings["dimensions"], settings["sample"]) == (12, 0)  # as given
    wrong = porism("train", "positional", "v3", "--channel", "words", "--index", path, "--preset", "scm2022")
    assert wrong.status == 1
    assert "is of the method word2vec" in wrong.err


@pytest.mark.parametrize("method", ["word2vec", "fasttext"])
def test_train_by_gensim(porism, path, method):
    pytest.importorskip("gensim", reason="training needs gensim: pip install 'porism[embeddings]'")
    result = porism("train", method, method, "--channel", "tokens", "--index", path, *SMALL, "--skip-gram")
    assert (result.status, result.err) == (0, "")
    assert porism("neighbours", method, "=", "--index", path, "-k", 2).status == 0


def test_errors_are_one_line(porism, path):
    assert "cannot be the name" in porism("train", "positional", "a/b", "--channel", "words", "--index", path).err
    assert "no channel 'wrods'" in porism("train", "positional", "a", "--channel", "wrods", "--index", path).err
    assert porism("train", "positional", "a", "--index", path).status == 2
    assert "no embeddings 'none'" in porism("neighbours", "none", "x", "--index", path).err
