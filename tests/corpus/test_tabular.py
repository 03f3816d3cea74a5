"""JSON lines, CSV and TSV: guesses, mappings, and lines that cannot be read."""

from __future__ import annotations

import errno
import gzip
import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import read_with

from porism.corpus.base import ReaderOptions
from porism.corpus.tables.reader import CsvReader, JsonlReader, guess_fields, look_up
from porism.errors import ConfigError, Problem, SourceError
from porism.types import Content, Document, Formula

read_jsonl = partial(read_with, JsonlReader())
read_csv = partial(read_with, CsvReader())

F = "\ufffc"


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def records(path: Path, *values: Any) -> Path:
    return write(path, "".join(json.dumps(value) + "\n" for value in values))


@every_case(
    ("record", "document"),
    [
        (
            {"_id": 7, "Title": "T", "text": "so $x$", "tags": ["real analysis", "b"], "year": 1999, "ok": True},
            Document(
                "7",
                {
                    "title": Content("T"), "body": Content(f"so {F}", (Formula("x"),)),
                    "tags": Content("real analysis b"),
                },
                {"source": "t.jsonl", "tags": ("real analysis", "b"), "year": "1999", "ok": "true"},
            ),
        ),
        (
            {"Q": "why?", "A": "<p>since <b>$y$</b></p>", "meta": {"url": "u", "long": "x" * 999, "n": [1, 2]}},
            Document(
                "t.jsonl#1",
                {"body": Content(f"since {F}", (Formula("y"),)), "question": Content("why?")},
                {"source": "t.jsonl", "meta.url": "u", "meta.n": ("1", "2")},
            ),
        ),
        ({"id": "a", "question": "only"}, Document("a", {"body": Content("only")}, {"source": "t.jsonl"})),
        (
            {"id": "a", "left": "one", "right": {"deep": ["two", 3]}},
            Document("a", {"body": Content("a\n\none\n\ntwo\n\n3")}, {"source": "t.jsonl", "left": "one"}),
        ),
        (
            {"id": "a", "title": "t", "body": "", "abstract": "b", "tags": "x, y z"},
            Document(
                "a", {"title": Content("t"), "body": Content("b"), "tags": Content("x y z")},
                {"source": "t.jsonl", "tags": ("x", "y z")},
            ),
        ),
    ],
)
def test_guesses(tmp_path: Path, record: dict[str, Any], document: Document) -> None:
    (found,) = read_jsonl(records(tmp_path / "t.jsonl", record))
    assert found.id == document.id
    assert found.fields == document.fields
    assert document.metadata.items() <= found.metadata.items()
    assert "meta.long" not in found.metadata


def test_a_mapping_with_nested_values(tmp_path: Path) -> None:
    record = {"n": {"id": 3.0}, "doc": {"parts": [{"text": "a"}, {"text": "b"}]}, "who": "me", "title": "ignored"}
    options = ReaderOptions(
        fields={"body": "doc.parts.text", "lead": "doc.parts.0.text"}, id_field="n.id", metadata_fields=("who", "none"),
        collection="named",
    )
    (found,) = read_jsonl(records(tmp_path / "t.jsonl", record), options=options)
    assert found == Document(
        "3", {"body": Content("a\n\nb"), "lead": Content("a")}, {"source": "named", "who": "me"}
    )


def test_look_up() -> None:
    values = {"a.b": 1, "a": {"b": 2, "c": [{"d": 3}, 4, {"d": 5}]}}
    assert look_up(values, "a.b") == 1
    assert look_up(values, "a.c.d") == [3, 5]
    assert look_up(values, "a.c.1") == 4
    assert look_up(values, "a.c.9") is None
    assert look_up(values, "a.b.c") is None or look_up(values, "a.b.c") == values
    assert guess_fields({"answer": "x", "text": "y"}) == ({"body": "answer", "question": "text"}, None)


def test_lines_that_are_no_records_are_named(tmp_path: Path) -> None:
    data = (
        b'\xef\xbb\xbf{"id": 1, "text": "a"}\r\n\n{broken\n[1]\n"text"\n{"id": 2, "text": "M\xf6b"}\n{"id": 3}\n'
        b'{"id": 4, "text": "b", "score": NaN}\n{"id": 1, "text": "again"}\n{"id": 5, "text": "cut'
    )
    problems: list[Problem] = []
    found = list(read_jsonl(write(tmp_path / "t.jsonl", data), on_problem=problems.append))
    assert [(document.id, document.fields["body"].text) for document in found[:2]] == [("1", "a"), ("2", "M\ufffdb")]
    assert [document.id for document in found] == ["1", "2", "3", "4", "1"]
    assert [problem.where for problem in problems] == [f"t.jsonl:{line}" for line in (3, 4, 5, 6, 10)]
    assert "not valid JSON" in problems[0].what
    assert problems[1].what == "a line that is not a JSON object but list is skipped"


