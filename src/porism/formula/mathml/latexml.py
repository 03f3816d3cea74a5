"""What LaTeXML's MathML lacks or has wrong where its ``alttext``, the LaTeX, says it."""

from __future__ import annotations

import re
from html import unescape

from porism.formula.layout import SCRIPT_SLOTS, child_rows, column_of, group_nodes
from porism.formula.tables.spaces import HALF_QUAD, WORD_SPACE
from porism.formula.tables.styles import COLUMN
from porism.formula.tree import LayoutNode, Row

_ENTITIES = {
    ("l", "t", ";"): "<", ("g", "t", ";"): ">", ("a", "m", "p", ";"): "&", ("#", "39", ";"): "′", ("#", "39"): "′",
}
_ESCAPED_TWICE = re.compile(r"(?:&|\\displaystyle )(?:% ?)?(?:amp|lt|gt|quot|#39);")
_DISPLAY = re.compile(r"\\begin\b|@@eqnarray")
_STAGGERED = re.compile(r"(?<!\{)\{\}\s*[_^]|\\(?:tensor|indices)\b")
_MAX_NESTED = 8
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
    """Takes a third off the spaces of words, which LaTeXML takes for half a quad, where the LaTeX has no quad."""
    if _QUADS.search(latex) is not None:
        return
    rows = [top]
    for row in rows:
        for node in row:
            node.space -= WORD_SPACE // 2 * (node.space // HALF_QUAD)
            rows.extend(child_rows(node))


def nest_scripts(top: Row, latex: str) -> None:
    """Puts scripts on what has such scripts already: LaTeXML writes ``{x_a}_b`` as it writes ``x_a{}_b``."""
    if _STAGGERED.search(latex) is not None:
        return
    rows = [top]
    for row in rows:
        for i, node in enumerate(row):
            for _ in range(_MAX_NESTED):
                column = _repeated_column(node)
                if not column:
                    break
                node = row[i] = _scripted_group(node, column)
            rows.extend(child_rows(node))


def _repeated_column(node: LayoutNode) -> int:
    """The first column of scripts that has one where an earlier column has one too; 0 where none does."""
    columns = [sorted(set(map(column_of, scripts))) for scripts in (node.above, node.below) if scripts]
    return min((several[1] for several in columns if len(several) > 1), default=0)


def _scripted_group(node: LayoutNode, column: int) -> LayoutNode:
    """A group of a symbol with its scripts before a column, which has those from this column on."""
    row = [node]
    group = group_nodes(row, 0)
    group.styles = tuple(style for style in node.styles if style.kind == COLUMN)
    node.styles = tuple(style for style in node.styles if style.kind != COLUMN)
    for slot in SCRIPT_SLOTS:
        scripts = getattr(node, slot) or []
        moved = [script for script in scripts if column_of(script) >= column]
        if moved:
            setattr(node, slot, [script for script in scripts if column_of(script) < column] or None)
            setattr(group, slot, moved)
        for script in moved:
            if column_of(script) == column:
                script.styles = tuple(style for style in script.styles if style.kind != COLUMN)
    return group


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
