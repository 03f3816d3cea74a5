"""The lines of a page, in the order of its content stream."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from porism.corpus.pdf.marks import AXIS, Mark, box_of
from porism.corpus.pdf.names import is_letter
from porism.corpus.pdf.rows import SMALL, is_level, takes_limits

MAX_LINE_REACH = 2.6
"""Limits and accents are at most so many em above their line."""


@dataclass(slots=True)
class Line:
    """Marks on one baseline with the scripts and limits around it.

    ``left`` and ``right`` are the margins of its column.
    """

    marks: list[Mark] = field(default_factory=list)
    y: float = 0.0
    size: float = 0.0
    """Of the marks on the baseline; 0 while there is none."""
    left: float = 0.0
    right: float = 0.0
    style: str = "rm"
    """The style of most letters of its page."""

    x0: float = 0.0
    x1: float = 0.0
    top: float = 0.0
    bottom: float = 0.0

    def measure(self) -> None:
        """Sets its box by its marks."""
        self.x0, self.bottom, self.x1, self.top = box_of(self.marks)


def lines_of(marks: list[Mark]) -> list[Line]:
    """The lines, each with its marks in order."""
    body = body_size(marks)
    lines: list[Line] = []
    line = Line()
    sign: Mark | None = None  # a large one that says how large its line is, until a character does
    for mark in marks:
        if (  # most marks follow their neighbour
            mark.size == line.size and mark.kind == "char" and -0.05 < mark.y - line.y < 0.05
            and -0.5 * line.size < mark.x0 - line.marks[-1].x1 < 5 * line.size
        ):
            line.marks.append(mark)
            continue
        if line.marks and not _belongs(line, mark, body):
            lines.append(line)
            line, sign = Line(), None
        line.marks.append(mark)
        if mark.kind == "accent" or (mark.kind in ("tall", "piece") and line.size):
            continue
        if mark.size >= SMALL * (line.size or body) and mark.size > line.size * 1.18:
            line.y, line.size = mark.y, mark.size
            sign = mark if mark.kind in ("tall", "piece") else None
        elif sign is not None and SMALL * body <= mark.size < line.size and is_level(mark, sign):
            line.y, line.size, sign = mark.y, mark.size, None
    if line.marks:
        lines.append(line)
    for line in lines:
        line.measure()
        if not line.size:
            line.size, line.y = line.marks[0].size, line.marks[0].y
    styles = Counter(mark.style for mark in marks if mark.style and not mark.is_math)
    if styles:
        main = styles.most_common(1)[0][0]
        for line in lines:
            line.style = main
    _set_margins(lines, body)
    return lines


def body_size(marks: list[Mark]) -> float:
    """The size of most characters."""
    sizes: Counter[float] = Counter()
    for size, count in Counter([mark.size for mark in marks if mark.kind == "char"]).items():
        sizes[round(size, 1)] += count
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _belongs(line: Line, mark: Mark, body: float) -> bool:
    last = line.marks[-1]
    size = line.size or body
    if not line.size:  # only scripts and limits until now
        rise = last.y - mark.y
        return -size < rise < MAX_LINE_REACH * size and -4 * size < mark.x0 - last.x1 < 3 * size
    dy = (mark.y if mark.axis is None else mark.axis - AXIS * size) - line.y
    if mark.axis is not None and abs(dy) < 0.75 * size:
        return mark.x0 > last.x0 - 3 * size
    if mark.kind == "accent":
        return abs(dy) < 1.3 * size and mark.x0 > last.x0 - 2.0 * size
    if mark.size >= SMALL * size:
        if mark.kind in ("tall", "piece", "node"):
            return abs(dy) < 0.75 * size and mark.x0 > last.x0 - 3 * size
        return abs(dy) < 0.45 * size and mark.x0 > last.x1 - 2.5 * size and mark.x0 - last.x1 < 40 * size
    if dy > 0.1 * size:
        return dy < MAX_LINE_REACH * size and mark.x0 > line.marks[0].x0 - 2 * size and mark.x0 - last.x1 < 3 * size
    if dy > -0.6 * size and mark.x0 >= last.x0 - 1.5 * size:
        return mark.x0 - last.x1 < 3 * size
    if dy < -3.2 * size:
        return False
    is_near = mark.size < SMALL * body and mark.x0 - last.x1 < size
    return is_near and any(_may_be_limit(mark, base, line.y, size) for base in line.marks[-24:])


def _may_be_limit(mark: Mark, base: Mark, y: float, size: float) -> bool:
    """Whether a small mark may be below a mark of its line: as a limit, a note under a brace, or beside one."""
    if abs(base.centre - mark.centre) > 3.5 * size:
        return False
    if takes_limits(base):
        return mark.top > base.bottom - 0.9 * size
    if base.size < SMALL * size:
        return base.y < y - 0.6 * size and abs(base.y - mark.y) < 1.3 * size
    return is_letter(base) and mark.y > y - 1.1 * size


def _set_margins(lines: list[Line], body: float) -> None:
    """Gives each line the margins of its column: those of the long lines of text that it fits between."""
    long_lines = [line for line in lines if sum(not mark.is_math for mark in line.marks) > 18]
    columns: dict[int, list[Line]] = {}
    for line in long_lines:
        columns.setdefault(round(line.x0 / body), []).append(line)
    margins: list[tuple[float, float, int]] = []
    for group in columns.values():
        rights = Counter(round(line.x1) for line in group)
        right = max(rights.items(), key=lambda entry: (entry[1], entry[0]))[0] if rights else 0
        right = max([right, *(value for value, count in rights.items() if count > 0.2 * len(group))])
        margins.append((min(line.x0 for line in group), float(right), len(group)))
    for line in lines:
        fitting = [entry for entry in margins if entry[0] - 2 <= line.x0 and line.x1 <= entry[1] + 0.6 * body]
        if fitting:
            most = max(count for *_, count in fitting)
            frequent = [entry for entry in fitting if entry[2] >= 0.25 * most]
            line.left, line.right, _ = max(frequent, key=lambda entry: (entry[1] - entry[0], entry[2]))
        elif margins:
            line.left, line.right, _ = max(margins, key=lambda entry: entry[2])
        else:
            line.left, line.right = line.x0, line.x1
