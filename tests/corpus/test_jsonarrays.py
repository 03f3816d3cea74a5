"""JSON arrays of any size, entry by entry."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from long_forms import LONG, LONG_ONLY
from reading import read_with

from porism.corpus.streams import ByteProgress
from porism.corpus.tables import json_records as jsonrecords
from porism.corpus.tables.json_records import ArrayEntry, array_entries, is_array
from porism.corpus.tables.reader import JsonlReader
from porism.errors import Problem

read_jsonl = partial(read_with, JsonlReader())

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(alphabet='ab"\\[]{},é\n', max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def entries(data: bytes, encoding: str = "utf-8") -> list[ArrayEntry]:
    return list(array_entries(io.BytesIO(data), encoding, ByteProgress(None, len(data))))


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20])
def block(request: pytest.FixtureRequest) -> Iterator[int]:
    before, jsonrecords.BLOCK = jsonrecords.BLOCK, request.param
    yield request.param
    jsonrecords.BLOCK = before


@given(values=st.lists(JSON, max_size=6), indent=st.sampled_from([None, 0, 1]), size=st.integers(1, 9))
@example(values=["a\\\\", '\\"', {"]": "["}], indent=None, size=1)
def test_entries_are_those_that_a_parser_finds(values: list[object], indent: int | None, size: int) -> None:
    before, jsonrecords.BLOCK = jsonrecords.BLOCK, size
    try:
        found = entries(b"\xef\xbb\xbf " + json.dumps(values, indent=indent, ensure_ascii=False).encode())
    finally:
        jsonrecords.BLOCK = before
    assert [entry.number for entry in found] == list(range(1, len(values) + 1))
    assert [orjson.loads(entry.data or b"") for entry in found] == values


@pytest.mark.parametrize(
    ("data", "expected", "problem"),
    [
        (b"[1, {}", [b"1", b"{}"], "the array breaks off here"),
        (b'[1, {"a": 2', [b"1"], "the array breaks off here"),
        (b'[1, {"a": "2', [b"1"], "the array breaks off here"),
        (b'[1, "2', [b"1"], "the array breaks off here"),
        (b"[1, {]}, 2]", [b"1"], "the array breaks off here"),
        (b"[1}", [b"1"], "the array breaks off here"),
        (b"[1], 2", [b"1"], "what follows the array is skipped"),
        (b"[]x", [], "what follows the array is skipped"),
    ],
)
def test_broken_arrays(data: bytes, expected: list[bytes], problem: str, block: int) -> None:
    found = entries(data)
    assert [entry.data for entry in found[:-1]] == expected
    assert found[-1] == ArrayEntry(len(expected) + 1, None, problem)


def test_other_encodings(block: int) -> None:
    found = entries('["ä|", 3]'.encode("cp1252"), "cp1252")
    assert [entry.data for entry in found] == ['"ä|"'.encode(), b"3"]
    found = entries('["表", 3]'.encode("shift_jis"), "shift_jis")  # its second byte is a backslash
    assert [entry.data for entry in found] == ['"表"'.encode(), b"3"]


def test_what_is_an_array() -> None:
    for data in (b"[{}]", b"\xef\xbb\xbf [\n1", b"[", b"[[1]]", b"[1,\n2]"):
        assert is_array(io.BytesIO(data)), data
    for data in (b"{}", b"[1]\n[2]\n", b'{"a": []}'):
        assert not is_array(io.BytesIO(data)), data


def test_entries_that_are_too_long_cost_themselves_alone(
    block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jsonrecords, "MAX_ENTRY_LENGTH", 30)
    monkeypatch.setattr(jsonrecords, "MAX_BRACKETS", 5)
    values = [{"t": "x" * 30}, {"text": "kept"}, {"t": [[[[[]]]]]}, "y" * 40, {"text": "too"}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    problems: list[Problem] = []
    documents = list(read_jsonl(path, on_problem=problems.append))
    assert [document.fields["body"].text for document in documents] == ["kept", "too"]
    assert [problem.where for problem in problems] == ["a.json: entry 1", "a.json: entry 3", "a.json: entry 4"]
    assert "of more than" in problems[0].what


def test_an_entry_that_is_no_json_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"text": "a"}, {"text" "b"}, {"text": NaN, "id": "c", "body": "d"}]', encoding="utf-8")
    problems: list[Problem] = []
    documents = list(read_jsonl(path, on_problem=problems.append))
    assert [document.fields["body"].text for document in documents] == ["a", "d"]
    assert [problem.where for problem in problems] == ["a.json: entry 2"]


def test_runs_of_entries_that_are_no_objects_are_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"text": "a"}, 1, [2], "3", {"text": "b"}, 4]', encoding="utf-8")
    problems: list[Problem] = []
    assert len(list(read_jsonl(path, on_problem=problems.append))) == 2
    assert problems == [
        Problem("a.json: entry 2", "an entry that is not an object is skipped (so are those up to entry 4)"),
        Problem("a.json: entry 6", "an entry that is not an object is skipped"),
    ]
    problems.clear()
    monkeypatch.setattr(jsonrecords, "MAX_OTHERS", 2)
    assert len(list(read_jsonl(path, on_problem=problems.append))) == 1
    assert "after 2 entries that are not objects the array is not read on" in problems[-1].what


@LONG_ONLY
def test_memory_does_not_grow_with_the_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries, length, arrays, most = (20_000, 1_000, 2_000_000, 12 << 20) if LONG else (1_000, 4_000, 90_000, 3 << 20)
    if not LONG:
        monkeypatch.setattr(jsonrecords, "MAX_BRACKETS", 30_000)
    path = tmp_path / "a.json"
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number in range(entries):
            file.write(f'{{"id": "{number}", "text": "{"x" * length}", "list": [[1], [2], [3]]}},')
        file.write('{"id": "last", "text": "y", "list": [' + "[1]," * arrays + "[2]]}]")
    assert path.stat().st_size > 1.3 * most
    tracemalloc.start()
    count = sum(1 for _ in read_jsonl(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == entries  # the last has too many arrays
    assert peak < most


@pytest.mark.parametrize("text", ['{"a": 1},', '"', "[", '{"a": "', "1", '"\\', "],["])
def test_time_is_linear(text: str, assert_linear: Callable[..., None]) -> None:
    assert_linear(lambda count: entries(b"[" + text.encode() * count), 500, 2_000)
