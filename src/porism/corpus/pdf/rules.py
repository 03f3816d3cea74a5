"""What rules are for: bars of fractions, roots, lines over and under letters."""

from __future__ import annotations

from porism.corpus.pdf.italics import settle_part
from porism.corpus.pdf.marks import AXIS, Mark, composed
from porism.corpus.pdf.rows import row_latex, size_of_row, y_of_row
from porism.corpus.pdf.signs import BRACES

MAX_RULES = 400
"""A page with more is a drawing or a table."""
MAX_PART = 400


def with_rules(marks: list[Mark], italic_is_math: bool = False) -> list[Mark]:
    """The marks of a page with what its rules and braces belong to as one mark each; other rules are left out.

    :param italic_is_math: whether letters of formulas are in the italic of the text.
    """
    for brace in [mark for mark in marks if mark.latex in BRACES][:MAX_RULES]:
        marks = _with_brace(marks, brace)
    rules = [mark for mark in marks if mark.kind == "rule"]
    if not rules:
        return marks
    if len(rules) <= MAX_RULES:
        for rule in sorted(rules, key=lambda rule: rule.x1 - rule.x0):
            place = next((number for number, mark in enumerate(marks) if mark is rule), None)
            if place is not None:
                marks = _with_rule(marks, place, italic_is_math)
    return [mark for mark in marks if mark.kind != "rule"]


def _with_rule(marks: list[Mark], place: int, italic_is_math: bool) -> list[Mark]:
    rule = marks[place]
    first, last = _along(marks, place)
    sign = _radical_before(marks, place)
    if sign is not None:
        if italic_is_math:
            settle_part(marks[sign:last])
        return _root(marks, sign, place, last)
    around = [mark for mark in marks[first:last] if mark.kind != "rule"]
    above = _stacked([mark for mark in around if mark.middle > rule.y], rule, up=True)
    below = _stacked([mark for mark in around if mark.middle <= rule.y], rule, up=False)
    if above and below:
        if not _is_fraction(above, below, rule):
            return marks
        if italic_is_math:
            settle_part(above)
            settle_part(below)
        size = max(size_of_row(above), size_of_row(below))
        latex = f"\\frac{{{row_latex(above)}}}{{{row_latex(below)}}}"
        part = composed(latex, [rule, *above, *below], rule.y - AXIS * size, size)
        part.axis = rule.y
        return _replaced(marks, part)
    content, command = (below, "\\overline") if below else (above, "\\underline")
    if not content or not any(mark.is_math or mark.char.isdigit() for mark in content) or not _covers(rule, content):
        return marks
    latex = f"{command}{{{row_latex(content)}}}"
    return _replaced(marks, composed(latex, [rule, *content], y_of_row(content), size_of_row(content)))


def _with_brace(marks: list[Mark], brace: Mark) -> list[Mark]:
    place = next(number for number, mark in enumerate(marks) if mark is brace)
    first, last = _along(marks, place)
    around = [mark for mark in marks[first:last] if mark.kind != "rule" and mark is not brace]
    is_over = brace.latex == "⏞"
    content = _stacked([mark for mark in around if (mark.middle < brace.middle) == is_over], brace, up=not is_over)
    if not content:
        return [mark for mark in marks if mark is not brace]
    size = size_of_row(content)
    others = [mark for mark in around if (mark.middle < brace.middle) != is_over and mark.size < 0.82 * size]
    note = _stacked(others, brace, up=is_over)
    command = "\\overbrace" if is_over else "\\underbrace"
    latex = f"{command}{{{row_latex(content)}}}"
    if note:
        latex += f"{'^' if is_over else '_'}{{{row_latex(note)}}}"
    return _replaced(marks, composed(latex, [brace, *content, *note], y_of_row(content), size))


def _replaced(marks: list[Mark], part: Mark) -> list[Mark]:
    """The marks with a part in the place of its first one."""
    own = {id(mark) for mark in part.parts}
    kept: list[Mark] = []
    is_set = False
    for mark in marks:
        if id(mark) not in own:
            kept.append(mark)
        elif not is_set:
            is_set = True
            kept.append(part)
    return kept


