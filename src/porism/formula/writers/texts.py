"""Text of a formula in the fonts that it was written in."""

from __future__ import annotations

import re

from porism.formula.tree import LayoutNode
from porism.formula.words import TextRun, join_runs, printable
from porism.formula.writers.hints import Hints

_FONTS = {"textbf": "bf", "textit": "it", "emph": "it", "textsl": "it"}
_OPENING = re.compile(r"\\([A-Za-z]+)\s*\{")
_OPENED_BEFORE = re.compile(r"\\([A-Za-z]+)\s*\{\s*\Z")
_PLAIN = re.compile(r"[^\\{}$]+")
_MAX_LENGTH = 1_000
_LOOKS = {
    "bf": ' mathvariant="bold" style="font-weight: bold"', "it": ' mathvariant="italic" style="font-style: italic"',
}
"""Font → attributes of ``<mtext>``, for readers of MathML and for browsers."""


def escape(text: str) -> str:
    """Text for markup."""
    if "&" in text or "<" in text or ">" in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def text_parts(node: LayoutNode, hints: Hints) -> list[tuple[str, str]]:
    """The pieces of a text, each with the attributes of its font; one piece where it has one font."""
    parts = _parts(node, hints) if hints.has_commands and node.end - node.start < _MAX_LENGTH else []
    if not _is_read_back(parts, node.label):
        return [(node.label, "")]
    if len(parts) == 1:
        return [(node.label, _LOOKS.get(parts[0][0], ""))]
    return [(_with_hard_spaces(written), _LOOKS.get(font, "")) for font, written in parts]


def _parts(node: LayoutNode, hints: Hints) -> list[tuple[str, str]]:
    """The pieces of the source of a text with their fonts; none where it has more than fonts in it."""
    source = hints.source
    before = _OPENED_BEFORE.search(source, max(0, node.start - 20), node.start)
    fonts = ["", _FONTS.get(before[1], "") if before is not None else ""]
    parts: list[tuple[str, str]] = []
    position = node.start
    while position < node.end:
        plain = _PLAIN.match(source, position, node.end)
        opening = _OPENING.match(source, position, node.end)
        if len(fonts) == 1 and plain is not None and plain[0].isspace():
            position = plain.end()  # between two texts
        elif plain is not None and len(fonts) > 1:
            if parts and parts[-1][0] == fonts[-1]:
                parts[-1] = (fonts[-1], parts[-1][1] + plain[0])
            else:
                parts.append((fonts[-1], plain[0]))
            position = plain.end()
        elif opening is not None and opening[1] in (*_FONTS, "text"):
            fonts.append(_FONTS.get(opening[1], fonts[-1]))
            position = opening.end()
        elif source[position] == "}":
            del fonts[max(1, len(fonts) - 1):]
            position += 1
        else:
            return []
    return parts


def _is_read_back(parts: list[tuple[str, str]], label: str) -> bool:
    """Whether these pieces side by side are one text, and this one."""
    run: TextRun | None = None
    for font, written in parts:
        part = TextRun(written, font or "rm", 0, 0)
        run = part if run is None else join_runs(run, part, 0)
        if run is None:
            return False
    return run is not None and printable(run.written) == label


def _with_hard_spaces(written: str) -> str:
    """A piece whose spaces at the ends are kept by browsers."""
    text = " ".join(written.split())
    return "\u00a0" * written[:1].isspace() + text + "\u00a0" * (written[-1:].isspace() and bool(text))
