"""The spaces between the symbols of a row as TeX sets them, and the attributes of MathML operators that make them."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import NamedTuple

from porism.formula.tables.commands import ACCENT_SYNONYMS, BRACES, MARKS
from porism.formula.tables.lookup import SYMBOLS, is_limit_operator, token_class
from porism.formula.tables.setting import (
    BIN,
    CLASS_ATOMS,
    CLOSE,
    COMMAND_ATOMS,
    COMMAND_SPACES,
    IDENTIFIERS,
    INNER,
    LABEL_ATOMS,
    OP,
    OPEN,
    ORD,
    PREFIXES,
    PUNCT,
    REL,
    VERTICAL_ARROWS,
    default_spaces,
    space_between,
)
from porism.formula.tree import LayoutNode, Row, Style
from porism.formula.writers.enclosures import StyledRun, find_runs, is_box
from porism.formula.writers.fences import CLOSES, MIDDLE, OPENS, RowFences, find_fences
from porism.formula.writers.hints import Hints
from porism.formula.writers.letters import is_upright, name_shown, sign_shown

DISPLAY, TEXT, SCRIPT = range(3)
"""TeX's styles, those of scripts together."""

_FUNCTIONS = frozenset({"function", "trigonometric", "logarithm", "limit"})
_SLASHES = frozenset("/∖")
"""Signs that Firefox would let grow from the line upwards alone."""
_BIG = frozenset({"big-operator", "integral"})
_FENCES = frozenset({"open", "close", "bar"})
_HOLDS = {BIN: 4, REL: 4, PUNCT: 3, OP: 2, INNER: 1}
"""Kind of atom → how readily it takes the space beside it into its attributes."""
_SIDE_ATOMS = {OPENS: OPEN, CLOSES: CLOSE, MIDDLE: OPEN}
_OPERANDS = frozenset({ORD, OP, OPEN, INNER})
_BEFORE_MODULUS = {DISPLAY: 18, TEXT: 8, SCRIPT: 8}
_BEFORE_MOD = {DISPLAY: 18, TEXT: 12, SCRIPT: 12}
_AFTER_MODULUS = 6
_AROUND_MOD = 5


class Operator(NamedTuple):
    """The ``<mo>`` of a node: its attributes and what it shows."""

    attributes: str
    shown: str


@dataclass(slots=True)
class RowSetting:
    """How the nodes of a row are set, by position."""

    fences: RowFences
    operators: dict[int, Operator] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    """Elements before a node: spaces and invisible operators."""
    runs: dict[int, list[StyledRun]] = field(default_factory=dict)
    """First position → the boxes, strokes and colours that begin there and hold several nodes, outer ones first."""
    run_ends: set[int] = field(default_factory=set)
    """The last positions of these."""
    alone: dict[int, list[Style]] = field(default_factory=dict)
    """The boxes, strokes and colours that hold one node."""


def takes_limits(node: LayoutNode, hints: Hints) -> bool:
    """Whether the scripts of a node are set as limits, over and under it where there is room."""
    if (
        node.kind not in "OV" or not is_limit_operator(node.label) or (node.above is None and node.below is None)
        or _is_mark(node.above) or _is_mark(node.below) or node.over is not None or node.under is not None
    ):
        return False
    return hints.limits(node) != "nolimits" and (
        token_class(node.label) != "integral" or hints.limits(node) == "limits"
    )


def _is_mark(row: Row | None) -> bool:
    """Whether a script would be read as an accent if it were right above or below."""
    return row is not None and len(row) == 1 and row[0].kind == "O" and (
        row[0].label in MARKS or row[0].label in ACCENT_SYNONYMS
    )


def is_function_name(node: LayoutNode, hints: Hints) -> bool:
    """Whether a name is an operator on what follows, as ``sin`` and ``\\operatorname{foo}`` are and ``\\mathrm{kg}`` is
    not."""
    return (
        node.kind == "V" and len(node.label) > 1 and not node.font and token_class(node.label, "V") in _FUNCTIONS
        and ("\\" + node.label in SYMBOLS or not hints.is_latex or hints.command(node) != "")
    )


