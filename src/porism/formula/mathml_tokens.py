"""Reads markup into a flat list of events, forgivingly and without entities of its own making.

No document type is ever read, so there is nothing that an entity could expand to beyond the characters of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_EVENT = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)|<[?!][^>]*(?:>|\Z)"
    r"|<(?P<close>/?)\s*(?P<name>[A-Za-z_][^\s<>/=\"']*)(?P<attributes>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)>"
    r"|(?P<text>[^<]+|<)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=\"'/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")

OPEN, CLOSE, WORDS = 1, 2, 3


def events(source: str) -> Iterator[tuple[int, str, str, bool, int, int]]:
    """Start tags, end tags and texts: ``(what, name or text, attributes, empty element, start, end)``.

    Namespace prefixes are cut off names and names are in lower case; entities in texts are resolved.
    """
    for match in _EVENT.finditer(source):
        name = match["name"]
        if name is not None:
            name = name[name.rfind(":") + 1:].lower()
            attributes = match["attributes"]
            if match["close"]:
                yield CLOSE, name, "", False, match.start(), match.end()
            else:
                yield OPEN, name, attributes, attributes.endswith("/"), match.start(), match.end()
            continue
        text = match["text"]
        if text is None:
            text = match["cdata"]
        elif "&" in text:
            text = unescape(text)
        if text and not text.isspace():
            yield WORDS, text, "", False, match.start(), match.end()


def attributes_of(text: str) -> dict[str, str]:
    """The attributes of a start tag, entities resolved, names without prefix."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        found[name[name.rfind(":") + 1:].lower()] = unescape(value) if "&" in value else value
    return found
