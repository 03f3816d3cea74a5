"""Documents know in which line of its file each part of their text is."""

from __future__ import annotations

import json
from pathlib import Path

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus import open_source
from porism.corpus.lines import LineMark, located, marked_lines
from porism.types import Content, Document, Formula

MARKDOWN = """\
---
title: T
---
alpha $a$
and beta

$$
x
$$
gamma


> [!note] delta
> epsilon

- zeta
- omega

| theta | iota |
|---|---|
| kappa | $b$ |

```text
lambda


mu
```

    nu

:label:`s`
xi
"""
RST = """\
alpha :math:`a`
beta

.. math::

   x

gamma::

   delta

   epsilon

.. code-block:: c

   zeta

- omega

  theta
"""
LATEX = """\
\\documentclass{article}
\\newcommand{\\R}{rho}
\\begin{document}
alpha
beta $a$

\\[
  x
\\]
gamma % delta
\\begin{lemma}
epsilon

zeta
\\end{lemma}
\\R
\\end{document}
"""
HTML = """\
<p> alpha
<!-- a
comment -->
<p> beta <br> eta

<ul>
<li> gamma
<li> $x$ <p> delta
</ul>
<div class="theorem">
<h4>K</h4>
<p> epsilon

<table><tr>
<td> zeta
</table></div>
<pre> lambda
mu

nu </pre>
"""
TEXT = "alpha\nbeta\n\n\n\ngamma $x$\ndelta\n"


def words_and_lines(documents: list[Document]) -> dict[str, int]:
    """The words of a file in Greek, and the lines that the documents give for them."""
    return {
        word: int(document.metadata["line"]) + content.line_of(content.text.index(word))  # type: ignore[arg-type]
        for document in documents
        for content in document.fields.values()
        for word in content.text.split()
        if word.isalpha() and word.islower()
    }


@every_case(
    ("name", "source"), [("n.md", MARKDOWN), ("n.rst", RST), ("n.tex", LATEX), ("n.txt", TEXT), ("n.html", HTML)]
)
def test_each_word_is_in_its_line(tmp_path: Path, name: str, source: str) -> None:
    (tmp_path / name).write_text(source, encoding="utf-8")
    found = words_and_lines(list(open_source(tmp_path / name)))
    lines = source.split("\n")
    assert {"alpha", "beta"} <= set(found)
    assert len(found) >= 4
    for word, line in found.items():
        if word in source.split():
            assert word in lines[line - 1].split(), (word, line)


def test_words_of_a_notebook_are_in_the_lines_of_its_file(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# T\n", "\n", "alpha \"q\"\n", "beta"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["# gamma\n", "1"]},
        {"cell_type": "markdown", "metadata": {}, "source": ["delta"]},
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (tmp_path / "n.ipynb").write_text(text, encoding="utf-8")
    found = words_and_lines(list(open_source(tmp_path / "n.ipynb")))
    lines = text.split("\n")
    assert {word: word in lines[line - 1] for word, line in found.items()} == dict.fromkeys(found, True)
    assert {"alpha", "beta", "gamma", "delta"} <= set(found)


def test_lines_are_kept_only_where_line_ends_do_not_say_them() -> None:
    parts = [LineMark(3), "a\nb\n\n", LineMark(6), "c ", Formula("x"), LineMark(skipped=2), " d\n\n", LineMark(20), "e"]
    content = located(parts, str.strip, first_line=3)
    assert content == Content("a\nb\n\nc \ufffc d\n\ne", (Formula("x"),))
    assert content.lines == ((0, 0), (9, 5), (12, 17))
    assert [content.line_of(content.text.index(letter)) for letter in "abcde"] == [0, 1, 3, 5, 17]


def test_blank_lines_before_a_part_are_lines_of_the_file() -> None:
    content = located([*marked_lines("\n\na\n\n\n\nb", 4)], str.strip, first_line=4)
    assert [content.line_of(content.text.index(letter)) for letter in "ab"] == [2, 6]


def test_content_without_lines_knows_none() -> None:
    assert Content("a\nb").line_of(2) == 0
    assert located(["a\nb"], str.strip, 1).lines == ()
    assert located([LineMark(1), "a"], str.strip, 1).lines == ()


@given(st.lists(st.text(alphabet="ab \n", max_size=6) | st.integers(1, 50).map(LineMark), max_size=20))
def test_marks_change_no_text(parts: list[str]) -> None:
    assert located(parts, str.strip, 1).text == "".join(parts).strip()
