"""Diagrams: taken out of the formula that they are in, and said to be diagrams, with the formulas that they show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from porism.formula.macros.tokens import join
from porism.types import Content, Formula

DIAGRAM = "[diagram]"

BEGIN, CELL, END = "\0[", "\0|", "\0]"
"""What a diagram is between, and what is between its nodes and labels, in the tokens of a formula."""

_FRAME = re.compile(  # how a node is set, or what it is called
    r"(?:\|(?:\[[^\]]*\]|\([^()]*\)|\s)+\|"  # TikZ: |[alias=A]|, |(A)|
    r"|\*{1,2}(?:[-+!=LRUDC]|<[^<>]*>|\[[^\]]*\]|\([^)]*\))*(?=[{\\\w\s])"  # Xy-pic: *+[F], *!L!<1em,0em>
    r"|\[[^\]]*\](?=\s*[{\w\\])"  # psmatrix: [name=A]
    r")\s*"
)
_PLACE = ("\\text", "{", DIAGRAM, "}")
_LAST_SPACE = re.compile(r"(?<!\\)(?:\\ |\s)*\\?$")
_EDGES = " \t\n,;.~"
_LAYOUT = re.compile(
    r"\\(?:vcenter|text|mbox|hbox|qquad|quad|hspace|vspace|hfill?|displaystyle|textstyle|scriptstyle|labelstyle|"
    r"centering|small|footnotesize|begin|end|left|right|null|hskip|enspace|big|Big|bigg|Bigg)(?![A-Za-z])|\\[,;:! \\]"
)


def take_out_diagrams(tokens: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The tokens of a formula without its diagrams (none where nothing else is in it), and the formulas of each."""
    if BEGIN not in tokens:
        return [token for token in tokens if token != CELL], []
    rest: list[str] = []
    cells: list[list[str]] = [[]]
    diagrams: list[list[str]] = []
    depth = 0
    for token in tokens:
        if token == BEGIN:
            if depth == 0:
                rest.extend(_PLACE)
            depth += 1
        elif token == END:
            depth -= 1
            if depth == 0:
                diagrams.append(_formulas(cells))
                cells = [[]]
        elif depth == 0:
            rest.append(token)
        elif token == CELL:
            cells.append([])
        else:
            cells[-1].append(token)
    outside = _LAYOUT.sub("", join(rest).replace(join(_PLACE), ""))
    return (rest if re.search(r"[^\s{}$.,;:&~]", outside) else []), diagrams


def source_of(tokens: Sequence[str]) -> str:
    """The LaTeX of a formula, without blanks at its ends."""
    source = " ".join(join(tokens).split())
    return _LAST_SPACE.sub("", source) if source.endswith("\\") else source


def _trimmed(text: str) -> str:
    return _LAST_SPACE.sub("", text.strip(_EDGES))


def _formulas(cells: list[list[str]]) -> list[str]:
    """The formulas in the cells of a diagram, each once, in their order."""
    formulas: dict[str, None] = {}
    for cell in cells:
        text = _trimmed(source_of(_balanced(cell)))
        text = _FRAME.sub("", text, count=1) if _FRAME.match(text) else text
        while (inner := text[1:-1]) and text[0] == "{" and text[-1] == "}" and "{" not in inner and "}" not in inner:
            text = _trimmed(inner)
        if _LAYOUT.sub("", text).strip(_EDGES + "{}"):
            formulas.setdefault(text)
    return list(formulas)


def _balanced(tokens: list[str]) -> list[str]:
    """The tokens without braces that have no partner among them."""
    open_at: list[int] = []
    lone: set[int] = set()
    for position, token in enumerate(tokens):
        if token == "{":
            open_at.append(position)
        elif token == "}":
            if open_at:
                open_at.pop()
            else:
                lone.add(position)
    lone.update(open_at)
    return [token for position, token in enumerate(tokens) if position not in lone]


def diagram_text(contents: Iterable[Content]) -> list[str | Formula]:
    """``[diagram: A, f, so $x$]``: each content once."""
    shown = dict.fromkeys(content for content in contents if content)
    parts: list[str | Formula] = [" [diagram"]
    for number, content in enumerate(shown):
        parts.extend([": " if number == 0 else ", ", *content.parts])
    return [*parts, "] "]
