"""Rows of CSV and TSV: quotes, separators, line ends, and what breaks the rules of quoting."""

from __future__ import annotations

import csv
import io

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.corpus.tables import cells
from porism.corpus.tables.cells import TableRow, read_rows
from porism.errors import Problem


def read(text: str | bytes, problems: list[Problem] | None = None, *, tabbed: bool = False) -> list[TableRow]:
    file = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return list(read_rows(file, "f", (problems if problems is not None else []).append, tabbed=tabbed))


def test_rows_and_their_places() -> None:
    problems: list[Problem] = []
    assert read('\ufeffa,b\r\n\r\n"1\r\n""2",x\r\n \n3,é\n', problems) == [
        TableRow(1, 3, 3, ["a", "b"]), TableRow(3, 10, 10, ['1\n"2', "x"]), TableRow(6, 24, 4, ["3", "é"])
    ]
    assert problems == []


@every_case(
    ("text", "rows"),
    [
        ("id;a b\n1;2, 3", [["id", "a b"], ["1", "2, 3"]]),
        ("\n\nid|a\n1|b, c; d", [["id", "a"], ["1", "b, c; d"]]),
        ("id\ta\n1\t2,3", [["id", "a"], ["1", "2,3"]]),
        ('"x; y","z"\n1,2', [["x; y", "z"], ["1", "2"]]),
        ('id, a\n1, "b, c"', [["id", "a"], ["1", "b, c"]]),
        ("text\none, two", [["text"], ["one", " two"]]),  # a comma where nothing tells
        ("a,b\rc,d\r\re,f", [["a", "b"], ["c", "d"], ["e", "f"]]),
        ("", []),
    ],
)
def test_separators_and_line_ends(text: str, rows: list[list[str]]) -> None:
    assert [row.cells for row in read(text)] == rows


def test_a_lost_quote_costs_its_line_and_no_other() -> None:
    problems: list[Problem] = []
    rows = read('a,b\n1,"open\n2,"b"\n3,"c\nd"\n4,"e\n5,f', problems)
    assert [(row.line, row.cells) for row in rows] == [
        (1, ["a", "b"]), (2, ["1", '"open']), (3, ["2", "b"]), (4, ["3", "c\nd"]), (6, ["4", '"e']), (7, ["5", "f"])
    ]
    assert [problem.where for problem in problems] == ["f:2", "f:6"]


def test_a_cell_that_goes_on_for_too_long_has_lost_its_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_CELL_LENGTH", 20)
    problems: list[Problem] = []
    rows = read('a\n"one two three\nfour five six\nseven eight nine"', problems)
    assert [row.cells for row in rows] == [["a"], ['"one two three'], ["four five six"], ['seven eight nine"']]
    assert [problem.where for problem in problems] == ["f:2"]


def test_quotes_inside_quotes_that_are_not_doubled() -> None:
    problems: list[Problem] = []
    assert [row.cells for row in read('a,b\n1,"say "hi""\n', problems)] == [["a", "b"], ["1", 'say hi""']]
    tabbed = read('a\tb\n1\t"Hi", she said\n2\t"a ""b"""\n', problems, tabbed=True)
    assert [row.cells for row in tabbed] == [["a", "b"], ["1", '"Hi", she said'], ["2", 'a "b"']]
    assert problems == []


def test_cells_beyond_the_usual_limit_of_the_csv_module() -> None:
    cell = "word, " * 100_000
    assert [row.cells for row in read(f'a,b\n1,"{cell}"')] == [["a", "b"], ["1", cell]]


@settings(deadline=None)
@given(st.lists(st.lists(st.text("a ,;\"\n'\tß", min_size=1), min_size=2, max_size=2), max_size=5), st.booleans())
def test_what_the_csv_module_writes_is_read_back(rows: list[list[str]], tabbed: bool) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter="\t" if tabbed else ",").writerows([["id", "text"], *rows])
    problems: list[Problem] = []
    found = [row.cells for row in read(written.getvalue(), problems, tabbed=tabbed)]
    assert found[1:] == [row for row in rows if not tabbed or "".join(row).strip(" ")]  # but for blank lines
    assert problems == []
