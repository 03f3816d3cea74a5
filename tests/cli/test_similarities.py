"""``porism similarities`` builds matrices, shows what is similar, and lists what there is."""

from __future__ import annotations

import json
import shutil

import pytest

from porism.retrieve.lexical.similarity_matrix import open_similarities


@pytest.fixture
def path(tmp_path, sample_index):
    pytest.importorskip("rapidfuzz", reason="lexical similarity needs rapidfuzz: pip install 'porism[embeddings]'")
    shutil.copytree(sample_index, tmp_path / "index")
    return tmp_path / "index"


def test_a_matrix_is_built_shown_and_listed(porism, path):
    result = porism("similarities", "lex", "--index", path, "--top", 5, "--lexical-threshold", 0.1, "--workers", 1)
    assert (result.status, result.err) == (0, "")
    matrix = open_similarities(path, "lex")
    assert f"lex: {len(matrix):,} terms of words, {len(matrix.columns):,} similarities, alpha 1" in result.out
    assert matrix.info["settings"]["top"] == 5
    term = next(term for number, term in enumerate(matrix.dictionary) if len(matrix.row(number)[0]) > 2)
    shown = porism("similarities", "lex", "--index", path, "--show", term, "-k", 2)
    assert shown.out.splitlines() == [f"{value:.4f}  {other}" for other, value in matrix.most_similar(term, 2)]
    listed = porism("similarities", "--index", path, "--list")
    assert listed.out.startswith("lex: ")
    found = json.loads(porism("similarities", "--index", path, "--list", "--json").out)
    assert [one["name"] for one in found] == ["lex"]
    assert found[0]["bytes"] == matrix.path.stat().st_size
    shown = json.loads(porism("similarities", "lex", "--index", path, "--show", term, "-k", 1, "--json").out)
    assert shown["similar"][0]["term"] == matrix.most_similar(term, 1)[0][0]
    assert porism("info", path, "--verify").status == 0


def test_switches_and_settings_reach_the_matrix(porism, path):
    result = porism(
        "similarities", "m", "--index", path, "--channel", "tokens", "--no-symmetric", "--dominant", "--capped",
        "--max-distance", 2, "--lexical-factor", 1.0, "--lexical-power", 2.0, "--vocabulary", 20, "--min-df", 2,
        "--json",
    )
    info = json.loads(result.out)
    assert info["channel"] == "tokens"
    assert info["terms"] <= 20
    chosen = info["settings"]
    assert (chosen["symmetric"], chosen["dominant"], chosen["capped"], chosen["apart"]) == (False, True, True, False)
    assert (chosen["max_distance"], chosen["lexical_factor"], chosen["lexical_power"]) == (2, 1.0, 2.0)
    assert porism("similarities", "m", "--index", path, "--quiet").out == ""


def test_what_is_wrong_is_reported(porism, path, tmp_path):
    assert "Give the NAME" in porism("similarities", "--index", path).err
    assert "no similarity matrix 'm'" in porism("similarities", "m", "--index", path, "--show", "x").err
    result = porism("similarities", "m", "--index", path, "--show", "x", "--alpha", 1)
    assert (result.status, "--alpha does not work with --show" in result.err) == (2, True)
    assert "need embeddings" in porism("similarities", "m", "--index", path, "--alpha", 0.5).err
    assert "no embeddings 'e'" in porism("similarities", "m", "--index", path, "--embeddings", "e").err
    assert "top of token similarities cannot be 0" in porism("similarities", "m", "--index", path, "--top", 0).err
    assert porism("similarities", "m", "--index", path, "--workers", 0).status == 2
    assert "has no similarity matrices" in porism("similarities", "--index", path, "--list").err
    assert porism("similarities", "--index", tmp_path / "none", "--list").status == 1
    porism("similarities", "m", "--index", path, "--quiet")
    assert "'qqqq' is not in" in porism("similarities", "m", "--index", path, "--show", "qqqq").err
