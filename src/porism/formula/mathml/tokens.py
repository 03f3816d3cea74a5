"""Reads markup into a flat list of events, forgivingly and without entities of its own making.

No document type is ever read, so there is nothing that an entity could expand to beyond the characters of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_EVENT = re.compile(
    r"<(?:[A-Za-z]+:)?(m[ino]|mtext)((?:\s(?:[^<>\"'/]|\"[^\"<]*\"|'[^'<]*')*+)?)>([^<]*)</(?:[A-Za-z]+:)?\1\s*>"
    r"|<!--.*?(?:-->|\Z)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<[?!][^>]*(?:>|\Z)"
    r"|<(/?)\s*([A-Za-z_][^\s<>/=\"']*)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)>"
    r"|([^<]+|<)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=\"'/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")

OPEN, CLOSE, WORDS, LEAF = 1, 2, 3, 4


def events(source: str) -> Iterator[tuple[int, str, str, str, int, int]]:
    """Start tags, end tags, texts and whole token elements: ``(kind, name, attributes, text, start, end)``.

    The text of a start tag is ``/`` where the element is empty. Namespace prefixes are cut off names and names are in
    lower case; entities in texts are resolved.
    """
    for match in _EVENT.finditer(source):
        leaf, leaf_attributes, leaf_text, cdata, close, name, attributes, text = match.groups()
        start, end = match.span()
        if leaf is not None:
            yield LEAF, leaf, leaf_attributes, unescape(leaf_text) if "&" in leaf_text else leaf_text, start, end
        elif name is not None:
            name = name[name.rfind(":") + 1:].lower()
            if close:
                yield CLOSE, name, "", "", start, end
            else:
                yield OPEN, name, attributes, attributes[-1:] if attributes.endswith("/") else "", start, end
        else:
            text = cdata if text is None else unescape(text) if "&" in text else text
            if text and not text.isspace():
                yield WORDS, "", "", text, start, end


def attributes_of(text: str) -> dict[str, str]:
    """The attributes of a start tag, entities resolved, names without prefix."""
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        attributes[name[name.rfind(":") + 1:].lower()] = unescape(value) if "&" in value else value
    return attributes
