"""Signs that are printed as several marks: tall fences made of pieces, struck relations, long arrows."""

from __future__ import annotations

import itertools

from porism.corpus.pdf.marks import AXIS, Mark

OVERPRINTS = {
    ("̸", "="): "≠", ("̸", "∈"): "∉", ("/", "∈"): "∉", ("∈", "/"): "∉", ("̸", "≡"): "≢", ("̸", "∼"): "≁",
    ("̸", "≃"): "≄", ("̸", "≈"): "≉", ("̸", "≅"): "≇", ("̸", "⊂"): "⊄", ("̸", "⊃"): "⊅", ("̸", "⊆"): "⊈",
    ("̸", "⊇"): "⊉", ("̸", "≤"): "≰", ("̸", "≥"): "≱", ("̸", "<"): "≮", ("̸", ">"): "≯", ("̸", "→"): "↛",
    ("̸", "⇒"): "⇏", ("̸", "∃"): "∄", ("̸", "⊢"): "⊬", ("̸", "|"): "∤", ("̸", "∣"): "∤", ("̸", "∋"): "∌", ("≁", "="): "≇",
    ("̸", "⊨"): "⊭", ("̸", "⇔"): "⇎", ("∼", "="): "≅", ("=", "∼"): "≅", ("⊂", "="): "⊆", ("|", "="): "⊨",
    ("∪", "⋅"): "⊍", ("∘", "−"): "⊖",
}  # fmt: skip
"""Signs over each other."""

JOINED = {
    ("╞", "→"): "↦", ("╞", "−"): "↦", ("╰", "→"): "↪", ("←", "╯"): "↩", ("−", "→"): "→", ("←", "−"): "←",
    ("=", "⇒"): "⇒", ("⇐", "="): "⇐", ("⇐", "⇒"): "⇔", ("←", "→"): "↔", ("↦", "→"): "↦", ("|", "="): "⊨",
    ("−", "−"): "−", ("=", "="): "=", ("↦", "−"): "↦", ("↩", "→"): "↪", ("↩", "−"): "↪", ("↪", "→"): "↪",
}  # fmt: skip
"""Signs that touch each other."""
_FIRST = frozenset(first for first, _ in (*OVERPRINTS, *JOINED))
MAX_BOX = 9.0
BRACES = frozenset("⏞⏟")
"""Braces over and under a part; the first of their pieces says which."""
BRACE_PIECES = 4
BRACE_EXTENSION = "⎴"
"""OpenType fonts have any number of these between the pieces."""


def joined_signs(marks: list[Mark]) -> list[Mark]:
    """The marks of a page with signs of several marks as one."""
    done: list[Mark] = []
    for mark in _without_boxes(marks):
        last = done[-1] if done else None
        if mark.kind == "piece":
            whole = next((other for other in reversed(done[-12:]) if _continues(other, mark)), None)
            if whole is not None:
                _extend(whole, mark)
                continue
        elif mark.kind == "rule" and any(
            other.latex in BRACES and abs(other.y - mark.y) < 0.4 * other.size for other in done[-6:]
        ):
            continue
        elif mark.char in (".", "⋅", "·") and len(done) > 1 and (dots := _dots(done[-2], done[-1], mark)):
            done[-2:] = [dots]
            continue
        elif last is not None and last.latex in _FIRST and last.kind == mark.kind == "char":
            sign = _pair(last, mark)
            if sign:
                both = Mark(
                    sign, sign, "char", min(last.x0, mark.x0), max(last.x1, mark.x1), min(last.y, mark.y),
                    max(last.size, mark.size), max(last.top, mark.top), min(last.bottom, mark.bottom), last.font,
                    is_math=True,
                )
                done[-1] = both
                if len(done) > 1 and done[-2].latex == "̸" and (struck := _pair(done[-2], both)):
                    both.char = both.latex = struck
                    del done[-2]
                continue
        done.append(mark)
    return done


