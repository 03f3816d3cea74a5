"""Titles without what only hangs on them: footnotes, index entries, labels."""

from __future__ import annotations

from collections.abc import Sequence

ASIDES = {
    "\\footnote": "om", "\\footnotetext": "om", "\\footnotemark": "o", "\\thanks": "m", "\\index": "om", "\\label": "m",
    "\\marginpar": "om", "\\sidenote": "om", "\\marginnote": "om", "\\todo": "om", "\\tnoteref": "m",
    "\\thanksref": "m", "\\addtocounter": "mm", "\\setcounter": "mm", "\\markboth": "mm", "\\markright": "m",
    "\\sectionmark": "m",
    "\\chaptermark": "m", "\\addcontentsline": "mmm", "\\phantomsection": "", "\\glsadd": "m", "\\inst": "m",
    "\\fnref": "m", "\\corref": "m",
}  # fmt: skip
"""Commands that stand in a title and are not part of it → their arguments."""

_CLOSERS = {"m": ("{", "}"), "o": ("[", "]")}


def without_asides(tokens: Sequence[str]) -> tuple[list[str], list[str]]:
    """The tokens of a title, and those of its asides, which are to be read after it."""
    title: list[str] = []
    asides: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = position + 1
        for kind in ASIDES.get(token, ""):
            end = _after(tokens, end, *_CLOSERS[kind])
        if token not in ASIDES:
            title.append(token)
        else:
            if title and title[-1] == "\\protect":
                title.pop()
            asides.extend(tokens[position:end])
        position = end
    return title, asides


def _after(tokens: Sequence[str], position: int, opening: str, closing: str) -> int:
    """Where the argument that begins here ends; the same place where there is none."""
    start = position
    while start < len(tokens) and tokens[start].isspace():
        start += 1
    if start >= len(tokens) or tokens[start] != opening:
        return position
    depth = 0
    for place in range(start + 1, len(tokens)):
        if tokens[place] == closing and depth == 0:
            return place + 1
        depth += (tokens[place] == "{") - (tokens[place] == "}")
    return position
