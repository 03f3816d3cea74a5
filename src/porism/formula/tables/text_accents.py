"""Accents of text mode as data."""

from __future__ import annotations

TEXT_ACCENTS = {
    "\\'": "\u0301", "\\`": "\u0300", "\\^": "\u0302", '\\"': "\u0308", "\\~": "\u0303", "\\=": "\u0304",
    "\\.": "\u0307", "\\u": "\u0306", "\\v": "\u030c", "\\H": "\u030b", "\\c": "\u0327", "\\d": "\u0323",
    "\\b": "\u0331", "\\k": "\u0328", "\\r": "\u030a", "\\t": "\u0361",
}
"""Accent command → combining character, put after the first letter of its argument."""
