"""Token elements of MathML to nodes: identifiers, numbers, operators, text."""

from __future__ import annotations

import re

from porism.formula.latex.commands import HANDLERS
from porism.formula.latex.macros import MACRO_TRIGGERS
from porism.formula.latex.unicode import accented_letter
from porism.formula.layout import set_style
from porism.formula.tables.commands import ACCENT_SYNONYMS
from porism.formula.tables.lookup import (
    PRIME_CHARACTERS,
    SCRIPT_CHARACTERS,
    SYMBOLS,
    VULGAR_FRACTIONS,
    blackboard,
    canonical_name,
    canonical_number,
    character,
    negated,
)
from porism.formula.tables.packages import COMMANDS
from porism.formula.tables.styles import ROUNDHAND, ROUNDHAND_SELECTOR
from porism.formula.tree import LayoutNode, Row
from porism.formula.words import TextRun, printable

_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064\u200b\u200c\u200d\u200e\u200f\ufeff\u2060\u00ad")
_NUMBER = re.compile(
    r"\A[0-9]+,[0-9]+\Z|[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?|\.[0-9]+|.", re.DOTALL
)
_SELECTORS = re.compile("[\ufe00-\ufe0f]")
"""Unicode's variation selectors."""
_WILDCARD = re.compile(r"\?(?P<name>.+)|qvar_(?P<qvar>.*)", re.DOTALL)
_TYPED = {":=": "≔", "<=": "≤", ">=": "≥", "->": "→", "...": "…", "=:": "≕"}
_OF_FONTS = {
    "\ue428": "←", "\ue429": "→", "\ue42a": "↔", "\ue408": "⇌", "\ue409": "⇌", "\ue40a": "⇌", "\ue42b": "⇄",
    "\ue42c": "←", "\ue42d": "→", "\ue42e": "↔", "\ue410": "∼", "\ue411": "∼", "\ue412": "≈",
    "\ue413": "≈",
}
"""Characters of the font that MathJax has for chemistry → the arrows and bonds that they show."""
_VARIANTS = {
    "bold": "bf", "bold-italic": "bf", "double-struck": "bb", "script": "cal", "bold-script": "cal", "fraktur": "frak",
    "bold-fraktur": "frak", "sans-serif": "sf", "bold-sans-serif": "sf", "sans-serif-italic": "sf", "monospace": "tt",
    "normal": "rm", "italic": "it",
}


def identifier(text: str, variant: str, start: int, end: int) -> Row:
    """The nodes of an ``<mi>``."""
    text = "".join(text.split()) if len(text) == 1 else " ".join(text.split())
    if not text:
        return []
    if _SELECTORS.search(text) is not None:
        row = identifier(_SELECTORS.sub("", text), variant, start, end)
        for node in row:
            if node.font == "cal" and ROUNDHAND_SELECTOR in text:
                set_style([node], ROUNDHAND)
        return row
    if len(text) == 1:
        return symbol(text, _VARIANTS.get(variant, ""), start, end)
    return name(text, _VARIANTS.get(variant, ""), start, end)


def name(text: str, font: str, start: int, end: int) -> Row:
    """A word of several characters: one name if it is made of letters, else its characters one by one."""
    wildcard = _WILDCARD.fullmatch(text)
    if wildcard is not None:
        label = printable(wildcard["name"] or wildcard["qvar"] or "").replace(" ", "")
        return [LayoutNode(label or "?", "W", start, end)]
    if text in _TYPED:
        return [LayoutNode(_TYPED[text], "O", start, end)]
    if text[0] in "0123456789." and text.strip("0123456789.,") == "" and text[-1].isdigit():
        return number(text, "", start, end)
    if len(text) == 2 and text[1] == "\u0338":
        entry = character(text[0])
        if entry is not None:
            label = negated(entry[0])
            return [LayoutNode(label, entry[1], start, end, entry[2])]
    is_word = text.replace("-", "").replace(" ", "").isalnum() and text[0].isalpha()
    if not is_word or not SCRIPT_CHARACTERS.keys().isdisjoint(text):
        row: Row = []
        for char in text:
            row += symbol(char, font, start, end)
        return row
    letters = []
    fonts = set()
    for char in text:
        entry = character(char)
        if entry is not None:
            letters.append(entry[0])
            fonts.add(entry[2])
        elif char == " ":
            letters.append(char)
    has_own_font = len(fonts) == 1 and "" not in fonts
    if has_own_font:
        font = fonts.pop()
    label = canonical_name("".join(letters))
    if font == "bb":
        return [LayoutNode(blackboard(letter), "V", start, end, "bb") for letter in letters]
    if len(label) == 1:
        return [LayoutNode(label, "V", start, end, font if font != "it" else "")]
    if label == "mod":
        return [LayoutNode(label, "O", start, end)]
    known = SYMBOLS.get("\\" + label)
    if (known is not None and not has_own_font) or font in {"rm", "it", "cal", "frak"}:
        font = ""
    return [LayoutNode(label, "V", start, end, font)]


