"""The formula tables of an ARQMath collection: tab-separated files of LaTeX or MathML with ids and visual ids."""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from porism.corpus.base import ignore_problem
from porism.corpus.html.content import formula_of_math
from porism.corpus.streams import ByteProgress, open_seekable
from porism.corpus.tables.cells import TableRow, read_rows
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Content, Formula, MarkupNotation

_COLUMNS = {  # by the number of columns, for tables that have lost their header
    6: ("id", "post_id", "thread_id", "type", "visual_id", "formula"),
    8: ("id", "post_id", "thread_id", "type", "comment_id", "old_visual_id", "visual_id", "formula"),
    9: ("id", "post_id", "thread_id", "type", "comment_id", "old_visual_id", "visual_id", "issue", "formula"),
}
_TABLE_NAME = re.compile(r"[^.].*\.tsv(\.gz)?")
_MAX_LINES_IN_A_CELL = 100
_MAX_IN = 500
"""Formulas of one query; SQLite takes 999 parameters at least."""


@dataclass(frozen=True, slots=True)
class CollectionFormula:
    """One occurrence of a formula: the formula with its ids, and where it is (``question``, ``title``…)."""

    formula: Formula
    post_id: str
    thread_id: str
    type: str
    comment_id: str | None = None

    @property
    def id(self) -> str:
        """The occurrence's id."""
        return self.formula.id or ""

    @property
    def visual_id(self) -> str | None:
        """The id shared by all formulas that look the same."""
        return self.formula.visual_id


def table_number(path: Path) -> tuple[int, str]:
    """The sort key that puts ``2.tsv`` before ``10.tsv``."""
    digits = re.match(r"\d+", path.name)
    return (int(digits.group()) if digits else 0, path.name)


def newest_tables(path: Path, kind: str) -> list[Path]:
    """The tables of the newest ``latex_representation_v*`` or ``slt_representation_v*`` folder in a folder.

    :param kind: ``latex`` or ``slt``.
    """
    try:
        folders = [
            entry for entry in path.iterdir() if entry.name.startswith(f"{kind}_representation") and entry.is_dir()
        ]
    except OSError:
        return []
    if not folders:
        return []
    return table_files(max(folders, key=lambda folder: [int(part) for part in re.findall(r"\d+", folder.name)]))


def table_files(folder: Path) -> list[Path]:
    """The tab-separated files of a folder, in the order of their numbers."""
    if not folder.is_dir():
        return []
    return sorted((entry for entry in folder.iterdir() if _TABLE_NAME.fullmatch(entry.name)), key=table_number)


class FormulaTable:
    """One tab-separated file, open."""

    def __init__(self, path: Path, on_problem: OnProblem, stack: ExitStack) -> None:
        self.path = path
        self.where = f"{path.parent.name}/{path.name}"
        self.on_problem = on_problem
        self.file: IO[bytes] = stack.enter_context(open_seekable(path, on_problem))
        self.columns: dict[str, int] = {}

    def rows(self, progress: ByteProgress | None = None) -> Iterator[TableRow]:
        """Yields the rows that have all columns; others are reported and skipped."""
        for row in read_rows(
            self.file, self.where, self.on_problem, progress, tabbed=True, most_lines=_MAX_LINES_IN_A_CELL
        ):
            if not self.columns:
                names = tuple(cell.strip() for cell in row.cells)
                if "id" in names and "formula" in names:
                    self.columns = {name: number for number, name in enumerate(names)}
                    continue
                self.columns = {name: number for number, name in enumerate(_COLUMNS.get(len(names), _COLUMNS[9]))}
                self.on_problem(Problem(f"{self.where}:1", "the table has no header; the usual columns are assumed"))
            if len(row.cells) != len(self.columns):
                self.on_problem(
                    Problem(
                        f"{self.where}:{row.line} (byte {row.offset})",
                        f"a row of {len(row.cells)} columns instead of {len(self.columns)} is skipped",
                    )
                )
                continue
            yield row

    def cell(self, row: TableRow, name: str) -> str:
        """A cell of a row; empty where the table has no such column."""
        number = self.columns.get(name)
        return row.cells[number] if number is not None else ""

    def key(self, row: TableRow, name: str) -> int | str | None:
        """A cell that holds an id, as it goes into the database; None where it is empty."""
        value = self.cell(row, name)
        return _as_key(value) if value else None

    def formula(self, row: TableRow, notation: MarkupNotation | None = None) -> Formula | None:
        """The formula of a row with its ids; None where it has none. Without a notation, its beginning decides."""
        source = self.cell(row, "formula").strip()
        formula_id, visual_id = self.cell(row, "id") or None, self.cell(row, "visual_id") or None
        if not source:
            return None
        if notation == "mathml" or (notation is None and source.startswith("<math")):
            return formula_of_math(source, formulas="mathml", formula_id=formula_id, visual_id=visual_id)
        return Formula(source.replace(PLACEHOLDER, " "), "latex", formula_id, visual_id)

    def row_at(self, offset: int, length: int) -> TableRow | None:
        """The row that is at an offset; None where there is none."""
        self.file.seek(offset)
        data = io.BytesIO(self.file.read(length))
        return next(read_rows(data, self.where, ignore_problem, tabbed=True, most_lines=_MAX_LINES_IN_A_CELL), None)


