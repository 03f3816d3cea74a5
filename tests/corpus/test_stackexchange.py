"""Stack Exchange dumps: the three units, both notations of bodies, and everything that can be wrong with a file."""

from __future__ import annotations

import gzip
import sqlite3
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from case_tables import every_case
from dumps import POSTS, rows, write_dump
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_forms import LONG_ONLY
from reading import read_with

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.posts.stackexchange import StackExchangeReader
from porism.corpus.posts.threads import temporary_database
from porism.errors import Problem, SourceError
from porism.types import Content, Document, Formula

read_stackexchange = partial(read_with, StackExchangeReader())

F = "\ufffc"
TITLE = Content(f"When is {F} even?", (Formula("n^2"),))
TAGS = Content("parity elementary-number-theory")
QUESTION = Content(f"Let {F} be an integer.", (Formula("n"),))
LINKS = {"linked": ("20",), "duplicates": ("30",)}


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return write_dump(tmp_path / "dump")


def write_posts(path: Path, posts: str | bytes) -> Path:
    path.write_bytes(posts if isinstance(posts, bytes) else posts.encode())
    return path


def test_answers_come_with_their_question(dump: Path) -> None:
    answers = list(read_stackexchange(dump))
    assert [answer.id for answer in answers] == ["12", "21", "11"]
    assert answers[0] == Document(
        "12",
        {
            "title": TITLE,
            "body": Content(f"When {F} is.", (Formula("n"),)),
            "question": QUESTION,
            "tags": TAGS,
            "comments": Content(f"But a<b & {F}?\nRight.", (Formula("x"),)),
        },
        {
            "type": "answer", "question_id": "10", "tags": ("parity", "elementary-number-theory"), "source": "dump",
            "accepted": "true", "created": "2020-01-02", **LINKS,
        },
    )
    assert "accepted" not in answers[1].metadata
    assert "comments" not in answers[1].fields


def test_markdown_bodies_keep_their_code(dump: Path) -> None:
    question = list(read_stackexchange(dump, unit="question"))[1]
    assert question.fields["body"] == Content(f"Exponentials `$a$`\n\n{F}", (Formula("e^x", display=True),))
    assert question.metadata["tags"] == ("growth",)


def test_questions_alone(dump: Path) -> None:
    questions = list(read_stackexchange(dump, unit="question"))
    assert [question.id for question in questions] == ["10", "20", "30"]
    assert questions[0] == Document(
        "10",
        {"title": TITLE, "body": QUESTION, "tags": TAGS, "comments": Content(f"Which {F}?", (Formula("m"),))},
        {
            "type": "question", "question_id": "10", "tags": ("parity", "elementary-number-theory"), "source": "dump",
            "accepted_answer_id": "12", "score": "3", **LINKS,
        },
    )


def test_whole_threads(dump: Path) -> None:
    threads = list(read_stackexchange(dump, unit="thread", comments=False))
    assert [thread.id for thread in threads] == ["10", "20", "30"]
    assert threads[0].fields == {
        "title": TITLE, "body": QUESTION, "tags": TAGS,
        "answers": Content(f"When {F} is.\n\nOnly then.", (Formula("n"),)),
    }
    assert threads[0].metadata["answer_ids"] == ("12", "21")
    assert threads[2].metadata["answer_ids"] == ()


def test_a_file_of_posts_alone_is_enough(dump: Path) -> None:
    answers = list(read_stackexchange(dump / "Posts.xml"))
    assert [answer.id for answer in answers] == ["12", "21", "11"]
    assert all("comments" not in answer.fields for answer in answers)


def test_progress_reaches_the_end(dump: Path) -> None:
    calls: list[tuple[int, int]] = []
    list(read_stackexchange(dump, on_progress=lambda done, total: calls.append((done, total))))
    totals = {total for _, total in calls}
    assert len(totals) == 1
    assert calls[-1][0] == calls[-1][1]
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_reader_detects_dumps_and_reads_with_options(dump: Path, tmp_path: Path) -> None:
    reader = StackExchangeReader()
    assert reader.detect(dump)
    assert reader.detect(dump / "Posts.xml")
    assert not reader.detect(dump / "Comments.xml")
    assert not reader.detect(tmp_path)
    assert not reader.detect(tmp_path / "missing.xml")
    options = ReaderOptions(unit="question", collection="maths")
    documents = list(reader.read(dump, options, ignore_problem, ignore_progress))
    assert {document.metadata["source"] for document in documents} == {"maths"}


