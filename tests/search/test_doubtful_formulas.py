"""Formulas with characters that could not be read: found, but after those that were read whole."""

from __future__ import annotations

import json
from pathlib import Path

import porism
from porism.search.sources.updating import index_sources

READINGS = {"sure": r"\frac{a_k}{b+c} = x^2", "cut": r"\frac{a_k}{b+c} = x^2 �", "unknown": r"\frac{a_k}{b+�} = x^2"}


def test_a_doubtful_formula_weighs_less(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "text": f"It is ${formula}$."}) for name, formula in READINGS.items()]
    (tmp_path / "readings.jsonl").write_text("\n".join(lines), encoding="utf-8")
    index_sources([tmp_path / "readings.jsonl"], tmp_path / "index", jobs=1, meaning="off")
    index = porism.open_index(tmp_path / "index")
    question = f"${READINGS['sure']}$"
    scores = {hit.id: hit.score for hit in index.search(question)}
    assert scores["sure"] > 1.1 * scores["cut"] > 1.1 * scores["unknown"] > 0
    formulas = [(hit.formula.source, hit.score) for hit in index.search_formulas(question)]
    assert [source for source, _ in formulas] == list(READINGS.values())
    assert formulas[0][1] > 2 * formulas[1][1]