class FormulaIds:
    """Completes the formulas of documents: visual ids, and MathML where that is wanted.

    The ids are kept in a temporary database; of MathML only its place in the file is.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.tables: list[FormulaTable] = []
        database.execute(
            "CREATE TABLE formulas (id PRIMARY KEY, visual, number INT, offset INT, length INT) WITHOUT ROWID"
        )

    def add_visual_ids(self, table: FormulaTable, progress: ByteProgress) -> None:
        """Notes the visual ids of a table of LaTeX."""
        self.database.executemany(
            "INSERT OR IGNORE INTO formulas (id, visual) VALUES (?, ?)",
            (
                (table.key(row, "id"), table.key(row, "visual_id")) for row in table.rows(progress)
                if row.cells[table.columns["id"]]
            ),
        )

    def add_mathml(self, table: FormulaTable, progress: ByteProgress) -> None:
        """Notes where a table of MathML has its formulas, and their visual ids."""
        number = len(self.tables)
        self.tables.append(table)
        self.database.executemany(
            "INSERT INTO formulas VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET number = excluded.number, "
            "offset = excluded.offset, length = excluded.length, visual = coalesce(visual, excluded.visual)",
            (
                (table.key(row, "id"), table.key(row, "visual_id"), number, row.offset, row.length)
                for row in table.rows(progress) if row.cells[table.columns["id"]]
            ),
        )

    def complete(self, content: Content) -> Content:
        """The content with the visual ids of its formulas, and their MathML where tables of it were added."""
        keys = {formula.id: _as_key(formula.id) for formula in content.formulas if formula.id is not None}
        if not keys:
            return content
        rows = self._find(list(keys.values()))
        if not rows:
            return content
        formulas = []
        for formula in content.formulas:
            row = rows.get(keys[formula.id]) if formula.id is not None else None
            if row is not None:
                found_visual, number, offset, length = row
                visual = str(found_visual) if found_visual is not None else formula.visual_id
                mathml = self._mathml(formula, visual, number, offset, length) if number is not None else None
                formula = mathml or Formula(formula.source, formula.notation, formula.id, visual, formula.display)
            formulas.append(formula)
        return Content(content.text, tuple(formulas))

    def _find(self, keys: Sequence[int | str]) -> dict[int | str, tuple[int | str | None, int | None, int, int]]:
        rows: dict[int | str, tuple[int | str | None, int | None, int, int]] = {}
        for start in range(0, len(keys), _MAX_IN):
            some = keys[start:start + _MAX_IN]
            marks = ",".join("?" * len(some))
            for key, visual, number, offset, length in self.database.execute(
                f"SELECT id, visual, number, offset, length FROM formulas WHERE id IN ({marks})", some
            ):
                rows[key] = (visual, number, offset, length)
        return rows

    def _mathml(self, formula: Formula, visual: str | None, number: int, offset: int, length: int) -> Formula | None:
        row = self.tables[number].row_at(offset, length)
        element = row.cells[-1] if row is not None else ""
        made = formula_of_math(element, formulas="mathml", formula_id=formula.id, visual_id=visual)
        if made is None or made.notation != "mathml":
            return None
        return Formula(made.source, "mathml", made.id, visual, formula.display)


def _as_key(formula_id: str) -> int | str:
    if formula_id.isdecimal() and formula_id.isascii() and len(formula_id) <= 18 and (
        formula_id[0] != "0" or formula_id == "0"
    ):
        return int(formula_id)
    return formula_id


def read_tables(
    paths: Iterable[Path], notation: MarkupNotation, on_problem: OnProblem, progress: ByteProgress
) -> Iterator[CollectionFormula]:
    """Yields the formulas of tables, one file after the other; empty ones are counted and reported."""
    for path in paths:
        with ExitStack() as stack:
            table = FormulaTable(path, on_problem, stack)
            empty = 0
            for row in table.rows(progress):
                formula = table.formula(row, notation)
                if formula is None:
                    empty += 1
                    continue
                yield CollectionFormula(
                    formula, table.cell(row, "post_id"), table.cell(row, "thread_id"), table.cell(row, "type"),
                    table.cell(row, "comment_id") or None,
                )
            if empty:
                on_problem(Problem(table.where, f"{empty} rows without a formula are skipped"))
