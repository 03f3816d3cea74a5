"""A layout tree as LaTeX in one normalised spelling."""

from __future__ import annotations

import re

from porism.formula.latex.macros import MACRO_TRIGGERS
from porism.formula.layout import child_rows, mark_order
from porism.formula.tables.commands import ACCENTS, BRACES, ENVIRONMENTS
from porism.formula.tables.lookup import SYMBOLS, plain_blackboard
from porism.formula.tree import LayoutNode, LayoutTree, Row

_Task = str | LayoutNode | tuple[Row]
_FONT_COMMANDS = {
    "bb": "mathbb", "bf": "mathbf", "cal": "mathcal", "frak": "mathfrak", "rm": "mathrm", "sf": "mathsf",
    "tt": "mathtt", "it": "mathit",
}
_STANDARD_NAMES = frozenset((
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "injlim", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "projlim", "sec", "sin",
    "sinh", "sup", "tan", "tanh",
))
"""Operator names that LaTeX has commands for."""
_TEXT_ESCAPES = {
    "{": "\\{", "}": "\\}", "$": "\\$", "%": "\\%", "#": "\\#", "&": "\\&", "_": "\\_",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "∖",
}
_PREFERRED = (
    "le", "ge", "ne", "to", "in", "ldots", "cdot", "times", "infty", "emptyset", "land", "lor", "neg", "iff",
    "implies", "mid", "setminus",
    "perp", "sim", "approx", "bmod", "subseteq", "langle", "rangle", "lfloor", "rfloor", "lceil", "rceil", "ni",
    "gets", "mapsto", "circ",
)


def _commands() -> dict[str, str]:
    table: dict[str, str] = {}
    for token, (label, _) in SYMBOLS.items():
        if token[0] == "\\" and len(token) > 1:
            table.setdefault(label, token)
    for name in _PREFERRED:
        table[SYMBOLS["\\" + name][0]] = "\\" + name
    table.update((label, label) for label in "+-*/=<>()[]|,.;:!?'\"@`")
    table.update({"′": "\\prime", "|": "|", "∥": "\\|", "≔": ":=", "{": "\\{", "}": "\\}"})
    return table


_COMMANDS = _commands()
_SPACES = {3: "\\,", 4: "\\:", 5: "\\;", 6: "\\ ", 9: "\\enspace", 18: "\\quad", 36: "\\qquad", -3: "\\!"}
"""Width in mu → the command that makes such a space."""
_COMMAND_AT_END = re.compile(r"\\[a-zA-Z]+\Z")
_ACCENT_COMMANDS: dict[tuple[str, str], str] = {}
for _name, _mark in ACCENTS.items():
    _ACCENT_COMMANDS.setdefault(_mark, "\\" + _name)
_ENVIRONMENT_OF = {
    fences: name for name, (kind, fences) in reversed(ENVIRONMENTS.items())
    if kind != "lines" and name in ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "cases")
}


def to_latex(tree: LayoutTree, *, spaces: bool = True) -> str:
    """The tree as LaTeX: one spelling for everything, arguments always in braces; parsing it gives an equal tree.

    Boxes, strokes and colours are left out: they say nothing, and this is the one spelling of what a formula says.
    Without ``spaces`` formulas that differ in nothing else are written alike.
    """
    parts: list[str] = []
    stack: list[_Task] = [(tree.row,)]
    while stack:
        task = stack.pop()
        if isinstance(task, str):
            _append(parts, task)
        elif isinstance(task, tuple):
            stack.extend(reversed(task[0]))
        else:
            stack.extend(reversed(_node(task)))
            if spaces and task.space:
                stack.append(_SPACES.get(task.space) or f"\\mspace{{{task.space}mu}}")
    return "".join(parts)


def _append(parts: list[str], piece: str) -> None:
    """Adds a piece, with a space or a thin space before it where the two would read as one token."""
    if parts and piece:
        last = parts[-1]
        first = piece[0]
        end = last[-1]
        if first.isalpha() and end.isalpha() and _COMMAND_AT_END.search(last) is not None:
            parts.append(" ")
        elif (end.isdigit() or end == ".") and (first.isdigit() or first == "."):
            parts.append("\\;")
        elif end == "." and piece == "\\qvar":
            # A wildcard right after a point would stand for the decimals of a number.
            parts.append("\\;")
        elif first == "[" and (end == "}" or end == " ") and last.startswith("\\"):
            # A bracket here would be read as an option.
            parts.append("{}")
        elif (end in ":<>-?" and (first in "=>" or end == "?")) or end in "'?&" or (end == "!" and first == "="):
            parts.append(" ")
    if piece:
        parts.append(piece)


