"""A layout tree as Presentation MathML that browsers show without help."""

from __future__ import annotations

from collections.abc import Collection

from porism.formula.layout import child_rows, mark_order, takes_arguments
from porism.formula.tables.alphabets import has_own_character, styled
from porism.formula.tables.commands import ACCENT_SYNONYMS, BRACES, MARKS
from porism.formula.tables.lookup import RELATION_CLASSES, is_limit_operator, token_class
from porism.formula.tree import LayoutNode, LayoutTree, Row

_Task = str | LayoutNode | tuple[Row]
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_VARIANTS = {
    "bf": "bold", "cal": "script", "frak": "fraktur", "sf": "sans-serif", "tt": "monospace", "bb": "double-struck",
    "rm": "normal",
    "it": "italic",
}
_FENCES = frozenset({"open", "close", "bar"})
_SHOWN = {"-": "−", "*": "∗", "⋅": "⋅"}
_FUNCTION_APPLICATION = "<mo>\u2061</mo>"
_FUNCTIONS = frozenset({"function", "trigonometric", "logarithm", "limit"})


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
    tree: LayoutTree, *, ids: bool = True, display: bool = False, prefix: str = "m-", marked: Collection[int] = (),
    mark_class: str = "match", mark_scripts: bool = True,
) -> str:
    """The tree as a ``<math>`` element, ``display`` for a formula on a line of its own.

    With ``ids`` the element of each node (its scripts with it) has an id, ``prefix`` and the node's number in
    :func:`preorder`. The nodes whose numbers are in ``marked`` have the CSS class ``mark_class``; that works without
    ids too. The class is at the element of the node with its scripts, or with ``mark_scripts`` off at that of the
    bare symbol.
    """
    return _Writer(tree, ids, prefix, frozenset(marked), mark_class, mark_scripts).write(display)


def escape(text: str) -> str:
    """Text for markup."""
    if "&" in text or "<" in text or ">" in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