def set_row(row: Row, style: int, hints: Hints, follows_operand: bool = False) -> RowSetting:
    """The spaces and operators of a row in a style; ``follows_operand`` says that it goes on after an aligned cell."""
    fences = find_fences(row, hints)
    setting = RowSetting(fences)
    for run in find_runs(row, fences.groups) or _insides(row, fences):
        if run.style is not None and run.first == run.last:
            setting.alone.setdefault(run.first, []).append(run.style)
        else:
            setting.runs.setdefault(run.first, []).append(run)
            setting.run_ends.add(run.last)
    boxes = [run for run in chain.from_iterable(setting.runs.values()) if is_box(run.style)]
    atoms = [
        ORD if any(map(is_box, setting.alone.get(i, ()))) else atom for i, atom in enumerate(_atoms(row, fences, hints))
    ]
    prefixes = _bind(row, atoms, fences, {run.first for run in boxes}, follows_operand)
    spaces: list[list[int]] = [[0, 0] for _ in row]
    is_operator = [
        (node.kind == "O" and node.label not in IDENTIFIERS) or (
            node.kind == "V" and (takes_limits(node, hints) or hints.limit_mark(node)[0] != "")
        )
        for node in row
    ]
    lefts, rights = _seen_from_outside(atoms, fences, row, hints)
    for run in boxes:
        lefts[run.first] = rights[run.last] = ORD
    for i, node in enumerate(row):
        gap = 0
        if i or follows_operand:
            gap = space_between(rights[i - 1] if i else ORD, lefts[i], style == SCRIPT)
        gap = _modulus_gap(row, i, gap, style, hints)
        if style != SCRIPT and i:
            gap += COMMAND_SPACES.get(hints.command(node), 0) + COMMAND_SPACES.get(hints.command(row[i - 1]), 0)
        if node.space < 0:
            gap += node.space
        extra = node.space if node.space > 0 else min(gap, 0)
        gap = max(gap, 0)
        if i and is_function_name(row[i - 1], hints) and not is_operator[i - 1] and lefts[i] in _OPERANDS:
            setting.before[i] = _invisible("\u2061", gap)
        elif gap:
            left = _HOLDS.get(atoms[i - 1], 0) if i and is_operator[i - 1] and i - 1 not in fences.scripted else -1
            right = _HOLDS.get(atoms[i], 0) if is_operator[i] else -1
            if right >= left and right >= 0:
                spaces[i][0] += gap
            elif left >= 0:
                spaces[i - 1][1] += gap
            else:
                setting.before[i] = _invisible("\u2062", gap)
        if i and not is_operator[i - 1] and not is_operator[i]:
            apart = _apart(row[i - 1], node, setting.before.get(i, ""), extra, hints)
            if apart:
                setting.before[i] = apart
        if extra:
            setting.before[i] = setting.before.get(i, "") + _space(extra)
        if i and style == DISPLAY and _has_low_bound(row[i - 1], hints):
            setting.before[i] = _BACK + setting.before.get(i, "")
    for i, node in enumerate(row):
        if is_operator[i]:
            shown = name_shown(node, hints) if node.kind == "V" else sign_shown(row, i, i in fences.sides, hints)
            attributes = _attributes(row, i, spaces[i], i in prefixes, atoms[i] == BIN, setting, hints)
            setting.operators[i] = Operator(attributes, shown)
    return setting


def _insides(row: Row, fences: RowFences) -> list[StyledRun]:
    """What stretched fences enclose where a big operator is in it: Firefox does not see its height beside them."""
    if not fences.stretched:
        return []
    big = list(accumulate((token_class(node.label) in _BIG for node in row), initial=0))
    insides = []
    for first, lasts in fences.groups.items():
        for last in lasts:
            begin, end = first + (first in fences.stretched), last - (last in fences.stretched)
            if fences.stretched & {first, last} and begin < end and big[begin] < big[end + 1]:
                insides.append(StyledRun(begin, end, None))
    return sorted(insides, key=lambda run: (run.first, -run.last))


