"""A layout tree as spoken English: ``x squared plus 1``, ``sum from k equals 1 to n of``, ``a over b``.

Models that were trained on prose have read these words and not LaTeX. Words are those that a mathematician says, not
those of a screen reader, which must name every fence: what belongs together can stay unsaid here, ``the quantity``
begins a group in parentheses and ``all`` precedes its power.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from porism.formula.layout import child_rows
from porism.formula.operators.prepass import BAR_CLOSES, BAR_OPENS, state_bars
from porism.formula.operators.rules import FUNCTION_LETTERS
from porism.formula.tables.lookup import RELATION_CLASSES, SYMBOLS, closing_fence, plain_blackboard, token_class
from porism.formula.tables.spaces import QUAD
from porism.formula.tables.spoken import (
    BLACKBOARD,
    FENCES,
    FRACTIONS,
    FUNCTIONS,
    MARKS,
    NABLA_PRODUCTS,
    POWERS,
    STATES,
    WORDS,
)
from porism.formula.tree import LayoutNode, LayoutTree, Row
from porism.formula.writers.grouping import is_derivation, is_differential

_NAMED = frozenset({"function", "trigonometric", "logarithm"})
_BIG = frozenset({"big-operator", "integral", "limit"})
_BIG_WITH_BOUNDS = frozenset({"set-operator", "additive", "multiplicative"})
"""Classes of operators that with bounds and without an operand before them are those of a family: ``\\cup_i``."""
_OPERATORS = RELATION_CLASSES | _BIG | {
    "additive", "multiplicative", "division", "set-operator", "open", "separator", "dots", "text"
}
"""Classes after which an operand must follow, so that a sign or a bar there begins one."""

_MAPS = frozenset("→↪↠↣")
_APPLIED = FUNCTION_LETTERS | {"P"}
"""Letters that are applied to what is in parentheses after them."""


def to_spoken(tree: LayoutTree) -> str:
    """The tree as words, numbers and letters with blanks between."""
    approaching: set[int] = set()
    order: list[Row] = []
    stack = [tree.row]
    while stack:
        row = stack.pop()
        order.append(row)
        for node in row:
            if token_class(node.label, node.kind) == "limit" and node.below is not None:
                approaching.add(id(node.below))
            stack.extend(child_rows(node))
    texts: dict[int, str] = {}
    for row in reversed(order):
        texts[id(row)] = _Speaker(texts, id(row) in approaching).read(row)
    return texts[id(tree.row)]


class _Frame:
    """What was read since a fence was opened: the fence, its words, and whether a function came right before it."""

    __slots__ = ("applied", "commas", "fence", "simple", "words")

    def __init__(self, fence: str, applied: bool) -> None:
        self.fence, self.applied = fence, applied
        self.words: list[str] = []
        self.commas = 0
        self.simple = True  # at most one symbol inside


class _Speaker:
    """Reads one row, of which the rows below are read already."""

    def __init__(self, texts: dict[int, str], approaching: bool) -> None:
        self._texts = texts
        self._approaching = approaching
        self._frames = [_Frame("", False)]
        self._waiting = ""  # a function that waits for "of" and its argument
        self._last_map = -1
        self._states: dict[int, int] = {}  # the bars of ``|ψ⟩`` and ``⟨φ|``
        self._operand = False  # whether the last thing read can be the left operand of an operator

    def read(self, row: Row) -> str:
        place = 0
        self._states = state_bars(row)
        self._last_map = max((number for number, node in enumerate(row) if node.label in _MAPS), default=-1)
        while place < len(row):
            place += self._derivation(row, place) or self._symbol(row, place)
        while len(self._frames) > 1:
            frame = self._frames.pop()
            self._say(_closed(frame, "", ""))
        return " ".join(" ".join(self._frames[0].words).split())

    def _say(self, words: str) -> None:
        if words:
            self._frames[-1].words.append(words)

    def _text(self, row: Row | None) -> str:
        return self._texts[id(row)] if row is not None else ""

    def _derivation(self, row: Row, place: int) -> int:
        """Reads ``d/dx`` and ``dy/dx``; returns how many symbols it has read."""
        node = row[place]
        over = node.over or []
        if node.kind != "F" or not over or not is_differential(node.under):
            return 0
        power = self._text(over[0].above)
        name = {"2": "second ", "3": "third "}.get(power, f"{power}-th " if power else "")
        if is_derivation(node):
            operand = ""
        elif over[0].label in ("d", "∂") and len(over) > 1:
            operand = " of " + _Speaker(self._texts, False).read(over[1:])
        else:
            return 0
        variables = [_symbol_words(denominator) for denominator in (node.under or [])[1::2]]
        partial = "partial " if over[0].label == "∂" else ""
        after = " of" if not operand and place + 1 < len(row) else ""
        self._say(f"{name}{partial}derivative{operand} with respect to {' and '.join(variables)}{after}")
        self._waiting, self._operand = "", bool(operand)
        return 1

    def _symbol(self, row: Row, place: int) -> int:
        node = row[place]
        kind = token_class(node.label, node.kind)
        if node.space >= QUAD and self._operand and self._frames[-1].words and self._operand_begins(kind):
            self._frames[-1].words[-1] += ","
        state = self._states.get(place)
        if kind == "open" or state == BAR_OPENS:
            self._open(node.label)
        elif kind == "close" or state == BAR_CLOSES or (kind == "bar" and self._closes_bar(node.label, row, place)):
            self._close(node)
        elif kind == "bar" and not self._operand:
            self._open(node.label)
        elif node.label == "∇" and place + 1 < len(row) and row[place + 1].label in NABLA_PRODUCTS:
            self._nabla(node, NABLA_PRODUCTS[row[place + 1].label], place + 2 < len(row))
            return 2
        else:
            self._plain(row, place, node, kind)
        return 1

    def _nabla(self, node: LayoutNode, name: str, is_applied: bool) -> None:
        """A divergence or a curl."""
        if self._waiting:
            self._say("of")
        words = name + self._scripts(node, "")
        self._say(words)
        self._frames[-1].simple = False
        self._waiting, self._operand = words if is_applied else "", False

    def _open(self, fence: str) -> None:
        self._frames[-1].simple = False
        applied = bool(self._waiting) and fence in "(["
        self._frames.append(_Frame(fence, applied))
        if self._waiting:
            self._frames[-2].words.append("of")
        self._waiting, self._operand = "", False

    def _closes_bar(self, label: str, row: Row, place: int) -> bool:
        return len(self._frames) > 1 and self._frames[-1].fence == label and self._operand

    def _close(self, node: LayoutNode) -> None:
        if len(self._frames) == 1:  # a fence that nothing opened
            self._say(self._scripts(node, ""))
            return
        frame = self._frames.pop()
        self._waiting = ""
        words = _closed(frame, node.label, self._scripts(node, " all"))
        self._say(words)
        self._operand = True

    def _plain(self, row: Row, place: int, node: LayoutNode, kind: str) -> None:
        frame = self._frames[-1]
        if kind == "separator":
            frame.commas += node.label in ",;"
            frame.simple = False
            if node.label == ":":
                self._say("such that" if frame.fence == "{" else "from" if place < self._last_map else "")
            elif node.label != "." and frame.words:
                frame.words[-1] += ","
            self._waiting, self._operand = "", False
            return
        if frame.words:
            frame.simple = False
        if self._waiting and (self._operand_begins(kind) or kind in _NAMED or kind in _BIG):
            self._say("of")
        self._waiting = ""
        following = row[place + 1] if place + 1 < len(row) else None
        core = self._core(node, kind)
        if kind in _BIG or (kind in _BIG_WITH_BOUNDS and node.below is not None and not self._operand):
            self._say(self._big(node, kind, core) + (" of" if following is not None else ""))
            self._operand = False
            return
        words = core + self._scripts(node, "")
        if kind == "logarithm" and node.below is not None:
            words = words.replace(" sub ", " base ", 1)
        if self._is_applied(node, kind, following):
            self._waiting = words
        self._say(words)
        self._operand = kind not in _OPERATORS and node.label not in ("¬", "∀", "∃")

    def _operand_begins(self, kind: str) -> bool:
        return kind not in _OPERATORS and kind != "close"

    def _is_applied(self, node: LayoutNode, kind: str, following: LayoutNode | None) -> bool:
        """Whether a node is a function whose argument follows."""
        if following is None:
            return False
        if kind in _NAMED or (node.kind == "V" and len(node.label) > 1 and not node.label.endswith("\u0338")):
            return True
        if node.label in ("∁", "∇"):
            return True
        return node.kind == "V" and following.label == "(" and (node.label in _APPLIED or _has_prime(node))

    def _core(self, node: LayoutNode, kind: str) -> str:
        words = self._bare(node, kind)
        if node.kind == "F":
            return words
        for mark in (node.over, node.under):
            if mark is not None:
                note = MARKS.get(mark[0].label) if len(mark) == 1 else None
                if note == "vector":
                    words = f"vector {words}"
                elif note is not None:
                    words = f"{words} {note}"
                elif not (len(mark) == 1 and mark[0].label in "⏞⏟⎴⎵⏜⏝") and self._text(mark):
                    words = f"{words} with {self._text(mark)} {'above' if mark is node.over else 'below'}"
        return words

    def _bare(self, node: LayoutNode, kind: str) -> str:
        if node.kind == "F":
            over, under = self._text(node.over), self._text(node.under)
            if node.label == "choose":
                return f"{over} choose {under}"
            if (over, under) in FRACTIONS:
                return FRACTIONS[over, under]
            simple = len(node.over or ()) <= 1 and len(node.under or ()) <= 1
            return f"{over} over {under}" if simple else f"the fraction {over} over {under}"
        if node.kind == "R":
            index = self._text(node.pre_above)
            name = {"": "square", "2": "square", "3": "cube"}.get(index, f"{index}-th")
            return f"{name} root of {self._text(node.within)}"
        if node.kind == "M":
            return self._matrix(node)
        if node.kind == "G":
            return self._text(node.within)
        if node.kind == "W":
            return f"something {node.label}".rstrip()
        if node.kind == "E":
            return node.label.lstrip("\\")
        if kind == "additive" and node.label in "-+" and not self._operand:
            return "negative" if node.label == "-" else "positive" if self._frames[-1].words else "plus"
        if node.label == "→" and self._approaching:
            return "approaches"
        if node.label in "∣|" and self._frames[-1].fence == "{":
            return "such that"
        if node.label == "|":
            return "given" if self._frames[-1].fence else "divides"
        if node.label == "⊥" and not self._operand:
            return "perpendicular"
        return _symbol_words(node)

    def _matrix(self, node: LayoutNode) -> str:
        lines = [", ".join(self._text(cell) for cell in line) for line in node.elements or []]
        joined = "; ".join(lines)
        if node.label == "lines":
            return joined
        if node.label.startswith("{"):
            return f"cases {joined}"
        rows, columns = len(lines), max((len(line) for line in node.elements or []), default=0)
        name = "determinant of" if node.label == "||" else f"{rows} by {columns} matrix"
        return f"{name} {joined}"

    def _big(self, node: LayoutNode, kind: str, core: str) -> str:
        below, above = self._text(node.below), self._text(node.above)
        if kind == "limit" and below:
            begins = "as" if "approaches" in below else "over"
            return f"{core} {begins} {below}" + (f" to the power {above}" if above else "")
        words = core
        if below:
            bounded = above or any(script.label == "=" for script in node.below or ())
            words += f" from {below}" if bounded else f" over {below}"
        return words + (f" to {above}" if above else "")

    def _scripts(self, node: LayoutNode, whole: str) -> str:
        """What is read of the scripts of a node, after it; ``whole`` precedes a power."""
        below = [self._text(row) for row in (node.below, node.pre_below) if row is not None]
        words = "".join(f" sub {text}" for text in below)
        power = self._text(node.above)
        if power:
            words += f"{whole} {POWERS.get(power, f'to the power {power}')}"
        if node.pre_above is not None and node.kind != "R":
            words += f" with {self._text(node.pre_above)} before"
        return words


def _has_prime(node: LayoutNode) -> bool:
    return bool(node.above) and all(script.label == "′" for script in node.above or ())


def _closed(frame: _Frame, closing: str, scripts: str) -> str:
    """What is read of the content of a pair of fences."""
    inside = " ".join(frame.words)
    fence = frame.fence
    if fence + closing in STATES:
        return f"{STATES[fence + closing]} {inside}{scripts}"
    if fence == closing == "|" and len(frame.words) == 1 and inside.startswith(f"{FENCES['|']} "):
        return inside.replace(FENCES["|"], FENCES["∥"], 1) + scripts  # typed as ``||x||``
    if closing and closing != closing_fence(fence) and {fence, closing} & {"[", "]"} and frame.commas == 1:
        return _interval("half open interval", inside, scripts)
    if fence == "[" and frame.commas == 1 and not inside[:1].isupper():
        return _interval("closed interval", inside, scripts)
    if fence == "⟨" and frame.commas == 1:
        return f"inner product of {inside.replace(', ', ' and ', 1)}{scripts}"
    if fence in FENCES:
        return f"{FENCES[fence]} {inside}{scripts}"
    if frame.applied or frame.simple or frame.commas or inside.startswith("modulo "):
        return f"{inside}{scripts}"
    return f"the quantity {inside}{scripts}"


def _interval(name: str, inside: str, scripts: str) -> str:
    start, _, end = inside.partition(", ")
    return f"{name} from {start} to {end}{scripts}"


@lru_cache(maxsize=4096)
def _label_words(label: str) -> str:
    known = WORDS.get(label) or FUNCTIONS.get(label)
    if known is not None:
        return known
    if label.endswith("\u0338") and len(label) > 1:
        return f"not {_label_words(label[:-1])}"
    if len(label) > 1 or (label.isascii() and label.isalnum()):
        return label
    name = _COMMAND_NAMES.get(label)
    if name is not None:
        return f"capital {name.lower()}" if label.isupper() else name
    named = unicodedata.name(label, "").lower()
    return named if label not in ",;.:" and not label.isalnum() and named else label


def _symbol_words(node: LayoutNode) -> str:
    if node.font == "bb":
        letter = plain_blackboard(node.label)
        return BLACKBOARD.get(letter, letter)
    if node.kind == "T":
        return " ".join(node.label.split())
    return _label_words(node.label)


def _command_names() -> dict[str, str]:
    """The first name that LaTeX has for each Greek letter."""
    names: dict[str, str] = {}
    for token, (label, _) in SYMBOLS.items():
        if token[0] == "\\" and token[1:].isalpha() and token_class(label) == "greek":
            names.setdefault(label, token[1:])
    return names


_COMMAND_NAMES = _command_names()
