"""Usage: declarations that others name gain."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import porism
from porism.errors import ConfigError
from porism.retrieve import DEFAULT_MODEL, Meaning, Usage

TEXT = """
/-- Sums commute. -/
theorem Seldom.sums (a : A) : f a = a := p
/-- Sums commute. -/
theorem Often.sums (a : A) : f a = a := p
theorem one : f = Often.sums := by q
theorem two : f = g := Often.sums
"""


@pytest.fixture
def declarations(tmp_path: Path):
    (tmp_path / "A.lean").write_text(TEXT, encoding="utf-8")
    porism.index_sources([tmp_path / "A.lean"], tmp_path / "index")
    with porism.open_index(tmp_path / "index") as index:
        yield index


def test_what_others_name_comes_first(declarations: porism.Index) -> None:
    alone = replace(DEFAULT_MODEL, meaning=Meaning(weight=0.0))
    on = declarations.with_models(replace(alone, usage=Usage(weight=0.1)))
    off = declarations.with_models(replace(alone, usage=Usage(weight=0.0)))
    plain = {hit.id: hit.score for hit in off.search("sums commute")}
    scores = {hit.title.pieces[0].text + "".join(piece.text for piece in hit.title.pieces[1:]): hit for hit in
              on.search("sums commute")}
    often, seldom = scores["Often.sums"], scores["Seldom.sums"]
    assert seldom.score == pytest.approx(plain[seldom.id])
    assert often.score == pytest.approx(plain[often.id] * (1 + 0.1 * math.log(3)))
    assert often.rank == 1
    explained = on.explain("sums commute", often.id)
    assert explained.value == pytest.approx(often.score)
    assert any("2 documents name it" in part.label for part in explained.parts)


def test_deleted_documents_name_nothing(declarations: porism.Index, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(TEXT.replace("theorem two : f = g := Often.sums\n", ""), encoding="utf-8")
    porism.index_sources([tmp_path / "A.lean"], tmp_path / "index")
    with porism.open_index(tmp_path / "index") as index:
        often = index.declarations.documents("Often.sums")[0]
        assert any("1 documents name it" in part.label for part in index.explain("sums commute", often).parts)


def test_a_weight_is_not_negative() -> None:
    with pytest.raises(ConfigError):
        Usage(weight=-0.1)