def test_records_without_the_wanted_text_are_skipped(tmp_path: Path) -> None:
    problems: list[Problem] = []
    path = records(tmp_path / "t.jsonl", {"id": 1, "x": "y"}, {"id": 2, "b": "text"})
    found = list(read_jsonl(path, options=ReaderOptions(fields={"body": "b"}), on_problem=problems.append))
    assert [document.id for document in found] == ["2"]
    assert problems == [Problem("t.jsonl:1", "a record without b is skipped (it has id, x)")]


def test_one_array_of_objects(tmp_path: Path) -> None:
    problems: list[Problem] = []
    path = write(tmp_path / "t.json", '\ufeff [{"id": "a", "text": "x"}, 3, {"text": "y"}]')
    assert [document.id for document in read_jsonl(path, on_problem=problems.append)] == ["a", "t.json#3"]
    assert problems == [Problem("t.json: entry 2", "an entry that is not an object is skipped")]
    problems.clear()
    path = write(tmp_path / "cut.json", '[\n{"id": "a", "text": "x"},\n{"id": "b", "te')
    assert [document.id for document in read_jsonl(path, on_problem=problems.append)] == ["a"]
    assert problems[0].where == "cut.json: entry 2"
    assert "the array breaks off here" in problems[0].what


def test_an_array_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    values = [{"id": str(n), "text": "word " * 50_000} for n in range(20)]
    problems: list[Problem] = []
    path = write(tmp_path / "t.json", json.dumps(values, indent=1))
    found = list(read_jsonl(path, on_problem=problems.append))
    assert [document.id for document in found] == [str(n) for n in range(20)]
    assert problems == []


def test_csv_with_quotes_over_lines(tmp_path: Path) -> None:
    text = 'id;title;text\r\n1;"a; ""b""";"line $x$\r\nnext"\r\n\r\n2;c 5" pipe;d\r\n3;too;many;cells\r\n4;"e"f;\r\n'
    problems: list[Problem] = []
    found = list(read_csv(write(tmp_path / "t.csv", text), on_problem=problems.append))
    assert [document.id for document in found] == ["1", "2", "4"]
    assert found[0].fields == {
        "title": Content('a; "b"'), "body": Content(f"line {F}\nnext", (Formula("x"),))
    }
    assert found[1].fields["title"] == Content('c 5" pipe')
    assert found[2].fields == {"title": Content("ef")}
    assert problems == [Problem("t.csv:6", "a row of 4 cells instead of 3 is skipped")]


def test_a_quote_that_never_closes_costs_nothing(tmp_path: Path) -> None:
    problems: list[Problem] = []
    path = write(tmp_path / "t.csv", 'id,text\n1,"open\n2,b\n3,c\n')
    found = list(read_csv(path, on_problem=problems.append))
    texts = [(document.id, document.fields["body"].text) for document in found]
    assert texts == [("1", '"open'), ("2", "b"), ("3", "c")]
    assert problems == [Problem("t.csv:2", "a quote is never closed; its line is read without quotes")]


