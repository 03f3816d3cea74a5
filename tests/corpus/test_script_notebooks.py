"""Notebooks written as scripts: the percent and the light format of Jupytext, and files that are neither."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case

from porism.corpus.notebooks.reader import notebook_documents
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.types import Document

PERCENT = r"""# ---
# title: Norms
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # Lengths
# A *norm* $\|x\|$.

# %% squares
# their sum
x = [1]

# %% [md] tags=["a"]
'''
## Angles

$\langle x, y\rangle$
'''
#%%% inner
"""

LIGHT = r"""#!/usr/bin/env python
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: light
# ---

# # Lengths
# A norm $\|x\|$.

import numpy
# of vectors

# + [markdown] tags=["a"]
# ## Angles
#
# between $x$ and $y$
# -

# + tags=["b"]
def angle():
    '''The angle.'''

    return 1  # radian
# +
# last
"""


def read(text: str, name: str = "n.py") -> list[Document]:
    problems: list[Problem] = []
    documents = list(notebook_documents(text + "word " * 500, name, "notes", problems.append))
    assert problems == []
    return documents


def body(document: Document) -> str:
    return document.fields["body"].to_latex().partition("word")[0].strip()


def test_cells_of_a_percent_script() -> None:
    lengths, angles = read(PERCENT + "# %% [markdown]\n# ")
    assert body(lengths) == "A norm $\\|x\\|$.\n\ntheir sum"
    assert body(angles) == "$\\langle x, y\\rangle$"
    assert lengths.metadata["section"] == ("Norms", "Lengths")
    assert angles.metadata["section"] == ("Norms", "Lengths", "Angles")
    assert [document.metadata["line"] for document in (lengths, angles)] == ["9", "18"]


def test_cells_of_a_light_script() -> None:
    lengths, angles = read(LIGHT + "# -\n# ")
    assert body(lengths) == "A norm $\\|x\\|$.\n\nof vectors"
    assert body(angles) == "between $x$ and $y$\n\nThe angle.\n\nlast"
    assert [document.metadata["line"] for document in (lengths, angles)] == ["9", "16"]


@every_case("name", ["n.jl", "n.R", "n.r"])
def test_scripts_of_other_languages_have_their_text_cells(name: str) -> None:
    document, = read("# %%\n# code comment\nf(x) = 1\n#' %% no\n# %% [markdown]\n#' $x$\n# $y$ ", name)
    assert body(document) == "$x$\n$y$"


@every_case(
    ("name", "text"), [
        ("plain.py", "# # A heading\n# $x$\nx = 1 # %% no\n"), ("plain.R", "# + [markdown]\n# $x$\n"),
        ("plain.py", "# ---\n# title: $x$\n# ---\n"), ("cells.c", "# %% [markdown]\n# $x$\n"),
    ],
)  # fmt: skip
def test_other_scripts_are_plain_text_where_they_are_named(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a.txt").write_text("text", encoding="utf-8")
    assert detect_format(tmp_path / name) == "text"
    assert [document.metadata["file"] for document in open_source(tmp_path)] == ["a.txt"]


def test_scripts_of_a_folder_are_found_by_their_cells(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n# %% [markdown]\n# $x$\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("x = 1\n", encoding="utf-8")
    assert [document.metadata["file"] for document in open_source(tmp_path)] == ["a.py"]
