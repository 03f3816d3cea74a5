"""Horizontal spaces of LaTeX and of Unicode as data, in mu: 18 mu are a quad."""

from __future__ import annotations

import re

QUAD = 18
HALF_QUAD = 9
WORD_SPACE = 6
"""The space between words."""

SPACE_COMMANDS: dict[str, int] = {
    "\\,": 3, "\\thinspace": 3, "\\:": 4, "\\>": 4, "\\medspace": 4, "\\;": 5, "\\thickspace": 5, "\\!": -3,
    "\\negthinspace": -3, "\\negmedspace": -4, "\\negthickspace": -5, "\\ ": WORD_SPACE, "\\\n": WORD_SPACE,
    "\\\t": WORD_SPACE, "~": WORD_SPACE, "&nbsp;": WORD_SPACE, "\\space": WORD_SPACE, "\\nobreakspace": WORD_SPACE,
    "\\enspace": 9, "\\enskip": 9, "\\quad": QUAD, "\\qquad": 2 * QUAD, "\\hfil": 2 * QUAD, "\\hfill": 2 * QUAD,
    "\\hss": 2 * QUAD,
}
"""Token → the space that it makes."""

SPACE_CHARACTERS: dict[str, int] = {
    "\u00a0": WORD_SPACE, "\u2000": 9, "\u2001": QUAD, "\u2002": 9, "\u2003": QUAD, "\u2004": 6, "\u2005": 4,
    "\u2006": 3, "\u2007": 9, "\u2008": 5, "\u2009": 3, "\u200a": 1, "\u202f": 3, "\u205f": 4, "\u3000": QUAD,
}
"""Character → the space that it makes; white space of ASCII makes none."""

_UNITS = {
    "mu": 1.0, "em": 18.0, "ex": 7.75, "pt": 1.8, "bp": 1.807, "px": 1.355, "pc": 21.6, "dd": 1.926, "cc": 23.1,
    "mm": 5.122, "cm": 51.22, "in": 130.1, "sp": 0.0000275,
}
"""Unit of length → mu, in type of 10 points."""
UNITS = frozenset(_UNITS)

_LENGTH = re.compile(r"\s*([+-]?)\s*(\d{0,6}(?:[.,]\d{0,6})?)\s*([a-z]{2})")
_NAMED = {
    "veryverythinmathspace": 1, "verythinmathspace": 2, "thinmathspace": 3, "mediummathspace": 4, "thickmathspace": 5,
    "verythickmathspace": 6, "veryverythickmathspace": 7,
}


def length(text: str) -> int:
    """A length as TeX and MathML write it (``1.5em``, ``-3mu``, ``thinmathspace``) in mu, 0 where it is none."""
    match = _LENGTH.match(text)
    if match is None or match[3] not in _UNITS or not match[2].strip(".,"):
        negative = text.startswith("negative")
        width = _NAMED.get(text.removeprefix("negative"), 0)
        return -width if negative else width
    width = round(float(match[2].replace(",", ".")) * _UNITS[match[3]])
    return -width if match[1] == "-" else width


def written_space(text: str) -> int:
    """The space that white space in a text makes."""
    return sum(SPACE_CHARACTERS.get(char, 0) for char in text)
