"""Letters, names and signs of a formula as the characters that are shown for them."""

from __future__ import annotations

from unicodedata import normalize

from porism.formula.tables.alphabets import has_own_character, styled
from porism.formula.tables.commands import NAME_SYNONYMS
from porism.formula.tables.lookup import RELATION_CLASSES, canonical_name, token_class
from porism.formula.tables.setting import EMPTY_SET, SHOWN_SIGNS
from porism.formula.tables.styles import ROUNDHAND, ROUNDHAND_SELECTOR
from porism.formula.tree import LayoutNode, Row
from porism.formula.writers.hints import Hints

_VARIANTS = {
    "bf": "bold", "cal": "script", "frak": "fraktur", "sf": "sans-serif", "tt": "monospace", "bb": "double-struck",
    "rm": "normal", "it": "italic",
}
_UPRIGHT = frozenset("∞ℏℵℶℷℸ⊤⊥")
_SPELLED = {label: words.replace(" ", "\u2009") for words, label in NAME_SYNONYMS.items() if " " in words}
"""Name → how it is set where it is of two words."""
_OPERATIONS = RELATION_CLASSES | {"additive", "multiplicative", "set-operator"}


def name_shown(node: LayoutNode, hints: Hints) -> str:
    """A name as it is set: as it was written, and ``lim sup`` for ``\\limsup``."""
    written = hints.name(node)
    if written == "\\" + node.label or canonical_name(written.lstrip("\\")) != node.label:
        return _SPELLED.get(node.label, node.label)
    return written.lstrip("\\")


def letter_shown(node: LayoutNode, hints: Hints) -> tuple[str, str]:
    """A letter or a name as it is set, and the ``mathvariant`` that it needs besides, mostly none."""
    label, font = node.label, node.font
    if not font:
        if label == EMPTY_SET:
            return hints.sign(node) or label, "normal"
        is_accented = len(label) == 1 and not label.isascii() and normalize("NFD", label) != label
        upright = label in _UPRIGHT or is_accented or (len(label) == 1 and "Α" <= label <= "Ω")
        if len(label) > 1 and hints.is_italic(node):
            return styled(label, "italic"), ""
        return name_shown(node, hints) if len(label) > 1 else label, "normal" if upright else ""
    if font == "bb":
        return label, ""
    is_slanted = font == "bf" and len(label) == 1 and ("α" <= label <= "ϖ" or hints.is_bold_italic(node))
    if is_slanted and has_own_character(label, "bold-italic"):
        return styled(label, "bold-italic"), ""
    if has_own_character(label, font):
        is_roundhand = any(style.kind == ROUNDHAND for style in node.styles)
        return styled(label, font) + (ROUNDHAND_SELECTOR if is_roundhand else ""), ""
    return label, _VARIANTS.get(font, "normal")


def is_upright(node: LayoutNode, hints: Hints) -> bool:
    """Whether browsers take a letter or a name to be upright, as Firefox does with all that is of several letters."""
    label = node.label
    if len(label) == 1 and label.isascii() and not node.font:
        return False  # by far the most frequent case, and quickly seen
    return len(label) > 1 or letter_shown(node, hints)[1] == "normal"


def sign_shown(row: Row, i: int, is_fence: bool, hints: Hints) -> str:
    """The character that is shown for an operator of a row."""
    node = row[i]
    label = node.label
    if label == "∥" and is_fence:
        return "‖"
    if label == "∖" and (is_fence or hints.size(node)[0]):
        return "\\"  # which has larger forms
    if label == "…" and _are_centred(row, i, hints):
        return "⋯"
    return hints.sign(node) or SHOWN_SIGNS.get(label, label)


def _are_centred(row: Row, i: int, hints: Hints) -> bool:
    """Whether ``\\dots`` are as high as the signs of operations, because one follows."""
    if hints.command(row[i]) != "dots" or i + 1 == len(row):
        return False
    return token_class(row[i + 1].label, row[i + 1].kind) in _OPERATIONS
