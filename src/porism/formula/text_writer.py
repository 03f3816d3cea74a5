"""A layout tree as one line of plain Unicode text, for terminals."""

from __future__ import annotations

from porism.formula.alphabets import styled
from porism.formula.layout import child_rows
from porism.formula.tables import RELATION_CLASSES, token_class
from porism.formula.tree import LayoutNode, LayoutTree, Row

_SUPERSCRIPTS = dict(zip("0123456789+-=()niabcdefghjklmoprstuvwxyzTVWABDEGHIJKLMNOPRU",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀⱽᵂᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵁ", strict=True))
_SUPERSCRIPTS |= {"′": "′", "∘": "°", "*": "*", "β": "ᵝ", "γ": "ᵞ", "θ": "ᶿ", "ϕ": "ᵠ", "φ": "ᵠ", "χ": "ᵡ"}
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


def to_unicode(tree: LayoutTree) -> str:
    """The tree as readable text: ``x²``, ``∑ₖ₌₁ⁿ k``, ``(a+b)/c``, ``√(x+1)``, ``[1 2; 3 4]``."""
    texts: dict[int, str] = {}
    stack: list[tuple[Row, bool]] = [(tree.row, False)]
    while stack:
        row, ready = stack.pop()
        if ready:
            texts[id(row)] = _row_text(row, texts)
            continue
        stack.append((row, True))
        for node in row:
            stack.extend((child, False) for child in child_rows(node))
    return texts[id(tree.row)]


def _row_text(row: Row, texts: dict[int, str]) -> str:
    parts: list[str] = []
    previous = ""
    in_integral = after_fraction = False
    for node in row:
        shown = _node_text(node, texts)
        kind = token_class(node.label, node.kind)
        # A fraction on one line would swallow what follows it, and a differential the variable before it.
        apart = (after_fraction or (in_integral and node.label == "d")) and kind not in _TIGHT
        if parts and (_needs_space(previous, kind, parts[-1], shown, parts) or (apart and parts[-1] != " ")):
            parts.append(" ")
        parts.append(shown)
        previous = kind
        after_fraction = node.kind == "F" and node.label == "/"
        in_integral = in_integral or kind == "integral"
    return "".join(parts).strip()


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


def _node_text(node: LayoutNode, texts: dict[int, str]) -> str:
    text = _core_text(node, texts)
    if node.kind != "F":
        for side, row in (("under", node.under), ("over", node.over)):
            if row is not None:
                text = _marked(text, side, row, texts)
    if node.below is not None:
        text += _script(texts[id(node.below)], _SUBSCRIPTS, "_")
    if node.above is not None:
        text += _script(texts[id(node.above)], _SUPERSCRIPTS, "^")
    if node.pre_below is not None:
        text = _script(texts[id(node.pre_below)], _SUBSCRIPTS, "_") + text
    if node.pre_above is not None and node.kind != "R":
        text = _script(texts[id(node.pre_above)], _SUPERSCRIPTS, "^") + text
    return text


def _marked(text: str, side: str, row: Row, texts: dict[int, str]) -> str:
    """A symbol with what stands right over or under it."""
    note = texts[id(row)]
    if len(text) == 1 and side == "over" and note in _ACCENTS:
        return text + _ACCENTS[note]
    name = _MARK_NAMES.get((side, row[0].label)) if len(row) == 1 else None
    if name is not None:
        inside = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        return f"{name}({inside}){note[1:]}"
    return text + _script(note, _SUPERSCRIPTS if side == "over" else _SUBSCRIPTS, "^" if side == "over" else "_")


def _script(text: str, characters: dict[str, str], sign: str) -> str:
    compact = text.replace(" ", "")
    if compact and all(char in characters for char in compact):
        return "".join(characters[char] for char in compact)
    return sign + (text if len(text) == 1 else f"({text})")


def _core_text(node: LayoutNode, texts: dict[int, str]) -> str:
    kind, label = node.kind, node.label
    if kind in "VN":
        return label if node.font in ("", "bb") else styled(label, node.font)
    if kind == "F":
        over, under = texts.get(id(node.over), ""), texts.get(id(node.under), "")
        if label == "choose":
            return f"C({over}, {under})"
        return f"{_closed(over, node.over)}/{_closed(under, node.under)}"
    if kind == "R":
        within = texts.get(id(node.within), "")
        index = texts.get(id(node.pre_above), "") if node.pre_above is not None else ""
        sign = {"": "√", "3": "∛", "4": "∜"}.get(index) or _script(index, _SUPERSCRIPTS, "^") + "√"
        return f"{sign}({within})" if len(within) != 1 else sign + within
    if kind == "M":
        lines = "; ".join(", ".join(texts[id(cell)] for cell in line) for line in node.elements or [])
        if label == "lines":
            return lines
        return f"{{{lines}" if label == "{" else f"{label[:1] or '['}{lines}{label[1:] or ']'}"
    if kind == "G":
        within = texts.get(id(node.within), "")
        return f"({within})" if len(within) > 1 else within
    if kind == "W":
        return "?" + label
    return label


def _closed(text: str, row: Row | None) -> str:
    """A numerator or denominator, in parentheses unless it is one thing."""
    if row is None or (len(row) == 1 and row[0].kind in "VNRTWG" and " " not in text):
        return text
    return f"({text})" if len(text) > 1 or not text else text
