"""What needs a look along the row before it is read: bars, integrals and differentials, ∧ and ∨, declared functions."""

from __future__ import annotations

from itertools import pairwise

from porism.formula.operators.rules import (
    ADD,
    BAR,
    CLOSE,
    COLON,
    COMMA,
    DIVIDE,
    INTEGRAL,
    INTEGRAL_VARIABLES,
    LATTICE,
    LEAF,
    LOGIC,
    MAX_SPELLED_LENGTH,
    MULTIPLY,
    OPEN,
    POSTFIX,
    QUANTIFIER,
    RELATION,
    RULES,
    SEMICOLON,
    SPELLED,
)
from porism.formula.tree import LayoutNode, Row

# What to do with a symbol: the values of the notes on a row.
BAR_OPENS = 1
BAR_CLOSES = 2
BAR_DIVIDES = 3
BAR_EVALUATES = 4
DIFFERENTIAL = 5
JOINS_STATEMENTS = 6
STANDS_ALONE = 7
INTEGRAL_ENDS = 16
"""An integral that is ended by n differentials has the note ``INTEGRAL_ENDS + n``."""

_ENDS_INTEGRAL = frozenset({RELATION, LOGIC, COMMA, SEMICOLON, QUANTIFIER, COLON, DIVIDE})


_JOINING = frozenset({RELATION, LOGIC, ADD, MULTIPLY, COMMA, SEMICOLON, DIVIDE})
_BEFORE_STATE = frozenset("⟨|∥∣")
_AFTER_STATE = frozenset("⟩|∥∣")
ANGLES = frozenset("⟨⟩")
_STATE_BARS = frozenset("|∣")

_LOGICAL = frozenset({"¬"} | {symbol for symbol, rule in RULES.items() if rule.role in (LOGIC, QUANTIFIER)})


SPELLED_NAME = 64
"""The first of n letters that spell a function has the note ``SPELLED_NAME + n``."""


_PLAIN_LETTERS = frozenset("abcefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθλμνξπρστφχψω")


class _Level:
    """What was met between two brackets."""

    __slots__ = ("bars", "integrals", "lattices", "opener", "related", "start", "statements")

    def __init__(self, opener: str, start: int = 0) -> None:
        self.opener = opener
        self.start = start
        self.bars: list[tuple[int, bool]] = []
        self.integrals: list[list[int]] = []
        self.lattices: list[int] = []
        self.related = False
        self.statements = 0


class _StateLevel:
    """The bars and relations after an opening bracket at ``position``."""

    __slots__ = ("bars", "opener", "position", "relations")

    def __init__(self, opener: str, position: int) -> None:
        self.opener = opener
        self.position = position
        self.bars: list[int] = []
        self.relations: list[int] = []

    def closes_state(self, notes: dict[int, int]) -> bool:
        """Whether a bar closes the angle bracket, which no other bracket does; notes it."""
        if self.opener != "⟨":
            return False
        bar = next((bar for bar in self.bars if bar > self.position + 1), None)
        if bar is None:
            return False
        notes[bar] = BAR_CLOSES
        return True


def is_letter(node: LayoutNode) -> bool:
    """Whether a node is one letter (scripts allowed)."""
    return node.kind == "V" and len(node.label) == 1 and node.label not in RULES


def starts_differential(row: Row, position: int) -> bool:
    """Whether ``d`` or ``d^n`` followed by a letter is here."""
    node = row[position]
    return (
        node.label == "d" and node.kind == "V" and node.below is None and position + 1 < len(row)
        and (is_letter(row[position + 1]) or row[position + 1].kind == "W")
    )


