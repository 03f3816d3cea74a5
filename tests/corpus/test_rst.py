"""reStructuredText: titles, roles, directives."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG, examples

from porism.corpus.base import ignore_problem
from porism.corpus.rst.parser import parse_rst
from porism.corpus.rst.reader import RstReader
from porism.errors import Problem
from porism.types import Document

MANY_WORDS = "word " * 500


def read(text: str) -> list[Document]:
    return list(RstReader().documents(text, "n.rst", "notes", ignore_problem))


@every_case(
    ("source", "expected"),
    [
        (":math:`x^2` and $y$", "$x^2$ and $y$"),
        ("*a* **b** ``c *d*`` :emphasis:`e`", "a b c *d* e"),
        ("`text <http://x.y>`_ and `name`_ and word_ [1]_.", "text and name and word."),
        (":ref:`the section <lab>` :eq:`e-1` :py:func:`~os.path`", "the section Equation [e-1] os.path"),
        ("``a`` :math:`b` ``c``", "a $b$ c"),
    ],
)
def test_roles_and_marks(source: str, expected: str) -> None:
    (document,) = read(source)
    assert document.fields["body"].to_latex() == expected


def test_sections_and_labels() -> None:
    documents = read(
        "=====\nTitle\n=====\n\nintro\n\n.. _sec-a:\n\nA :math:`x`\n-----------\n\n"
        f"{MANY_WORDS}\n\nB\n~\n\nb\n\nC\n---\n\nc\n"
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


def test_roles_and_directives_of_any_name_keep_their_content() -> None:
    (document,) = read(
        ".. role:: m(math)\n\n.. unknown:thing:: An argument\n   :option: 3\n\n"
        "   Some *content* :m:`a_b` :foo:bar:`baz`.\n\n"
        ".. only:: html\n\n   Inside\n   ------\n\n   it.\n"
    )
    assert document.fields["body"].to_latex() == "An argument\n\nSome content $a_b$ baz.\n\nInside\n\nit."


def test_default_role_and_substitutions() -> None:
    (document,) = read(
        ".. default-role:: math\n.. |R| replace:: the *reals* :math:`R`\n.. |i| image:: x.png\n\n|R| |i| `x\\y`."
    )
    assert document.fields["body"].to_latex() == "the reals $R$ $x\\y$."
    (document,) = read("`text`")  # the role was that of one document
    assert document.fields["body"].to_latex() == "text"


def test_formulas_are_no_marks() -> None:
    (document,) = read(
        "$x_$ and $|a|$, $b*c$\n\n+-------+----+\n| $a_b$ | *c*|\n+-------+----+\n\n"
        ".. math::\n\n   \\begin{gather}\n   a\n\n   b\n   \\end{gather}\n\n   c % note\n   d\n"
    )
    sources = [formula.source for formula in document.fields["body"].formulas]
    assert sources == ["x_", "|a|", "b*c", "a_b", "\\begin{gather} a b \\end{gather}", "c % note\nd"]


def test_literal_text_stays_as_it_was() -> None:
    (document,) = read(
        "Write::\n\n   .. theorem:: $x$\n      *y*\n\nor ``$z$``.\n\n.. code-block:: rst\n\n   .. a:: b\n"
    )
    assert document.fields["body"].text == "Write:\n\n.. theorem:: $x$\n*y*\n\nor $z$.\n\n.. a:: b"


def test_nothing_is_read_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words", encoding="utf-8")
    path = tmp_path / "secret"
    (document,) = read(
        f"a\n\n.. include:: {path}\n\n.. csv-table:: t\n   :file: {path}\n\n.. literalinclude:: {path}\n\n"
        f".. |s| include:: {path}\n\n|s| b"
    )
    assert "secret words" not in document.fields["body"].text


@every_case(
    "text",
    [
        "- " * 2000 + "end", " ".join(["http://a.b"] * 5000) + " end", "*a " * 20_000 + "end",
        "::\n" * 50_000 + "end", "word " * 250_000 + "end", "word " * 30_000 + "end",
    ],
)
def test_what_docutils_cannot_read_is_plain_text_and_reported(text: str) -> None:
    problems: list[Problem] = []
    (document,) = RstReader().documents(text, "n.rst", "notes", problems.append)
    assert document.fields["body"].text.endswith("end")
    assert len(problems) == 1


FRAGMENTS = [
    "=====\n", "-----\n", "x\n", "Title\n", ".. math::\n", "   y\n", "\n", ".. theorem:: T\n", "   .. proof::\n",
    ":label: a\n", ":math:`x`", "`", "``", "`_", "*", "**", "|", ".. _a:\n", "..\n", "::\n", "$", ":ref:`a <b>`", "- ",
    "   ", "[1]_", "\ufffc", "\ue000",
]  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join), st.text(max_size=60)))
def test_any_text_gives_documents(text: str) -> None:
    documents = read(text)
    assert len({document.id for document in documents}) == len(documents)


@every_case("piece", ["a\n=\n", "Title\n=====\n\nText $x$.\n\n", "=====\n", "=== ===\na   b\n=== ===\n\n"])
def test_work_grows_with_the_length(piece: str) -> None:
    """Calls of functions, and passes of the collector of cycles, while a text is parsed."""

    def work(count: int) -> tuple[int, int]:
        calls = passes = 0

        def on_call(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        def on_pass(phase: str, info: dict[str, int]) -> None:
            nonlocal passes
            passes += phase == "start"

        gc.collect()
        gc.callbacks.append(on_pass)
        sys.setprofile(on_call)
        try:
            parse_rst(piece * count)
        finally:
            sys.setprofile(None)
            gc.callbacks.remove(on_pass)
        assert gc.isenabled()
        return calls, passes

    work(10)
    size = 250 if LONG else 80
    few, _ = work(size)
    many, passes = work(4 * size)
    assert many < 4.4 * few
    assert passes <= 2  # before and after


@every_case("source", [".. raw:: html\n   :file: a.html\n", ".. toctree::\n   :maxdepth: 1\n\n   a\n"])
def test_a_text_of_directives_without_words_has_none(source: str) -> None:
    assert read(source) == []


def test_an_argument_of_several_lines_may_have_options_after_it() -> None:
    (document,) = read(".. math:: a &= b \\\\\n   c &= d\n   :label: e\n\ntext\n")
    assert document.metadata["labels"] == ("e",)
    assert document.fields["body"].to_latex() == "$$\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}$$\n\ntext"
