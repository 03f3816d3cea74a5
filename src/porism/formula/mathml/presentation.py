"""Layout elements of Presentation MathML to rows of nodes."""

from __future__ import annotations

import re

from porism.formula.breaks import line_break
from porism.formula.latex.negation import strike_through
from porism.formula.layout import (
    SCRIPT_SLOTS,
    attach_limits,
    begin_column,
    brace_mark,
    group_nodes,
    is_plain,
    nucleus,
    set_style,
    takes_arguments,
)
from porism.formula.mathml.colours import colours_of, set_colours
from porism.formula.mathml.elements import Child, Element, is_operator
from porism.formula.mathml.finishing import BARE_STACK, finish_row, is_empty_stack, join_relation
from porism.formula.mathml.leaves import operator
from porism.formula.mathml.proofs import NAME, named, side_of
from porism.formula.mathml.tables import cell_kind, table
from porism.formula.mathml.tokens import attributes_of
from porism.formula.normalisation import absorb_fences
from porism.formula.tables.commands import ACCENT_SYNONYMS, MARKS
from porism.formula.tables.lookup import is_limit_operator
from porism.formula.tables.spaces import length
from porism.formula.tables.styles import ENCLOSURES, NOTATIONS
from porism.formula.tree import LayoutNode, Row
from porism.formula.words import TextRun, accented, join_runs, words_row

_NOTHING = frozenset({
    "mphantom", "annotation-xml", "none", "mprescripts", "malignmark", "maligngroup", "mglyph", "script",
    "style",
})
_NO_LINE = re.compile(r"linethickness\s*=\s*[\"']\s*0+(?:\.0*)?\s*[a-z]*\s*[\"']")

_REFERENCE = "MathJax_ref"
"""Class of the number of another formula."""


def build(element: Element, end: int, parent: Element) -> Child | None:
    """What a finished element hands to its parent, None where it has no place among the arguments of the parent."""
    name = element.name
    if name == "mphantom" or (element.has_phantom and not any(child.row for child in element.children)):
        parent.has_phantom = True
    if name in ("mprescripts", "none"):
        return Child(name, [])
    if name == "mspace" and parent.name in _ROWS:
        if "newline" in element.attributes:
            return Child(name, [line_break(element.start, end)])
        return Child(name, [], space=length(attributes_of(element.attributes).get("width", "")))
    if name in _NOTHING or name == "mspace" or _REFERENCE in element.attributes:
        return Child(name, []) if parent.name in _POSITIONAL else None
    if name in _POSITIONAL:
        children = element.children
        if len(children) == 1 and len(children[0].parts) == _POSITIONAL[name] > 1:
            # LaTeXML sometimes wraps all arguments into one padded row.
            arguments = list(children[0].parts)
        else:
            arguments = [finish_row(child.row) for child in children]
        if name == "mmultiscripts":
            return Child(name, _multiscripts(element, arguments, end))
        wanted = _POSITIONAL[name]
        if len(arguments) > wanted:
            # Too many children: what is too much is added to the last.
            for extra in arguments[wanted:]:
                arguments[wanted - 1] += extra
        arguments += [[] for _ in range(wanted - len(arguments))]
        belongs_before = element.has_phantom and not arguments[0] and name in ("msup", "msub", "msubsup")
        row = _positional(element, arguments[:wanted], end)
        set_colours(row, element.attributes)
        run = children[0].run if children and name not in ("mfrac", "mroot") else None
        if run is not None and any(arguments[1:wanted]):
            run = accented(run, arguments[1]) if name == "mover" else None
        return Child(name, row, belongs_before=belongs_before, run=run)
    if name == "mtd":
        row = finish_row(_joined(element))
        return Child(name, row, cells=((row, cell_kind(element, row)),))
    if name in ("mtr", "mlabeledtr"):
        cells = [cell for child in element.children for cell in (child.cells or (((child.row), ""),))]
        return Child(name, [], cells=tuple(cells[1:] if name == "mlabeledtr" else cells))
    if name == "mtable":
        return Child(name, table(element, end))
    if name == "semantics":
        return Child(name, element.children[0].row if element.children else [])
    if name == "maction":
        chosen = attributes_of(element.attributes).get("selection", "1") if element.attributes else "1"
        position = int(chosen) - 1 if chosen.isascii() and chosen.isdigit() else 0
        return Child(name, element.children[position].row if position in range(len(element.children)) else [])
    if name == "menclose":
        return Child(name, _enclosed(element, end), is_operator="northeastarrow" in element.attributes)
    if name == "msqrt":
        node = LayoutNode("√", "R", element.start, end)
        node.within = finish_row(_joined(element))
        set_colours([node], element.attributes)
        return Child(name, [node])
    if name == "mfenced":
        return Child(name, _fenced(element, end))
    if name == "qvar":
        label = attributes_of(element.attributes).get("name", "") or "?"
        return Child(name, [LayoutNode("".join(label.split()) or "?", "W", element.start, end)])
    if name == "mpadded" and parent.name in _POSITIONAL:
        # The row may turn out to hold all arguments of the parent.
        row = _bracket(element) or list(_joined(element))
        return Child(name, row, parts=tuple(list(child.row) for child in element.children))
    return _row(element)


