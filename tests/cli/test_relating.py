"""``porism show`` and ``porism duplicates``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import porism as library

TEXT = """
/-- One is *one*. -/
theorem one_mul_thing {G : Type*} [Monoid G] (a : G) : thing a * a = a := proof
theorem thing_again {H : Type*} [Monoid H] (b : H) : b = thing b * b := one_mul_thing
"""


@pytest.fixture(scope="module")
def lean_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lean")
    (folder / "A.lean").write_text(TEXT, encoding="utf-8")
    library.index_sources([folder / "A.lean"], folder / "index")
    return folder / "index"


def test_a_declaration_is_shown_with_what_uses_it(porism, lean_index: Path) -> None:
    result = porism("show", "one_mul_thing", "--index", lean_index)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "one_mul_thing"
    assert "Used by (1)" in lines
    assert "  thing_again · A.lean:4" in lines
    value = json.loads(porism("show", "one_mul_thing", "--index", lean_index, "--json").out)
    assert [document["title"] for document in value["used_by"]["documents"]] == ["thing_again"]
    missing = porism("show", "nothing", "--index", lean_index)
    assert (missing.status, "nothing" in missing.err) == (1, True)


def test_a_document_in_words_is_shown(porism, sample_index: Path) -> None:
    result = porism("show", "basel-by-parseval", "--index", sample_index)
    assert result.out.startswith("Sum of reciprocal squares from a Fourier series\n  entries.jsonl:46")


def test_duplicates_are_listed(porism, lean_index: Path) -> None:
    result = porism("duplicates", "--index", lean_index, "--quiet")
    assert result.out.splitlines()[:2] == ["2 formal", "  one_mul_thing · A.lean:3"]
    value = json.loads(porism("duplicates", "--index", lean_index, "--json").out)
    assert (value["total"], value["groups"][0]["count"]) == (1, 2)
    none = porism("duplicates", "--index", lean_index, "--kind", "formula", "--quiet")
    assert none.out == "No statement or formula is there twice.\n"
