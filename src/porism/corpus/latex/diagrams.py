"""Diagrams in running text: said to be diagrams, with the formulas at their nodes and arrows."""

from __future__ import annotations

from porism.corpus.latex.tokens import tokenize
from porism.formula.macros.tokens import join
from porism.types import Formula

DIAGRAM = "[diagram]"
MOST_FORMULAS = 60
"""So many formulas of one diagram are kept."""

_OPENING, _CLOSING = ("{", "\\left"), ("}", "\\right")


def diagram_parts(source: str) -> list[str | Formula]:
    """``[diagram: A, f, B]``: each formula at a node or an arrow once, in the order of the source.

    :param source: a matrix whose arrows are ``\\xrightarrow{label}``, or ``\\to`` with labels as scripts.
    """
    found: dict[str, None] = {}
    for cell in _cells(tokenize(source)):
        text = join(cell).strip().strip(",;.").strip()
        while text.startswith("{") and text.endswith("}") and text.count("{") == 1:
            text = text[1:-1].strip()
        if text:
            found.setdefault(text)
    parts: list[str | Formula] = [" [diagram"]
    for number, text in enumerate(list(found)[:MOST_FORMULAS]):
        parts.extend([": " if number == 0 else ", ", Formula(text)])
    return [*parts, "] "]


def _cells(tokens: list[str]) -> list[list[str]]:
    """The tokens between arrows, ``&`` and line ends; the labels of arrows are cells of their own."""
    cells: list[list[str]] = [[]]
    position = depth = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token in ("\\begin", "\\end"):
            position = _after_group(tokens, position)
            cells.append([])
        elif depth == 0 and token in ("&", "\\\\"):
            cells.append([])
            if token == "\\\\" and position < len(tokens) and tokens[position] == "[":
                position = tokens.index("]", position) + 1 if "]" in tokens[position:] else position
        elif depth == 0 and token in ("\\xrightarrow", "\\to"):
            cells.append([])
            if token == "\\xrightarrow":
                end = _after_group(tokens, position)
                cells.append(tokens[position + 1 : end - 1])
                position = end
            else:
                position = _labels(tokens, position, cells)
            cells.append([])
        else:
            depth += (token in _OPENING) - (token in _CLOSING)
            cells[-1].append(token)
    return cells


def _labels(tokens: list[str], position: int, cells: list[list[str]]) -> int:
    """Takes the scripts that follow an arrow as cells, and returns where they end."""
    while position < len(tokens):
        token = tokens[position]
        if token.isspace():
            position += 1
        elif token in ("^", "_") and position + 1 < len(tokens):
            position += 1
            if tokens[position] == "{":
                end = _after_group(tokens, position)
                cells.append(tokens[position + 1 : end - 1])
                position = end
            elif len(tokens[position]) > 1 and tokens[position][0] != "\\":
                cells.append([tokens[position][0]])
                tokens[position] = tokens[position][1:]
                break
            else:
                cells.append([tokens[position]])
                position += 1
        else:
            break
    return position


def _after_group(tokens: list[str], position: int) -> int:
    """Where the group that begins here ends; the same place where none does."""
    if position >= len(tokens) or tokens[position] != "{":
        return position
    depth = 0
    for place in range(position, len(tokens)):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if depth == 0:
            return place + 1
    return len(tokens)