class _Writer:
    def __init__(
        self, tree: LayoutTree, ids: bool, prefix: str, marked: frozenset[int], mark_class: str, mark_scripts: bool
    ) -> None:
        self.tree = tree
        self.ids = ids
        self.has_stretching = "\\left" in tree.source
        self.prefix = escape(prefix).replace('"', "&quot;")
        self.marked = marked
        self.mark = escape(mark_class).replace('"', "&quot;")
        self.mark_scripts = mark_scripts
        self.numbers: dict[int, int] = {}
        if ids or marked:
            self.numbers = {id(node): number for number, node in enumerate(preorder(tree))}

    def write(self, display: bool) -> str:
        parts = [f'<math xmlns="{_NAMESPACE}"' + (' display="block">' if display else ">")]
        stack: list[_Task] = ["</math>", (self.tree.row,)]
        while stack:
            task = stack.pop()
            if isinstance(task, str):
                parts.append(task)
            elif isinstance(task, tuple):
                stack.extend(reversed(self._row(task[0])))
            else:
                stack.extend(reversed(self._node(task)))
        return "".join(parts)

    def _row(self, row: Row) -> list[_Task]:
        """One node by itself, several or none in an ``<mrow>``."""
        if len(row) == 1:
            return [row[0]]
        return ["<mrow>", *self._content(row), "</mrow>"]

    def _content(self, row: Row) -> list[_Task]:
        """The nodes of a row; what ``\\left`` and ``\\right`` enclose is a row of its own, over which they stretch."""
        opens, closes = self._stretched_groups(row)
        tasks: list[_Task] = []
        last = len(row) - 1
        for i, node in enumerate(row):
            if i in opens:
                tasks.append("<mrow>")
            tasks.append(node)
            if node.kind == "V" and i < last and len(node.label) > 1 and token_class(node.label, "V") in _FUNCTIONS:
                tasks.append(_FUNCTION_APPLICATION)
            if i in closes:
                tasks.append("</mrow>")
        return tasks

    def _stretched_groups(self, row: Row) -> tuple[set[int], set[int]]:
        opens: set[int] = set()
        closes: set[int] = set()
        if self.has_stretching:
            pending: list[int] = []
            for i, node in enumerate(row):
                if node.kind == "O":
                    if self._is_written(node, "\\left"):
                        pending.append(i)
                    elif self._is_written(node, "\\right") and pending:
                        start = pending.pop()
                        if not takes_arguments(row, start):  # else it would be read as an argument
                            opens.add(start)
                            closes.add(i)
        return opens, closes

    def _is_written(self, node: LayoutNode, command: str) -> bool:
        return self.tree.source.startswith(command, node.start) and node.end - node.start > len(command)

    def _attributes(self, node: LayoutNode, marks: bool = True) -> str:
        number = self.numbers.get(id(node), -1)
        text = f' id="{self.prefix}{number}"' if self.ids else ""
        return text + self._mark(node) if marks else text

    def _mark(self, node: LayoutNode) -> str:
        return f' class="{self.mark}"' if self.numbers.get(id(node), -1) in self.marked else ""

    # -- one node ------------------------------------------------------------------------------------------------------

    def _node(self, node: LayoutNode) -> list[_Task]:
        accents = node.kind != "F" and (node.over is not None or node.under is not None)
        scripts = node.above is not None or node.below is not None
        before = node.pre_below is not None or (node.pre_above is not None and node.kind != "R")
        if not (accents or scripts or before):
            return self._core(node, self._attributes(node))
        attributes = self._attributes(node, self.mark_scripts)
        tasks = self._core(node, "" if self.mark_scripts else self._mark(node))
        outermost = "multiscripts" if before else "scripts" if scripts else "accents"
        if accents:
            tasks = self._accented(node, tasks, attributes if outermost == "accents" else "")
        if before:
            return [
                f"<mmultiscripts{attributes}>", *tasks, (node.below or [],), (node.above or [],),
                "<mprescripts></mprescripts>", (node.pre_below or [],), (node.pre_above or [],), "</mmultiscripts>",
            ]
        if scripts:
            return self._scripted(node, tasks, attributes)
        return tasks

    def _accented(self, node: LayoutNode, base: list[_Task], attributes: str) -> list[_Task]:
        order = [slot for slot in mark_order(node) if getattr(node, slot) is not None]
        for slot in order:
            row = getattr(node, slot)
            element = "m" + slot
            inner = attributes if slot == order[-1] else ""
            mark = row[0] if len(row) == 1 and row[0].kind == "O" else None
            note = None if mark is None else mark.below if slot == "under" else mark.above
            if mark is not None and note is not None and mark.label in BRACES:
                sign = f"<mo{self._attributes(mark)}>{mark.label}</mo>"
                base = [f"<{element}{inner}><{element}>", *base, sign, f"</{element}>", (note,), f"</{element}>"]
                continue
            is_accent = mark is not None and mark.label in MARKS
            kind = (' accent="true"' if slot == "over" else ' accentunder="true"') if is_accent else ""
            base = [f"<{element}{kind}{inner}>", *base, (row,), f"</{element}>"]
        return base

    def _scripted(self, node: LayoutNode, base: list[_Task], attributes: str) -> list[_Task]:
        limits = (
            node.kind in "OV" and is_limit_operator(node.label) and token_class(node.label) != "integral"
            and not _is_mark(node.above) and not _is_mark(node.below) and node.over is None and node.under is None
        )
        if node.below is None:
            element = "mover" if limits else "msup"
            return [f"<{element}{attributes}>", *base, (node.above or [],), f"</{element}>"]
        if node.above is None:
            element = "munder" if limits else "msub"
            return [f"<{element}{attributes}>", *base, (node.below,), f"</{element}>"]
        element = "munderover" if limits else "msubsup"
        return [f"<{element}{attributes}>", *base, (node.below,), (node.above,), f"</{element}>"]

    def _core(self, node: LayoutNode, attributes: str) -> list[_Task]:
        kind, label = node.kind, node.label
        if kind == "V":
            return [_identifier(label, node.font, attributes)]
        if kind == "O":
            stretch = ""
            if token_class(label) in _FENCES and not any(
                self._is_written(node, command) for command in ("\\left", "\\right", "\\middle")
            ):
                stretch = ' stretchy="false"'
            return [f"<mo{stretch}{attributes}>{escape(_SHOWN.get(label, label))}</mo>"]
        if kind == "N":
            return [f"<mn{attributes}>{escape(styled(label, node.font))}</mn>"]
        if kind == "T":
            return [f"<mtext{attributes}>\u00a0{escape(label)}\u00a0</mtext>"]
        if kind == "W":
            return [f"<mi{attributes}>?{escape(label)}</mi>"]
        if kind == "E":
            return [f"<merror{attributes}><mtext>{escape(label)}</mtext></merror>"]
        if kind == "F":
            over, under = (node.over or [],), (node.under or [],)
            if label == "choose":
                return [
                    f'<mrow{attributes}><mo>(</mo><mfrac linethickness="0">', over, under, "</mfrac><mo>)</mo></mrow>",
                ]
            return [f"<mfrac{attributes}>", over, under, "</mfrac>"]
        if kind == "R":
            if node.pre_above is not None:
                return [f"<mroot{attributes}>", (node.within or [],), (node.pre_above,), "</mroot>"]
            return [f"<msqrt{attributes}>", *self._content(node.within or []), "</msqrt>"]
        if kind == "M":
            return self._matrix(node, attributes)
        return [f"<mrow{attributes}>", *self._content(node.within or []), "</mrow>"]

    def _matrix(self, node: LayoutNode, attributes: str) -> list[_Task]:
        label = node.label
        opening, closing = "", ""
        if label == "lines":
            tasks: list[_Task] = [f'<mtable{attributes} class="lines" displaystyle="true">']
            if ' class="' in attributes:
                tasks = [f"<mtable{attributes.replace(' class=', ' class=', 1)[:-1]} lines\" displaystyle=\"true\">"]
        else:
            opening, closing = label[:1], label[1:2]
            tasks = ["<mtable>" if opening else f"<mtable{attributes}>"]
        for line in node.elements or []:
            tasks.append("<mtr>")
            cells = line
            if label == "lines":
                cells = _aligned(line[0] if line else [])
            for position, cell in enumerate(cells):
                align = ""
                if label in ("lines", "{"):
                    side = "right" if label == "lines" and position == 0 and len(cells) > 1 else "left"
                    align = f' style="text-align: {side}"'
                tasks += (f"<mtd{align}>", *self._content(cell), "</mtd>")
            tasks.append("</mtr>")
        tasks.append("</mtable>")
        if opening:
            tasks.insert(0, f"<mrow{attributes}><mo>{escape(opening)}</mo>")
            tasks.append(f"<mo>{escape(closing)}</mo></mrow>" if closing else "</mrow>")
        return tasks


def _is_mark(row: Row | None) -> bool:
    """Whether a script would be read as an accent if it were right above or below."""
    return row is not None and len(row) == 1 and row[0].kind == "O" and (
        row[0].label in MARKS or row[0].label in ACCENT_SYNONYMS
    )


def _aligned(line: Row) -> list[Row]:
    """A line of a display in two cells, the second from its first relation on, as displays are mostly aligned."""
    for i, node in enumerate(line):
        if node.kind == "O" and token_class(node.label) in RELATION_CLASSES:
            return [line[:i], line[i:]]
    return [[], line]


def _identifier(label: str, font: str, attributes: str) -> str:
    if not font:
        upright = len(label) == 1 and (label in "∞∅ℏℵ⊤⊥" or ("Α" <= label <= "Ω"))
        variant = ' mathvariant="normal"' if upright else ""
        return f"<mi{variant}{attributes}>{escape(label)}</mi>"
    if font == "bb":
        return f"<mi{attributes}>{escape(label)}</mi>"
    if has_own_character(label, font):
        return f"<mi{attributes}>{styled(label, font)}</mi>"
    return f'<mi mathvariant="{_VARIANTS.get(font, "normal")}"{attributes}>{escape(label)}</mi>'
