"""Documents of LyX."""

from __future__ import annotations

import gzip
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.document_languages import LANGUAGE
from porism.corpus.notes.lyx import OLD_LYX, LyxReader
from porism.corpus.opening import open_source
from porism.errors import Problem
from porism.types import Document

HEADER = r"""#LyX 2.3 created this file.
\lyxformat 544
\begin_document
\begin_header
\textclass amsart
\begin_preamble
\newcommand{\Z}{\mathbb{Z}}
\end_preamble
\language ngerman
\end_header

\begin_body

"""
BODY = r"""\begin_layout Title
Rings of␣
\begin_inset Formula $p$
\end_inset

-adics
\end_layout

\begin_layout Author
Somebody
\end_layout

\begin_layout Standard
\begin_inset FormulaMacro
\newcommand{\N}[1]{\left\Vert #1\right\Vert }
{\|#1\|}
\end_inset


\begin_inset Note Note
status open

\begin_layout Plain Layout
A note to myself
\end_layout

\end_inset

Before all␣
\begin_inset Quotes eld
\end_inset

sections
\begin_inset Quotes erd
\end_inset

.
\end_layout

\begin_layout Section
Ideals
\begin_inset CommandInset label
LatexCommand label
name "sec:ideals"

\end_inset


\end_layout

\begin_layout Theorem
\begin_inset Argument 1
status open

\begin_layout Plain Layout
Main
\end_layout

\end_inset


\begin_inset CommandInset label
LatexCommand label
name "thm:main"

\end_inset

Each ideal␣
\begin_inset Formula $I\subset\Z$
\end_inset

 is␣
\emph on
principal
\emph default
:
\begin_inset Formula
\begin{align}
I & =n\Z\label{eq:a}\\
 & =\N n
\end{align}

\end_inset


\end_layout

\begin_deeper
\begin_layout Itemize
in the block
\end_layout

\end_deeper
\begin_layout Proof
By␣
\begin_inset CommandInset ref
LatexCommand eqref
reference "eq:a"

\end_inset

 and␣
\begin_inset CommandInset citation
LatexCommand cite
key "Lang,Serre"

\end_inset

.
\begin_inset Foot
status open

\begin_layout Plain Layout
As␣
\begin_inset ERT
status open

\begin_layout Plain Layout


\backslash
textbf{we}
\end_layout

\end_inset

 know
\end_layout

\end_inset


\change_deleted 1 1
gone
\change_unchanged

\end_layout

\begin_layout Standard
After
\SpecialChar ldots

\end_layout

\end_body
\end_document
""".replace("␣", " ")


def read(tmp_path: Path, data: bytes) -> tuple[dict[str, Document], list[Problem]]:
    (tmp_path / "a.lyx").write_bytes(data)
    problems: list[Problem] = []
    return {document.id: document for document in open_source(tmp_path / "a.lyx", on_problem=problems.append)}, problems


def test_layouts_are_units(tmp_path: Path) -> None:
    documents, problems = read(tmp_path, (HEADER + BODY).encode())
    assert problems == []
    assert set(documents) == {"a.lyx", "a.lyx#sec:ideals", "a.lyx#thm:main"}
    first, section, theorem = (documents[name] for name in ("a.lyx", "a.lyx#sec:ideals", "a.lyx#thm:main"))
    assert (first.title.to_latex(), first.fields["body"].text) == ("Rings of $p$-adics", "Before all “sections”.")
    assert first.metadata[LANGUAGE] == "german"
    assert section.fields["body"].text == "After…"
    assert (theorem.title.text, theorem.metadata["type"]) == ("Main", "theorem")
    assert theorem.metadata["labels"] == ("thm:main", "eq:a")
    body, proof = theorem.fields["body"], theorem.fields["proof"]
    assert [formula.source for formula in body.formulas] == [
        r"I\subset\mathbb{Z}", r"\begin{align} I & =n\mathbb{Z}\\ & =\left\Vert n\right\Vert \end{align}"
    ]
    assert body.text == "Each ideal \ufffc is principal:\ufffc\n- in the block"
    assert proof.text == "By Equation [eq:a] and [Lang, Serre]. (As we know)"
    lines = (HEADER + BODY).split("\n")
    where = int(theorem.metadata["line"]) + body.line_of(body.character_of(1))
    assert lines[where - 1] == r"\begin_inset Formula"


def test_packed_files(tmp_path: Path) -> None:
    documents, problems = read(tmp_path, gzip.compress((HEADER + BODY).encode()))
    assert (len(documents), problems) == (3, [])


def test_what_is_broken_is_reported(tmp_path: Path) -> None:
    documents, problems = read(tmp_path, (HEADER + BODY[: BODY.index("is \n\\emph")]).encode())
    assert set(documents) == {"a.lyx", "a.lyx#thm:main"}
    assert [problem.what for problem in problems] == ["Theorem is never ended"]
    documents, problems = read(tmp_path, b"no LyX")
    assert [str(problem) for problem in problems] == ["a.lyx:1: has no body of LyX"]


_LINES = st.sampled_from([
    "\\begin_layout Theorem", "\\begin_layout Section", "\\end_layout", "\\begin_inset Formula $x$", "\\end_inset",
    "\\begin_inset Formula", "\\begin_inset ERT", "\\begin_inset Argument 1", "\\begin_deeper", "\\end_deeper", "text",
    "\\begin_inset CommandInset label", 'name "x"', "\\backslash", "\\begin_inset Foot", "\\emph on", "\\[x\\]", "",
])  # fmt: skip


@given(st.lists(_LINES, max_size=25))
def test_any_lines_are_read(lines: list[str]) -> None:
    text = HEADER + "\n".join(lines)
    list(LyxReader().documents(text, "a.lyx", "a", lambda problem: None))


def test_a_document_of_old_lyx_says_what_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "old.lyx"
    path.write_text("#LyX 1.3 created this file.\n\\lyxformat 221\n\\layout Standard\nText\n\\the_end\n")
    problems: list[Problem] = []
    assert not list(open_source(path, on_problem=problems.append))
    assert [str(problem) for problem in problems] == [f"old.lyx:1: {OLD_LYX}"]