_APART = "<mspace></mspace>"


def _apart(left: LayoutNode, right: LayoutNode, between: str, extra: int, hints: Hints) -> str:
    """What is between two symbols, with empty spaces where Firefox would set a thin space beside something upright.

    It does so next to an italic letter, and next to an invisible operator.
    """
    uprights = [is_upright(node, hints) if node.kind == "V" else None for node in (left, right)]
    if between:
        return _APART * (uprights[0] is True) + between + _APART * (uprights[1] is True and not extra)
    return _APART if not extra and set(uprights) == {True, False} else ""


def _has_low_bound(node: LayoutNode, hints: Hints) -> bool:
    """Whether a node is an integral with a lower bound alone: browsers leave room for an upper one beside its head."""
    return (
        node.kind == "O" and node.below is not None and node.above is None and token_class(node.label) == "integral"
        and not takes_limits(node, hints)
    )


_BACK = '<mspace class="integral"></mspace>'
"""A space that the style sheet of pages makes negative."""


def _atoms(row: Row, fences: RowFences, hints: Hints) -> list[int]:
    """The kind of atom of each node by itself."""
    atoms = []
    for i, node in enumerate(row):
        if node.kind != "O" or _has_brace(node):
            is_enclosed = node.kind == "M" and node.label not in ("", "lines")
            atoms.append(INNER if is_enclosed else OP if _has_brace(node) or is_function_name(node, hints) else ORD)
        elif i in fences.sides:
            atoms.append(_SIDE_ATOMS[fences.sides[i]])
        elif node.label == "∥" and not hints.is_latex:
            atoms.append(REL)
        elif node.label == "mod" and i and row[i - 1].label == "(":
            atoms.append(ORD)
        else:
            known = COMMAND_ATOMS.get(hints.command(node), LABEL_ATOMS.get(node.label))
            atoms.append(CLASS_ATOMS.get(token_class(node.label), ORD) if known is None else known)
    return atoms


def _has_brace(node: LayoutNode) -> bool:
    """Whether a brace or the like is over or under a node, which TeX sets as an operator with limits."""
    return node.kind != "F" and any(
        row is not None and len(row) == 1 and row[0].label in BRACES for row in (node.over, node.under)
    )


def _bind(row: Row, atoms: list[int], fences: RowFences, runs: Container[int], follows_operand: bool) -> set[int]:
    """Makes signs ordinary that have no operand on either side; gives the positions of those before an operand."""
    prefixes: set[int] = set()
    before = ORD if follows_operand else OPEN
    for i, atom in enumerate(atoms):
        if i in runs or (i in fences.groups and i not in fences.sides):
            before = OPEN
        if atom == BIN and before in (BIN, OP, REL, OPEN, PUNCT):
            atoms[i] = atom = ORD
            prefixes.add(i)
        elif before == BIN and i and atom in (REL, CLOSE, PUNCT):
            atoms[i - 1] = ORD
        before = atom
    if atoms and before == BIN:
        atoms[-1] = ORD
    return prefixes


def _seen_from_outside(atoms: list[int], fences: RowFences, row: Row, hints: Hints) -> tuple[list[int], list[int]]:
    """The kinds of atoms as neighbours on the left and on the right meet them: what ``\\left`` and ``\\right`` enclose
    is one."""
    lefts, rights = list(atoms), list(atoms)
    for first, lasts in fences.groups.items():
        for last in lasts:
            if hints.command(row[first]) == "left" or hints.command(row[last]) == "right":
                lefts[first] = rights[last] = INNER
    return lefts, rights


