"""A layout tree as one line of plain Unicode text, for terminals."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import groupby, pairwise

from porism.formula.layout import child_rows
from porism.formula.tables.alphabets import styled
from porism.formula.tables.lookup import RELATION_CLASSES, token_class
from porism.formula.tables.spaces import QUAD
from porism.formula.tree import LayoutNode, LayoutTree, Row
from porism.formula.writers.grouping import (
    has_scripts,
    is_derivation,
    is_inline_fraction,
    is_one_thing,
    needs_parentheses,
)
from porism.formula.writers.mathml import preorder

_SUPERSCRIPTS = dict(zip("0123456789+-=()niabcdefghjklmoprstuvwxyzTVWABDEGHIJKLMNOPRU",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀⱽᵂᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵁ", strict=True))
_SUPERSCRIPTS |= {"′": "′", "∘": "°", "β": "ᵝ", "γ": "ᵞ", "θ": "ᶿ", "ϕ": "ᵠ", "φ": "ᵠ", "χ": "ᵡ"}
_SUBSCRIPTS = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_SUBSCRIPTS |= {"β": "ᵦ", "γ": "ᵧ", "ρ": "ᵨ", "ϕ": "ᵩ", "φ": "ᵩ", "χ": "ᵪ"}
_ACCENTS = {
    "^": "\u0302", "~": "\u0303", "¯": "\u0304", "→": "\u20d7", "←": "\u20d6", "˙": "\u0307", "¨": "\u0308",
    "ˇ": "\u030c",
    "˘": "\u0306", "´": "\u0301", "`": "\u0300", "˚": "\u030a",
}
_SPACED = RELATION_CLASSES | {"set-operator"}
_WORDS = frozenset({"function", "trigonometric", "logarithm", "limit"})
_TIGHT = frozenset({"separator", "close", "bar", "additive", "multiplicative", "division", "prime"})
_DIGITS = frozenset({"zero", "one", "number", "decimal"})
_MARK_NAMES = {
    ("over", "^"): "hat", ("over", "~"): "tilde", ("over", "¯"): "overline", ("under", "¯"): "underline",
    ("over", "→"): "vec",
    ("over", "⏞"): "overbrace", ("under", "⏟"): "underbrace",
}
_SHIFT = 0xF0000
"""A marked character is written as the one so much further on, in a plane for private use, until all is joined."""


def _shifted(text: str) -> str:
    return "".join(chr(ord(char) + _SHIFT) if ord(char) < 0x20000 and char != " " else char for char in _unmarked(text))


def _unshifted(text: str) -> str:
    return "".join(chr(ord(char) - _SHIFT) if ord(char) >= _SHIFT else char for char in text)


def _unmarked(text: str) -> str:
    return "".join(char if ord(char) < _SHIFT else "\ufffd" for char in text)


_FIRST_SHIFTED = chr(_SHIFT)
_OPENING, _CLOSING = ("(", _shifted("(")), (")", _shifted(")"))
_SUPERSCRIPTS |= {_shifted(char): _shifted(written) for char, written in _SUPERSCRIPTS.items()}
_SUBSCRIPTS |= {_shifted(char): _shifted(written) for char, written in _SUBSCRIPTS.items()}
_ACCENTS |= {_shifted(char): written for char, written in _ACCENTS.items()}
_ROOTS = {"": "√", "3": "∛", "4": "∜", _shifted("3"): "∛", _shifted("4"): "∜"}


def to_unicode(tree: LayoutTree) -> str:
    """The tree as readable text: ``x²``, ``∑ₖ₌₁ⁿ k``, ``(a+b)/c``, ``√(x+1)``, ``[1 2; 3 4]``."""
    return _text(tree, frozenset())


def to_marked_unicode(tree: LayoutTree, marked: Collection[int]) -> list[tuple[str, bool]]:
    """The text of :func:`to_unicode` in pieces, each with whether its symbols are among the marked ones.

    ``marked`` are numbers of nodes in :func:`~porism.formula.writers.mathml.preorder`. Parentheses that only this way
    of writing adds are marked where all that they hold is, and spaces where both sides are.
    """
    if not marked:
        text = to_unicode(tree)
        return [(text, False)] if text else []
    nodes = preorder(tree)
    text = _text(tree, frozenset(id(nodes[number]) for number in marked))
    pieces: list[tuple[str, bool]] = []
    for is_marked, chars in groupby(text, lambda char: char >= _FIRST_SHIFTED):
        piece = _unshifted("".join(chars))
        if len(pieces) > 1 and pieces[-1][0].isspace():  # a space between two marked pieces
            space, _ = pieces.pop()
            pieces[-1] = (pieces[-1][0] + space + piece, True)
        else:
            pieces.append((piece, is_marked))
    return pieces


def _text(tree: LayoutTree, marked: frozenset[int]) -> str:
    texts: dict[int, str] = {}
    stack: list[tuple[Row, bool]] = [(tree.row, False)]
    while stack:
        row, ready = stack.pop()
        if ready:
            texts[id(row)] = _row_text(row, texts, marked)
            continue
        stack.append((row, True))
        for node in row:
            stack.extend((child, False) for child in child_rows(node))
    return texts[id(tree.row)]


def _row_text(row: Row, texts: dict[int, str], marked: frozenset[int]) -> str:
    parts: list[str] = []
    previous = ""
    in_integral = within_bars = after_derivation = is_open = False
    for number, node in enumerate(row):
        shown = _node_text(node, texts, marked)
        kind = token_class(node.label, node.kind)
        if (
            is_inline_fraction(node) and not has_scripts(node)
            and needs_parentheses(row, number, in_integral, within_bars)
        ):
            shown, kind = _bracketed(shown), "open"  # spaced as any parenthesis
        # A differential would swallow the variable before it, and d/dx what follows it.
        apart = (after_derivation or (in_integral and node.label == "d")) and kind not in _TIGHT
        apart = apart or (is_open and _begins_symbol(shown)) or _begins_script(shown)
        is_open = _is_open(node, shown)
        apart = apart or (is_open and kind == "multiplicative")  # M ⊗_A N
        if parts and (_needs_space(previous, kind, parts[-1], shown, parts) or apart) and parts[-1] != " ":
            parts.append(" ")
        if parts and node.space >= QUAD:
            parts.append(" " if parts[-1] == " " else "  ")
        parts.append(shown)
        previous = "close" if kind == "open" and node.kind == "F" else kind
        after_derivation = is_derivation(node)
        in_integral = in_integral or kind == "integral"
        within_bars ^= kind == "bar"
    return "".join(parts).strip()


def _is_open(node: LayoutNode, shown: str) -> bool:
    """Whether the text of a node would run into a symbol after it: ``x_A``, ``√x``, ``?x``."""
    text = _unshifted(shown[-2:])
    return node.kind == "W" or text[:1] in ("_", "^", "√", "∛", "∜") or text == "^*"


def _begins_symbol(shown: str) -> bool:
    first = _unshifted(shown[:1])
    return first.isalnum() or first in _ROOTS.values() or first == "?"


def _begins_script(shown: str) -> bool:
    return _unshifted(shown[:1]) in ("_", "^")


def _needs_space(previous: str, kind: str, before: str, shown: str, parts: list[str]) -> bool:
    if "text" in (previous, kind) or previous in _SPACED or kind in _SPACED or previous == "separator":
        return kind not in ("separator", "close")
    if kind == "additive" or (kind == "division" and len(shown) > 1):
        return previous not in ("open", "additive")
    if previous == "additive":
        # As much space after a sign as before it: none after a leading minus.
        return len(parts) > 2 and parts[-2] == " "
    if previous == "division":
        return len(before) > 1
    if previous in _WORDS:
        return kind not in ("open", "close", "separator")
    if previous in ("big-operator", "integral"):
        return True
    if kind in _WORDS or kind in ("big-operator", "integral"):
        return previous not in ("open", "bar")
    return previous in _DIGITS and kind in _DIGITS


def _node_text(node: LayoutNode, texts: dict[int, str], marked: frozenset[int]) -> str:
    text = _core_text(node, texts, _shifted if id(node) in marked else _unmarked if marked else str)
    if node.kind != "F":
        for side, row in (("under", node.under), ("over", node.over)):
            if row is not None:
                text = _marked(text, side, row, texts)
    if has_scripts(node) and (node.kind == "R" or is_inline_fraction(node)):
        text = _bracketed(text)
    below = _script(texts[id(node.below)], _SUBSCRIPTS, "_") if node.below is not None else ""
    above = _script(texts[id(node.above)], _SUPERSCRIPTS, "^") if node.above is not None else ""
    # A script written with a sign comes last: 𝔪ⁿ_A, since 𝔪_Aⁿ could be the power of A.
    text += above + below if below and above and _unshifted(below[:1]) == "_" else below + above
    if node.pre_below is not None:
        text = _script(texts[id(node.pre_below)], _SUBSCRIPTS, "_", always=True) + text
    if node.pre_above is not None and node.kind != "R":
        text = _script(texts[id(node.pre_above)], _SUPERSCRIPTS, "^", always=True) + text
    return text


def _marked(text: str, side: str, row: Row, texts: dict[int, str]) -> str:
    """A symbol with what is right over or under it."""
    note = texts[id(row)]
    if len(text) == 1 and side == "over" and note in _ACCENTS:
        return text + _like(text, _ACCENTS[note])
    name = _MARK_NAMES.get((side, row[0].label)) if len(row) == 1 else None
    if name is not None:
        inside = text[1:-1] if text[:1] in _OPENING and text[-1:] in _CLOSING else text
        return _like(note, f"{name}(") + inside + _like(note, ")") + note[1:]
    return text + _script(note, _SUPERSCRIPTS if side == "over" else _SUBSCRIPTS, "^" if side == "over" else "_")


def _script(text: str, characters: dict[str, str], sign: str, always: bool = False) -> str:
    """A script, small where Unicode has all its characters, else after a sign and in parentheses, a single character
    only where ``always`` says so."""
    compact = text.replace(" ", "")
    if compact and all(char in characters for char in compact) and not _has_words(text):
        return "".join(characters[char] for char in compact)
    return _like(text, sign) + (text if len(text) == 1 and not always else _bracketed(text))


def _has_words(text: str) -> bool:
    """Whether a blank parts letters or digits, which without it would be other ones: ``sin x``."""
    parts = _unshifted(text).split(" ")
    return any(first[-1:].isalnum() and second[:1].isalnum() for first, second in pairwise(parts))


def _core_text(node: LayoutNode, texts: dict[int, str], own: Callable[[str], str]) -> str:
    """The text of a node without its scripts; ``own`` marks, or not, what the node itself adds."""
    kind, label = node.kind, node.label
    if kind in "VN":
        return own(label if node.font in ("", "bb") else styled(label, node.font))
    if kind == "F":
        over, under = texts.get(id(node.over), ""), texts.get(id(node.under), "")
        if label == "choose":
            return own("C") + _bracketed(f"{over}{own(',')} {under}")
        return f"{_closed(over, node.over)}{own('/')}{_closed(under, node.under)}"
    if kind == "R":
        within = texts.get(id(node.within), "")
        index = texts.get(id(node.pre_above), "") if node.pre_above is not None else ""
        sign = _ROOTS.get(index)
        root = own(sign) if sign is not None else _script(index, _SUPERSCRIPTS, "^") + own("√")
        return root + (_bracketed(within) if len(within) != 1 else within)
    if kind == "M":
        comma, semicolon = own(",") + " ", own(";") + " "
        lines = semicolon.join(comma.join(texts[id(cell)] for cell in line) for line in node.elements or [])
        if label == "lines":
            return lines
        before, after = ("{", "}") if label == "{" else (label[:1] or "[", label[1:] or "]")
        return own(before) + lines + own(after)
    if kind == "G":
        within = texts.get(id(node.within), "")
        return _bracketed(within) if len(within) > 1 else within
    if kind == "W":
        return own("?" + label)
    return own(label)


def _closed(text: str, row: Row | None) -> str:
    """A numerator or denominator, in parentheses unless it is one thing."""
    if row is None or (len(row) == 1 and row[0].kind in "VNRTWG" and " " not in text) or is_one_thing(row):
        return text
    return _bracketed(text) if len(text) > 1 or not text else text


def _bracketed(text: str) -> str:
    """A text in parentheses, which are marked where all of it is."""
    return _like(text, "(") + text + _like(text, ")")


def _like(text: str, added: str) -> str:
    """What is added to a text, marked where all of the text is."""
    if text[:1] >= _FIRST_SHIFTED and all(char >= _FIRST_SHIFTED or char == " " for char in text):
        return _shifted(added)
    return added
