"""``\\verb|x_1|`` inside a formula: what is between the signs is text as it is typed."""

from __future__ import annotations

import re

from porism.formula.latex.tokens import Tokens, tokenize

_VERBATIM = re.compile(r"\\verb\*?[ \t]*(?![A-Za-z\s*])(.)(.{0,400}?)\1")
_TYPED = {
    "\\": "\\textbackslash", "~": "\\textasciitilde", "^": "\\textasciicircum", "`": "\\textasciigrave",
    **{sign: "\\" + sign for sign in "{}$&#_%"},
}
"""Sign that text mode does not take as it is → the command for it."""


def verbatim(source: str) -> Tokens:
    """The tokens of a formula with verbatim text as text in typewriter letters."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(text: str, start: int, end: int) -> None:
        texts.append(text)
        starts.append(start)
        ends.append(end)

    last = 0
    for match in [*_VERBATIM.finditer(source), None]:
        start = match.start() if match is not None else len(source)
        tokens = tokenize(source[last:start])
        for text, begin, end in zip(tokens.texts[:-2], tokens.starts, tokens.ends, strict=False):
            add(text, last + begin, last + end)
        if match is not None:
            last, first = match.end(), match.start(2)
            add("\\texttt", start, first)
            add("{", first, first)
            for place, char in enumerate(match[2], first):
                add(_TYPED.get(char, char), place, place + 1)
            add("}", last - 1, last)
    end = ends[-1] if ends else 0
    return Tokens([*texts, "", ""], [*starts, end, end], [*ends, end, end])