def look_ahead(
    row: Row, declared: set[str], *, integral_seen: bool = False, has_angles: bool = True
) -> dict[int, int]:
    """Notes on the symbols of a row, by position. Linear. Adds letters that are used as functions to ``declared``.

    ``integral_seen`` says that ``d`` before a letter is a differential from the start: parts of fractions. Only with
    ``has_angles`` angle brackets and what they belong to are looked for.
    """
    notes: dict[int, int] = {}
    states = state_bars(row) if has_angles else {}
    level = _Level("")
    levels = [level]
    lattices: list[int] = []
    operand = False
    if len(row) > 2 and row[0].label == "d" and row[2].label in ("=", "/") and starts_differential(row, 0):
        integral_seen = True  # du=2x dx, dy/dx
    for position, node in enumerate(row):
        kind = node.kind
        if kind == "N" or (kind == "V" and node.label in _PLAIN_LETTERS):
            operand = True
            continue
        rule = RULES.get(node.label) if kind == "V" or kind == "O" else None
        role = rule.role if rule is not None else LEAF
        if states and position in states:
            notes[position] = states[position]
            role = OPEN if states[position] == BAR_OPENS else CLOSE
        if role == LEAF:
            if node.label == "d" and (level.integrals or integral_seen) and starts_differential(row, position):
                notes[position] = DIFFERENTIAL
                if level.integrals:
                    last = level.integrals[-1]
                    last[1] += 1
                    if last[1] == last[2]:
                        level.integrals.pop()
                        notes[last[0]] = INTEGRAL_ENDS + last[2]
            operand = not (kind == "V" and len(node.label) > 1) or rule is not None
        elif role == OPEN:
            if node.label == "(" and position and is_letter(row[position - 1]):
                _declare(row, position, declared)
                _spelled(row, position, notes)
            level = _Level(node.label, position + 1)
            levels.append(level)
            operand = False
        elif role == CLOSE:
            _finish(row, level, notes, position)
            levels.pop()
            if not levels:
                levels.append(_Level(""))
            level = levels[-1]
            operand = True
        elif role == BAR:
            if node.label == "∣":
                operand = False
                level.integrals.clear()
            else:
                # A bar after an operand most likely closes, so that an operand comes before what follows it, too.
                level.bars.append((position, operand))
        elif role == POSTFIX:
            operand = True
        elif role == INTEGRAL and rule is not None:
            integral_seen = True
            level.integrals.append([position, 0, INTEGRAL_VARIABLES.get(rule.label, 1)])
            operand = False
        elif has_angles and _is_state(row, position):
            notes[position] = STANDS_ALONE
            operand = True
        else:
            operand = False
            if role == LATTICE:
                level.lattices.append(position)
                lattices.append(position)
                level.statements += level.related
                level.related = False
            elif role in _ENDS_INTEGRAL:
                if role == COLON and position and is_letter(row[position - 1]):
                    declared.add(row[position - 1].label)
                _end_term(row, position, role, level, notes)
    while levels:
        _finish(row, levels.pop(), notes, len(row))
    if lattices and any(node.label in _LOGICAL for node in row):
        notes.update(dict.fromkeys(lattices, JOINS_STATEMENTS))
    return notes


def _declare(row: Row, position: int, declared: set[str]) -> None:
    """Notes a letter before ``(x)``: it is a function, and so it is elsewhere in the formula."""
    letter = row[position - 1]
    if (
        letter.above is None and position + 2 < len(row) and row[position + 2].label == ")"
        and is_letter(row[position + 1]) and row[position + 1].label != letter.label
    ):
        declared.add(letter.label)


def _spelled(row: Row, position: int, notes: dict[int, int]) -> None:
    """Notes a function name that is written as letters before a bracket, at its first letter."""
    word = row[position - 1].label
    first = position - 1
    while first and len(word) < MAX_SPELLED_LENGTH and is_letter(row[first - 1]):
        before = row[first - 1]
        if before.above is not None or before.below is not None or before.font == "bb":
            break
        first -= 1
        word = before.label + word
    for length in range(len(word), 1, -1):
        if word[-length:] in SPELLED:
            notes[position - length] = SPELLED_NAME + length
            return


def _end_term(row: Row, position: int, role: int, level: _Level, notes: dict[int, int]) -> None:
    """A symbol that ends the integrals before it; logic, separators and divisions end the pairs of bars too."""
    level.integrals.clear()
    level.related = level.related or role == RELATION
    if role in (LOGIC, COMMA, SEMICOLON, DIVIDE):
        if level.bars:
            _pair_bars(row, level, notes, position)
        level.start = position + 1


