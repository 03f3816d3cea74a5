"""Cuts LaTeX into tokens, in one pass of one regular expression that never backtracks far."""

from __future__ import annotations

import re
from itertools import accumulate

from porism.formula.breaks import BREAK
from porism.formula.tables.lookup import RELATION_CLASSES, token_class
from porism.formula.tree import LayoutNode

_TOKEN = re.compile(
    r"[^\\\s0-9.'^_:?<>&\-]"
    r"|\\(?:lx@[a-zA-Z@]{1,40}|(?:begin|end)\s{0,9}\{[a-zA-Z*@\s]{0,40}\}|[a-zA-Z]+"
    r"|\\\*?(?:\s{0,9}\[\s{0,9}-?[0-9.,]{1,9}\s{0,9}[a-z]{2}\s{0,9}\])?|.|\Z)"
    r"|[\^_](?:\{[a-zA-Z0-9]\})?"
    r"|[0-9]+(?:(?:\{,\}|\\,)[0-9]{3}(?![0-9])|\s{1,9}[0-9]+)*(?:(?:\.|\{,\})[0-9]+)?"
    r"|\.(?:[0-9]+|\.\.)?"
    r"|\s+"
    r"|'+"
    r"|&(?:(?:lt|gt|amp|quot|nbsp|#39);)?"
    r"|:=?|<=?|>=?|->?"
    r"|\?(?:[a-zA-Z][a-zA-Z0-9]*)?",
    re.DOTALL,
)
SPACES = frozenset({"\\ ", "\\,", "\\;", "\\:", "\\>", "\\quad", "\\qquad", "\\space", "\\\\", "\\enspace", "~"})
"""Tokens that are seen as white space."""

COMMENT = "\f"
"""What stands for a character of a comment: white space, and nothing in a text."""
_COMMENT = re.compile(r"\\.|%[^\n]*\n[ \t]*|%", re.DOTALL)
_WRAPPED = re.compile(r"\\.|% ?", re.DOTALL)


_NO_BASE = RELATION_CLASSES | {"additive", "multiplicative", "separator", "open"}


class Tokens:
    """The tokens of a formula with their offsets; two empty tokens at the end are sentinels."""

    __slots__ = ("ends", "starts", "texts")

    def __init__(self, texts: list[str], starts: list[int], ends: list[int]) -> None:
        self.texts = texts
        self.starts = starts
        self.ends = ends


def tokenize(source: str) -> Tokens:
    """The tokens of a formula; their texts, put together, are the source without its comments."""
    if "%" in source:
        source = blank_comments(source)
    texts = _TOKEN.findall(source)
    starts = list(accumulate(map(len, texts), initial=0))
    end = starts[-1]
    starts.append(end)
    ends = starts[1:]
    ends.append(end)
    texts += ("", "")
    return Tokens(texts, starts, ends)


def blank_comments(source: str) -> str:
    """The source with white space in place of comments, so that offsets stay.

    A comment runs to the end of its line, and takes the spaces before the next one. A ``%`` on the last line is a line
    wrap of LaTeXML whose line break was turned into a space, and only these two go.
    """
    last_line = source[source.rfind("\n") + 1:].lstrip(" \t")
    head = source[:len(source) - len(last_line)]
    return "".join(
        pattern.sub(lambda match: _blank(match.group()), part)
        for pattern, part in ((_COMMENT, head), (_WRAPPED, last_line))
    )


def _blank(text: str) -> str:
    return COMMENT * len(text) if text[0] == "%" else text


def set_apart(node: LayoutNode, token: str) -> bool:
    """Whether a script does not belong to the symbol before it: ``token``, a space, is between it and an operator.

    In ``+\\,^{64}\\mathrm{Ni}`` the number belongs to what follows. A line break has no scripts either.
    """
    if node.kind != "O":
        return False
    return node.label == BREAK or (token in SPACES and token_class(node.label) in _NO_BASE)
