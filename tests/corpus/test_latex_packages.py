"""Commands of packages in projects: text between cells, quantities in running text, words between lines."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, text_of

from porism.errors import Problem


@every_case(("source", "formula"), [
    (r"\begin{numcases}{f(x)=}1 & if $x>0$\\0 & else\end{numcases}",
     r"\begin{numcases} {f(x)=}1 & if $x>0$\\0 & else \end{numcases}"),
    (r"\[g=\begin{dcases*}1 & if $x>0$\\0 & else\end{dcases*}\]",
     r"g=\begin{dcases*}1 & if $x>0$\\0 & else\end{dcases*}"),
    (r"$\begin{cases*}1 & if $x>0$\\0 & else\end{cases*}$", r"\begin{cases*}1 & if $x>0$\\0 & else\end{cases*}"),
    (r"\begin{align*}a&=b\\\intertext{so that $c$}c&=d\end{align*}",
     r"\begin{align*} a&=b\\\intertext{so that $c$}c&=d \end{align*}"),
])
def test_a_dollar_in_text_between_cells_or_lines_is_inner(source: str, formula: str, tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(source, tmp_path, problems) == [formula]
    assert problems == []


def test_a_quantity_in_running_text_is_a_formula(tmp_path: Path) -> None:
    source = r"\DeclareSIUnit{\foo}{fo}at \SI{9.8}{\meter\per\second} and \qty[mode=text]{3}{\foo}, \num{1e5}."
    assert text_of(source, tmp_path) == (
        r"at $\SI{9.8}{\meter\per\second}$ and $\qty[mode=text]{3}{fo}$, $\num{1e5}$."
    )