def _dots(first: Mark, second: Mark, third: Mark) -> Mark | None:
    """Three dots on a vertical or falling line as one sign."""
    size = third.size
    if not (first.char == second.char == third.char and first.size == second.size == size):
        return None
    falls, falls_on = first.y - second.y, second.y - third.y
    steps, steps_on = second.x0 - first.x0, third.x0 - second.x0
    if abs(falls) < 0.05 * size and abs(falls_on) < 0.05 * size:
        if not (0.2 * size < steps < 0.75 * size and abs(steps - steps_on) < 0.1 * size):
            return None
        char = "…" if third.char == "." else "⋯"
        latex = "\\ldots" if char == "…" else "\\cdots"
        return Mark(
            char, latex, "char", first.x0, third.x1, third.y, size, first.top, third.bottom, first.font, first.style,
            first.is_math,
        )
    if not (0.2 * size < falls < 0.7 * size and abs(falls - falls_on) < 0.1 * size):
        return None
    char = "⋮" if abs(first.x0 - third.x0) < 0.1 * size else "⋱"
    return Mark(
        char, char, "char", first.x0, third.x1, third.y, size, first.top, third.bottom, first.font, is_math=True
    )


def _pair(first: Mark, second: Mark) -> str:
    size = max(first.size, second.size)
    is_struck = first.latex == "̸" and second.is_math and (first.latex, second.latex) not in OVERPRINTS
    if is_struck and -0.1 * size < second.x0 - first.x0 < 0.3 * size and second.kind == "char":
        return f"\\not {second.latex}"
    overlap = min(first.x1, second.x1) - max(first.x0, second.x0)
    struck = OVERPRINTS.get((first.latex, second.latex), "")
    if struck and overlap > 0.3 * min(first.x1 - first.x0 or size, second.x1 - second.x0 or size) - 0.01 * size:
        return struck
    is_at = abs(second.x0 - first.x1) < 0.15 * size and abs(first.y - second.y) < 0.2 * size
    if first.latex == "̸" and struck and is_at:
        return struck
    sign = JOINED.get((first.latex, second.latex), "")
    if first.latex == second.latex and overlap < 0.02 * size:
        return ""
    return sign if -1.1 * size < second.x0 - first.x1 < 0.06 * size and abs(first.y - second.y) < 0.1 * size else ""


def _continues(whole: Mark, piece: Mark) -> bool:
    if piece.latex == BRACE_EXTENSION:
        return whole.latex in BRACES and abs(whole.y - piece.y) < 0.1 * piece.size
    return (
        whole.kind == "piece" and whole.latex == piece.latex and abs(whole.x0 - piece.x0) < 0.12 * piece.size
        and (abs(whole.bottom - piece.top) < 0.45 * piece.size or abs(whole.top - piece.bottom) < 0.45 * piece.size
             or whole.bottom <= piece.middle <= whole.top)
    ) or (
        whole.kind == "piece" and {piece.latex, whole.latex} <= BRACES and abs(whole.y - piece.y) < 0.1 * piece.size
        and piece.x0 >= whole.x1 - 0.5 * piece.size and len(whole.parts) < BRACE_PIECES - 1
    )


def _extend(whole: Mark, piece: Mark) -> None:
    whole.top, whole.bottom = max(whole.top, piece.top), min(whole.bottom, piece.bottom)
    whole.x0, whole.x1 = min(whole.x0, piece.x0), max(whole.x1, piece.x1)
    if piece.latex == BRACE_EXTENSION:
        return
    whole.parts = (*whole.parts, piece)
    if whole.latex != "√" and whole.latex not in BRACES:
        whole.axis = whole.middle
        whole.y = whole.axis - AXIS * whole.size


def _without_boxes(marks: list[Mark]) -> list[Mark]:
    """Leaves out the rules of small frames, as those at the ends of proofs."""
    rules = [mark for mark in marks if mark.kind == "rule" and mark.x1 - mark.x0 < MAX_BOX]
    if len(rules) < 2:
        return marks
    framed = set()
    for first, second in itertools.pairwise(rules):
        width = first.x1 - first.x0
        if abs(first.x0 - second.x0) + abs(first.x1 - second.x1) < 0.5 and 0.6 < abs(first.y - second.y) / width < 1.6:
            framed |= {id(first), id(second)}
    return [mark for mark in marks if id(mark) not in framed] if framed else marks
