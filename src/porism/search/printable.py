"""Text that is safe to print: nothing from documents can move the cursor or reorder a line; and numbers of things."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 but tab and line feed: escape sequences begin with these
    "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # directions and line separators of Unicode
    "\ud800-\udfff\ufeff\U000e0000-\U000e007f]"  # what UTF-8 cannot say, and invisible tags
)
REPLACEMENT = "\ufffd"
_FOREIGN = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}


def printable(text: str) -> str:
    """The text with ``�`` for each control character but tab and line feed, and for what has no UTF-8 form.

    A byte of a file's name that is not UTF-8 is shown as ``\\xe9``.
    """
    return _CONTROL.sub(lambda match: _FOREIGN.get(ord(match.group()), REPLACEMENT), text)


def one_printable_line(text: str) -> str:
    """The same on one line, white space folded."""
    return printable(" ".join(text.split()))


def escaped_json(json: str) -> str:
    """JSON of the same value in which control characters are ``\\u009b``: those above ASCII are raw otherwise.

    A byte of a file's name that is not UTF-8 is shown as ``\\xe9``, in JSON with two backslashes.
    """
    return _CONTROL.sub(lambda match: _escape(ord(match.group())), json)


def _escape(code: int) -> str:
    if code in _FOREIGN:
        return f"\\{_FOREIGN[code]}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
