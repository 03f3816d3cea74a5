"""Natural deductions line by line: fitch, logicproof and lplfitch."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex, unaccounted_tokens


@every_case(
    ("source", "same"),
    [
        (r"\begin{nd}\hypo {1} {P \to Q}\open\hypo {2} {P}\have {3} {Q} \ie{1,2}\close"
         r"\have[9]{4}{x \ne y}\by{so $z$}{}\end{nd}",
         r"\begin{matrix}1&P \to Q&\\2&P&\\3&Q&\text{$\Rightarrow$E, 1,2}\\9&x \ne y&\text{so $z$}\end{matrix}"),
        (r"\begin{nd}\have{1}{P}\open[u]\guard{v}\have 2 Q\r{1}\end{nd}",
         r"\begin{matrix}1&P&\\uv2&Q&\text{R, 1}\end{matrix}"),
        (r"\begin{logicproof}{2}p \to q & premise\\ \begin{subproof}p & assumption\\ q & $\to$e 1\end{subproof}"
         r"r & copy 2\end{logicproof}",
         r"\begin{matrix}p \to q & \text{premise}\\p & \text{assumption}\\q & \text{$\to$e 1}"
         r"\\r & \text{copy 2}\end{matrix}"),
        (r"\fitchprf{\pline[1.]{P}}{\pline[2.]{Q}[by 1]\\ \boxedsubproof[a]{\pline{R}}{\pline{S}}}",
         r"\begin{matrix}1.&P&\\2.&Q&\text{by 1}\\&R&\\&S&\end{matrix}"),
        (r"\begin{prooftree}\hypo{A}\infer1{B}\end{prooftree}", r"{\frac{A}{B}}"),
    ],
)  # fmt: skip
def test_lines_are_rows_with_their_rules_as_text(source: str, same: str) -> None:
    tree = parse_latex(source)
    assert layout_key(tree) == layout_key(parse_latex(same))
    assert tree.problems == ()
    assert unaccounted_tokens(tree) == []


@every_case("source", [r"\begin{nd}\have{1}", r"\begin{nd}\hypo{1}{P", r"\begin{nd}\by[\ie\end{nd}"])
def test_broken_deductions_have_a_tree_with_all_tokens(source: str) -> None:
    assert unaccounted_tokens(parse_latex(source)) == []