def _along(marks: list[Mark], place: int) -> tuple[int, int]:
    """The first and the end of the marks around a rule in the stream that are above or below it."""
    rule = marks[place]
    first = place
    while first and place - first < MAX_PART and _is_along(marks[first - 1], rule):
        first -= 1
    last = place + 1
    while last < len(marks) and last - place < MAX_PART and _is_along(marks[last], rule):
        last += 1
    return first, last


def _is_along(mark: Mark, rule: Mark) -> bool:
    return rule.x0 - 1.0 <= mark.centre <= rule.x1 + 1.0 and mark.x1 - mark.x0 <= rule.x1 - rule.x0 + 3.0


def _stacked(marks: list[Mark], rule: Mark, up: bool) -> list[Mark]:
    """Those that are on the rule, or on others that are."""
    edge = rule.top if up else rule.bottom
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.bottom if up else -mark.top):
        gap = mark.bottom - edge if up else edge - mark.top
        if gap < (0.45 if not kept else 0.3) * max(mark.size, 4.0):
            kept.append(mark)
            edge = max(edge, mark.top) if up else min(edge, mark.bottom)
    own = {id(mark) for mark in kept}
    return [mark for mark in marks if id(mark) in own]


def _is_fraction(above: list[Mark], below: list[Mark], rule: Mark) -> bool:
    marks = above + below
    if max(_count_lines(above), _count_lines(below)) > 2:
        return False
    letters = [mark for mark in marks if mark.kind == "char" and not mark.is_math and mark.char.isalpha()]
    if len(letters) > 12 and len(letters) > 0.6 * len(marks):
        return False
    widest = max(max(mark.x1 for mark in part) - min(mark.x0 for mark in part) for part in (above, below))
    return rule.x1 - rule.x0 < widest + 1.5 * max(mark.size for mark in marks)


def _count_lines(marks: list[Mark]) -> int:
    """How many baselines large characters are on."""
    size = max(mark.size for mark in marks)
    lines: list[float] = []
    for mark in marks:
        if mark.kind == "char" and mark.size > 0.9 * size and all(abs(mark.y - y) > 0.6 * size for y in lines):
            lines.append(mark.y)
    return len(lines)


def _covers(rule: Mark, content: list[Mark]) -> bool:
    size = max(mark.size for mark in content)
    left, right = min(mark.x0 for mark in content), max(mark.x1 for mark in content)
    return abs(left - rule.x0) < 0.25 * size + 0.5 and abs(right - rule.x1) < 0.35 * size + 0.5


def _radical_before(marks: list[Mark], place: int) -> int | None:
    rule = marks[place]
    for number in range(place - 1, max(-1, place - 4), -1):
        mark = marks[number]
        if mark.latex == "√" and mark.kind in ("tall", "piece", "char") and abs(mark.x1 - rule.x0) < 0.25 * mark.size:
            is_near = mark.kind == "char" or abs(mark.top - rule.y) < 0.3 * mark.size
            return number if is_near else None
    return None


def _root(marks: list[Mark], sign: int, place: int, last: int) -> list[Mark]:
    radical, rule = marks[sign], marks[place]
    floor = min(radical.bottom, radical.y) - 0.5 * radical.size
    content = [mark for mark in marks[place + 1 : last] if mark.kind != "rule" and floor <= mark.middle <= rule.y + 0.1]
    if not content:
        return marks
    size = size_of_row(content)
    index: list[Mark] = []
    number = sign - 1
    while number >= 0 and len(index) < 12:
        mark = marks[number]
        if not (mark.size < 0.75 * size and mark.x1 < radical.x1 and mark.x1 > radical.x0 - 0.3 * size
                and mark.y > radical.middle - 0.3 * size):
            break
        index.insert(0, mark)
        number -= 1
    head = f"\\sqrt[{row_latex(index)}]" if index else "\\sqrt"
    part = composed(f"{head}{{{row_latex(content)}}}", [*index, radical, rule, *content], y_of_row(content), size)
    return _replaced(marks, part)
