"""Formula tables as a collection of their own: each post or comment is a document that consists of its formulas."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import groupby
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.posts.formula_table import FormulaTable, newest_tables, table_files
from porism.corpus.posts.threads import database_errors, temporary_database
from porism.corpus.streams import ByteProgress
from porism.corpus.tables.headers import first_line
from porism.corpus.walking import only_inside, source_name
from porism.errors import OnProblem, Problem, SourceError
from porism.types import PLACEHOLDER, Content, Document, Formula

NAMES = frozenset(("id", "post_id", "type", "formula"))
"""Columns that identify a table of formulas."""

SEPARATOR = "; "
"""Stands between the formulas of a field."""

_FIELDS = {"title": "title", "comment": "comment"}
_ROWS_A_TIME = 10_000
_HINT = "Expected tables such as latex_representation_v3/1.tsv, with the columns id, post_id, type and formula"


class FormulaTableReader:
    """Formula tables of ARQMath as a registered reader."""

    name = "arqmath-formulas"
    document = "the formulas of a post, or of a comment"

    def detect(self, path: Path) -> bool:
        """Whether it is such a table, a folder of nothing else, or one that holds folders of them."""
        if path.is_file():
            return path.name.endswith((".tsv", ".tsv.gz")) and _is_table(path)
        if not path.is_dir():
            return False
        tables = newest_tables(path, "latex") or newest_tables(path, "slt")
        if tables:
            return _is_table(tables[0])
        tables = table_files(path)
        try:
            others = any(not entry.name.startswith(".") and entry not in tables for entry in path.iterdir())
        except OSError:
            return False
        return bool(tables) and not others and all(map(_is_table, tables))

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents, ordered by post: the post with its fields ``title`` and ``body``, then its comments.

        A document's id is that of the post, or ``comment-`` and that of the comment, whose one field is ``comment``.
        Metadata: ``type`` (``question``, ``answer`` or ``comment``), ``post``, ``thread``, ``source``. Formulas are
        LaTeX or MathML as in the table; of a folder that has both kinds of tables, ``options.formulas``
        chooses. Memory does not grow with the tables, in whatever order their rows are.

        :raises SourceError: there are no such tables.
        """
        path = Path(path)
        tables = _chosen(path, options, on_problem)
        progress = ByteProgress(on_progress, sum(table.stat().st_size for table in tables))
        with ExitStack() as stack:
            stack.enter_context(database_errors(path))
            database = stack.enter_context(closing(temporary_database()))
            opened = [FormulaTable(table, on_problem, stack) for table in tables]
            rows = _Rows(database, opened, options.comments)
            for table in opened:
                rows.note(table, progress)
            progress.finish()
            yield from rows.documents(source_name(path, options), on_problem)


class _Rows:
    """The places of all rows, to be read again post by post."""

    def __init__(self, database: sqlite3.Connection, tables: list[FormulaTable], comments: bool) -> None:
        self.database = database
        self.tables = tables
        self.comments = comments
        database.execute("CREATE TABLE places (post, comment, position INTEGER PRIMARY KEY, number, offset, length)")

    def note(self, table: FormulaTable, progress: ByteProgress) -> None:
        """Notes where the rows of a table are, and reports those that belong to no post."""
        number = self.tables.index(table)
        lost = 0
        waiting: list[tuple[int | str, int | str | None, int, int, int]] = []
        for row in table.rows(progress):
            post = table.key(row, "post_id")
            comment: int | str | None = None
            if table.cell(row, "type") == "comment":
                if not self.comments:
                    continue
                comment = table.key(row, "comment_id") or ""
            if post is None and not comment:
                lost += 1
                continue
            waiting.append((post if post is not None else "", comment, number, row.offset, row.length))
            if len(waiting) == _ROWS_A_TIME:
                self._add(waiting)
                waiting.clear()
        self._add(waiting)
        if lost:
            table.on_problem(Problem(table.where, f"{lost} rows that belong to no post are skipped"))

    def _add(self, rows: Iterable[tuple[int | str, int | str | None, int, int, int]]) -> None:
        self.database.executemany(
            "INSERT INTO places (post, comment, number, offset, length) VALUES (?, ?, ?, ?, ?)", rows
        )

    def documents(self, source: str, on_problem: OnProblem) -> Iterator[Document]:
        """Yields a document for each post and each comment that has a formula."""
        places = self.database.execute(
            "SELECT post, comment, number, offset, length FROM places ORDER BY post, comment, position"
        )
        empty = 0
        for (post, comment), group in groupby(places, key=lambda place: (place[0], place[1])):
            fields: dict[str, list[Formula]] = {}
            kind = thread = ""
            for _, _, number, offset, length in group:
                table: FormulaTable = self.tables[number]
                row = table.row_at(offset, length)
                formula = table.formula(row) if row is not None else None
                if row is None or formula is None:
                    empty += 1
                    continue
                written = table.cell(row, "type")
                fields.setdefault(_FIELDS.get(written, "body"), []).append(formula)
                kind = "question" if written == "title" else written
                thread = thread or table.cell(row, "thread_id")
            if fields:
                metadata = {"type": kind, "post": str(post), "thread": thread, "source": source}
                yield Document(
                    str(post) if comment is None else f"comment-{comment}" if comment != "" else f"comment-of-{post}",
                    {name: _content(fields[name]) for name in ("title", "body", "comment") if name in fields},
                    {key: value for key, value in metadata.items() if value},
                )
        if empty:
            on_problem(Problem(source, f"{empty} rows without a formula are skipped"))


def _content(formulas: list[Formula]) -> Content:
    return Content(SEPARATOR.join(PLACEHOLDER * len(formulas)), tuple(formulas))


def _chosen(path: Path, options: ReaderOptions, on_problem: OnProblem) -> list[Path]:
    """The tables to read of a path.

    :raises SourceError: there are none.
    """
    if path.is_file():
        return [path]
    wanted, other = ("latex", "slt") if options.formulas == "latex" else ("slt", "latex")
    tables = newest_tables(path, wanted)
    if not tables:
        tables = newest_tables(path, other)
        if tables:
            on_problem(Problem(str(path), f"there are no {wanted}_representation tables; the others are read"))
    tables = tables or table_files(path)
    tables = only_inside(tables, path, options, on_problem)
    if not tables:
        raise SourceError("there are no formula tables", where=str(path), hint=_HINT)
    return tables


def _is_table(path: Path) -> bool:
    """Whether the first row of a table names the columns of a table of formulas."""
    return {cell.strip() for cell in first_line(path).split("\t")} >= NAMES
