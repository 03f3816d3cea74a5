"""Typst: sections, theorem-like functions and what they are defined by, files that include others."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.base import ReaderOptions
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format, source_groups
from porism.errors import Problem
from porism.types import Document

NOTES = """\
#import "@preview/ctheorems:1.1.3": *
#import "defs.typ": lemma, conj as guess
#let theorem = thmbox("lemma", "Theorem", fill: rgb("#eeffee"))
#let puzzle = thmbox("puzzle", "Puzzle")
#let RR2 = $RR^2$
#set document(title: "My notes")
#show: thmrules.with(qed-symbol: $square$)

= Numbers *and* $x^2$ <sec:numbers>
Some _text_ with snake_case // a comment
and https://example.org/a_b, see @sec:numbers and @thm[Satz].

- one
+ two /* a
  long comment */ three
/ Term: its meaning

#theorem("Euclid")[
  There are
  infinitely many primes: $ sum_(i=1)^n i = 1 $ <eq:sum>
] <thm>
#proof[By @eq:sum, in $RR2$.]

#lemma[Named $x$.]
#guess(title: [Big *guess*])[True.]
#puzzle[Why?]

== Other
#figure(table(columns: 2, [a], [$b$], [c], [d]), caption: [Cap]) <fig:one>
`code $x$` #footnote[A note.] #image("a.png") #v(1em) #strong("bold") #link("https://x.org")[shown]
"""
DEFINITIONS = """\
#let lemma = thmplain("lemma", "Lemma")
#let conj(title: none, body) = conjecture(title)[Guess: #body]
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.typ").write_text(NOTES, encoding="utf-8")
    (tmp_path / "defs.typ").write_text(DEFINITIONS, encoding="utf-8")
    return tmp_path


def read(path: Path, problems: list[Problem] | None = None) -> dict[str, Document]:
    gathered = [] if problems is None else problems
    return {document.id.partition("#")[2]: document for document in open_source(path, on_problem=gathered.append)}


def read_text(path: Path, text: str, problems: list[Problem] | None = None) -> str:
    """The text of a file that is one document."""
    (path / "a.typ").write_text(text, encoding="utf-8")
    return "\n\n".join(shown(document) for document in read(path / "a.typ", problems).values())


def shown(document: Document, field: str = "body") -> str:
    return document.fields[field].to_latex()


def test_sections_and_statements(notes: Path) -> None:
    problems: list[Problem] = []
    documents = read(notes, problems)
    assert detect_format(notes) == "typst"
    assert not problems
    assert [(name, document.metadata["type"]) for name, document in documents.items()] == [
        ("sec:numbers", "section"), ("thm", "theorem"), ("lemma-1", "lemma"), ("conjecture-1", "conjecture"),
        ("puzzle-1", "puzzle"), ("other", "section"),
    ]  # fmt: skip
    theorem = documents["thm"]
    assert theorem.metadata["section"] == ("My notes", "Numbers and $x^{2}$")
    assert theorem.metadata["labels"] == ("thm", "eq:sum")
    assert theorem.metadata["line"] == "18"
    assert shown(theorem, "title") == "Euclid"
    assert shown(theorem) == "There are\ninfinitely many primes: $$\\sum_{i=1}^{n}i=1$$"
    assert shown(theorem, "proof") == "By Equation [eq:sum], in ${\\mathbb{R}^{2}}$."
    assert shown(documents["conjecture-1"], "title") == "Big guess"
    assert shown(documents["conjecture-1"]) == "Guess: True."


def test_running_text(notes: Path) -> None:
    documents = read(notes)
    assert shown(documents["sec:numbers"]) == (
        "Some text with snake_case\nand https://example.org/a_b, see Section [sec:numbers] and Satz [thm].\n\n- one\n\n"
        "- two three\n\n- Term: its meaning"
    )
    assert shown(documents["other"]) == (
        "a $b$\nc d\n\nCap\n\ncode $x$ (A note.) [figure] bold shown"
    )
    assert documents["other"].metadata["labels"] == ("fig:one",)


