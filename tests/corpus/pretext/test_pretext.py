"""PreTeXt: books in XML, with what they include, as documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.base import ReaderOptions
from porism.corpus.opening import open_source
from porism.corpus.pandoc.program import DOCUMENTS
from porism.corpus.registry import detect_format, source_groups
from porism.errors import Problem
from porism.types import Document

XI = 'xmlns:xi="http://www.w3.org/2001/XInclude"'
BOOK = f"""<?xml version="1.0" encoding="UTF-8"?>
<pretext xml:lang="en-US" {XI}>
<docinfo>
  <macros>
    \\newcommand{{\\N}}{{\\mathbb N}}
  </macros>
  <latex-image-preamble>\\usepackage{{tikz}}</latex-image-preamble>
</docinfo>
<book>
  <title>Numbers</title>
  <xi:include href="./groups.xml"/>
  <xi:include href="missing.xml"/>
</book>
</pretext>
"""
CHAPTER = f"""<?xml version="1.0"?>
<!-- a chapter -->
<chapter xml:id="ch-groups" {XI}>
  <title>Groups of order <m>p</m><idx>prime order</idx></title>
  <introduction><p>We count.</p></introduction>
  <section xml:id="sec-one">
    <title>Lagrange</title>
    <theorem xml:id="thm-lagrange">
      <title>Lagrange</title>
      <idx><h>group</h><h>order</h></idx>
      <statement>
        <p>
          If <m>n \\in \\N</m> and <m>a \\lt b</m>, then
          <md>
            <mrow>x \\amp = 1</mrow>
            <mrow xml:id="eq-two">y \\amp = 2</mrow>
          </md>.
        </p>
      </statement>
      <proof><p>See <xref ref="def-group"/> and theorem <xref ref="thm-lagrange"/>.</p></proof>
    </theorem>
    <definition xml:id="def-group"><statement><p>A <term>group</term> is a set.</p></statement></definition>
    <exercises>
      <exercise>
        <introduction><p>Show:</p></introduction>
        <task><statement><p>First.</p></statement><solution><p>Done.</p></solution></task>
        <hint><p>Think.</p></hint>
        <answer><p><m>42</m></p></answer>
      </exercise>
    </exercises>
    <p>A list: <ol><li><p>one<fn>A note.</fn></p></li><li>two &amp; <c>code</c></li></ol></p>
    <tabular><row><cell>a</cell><cell><m>b</m></cell></row></tabular>
    <image><latex-image>\\begin{{tikzpicture}}\\end{{tikzpicture}}</latex-image></image>
    <sage><input>factor(12)</input></sage>
  </section>
  <conclusion><p>That<rsq/> was it<mdash/>for <q>now</q>.</p></conclusion>
</chapter>
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "book.ptx").write_text(BOOK, encoding="utf-8")
    (tmp_path / "groups.xml").write_text(CHAPTER, encoding="utf-8")
    return tmp_path


def read(path: Path, problems: list[Problem] | None = None) -> dict[str, Document]:
    gathered = [] if problems is None else problems
    return {document.id.partition("#")[2]: document for document in open_source(path, on_problem=gathered.append)}


def shown(document: Document, field: str = "body") -> str:
    return document.fields[field].to_latex()


def test_a_book_is_read_with_the_files_that_it_includes(book: Path) -> None:
    problems: list[Problem] = []
    documents = read(book, problems)
    assert detect_format(book) == "pretext"
    assert list(documents) == ["ch-groups", "sec-one", "thm-lagrange", "def-group", "exercise-1"]
    assert [str(problem) for problem in problems] == ["book.ptx:12: there is no file missing.xml"]
    theorem = documents["thm-lagrange"]
    assert theorem.metadata["file"] == "groups.xml"
    assert theorem.metadata["line"] == "8"
    assert theorem.metadata["section"] == ("Numbers", "Groups of order $p$", "Lagrange")
    assert shown(theorem, "title") == "Lagrange"
    assert shown(theorem, "aliases") == "group order"
    assert theorem.metadata["labels"] == ("thm-lagrange", "eq-two")


def test_macros_rows_and_references(book: Path) -> None:
    theorem = read(book)["thm-lagrange"]
    assert [formula.source for formula in theorem.fields["body"].formulas] == [
        "n \\in \\mathbb N", "a \\lt b", "\\begin{aligned} x & = 1 \\\\ y & = 2 \\end{aligned}",
    ]
    assert shown(theorem).endswith("\\end{aligned}$$.")
    assert shown(theorem, "proof") == "See Definition [def-group] and theorem [thm-lagrange]."


def test_an_exercise_has_its_hints_and_solutions_as_proof(book: Path) -> None:
    exercise = read(book)["exercise-1"]
    assert shown(exercise) == "Show:\n\nTask. First."
    assert shown(exercise, "proof") == "Done.\n\nHint. Think.\n\nAnswer. $42$"
    assert exercise.metadata["section"] == ("Numbers", "Groups of order $p$", "Lagrange", "Exercises")


def test_text_after_a_part_belongs_to_what_is_around_it(book: Path) -> None:
    documents = read(book)
    assert shown(documents["ch-groups"]) == "We count.\n\nThat was it—for “now”."
    assert shown(documents["ch-groups"], "aliases") == "prime order"
    assert shown(documents["sec-one"]) == "A list:\n\n- one(A note.)\n\n- two & code\n\na $b$\n\n[figure]"