def _modulus_gap(row: Row, i: int, gap: int, style: int, hints: Hints) -> int:
    """The space before a node where ``mod`` is near it."""
    node = row[i]
    if node.label == "mod" and gap:
        return _BEFORE_MOD[style] if hints.command(node) == "mod" else _AROUND_MOD
    if i and row[i - 1].label == "mod" and row[i - 1].kind == "O":
        is_wide = hints.command(row[i - 1]) == "mod" or (i > 1 and row[i - 2].label == "(")
        return _AFTER_MODULUS if is_wide else _AROUND_MOD if gap else 0
    if i and node.label == "(" and not node.space and hints.command(node) == "pmod":
        return _BEFORE_MODULUS[style]
    return gap


def _attributes(
    row: Row, i: int, spaces: list[int], is_prefix: bool, is_binary: bool, setting: RowSetting, hints: Hints
) -> str:
    """The attributes of an operator that differ from what MathML gives it at its place."""
    node = row[i]
    label = node.label
    fences = setting.fences
    form, is_explicit = "infix", False
    if len(row) > 1 and i not in setting.alone:
        if i == 0 or i in fences.groups or i in setting.runs:
            form = "prefix"
        elif i == len(row) - 1 or i in fences.ends or i in setting.run_ends:
            form = "postfix"
    kind = token_class(label)
    side = fences.sides.get(i, "")
    text = ""
    if kind == "bar" and side in (OPENS, CLOSES):
        form, is_explicit = "prefix" if side == OPENS else "postfix", True
        text = ' fence="true"'
    elif kind in ("open", "close") and hints.size(node)[0] and len(row) > 1:
        form, is_explicit = "prefix" if kind == "open" else "postfix", True
    elif is_prefix and label in PREFIXES and len(row) > i + 1:
        form, is_explicit = "prefix", True
    elif label == "!" and i:
        form, is_explicit = "postfix", True
    elif is_binary and label in PREFIXES and form != "infix":
        form, is_explicit = "infix", True
    if is_explicit:
        text = f' form="{form}"' + text
    before, after = default_spaces(label if label != "∥" or not side else "|", form, is_explicit)
    if spaces[0] != before:
        text += f' lspace="{_em(spaces[0])}"'
    if spaces[1] != after:
        text += f' rspace="{_em(spaces[1])}"'
    return text + _stretching(node, i, kind, fences, hints)


def _stretching(node: LayoutNode, i: int, kind: str, fences: RowFences, hints: Hints) -> str:
    """The attributes that say how high an operator is, and where its limits are."""
    if node.kind == "V" or kind == "big-operator":
        if hints.limits(node) == "limits" or _is_under(node):
            return ' movablelimits="false"'
        if node.kind == "V":
            return f' movablelimits="{"false" if hints.limit_mark(node)[0] else "true"}"'
        return ""
    if i in fences.stretched:
        return ' stretchy="true"'
    size = hints.size(node)[0]
    if size:
        symmetric = ' symmetric="true"' if node.label in _SLASHES else ""
        return f' stretchy="true"{symmetric} minsize="{size}" maxsize="{size}"'
    is_noted = (node.over is not None or node.under is not None) and not hints.command(node).startswith("x")
    is_fixed = kind in _FENCES or node.label in VERTICAL_ARROWS or (kind == "arrow" and is_noted)
    return ' stretchy="false"' if is_fixed else ""


def _is_under(node: LayoutNode) -> bool:
    """Whether what is below was written before the node, as by ``\\underset``."""
    return node.below is not None and bool(node.below) and node.below[0].start < node.start


def _em(space: int) -> str:
    return f"{space / 18:.4g}em" if space else "0"


def _invisible(character: str, space: int) -> str:
    """An invisible operator that makes a space."""
    rspace = f' rspace="{_em(space)}"' if space else ""
    return f"<mo{rspace}>{character}</mo>"


def _space(space: int) -> str:
    negative = f' class="back{-space}"' if space < 0 else ""
    return f'<mspace width="{_em(space)}"{negative}></mspace>'
