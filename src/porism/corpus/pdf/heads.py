"""The heads of theorem-like blocks: ``Theorem 2.3 (Name).``, ``2.3. Lemma.``, ``Proof.``"""

from __future__ import annotations

import re

from porism.corpus.pdf.text import Part
from porism.corpus.sections import titled_kind
from porism.types import Content

HEAVY = frozenset(("bf", "bi", "sf"))
TITLE = re.compile(r"\((?P<title>(?:[^()]|\([^()]*\))*)\)\s*[.:]?\s*")
_HEAD = re.compile(
    r"\s*(?:(?P<before>\d+(?:\.\d+)*)\.?\s+)?(?P<name>[^\W\d_]+)"
    r"(?:\s+(?P<number>(?:[A-Z]\.?)?\d+(?:\.\d+)*[a-z]?|[A-Z](?=[.\s(]|\Z)))?\s*(?P<point>[.:]|(?=\()|\Z|(?=\s))\s*"
)


def head_of(parts: list[Part], first_style: str, style: str) -> tuple[str, re.Match[str] | None]:
    """The kind of block that parts begin, and the match of its head; empty where they begin none.

    :param first_style: the font of the first letter.
    :param style: that of most letters.
    """
    first = parts[0] if parts else ""
    match = _HEAD.match(first) if isinstance(first, str) else None
    if match is None or not match["name"][0].isupper():
        return "", None
    kind = titled_kind(Content(match["name"]))
    if kind is None:
        return "", None
    is_styled = first_style in HEAVY or (first_style == "it" and style != "it")
    if kind == "proof":
        is_head = is_styled or match["point"] in (".", ":")
    else:
        has_number = bool(match["number"] or match["before"])
        is_ended = match["point"] in (".", ":") or TITLE.match(str(first), match.end()) is not None
        is_head = (is_styled and (has_number or is_ended)) or (has_number and is_ended)
    return (kind, match) if is_head else ("", None)
