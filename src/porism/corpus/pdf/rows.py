"""Marks that stand side by side, with what is set around them, as LaTeX."""

from __future__ import annotations

from collections import Counter

from porism.corpus.pdf.fonts import BIG_OPERATORS
from porism.corpus.pdf.marks import AXIS, Mark, composed
from porism.corpus.pdf.matrices import with_matrices
from porism.corpus.pdf.names import LIMIT_NAMES, with_names

SMALL = 0.82
"""Scripts are smaller than so many times the size of their row."""
MAX_DEPTH = 12
NUMBER_GAP = 0.2
"""Digits that are farther apart are of two numbers."""
ARROWS = frozenset("→←↔⇒⇔⇐=≅↦↪↠⇝≡∼")
"""Signs that others are set over and under, as over ``\\xrightarrow``."""


def size_of_row(marks: list[Mark]) -> float:
    """The size of the marks on the baseline."""
    largest = max((mark.size for mark in marks), default=1.0)
    others = [mark for mark in marks if mark.kind not in ("tall", "piece")]
    letters = max((mark.size for mark in others), default=0.0)
    if letters > 0.78 * largest:  # large signs may come from a larger font
        return letters
    sign = max((mark for mark in marks if mark.kind in ("tall", "piece")), key=lambda mark: mark.size, default=None)
    if sign is None or sign.size < largest:
        return largest
    return max((mark.size for mark in others if is_level(mark, sign)), default=largest)


def is_level(mark: Mark, sign: Mark) -> bool:
    """Whether a character is on the axis of a large sign: word processors scale the signs, and not what is beside."""
    axis = sign.middle if sign.axis is None else sign.axis
    return mark.kind == "char" and abs(mark.y + AXIS * mark.size - axis) < 0.12 * sign.size


def y_of_row(marks: list[Mark]) -> float:
    """The baseline: that of the most width among the large marks."""
    size = size_of_row(marks)
    votes: Counter[float] = Counter()
    for mark in marks:
        if mark.size >= SMALL * size and mark.kind != "accent":
            width = max(mark.x1 - mark.x0, 0.1) if mark.kind == "char" else 0.01  # composed parts are less exact
            votes[round(2 * mark.y) / 2] += width  # type: ignore[assignment]
    if not votes:
        return marks[0].y
    best = max(votes.items(), key=lambda vote: vote[1])[0]
    large = (mark for mark in marks if mark.size >= SMALL * size and mark.kind != "accent")
    near = [mark.y for mark in large if abs(mark.y - best) <= 0.5]
    return sum(near) / len(near)


def row_latex(marks: list[Mark], depth: int = 0) -> str:
    """The LaTeX of marks that are in the order of their content stream."""
    if not marks:
        return ""
    if depth > MAX_DEPTH:
        return " ".join(mark.latex for mark in marks if mark.kind != "rule")
    marks = with_matrices([mark for mark in marks if mark.kind != "rule"], lambda cell: row_latex(cell, depth + 1))
    marks = with_names(with_accents(marks, depth))
    size, y = size_of_row(marks), y_of_row(marks)
    row = [mark for mark in marks if is_on(mark, y, size)]
    if not row:
        row = [max(marks, key=lambda mark: mark.size)]
    limits = _limits(marks, row, y, size)
    taken = {id(mark) for sides in limits.values() for side in sides for mark in side}
    on = {id(mark) for mark in row}
    scripts = _scripts([mark for mark in marks if id(mark) not in taken], on, y, size)
    pieces = []
    last: Mark | None = None
    for mark in row:
        above, below = limits.get(id(mark), ([], []))
        upper, lower = scripts.get(id(mark), ([], []))
        before = scripts.get(-id(mark), ([], []))
        base = mark.latex
        if base in ARROWS:
            base = _stacked(base, above, below, depth)
            above = below = []
        if last is not None and last.char.isdigit() and mark.char.isdigit() and mark.x0 - last.x1 > NUMBER_GAP * size:
            base = f"\\; {base}"
        pieces.append(_scripted(base, [*above, *upper], [*below, *lower], before, depth))
        last = mark
    return _row_text(pieces)


