"""Rows of cells between tall fences: matrices, cases and binomials."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from porism.corpus.pdf.marks import AXIS, Mark, composed

LatexOf = Callable[[list[Mark]], str]

_CLOSING = {"(": ")", "[": "]", "\\{": "\\}", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "|": "|", "∥": "∥"}
_MATRICES = {"(": "pmatrix", "[": "bmatrix", "\\{": "Bmatrix", "|": "vmatrix", "∥": "Vmatrix"}
_BINOMIAL_PITCH = 1.29
_SCALED = 0.6
"""A fence from a font that is larger than its cells by more was scaled, as word processors do."""
_WORD_CELL = re.compile(r"(?<=& )\\operatorname\{(\w+)\}\Z")
_MAX_CELLS = 4_000


def with_matrices(marks: list[Mark], latex_of: LatexOf) -> list[Mark]:
    """The marks with each matrix as one."""
    place = 0
    while place < len(marks):
        fence = marks[place]
        if fence.latex in _CLOSING and _may_enclose(fence, marks, place):
            end, partner = _content_end(marks, place)
            part = _matrix(fence, marks[place + 1 : end], partner, latex_of)
            if part is not None:
                marks = [*marks[:place], part, *marks[end + (partner is not None) :]]
        place += 1
    return marks


def _may_enclose(fence: Mark, marks: list[Mark], place: int) -> bool:
    """Whether rows may be in a fence: it is tall, or what it encloses is small."""
    if fence.kind in ("tall", "piece"):
        return fence.top - fence.bottom > 1.1 * fence.size
    following = marks[place + 1 : place + 3]
    return fence.kind == "char" and len(following) == 2 and all(mark.size < 0.82 * fence.size for mark in following)


def _content_end(marks: list[Mark], place: int) -> tuple[int, Mark | None]:
    """Where the content of a fence ends, and what closes it."""
    fence = marks[place]
    closing, slack = _CLOSING[fence.latex], 0.3 * fence.size
    end = place + 1
    while end < len(marks) and end - place < _MAX_CELLS:
        mark = marks[end]
        if (
            mark.kind == fence.kind and mark.latex == closing and mark.x0 > fence.x1 - slack
            and abs(mark.top - fence.top) < slack and abs(mark.bottom - fence.bottom) < slack
        ):
            return end, mark
        is_inside = fence.bottom - 2 * slack < mark.middle < fence.top + 2 * slack and mark.x0 > fence.x0
        if not is_inside:
            break
        end += 1
    return end, None


def _matrix(fence: Mark, content: list[Mark], partner: Mark | None, latex_of: LatexOf) -> Mark | None:
    if not content or (partner is None and fence.latex != "\\{"):
        return None
    size = max(mark.size for mark in content)
    rows = _rows(content, size)
    if len(rows) < 2:
        return None
    columns = _columns(rows, size)
    whole = [fence, *content, *([partner] if partner is not None else [])]
    row_size = size if size < _SCALED * fence.size else max(fence.size, size)
    y = fence.middle - AXIS * row_size
    pitch = max(_baseline(first, size) - _baseline(second, size) for first, second in itertools.pairwise(rows))
    if partner is not None and fence.latex == "(" and len(rows) == 2 and len(columns) == 1 and (
        size < 0.82 * fence.size or (pitch > _BINOMIAL_PITCH * size and all(mark.kind != "node" for mark in content))
    ):
        latex = f"\\binom{{{latex_of(rows[0])}}}{{{latex_of(rows[1])}}}"
    else:
        name = "cases" if partner is None else _MATRICES.get(fence.latex, "matrix")
        lines = [" & ".join(latex_of(cell) for cell in _cells(row, columns)) for row in rows]
        if partner is None:  # cases: what is beside them is text
            lines = [_WORD_CELL.sub(r"\\text{\1}", line) for line in lines]
        inside = " \\\\ ".join(lines)
        latex = f"\\begin{{{name}}} {inside} \\end{{{name}}}"
        if partner is not None and fence.latex not in _MATRICES:
            latex = f"{fence.latex} {latex} {partner.latex}"
    part = composed(latex, whole, y, row_size)
    part.axis = fence.middle
    return part


def _rows(content: list[Mark], size: float) -> list[list[Mark]]:
    """The marks of each row: a new one begins where a large mark is lower and to the left."""
    rows: list[list[Mark]] = []
    held: list[Mark] = []  # scripts before the first large mark of their row
    y = 0.0
    last: Mark | None = None
    for mark in content:
        is_large = mark.size >= 0.82 * size
        if is_large and (not rows or y - mark.y > 0.62 * size):
            rows.append([*held, mark])
            y, held = mark.y, []
        elif is_large and mark.y - y > 0.62 * size:
            return []  # no rows from top to bottom
        elif not rows or (not is_large and last is not None and mark.x0 < last.x0 - size and mark.y < y - size):
            held.append(mark)
        else:
            rows[-1].append(mark)
        last = mark
    if rows:
        rows[-1].extend(held)
    return rows


def _baseline(row: list[Mark], size: float) -> float:
    return next((mark.y for mark in row if mark.size >= 0.82 * size), row[0].y)


def _columns(rows: list[list[Mark]], size: float) -> list[tuple[float, float]]:
    columns: list[tuple[float, float]] = []
    for left, right in sorted((mark.x0, mark.x1) for row in rows for mark in row):
        if columns and left - columns[-1][1] < 0.7 * size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _cells(row: list[Mark], columns: list[tuple[float, float]]) -> list[list[Mark]]:
    cells: list[list[Mark]] = [[] for _ in columns]
    for mark in row:
        distances = [max(left - mark.centre, mark.centre - right, 0.0) for left, right in columns]
        cells[distances.index(min(distances))].append(mark)
    return cells
