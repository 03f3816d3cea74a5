"""Formula tables by themselves: a document for each post and comment, and no other table is taken for one."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from porism.corpus import ReaderOptions, open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem, SourceError
from porism.types import Content, Document, Formula

HEADER = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"
ROWS = [
    "1\t10\t10\ttitle\t\t\t700\t\tx",
    "2\t10\t10\tquestion\t\t\t701\t\ty<1",
    "5\t11\t10\tanswer\t\t\t\t\tz",
    "4\t10\t10\tcomment\t11\t\t703\t\tw",
    "3\t10\t10\tquestion\t\t\t702\t\ta+b",  # rows of a post need not stand together
    "6\t10\t10\tcomment\t12\t\t704\t\t",
]
MATHML = HEADER + '2\t10\t10\tquestion\t\t\t701\t\t"<math alttext=""y<1""><mi>y</mi><mo>&lt;</mo><mn>1</mn></math>"\n'


def table(folder: Path, text: str = "", name: str = "1.tsv") -> Path:
    """A table in a folder, that of :data:`ROWS` by default."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text or HEADER + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def test_posts_and_comments_are_documents(tmp_path: Path) -> None:
    path = table(tmp_path / "latex_representation_v3")
    problems: list[Problem] = []
    where = {"thread": "10", "source": "latex_representation_v3"}
    assert list(open_source(path.parent, on_problem=problems.append)) == [
        Document("10", {
            "title": Content("\ufffc", (Formula("x", id="1", visual_id="700"),)),
            "body": Content("\ufffc; \ufffc", (Formula("y<1", id="2", visual_id="701"),
                                              Formula("a+b", id="3", visual_id="702"))),
        }, {"type": "question", "post": "10", **where}),
        # the comment 11 and the post 11 are not the same
        Document("comment-11", {"comment": Content("\ufffc", (Formula("w", id="4", visual_id="703"),))},
                 {"type": "comment", "post": "10", **where}),
        Document("11", {"body": Content("\ufffc", (Formula("z", id="5"),))}, {"type": "answer", "post": "11", **where}),
    ]
    assert [str(problem) for problem in problems] == ["latex_representation_v3: 1 rows without a formula are skipped"]


def test_without_comments(tmp_path: Path) -> None:
    path = table(tmp_path)
    assert [document.id for document in open_source(path, options=ReaderOptions(comments=False))] == ["10", "11"]


def test_packed_tables_and_several_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    table(tmp_path, HEADER + "\n".join(ROWS[3:]) + "\n", "10.tsv")
    first = table(tmp_path, HEADER + "\n".join(ROWS[:3]) + "\n", "2.tsv")
    first.with_suffix(".tsv.gz").write_bytes(gzip.compress(first.read_bytes()))
    first.unlink()
    assert detect_format(tmp_path) == "arqmath-formulas"
    question = next(iter(open_source(tmp_path)))
    assert [formula.id for formula in question.fields["body"].formulas] == ["2", "3"]


def test_mathml_tables_are_read_as_mathml(tmp_path: Path) -> None:
    path = table(tmp_path / "slt_representation_v3", MATHML)
    (document,) = open_source(path.parent)
    (formula,) = document.fields["body"].formulas
    assert (formula.notation, formula.id, formula.visual_id) == ("mathml", "2", "701")


def test_of_both_kinds_the_option_chooses(tmp_path: Path) -> None:
    table(tmp_path / "latex_representation_v3")
    assert detect_format(tmp_path) == "arqmath-formulas"
    problems: list[Problem] = []
    options = ReaderOptions(formulas="mathml")
    assert len(list(open_source(tmp_path, options=options, on_problem=problems.append))) == 3
    assert "there are no slt_representation tables" in problems[0].what
    table(tmp_path / "slt_representation_v3", MATHML)
    assert [document.id for document in open_source(tmp_path, options=options)] == ["10"]
    assert len(list(open_source(tmp_path))) == 3


def test_a_table_without_header_or_of_six_columns(tmp_path: Path) -> None:
    path = table(tmp_path, "7\t1\t1\tcomment\t5\tx\n\t\t\t\t\ty\n")
    problems: list[Problem] = []
    (document,) = open_source(path, "arqmath-formulas", on_problem=problems.append)
    assert document.id == "comment-of-1"
    assert document.fields["comment"].formulas == (Formula("x", id="7", visual_id="5"),)
    assert ["no header" in problems[0].what, "belong to no post" in problems[1].what] == [True, True]


def test_other_tables_stay_what_they_are(tmp_path: Path) -> None:
    assert detect_format(table(tmp_path, "id\tpost_id\tformula\n1\t2\tx^2\n", "other.tsv")) == "csv"
    assert detect_format(table(tmp_path, "id\ttitle\tbody\n1\ta\tb\n", "texts.tsv")) == "csv"
    table(tmp_path / "mixed")
    (tmp_path / "mixed" / "notes.md").write_text("x", encoding="utf-8")
    assert detect_format(tmp_path / "mixed") == "folder"
    problems: list[Problem] = []
    (document,) = open_source(tmp_path / "mixed", on_problem=problems.append)
    assert document.id == "mixed/notes.md"
    assert "passed over: 1.tsv" in problems[0].what


def test_a_collection_with_posts_stays_whole(tmp_path: Path) -> None:
    table(tmp_path / "latex_representation_v3")
    (tmp_path / "Posts.V1.3.xml").write_text("<posts></posts>", encoding="utf-8")
    assert detect_format(tmp_path) == "arqmath"


def test_no_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no formula tables.*post_id"):
        list(open_source(tmp_path, "arqmath-formulas"))


def test_the_real_tables(shared_data: Path) -> None:
    documents = list(open_source(shared_data / "arqmath-mini" / "latex_representation_v3"))
    formulas = [
        formula for document in documents for content in document.fields.values() for formula in content.formulas
    ]
    assert len(formulas) == 79_587
    assert len({formula.visual_id for formula in formulas} - {None}) == 37_987
    assert Counter(document.metadata["type"] for document in documents) == {
        "comment": 6_819, "answer": 3_094, "question": 2_460
    }
