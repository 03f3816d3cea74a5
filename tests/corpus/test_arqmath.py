"""The ARQMath collection: formulas with their ids, and exact counts and first items of the real one."""

from __future__ import annotations

import gzip
from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from dumps import LINKS, rows, write_dump
from long_forms import LONG
from reading import read_with

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.posts.arqmath import ArqmathReader, read_formulas
from porism.corpus.posts.formula_table import CollectionFormula
from porism.errors import ConfigError, Problem, SourceError
from porism.types import Content, Document, Formula

read_arqmath = partial(read_with, ArqmathReader())

F = "\ufffc"
POSTS = [
    {
        "Id": "1", "PostTypeId": "1", "Title": 'Is <span class="math-container" id="1">$x$</span> it?',
        "Body": '<p>Say <span class="math-container" id="2">$$y &lt; 1$$</span>.</p>', "Tags": "<algebra>",
    },
    {"Id": "2", "PostTypeId": "2", "ParentId": "1", "Body": '<span class="math-container" id="q_3">$z$</span> $u$'},
]
COMMENTS = [{"Id": "9", "PostId": "2", "Text": 'or <span class="math-container" id="4">$w$</span>'}]
HEADER = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\r\n"
LATEX = (
    HEADER + "1\t1\t1\ttitle\t\t\t700\t\tx\r\n2\t1\t1\tquestion\t\t\t701\t\ty<1\r\n"
    'q_3\t2\t1\tanswer\t\t\t\t\t"z ""\n+1"\r\n4\t2\t1\tcomment\t9\t\t703\t\tw\r\n'
)
SLT = HEADER + (
    '1\t1\t1\ttitle\t\t\t700\t\t"<math alttext=""x""><mi>x</mi></math>"\r\n'
    '2\t1\t1\tquestion\t\t\t701\t\t"<math display=""block""><mi>y</mi>\n<mo>&lt;</mo><mn>1</mn></math>"\r\n'
    "4\t2\t1\tcomment\t9\t\t703\t\t\r\n"
)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "arq"
    folder.mkdir()
    (folder / "Posts.V1.3.xml").write_text(rows("posts", POSTS), encoding="utf-8")
    (folder / "Comments.V1.3.xml").write_text(rows("comments", COMMENTS), encoding="utf-8")
    for name, table in (("latex_representation_v3", LATEX), ("slt_representation_v3", SLT)):
        (folder / name).mkdir()
        (folder / name / "1.tsv").write_bytes(table.encode())
    return folder


def formulas_of(document: Document) -> dict[str, tuple[Formula, ...]]:
    return {name: content.formulas for name, content in document.fields.items() if content.formulas}


def test_formulas_carry_their_ids_and_visual_ids(collection: Path) -> None:
    (answer,) = read_arqmath(collection)
    assert answer.id == "2"
    assert answer.fields["title"].text == f"Is {F} it?"
    assert formulas_of(answer) == {
        "title": (Formula("x", id="1", visual_id="700"),),
        "question": (Formula("y < 1", id="2", visual_id="701", display=True),),
        "body": (Formula("z", id="q_3"), Formula("u")),
        "comments": (Formula("w", id="4", visual_id="703"),),
    }


def test_mathml_of_the_tables_where_there_is_any(collection: Path) -> None:
    (answer,) = read_arqmath(collection, formulas="mathml")
    assert formulas_of(answer) == {
        "title": (Formula('<math alttext="x"><mi>x</mi></math>', "mathml", "1", "700"),),
        "question": (
            Formula('<math display="block"><mi>y</mi>\n<mo>&lt;</mo><mn>1</mn></math>', "mathml", "2", "701", True),
        ),
        "body": (Formula("z", id="q_3"), Formula("u")),
        "comments": (Formula("w", id="4", visual_id="703"),),
    }