def _node(node: LayoutNode) -> list[_Task]:
    tasks = _core(node)
    if node.kind != "F" and (node.over is not None or node.under is not None):
        tasks = _accented(node, tasks)
    if node.pre_below is not None or (node.pre_above is not None and node.kind != "R"):
        above, below = node.pre_above or [], node.pre_below or []
        if node.kind in "OG":
            tasks = ["\\prescript", "{", (above,), "}", "{", (below,), "}", "{", *tasks, "}"]
        else:
            before: list[_Task] = ["{}"]
            before += ("_", "{", (below,), "}") if below else ()
            before += ("^", "{", (above,), "}") if above else ()
            tasks = before + tasks
    if node.below is not None:
        tasks += ("_", "{", (node.below,), "}")
    if node.above is not None:
        tasks += ("^", "{", (node.above,), "}")
    return tasks


def _accented(node: LayoutNode, base: list[_Task]) -> list[_Task]:
    for slot in mark_order(node):
        command = "\\" + slot + "set"
        row = getattr(node, slot)
        if row is None:
            continue
        mark = row[0] if len(row) == 1 and row[0].kind == "O" else None
        name = _ACCENT_COMMANDS.get((slot, mark.label)) if mark is not None else None
        if mark is not None and name is not None and (not child_rows(mark) or mark.label in BRACES):
            base = [name, "{", *base, "}"]
            if mark.below is not None:
                base += ("_", "{", (mark.below,), "}")
            if mark.above is not None:
                base += ("^", "{", (mark.above,), "}")
        else:
            base = [command, "{", (row,), "}", "{", *base, "}"]
    return base


def _core(node: LayoutNode) -> list[_Task]:
    kind, label = node.kind, node.label
    if kind in "VNO":
        return [_symbol(node)]
    if kind == "T":
        return ["\\text", "{" + "".join(_TEXT_ESCAPES.get(char, char) for char in label) + "}"]
    if kind == "W":
        return ["\\qvar", "{" + "".join(_TEXT_ESCAPES.get(char, char) for char in label) + "}"]
    if kind == "E":
        # What comes after the name of a command of a package must not be read as its argument.
        return [label, "\\relax", " "] if label in MACRO_TRIGGERS else [label]
    if kind == "F":
        name = "\\binom" if label == "choose" else "\\frac"
        return [name, "{", (node.over or [],), "}", "{", (node.under or [],), "}"]
    if kind == "R":
        if node.pre_above is not None:
            return ["\\root", " ", "{", (node.pre_above,), "}", "\\of", "{", (node.within or [],), "}"]
        return ["\\sqrt", "{", (node.within or [],), "}"]
    if kind == "M":
        return _matrix(node)
    return ["{", (node.within or [],), "}"]


def _matrix(node: LayoutNode) -> list[_Task]:
    name = "gathered" if node.label == "lines" else _ENVIRONMENT_OF.get(node.label, "matrix")
    tasks: list[_Task] = ["\\begin{" + name + "}"]
    for number, line in enumerate(node.elements or []):
        if number:
            tasks.append("\\\\ ")
        for position, cell in enumerate(line):
            if position:
                tasks.append("& ")
            tasks.append((cell,))
    tasks.append("\\end{" + name + "}")
    if name == "matrix" and node.label:
        return [
            "\\left", _fence(node.label[0]), *tasks, "\\right", _fence(node.label[1]) if len(node.label) > 1 else ".",
        ]
    return tasks


def _fence(label: str) -> str:
    return _COMMANDS.get(label, label)


def _symbol(node: LayoutNode) -> str:
    label, font = node.label, node.font
    if font and label.endswith("\u0338") and len(label) > 1:
        return "\\not{" + _symbol(LayoutNode(label[:-1], node.kind, font=font)) + "}"
    if font == "bb":
        return "\\mathbb{" + plain_blackboard(label) + "}"
    if label.endswith("\u0338") and len(label) > 1:
        return "\\not" + (" " if label[0].isalpha() else "") + _COMMANDS.get(label[:-1], label[:-1])
    if len(label) > 1 and node.kind == "V":
        shown = label if font else "\\" + label if label in _STANDARD_NAMES else "\\operatorname{" + label + "}"
    else:
        shown = label if label.isascii() and label.isalnum() and len(label) == 1 else _COMMANDS.get(label, label)
    if not font:
        return shown
    if font == "bf" and not label.isascii():
        return "\\boldsymbol{" + shown + "}"
    return "\\" + _FONT_COMMANDS.get(font, "mathrm") + "{" + shown + "}"