@every_case("packed", [False, True])
def test_a_file_that_breaks_off_yields_everything_before(tmp_path: Path, packed: bool) -> None:
    whole = rows("posts", POSTS).encode()
    broken = whole.index(b'<row Id="20"')
    cut = whole[: broken + 40]
    path = tmp_path / ("Posts.xml.gz" if packed else "Posts.xml")
    write_posts(path, gzip.compress(cut) if packed else cut)
    problems: list[Problem] = []
    answers = list(read_stackexchange(path, on_problem=problems.append))
    assert [answer.id for answer in answers] == ["12", "11"]
    assert [str(problem) for problem in problems] == [
        f"{path.name}:7 (byte {broken}): the file breaks off inside this row",
        f"{path.name}:7 (byte {len(cut)}): the file ends before its closing tag; 4 rows were read",
        f"{path.name}: post 11: its question 20 is not in the collection",
    ]
    assert "title" not in answers[1].fields


def test_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    posts = [{"Id": str(n), "PostTypeId": "1", "Title": "T", "Body": f"{n * 7919 % 1009} {n}"} for n in range(1, 5000)]
    packed = gzip.compress(rows("posts", posts).encode())
    path = write_posts(tmp_path / "Posts.xml.gz", packed[: len(packed) // 2])
    problems: list[Problem] = []
    questions = list(read_stackexchange(path, unit="question", on_problem=problems.append))
    assert 1000 < len(questions) < 4999
    assert [question.id for question in questions] == [str(n) for n in range(1, len(questions) + 1)]
    assert "gzip data break off" in problems[0].what


@every_case(
    ("row", "report"),
    [
        ('<row PostTypeId="1" Title="no id" Body="b"/>', "a row has no Id and is skipped"),
        ('<row Id="x7" PostTypeId="1" Body="b"/>', "a row has Id='x7', which is not a number and is skipped"),
        ('<row Id="-7" PostTypeId="1" Body="b"/>', "a row has Id='-7', which is not a number and is skipped"),
        ('<row Id="99999999999999999999" PostTypeId="1"/>',
         "a row has Id='99999999999999999999', which is not a number"),
        ('<row Id="7" PostTypeId="2" Body="b"/>', "a row has no ParentId and is skipped"),
        ('<row Id="7" PostTypeId=1 Body="b"/>', "a row with broken attributes is skipped"),
        ('<row Id="7" PostTypeId="1" Body="a < b"/>', "a row with broken attributes is skipped"),
        ('<row Id="7 PostTypeId="1" Body="b"/>', "a row with broken attributes is skipped"),
        ('<row Id="7" Id="8" PostTypeId="1" Body="b"/>', "a row with broken attributes is skipped (Attribute Id redef"),
        ("<raw/>", "'<raw/>' is not a row and is skipped"),
        ('<row-x Id="7" PostTypeId="1" Body="b"/>', "'<row-x Id="),
    ],
)
def test_a_broken_row_is_named_and_costs_no_other(tmp_path: Path, row: str, report: str) -> None:
    good = '<row Id="{}" PostTypeId="1" Title="t" Body="b"/>'
    text = f"<posts>\n{good.format(1)}\n{row}\n{good.format(2)}\n</posts>"
    problems: list[Problem] = []
    path = write_posts(tmp_path / "Posts.xml", text)
    questions = list(read_stackexchange(path, unit="question", on_problem=problems.append))
    assert [question.id for question in questions] == ["1", "2"]
    (problem,) = problems
    assert problem.where == f"Posts.xml:3 (byte {text.index(row)})"
    assert problem.what.startswith(report)


def test_rows_in_any_layout(tmp_path: Path) -> None:
    text = (
        "<posts><row Id='1' PostTypeId='1' Title='say \"t\"' Body='b'></row>"
        '<row\n Id = "2"\n PostTypeId="1" Title="a&#10;b&#x2264;&lt;c&#38;lt;" Body="x > y\nz"/></posts>'
    )
    problems: list[Problem] = []
    one, two = read_stackexchange(
        write_posts(tmp_path / "Posts.xml", text), unit="question", on_problem=problems.append
    )
    assert problems == []
    assert one.fields["title"] == Content('say "t"')
    assert two.fields["title"] == Content("a\nb≤<c<")
    assert two.fields["body"] == Content("x > y z")


def test_other_encodings(tmp_path: Path) -> None:
    text = rows("posts", [{"Id": "1", "PostTypeId": "1", "Title": "Möbius", "Body": "b"}])
    for name, data in {
        "declared": text.replace("utf-8", "iso-8859-1").encode("latin-1"),
        "wide": text.replace("utf-8", "utf-16").encode("utf-16"),
        "marked": b"\xef\xbb\xbf" + text.encode(),
        "unknown": text.replace("utf-8", "martian").encode(),
    }.items():
        (question,) = read_stackexchange(write_posts(tmp_path / f"{name}.xml", data), unit="question")
        assert question.fields["title"] == Content("Möbius")


def test_bytes_of_another_encoding_are_replaced_and_reported(tmp_path: Path) -> None:
    text = rows("posts", [{"Id": "1", "PostTypeId": "1", "Title": "Möbius", "Body": "b\x01c"}])
    problems: list[Problem] = []
    path = write_posts(tmp_path / "Posts.xml", text.encode("latin-1"))
    (question,) = read_stackexchange(path, unit="question", on_problem=problems.append)
    assert question.fields["title"] == Content("M\ufffdbius")
    assert question.fields["body"] == Content("b c")
    assert problems == [
        Problem("Posts.xml:3 (byte 49)", "byte 36 of a row is not utf-8; such bytes become U+FFFD"),
        Problem("Posts.xml:3 (byte 49)", "a row is repaired (invalid character in attribute value)"),
    ]


@every_case(
    ("title", "text"),
    [
        ("a&nbsp;b &eacute;", "a\xa0b é"),  # what XML does not know, HTML may
        ("a & b &qqx; &#xZ;", "a & b &qqx; &#xZ;"),
        ("a&#1;b&#xD800;c&#99999999;&#8804;", "a\ufffdb\ufffdc\ufffd≤"),
        ("\x02a\ufffeb&lt;&amp;", " a b<&"),
    ],
)
def test_what_xml_forbids_is_repaired_and_reported(tmp_path: Path, title: str, text: str) -> None:
    row = f'<row Id="1" PostTypeId="1" Title="{title}" Body="&lt;p&gt;b"/>'
    problems: list[Problem] = []
    path = write_posts(tmp_path / "Posts.xml", f"<posts>\n{row}</posts>")
    (question,) = read_stackexchange(path, unit="question", on_problem=problems.append)
    assert unescape(question.fields["title"].text) == text
    (problem,) = problems
    assert problem.where == "Posts.xml:2 (byte 8)"
    assert problem.what.startswith("a row is repaired (")


@every_case("after", ["/posts>", "text >", '<row Id="1" Title="/>', "&"])
def test_what_follows_a_row_costs_nothing(tmp_path: Path, after: str) -> None:
    problems: list[Problem] = []
    text = f'<posts><row Id="1" PostTypeId="1" Title="x/>y" Body="b"/>{after}'
    path = write_posts(tmp_path / "Posts.xml", text)
    (question,) = read_stackexchange(path, unit="question", on_problem=problems.append)
    assert question.fields["title"] == Content("x/>y")
    assert len(problems) == 2
    assert "the file ends before its closing tag; 1 rows were read" in problems[1].what


def test_text_after_a_row_and_references_to_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    text = (
        '<!DOCTYPE posts [<!ENTITY e SYSTEM "secret">]><posts><row Id="1" PostTypeId="1" Title="x&e;" Body="b"/> text'
        "</posts>"
    )
    problems: list[Problem] = []
    path = write_posts(tmp_path / "Posts.xml", text)
    (question,) = read_stackexchange(path, unit="question", on_problem=problems.append)
    assert question.fields["title"] == Content("x&e;")
    assert [problem.what.partition(" (")[0] for problem in problems] == [
        "a row is repaired", "text after a row is skipped"
    ]


@LONG_ONLY
def test_long_rows(tmp_path: Path) -> None:
    sizes = (8 << 20, 1)
    posts = [{"Id": str(size), "PostTypeId": "1", "Title": "t", "Body": "b " * size} for size in sizes]
    questions = list(read_stackexchange(write_posts(tmp_path / "Posts.xml", rows("posts", posts)), unit="question"))
    assert [len(question.fields["body"].text.split()) for question in questions] == list(sizes)


def test_of_two_posts_with_one_id_the_later_counts(tmp_path: Path) -> None:
    posts = [{"Id": "1", "PostTypeId": "1", "Title": title, "Body": "b"} for title in ("first", "second")]
    problems: list[Problem] = []
    path = write_posts(tmp_path / "Posts.xml", rows("posts", posts))
    (question,) = read_stackexchange(path, unit="question", on_problem=problems.append)
    assert question.fields["title"] == Content("second")
    assert problems == [Problem("Posts.xml:4", "post 1 occurs twice; the later one counts")]


@every_case(
    ("data", "message"),
    [
        (None, "there is no such file"),
        (b"", "the file is empty"),
        (b"hello", "no question or answer was found"),
        (b"\x00\xff" * 1000, "no question or answer was found"),
        (b"<posts></posts>", "no question or answer was found"),
    ],
)
def test_sources_without_posts(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "Posts.xml"
    if data is not None:
        write_posts(path, data)
    with pytest.raises(SourceError, match=message):
        list(read_stackexchange(path))


def test_a_folder_without_posts(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no file of posts.*\.7z archive"):
        read_stackexchange(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.data())
def test_damage_anywhere_costs_no_more_than_the_rows_it_hits(tmp_path: Path, data: st.DataObject) -> None:
    whole = rows("posts", POSTS).encode()
    position = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.binary(max_size=6))
    path = write_posts(tmp_path / "Posts.xml", whole[:position] + damage + whole[position + len(damage):])
    problems: list[Problem] = []
    try:
        found = {document.id for document in read_stackexchange(path, unit="question", on_problem=problems.append)}
    except SourceError:
        found = set()
    untouched = set()
    for number in ("10", "20", "30"):
        start = whole.index(f'<row Id="{number}"'.encode())
        end = whole.index(b"/>", start) + 2
        if position + len(damage) <= start or position >= end:
            untouched.add(number)
    if b"<" not in damage:  # a new tag may take in the row after it
        assert len(untouched - found) <= (0 if position > 45 else 1)


@LONG_ONLY
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        posts = []
        for number in range(1, count, 2):
            posts.append({"Id": str(number), "PostTypeId": "1", "Title": "t", "Body": "words " * 2000})
            posts.append({"Id": str(number + 1), "PostTypeId": "2", "ParentId": str(number), "Body": "more " * 2000})
        path = write_posts(tmp_path / "Posts.xml", rows("posts", posts))
        del posts
        tracemalloc.start()
        try:
            assert sum(1 for _ in read_stackexchange(path)) == count // 2
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(1_200) < peak(300) + 1_000_000  # of 13 MB and 3 MB


def test_a_full_disk(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited() -> sqlite3.Connection:
        database = temporary_database()
        database.execute("PRAGMA max_page_count = 2")
        return database

    monkeypatch.setattr("porism.corpus.posts.threads.temporary_database", limited)
    with pytest.raises(SourceError, match=r"the temporary database failed \(.*full\).*TMPDIR"):
        list(read_stackexchange(dump))


def test_a_reader_may_be_used_from_another_thread(dump: Path) -> None:
    documents = read_stackexchange(dump)
    first = next(documents)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, documents).result()
    assert [first.id, *(document.id for document in rest)] == ["12", "21", "11"]