def test_all_but_the_posts_may_be_missing(collection: Path) -> None:
    for name in ("latex_representation_v3", "slt_representation_v3"):
        (collection / name / "1.tsv").unlink()
        (collection / name).rmdir()
    (collection / "Comments.V1.3.xml").unlink()
    problems: list[Problem] = []
    (answer,) = read_arqmath(collection, formulas="mathml", on_problem=problems.append)
    assert formulas_of(answer)["title"] == (Formula("x", id="1"),)
    assert [problem.what for problem in problems] == [
        "there are no slt_representation tables; formulas are given as LaTeX"
    ]


def test_the_newest_version_is_read(collection: Path) -> None:
    (collection / "Posts.V1.10.xml").write_text(rows("posts", POSTS).replace("Is", "Was"), encoding="utf-8")
    problems: list[Problem] = []
    (answer,) = read_arqmath(collection, on_problem=problems.append)
    assert answer.fields["title"].text == f"Was {F} it?"
    assert problems == [Problem("Posts.V1.3.xml", "is left aside for Posts.V1.10.xml")]


def test_packed_files(collection: Path) -> None:
    expected = list(read_arqmath(collection, formulas="mathml"))
    for path in [*collection.rglob("*.xml"), *collection.rglob("*.tsv")]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert list(read_arqmath(collection, formulas="mathml")) == expected


def test_formulas_of_the_tables(collection: Path) -> None:
    problems: list[Problem] = []
    assert list(read_formulas(collection)) == [
        CollectionFormula(Formula("x", id="1", visual_id="700"), "1", "1", "title"),
        CollectionFormula(Formula("y<1", id="2", visual_id="701"), "1", "1", "question"),
        CollectionFormula(Formula('z "\n+1', id="q_3"), "2", "1", "answer"),
        CollectionFormula(Formula("w", id="4", visual_id="703"), "2", "1", "comment", "9"),
    ]
    mathml = list(read_formulas(collection, notation="mathml", on_problem=problems.append))
    assert [(found.id, found.visual_id, found.formula.notation) for found in mathml] == [
        ("1", "700", "mathml"), ("2", "701", "mathml")
    ]
    assert problems == [Problem("slt_representation_v3/1.tsv", "1 rows without a formula are skipped")]


def test_broken_rows_of_a_table_are_named(collection: Path) -> None:
    table = collection / "latex_representation_v3" / "1.tsv"
    table.write_bytes(b"\n".join([
        b"id\tpost_id\tthread_id\ttype\tvisual_id\tformula", b"1\t1\t1\ttitle\t5\tx", b"2\t1", b"",
        b'3\t1\t1\ttitle\t6\t"never closed', b"4\t1\t1\ttitle\t7\t\xff", b"5\t1\t1\ttitle\t8\ty",
    ]))
    problems: list[Problem] = []
    found = [(row.id, row.formula.source) for row in read_formulas(table, on_problem=problems.append)]
    assert found == [("1", "x"), ("3", '"never closed'), ("4", "\ufffd"), ("5", "y")]
    assert [str(problem) for problem in problems] == [
        "latex_representation_v3/1.tsv:3 (byte 60): a row of 2 columns instead of 6 is skipped",
        "latex_representation_v3/1.tsv:6: byte 15 is not utf-8; such bytes become U+FFFD",
        "latex_representation_v3/1.tsv:5: a quote is never closed; its line is read without quotes",
    ]


def test_a_table_without_header(collection: Path) -> None:
    table = collection / "latex_representation_v3" / "1.tsv"
    table.write_text("7\t1\t1\ttitle\t\t\t5\t\tx\n", encoding="utf-8")
    problems: list[Problem] = []
    (row,) = read_formulas(table, on_problem=problems.append)
    assert (row.id, row.visual_id, row.formula.source) == ("7", "5", "x")
    assert "no header" in problems[0].what