def test_tsv_without_header_and_columns_by_number(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", 'd1\tsome "text"\nd2\tmore\n')
    assert [(document.id, document.fields["body"].text) for document in read_csv(path)] == [
        ("d1", 'some "text"'), ("d2", "more")
    ]
    path = write(tmp_path / "u.csv", "a,b,c\nd,e,f\n")
    options = ReaderOptions(fields={"body": "2"}, id_field="0", metadata_fields=("1",))
    assert list(read_csv(path, options=options)) == [
        Document("a", {"body": Content("c")}, {"source": "u.csv", "1": "b"}),
        Document("d", {"body": Content("f")}, {"source": "u.csv", "1": "e"}),
    ]


def test_a_column_that_does_not_exist(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id,text\n1,a\n")
    with pytest.raises(ConfigError, match=r"no column 'body'\. Its columns are id, text"):
        list(read_csv(path, options=ReaderOptions(fields={"body": "body"})))


def test_other_encodings_and_gzip(tmp_path: Path) -> None:
    text = "id,text\n1,Möbius\n"
    for name, data, encoding in (
        ("a.csv", text.encode("cp1252"), "cp1252"),
        ("b.csv", text.encode("utf-16"), None),
        ("c.csv", text.encode("utf-16-le"), "utf-16-le"),
        ("d.csv", text.encode("utf-8-sig"), None),
        ("e.csv.gz", gzip.compress(text.encode()), None),
    ):
        (found,) = read_csv(write(tmp_path / name, data), options=ReaderOptions(encoding=encoding))
        assert (found.id, found.fields["body"]) == ("1", Content("Möbius"))


def test_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": n, "text": f"{n * 7919 % 1009}"}) + "\n" for n in range(3000))
    packed = gzip.compress(lines.encode())
    problems: list[Problem] = []
    path = write(tmp_path / "t.jsonl.gz", packed[: len(packed) // 2])
    found = list(read_jsonl(path, on_problem=problems.append))
    assert [document.id for document in found] == [str(n) for n in range(len(found))]
    assert 500 < len(found) < 3000
    assert "gzip data break off" in problems[0].what


@every_case(
    ("name", "data", "message"),
    [
        ("t.jsonl", b"", "the file is empty"), ("t.jsonl", b"\n\n", "no record could be read"),
        ("t.jsonl", b"not json\n", "no record could be read"), ("t.csv", b"id,text\n", "no record could be read"),
    ],
)
def test_sources_without_records(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    read = read_jsonl if name.endswith("jsonl") else read_csv
    with pytest.raises(SourceError, match=message):
        list(read(write(tmp_path / name, data)))
    with pytest.raises(SourceError, match="no such file"):
        list(read(tmp_path / "missing"))


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = write(tmp_path / "t.jsonl.gz", gzip.compress(b'{"text": "a"}'))
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(SourceError, match=r"No space left on device.*space in"):
        list(read_jsonl(path))


def test_huge_and_deep_lines(tmp_path: Path) -> None:
    deep = '{"text": ' + "[" * 100_000 + "]" * 100_000 + "}"
    path = write(tmp_path / "t.jsonl", json.dumps({"id": 1, "text": "word " * 400_000}) + "\n" + deep + "\n")
    problems: list[Problem] = []
    (found,) = read_jsonl(path, on_problem=problems.append)
    assert len(found.fields["body"].text) == 2_000_000
    assert problems[0].where == "t.jsonl:2"


def test_progress(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    path = records(tmp_path / "t.jsonl", *({"text": f"t{n}"} for n in range(100)))
    list(read_jsonl(path, on_progress=lambda done, total: calls.append((done, total))))
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
    assert len(calls) > 10


def test_detection(tmp_path: Path) -> None:
    jsonl, table = JsonlReader(), CsvReader()
    for name, text, is_jsonl, is_csv in (
        ("a.jsonl", '{"a": 1}', True, False), ("a.ndjson", ' [{"a": 1}]', True, False),
        ("a.json", '[{"a": 1}]', True, False),
        ("b.json", '{"cells": []}', False, False), ("c.json", '{"a": 1}\n{"a": 2}\n', True, False),
        ("d.jsonl", "words", False, False), ("a.csv", "a,b", False, True), ("a.tsv", "a\tb", False, True),
        ("a.txt", "a,b", False, False),
    ):
        path = write(tmp_path / name, text)
        assert (jsonl.detect(path), table.detect(path)) == (is_jsonl, is_csv), name
    assert jsonl.detect(write(tmp_path / "z.jsonl.gz", gzip.compress(b'{"a": 1}')))
    assert not jsonl.detect(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(st.lists(st.sampled_from([*'",\n\r\t;|a1 \x00é', "id,text\n", '"x"']), max_size=40).map("".join))
def test_any_table_is_read_or_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "t.csv", text)
    try:
        found = list(read_csv(path))
    except SourceError:
        found = []
    assert all(document.id and document.fields for document in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "text", "title", "tags", "meta", "a", ""]), inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused(tmp_path: Path, value: Any) -> None:
    path = write(tmp_path / "t.jsonl", json.dumps(value) + '\n{"id": "last", "text": "x"}\n')
    found = list(read_jsonl(path))
    assert found[-1].id == "last"


@pytest.mark.needs_shared_data
def test_a_real_file_of_questions_and_answers(shared_data: Path) -> None:
    problems: list[Problem] = []
    found = list(read_jsonl(shared_data / "stackmathqa-sample.jsonl", on_problem=problems.append))
    assert len(found) == 987
    assert found[0].id == "stackmathqa-sample.jsonl#1"
    assert found[0].metadata["meta.url"] == "https://physics.stackexchange.com/questions/248850"
    assert found[0].fields["body"].text.startswith("Take a free particle moving on a plane")
    assert all({"body", "question"} <= document.fields.keys() for document in found)
    assert len(problems) == 4
