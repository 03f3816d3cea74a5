r"""The tree of a TeXmacs document: ``<tag|argument|…>``, ``<\tag>…<|tag>…</tag>``, text and symbols.

A tag without end ends with the document; an end without its tag is passed over. Time is linear in the length of the
text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

MAX_DEPTH = 150
"""Tags within tags are read to this depth; deeper ones are part of the text around them."""

_TOKEN = re.compile(
    r"<\\(?P<begin>[^<>|\\]+)(?P<begin_end>[>|])|</(?P<end>[^<>|\\]*)>|<\|(?P<next>[^<>|\\]*)>"
    r"|<#[0-9A-Fa-f]*>|<(?P<tag>[^<>|\\/\s#][^<>|\\]*)|(?P<bar>\|)|(?P<close>>)"
    r"|\\<(?P<symbol>[^<>\\|]*)\\>|\\(?P<character>[\s\S])|(?P<blank>\n[ \t]*(?:\n[ \t]*)+)"
    r"|(?P<text>[^<>|\\\n]+|\n[ \t]*)|<"
)
_ESCAPED = {"P": "“", "Q": "”", "R": "„", "S": "«", "T": "»", "U": "–", "V": "—", ";": ""}
"""Letters after a backslash that stand for control characters of Cork's encoding; a semicolon is an empty line."""
_CORK = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
_TO_UNICODE = {128 + place: character for place, character in enumerate(_CORK)} | {
    0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß", 0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–",
    0x16: "—", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl",
}
"""What characters of Cork's encoding, read as Latin-1, are in Unicode."""


_Place = Literal["short", "head", "body"]


class Symbol(str):
    """The name of a symbol (``alpha``)."""


PARAGRAPH = "\n\n"
"""Stands between paragraphs."""


@dataclass(slots=True)
class Node:
    """A tag with its arguments, and the line where it begins."""

    tag: str
    line: int
    arguments: list[list[Part]] = field(default_factory=list)

    @property
    def last(self) -> list[Part]:
        """The last argument, which is the content of most tags."""
        return self.arguments[-1] if self.arguments else []

    def argument(self, number: int) -> list[Part]:
        """The argument of a number from 0, empty where there is none."""
        return self.arguments[number] if number < len(self.arguments) else []


Part = str | Node


def parse(text: str) -> Node:
    """The tree of a document, below one node without a name."""
    stack = [_Open(Node("", 1, [[]]), "body")]
    line, deeper = 1, 0
    for match in _TOKEN.finditer(text):
        around = stack[-1]
        content = around.node.last
        kind = match.lastgroup
        if kind in ("tag", "begin_end"):
            if len(stack) > MAX_DEPTH:
                deeper += kind == "tag" or match["begin_end"] == "|"
            else:
                inner = Node(match["begin"] or match["tag"], line, [] if kind == "tag" else [[]])
                content.append(inner)
                place: _Place = "short" if kind == "tag" else "body" if match["begin_end"] == ">" else "head"
                stack.append(_Open(inner, place))
        elif kind == "close" and deeper:
            deeper -= 1
        elif kind == "close" and around.place == "short":
            stack.pop()
        elif kind == "close" and around.place == "head":
            around.place = "body"
            around.node.arguments.append([])
        elif kind in ("bar", "next"):
            if not deeper and len(stack) > 1:
                around.node.arguments.append([])
        elif kind == "end":
            if any(entry.node.tag == match["end"] and entry.place == "body" for entry in stack[1:]):
                while stack.pop().node.tag != match["end"]:
                    pass
        elif kind == "symbol":
            content.append(_character(match["symbol"]))
        elif kind == "character":
            character = match["character"]
            content.append(" " if character.isspace() else _ESCAPED.get(character, character))
        elif kind == "blank":
            content.append(PARAGRAPH)
        elif kind == "text":
            content.append(" " if match.group().isspace() else match.group())
        line += match.group().count("\n")
    return stack[0].node


@dataclass(slots=True)
class _Open:
    """A tag that has begun: ``<tag|…``, or ``<\\tag|…`` before or behind the end of that."""

    node: Node
    place: _Place


def _character(name: str) -> str:
    """A symbol by its name, or the character of ``#7B2C``."""
    if not name.startswith("#"):
        return Symbol(name)
    try:
        return chr(int(name[1:], 16))
    except (ValueError, OverflowError):
        return ""


def from_cork(text: str) -> str:
    """Text in Cork's encoding that was read as Latin-1."""
    return text.translate(_TO_UNICODE)
