"""Accents of text mode, and signs that are text, as data."""

from __future__ import annotations

TEXT_ACCENTS = {
    "\\'": "\u0301", "\\`": "\u0300", "\\^": "\u0302", '\\"': "\u0308", "\\~": "\u0303", "\\=": "\u0304",
    "\\.": "\u0307", "\\u": "\u0306", "\\v": "\u030c", "\\H": "\u030b", "\\c": "\u0327", "\\d": "\u0323",
    "\\b": "\u0331", "\\k": "\u0328", "\\r": "\u030a", "\\t": "\u0361", "\\’": "\u0301", "\\‘": "\u0300",
}
"""Accent command → combining character, put after the first letter of its argument."""

TEXT_SIGNS: dict[str, str] = {
    "textasciicircum": "^", "textasciitilde": "~", "textbraceleft": "{", "textbraceright": "}", "textquoteright": "’",
    "textquotesingle": "'", "textasciigrave": "`", "textacutedbl": "˝", "textgravedbl": "˵", "texttildelow": "˷",
    "textsurd": "√", "textonehalf": "½", "textonequarter": "¼", "textthreequarters": "¾", "textonesuperior": "¹",
    "texttwosuperior": "²", "textthreesuperior": "³", "textcompwordmark": "", "i": "ı", "j": "ȷ",
}
"""Command, without the backslash → the text that it says, also in a formula."""
