"""``porism pattern`` prints statements, and what was not checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porism.cli import main
from porism.search.sources.updating import index_sources

LEAN = "theorem foo (a b : ℕ) (h : a < b) : a + 1 ≤ b := h\ntheorem bar (a : ℕ) : a = a := rfl\n"


@pytest.fixture
def lean_index(tmp_path: Path) -> Path:
    (tmp_path / "A.lean").write_text(LEAN, encoding="utf-8")
    index_sources([tmp_path / "A.lean"], tmp_path / "index", jobs=1)
    return tmp_path / "index"


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pattern", *arguments])
    assert ended.value.code == 0


def test_statements_are_printed(lean_index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("?a < ?b → _ ≤ ?b", "--index", str(lean_index))
    printed, notes = capsys.readouterr()
    assert "1. foo" in printed
    assert "(a b : ℕ) (h : a < b) : a + 1 ≤ b" in printed
    assert "bar" not in printed
    assert notes.startswith("Not checked: types")
    run("?a + ", "--index", str(lean_index))
    printed, notes = capsys.readouterr()
    assert "Nothing found" in printed
    assert "nothing follows +" in notes


def test_answers_are_json(lean_index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("?a = ?b", "--json", "--index", str(lean_index))
    answer = json.loads(capsys.readouterr().out)
    assert answer["total"] == 1
    assert answer["hits"][0]["name"] == "bar"