def test_lines_are_those_of_the_file(book: Path) -> None:
    theorem = read(book)["thm-lagrange"]
    body = theorem.fields["body"]
    lines = [int(theorem.metadata["line"]) + body.line_of(body.character_of(number)) for number in range(3)]
    assert lines == [13, 13, 14]


def test_a_file_that_is_included_is_read_once(book: Path) -> None:
    (book / "also.ptx").write_text(f'<book {XI}><title>B</title><xi:include href="groups.xml"/><p>x</p></book>')
    documents = [document.id for document in open_source(book)]
    assert len(documents) == len(set(documents)) == 6
    groups = list(source_groups(book, None, ReaderOptions()).groups)
    assert [(group.name, group.note) for group in groups] == [("also.ptx", []), ("book.ptx", ["groups.xml"])]
    assert {file.name for file in groups[1].files} == {"book.ptx", "groups.xml"}


def test_a_group_is_read_again_where_its_files_are_not_the_same(book: Path) -> None:
    (group,) = source_groups(book, None, ReaderOptions()).groups
    assert len(list(group.items(lambda problem: None, lambda done, total: None))) == 5
    assert group.fits(group.note, group.files)
    (book / "missing.xml").write_text("<section xml:id='late'><title>Late</title><p>x</p></section>")
    (later,) = source_groups(book, None, ReaderOptions()).groups
    assert not later.fits(group.note, group.files)
    assert "late" in read(book)


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.ptx").write_text(f'<book {XI}><p>a</p><xi:include href="b.ptx"/></book>')
    (tmp_path / "b.ptx").write_text(f'<chapter {XI}><title>B</title><p>b</p><xi:include href="a.ptx"/></chapter>')
    (document,) = open_source(tmp_path)
    assert (shown(document, "title"), shown(document)) == ("B", "a\n\nb")


def test_nothing_outside_the_source_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.ptx").write_text("<chapter><p>secret</p></chapter>")
    source = tmp_path / "book"
    source.mkdir()
    (source / "a.ptx").write_text(f'<book {XI}><xi:include href="../secret.ptx"/><p>a</p></book>')
    problems: list[Problem] = []
    assert [shown(document) for document in open_source(source, on_problem=problems.append)] == ["a"]
    assert "leads out of the source" in str(problems[0])


@every_case(
    ("name", "text", "expected"),
    [
        ("old.xml", "<mathbook><article><p>$</p></article></mathbook>", "pretext"),
        ("part.xml", '<section xml:id="s"><title>S</title></section>', "pretext"),
        ("docbook.xml", '<chapter xmlns="http://docbook.org/ns/docbook" xml:id="c"><title/></chapter>', "docbook"),
        (
            "old-docbook.xml", '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x"><book xml:id="b"/>',
            "docbook",
        ),
        ("publication.ptx", "<publication/>", None),
        ("project.ptx", '<project ptx-version="2"><targets/></project>', None),
        ("kernel.ptx", ".version 7.0\n.target sm_70\n", None),
    ],
)  # fmt: skip
def test_what_is_pretext(name: str, text: str, expected: str | None, tmp_path: Path) -> None:
    (tmp_path / "z.md").write_text("text")
    (tmp_path / name).write_text(text)
    listing = source_groups(tmp_path, None, ReaderOptions())
    is_read = expected is not None and (expected != "docbook" or DOCUMENTS.is_installed)
    assert [group.format for group in listing.groups if group.name == name] == ([expected] if is_read else [])


def test_broken_and_hostile_xml_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(
        '<!DOCTYPE book [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n'
        "<book><p>&m; &f; a&nbsp;b</p>\n<p><m>1 < 2 & 3</m></p>\n<p>open <em>never closed</p><p>end</p></book>"
    )
    problems: list[Problem] = []
    (document,) = open_source(path, on_problem=problems.append)
    assert shown(document) == "&m; &f; a\u00a0b\n\n$1 < 2 & 3$\n\nopen never closed\n\nend".replace("\u00a0", " ")
    assert [problem.where for problem in problems[:1]] == ["a.ptx:4"]


def test_deep_nesting_and_no_xml_are_problems(tmp_path: Path) -> None:
    (tmp_path / "deep.ptx").write_text("<p>" * 5000)
    (tmp_path / "good.ptx").write_text("<article><p>good</p></article>")
    problems: list[Problem] = []
    assert "good" in [shown(document) for document in open_source(tmp_path, on_problem=problems.append)]
    assert any(problem.where.startswith("deep.ptx") for problem in problems)


PIECES = ("<p>", "</p>", "<m>", "</m>", "<md>", "<mrow>", "<title>", "<theorem>", "<ol>", "<li>", "<xref/>", "&x;", "<",
          "&", "\n", "a", "\\", "$", "{", "<fn>", "<idx>", "</theorem>", "<section>", "</section>")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "random.ptx"
    path.write_text("<book>" + "".join(pieces), encoding="utf-8")
    list(open_source(path, "pretext"))


@given(st.binary())
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.ptx"
    path.write_bytes(b"<" + data)
    list(open_source(path, "pretext"))
