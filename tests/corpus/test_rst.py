"""reStructuredText: titles, roles, directives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.corpus.base import ignore_problem
from porism.corpus.rst import rst_documents, rst_text
from porism.types import Document

LONG = "word " * 500


def read(text: str) -> list[Document]:
    return list(rst_documents(text, "n.rst", "notes", ignore_problem))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (":math:`x^2` and $y$", "$x^2$ and $y$"),
        ("*a* **b** ``c *d*`` :emphasis:`e`", "a b c *d* e"),
        ("`text <http://x.y>`_ and `name`_ and word_ [1]_.", "text and name and word ."),
        (":ref:`the section <lab>` :eq:`e-1` :py:func:`~os.path`", "the section (e 1) os.path"),
        ("``a`` :math:`b` ``c``", "a $b$ c"),
    ],
)
def test_roles_and_marks(source: str, expected: str) -> None:
    assert rst_text(source).to_latex() == expected


def test_sections_and_labels() -> None:
    documents = read(
        "=====\nTitle\n=====\n\nintro\n\n.. _sec-a:\n\nA :math:`x`\n-----------\n\n"
        f"{LONG}\n\nB\n~\n\nb\n\nC\n---\n\nc\n"
    )
    assert [document.id for document in documents] == ["n.rst#title", "n.rst#a-x", "n.rst#b", "n.rst#c"]
    assert [document.metadata["section"] for document in documents] == [
        ("Title",), ("Title", "A $x$"), ("Title", "A $x$", "B"), ("Title", "C"),
    ]  # fmt: skip
    assert documents[1].metadata["labels"] == ("sec-a",)
    assert documents[1].metadata["line"] == "9"


def test_math_directive() -> None:
    (document,) = read(".. math::\n   :label: e\n\n   a\n   = b\n\n   c\n\nrest\n\n.. math:: x + y\n")
    formulas = document.fields["body"].formulas
    assert [formula.source for formula in formulas] == ["a = b", "c", "x + y"]
    assert all(formula.display for formula in formulas)
    assert document.metadata["labels"] == ("e",)


def test_theorem_directives() -> None:
    (theorem,) = read(
        ".. prf:theorem:: Lagrange :math:`G`\n   :label: thm-l\n\n   The order divides.\n\n   .. math:: a\n\n"
        ".. prf:proof::\n\n   Cosets.\n"
    )
    assert theorem.id == "n.rst#thm-l"
    assert theorem.title.to_latex() == "Lagrange $G$"
    assert theorem.fields["body"].to_latex() == "The order divides. $$a$$"
    assert theorem.fields["proof"].text == "Cosets."


def test_what_is_no_text_is_left_out() -> None:
    (document,) = read(".. image:: x.png\n   :alt: y\n\n.. a comment\n   of two lines\n\n.. note:: kept\n\n   too\n")
    assert document.fields["body"].text == "kept\n\ntoo"


FRAGMENTS = [
    "=====\n", "-----\n", "x\n", "Title\n", ".. math::\n", "   y\n", "\n", ".. theorem:: T\n", "   .. proof::\n",
    ":label: a\n", ":math:`x`", "`", "``", "`_", "*", "**", "|", ".. _a:\n", "..\n", "::\n", "$", ":ref:`a <b>`", "- ",
    "   ", "[1]_", "\ufffc", "\ue000",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join), st.text(max_size=60)))
def test_any_text_gives_documents(text: str) -> None:
    documents = read(text)
    assert len({document.id for document in documents}) == len(documents)
