"""Languages of LaTeX sources: shorthands of babel, of german.sty, and those that a project defines."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, text_of

from porism.errors import Problem

GERMAN = r"\usepackage[ngerman]{babel}"


@every_case(
    ("source", "expected"),
    [
        (GERMAN + r'L"osung der Gr"o"se"', 'Lösung der Größe"'),
        (GERMAN + r'"A"U"s "z "c "ff Schi"ffahrt', "ÄÜß ß c ff Schiffahrt"),
        (GERMAN + r"""Er sagte: "`K"orper"' und "<so">.""", "Er sagte: „Körper“ und «so»."),
        (GERMAN + r'Baum"=Graph, Auf"|lage, Wort"-teil, a""b, A"~Teil', "Baum-Graph, Auflage, Wortteil, ab, A-Teil"),
        (GERMAN + r'"word" 5" ', '"word" 5"'),
        (r"\usepackage{german}" r'f"ur', "für"),
        (r"\usepackage[english,german]{babel}" r'f"ur', "für"),
        (r"\usepackage[german,english]{babel}" r'f"ur', 'f"ur'),
        (r"\usepackage[main=german,english]{babel}" r'f"ur', "für"),
        (r"\documentclass[12pt,ngerman]{article}\usepackage{babel}" r'f"ur', "für"),
        (r"\setdefaultlanguage[babelshorthands=true]{german}" r'f"ur', "für"),
        (r'\selectlanguage{german}f"ur {\selectlanguage{english}f"ur} f"ur', 'für f"ur für'),
        (r'f"ur \foreignlanguage{german}{f"ur} f"ur', 'f"ur für f"ur'),
        (r'f"ur \begin{otherlanguage}{german}f"ur\end{otherlanguage} f"ur', 'f"ur für f"ur'),
        (GERMAN + r'\shorthandoff{"}f"ur\shorthandon{"} f"ur', 'f"ur für'),
        (r"\usepackage[polish]{babel}" r'"`s"l"on"`', "„słón„"),
        (r"\usepackage[spanish]{babel}" r'1"a ling"uistica', "1ª lingüistica"),
        (r"\usepackage[french]{babel}\og Soit\fg{} le 1\ier{}, la 2\ieme, 20\degres, \no 3",
         "« Soit» le 1er, la 2e, 20°, n° 3"),
        (r"\glqq K\grqq{} \flqq x\frqq", "„ K“ « x»"),
        (r"\useshorthands{!}\defineshorthand{!!}{\term}\newcommand{\term}[1]{<#1>}a !!{set}s and !!b!",
         "a <set>s and <b>!"),
        (r'\useshorthands*{"}\defineshorthand{"*}{\textbf{x}}"*y', "xy"),
    ],
)  # fmt: skip
def test_shorthands(source: str, expected: str, tmp_path: Path) -> None:
    assert " ".join(text_of(source, tmp_path).split()) == expected


def test_shorthands_of_a_project_in_formulas(tmp_path: Path) -> None:
    problems: list[Problem] = []
    source = r"\useshorthands{!}\defineshorthand{!!}{\term}\newcommand{\term}[1]{\mathrm{#1}}"
    source += r"$!!{a}!+\text{!!{b} c}$ $!!$"
    assert formulas(source, tmp_path, problems) == [r"\mathrm{a}!+\text{\mathrm{b} c}", r"\term"]
    assert problems == []
