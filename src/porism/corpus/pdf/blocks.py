"""Pages as lines of text with formulas in place, and displays."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable

from porism.corpus.pdf.clusters import Cluster, clusters_of
from porism.corpus.pdf.encodings import UNKNOWN
from porism.corpus.pdf.fonts import BITMAP
from porism.corpus.pdf.inline import mark_formulas, marks_of, runs_of
from porism.corpus.pdf.italics import settle_italics
from porism.corpus.pdf.lines import Line, body_size, lines_of
from porism.corpus.pdf.marks import Mark, box_of
from porism.corpus.pdf.matrices import with_matrices
from porism.corpus.pdf.names import is_letter
from porism.corpus.pdf.pages import Page
from porism.corpus.pdf.rows import row_latex
from porism.corpus.pdf.rules import with_rules
from porism.corpus.pdf.signs import joined_signs
from porism.corpus.pdf.text import FoundFormula, Part, TextLine

_TAG = re.compile(r"\((?:[A-Z]|\d+)?(?:[.\-]?\d+)*(?:\.?[a-z])?[′'*]?\)\Z|\(∗+\)\Z|\(\*+\)\Z|\(†\)\Z")
_ROLE_OF_FIRST = re.compile(r"(?:\\begin\{aligned\} )?[=<>≤≥≡∼≅≃≈⊆⊂∈→⇒⇔+−]|\\(?:over|under)set")
_COMBINING = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¨": "\u0308", "ˇ": "\u030c", "˘": "\u0306",
    "ˉ": "\u0304", "˚": "\u030a", "˙": "\u0307", "˝": "\u030b", "¸": "\u0327",
}  # fmt: skip


def text_lines(page: Page, italic_is_math: bool) -> list[TextLine]:
    """The lines of a page in the order of its content."""
    marks = with_matrices(with_rules(joined_signs(page.marks), italic_is_math), row_latex)
    body = body_size(marks)
    done: list[TextLine] = []
    lines = lines_of(marks)
    if italic_is_math:
        settle_italics(lines)
    for line in lines:
        tag = _take_tag(line)
        clusters = clusters_of(line)
        if not clusters:
            continue
        mark_formulas(clusters, line.size)
        if _is_display(line, clusters, body, bool(tag)):
            parts: list[Part] = [_formula(line.marks, page.number, True)]
        else:
            parts = _inline_parts(clusters, line, page.number)
        done.append(_text_line(line, parts, page.number))
        done[-1].is_display = isinstance(parts[0], FoundFormula) and parts[0].is_display
    return _join_displays(_join_broken(done))


def _text_line(line: Line, parts: list[Part], page: int) -> TextLine:
    styles = [mark.style for mark in line.marks if is_letter(mark)]
    style = max(set(styles), key=styles.count) if styles else ""
    return TextLine(
        parts, page, line.x0, line.x1, line.y, line.top, line.bottom, line.size, line.left, line.right, style,
        styles[0] if styles else "",
    )


def _formula(marks: list[Mark], page: int, is_display: bool) -> FoundFormula:
    latex = row_latex(marks)
    if is_display:
        latex = latex.rstrip(" .,;")
    if any(mark.font == BITMAP and not mark.char.isalpha() for mark in marks):  # of the codes letters are the surest
        latex += f" {UNKNOWN}"
    return FoundFormula(latex, is_display, page, box_of(marks), marks)


def _take_tag(line: Line) -> list[Mark]:
    """Takes the number of an equation from the end or the beginning of a line."""
    marks = line.marks
    chars = [mark for mark in marks if mark.kind == "char"]
    text = "".join(mark.char for mark in chars[-12:])
    match = _TAG.search(text)
    if match is not None and len(chars) > len(match.group()) and abs(line.x1 - line.right) < 0.8 * line.size:
        tag = chars[-len(match.group()) :]
        rest = [mark for mark in marks if mark not in tag]
        if tag[0].x0 - max(mark.x1 for mark in rest) > 1.2 * line.size and not tag[0].is_math:
            line.marks = rest
            line.measure()
            return tag
    text = "".join(mark.char for mark in chars[:12])
    match = re.match(r"\((?:[A-Z]|\d+)?(?:[.\-]?\d+)*\)", text)
    if match is not None and len(chars) > len(match.group()) and abs(line.x0 - line.left) < 0.8 * line.size:
        tag = chars[: len(match.group())]
        rest = [mark for mark in marks if mark not in tag]
        if min(mark.x0 for mark in rest) - tag[-1].x1 > 2.5 * line.size:
            line.marks = rest
            line.measure()
            return tag
    return []


def _is_display(line: Line, clusters: list[Cluster], body: float, has_tag: bool) -> bool:
    if not any(cluster.is_seed for cluster in clusters) and not has_tag:
        return False
    if not any(cluster.in_formula or cluster.role == "digit" for cluster in clusters):
        return False
    gaps = sum(after.x0 - before.x1 > 1.4 * line.size for before, after in itertools.pairwise(clusters))
    if gaps > 1 and not has_tag and not any(cluster.role == "relation" for cluster in clusters):
        return False  # a row of a table
    x0, x1 = line.x0, line.x1
    total = sum(cluster.x1 - cluster.x0 for cluster in clusters) or 1.0
    words = sum(
        cluster.x1 - cluster.x0 for cluster in clusters if cluster.role == "word" and not cluster.in_formula
    ) / total
    before, after = x0 - line.left, line.right - x1
    is_centred = abs(before - after) < 0.5 * body and before > 0.3 * body
    if has_tag:
        return words < 0.75 and before > 0.8 * body
    if is_centred and before > 2.5 * body:
        return words < 0.8
    if is_centred:
        return words < 0.45
    if clusters[0].role == "relation" and before > 1.2 * body:
        return words < 0.75
    if before > 2.0 * body and after > 1.0 * body:
        return words < (0.25 if before < 3.2 * body else 0.4) if before < 5.5 * body else words < 0.7
    return before > 1.2 * body and words < 0.1 and len(clusters) > 6


def _inline_parts(clusters: list[Cluster], line: Line, page: int) -> list[Part]:
    runs = dict(runs_of(clusters, line.size))
    parts: list[Part] = []
    number = 0
    while number < len(clusters):
        cluster = clusters[number]
        if number and cluster.x0 - clusters[number - 1].x1 > 0.16 * line.size:
            _add_text(parts, " ")
        end = runs.get(number)
        if end is None or all(mark.char == UNKNOWN for each in clusters[number:end] for mark in each.marks):
            _add_text(parts, _plain(cluster.marks))
            number += 1
            continue
        formula = _formula(marks_of(clusters[number:end]), page, False)
        formula.begins_line = number == 0
        last = clusters[end - 1]
        formula.goes_on = end == len(clusters) and (
            last.role in ("relation", "binary") or (last.role == "comma")
        )
        parts.append(formula)
        number = end
    return parts


def _add_text(parts: list[Part], text: str) -> None:
    if parts and isinstance(parts[-1], str):
        parts[-1] += text
    else:
        parts.append(text)


def _plain(marks: Iterable[Mark]) -> str:
    """The text of marks; accents are joined with the letters that they stand over."""
    text = ""
    waiting = ""
    for mark in marks:
        if mark.kind == "accent":
            waiting = _COMBINING.get(mark.char, "")
            continue
        char = mark.char or mark.latex
        if waiting and char:
            char = unicodedata.normalize("NFC", {"ı": "i", "ȷ": "j"}.get(char[0], char[0]) + waiting) + char[1:]
            waiting = ""
        text += char
    return text


def _join_broken(lines: list[TextLine]) -> list[TextLine]:
    """Joins a formula that an operator at the end of its line leaves open with how the next line begins."""
    for line, following in itertools.pairwise(lines):
        first = line.parts[-1] if line.parts else None
        second = following.parts[0] if following.parts else None
        if (
            isinstance(first, FoundFormula) and isinstance(second, FoundFormula)
            and first.goes_on and second.begins_line and not first.is_display and not second.is_display
            and line.page == following.page
        ):
            marks = [*first.marks, *_moved(second.marks, first.marks)]
            following.parts[0] = FoundFormula(
                row_latex(marks), False, first.page, first.box, marks, second.goes_on, first.begins_line
            )
            line.parts.pop()
            if not line.parts:
                line.parts.append("")
    return lines


def _moved(marks: list[Mark], before: list[Mark]) -> list[Mark]:
    """Copies of marks, to the right of others and on their baseline."""
    from porism.corpus.pdf.rows import y_of_row

    right = max(mark.x1 for mark in before) + 0.3 * before[0].size
    dx = right - min(mark.x0 for mark in marks)
    dy = y_of_row(before) - y_of_row(marks)
    moved = []
    for mark in marks:
        copy = Mark(
            mark.char, mark.latex, mark.kind, mark.x0 + dx, mark.x1 + dx, mark.y + dy, mark.size, mark.top + dy,
            mark.bottom + dy, mark.font, mark.style, mark.is_math,
        )
        copy.axis = mark.axis + dy if mark.axis is not None else None
        moved.append(copy)
    return moved


def _join_displays(lines: list[TextLine]) -> list[TextLine]:
    """Joins the lines of one display: those that follow each other closely."""
    done: list[TextLine] = []
    for line in lines:
        last = done[-1] if done else None
        if last is not None and line.is_display and _is_row(last, line) and _is_next_row(last, line):
            last.parts = [part for part in last.parts if isinstance(part, FoundFormula)]
            last.is_display = last.parts[0].is_display = True  # type: ignore[union-attr]
            first, second = last.parts[0], line.parts[0]
            assert isinstance(first, FoundFormula)
            assert isinstance(second, FoundFormula)
            rows = first.latex
            if first.rows > 1:
                rows = rows.removeprefix("\\begin{aligned} ").removesuffix(" \\end{aligned}")
            box = (
                min(first.box[0], second.box[0]), min(first.box[1], second.box[1]), max(first.box[2], second.box[2]),
                max(first.box[3], second.box[3]),
            )
            last.parts[0] = FoundFormula(
                f"\\begin{{aligned}} {rows} \\\\ {second.latex} \\end{{aligned}}", True, first.page, box,
                rows=first.rows + 1,
            )
            last.bottom, last.y = min(last.bottom, line.bottom), line.y
            last.x0, last.x1 = min(last.x0, line.x0), max(last.x1, line.x1)
        else:
            done.append(line)
    return done


def _is_row(last: TextLine, line: TextLine) -> bool:
    """Whether a line is a display, or all of it is one formula that a relation goes on with."""
    if last.is_display:
        return True
    formulas = [part for part in last.parts if isinstance(part, FoundFormula)]
    first = line.parts[0]
    is_alone = len(formulas) == 1 and not any(
        part.strip(" .,;") for part in last.parts if isinstance(part, str)
    )
    return is_alone and isinstance(first, FoundFormula) and _ROLE_OF_FIRST.match(first.latex) is not None


def _is_next_row(last: TextLine, line: TextLine) -> bool:
    return (
        last.page == line.page and last.y > line.y and last.bottom - line.top < 1.0 * line.size
        and last.x0 < line.x1 and line.x0 < last.x1
    )
