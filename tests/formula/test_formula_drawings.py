"""Drawings of TikZ inside a formula: what their nodes say is content, how they are drawn is not."""

from __future__ import annotations

import pytest

from porism.formula import layout_key, parse_latex, unaccounted_tokens


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (r"a+\begin{tikzpicture}[scale=2]\node (a) {$x$}; \node at (0,{1+1}) {two words};\end{tikzpicture}",
         r"a+x\quad\text{two words}"),
        (r"\tikz{\node {$x+1$};}y", "x+1y"), (r"\tikz[baseline=(a.base)]\node[draw] (a) {$x$};+y", "x+y"),
        (r"\tikz\draw (0,0) -- node[above] {$f$} ($(a)+(b)$);", "f"), (r"\tikz\node[label={$g$}] {};", "g"),
        (r"\tikz\node at ($(a)!(b)!(c)$) {so $y$};", r"\text{so }y"), (r"x\tikz{\draw (0,0) circle (1);}y", "xy"),
        (r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}=5", "=5"),
        (r"\tikzmarknode[x]{a}{x+y}\tikzmark{b}", "x+y"),
    ],
)
def test_texts_of_nodes_are_read(source: str, same: str) -> None:
    tree = parse_latex(source)
    assert layout_key(tree) == layout_key(parse_latex(same))
    assert tree.problems == ()
    assert unaccounted_tokens(tree) == []


@pytest.mark.parametrize("source", [r"\tikz{\node {$x$};", r"a\begin{tikzpicture}\node {x", r"\tikz \node {x} + y"])
def test_a_drawing_without_an_end_stays_and_is_reported(source: str) -> None:
    tree = parse_latex(source)
    assert r"unknown command \node" in [problem.what for problem in tree.problems]
    assert unaccounted_tokens(tree) == []


def test_positions_in_a_drawing_are_those_of_the_source() -> None:
    source = r"\tikz\node (a) {$x$};"
    node, = parse_latex(source).row
    assert source[node.start:node.end] == "x"


def test_many_drawings_take_linear_time() -> None:
    assert len(parse_latex(r"\tikz{\node {$x$};}" * 1_000).row) == 1_000
    assert unaccounted_tokens(parse_latex(r"\tikz{" * 2_000)) == []