def test_refusals(tmp_path: Path, collection: Path) -> None:
    with pytest.raises(SourceError, match=r"no file of posts.*Expected a folder with Posts"):
        read_arqmath(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="no formula tables"):
        read_formulas(tmp_path)
    with pytest.raises(ConfigError, match="there is no unit 'page'"):
        read_arqmath(collection, unit="page")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="notation 'ascii'"):
        read_arqmath(collection, formulas="ascii")  # type: ignore[arg-type]
    (collection / "Posts.V1.3.xml").write_bytes(b"")
    with pytest.raises(SourceError, match="the file is empty"):
        read_arqmath(collection)


def test_detection(collection: Path, tmp_path: Path) -> None:
    reader = ArqmathReader()
    assert reader.detect(collection)
    assert not reader.detect(write_dump(tmp_path / "dump"))
    assert not reader.detect(collection / "Posts.V1.3.xml")
    (document,) = reader.read(collection, ReaderOptions(comments=False), ignore_problem, ignore_progress)
    assert "comments" not in document.fields


def test_links_in_both_kinds(collection: Path) -> None:
    links = [{**link, "PostId": "1"} for link in LINKS]
    (collection / "PostLinks.V1.3.xml").write_text(rows("postlinks", links), encoding="utf-8")
    (answer,) = read_arqmath(collection)
    assert answer.metadata["linked"] == ("20",)
    assert answer.metadata["duplicates"] == ("30",)


@pytest.mark.needs_shared_data
def test_the_real_collection_by_answers(shared_data: Path) -> None:
    problems: list[Problem] = []
    answers = list(read_arqmath(shared_data / "arqmath-mini", on_problem=problems.append))
    assert len(answers) == len({answer.id for answer in answers}) == 3395
    assert Counter(name for answer in answers for name in answer.fields) == {
        "title": 3395, "body": 3395, "question": 3395, "tags": 3395, "comments": 1631,
    }
    formulas = [formula for answer in answers for content in answer.fields.values() for formula in content.formulas]
    assert len(formulas) == 76808
    assert sum(formula.visual_id is not None for formula in formulas) == 75039
    first = answers[0]
    assert (first.id, first.title) == ("692", Content("Do complex numbers really exist?"))
    assert first.fields["body"].text.startswith("Complex numbers are the final step")
    assert first.fields["tags"] == Content("soft-question complex-numbers education philosophy")
    assert first.metadata["question_id"] == "154"
    assert first.metadata["duplicates"] == ("501095", "978989", "1002437", "2305135")
    assert len(first.metadata["linked"]) == 36
    assert all("delimiter without its partner" in problem.what for problem in problems)
    assert len(problems) == 20


@pytest.mark.needs_shared_data
def test_the_real_collection_by_questions_and_threads(shared_data: Path) -> None:
    """The short form reads the first of each."""
    most = None if LONG else 50
    questions = list(islice(read_arqmath(shared_data / "arqmath-mini", unit="question", comments=False), most))
    threads = list(islice(read_arqmath(shared_data / "arqmath-mini", unit="thread", comments=False), most))
    assert [thread.id for thread in threads] == [question.id for question in questions]
    assert questions[0].id == "154"
    assert len(threads[0].fields["answers"].formulas) == 4
    if LONG:
        assert (len(questions), questions[-1].id) == (2769, "3055952")
        assert sum(len(thread.metadata["answer_ids"]) for thread in threads) == 3395


@pytest.mark.needs_shared_data
def test_the_real_formula_tables(shared_data: Path) -> None:
    formulas = list(read_formulas(shared_data / "arqmath-mini"))
    assert Counter(found.type for found in formulas) == {
        "answer": 41219, "question": 19067, "comment": 17372, "title": 1929
    }
    assert formulas[0] == CollectionFormula(
        Formula(r"\mathbb{N},\mathbb{Z},\mathbb{Q},\mathbb{R}", id="1552", visual_id="695948"), "9253", "154", "answer"
    )
    assert len({found.visual_id for found in formulas} - {None}) == 37987
