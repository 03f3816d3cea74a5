"""What topics ask, on pages: their titles with formulas as MathML, and the font for these inside the page."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from importlib import resources

from porism.formula import parse, to_mathml
from porism.lab.reports.canvas import printable
from porism.types import Content, Query

_STATIC = resources.files("porism") / "serve" / "web" / "static"
_FONT = "porism-math.woff2"
MAX_LENGTH = 160
"""Characters of a question that are shown, a formula counting as many as it is written with."""


def question_text(query: Query) -> str:
    """The title of a topic, or the beginning of its first text, as HTML."""
    filled = [content for content in query.fields.values() if content.text.strip()]
    return "".join(_shown(query.fields.get("title") or filled[0])) if filled else ""


def _shown(content: Content) -> Iterator[str]:
    room = MAX_LENGTH
    for part in content.parts:
        if isinstance(part, str):
            words = " ".join(printable(part)[:room + 1].split())
            edges = " " * part[:1].isspace(), " " * part[-1:].isspace()
            yield edges[0] + _escaped(words[:room]) + edges[1]
            length = len(part)
        else:
            length = len(part.source)
            if length <= room:
                yield to_mathml(parse(part), ids=False)
        if length > room:
            yield "…"
            return
        room -= length


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def formula_style() -> str:
    """The style sheet of formulas with the font in it, for pages that load nothing."""
    font = base64.b64encode((_STATIC / _FONT).read_bytes()).decode("ascii")
    sheet = (_STATIC / "math.css").read_text(encoding="utf-8")
    return sheet.replace(f'url("{_FONT}")', f'url("data:font/woff2;base64,{font}")')
