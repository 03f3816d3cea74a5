"""Characters of Unicode that are more than one symbol, and those that are named by their number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from porism.formula.breaks import is_break
from porism.formula.latex.arguments import build_root, root
from porism.formula.latex.machine import Machine
from porism.formula.latex.negation import STROKES, strike_through
from porism.formula.latex.symbols import primes
from porism.formula.layout import attach_limits
from porism.formula.tables.commands import ACCENT_SYNONYMS, COMBINING_BELOW
from porism.formula.tables.lookup import (
    PRIME_CHARACTERS,
    SCRIPT_CHARACTERS,
    SYMBOLS,
    VULGAR_FRACTIONS,
    canonical_number,
    character,
)
from porism.formula.tree import LayoutNode, Row

_COMBINING = {
    **{char: ("over", mark) for char, mark in ACCENT_SYNONYMS.items() if "\u0300" <= char <= "\u20ff"},
    **{char: ("under", mark) for char, mark in COMBINING_BELOW.items()},
}
_CODE = re.compile(r"(?:(?:0?[xX]|\"|U\+)([0-9a-fA-F]{1,6})|0o([0-7]{1,7})|([0-9]{1,7}))")
_CODE_TOKEN = re.compile(r"[0-9a-fA-F]+|\"")
NUMBERED = {"\\unicode": False, "\\symbol": False, "\\char": True, "\\Uchar": True}
"""Command for a character by its number → whether the number may stand without braces."""
_MAX_ROOT_TOKENS = 400
_MAX_NUMBER_TOKENS = 60
_OWN_ALPHABETS = frozenset({"boldsymbol", "bb"})
"""Fonts that letters outside of ASCII keep."""


def other_character(machine: Machine, token: str, i: int) -> None:
    """A character outside the tables: scripts, fractions and accents of Unicode, other letters and signs."""
    start, end = machine.starts[i], machine.ends[i]
    if token in SCRIPT_CHARACTERS:
        _scripts(machine, i)
    elif token in PRIME_CHARACTERS:
        primes(machine, PRIME_CHARACTERS[token], i)
    elif token in VULGAR_FRACTIONS:
        over, under = VULGAR_FRACTIONS[token]
        node = LayoutNode("/", "F", start, end)
        node.over, node.under = [LayoutNode(over, "N", start, end)], [LayoutNode(under, "N", start, end)]
        machine.add(node)
    elif token in _COMBINING or token in STROKES:
        _combine(machine, token, start, end)
    else:
        _letter(machine, token, start, end)


def _scripts(machine: Machine, i: int) -> None:
    """A run of small characters: one script, in which digits are one number."""
    start = machine.starts[i]
    slot, plain = SCRIPT_CHARACTERS[machine.texts[i]]
    node = machine.script_base(slot, i)
    content: Row = []
    while True:
        label, kind = SYMBOLS[plain]
        if kind == "N" and content and content[-1].kind == "N":
            content[-1].label += label
            content[-1].end = machine.ends[i]
        else:
            content.append(LayoutNode(label, kind, machine.starts[i], machine.ends[i]))
        following, plain = SCRIPT_CHARACTERS.get(machine.texts[i + 1], ("", ""))
        if following != slot:
            break
        machine.take()
        i += 1
    machine.attach(node, slot, content, start)


def _combine(machine: Machine, token: str, start: int, end: int) -> None:
    """A combining character: an accent of the symbol before it, or a stroke through it."""
    row = machine.row
    if machine.awaiting or len(row) == machine.base or is_break(row[-1]):
        machine.problem(start, "a combining character without a symbol before it")
    elif token not in STROKES:
        slot, mark = _COMBINING[token]
        attach_limits(row, len(row) - 1, slot, [LayoutNode(mark, "O", start, end)])
        row[-1].end = max(row[-1].end, end)
    elif strike_through(row[-1:]) is not None:
        row[-1].end = end
    else:
        machine.problem(start, "a stroke through something that is not a symbol")


def _letter(machine: Machine, token: str, start: int, end: int) -> None:
    entry = character(token)
    if entry is None:
        if unicodedata.category(token) == "Cc" and not token.isspace():
            machine.problem(start, f"control character {ord(token)}")
        return
    label, kind, font = entry
    if kind == "E":
        machine.problem(start, "a character that is not text")
        machine.add(LayoutNode(label, kind, start, end))
    elif font:
        machine.add(LayoutNode(label, kind, start, end, font))
    elif label == token and machine.font not in _OWN_ALPHABETS and (letter := accented_letter(token, start, end)):
        machine.add(letter)
    elif not "\ufe00" <= token <= "\ufe0f":  # which of two shapes a character has
        machine.add_symbol(label, kind, start, end)


def accented_letter(char: str, start: int, end: int) -> LayoutNode | None:
    """A letter with an accent as it is where both are written apart: ``ẋ`` is ``\\dot x``."""
    parts = unicodedata.normalize("NFD", char)
    if len(parts) != 2 or parts[0] not in SYMBOLS or parts[1] not in _COMBINING:
        return None
    label, kind = SYMBOLS[parts[0]]
    slot, mark = _COMBINING[parts[1]]
    row = [LayoutNode(label, kind, start, end)]
    attach_limits(row, 0, slot, [LayoutNode(mark, "O", start, end)])
    return row[0]


def root_sign(machine: Machine, payload: str, i: int) -> None:
    """``√`` before parentheses, a number or a symbol; ``payload`` is the index of ``∛`` and ``∜``."""
    start, end = machine.starts[i], machine.ends[i]
    index = [LayoutNode(payload, "N", start, end)] if payload else []
    last = machine.next_visible(i)
    token = machine.texts[last + 1]
    if token[:1].isdigit():
        machine.take()
        node = LayoutNode("√", "R", start, machine.ends[last + 1])
        node.within = [LayoutNode(canonical_number(token), "N", machine.starts[last + 1], node.end)]
        node.pre_above = index or None
        machine.add(node)
        return
    closing = _closing(machine, last + 1) if token == "(" else 0
    if closing:
        machine.texts[last + 1], machine.texts[closing] = "{", "}"
    if index:
        machine.command(last, 1, build_root, (index,))
    else:
        root(machine, None, last)


def _closing(machine: Machine, opening: int) -> int:
    """Where the parenthesis that opens there is closed in the same group, 0 if it is not near."""
    depth = braces = 0
    texts = machine.texts
    for i in range(opening, min(len(texts), opening + _MAX_ROOT_TOKENS)):
        token = texts[i]
        depth += (token == "(") - (token == ")")
        braces += (token == "{") - (token == "}")
        if braces < 0 or token == "&":
            return 0
        if not depth and not braces:
            return i
    return 0


def numbered_character(machine: Machine, plain: bool, i: int) -> None:
    """``\\unicode{x2260}``, ``\\char"2260``: a character by its number; ``plain`` are those without braces."""
    start = machine.starts[i]
    char, i = named_by_number(machine, i, plain=plain)
    known = SYMBOLS.get(char)
    if known is not None:
        machine.add_symbol(*known, start, machine.ends[i])
    elif char and not char.isspace():
        other_character(machine, char, i)


