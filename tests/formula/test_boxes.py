"""Boxes of TeX inside formulas: their content is text, with formulas between dollars; sizes and assignments go."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import parse_latex, unaccounted_tokens
from porism.formula.tree import LayoutNode


def labels(source: str) -> list[str]:
    """Labels of the row, text in quotes, of a formula that is read without a problem or a lost token."""
    tree = parse_latex(source)
    assert tree.problems == ()
    assert unaccounted_tokens(tree) == []
    return [_label(node) for node in tree.row]


def _label(node: LayoutNode) -> str:
    return f"“{node.label}”" if node.kind == "T" else node.label


@every_case(
    ("box", "content"),
    [
        (r"\raisebox{2pt}{$x$}", ["x"]),
        (r"\raisebox{-.5ex}[0pt][0pt]{if $x$}", ["“if”", "x"]),
        (r"\hbox to 3cm{if $x$ then}", ["“if”", "x", "“then”"]),
        (r"\hbox spread 1em{so}", ["“so”"]),
        (r"\vbox to 2cm{\hbox{$x$}\hbox{$y$}}", ["x", "y"]),
        (r"\makebox[2cm][l]{$x$}", ["x"]),
        (r"\parbox[t]{3cm}{say $x$}", ["“say”", "x"]),
        (r"\scalebox{0.5}[2]{$\sum$}", ["∑"]),
        (r"\resizebox{2cm}{!}{$\sum$}", ["∑"]),
        (r"\colorbox{red}{$x$}", ["x"]),
        (r"\fcolorbox{red}{blue}{$x$}", ["x"]), (r"\fcolorbox[gray]{.5}[gray]{.25}{$x$}", ["x"]),
        (r"\begin{indentalign}[1cm][2cm]{lc}x\end{indentalign}", ["x"]),
        (r"\fbox{$x$}", ["x"]),
        (r"\rlap{$x$}", ["x"]),
        (r"\rlap{/}", ["/"]), (r"\clap{so much}", ["“so much”"]),
        (r"\shortstack[l]{$x$\\$y$}", ["x", "y"]),
        (r"\text{see \raisebox{2pt}{$x$}}", ["“see”", "x"]),
        (r"\begin{minipage}[t]{3cm}when $x$\end{minipage}", ["“when”", "x"]),
    ],
)
def test_a_box_holds_text(box: str, content: list[str]) -> None:
    assert labels(f"a{box}") == ["a", *content]


def test_cells_of_a_table_are_text() -> None:
    (table,) = parse_latex(r"\begin{tabular}{l|l} if & $x$ \\[2pt] \hline else & so $y+z$\end{tabular}").row
    assert table.kind == "M"
    assert [[_label(node) for node in cell] for line in table.elements for cell in line] == [
        ["“if”"], ["x"], ["“else”"], ["“so”", "y", "+", "z"],
    ]  # fmt: skip


@every_case(
    "assignment",
    [
        r"\postdisplaypenalty=100 ", r"\abovedisplayskip 3pt plus 1pt minus 2pt ", r"\parindent=0pt ", r"\hsize{2cm}",
        r"\thinmuskip=2mu ", r"\baselineskip=.5\parskip ", r"\penalty10000 ",
    ],
)
def test_assignments_are_no_content(assignment: str) -> None:
    assert labels(f"x{assignment}y") == ["x", "y"]
