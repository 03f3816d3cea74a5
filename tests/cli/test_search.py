"""``porism search`` on the sample."""

from __future__ import annotations

import json
import os
import re

import pytest
from case_tables import every_case


def test_json_is_one_array_with_the_stated_keys(porism, sample_index) -> None:
    result = porism("search", r"sum of reciprocal squares $\sum 1/n^2$", "--index", sample_index, "-k", 3, "--json")
    assert result.status == 0
    hits = json.loads(result.out)
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert all(set(hit) == {"rank", "id", "score", "title", "snippet", "location", "metadata"} for hit in hits)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    for hit in hits:
        assert hit["snippet"]["text"] == "".join(piece["text"] for piece in hit["snippet"]["pieces"])
        assert any(piece.get("match") for piece in hit["snippet"]["pieces"])
    assert "basel-by-parseval" in [hit["id"] for hit in hits]


def test_explanations_add_up_to_the_scores(porism, sample_index) -> None:
    result = porism("search", r"integral of $e^{-x^2}$", "--index", sample_index, "-k", 2, "--json", "--explain")
    hits = json.loads(result.out)
    assert len(hits) == 2
    for hit in hits:
        stack = [hit["explanation"]]
        assert stack[0]["value"] == pytest.approx(hit["score"], rel=1e-12)
        while stack:
            node = stack.pop()
            parts = node.get("parts", [])
            if parts:
                assert node["value"] == pytest.approx(sum(part["value"] for part in parts), rel=1e-9)
            stack.extend(parts)


def test_the_list_marks_matches_and_shows_unicode(porism, sample_index) -> None:
    result = porism("search", r"binomial theorem $(a+b)^n$", "--index", sample_index, "-k", 1)
    assert result.status == 0
    assert re.search(r"^ 1\. ", result.out)
    assert "*" not in result.out
    colored = porism("search", r"binomial theorem $(a+b)^n$", "--index", sample_index, "-k", 1, "--color", "always")
    assert "\x1b[33m\x1b[1mBinomial\x1b[0m" in colored.out
    assert "\\binom" not in result.out
    latex = porism("search", r"binomial theorem $(a+b)^n$", "--index", sample_index, "-k", 1, "--show", "latex")
    assert "$" in latex.out


def test_filters_keep_what_they_name(porism, sample_index) -> None:
    query = ("search", "theorem", "--index", sample_index, "-k", 500, "--json")
    everything = json.loads(porism(*query).out)
    some = json.loads(porism(*query, "--filter", "tags=number-theory").out)
    assert 0 < len(some) < len(everything)
    assert all("number-theory" in hit["metadata"]["tags"] for hit in some)
    either = json.loads(porism(*query, "--filter", "tags=number-theory", "--filter", "tags=topology").out)
    assert len(either) > len(some)


def test_any_k_is_honoured(porism, sample_index) -> None:
    few = json.loads(porism("search", "theorem", "--index", sample_index, "-k", 1, "--json").out)
    many = json.loads(porism("search", "theorem", "--index", sample_index, "-k", 100_000, "--json").out)
    assert len(few) == 1
    assert few[0]["id"] == many[0]["id"]
    assert len({hit["id"] for hit in many}) == len(many)


@every_case(("arguments", "message"), [
    (["search", "  "], "the query is empty"),
    (["search", "x", "--filter", "tags"], "not of the form key=value"),
    (["search", "theorem", "--filter", "colour=red"], "no document has the metadata 'colour'"),
])
def test_wrong_questions_are_explained_in_one_line(porism, sample_index, arguments, message) -> None:
    result = porism(*arguments, "--index", sample_index)
    assert result.status == 1
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_what_the_shell_took_is_told(porism, sample_index) -> None:
    for question in ("series $x^2", "^2$ and ^2$"):
        assert "In double quotes the shell takes $x" in porism("search", question, "--index", sample_index).err
    assert "shell" not in porism("search", "series $x^2$", "--index", sample_index).err


def test_no_index_is_one_clear_line(porism, tmp_path) -> None:
    result = porism("search", "x", "--index", tmp_path / "nowhere")
    assert result.status == 1
    assert "nowhere" in result.err
    assert result.err.startswith("Error: ")
    assert result.err.count("\n") == 1


@every_case("query", [
    "$", "$$", "$x", "a $ b $ c $", r"$\frac{$", "${{{{$", r"\begin{align} x", "\x00\x01", "$?x + ?y = ?y + ?x$",
    "ﬁnite $ℝ$", "'\"",
])
def test_odd_questions_are_answered(porism, sample_index, query) -> None:
    result = porism("search", query, "--index", sample_index, "--json")
    if result.status == 0:
        assert isinstance(json.loads(result.out), list)
    else:
        assert "the query is empty" in result.err


def test_a_huge_formula_is_answered(porism, sample_index) -> None:
    result = porism("search", "$" + "x^{" * 10_000 + "$", "--index", sample_index, "--json")
    assert result.status == 0
    assert isinstance(json.loads(result.out), list)


def test_several_indexes_are_searched_as_one(porism, sample_index, sample_shards, monkeypatch) -> None:
    question = ("search", r"sum of reciprocal squares $\sum 1/n^2$", "-k", 4, "--json", "--explain")
    several = [part for path in sample_shards for part in ("--index", path)]
    whole = json.loads(porism(*question, "--index", sample_index).out)
    joint = json.loads(porism(*question, *several).out)

    def shown(hits: list[dict[str, object]]) -> list[dict[str, object]]:
        left_out = ("location", "metadata", "home")
        return [{key: value for key, value in hit.items() if key not in left_out} for hit in hits]

    assert len(whole) == 4
    assert shown(joint) == shown(whole)
    assert {hit["home"] for hit in joint} == {"few", "many"}
    monkeypatch.setenv("PORISM_INDEX", os.pathsep.join(map(str, sample_shards)))
    assert json.loads(porism(*question).out) == joint
    monkeypatch.delenv("PORISM_INDEX")
    place = porism("open", 1, "--print")
    assert place.status == 0
    location = joint[0]["location"]
    assert place.out.strip() == f"{location['path']}:{location['line']}"


def test_a_server_is_no_folder(porism, sample_index) -> None:
    result = porism("similar", "x", "--index", "http://127.0.0.1:1", "--index", sample_index)
    assert result.status == 2
    assert "http://127.0.0.1:1 is a server; this works with indexes on this machine only" in result.err