def named_by_number(machine: Machine, i: int, *, plain: bool) -> tuple[str, int]:
    """Consumes the number of a character after token ``i``: the character, empty if it is none, and the last token."""
    char, end = numbered(machine.texts, i + 1, plain=plain)
    if not char:
        machine.problem(machine.starts[i], "not the number of a character")
    for _ in range(end - i - 1):
        machine.take()
    return char, end - 1


def numbered(texts: Sequence[str], i: int, *, plain: bool) -> tuple[str, int]:
    """The character whose number begins at token ``i``, empty if it is none, and the index of the token after it."""
    while texts[i].isspace():
        i += 1
    if plain and texts[i] != "{":
        if texts[i] == "`" and texts[i + 1]:
            return texts[i + 1][-1], i + 2
        is_octal = texts[i] == "'"
        end = i = i + is_octal
        while _CODE_TOKEN.fullmatch(texts[end]):
            end += 1
        return _character_of("0o" * is_octal + "".join(texts[i:end])), end
    while texts[i] == "[" and "]" in texts[i : i + _MAX_NUMBER_TOKENS]:
        i = texts.index("]", i) + 1
    if texts[i] != "{" or "}" not in texts[i : i + _MAX_NUMBER_TOKENS]:
        return "", i
    end = texts.index("}", i)
    return _character_of("".join(texts[i + 1:end])), end + 1


def _character_of(written: str) -> str:
    """The character that has a number, empty where no character has it."""
    match = _CODE.fullmatch("".join(written.split()))
    if match is None:
        return ""
    code = int(match[1], 16) if match[1] else int(match[2], 8) if match[2] else int(match[3])
    return chr(code) if 32 <= code < 0x110000 else ""