def _finish(row: Row, level: _Level, notes: dict[int, int], end: int) -> None:
    if level.bars:
        _pair_bars(row, level, notes, end)
    if level.lattices and level.statements + level.related >= 2:
        for position in level.lattices:
            notes[position] = JOINS_STATEMENTS


def _role(node: LayoutNode) -> int:
    rule = RULES.get(node.label) if node.kind in "VO" else None
    return rule.role if rule is not None else LEAF


def _is_state(row: Row, position: int) -> bool:
    """Whether a sign stands alone for a state of physics: ``⟨+|``, ``|↑⟩``."""
    if not position or position + 1 == len(row):
        return False
    before, after = row[position - 1].label, row[position + 1].label
    return before in _BEFORE_STATE and after in _AFTER_STATE and (before == "⟨" or after == "⟩")


def state_bars(row: Row) -> dict[int, int]:
    """Which bars open or close the states of physics ``|ψ⟩`` and ``⟨φ|``, by position.

    An angle bracket without a partner pairs with a bar. In ``⟨φ|=|φ⟩`` both do, as a relation stands between the bars.
    """
    notes: dict[int, int] = {}
    levels = [_StateLevel("", -1)]
    for position, node in enumerate(row):
        role = _role(node)
        level = levels[-1]
        if node.label in _STATE_BARS:
            level.bars.append(position)
        elif role == RELATION:
            level.relations.append(position)
        elif role == OPEN:
            levels.append(_StateLevel(node.label, position))
        elif role == CLOSE and node.label == "⟩":
            bars = level.bars
            if level.opener == "⟨":
                levels.pop()
                if any(bars[0] < relation < bars[-1] for relation in level.relations if bars):
                    notes[bars[0]], notes[bars[-1]] = BAR_CLOSES, BAR_OPENS
            elif bars and bars[-1] + 1 < position:
                notes[bars.pop()] = BAR_OPENS
            elif len(levels) > 1:
                levels.pop()
        elif role == CLOSE:
            while levels[-1].closes_state(notes):
                levels.pop()
            if len(levels) > 1:
                levels.pop()
    for level in levels:
        level.closes_state(notes)
    return notes


def _divide_states(row: Row, level: _Level, notes: dict[int, int], end: int) -> bool:
    """Whether all bars between ``⟨`` and ``⟩`` have an operand on either side, as in ``⟨a|H|b⟩``."""
    edges = [level.start - 1, *(position for position, _ in level.bars), end]
    for first, last in pairwise(edges):
        if last - first < 2:
            return False
        is_sign = last - first == 2 and notes.get(first + 1) == STANDS_ALONE
        if not is_sign and (_role(row[last - 1]) in _JOINING or _role(row[first + 1]) in _JOINING - {ADD}):
            return False
    return True


def _pair_bars(row: Row, level: _Level, notes: dict[int, int], end: int) -> None:
    """Pairs the bars of one stretch with a stack; a bar after an operand that no later bar could close divides."""
    if level.opener == "⟨" and _divide_states(row, level, notes, end):
        notes.update((position, BAR_DIVIDES) for position, _ in level.bars)
        level.bars = []
        return
    bars, level.bars = level.bars, []
    opened: list[int] = []
    for number, (position, operand) in enumerate(bars):
        after = len(bars) - number - 1
        operand = operand and notes.get(position - 1) != BAR_DIVIDES
        same = bool(opened) and row[opened[-1]].label == row[position].label
        if same and (operand or after < len(opened)):
            notes[opened.pop()] = BAR_OPENS
            notes[position] = BAR_CLOSES
        elif not operand or (after % 2 == 1 and level.opener != "{"):
            if after:
                opened.append(position)
        elif row[position].below is not None or row[position].above is not None:
            notes[position] = BAR_EVALUATES
        else:
            notes[position] = BAR_DIVIDES
    for position in opened:
        notes[position] = BAR_DIVIDES
