"""What each LaTeX command, bracket and sign does to the machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from porism.formula.latex_cells import begin, braced_environment, end_environment, next_cell, next_line
from porism.formula.latex_machine import ARGUMENT, CELLS, COMMAND, GROUP, LEFT, OPTION, ROOT, TEXT, Frame, Infix, Machine
from porism.formula.latex_macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex_text import drop, name, option, resume_text, text, wildcard
from porism.formula.layout import attach_limits, nucleus
from porism.formula.tables import (
    PRIME_CHARACTERS,
    SCRIPT_CHARACTERS,
    SYMBOLS,
    VULGAR_FRACTIONS,
    canonical_number,
    character,
    negated,
    token_class,
)
from porism.formula.tables_commands import (
    ACCENT_SYNONYMS,
    ACCENTS,
    ARROWS,
    BRACED_ENVIRONMENTS,
    DIMENSION_COMMANDS,
    DROPPED,
    FONT_SWITCHES,
    FONTS,
    FRACTIONS,
    INFIX,
    NAME_COMMANDS,
    TEXT_COMMANDS,
    TRANSPARENT,
)
from porism.formula.tree import LayoutNode

Handler = Callable[[Machine, Any, int], None]

_OPTION_END = "\\]option"
_FARTHEST_OPTION_END = 200
_UNITS = frozenset({"pt", "em", "ex", "mu", "cm", "mm", "in", "pc", "sp", "bp", "dd", "cc"})
_COMBINING = {char: mark for char, mark in ACCENT_SYNONYMS.items() if len(char) == 1 and "\u0300" <= char <= "\u20ff"}


def ignore(machine: Machine, payload: Any, i: int) -> None:
    """Spacing, size, style and the like."""


def unlisted(machine: Machine, token: str, i: int) -> None:
    """A token that no table lists: a number, an environment, a line break with a length, another character."""
    first = token[:1]
    if "0" <= first <= "9" or (first == "." and len(token) > 1):
        number(machine, token, i)
    elif first == "\\" and len(token) > 1:
        if token.startswith("\\begin"):
            begin(machine, token, i)
        elif token.startswith("\\end"):
            end_environment(machine, token, i)
        elif token.startswith("\\\\"):
            next_line(machine, None, i)
        elif not token[1:].isspace():
            machine.problem(machine.starts[i], f"unknown command {token}")
            label = token if token.isascii() and token.isprintable() else "\ufffd"
            machine.add(LayoutNode(label, "E", machine.starts[i], machine.ends[i]))
    elif first == "?" and len(token) > 1:
        machine.add(LayoutNode(token[1:], "W", machine.starts[i], machine.ends[i]))
    elif first == "'":
        primes(machine, len(token), i)
    elif first == "_" or first == "^":
        script_token(machine, token, i)
    elif token and not token.isspace():
        other_character(machine, token, i)


def number(machine: Machine, token: str, i: int) -> None:
    """A number of several digits; a command that waits takes one digit only (``\\frac12``)."""
    start, end = machine.starts[i], machine.ends[i]
    while machine.awaiting and len(token) > 1:
        if token[0] == ".":
            machine.add(LayoutNode(".", "O", start, min(start + 1, end)))
            skipped = 1
        elif token.startswith("{,}"):
            machine.add(LayoutNode(",", "O", start, min(start + 3, end)))
            skipped = 3
        elif token.startswith("\\,"):
            skipped = 2
        else:
            machine.add_symbol(token[0], "N", start, min(start + 1, end))
            skipped = 1
        rest = token[skipped:].lstrip()
        start = min(start + len(token) - len(rest), end)
        token = rest
    if token.startswith("{,}"):
        machine.add(LayoutNode(",", "O", start, min(start + 3, end)))
        token = token[3:]
        start = min(start + 3, end)
    if token == ".":
        machine.add(LayoutNode(".", "O", start, end))
    elif token:
        machine.add_symbol(canonical_number(token), "N", start, end)


def other_character(machine: Machine, token: str, i: int) -> None:
    """A character outside the tables: scripts, fractions and accents of Unicode, other letters and signs."""
    start, end = machine.starts[i], machine.ends[i]
    if token in SCRIPT_CHARACTERS:
        slot, plain = SCRIPT_CHARACTERS[token]
        label, kind = SYMBOLS[plain]
        machine.attach(machine.script_base(slot, i), slot, [LayoutNode(label, kind, start, end)], -1)
        return
    if token in PRIME_CHARACTERS:
        primes(machine, PRIME_CHARACTERS[token], i)
        return
    if token in VULGAR_FRACTIONS:
        over, under = VULGAR_FRACTIONS[token]
        node = LayoutNode("/", "F", start, end)
        node.over, node.under = [LayoutNode(over, "N", start, end)], [LayoutNode(under, "N", start, end)]
        machine.add(node)
        return
    if token in _COMBINING:
        if not machine.awaiting and len(machine.row) > machine.base:
            node = nucleus(machine.row, len(machine.row) - 1, "over")
            node.over = [LayoutNode(_COMBINING[token], "O", start, end)]
        return
    found = character(token)
    if found is None:
        if not token.isspace() and ord(token) < 32:
            machine.problem(start, f"control character {ord(token)}")
        return
    label, kind, font = found
    if kind == "E":
        machine.problem(start, "a character that is not text")
        machine.add(LayoutNode(label, kind, start, end))
    elif font:
        machine.add(LayoutNode(label, kind, start, end, font))
    else:
        machine.add_symbol(label, kind, start, end)


# -- groups ------------------------------------------------------------------------------------------------------------


def open_group(machine: Machine, payload: Any, i: int) -> None:
    """``{``: an argument where a command waits, else a group that writes on into the row."""
    if machine.awaiting:
        machine.open_argument()
    elif machine.has_room(i):
        machine.braces += 1
        machine.push(GROUP, i)
        machine.base = len(machine.row)
    else:
        machine.overflow += 1


def close_group(machine: Machine, payload: Any, i: int) -> None:
    """``}``: ends the innermost group and what was left open in it; a stray one is a leaf."""
    if machine.overflow:
        machine.overflow -= 1
        return
    if machine.stack and not machine.awaiting and machine.infix is None:
        frame = machine.stack[-1]
        if frame.kind == ARGUMENT:
            machine.close_argument(frame, i)
            return
        if frame.kind == GROUP:
            machine.close(i)
            return
    if not machine.braces:
        machine.problem(machine.starts[i], "} without {")
        machine.add(LayoutNode("}", "O", machine.starts[i], machine.ends[i]))
        return
    if machine.awaiting:
        machine.missing(i)
    wanted = machine.braces - 1
    while machine.braces > wanted:
        if machine.awaiting:
            machine.missing(i)
            continue
        frame = machine.stack[-1]
        closes = frame.kind in (GROUP, ARGUMENT) or (frame.kind == CELLS and frame.closer == "}")
        machine.close(i, "" if closes else "this is not closed inside its group")


def left(machine: Machine, payload: Any, i: int) -> None:
    """``\\left`` with its fence (none for a dot)."""
    if machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    i, label, rest = _fence(machine, i)
    if machine.has_room(i):
        row = machine.row
        machine.push(LEFT, i).start = start
        if label:
            row.append(LayoutNode(label, "O", start, machine.ends[i]))
        machine.base = len(row)
    elif label:
        machine.row.append(LayoutNode(label, "O", start, machine.ends[i]))
    _rest_of_fence(machine, rest, i)


def right(machine: Machine, payload: Any, i: int) -> None:
    """``\\right`` or ``\\middle`` with its fence."""
    if machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    i, label, rest = _fence(machine, i)
    if payload:
        if machine.stack and machine.stack[-1].kind == LEFT:
            machine.close(i)
        else:
            machine.problem(start, "\\right without \\left")
    if label:
        machine.row.append(LayoutNode(label, "O", start, machine.ends[i]))
    machine.group_row = None
    _rest_of_fence(machine, rest, i)


def _fence(machine: Machine, i: int) -> tuple[int, str, str]:
    """Reads the fence after token ``i``: the token it ends at, its label, and what else was in that token."""
    i = machine.next_visible(i)
    token = machine.texts[i + 1]
    if token[:1] == ".":
        machine.take()
        return i + 1, "", token[1:]
    if token[:1] in ("<", ">"):
        machine.take()
        return i + 1, "⟨" if token[0] == "<" else "⟩", token[1:]
    label = SYMBOLS.get(token, ("", ""))[0]
    if label and (token_class(label) in {"open", "close", "bar", "arrow", "division", "set-operator"} or label == "∣"):
        machine.take()
        return i + 1, "|" if label == "∣" else label, ""
    machine.problem(machine.ends[i], "a fence is missing")
    return i, "", ""


def _rest_of_fence(machine: Machine, rest: str, i: int) -> None:
    if rest:
        end = machine.ends[i]
        if rest.isdigit():
            machine.add_symbol(rest, "N", end - len(rest), end)
        else:
            for sign in rest:
                machine.add(LayoutNode(sign, "O", machine.starts[i], end))


def big(machine: Machine, payload: Any, i: int) -> None:
    """``\\big`` and its kin: the size goes, the fence stays; ``<`` and ``>`` are angle brackets after them."""
    if machine.texts[i + 1] in ("<", ">", "."):
        machine.take()
        token = machine.texts[i + 1]
        if token != ".":
            label = "⟨" if token == "<" else "⟩"
            machine.add(LayoutNode(label, "O", machine.starts[i], machine.ends[i + 1]))


def dollar(machine: Machine, payload: Any, i: int) -> None:
    """``$``: back to the text that it stands in, else a delimiter of the formula that is dropped."""
    for frame in reversed(machine.stack):
        if frame.kind == TEXT:
            while machine.awaiting or machine.stack[-1] is not frame:
                machine.close(i)
            machine.close(i)
            resume_text(machine, frame, i)
            return
        if frame.kind not in (LEFT, GROUP, COMMAND):
            break
    if i > 1 and "".join(machine.texts[i + 1:i + 4]).strip("$ \n"):
        machine.problem(machine.starts[i], "a stray $")


def stray(machine: Machine, payload: Any, i: int) -> None:
    """A sign that means something to TeX only in other places: it stands for itself."""
    machine.problem(machine.starts[i], f"a stray {payload}")
    machine.add(LayoutNode(payload, "O", machine.starts[i], machine.ends[i]))


def last_backslash(machine: Machine, payload: Any, i: int) -> None:
    """A backslash at the end: a space was cut off after it."""
    machine.problem(machine.starts[i], "a backslash at the end")


def quote(machine: Machine, payload: Any, i: int) -> None:
    """An apostrophe that was written as an entity."""
    primes(machine, 1, i)


def prime(machine: Machine, payload: Any, i: int) -> None:
    """``\\prime``: a symbol where a script is read, else a script of the symbol before it."""
    row = machine.row
    if machine.awaiting or len(row) == machine.base or row[-1].label == "′":
        # In a script of its own it stays; what else is read here may be joined with what stands before it.
        if not machine.stack or machine.stack[-1].kind not in (COMMAND, ARGUMENT) or machine.stack[-1].wanted > 1:
            machine.unsettled = True
        elif machine.stack[-1].build is not _build_script:
            machine.unsettled = True
        machine.add(LayoutNode("′", "O", machine.starts[i], machine.ends[i]))
    else:
        primes(machine, 1, i)


def cell_or_stray(machine: Machine, payload: Any, i: int) -> None:
    """``&``: the next cell of a matrix, else it stands for itself."""
    if not next_cell(machine, i):
        stray(machine, "&", i)


# -- scripts -----------------------------------------------------------------------------------------------------------


def script(machine: Machine, slot: str, i: int) -> None:
    """``^`` or ``_``."""
    node = machine.script_base(slot, i)
    known = SYMBOLS.get(machine.texts[i + 1])
    if known is not None and not machine.font:
        machine.take()
        label, kind = known
        i += 1
        machine.attach(node, slot, [LayoutNode(label, kind, machine.starts[i], machine.ends[i])], machine.starts[i])
    else:
        machine.command(i, 1, _build_script, (node, slot))


def _build_script(machine: Machine, frame: Frame, end: int) -> None:
    node, slot = frame.payload
    machine.attach(node, slot, frame.arguments[0], frame.start)


def script_token(machine: Machine, token: str, i: int) -> None:
    """A script of one letter or digit in braces, which is one token: ``^{2}``."""
    slot = "above" if token[0] == "^" else "below"
    node = machine.script_base(slot, i)
    position, end = machine.starts[i], machine.ends[i]
    # Inside what a macro made all spans are that of its call.
    start, end = (position + 2, position + 3) if end - position == 4 else (position, end)
    label, kind = SYMBOLS[token[2]]
    if machine.font:
        outer, base = machine.row, machine.base
        machine.row, machine.base = [], 0
        machine.add_styled(label, kind, start, end)
        machine.row, content = outer, machine.row
        machine.base = base
    else:
        content = [LayoutNode(label, kind, start, end)]
    machine.attach(node, slot, content, position)


def primes(machine: Machine, count: int, i: int) -> None:
    """A run of primes: one script, as ``^{\\prime\\prime}`` is."""
    start, end = machine.starts[i], machine.ends[i]
    nodes = [
        LayoutNode("′", "O", min(start + k, end), min(start + k + 1, end)) for k in range(count)
    ]
    if machine.awaiting:
        machine.unsettled = True
        machine.row.extend(nodes)
        machine.deliver(end)
        return
    machine.attach(machine.script_base("above", i), "above", nodes, start)


# -- commands with arguments -------------------------------------------------------------------------------------------


def fraction(machine: Machine, payload: tuple[str, str, str], i: int) -> None:
    """``\\frac``, ``\\binom`` and their variants."""
    machine.command(i, 2, _build_fraction, payload)


def _build_fraction(machine: Machine, frame: Frame, end: int) -> None:
    label, opening, closing = frame.payload
    node = LayoutNode(str(label), "F", frame.start, end)
    node.over, node.under = frame.arguments
    if opening:
        machine.row.append(LayoutNode(str(opening), "O", frame.start, frame.start))
    machine.row.append(node)
    if closing:
        machine.row.append(LayoutNode(str(closing), "O", end, end))


def infix(machine: Machine, payload: tuple[str, str, str], i: int) -> None:
    """``\\over``, ``\\choose``, ``\\atop``: all of the group before it over all after it."""
    if machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    if machine.infix is not None:
        machine.problem(start, "a second \\over in one group")
        machine.row.append(LayoutNode("/", "O", start, machine.ends[i]))
        return
    numerator = machine.row[machine.base:]
    del machine.row[machine.base:]
    label, opening, closing = payload
    machine.infix = Infix(label, (opening, closing), numerator, numerator[0].start if numerator else start)


def root(machine: Machine, payload: Any, i: int) -> None:
    """``\\sqrt`` with an optional index in brackets."""
    start = i
    i = machine.next_visible(i)
    machine.command(start, 1, _build_root)
    _open_option(machine, i)


def _open_option(machine: Machine, i: int) -> None:
    """Opens an optional argument where the next token is a bracket that is closed soon."""
    if machine.texts[i + 1] == "[" and machine.awaiting and machine.has_room(i):
        end = _option_end(machine, i + 1)
        if end:
            machine.take()
            machine.texts[end] = _OPTION_END
            machine.open_row(OPTION, i + 1)


def _option_end(machine: Machine, i: int) -> int:
    """The index of the ``]`` that closes the option opened by token ``i``, 0 if it is not near."""
    depth = 0
    texts = machine.texts
    for j in range(i + 1, min(len(texts), i + _FARTHEST_OPTION_END)):
        token = texts[j]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth < 0:
                return 0
        elif token == "]" and depth == 0:
            return j
    return 0


def option_end(machine: Machine, payload: Any, i: int) -> None:
    """The ``]`` of an optional argument."""
    while machine.awaiting:
        if any(frame.kind == OPTION for frame in machine.stack):
            machine.missing(i)
        else:
            break
    for depth in range(len(machine.stack) - 1, -1, -1):
        if machine.stack[depth].kind == OPTION:
            while len(machine.stack) > depth:
                if machine.awaiting:
                    machine.missing(i)
                else:
                    machine.close(i)
            return
    machine.add(LayoutNode("]", "O", machine.starts[i], machine.ends[i]))


def _build_root(machine: Machine, frame: Frame, end: int) -> None:
    node = LayoutNode("√", "R", frame.start, end)
    node.within = frame.arguments[0]
    if frame.payload:
        node.pre_above = frame.payload[0] or None
    machine.row.append(node)


def plain_root(machine: Machine, payload: Any, i: int) -> None:
    """``\\root n \\of x``."""
    if machine.has_room(i):
        machine.open_row(ROOT, i)


def of(machine: Machine, payload: Any, i: int) -> None:
    """The ``\\of`` of ``\\root``."""
    if machine.awaiting:
        machine.missing(i)
    if machine.stack and machine.stack[-1].kind == ROOT:
        machine.finish_infix(machine.starts[i])
        index = machine.row
        frame = machine.restore()
        machine.command(i, 1, _build_root, (index,))
        machine.stack[-1].start = frame.start
    else:
        machine.problem(machine.starts[i], "\\of without \\root")


def accent(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """An accent, a line or a brace over or under its argument."""
    machine.command(i, 1, _build_accent, payload)


def _build_accent(machine: Machine, frame: Frame, end: int) -> None:
    slot, mark = frame.payload
    content = frame.arguments[0]
    base = len(machine.row)
    machine.row.extend(content)
    attach_limits(machine.row, base, slot, [LayoutNode(mark, "O", frame.start, frame.start + 1)])
    if len(machine.row) == base + 1 and machine.row[base].kind == "G":
        machine.row[base].start, machine.row[base].end = frame.start, end


def stack_over(machine: Machine, payload: str, i: int) -> None:
    """``\\overset``, ``\\stackrel`` and ``\\underset``: the first argument over or under the second."""
    machine.command(i, 2, _build_stack, (payload,))


def _build_stack(machine: Machine, frame: Frame, end: int) -> None:
    note, content = frame.arguments
    base = len(machine.row)
    machine.row.extend(content)
    if note:
        attach_limits(machine.row, base, str(frame.payload[0]), note)
        if len(machine.row) == base + 1 and machine.row[base].kind == "G":
            machine.row[base].start, machine.row[base].end = frame.start, end


def arrow(machine: Machine, payload: str, i: int) -> None:
    """``\\xrightarrow[below]{above}`` and its kin."""
    start = i
    i = machine.next_visible(i)
    machine.command(start, 1, _build_arrow, (payload,))
    _open_option(machine, i)


def _build_arrow(machine: Machine, frame: Frame, end: int) -> None:
    node = LayoutNode(frame.payload[0], "O", frame.start, end)
    base = len(machine.row)
    machine.row.append(node)
    if frame.arguments[0]:
        attach_limits(machine.row, base, "over", frame.arguments[0])
    if len(frame.payload) > 1 and frame.payload[1]:
        attach_limits(machine.row, base, "under", frame.payload[1])


# -- fonts, names, negation --------------------------------------------------------------------------------------------


def font(machine: Machine, payload: str, i: int) -> None:
    """``\\mathbf{…}``: a group in a font, or one symbol."""
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "{":
        machine.take()
        open_group(machine, None, i + 1)
        machine.font = payload
    elif machine.has_room(i):
        machine.command(i, 1, _build_styled)
        machine.font = payload


def _build_styled(machine: Machine, frame: Frame, end: int) -> None:
    machine.row.extend(frame.arguments[0])


def font_switch(machine: Machine, payload: str, i: int) -> None:
    """``\\rm``: the font of the rest of the group."""
    machine.font = payload


def negation(machine: Machine, payload: Any, i: int) -> None:
    """``\\not`` strikes through the symbol after it."""
    start = machine.starts[i]
    i = machine.next_visible(i)
    known = SYMBOLS.get(machine.texts[i + 1])
    if known is None:
        machine.problem(start, "\\not before something that is no symbol")
        return
    machine.take()
    label, kind = known
    if len(label) > 1 or kind == "N":
        machine.problem(start, "\\not before something that is no symbol")
    else:
        label = negated(label)
    machine.add(LayoutNode(label, kind, start, machine.ends[i + 1]))


def dimension(machine: Machine, payload: Any, i: int) -> None:
    """``\\kern 2pt`` and the like: the length goes with the command."""
    i = machine.next_visible(i)
    texts = machine.texts
    while texts[i + 1] in ("-", "+", "."):
        machine.take()
        i += 1
    if re.fullmatch(r"[0-9.]+", texts[i + 1]):
        machine.take()
        i = machine.next_visible(i + 1)
    if texts[i + 1] + texts[min(i + 2, len(texts) - 1)] in _UNITS:
        machine.take()
        machine.take()


def _handlers() -> dict[str, tuple[Handler, Any]]:
    table: dict[str, tuple[Handler, Any]] = {
        "{": (open_group, None), "}": (close_group, None), "^": (script, "above"), "_": (script, "below"),
        "&": (cell_or_stray, None), "\\\\": (next_line, None), "\\cr": (next_line, None), "\\tabularnewline": (next_line, None),
        "\\left": (left, None), "\\right": (right, True), "\\middle": (right, False), "$": (dollar, None), "#": (stray, "#"),
        "\\": (last_backslash, None), "&lt;": (alias, "<"), "&gt;": (alias, ">"), "&amp;": (cell_or_stray, None),
        "&quot;": (alias, '"'), "&nbsp;": (ignore, None), "&#39;": (quote, None), "\\prime": (prime, None),
        "′": (prime, None), "%": (ignore, None), "~": (ignore, None), " ": (ignore, None), "": (ignore, None),
        "\\sqrt": (root, None), "√": (root, None), "\\surd": (root, None), "\\root": (plain_root, None), "\\of": (of, None),
        "\\overset": (stack_over, "over"), "\\stackrel": (stack_over, "over"), "\\underset": (stack_over, "under"),
        "\\not": (negation, None), "\\qvar": (wildcard, None), _OPTION_END: (option_end, None),
        "...": (dots, None), "<=": (alias, "≤"), ">=": (alias, "≥"), "->": (alias, "→"),
    }
    for sign in "^_":
        for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789":
            table[f"{sign}{{{letter}}}"] = (script_token, f"{sign}{{{letter}}}")
    for token in (",", ";", ":", "!", ">", " ", "/", "-", "(", ")", "[", "]", "@", "*", '"', "\n", "\t", "<", "+"):
        table["\\" + token] = (ignore, None)
    groups: list[tuple[Handler, dict[str, Any]]] = [
        (fraction, {key: value for key, value in FRACTIONS.items() if key not in INFIX}), (infix, dict(INFIX)),
        (accent, dict(ACCENTS)), (font, dict(FONTS)), (font_switch, dict(FONT_SWITCHES)), (arrow, dict(ARROWS)),
        (drop, dict(DROPPED)), (braced_environment, dict(BRACED_ENVIRONMENTS)),
        (text, dict.fromkeys(TEXT_COMMANDS)), (name, dict.fromkeys(NAME_COMMANDS)),
        (dimension, dict.fromkeys(DIMENSION_COMMANDS)), (ignore, dict.fromkeys(TRANSPARENT)),
        (big, dict.fromkeys(key for key in TRANSPARENT if key.lower().startswith("big"))),
    ]
    for function, names in groups:
        for key, value in names.items():
            table["\\" + key] = (function, value)
    table["\\bbox"] = (option, None)
    for command in MACRO_TRIGGERS:
        table[command] = (macro, None)
    return table


def macro(machine: Machine, payload: Any, i: int) -> None:
    """A macro or a definition: unless it is left over from expansion, the parse starts anew with macros expanded.

    :raises MacroFound: always the first time.
    """
    if not machine.expanded:
        raise MacroFound
    machine.problem(machine.starts[i], f"{machine.texts[i]} is not expanded")


def dots(machine: Machine, payload: Any, i: int) -> None:
    """Three full stops."""
    machine.add(LayoutNode("…", "O", machine.starts[i], machine.ends[i]))


def alias(machine: Machine, payload: str, i: int) -> None:
    """A relation typed with two characters."""
    machine.add(LayoutNode(payload, "O", machine.starts[i], machine.ends[i]))


HANDLERS: dict[str, tuple[Handler, Any]] = _handlers()
"""Token → function and the value that it is called with."""