def _row_text(pieces: list[str]) -> str:
    text = ""
    for piece in pieces:
        glue = "" if text[-1:].isdigit() and piece[:1].isdigit() else " "
        is_decimal = text[-1:] == "." and text[-2:-1].isdigit() and piece[:1].isdigit()
        if (piece == "." and text[-1:].isdigit()) or is_decimal or (text[-1:] == ":" and piece == "="):
            glue = ""
        text = f"{text}{glue}{piece}" if text else piece
    return text


def _stacked(base: str, above: list[Mark], below: list[Mark], depth: int) -> str:
    if above:
        base = f"\\overset{{{row_latex(above, depth + 1)}}}{{{base}}}"
    return f"\\underset{{{row_latex(below, depth + 1)}}}{{{base}}}" if below else base


def _scripted(
    base: str, upper: list[Mark], lower: list[Mark], before: tuple[list[Mark], list[Mark]], depth: int
) -> str:
    for mark, side in (("^", before[0]), ("_", before[1])):
        if side:
            base = f"{{}}{mark}{{{row_latex(side, depth + 1)}}}{base}"
    if lower:
        base += f"_{{{row_latex(lower, depth + 1)}}}"
    primes = 0
    while primes < len(upper) and upper[primes].latex in ("′", "'", "’", "″"):
        primes += 1
    for prime in upper[:primes]:
        base += "''" if prime.latex == "″" else "'"
    if upper[primes:]:
        base += f"^{{{row_latex(upper[primes:], depth + 1)}}}"
    return base


def is_on(mark: Mark, y: float, size: float) -> bool:
    """Whether a mark is on a baseline, and no script."""
    if mark.kind == "node" and mark.axis is not None:
        return abs(mark.axis - AXIS * size - y) < (0.16 if mark.top - mark.bottom < 2.6 * size else 0.5) * size
    if mark.size < SMALL * size:
        return False
    if mark.kind in ("tall", "piece"):
        return mark.bottom < y + 0.5 * size and mark.top > y
    return abs(mark.y - y) < 0.18 * size


def takes_limits(mark: Mark) -> bool:
    """Whether what is above and below a mark are its limits."""
    return mark.latex in BIG_OPERATORS or mark.latex in LIMIT_NAMES or mark.latex.startswith(
        ("\\overbrace", "\\underbrace", "\\operatorname")
    ) or mark.latex in ARROWS or mark.kind == "node"


def _limits(
    marks: list[Mark], row: list[Mark], y: float, size: float
) -> dict[int, tuple[list[Mark], list[Mark]]]:
    """What is centred above and below the operators of a row."""
    limits: dict[int, tuple[list[Mark], list[Mark]]] = {}
    on = {id(mark) for mark in row}
    groups: list[list[Mark]] = []
    fresh = True
    for mark in marks:
        if id(mark) in on or mark.size >= SMALL * size:
            fresh = True
            continue
        last = groups[-1][-1] if groups and not fresh else None
        if last is not None and mark.x0 - last.x1 < 0.3 * size and (mark.y - y) * (last.y - y) > 0 and not (
            mark.x0 < last.x0 - 0.2 * size and abs(mark.y - last.y) > 1.6 * mark.size
        ):
            groups[-1].append(mark)
        else:
            groups.append([mark])
        fresh = False
    if not groups:
        return limits
    operators = [mark for mark in row if takes_limits(mark)]
    for group in groups:
        left, right = min(mark.x0 for mark in group), max(mark.x1 for mark in group)
        level = max(group, key=lambda mark: mark.size)
        for operator in operators:
            is_above = level.y > y
            top = operator.top if operator.kind in ("tall", "node") else y + 0.6 * size
            bottom = operator.bottom if operator.kind in ("tall", "node") else y
            is_clear = (
                level.bottom > top - 0.35 * size if is_above
                else max(mark.top for mark in group) < bottom + 0.25 * size
            )
            if is_clear and abs((left + right) / 2 - operator.centre) < 0.3 * size:
                sides = limits.setdefault(id(operator), ([], []))
                sides[0 if is_above else 1].extend(group)
                break
    return limits