def symbol(char: str, font: str, start: int, end: int) -> Row:
    """One character in a font, no node if it cannot be seen."""
    if char in _INVISIBLE:
        return []
    char = _OF_FONTS.get(char, char)
    if char in PRIME_CHARACTERS:
        return [LayoutNode("′", "O", start, end) for _ in range(PRIME_CHARACTERS[char])]
    if char == "'":
        return [LayoutNode("′", "O", start, end)]
    if char in SCRIPT_CHARACTERS and char != "°":
        slot, plain = SCRIPT_CHARACTERS[char]
        base = LayoutNode("", "G", start, start)
        base.within = []
        setattr(base, slot, [LayoutNode(*SYMBOLS[plain], start, end)])
        return [base]
    if char in VULGAR_FRACTIONS:
        over, under = VULGAR_FRACTIONS[char]
        fraction = LayoutNode("/", "F", start, end)
        fraction.over, fraction.under = [LayoutNode(over, "N", start, end)], [LayoutNode(under, "N", start, end)]
        return [fraction]
    entry = character(char)
    if entry is None:
        return []
    label, kind, own_font = entry
    accented = accented_letter(char, start, end) if char not in SYMBOLS and label == char and not font else None
    if accented is not None:
        return [accented]
    if own_font or not font or kind not in "VN":
        return [LayoutNode(label, kind, start, end, own_font)]
    if font == "bb":
        shown = blackboard(label)
        return [LayoutNode(shown, "V", start, end, "bb") if shown != label else LayoutNode(label, kind, start, end)]
    if font == "it" or (font != "bf" and (kind == "N" or not label.isascii())):
        font = ""
    return [LayoutNode(label, kind, start, end, font)]


def number(text: str, variant: str, start: int, end: int) -> Row:
    """The nodes of an ``<mn>``."""
    font = _VARIANTS.get(variant, "")
    row: Row = []
    groups = text.split()
    if len(groups) > 1 and not all(len(group) == 3 for group in groups[1:]):
        for group in groups:
            row += number(group, variant, start, end)
        return row
    text = "".join(groups)
    if text.isascii() and text.isdigit():
        if font == "bb" and len(text) == 1:
            return symbol(text, font, start, end)
        return [LayoutNode(text, "N", start, end, font if font == "bf" else "")]
    plain = []
    for char in text:
        entry = character(char)
        if entry is not None and entry[2] == "bf" and entry[1] == "N":
            plain.append(entry[0])
            font = "bf"
        else:
            plain.append(char)
    for part in _NUMBER.findall("".join(plain)):
        if part[-1] in "0123456789":
            row.append(LayoutNode(canonical_number(part), "N", start, end, font if font == "bf" else ""))
        else:
            row += symbol(part, font, start, end)
    return row


def operator(text: str, variant: str, start: int, end: int) -> Row:
    """The nodes of an ``<mo>``; invisible operators and spaces give none."""
    text = text.strip()
    if len(text) == 1:
        if text.isalpha() and text in ACCENT_SYNONYMS:
            return [LayoutNode(ACCENT_SYNONYMS[text], "O", start, end)]
        if text.isalpha() and variant == "":
            entry = character(text)
            # LaTeXML writes the differential 𝑑 and an upright d as operators.
            if entry is not None and entry[1] == "V" and text.isascii():
                return [LayoutNode(text, "V", start, end, "rm")]
        return symbol(text, _VARIANTS.get(variant, ""), start, end)
    return name(" ".join(text.split()), "", start, end) if text else []


def text_run(text: str, variant: str, start: int, end: int) -> TextRun:
    """The words of an ``<mtext>``."""
    return TextRun(text, _VARIANTS.get(variant, "rm"), start, end)


def error(text: str, start: int, end: int) -> Row:
    """What stands for a command that the converter did not know; many of them are known here."""
    text = printable(text)
    known = SYMBOLS.get(text)
    if known is not None:
        return [LayoutNode(known[0], known[1], start, end)]
    signature, replacement = COMMANDS.get(text[1:], ("", ""))
    if not signature and replacement.startswith("\\mathbb"):
        return [LayoutNode(blackboard(replacement[8]), "V", start, end, "bb")]
    if not text or (text in HANDLERS and text not in MACRO_TRIGGERS) or text[0] == "{":
        return []
    return [LayoutNode(text, "E", start, end)]
