"""Commutative diagrams: those of amscd are matrices whose arrows stand in cells of their own."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import operator_string, operator_tree, parse_latex, unaccounted_tokens

SQUARE = r"\begin{matrix}A&\xrightarrow{f}&B\\{}\downarrow g&&\downarrow h\\C&\xrightarrow[l]{k}&D\end{matrix}"


def tree_of(source: str) -> str:
    tree = parse_latex(source)
    assert unaccounted_tokens(tree) == []
    assert tree.problems == ()
    return operator_string(operator_tree(tree))


@every_case(
    ("diagram", "same"),
    [
        (r"\begin{CD}A @>f>> B\\ @VVgV @VVhV\\ C @>k>l> D\end{CD}", SQUARE),
        (r"\begin{CD} A @> f > > B \\ @VVgV & @VVhV \cr C @>{k}>{l}> D \end{CD}", SQUARE),
        (r"\minCDarrowwidth{5cm}\begin{CD}A @&gt;f&gt;&gt; B\\ @VVgV @VVhV\\ C @>k>l> D\end{CD}", SQUARE),
        (r"\begin{CD}A @<<< B @= C\\ @. @AaAbA @|\\ @. D @>->> E\end{CD}",
         r"\begin{matrix}A&\leftarrow&B&=&C\\ &&a\uparrow b&&\Vert\\ &&D&\xrightarrow{-}&E\end{matrix}"),
        (r"\begin{CD}0 @>>> A @>>> B\end{CD}", r"0\to A\to B"),
        (r"\begin{CD}A @>\begin{smallmatrix}a&b\end{smallmatrix}>> B\end{CD}",
         r"A\xrightarrow{\begin{smallmatrix}a&b\end{smallmatrix}}B"),
    ],
)
def test_arrows_stand_in_cells_of_their_own(diagram: str, same: str) -> None:
    assert tree_of(diagram) == tree_of(same)


def test_a_square_is_a_matrix() -> None:
    assert tree_of(SQUARE) == (
        "[O!matrix,0[O!row,0[V!A],1[O!overset,0[C!→],1[V!f]],2[V!B]],"
        "1[O!row,0[O!downarrow,0[V!g]],1[E!],2[O!downarrow,0[V!h]]],"
        "2[O!row,0[V!C],1[O!underset,0[O!overset,0[C!→],1[V!k]],1[V!l]],2[V!D]]]"
    )


@every_case("cut", [r"\begin{CD}A @>f> B\\ @", r"\begin{CD}a@b@>\\>>\end{CD}", r"@>>>\begin{CD}{@>>>}"])
def test_what_is_no_arrow_stays(cut: str) -> None:
    tree = parse_latex(cut)
    assert unaccounted_tokens(tree) == []
    assert operator_tree(tree) is not None