_BORDERS = {"border-bottom: none": "⎴", "border-top: none": "⎵"}
"""The side that the border around nothing leaves open → the bracket that MathJax draws so."""


def _bracket(element: Element) -> Row:
    marks = [mark for border, mark in _BORDERS.items() if border in element.attributes]
    return [LayoutNode(mark, "O", element.start, element.start) for mark in marks if element.has_phantom]


_ENCLOSURE = re.compile(rf"(?<![\w-])(?:{'|'.join(ENCLOSURES)})(?![\w-])")
"""The class of a row that our writer puts in a box or strikes through."""


def _row(element: Element) -> Child:
    row = finish_row(_joined(element))
    inside = {child.name for child in element.children}
    if "mtable" in inside:
        if element.name == "mstyle" and len(element.children) == 1:
            return Child("mtable", row)  # the fences are around it
        absorb_fences(row)
    if "REL" in element.attributes and len(row) > 1:
        join_relation(row)
    if "class" in element.attributes and (enclosure := _ENCLOSURE.search(element.attributes)) is not None:
        set_style(row, enclosure[0], *colours_of(element.attributes))
    else:
        set_colours(row, element.attributes)
    if NAME in element.attributes:
        return Child(NAME, [], parts=(row,), side=side_of(element.attributes))
    if NAME in inside:
        named(row, {child.side: child.parts[0] for child in element.children if child.side})
    only = element.children[0] if len(element.children) == 1 else None
    if only is not None and only.name == STROKE:
        return only._replace(belongs_before=only.belongs_before or "lspace" in element.attributes)
    if _OVERLAY.search(element.attributes) is not None and [node.label for node in row] == [STROKE]:
        return Child(STROKE, row, belongs_before="lspace" in element.attributes)
    run = only.run if only is not None else None
    return Child(
        element.name, row, is_operator=is_operator(element.attributes), run=run,
        is_beside='voffset="height"' in element.attributes, space_after=_space_after(element),
    )


STROKE = "⧸"
"""The sign that MathJax sets over a symbol that it has no negation of."""
_OVERLAY = re.compile(r"(?<![\w-])width\s*=\s*[\"']0[\"']")


def _space_after(element: Element) -> int:
    """The space at the end of a row: what follows its last symbol, and what ``<mpadded>`` adds to its width.

    LaTeXML pads rows of several symbols for spaces that are inside them.
    """
    children = element.children
    space = 0
    if element.name == "mpadded" and len(children) == 1 and children[0].name != "mrow":
        attributes = attributes_of(element.attributes)
        width = attributes.get("width", "").strip()
        space = length(width) - length(attributes.get("lspace", "")) if width[:1] in ("+", "-") else 0
    for child in reversed(children):
        space += child.space_after or (0 if child.row else child.space)
        if child.row:
            break
    return space


_POSITIONAL = {
    "mfrac": 2, "mroot": 2, "msup": 2, "msub": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3,
    "mmultiscripts": 1,
}
"""Elements whose children are arguments by their position → how many."""

_ROWS = frozenset({"math", "mrow", "mstyle", "mpadded", "mtd", "msqrt", "menclose", "merror"})
"""Elements whose children stand side by side."""


def _joined(element: Element) -> Row:
    children = element.children
    if len(children) == 1:
        return children[0].row
    row: Row = []
    space = 0
    stroke: Row = []
    run: TextRun | None = None
    run_base = 0
    for child in children:
        if len(child.row) == 1 and is_empty_stack(child.row[0]):
            row += child.row  # nothing is seen of it, unless it is a binomial
            continue
        if child.run is not None or child.row:
            joined = join_runs(run, child.run, space + child.space) if run and child.run else None
            if joined is not None:
                spaced = row[run_base].space
                row[run_base:] = words_row(*joined)
                row[run_base].space += spaced
                run, space = joined, child.space_after
                continue
            run, run_base = child.run, len(row)
        if child.name == STROKE:
            if not (row and child.belongs_before and strike_through(row[-1:])):
                stroke = child.row
            continue
        if stroke and child.row:
            row += [] if strike_through(child.row[:1]) else stroke
            stroke = []
        if child.belongs_before and row and child.row:
            bearer = [row.pop()]
            for slot in SCRIPT_SLOTS:
                _script(bearer, slot, getattr(child.row[0], slot) or [], element)
            row += bearer
            continue
        base = len(row)
        row += child.row
        space += child.space
        if space and child.row:
            row[base].space += space
            space = 0
        space += child.space_after
        if child.name == "mrow" and len(child.row) > 1 and takes_arguments(row, base):
            group_nodes(row, base)
    return row + stroke


