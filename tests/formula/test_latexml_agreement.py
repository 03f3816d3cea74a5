"""LaTeX and LaTeXML's MathML of the same real formulas give the same trees."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from porism.formula import layout_key, parse_latex, parse_mathml


def formulas(path: Path) -> dict[str, str]:
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: row[8] for row in csv.reader(file, delimiter="\t") if len(row) > 8}


@pytest.mark.needs_shared_data
def test_both_notations_agree_on_nearly_all_formulas(shared_data: Path) -> None:
    folder = shared_data / "arqmath-mini"
    latex = formulas(folder / "latex_representation_v3" / "1.tsv")
    mathml = formulas(folder / "slt_representation_v3" / "1.tsv")
    pairs = sorted({(latex[key], mathml[key]) for key in latex if mathml.get(key)})[::12]
    assert len(pairs) > 3_000
    equal = sum(layout_key(parse_latex(one)) == layout_key(parse_mathml(other)) for one, other in pairs)
    assert equal / len(pairs) > 0.975
