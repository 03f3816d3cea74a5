"""Tables of Presentation MathML: matrices, displays of lines, and the rules of proofs."""

from __future__ import annotations

import re

from porism.formula.layout import matrix, trim
from porism.formula.mathml.elements import Child, Element
from porism.formula.mathml.proofs import RULE, inference
from porism.formula.mathml.tokens import attributes_of
from porism.formula.normalisation import absorb_fences
from porism.formula.tree import Row

_ALIGNMENT = re.compile(r"(?:rc?l)+")
_BESIDE = "beside the lines"
"""The alignment of a cell that is beside the lines of a display, as those of empheq and numcases."""
_GAP = "a gap"
"""The alignment of a cell that has only space: a column of them is between the lines of a double rule."""


def cell_kind(element: Element, row: Row) -> str:
    """The alignment of a finished cell, or what it is for in the table."""
    if element.children and all(child.is_beside for child in element.children):
        return _BESIDE
    if not row and any(child.space for child in element.children):
        return _GAP
    return attributes_of(element.attributes).get("columnalign", "") if "columnalign" in element.attributes else ""


def table(element: Element, end: int) -> Row:
    """The nodes that a finished table makes."""
    if RULE in element.attributes:
        lines_of_proof = [row for child in element.children for row, _ in child.cells[:1]]
        return inference(lines_of_proof, element.attributes, element.start, end)
    lines: list[list[Row]] = []
    columns = ""
    if "columnlines" in element.attributes:
        _join_double_rules(element.children)
    before, after = _take_beside(element.children)
    for child in element.children:
        cells = child.cells if child.name in ("mtr", "mlabeledtr") else ((child.row, ""),)
        aligns = "".join(align[:1] for _, align in cells)
        columns = aligns if len(aligns) > len(columns) else columns
        lines.append([row for row, _ in cells] or [[]])
    kind = "matrix"
    attributes = attributes_of(element.attributes)
    if not columns:
        widest = max((len(line) for line in lines), default=0)
        columns = "".join(align[:1] for align in attributes.get("columnalign", "").split())[:widest]
    is_display = attributes.get("displaystyle") == "true" and attributes.get("columnspacing", "").startswith("0")
    if "lines" in attributes.get("class", "").split() or is_display or _ALIGNMENT.fullmatch(columns):
        kind = "lines"
    else:
        for line in lines:
            for row in line:
                trim(row)
    content = matrix(kind, "", lines, element.start, end) if lines else []
    if before or after:
        content = [*before, *content, *after]
        absorb_fences(content)
    return content


def _join_double_rules(lines: list[Child]) -> None:
    """Takes out the columns that have only space: MathJax puts them between the two lines of a double rule."""
    width = max((len(line.cells) for line in lines), default=0)
    gaps = {k for k in range(width) if all(line.cells[k:k + 1] and line.cells[k][1] == _GAP for line in lines)}
    for i, line in enumerate(lines):
        lines[i] = line._replace(cells=tuple(cell for k, cell in enumerate(line.cells) if k not in gaps))


def _take_beside(lines: list[Child]) -> tuple[Row, Row]:
    """Takes the cells out that are beside the lines of a display: the rows before and after the lines."""
    sides: list[Row] = []
    for place in (0, -1):
        row, align = lines[0].cells[place] if lines and len(lines[0].cells) > 1 else ([], "")
        if align != _BESIDE:
            sides.append([])
            continue
        sides.append(row)
        for i, line in enumerate(lines):
            if place == 0:
                lines[i] = line._replace(cells=line.cells[1:])
            elif i == 0:
                lines[i] = line._replace(cells=line.cells[:-1])
    return sides[0], sides[1]