def _scripts(marks: list[Mark], on: set[int], y: float, size: float) -> dict[int, tuple[list[Mark], list[Mark]]]:
    """The upper and lower scripts of the marks of a row; those before it have the key of the next one, negated.

    In a content stream scripts follow their base, the upper one first; a jump back begins the other one.
    """
    scripts: dict[int, tuple[list[Mark], list[Mark]]] = {}
    base: Mark | None = None
    waiting: list[Mark] = []
    level: Mark | None = None
    last: Mark | None = None
    side = 0
    for mark in marks:
        if id(mark) in on:
            base, level, last = mark, None, None
            if waiting:
                for script in waiting:
                    scripts.setdefault(-id(mark), ([], []))[0 if script.y > y else 1].append(script)
                waiting = []
            continue
        if base is None:
            waiting.append(mark)
            continue
        if level is None or last is None:
            level, side = mark, 0 if mark.y > y + 0.05 * size or mark.kind == "accent" else 1
        elif mark.size > 0.85 * level.size:
            goes_back = mark.x0 < last.x1 - 0.25 * mark.size and mark.x0 < level.x0 + 0.9 * mark.size
            other = 0 if mark.y > y + 0.05 * size else 1
            if other != side and (goes_back or abs(mark.y - level.y) > 0.3 * size):
                level, side = mark, other
        scripts.setdefault(id(base), ([], []))[side].append(mark)
        last = mark
    return scripts


def with_accents(marks: list[Mark], depth: int = 0) -> list[Mark]:
    """The marks with accents and what they stand over as one mark each."""
    if not any(mark.kind == "accent" for mark in marks):
        return marks
    done: list[Mark] = []
    place = 0
    while place < len(marks):
        accent = marks[place]
        if accent.kind != "accent":
            done.append(accent)
            place += 1
            continue
        end = place + 1
        is_wide = accent.latex.startswith("\\wide") and accent.x1 - accent.x0 > 0.65 * accent.size
        while end < len(marks) and _is_under(accent, marks[end], is_wide) and (
            end == place + 1 or (is_wide and marks[end].x1 < accent.x1 + 0.1 * accent.size)
        ):
            end += 1
        base = marks[place + 1 : end]
        if base:
            inner = with_accents(base, depth + 1) if depth < MAX_DEPTH else base
            latex = inner[0].latex if len(inner) == 1 else row_latex(inner, depth + 1)
            mark = composed(f"{accent.latex}{{{latex}}}", base, y_of_row(base), size_of_row(base))
            mark.top = max(mark.top, accent.top)
            done.append(mark)
        elif done and _is_under(accent, done[-1], False):
            base = [done.pop()]
            done.append(composed(f"{accent.latex}{{{base[0].latex}}}", base, base[0].y, base[0].size))
        elif accent.is_math:
            plain = {"\\bar": "¯", "\\tilde": "∼", "\\hat": "\\wedge", "\\dot": "⋅"}.get(accent.latex, "")
            if plain:
                done.append(composed(plain, [accent], accent.y, accent.size))
        place = max(end, place + 1)
    return done


def _is_under(accent: Mark, mark: Mark, is_wide: bool) -> bool:
    slack = 0.35 * accent.size
    if is_wide:
        return accent.x0 - 0.1 * accent.size < mark.centre < accent.x1 + 0.1 * accent.size
    return (
        mark.x0 - slack < accent.centre < mark.x1 + slack and mark.kind != "rule"
        and abs(mark.y - accent.y) < 1.2 * mark.size
    )
