"""Notebooks of Pluto, scripts for Literate.jl and for knitr's spin, and plain code."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.notebooks.scripts import is_script, script_cells
from porism.corpus.opening import open_source
from porism.types import Document

PLUTO = '''### A Pluto.jl notebook ###
# v0.20.1

using Markdown

# ╔═╡ 5add1620-3d62-11eb-0b3b-e7330edf7a66
md"# Beams"

# ╔═╡ 1ec02e60-3d63-11eb-3a85-f729b432454e
md"""
The *load* ``q(x)`` is "small" and $w''=q$ $(x + f(2)) near $(a, b)$.

```math
EI w^{(4)} = q
```
"""

# ╔═╡ 263e8420-3d63-11eb-03ad-71629e8d52a4
# ╠═╡ disabled = true
x = f("md # not this") # nor that

# ╔═╡ Cell order:
# ╟─5add1620-3d62-11eb-0b3b-e7330edf7a66
'''
LITERATE = '''# # Beams
# The load ``q``:
#
# ```math
# EI w = q
# ```

q = 1 # a comment of code #src
## a comment of code
#-
# Then $x$. #md
'''
SPIN = """#' ---
#' title: Beams
#' ---
#' # Load
#' It is $q$.
q <- 1
# a comment of code
#+ fig.width=3
#'
#' Then $x$.
"""


def read(path: Path, text: str) -> list[Document]:
    path.write_text(text, encoding="utf-8")
    return list(open_source(path))


@every_case(("name", "text", "formulas"), [
    ("a.jl", PLUTO, ["q(x)", "w''=q", "(a, b)", "EI w^{(4)} = q"]), ("b.jl", LITERATE, ["q", "EI w = q", "x"]),
    ("c.R", SPIN, ["q", "x"]),
])  # fmt: skip
def test_texts_and_their_lines(name: str, text: str, formulas: list[str], tmp_path: Path) -> None:
    (document,) = read(tmp_path / name, text)
    body = document.fields["body"]
    assert document.title.text in ("Beams", "Load")
    assert [formula.source for formula in body.formulas] == formulas
    assert "code" not in body.text
    assert "not this" not in body.text
    last = body.text.rindex("\ufffc")
    where = int(document.metadata["line"]) + body.line_of(last)
    assert formulas[-1] in text.split("\n")[where - 1]


@every_case(("name", "text"), [
    ("a.jl", "# a comment\nx = 1\n"), ("a.py", LITERATE),
    ("a.R", "#' @param x a number\n#' Title\nf <- function(x) x\n"),
])  # fmt: skip
def test_code_is_no_notebook(name: str, text: str) -> None:
    assert not is_script(name, text)


@given(st.text(alphabet="#'\" md\n╔═╡-+$", max_size=120))
def test_any_text_is_read(text: str) -> None:
    for name, start in (("a.jl", "### A Pluto.jl notebook ###\n"), ("a.jl", "# # x\n"), ("a.R", "#' # x\n")):
        for cell in script_cells(name, start + text):
            assert cell["line"] <= text.count("\n") + 3
