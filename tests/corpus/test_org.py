"""Org-mode files."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus import open_source
from porism.corpus.org.reader import OrgReader, as_markdown
from porism.types import Document

NOTES = r"""#+TITLE: Rings and $R$-modules
#+LANGUAGE: de
#+FILETAGS: :algebra:
#+LATEX_HEADER: \newcommand{\Z}{\mathbb{Z}}
# a comment
Opening.
* TODO [#A] First heading   :tag:
:PROPERTIES:
:CUSTOM_ID: sec-one
:END:
  Indented text.

#+NAME: thm-lagrange
#+ATTR_LATEX: :options [Lagrange for $G$]
#+begin_theorem
    Let $G \subset \Z$ be /finite/.
\begin{equation}\label{eq:a}
a *b* c
\end{equation}
#+end_theorem
#+BEGIN_PROOF
Clear.
#+END_PROOF
** Sub
\[
x = /y/
\]
#+begin_export latex
\begin{lemma} Exported \textbf{x}. \end{lemma}
#+end_export
"""


def read(text: str) -> list[Document]:
    return list(OrgReader().documents(text, "a.org", "notes", lambda problem: None))


def test_sections_and_theorems_are_documents(tmp_path: Path) -> None:
    (tmp_path / "a.org").write_text(NOTES, encoding="utf-8")
    opening, section, theorem, sub, lemma = open_source(tmp_path / "a.org", "org")
    assert (opening.title.to_latex(), opening.fields["body"].text) == ("Rings and $R$-modules", "Opening.")
    assert {document.metadata["language"] for document in (opening, section, theorem, sub)} == {"german"}
    assert (section.id, section.title.text, section.fields["body"].text) == (
        "a.org#sec-one", "First heading", "Indented text."
    )
    assert (theorem.id, theorem.metadata["line"]) == ("a.org#thm-lagrange", "15")
    assert theorem.title.to_latex() == "Lagrange for $G$"
    assert theorem.fields["body"].to_latex() == (
        "Let $G \\subset \\mathbb{Z}$ be finite.\n$$\\begin{equation} a *b* c \\end{equation}$$"
    )
    assert theorem.fields["proof"].text == "Clear."
    assert theorem.metadata["labels"] == ("thm-lagrange", "eq:a")
    assert (sub.title.text, sub.fields["body"].to_latex()) == ("Sub", "$$x = /y/$$")
    assert (lemma.metadata["type"], lemma.fields["body"].text) == ("lemma", "Exported x.")


@every_case(("text", "expected"), [
    ("*bold* /italic/ _under_ =a_b= ~c*d~ a/b/c $x_1/y/$ \\(a*b*\\).",
     "bold italic under a_b c*d a/b/c $x_1/y/$ $a*b*$."),
    ("See [[https://a.b][a /link/]], [[*Other]] and [[file:a.png]].", "See a /link/, Other and a.png."),
    ("One[fn:1] two[fn:: inline /note/ $n$].\n\n[fn:1] The note.", "One two (inline note $n$).\n\nThe note."),
    ("#+MACRO: hi Hello $1 and $2\n{{{hi(you, me)}}} {{{no}}}", "Hello you and me {{{no}}}"),
    ("- one\n  - two\n    more\n1) three\n", "- one\n- two\nmore\n- three"),
    ("| a | $b$ |\n|---+-----|\n| c | d |\n", "a $b$\nc d"),
    ("#+begin_src python :results output\nx = *y* # [[z]]\n#+end_src\nAfter.", "x = *y* # [[z]]\n\nAfter."),
    ("#+begin_quote\nQuoted.\n#+end_quote\n#+begin_comment\nHidden.\n#+end_comment\nSCHEDULED: <2020-01-01>\n",
     "Quoted."),
    ("#+CAPTION: A /caption/\n#+ATTR_HTML: :width 3\nText <<target>> $a << b >> c$ here.",
     "A caption\n\nText target $a << b >> c$ here."),
])
def test_marks_are_read(text: str, expected: str) -> None:
    (document,) = read(text)
    assert document.fields["body"].to_latex() == expected


@every_case("text", [NOTES, "\n\n* a\n:X:\n:END:\n\\[ a\n", ":X:\n* a\n#+end_src\n"])
def test_lines_keep_their_numbers(text: str) -> None:
    assert as_markdown(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("unit", [
    "*a ", "* ", "[[", "\\(", "$", "[fn:", "{{{a(", ":X:\n", "#+begin_theorem :options [\n", "* a :b: \n:P:\n:END:\n",
    ":P:\n:CUSTOM_ID: a\n:END:\n",
])
def test_hostile_texts_take_linear_time(unit: str, assert_linear) -> None:
    assert_linear(lambda count: as_markdown(unit * count), 2_000, 8_000)


def test_paragraphs_with_heads_of_statements_are_theorem_like_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.org"
    path.write_text(
        "Intro.\n\n<<thm:l>>\n*Theorem 1* (Lagrange). /Let \\(G\\) be\nfinite./\n\n"
        "/Proof./ Clear.\n\nQ.E.D.\n\nAfter it.\n\n* One\n\n"
        "*Example 2*. The cases are\n- \\(a\\)\n- \\(b\\)\n\nText after.\n\n*Theorem* proving is no head.\n",
        encoding="utf-8",
    )
    intro, theorem, section, example = open_source(path)
    assert (theorem.metadata["type"], theorem.metadata["line"]) == ("theorem", "4")
    assert [theorem.fields[name].to_latex() for name in ("title", "body", "proof")] == [
        "Lagrange", "Let $G$ be\nfinite.", "Clear.\n\nQ.E.D."
    ]
    assert theorem.metadata["labels"] == ("thm:l",)
    assert intro.fields["body"].text == "Intro.\n\nAfter it."
    assert (example.metadata["type"], example.fields["body"].to_latex()) == ("example", "The cases are\n- $a$\n- $b$")
    assert section.fields["body"].text == "Text after.\n\nTheorem proving is no head."
