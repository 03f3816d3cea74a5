"""What LaTeXML's MathML lacks or has wrong where its ``alttext``, the LaTeX, says it."""

from __future__ import annotations

import re
from html import unescape

from porism.formula.layout import child_rows
from porism.formula.tree import LayoutNode, Row

_ENTITIES = {
    ("l", "t", ";"): "<", ("g", "t", ";"): ">", ("a", "m", "p", ";"): "&", ("#", "39", ";"): "′", ("#", "39"): "′",
}
_ESCAPED_TWICE = re.compile(r"(?:&|\\displaystyle )(?:% ?)?(?:amp|lt|gt|quot|#39);")
_DISPLAY = re.compile(r"\\begin\b|@@eqnarray")
_QUADS = re.compile(r"\\(?:q?quad|hspace|hskip|mspace|mskip|hfill?|hss|kern|mkern|enspace|enskip)\b")


def is_garbled(row: Row, latex: str, ampersands: bool) -> bool:
    """Whether entities were read as symbols, a display was written as text, or its line breaks are lost.

    ``ampersands`` says whether a token of the markup begins with one.
    """
    return (
        _ESCAPED_TWICE.search(latex) is not None
        or (ampersands and "\\&" not in latex)
        or (_DISPLAY.search(latex) is not None and row[-1].kind == "T")
        or ("\\\\" in latex and not _has_lines(row))
    )


def _has_lines(row: Row) -> bool:
    rows = [row]
    for inner in rows:
        for node in inner:
            if node.kind == "M":
                return True
            rows.extend(child_rows(node))
    return False


def unescaped(latex: str) -> str:
    """The LaTeX of an ``alttext`` whose entities may have been escaped twice."""
    return unescape(latex.replace("&% ", "&")) if _ESCAPED_TWICE.search(latex) is not None else latex


def narrow_spaces(top: Row, latex: str) -> None:
    """Makes the spaces of words, which LaTeXML takes for half a quad, a third of it where the LaTeX has no quad."""
    if _QUADS.search(latex) is not None:
        return
    rows = [top]
    for row in rows:
        for node in row:
            node.space = node.space * 2 // 3
            rows.extend(child_rows(node))


def repair_entity(row: Row, i: int) -> None:
    """Puts an entity that begins with the ampersand at ``row[i]`` and was escaped twice together again."""
    for parts, label in _ENTITIES.items():
        nodes = row[i:i + 1 + len(parts)]
        if tuple(node.label for node in nodes[1:]) == parts and not any(map(child_rows, nodes[:-1])):
            last = nodes[-1]
            joined = LayoutNode(label, "O", nodes[0].start, last.end)
            joined.above, joined.below = last.above, last.below
            if label == "′" and i and row[i - 1].above is None:
                row[i - 1].above = [joined]
                del row[i:i + 1 + len(parts)]
            else:
                row[i:i + 1 + len(parts)] = [joined]
            return