def _positional(element: Element, arguments: list[Row], end: int) -> Row:
    name = element.name
    base = arguments[0]
    has_operator = bool(element.children) and element.children[0].is_operator
    if name == "mfrac":
        node = LayoutNode("/", "F", element.start, end)
        node.over, node.under = arguments
        if "linethickness" in element.attributes and _NO_LINE.search(element.attributes):
            node.label = BARE_STACK
        return [node]
    if name == "mroot":
        node = LayoutNode("√", "R", element.start, end)
        node.within, node.pre_above = arguments[0], arguments[1] or None
        return [node]
    if name == "msup" and element.children and element.children[0].name == "menclose" and has_operator:
        attach_limits(base, 0, "over", arguments[1])  # what an arrow through it points to
    elif name == "msup":
        _script(base, "above", arguments[1], element)
    elif name == "msub":
        _script(base, "below", arguments[1], element)
    elif name == "msubsup":
        _script(base, "below", arguments[1], element)
        _script(base, "above", arguments[2], element)
    else:
        for slot, script, content in (("under", "below", arguments[1]), ("over", "above", arguments[-1])):
            if content and name != ("mover" if slot == "under" else "munder"):
                label = ACCENT_SYNONYMS.get(content[0].label, content[0].label)
                if has_operator and name != "mover" and not (len(content) == 1 and label in MARKS):
                    _script(base, script, content, element)
                else:
                    attach_limits(base, 0, slot, content)
    return base


def _script(base: Row, slot: str, content: Row, element: Element) -> None:
    if not content:
        return
    if len(base) == 1:
        mark = brace_mark(base[0], slot)
        if mark is not None and getattr(mark, slot) is None:
            setattr(mark, slot, content)
            return
    node = nucleus(base, 0, slot)
    if node.kind == "G" and not node.within:
        node.start = node.end = element.start
    taken = getattr(node, slot)
    setattr(node, slot, content if taken is None else [*taken, *content])


def _multiscripts(element: Element, arguments: list[Row], end: int) -> Row:
    """Scripts after a base, column by column, and before it, joined into one on each side."""
    if not arguments:
        return []
    base = arguments[0]
    before = False
    sides: dict[str, Row] = {"below": [], "above": []}
    below = True
    for number, (child, row) in enumerate(zip(element.children[1:], arguments[1:], strict=True), start=1):
        if child.name == "mprescripts":
            before, below = True, True
            continue
        if below and not before and base:
            begin_column(base[-1], arguments[number:number + 2])
        if before:
            sides["below" if below else "above"] += row
        elif base and row and not is_plain(base[-1]) and getattr(base[-1], slot := SCRIPT_SLOTS[below]):
            getattr(base[-1], slot).extend(row)
        else:
            _script(base, SCRIPT_SLOTS[below], row, element)
        below = not below
    if sides["below"] or sides["above"]:
        if len(base) == 1 and base[0].kind == "O" and not is_limit_operator(base[0].label):
            # What is before an operator belongs to nothing.
            node = LayoutNode("", "G", element.start, element.start)
            node.within = []
            node.below, node.above = sides["below"] or None, sides["above"] or None
            return [node, *base]
        if len(base) == 1 and base[0].kind != "R" and not base[0].pre_above and not base[0].pre_below:
            node = base[0]
        else:
            node = LayoutNode("", "G", element.start, end)
            node.within = list(base)
            base[:] = [node]
        node.pre_below = sides["below"] or None
        node.pre_above = sides["above"] or None
    return base


_NOTATIONS = {"top": ("over", "¯"), "bottom": ("under", "¯"), "actuarial": ("over", "¯"), "radical": ("", "√")}
"""Notation of ``<menclose>`` that is a sign → the side of its mark, and the mark; others are a frame or a stroke."""


def _enclosed(element: Element, end: int) -> Row:
    row = finish_row(_joined(element))
    if any(child.name == "mtable" for child in element.children):
        return row  # what is drawn around a table are its rules
    if not row and "diagonalstrike" in element.attributes:
        return operator(STROKE, "", element.start, end)
    for notation in attributes_of(element.attributes).get("notation", "").split():
        if notation in NOTATIONS:
            set_style(row, NOTATIONS[notation])
        side, mark = _NOTATIONS.get(notation, ("", ""))
        if side:
            attach_limits(row, 0, side, [LayoutNode(mark, "O", element.start, element.start)])
        elif mark:
            node = LayoutNode(mark, "R", element.start, end)
            node.within = row
            row = [node]
    return row


def _fenced(element: Element, end: int) -> Row:
    attributes = attributes_of(element.attributes)
    separators = "".join(attributes.get("separators", ",").split())
    start = element.start
    row = operator(attributes.get("open", "("), "", start, end)
    for position, child in enumerate(element.children):
        if position and separators:
            row += operator(separators[min(position - 1, len(separators) - 1)], "", start, end)
        row += finish_row(child.row)
    return row + operator(attributes.get("close", ")"), "", start, end)
