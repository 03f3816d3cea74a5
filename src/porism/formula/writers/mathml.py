"""A layout tree as Presentation MathML that browsers show without help."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from porism.formula.layout import child_rows
from porism.formula.tables.alphabets import styled
from porism.formula.tables.lookup import DROPPED_AT_END
from porism.formula.tables.setting import IDENTIFIERS, LINES_BESIDE
from porism.formula.tables.styles import PHANTOMS
from porism.formula.tree import LayoutNode, LayoutTree, Row, Style
from porism.formula.writers.cells import aligned_lines, cell_opening, column_style, end_of, row_styles
from porism.formula.writers.enclosures import ACCENTED, CORE, WHOLE, begun, extent, is_display, opening
from porism.formula.writers.fences import is_high
from porism.formula.writers.hints import Hints
from porism.formula.writers.letters import letter_shown
from porism.formula.writers.scripts import ACCENT_ATTRIBUTES, InRow, Side, Task, accented, columns_of_scripts, scripted
from porism.formula.writers.spacing import DISPLAY, SCRIPT, TEXT, Operator, set_row
from porism.formula.writers.texts import escape, text_parts

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def preorder(tree: LayoutTree) -> list[LayoutNode]:
    """All nodes of a tree, each before those under it; the position of a node here is the number in its MathML id."""
    nodes: list[LayoutNode] = []
    stack = list(reversed(tree.row))
    while stack:
        node = stack.pop()
        nodes.append(node)
        for row in reversed(child_rows(node)):
            stack.extend(reversed(row))
    return nodes


def to_mathml(
    tree: LayoutTree, *, ids: bool = True, display: bool = False, prefix: str = "m-",
    marked: Collection[int] | Mapping[int, str] = (), mark_class: str = "match", mark_scripts: bool = True,
) -> str:
    """The tree as a ``<math>`` element, ``display`` for a formula on a line of its own.

    With ``ids`` the element of each node (its scripts with it) has an id, ``prefix`` and the node's number in
    :func:`preorder`. The nodes whose numbers are in ``marked`` have the CSS class ``mark_class``, or the classes that
    it maps them to; that works without ids too. The class is at the element of the node with its scripts, or with
    ``mark_scripts`` off at that of the bare symbol.
    """
    classes = marked if isinstance(marked, Mapping) else dict.fromkeys(marked, mark_class)
    return _MathmlWriter(tree, ids, prefix, classes, mark_scripts).write(display)


class _MathmlWriter:
    def __init__(
        self, tree: LayoutTree, ids: bool, prefix: str, marked: Mapping[int, str], mark_scripts: bool
    ) -> None:
        self.tree = tree
        self.hints = Hints(tree)
        self.ids = ids
        self.prefix = escape(prefix).replace('"', "&quot;")
        self.marked = {number: escape(name).replace('"', "&quot;") for number, name in marked.items()}
        self.mark_scripts = mark_scripts
        self.numbers: dict[int, int] = {}
        if ids or marked:
            self.numbers = {id(node): number for number, node in enumerate(preorder(tree))}

    def write(self, display: bool) -> str:
        attributes = ' display="block"' if display else ""
        parts = [f'<math xmlns="{_NAMESPACE}"{attributes}>']
        row = self.tree.row
        content = self._ended(row, self._content(row, DISPLAY if display else TEXT))
        stack: list[Task] = ["</math>", *reversed(_in_row(content))]
        while stack:
            task = stack.pop()
            if isinstance(task, str):
                parts.append(task)
            elif isinstance(task, Side):
                stack.extend(reversed(self._row(task.row, task.style)))
            else:
                stack.extend(reversed(self._node(task)))
        return "".join(parts)

    def _row(self, row: Row, style: int) -> list[Task]:
        """One node by itself, several or none in an ``<mrow>``."""
        return _in_row(self._content(row, style))

    def _content(self, row: Row, style: int, follows_operand: bool = False) -> list[Task]:
        """The nodes of a row with spaces and groups; scripts on a whole group are outside of it."""
        if row and style != DISPLAY and self.hints.is_display(row[0]):
            return [_DISPLAYED, *self._content(row, DISPLAY, follows_operand), "</mstyle>"]
        setting = set_row(row, style, self.hints, follows_operand)
        fences = setting.fences
        tasks: list[Task] = []
        closing: list[tuple[int, list[Task], int]] = []
        for i, node in enumerate(row):
            unseen = [part for part in reversed(node.styles) if part.unseen] if node.styles else ()
            if i in setting.before:
                tasks.append(setting.before[i])
            tasks += chain.from_iterable(_unseen(part, style) for part in unseen if not part.after)
            for last, run in begun(row, fences.groups.get(i, ()), setting.runs.get(i, ())):
                if run is None:
                    opened, closed = self._group(row[last], style, last in fences.scripted)
                else:
                    opened, closed = [opening(run.style)], ["</mrow>"]
                tasks += opened
                closing.append((last, closed, style))
                style = _style_in(run.style if run is not None else None, style)
            operator = setting.operators.get(i)
            around = setting.alone.get(i, ())
            inner = style
            for enclosure in around:
                inner = _style_in(enclosure, inner)
            if self.hints.is_stack(node) and not _in_parentheses(row, i):
                tasks += _enclosed(around, self._stack(node, inner))
            elif i in fences.scripted:
                tasks += _enclosed(around, self._core(InRow(node, inner, operator), self._attributes(node)))
            else:
                tasks.append(InRow(node, inner, operator, around))
            tasks += chain.from_iterable(_unseen(part, style) for part in unseen if part.after)
            while closing and closing[-1][0] == i:
                _, closed, style = closing.pop()
                tasks += closed
        return tasks

    def _group(self, last: LayoutNode, style: int, is_scripted: bool) -> tuple[list[Task], list[Task]]:
        """What opens and closes a group of fences; the scripts of the last one are on all of it."""
        if not is_scripted:
            return ["<mrow>"], ["</mrow>"]
        opened, *rest = scripted(last, ["<mrow>", "</mrow>"], "", style, self.hints)
        return [opened, "<mrow>"], rest[1:]

    def _ended(self, row: Row, content: list[Task]) -> list[Task]:
        """The content of a formula or a cell with the punctuation that ended it."""
        if not row or row[-1].label in DROPPED_AT_END:
            return content
        sign = self.hints.punctuation(end_of(row[-1]))
        return [*content, f'<mo lspace="0" rspace="0">{sign}</mo>'] if sign else content

    def _attributes(self, node: LayoutNode, marks: bool = True) -> str:
        number = self.numbers.get(id(node), -1)
        text = f' id="{self.prefix}{number}"' if self.ids and number >= 0 else ""
        return text + self._mark(node) if marks else text

    def _mark(self, node: LayoutNode) -> str:
        name = self.marked.get(self.numbers.get(id(node), -1))
        return "" if name is None else f' class="{name}"'

    # -- one node ------------------------------------------------------------------------------------------------------

    def _node(self, task: InRow) -> list[Task]:
        node, style, _, around = task
        accents = node.kind != "F" and (node.over is not None or node.under is not None)
        scripts = node.above is not None or node.below is not None
        before = node.pre_below is not None or (node.pre_above is not None and node.kind != "R")
        if not (accents or scripts or before):
            return _enclosed(around, self._core(task, self._attributes(node)))
        held = [[style for style in around if extent(node, style) == level] for level in (CORE, ACCENTED, WHOLE)]
        attributes = self._attributes(node, self.mark_scripts)
        tasks = _enclosed(held[CORE], self._core(task, "" if self.mark_scripts else self._mark(node)))
        outermost = "multiscripts" if before else "scripts" if scripts else "accents"
        if accents:
            tasks = accented(
                node, tasks, attributes if outermost == "accents" else "", style, self.hints, self._attributes
            )
        tasks = _enclosed(held[ACCENTED], tasks)
        if before:
            sides = [Side(row or [], SCRIPT) for row in (node.pre_below, node.pre_above)]
            tasks = [
                f"<mmultiscripts{attributes}>", *tasks, *columns_of_scripts(node),
                "<mprescripts></mprescripts>", *sides, "</mmultiscripts>",
            ]
        elif scripts:
            tasks = scripted(node, tasks, attributes, style, self.hints)
        return _enclosed(held[WHOLE], tasks)

    def _core(self, task: InRow, attributes: str) -> list[Task]:
        node, style, operator, _ = task
        kind, label = node.kind, node.label
        if operator is not None:
            return self._operator(node, operator, attributes)
        if kind == "V" or label in IDENTIFIERS:
            shown, variant = letter_shown(node, self.hints)
            variant = variant and f' mathvariant="{variant}"'
            return [f"<mi{variant}{attributes}>{escape(shown)}</mi>"]
        if kind == "N":
            return [f"<mn{attributes}>{escape(styled(self.hints.number(node) or label, node.font))}</mn>"]
        if kind == "T":
            parts = text_parts(node, self.hints)
            if len(parts) == 1:
                return [f"<mtext{parts[0][1]}{attributes}>{escape(parts[0][0])}</mtext>"]
            inner = "".join(f"<mtext{look}>{escape(text)}</mtext>" for text, look in parts)
            return [f"<mrow{attributes}>{inner}</mrow>"]
        if kind == "W":
            return [f"<mi{attributes}>?{escape(label)}</mi>"]
        if kind == "E":
            return [f"<merror{attributes}><mtext>{escape(label)}</mtext></merror>"]
        if kind == "F":
            return self._fraction(node, attributes, style)
        if kind == "R":
            within = self._content(node.within or [], style)
            if not any(map(is_high, node.within or ())):
                within.insert(0, _ROOT_STRUTS[style])
            if node.pre_above is None:
                return [f"<msqrt{attributes}>", *within, "</msqrt>"]
            return [f"<mroot{attributes}>", *_in_row(within), Side(node.pre_above, SCRIPT), "</mroot>"]
        if kind == "M":
            return self._matrix(node, attributes, style)
        return [f"<mrow{attributes}>", *self._content(node.within or [], style), "</mrow>"]

    def _operator(self, node: LayoutNode, operator: Operator, attributes: str) -> list[Task]:
        """An operator; a limit that was written with a line or an arrow has it."""
        side, mark = self.hints.limit_mark(node)
        if not side:
            return [f"<mo{operator.attributes}{attributes}>{escape(operator.shown)}</mo>"]
        kind = ACCENT_ATTRIBUTES[side]
        return [
            f'<m{side} {kind}="true"{attributes}><mo{operator.attributes}>lim</mo>'
            f"<mo>{LINES_BESIDE[side] if mark == '¯' else mark}</mo></m{side}>"
        ]

    def _fraction(self, node: LayoutNode, attributes: str, style: int) -> list[Task]:
        wanted = self.hints.style(node)
        shown = f' displaystyle="{"true" if wanted == "display" else "false"}"' if wanted else ""
        style = DISPLAY if wanted == "display" else TEXT if wanted == "text" else style
        inner = TEXT if style == DISPLAY else SCRIPT
        over: list[Task] = [Side(node.over or [], inner)]
        if self.hints.command(node) == "cfrac":
            over = ["<mrow>", _STRUT, *over, "</mrow>"]
        parts = [*over, Side(node.under or [], inner), "</mfrac>"]
        if node.label == "choose":
            opened = f'<mrow{shown}{attributes}>{_fence("(")}<mfrac linethickness="0">'
            return [opened, *parts, _fence(")") + "</mrow>"]
        return [f"<mfrac{shown}{attributes}>", *parts]

    def _stack(self, node: LayoutNode, style: int) -> list[Task]:
        """Two lines as a fraction without its line, with their scripts."""
        inner = TEXT if style == DISPLAY else SCRIPT
        over, under = (Side(line[0] if line else [], inner) for line in node.elements or [])
        has_scripts = node.above is not None or node.below is not None
        attributes = self._attributes(node)
        opening = f'<mfrac linethickness="0"{"" if has_scripts else attributes}>'
        stack: list[Task] = [opening, over, under, "</mfrac>"]
        return scripted(node, stack, attributes, style, self.hints) if has_scripts else stack

    def _matrix(self, node: LayoutNode, attributes: str, style: int) -> list[Task]:
        """A matrix with its fences, cases, or a display of lines."""
        label = node.label
        if label == "lines":
            return self._lines(node, attributes, style)
        opening, closing = label[:1], label[1:2]
        columns = self.hints.columns(node)
        kind = ' class="array"' if columns and (opening or ' class="' not in attributes) else ""
        if self.hints.is_small(node):
            style = SCRIPT
            kind = ' class="small" scriptlevel="1"' if opening or ' class="' not in attributes else ' scriptlevel="1"'
        tasks: list[Task] = [f"<mtable{kind}{'' if opening else attributes}>"]
        lines = node.elements or []
        for line, rules in zip(lines, row_styles(node, lines, self.hints), strict=True):
            tasks.append("<mtr>")
            for position, cell in enumerate(line):
                strut = "" if position or style == SCRIPT else _STRUT if columns or label != "{" else _CASES_STRUT
                look = "text-align: left" if label == "{" and not columns else column_style(columns, position)
                look = "; ".join(filter(None, (look, rules)))
                content = self._content(cell, max(style, TEXT))
                tasks += (cell_opening(look) + strut, *self._ended(cell, content), "</mtd>")
            tasks.append("</mtr>")
        tasks.append("</mtable>")
        if opening:
            tasks.insert(0, f"<mrow{attributes}>{_fence(opening)}")
            tasks.append(f"{_fence(closing)}</mrow>" if closing else "</mrow>")
        return tasks

    def _lines(self, node: LayoutNode, attributes: str, style: int) -> list[Task]:
        """Lines aligned where they were written so, else centred; in scripts as small as these."""
        display = style != SCRIPT
        lines = [line[0] if line else [] for line in node.elements or []]
        rows = aligned_lines(node, lines, self.hints) if display else [[line] for line in lines]
        class_name = "lines" if display else "lines small"
        kind = f' class="{class_name}"' if ' class="' not in attributes else ""
        if not kind:
            attributes = attributes.replace(' class="', f' class="{class_name} ')
        shown = ' displaystyle="true"' if display else ""
        tasks: list[Task] = [f"<mtable{attributes}{kind}{shown}>"]
        for row, rules in zip(rows, row_styles(node, [[line] for line in lines], self.hints), strict=True):
            tasks.append("<mtr>")
            for position, cell in enumerate(row):
                look = "" if len(row) == 1 else f"text-align: {'left' if position % 2 else 'right'}"
                look = "; ".join(filter(None, (look, rules)))
                strut = _STRUT if display and not position else ""
                inner = DISPLAY if display else SCRIPT
                content = self._content(cell, inner, position % 2 == 1)
                tasks += (cell_opening(look) + strut, *self._ended(cell, content), "</mtd>")
            tasks.append("</mtr>")
        tasks.append("</mtable>")
        return tasks


def _unseen(phantom: Style, style: int) -> list[Task]:
    """Room as large as what is not seen."""
    opened, closed = PHANTOMS[phantom.kind]
    return [opened, Side(phantom.unseen, style), closed]


def _style_in(enclosure: Style | None, style: int) -> int:
    """The style of what is in a box, a stroke or a colour that is itself in some style."""
    display = is_display(enclosure)
    return style if display is None else DISPLAY if display else max(style, TEXT)


def _enclosed(around: Sequence[Style], content: list[Task]) -> list[Task]:
    """Content in boxes, under strokes and in colours, the outer ones first."""
    return [*map(opening, around), *content, *["</mrow>"] * len(around)] if around else content


def _in_row(content: list[Task]) -> list[Task]:
    return content if len(content) == 1 else ["<mrow>", *content, "</mrow>"]


_DISPLAYED = '<mstyle displaystyle="true" scriptlevel="0">'
_STRUT = '<mspace height="0.84em" depth="0.36em"></mspace>'
"""Gives the lines of a table TeX's distance."""
_CASES_STRUT = '<mspace height="1.01em" depth="0.43em"></mspace>'
_ROOT_STRUTS = {
    style: f'<mspace height="{height}em" depth="0.16em"></mspace>'
    for style, height in ((DISPLAY, 0.62), (TEXT, 0.72), (SCRIPT, 0.72))
}
"""Style → what raises the root sign around low letters, which would hang below the line."""


def _fence(label: str) -> str:
    """A fence that is as high as the row that it begins or ends."""
    return f'<mo stretchy="true">{escape(label)}</mo>'


def _in_parentheses(row: Row, i: int) -> bool:
    """Whether a node is between parentheses, where a fraction without its line is a binomial."""
    return 0 < i < len(row) - 1 and row[i - 1].label == "(" and row[i + 1].label == ")"
