"""``porism expand``: a model writes queries, the index takes them in and gives them back."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from case_tables import every_case
from tiny_models import need_models, save_t5


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_models()
    return save_t5(tmp_path_factory.mktemp("models") / "t5")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(
        f'{{"id": "n{number}", "title": "Note {number}", "body": "A text with $x^{number}$."}}\n' for number in range(6)
    ))
    return source


SMALL = ("-n", 2, "--max-query-tokens", 4, "--batch", 4, "--device", "cpu")


def test_expand_apply_search_remove(porism, t5, notes, tmp_path):
    path, output = tmp_path / "index", tmp_path / "x.jsonl"
    porism("index", notes, "--index", path, "--jobs", 1)
    result = porism("expand", "--index", path, "--model", t5, "--output", output, *SMALL)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("6 documents expanded in ")
    assert f"porism expand --apply {output} --index {path}" in result.out
    assert "0 documents expanded" in porism("expand", notes, "--model", t5, "--output", output, *SMALL).out
    lines = output.read_text().splitlines()
    assert len(lines) == 7

    lines = [line if '"n3"' not in line else line[: line.index("[")] + '["xyzzy and $\\\\zeta(3)$"]}' for line in lines]
    output.write_text("\n".join([*lines, ""]))
    assert porism("expand", "--index", path, "--apply", output).out.startswith("6 documents expanded, 0 unchanged")
    assert "n3" in porism("search", "xyzzy", "--index", path).out
    assert "n3" in porism("search", "--formulas", r"\zeta(3)", "--index", path).out
    direct = tmp_path / "direct"
    porism("index", notes, "--index", direct, "--expansions", output, "--jobs", 1)
    assert "n3" in porism("search", "xyzzy", "--index", direct).out
    assert porism("expand", "--index", path, "--remove").out.startswith("6 documents without generated queries")
    assert "n3" not in porism("search", "xyzzy", "--index", path).out
    assert porism("info", path, "--verify").status == 0


def test_applying_reports_what_has_changed(porism, notes, tmp_path):
    path, output = tmp_path / "index", tmp_path / "x.jsonl"
    porism("index", notes, "--index", path, "--jobs", 1)
    output.write_text(
        '{"expansions": 1, "model": "m", "settings": {}}\n{"id": "n1", "digest": "of another text", "queries": ["q"]}\n'
    )
    result = porism("expand", "--index", path, "--apply", output)
    assert result.out.startswith("0 documents expanded, 5 unchanged, 1 skipped")
    assert "n1: not expanded: its text has changed" in result.err
    assert "1 report" in porism("index", notes, "--index", tmp_path / "other", "--expansions", output).err


@every_case("arguments", [
    (), ("--model", "m"), ("--output", "x"), ("--remove", "--apply", "x"), ("source", "--remove"),
    ("--model", "m", "--output", "x", "--remove"),
])
def test_wrong_usage_is_reported(porism, arguments):
    assert porism("expand", *arguments).status == 2


def test_without_the_extra_the_command_that_installs_it_is_reported(porism, notes, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    result = porism("expand", notes, "--model", "m", "--output", tmp_path / "x.jsonl")
    assert (result.status, "pip install 'porism[neural]'" in result.err) == (1, True)
    assert not (tmp_path / "x.jsonl").exists()
    assert porism("expand", "--remove", "--index", tmp_path / "none").status == 1


def test_settings_and_sources_that_cannot_be_are_told_before_the_model_is_loaded(porism, notes, sample_index, tmp_path):
    output = tmp_path / "x.jsonl"
    for wrong in (("-n", 0), ("--beams", 2), ("--template", "none")):
        assert porism("expand", notes, "--model", "m", "--output", output, *wrong).status == 1
    assert "no such file" in porism("expand", tmp_path / "none", "--model", "m", "--output", output).err
    shutil.rmtree(tmp_path / "none", ignore_errors=True)
    assert porism("expand", "--index", tmp_path / "none", "--model", "m", "--output", output).status == 1
    assert not output.exists()