def test_lines_are_those_of_the_file(notes: Path) -> None:
    body = read(notes)["sec:numbers"].fields["body"]
    first = 9
    for text, line in (("Some", 10), ("and https", 11), ("one", 13), ("three", 15), ("Term", 16)):
        assert first + body.line_of(body.text.index(text)) == line, text
    body = read(notes)["thm"].fields["body"]
    assert 18 + body.line_of(body.text.index("infinitely")) == 20


def test_files_are_read_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "main.typ").write_text('= Book\n#include "parts/one.typ"\n#include "no.typ"\nEnd. ' + "x " * 1200)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.typ").write_text('#import "/defs.typ": *\n== One\nHere #word.\n#lemma[L.]')
    (tmp_path / "defs.typ").write_text('#let word = [is #strong[it]]\n#let lemma = thmbox("lemma", "Lemma")')
    problems: list[Problem] = []
    documents = list(open_source(tmp_path, on_problem=problems.append))
    assert [(document.metadata["file"], document.metadata["line"]) for document in documents] == [
        ("main.typ", "1"), ("parts/one.typ", "2"), ("parts/one.typ", "4"),
    ]
    assert documents[1].metadata["section"] == ("Book", "One")
    assert shown(documents[1]).startswith("Here is it.")
    assert [str(problem) for problem in problems] == ["main.typ:3: there is no file no.typ"]
    (group,) = source_groups(tmp_path, None, ReaderOptions()).groups
    assert sorted(file.name for file in group.files) == ["defs.typ", "main.typ", "one.typ"]


@every_case(
    ("text", "expected"),
    [
        ("#if x > 2 [yes] else [no] z", "yesno z"),
        ("#for x in (1, 2) [again]", "again"),
        ("#let f(a, b: [c]) = [#a and #b]\n#f[x], #f([y], b: [z])", "x and c, y and z"),
        ("#let f = [#f #f]\nend #f", "end"),
        ("#set text(fill: red, size: (2pt,\n 3pt))\nText", "Text"),
        ("#show heading: it => [\n  #it.body\n]\nText", "Text"),
        ("\\#no \\u{2115} a--b---c~d...", "#no ℕ a–b—c d…"),
        ("#context { [in braces] }", "in braces"),
        ("#text(red)[a #h(1em) b]", "a b"),
        ("#enum([a], [b])", "- a\n\n- b"),
        ("a [b] c] d", "a [b] c] d"),
        ("```py\nx = '$'\n```", "x = '$'"),
        ("#quote(block: true)[said]", "said"),
    ],
)  # fmt: skip
def test_what_is_printed(text: str, expected: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, text) == expected


@every_case(
    ("text", "problem"),
    [
        ("a\nb $x", "a.typ:2: a formula is never ended"), ("a\n#[b", "a.typ:2: a bracket is never closed"),
        ("x /* a", "a.typ:1: a comment is never closed"), ("`a", "a.typ:1: code is never closed"),
        ("$ x +\n foo $", "a.typ:1: in a formula: unknown name foo"),
        ("#[" * 60 + "x" + "]" * 60, "a.typ:1: is nested too deeply; what is inside is text"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported(text: str, problem: str, tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert read_text(tmp_path, text, problems)
    assert problem in map(str, problems)


def test_functions_are_carried_out_so_often_only(tmp_path: Path) -> None:
    lines = [f"#let a{n} = [#a{n + 1} #a{n + 1} #a{n + 1} #a{n + 1} #a{n + 1}]" for n in range(12)]
    problems: list[Problem] = []
    read_text(tmp_path, "\n".join([*lines, "#let a12 = [x]", "#a0"]), problems)
    assert [problem.what for problem in problems] == ["only 20,000 functions of the file are carried out"]


PIECES = (
    *("= ", "#", "[", "]", "(", ")", "{", "}", "$", '"', "\\", "/*", "*/", "//", "`", "```", "<a>", "@a", "\n", "else"),
    *("#let ", "#let f(x) = ", "#if ", "#for ", "#set ", "#show ", "#import ", "theorem", "f", ": ", ", ", "- ", "π"),
    *("#f[", "#f(", " = ", "mat(", "accent(", "^", "_", "&", ";", "=>", "..", "1em", "#theorem[", "#include "),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "random.typ"
    path.write_text("x" + "".join(parts), encoding="utf-8")
    list(open_source(path, "typst"))
