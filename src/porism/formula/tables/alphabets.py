"""Letters and digits in mathematical fonts as the characters that Unicode has for them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_STYLES = {
    "bf": "BOLD", "cal": "SCRIPT", "frak": "FRAKTUR", "sf": "SANS-SERIF", "tt": "MONOSPACE", "bb": "DOUBLE-STRUCK",
    "bold-italic": "BOLD ITALIC", "italic": "ITALIC",
}
_HOLES = {
    ("cal", "B"): "ℬ", ("cal", "E"): "ℰ", ("cal", "F"): "ℱ", ("cal", "H"): "ℋ", ("cal", "I"): "ℐ", ("cal", "L"): "ℒ",
    ("cal", "M"): "ℳ", ("cal", "R"): "ℛ", ("cal", "e"): "ℯ", ("cal", "g"): "ℊ", ("cal", "o"): "ℴ", ("frak", "C"): "ℭ",
    ("frak", "H"): "ℌ", ("frak", "I"): "ℑ", ("frak", "R"): "ℜ", ("frak", "Z"): "ℨ", ("italic", "h"): "ℎ",
}
_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
# Printed letters that the parsers would read as symbols of their own.
_AMBIGUOUS = frozenset({("frak", "I"), ("frak", "R")})


@lru_cache(maxsize=4096)
def styled(text: str, font: str) -> str:
    """The text in a font of :class:`~porism.formula.tree.LayoutNode`, in ``italic`` or ``bold-italic``.

    Characters without such a form stay.
    """
    if font not in _STYLES:
        return text
    return "".join(_styled_character(char, font) for char in text)


def _styled_character(char: str, font: str) -> str:
    if (font, char) in _HOLES:
        return _HOLES[font, char]
    style = _STYLES[font]
    if char.isascii() and char.isdigit():
        name = f"MATHEMATICAL {style.removesuffix('ITALIC').strip()} DIGIT {_DIGITS[int(char)]}"
    elif char.isascii() and char.isalpha():
        name = f"MATHEMATICAL {style} {'CAPITAL' if char.isupper() else 'SMALL'} {char.upper()}"
    else:
        known = unicodedata.name(char, "")
        if not known.startswith("GREEK"):
            return char
        name = known.replace("GREEK", f"MATHEMATICAL {style}").replace(" LETTER", "")
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return char


def has_own_character(label: str, font: str) -> bool:
    """Whether each character of a label has a form of its own in this font that stands for nothing else."""
    if font not in _STYLES:
        return False
    shown = styled(label, font)
    return all(a != b and (font, a) not in _AMBIGUOUS for a, b in zip(label, shown, strict=True))
