"""Tokens that have a meaning for macros, and tokens put together to LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

PAR = "\n\n"
"""A blank line."""
EOF_TOKEN = "\0"
"""The end of a file."""
NO_VALUE = "\0-NoValue-"
"""The value of an optional argument that is not there and has no default."""
TRUE, FALSE = "\0true", "\0false"
"""The values of a star."""


def join(tokens: Sequence[str]) -> str:
    """The tokens as LaTeX: a space goes between a control word and a letter after it."""
    pieces: list[str] = []
    after_word = False
    for token in tokens:
        if not token:
            continue
        if token[0] == "\0":
            token = token[1:]
            if not token or token[0] != "\\":
                continue
        if after_word and (token[0].isalpha() or token[0] == "@"):
            pieces.append(" ")
        pieces.append(token)
        after_word = token[0] == "\\" and token[-1].isalpha()
    return "".join(pieces)
