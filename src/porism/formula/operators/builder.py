"""From the layout of a formula to its operator tree: what is applied to what.

Every layout gives a tree, in linear time and without recursion: the rows of a layout are listed from the outermost to
the innermost and read in the opposite order, each by one pass with a stack of frames
(:mod:`porism.formula.operators.frames`). The roles of symbols and the vocabulary of labels are data
(:mod:`porism.formula.operators.rules`).
"""

from __future__ import annotations

from porism.formula.layout import is_command
from porism.formula.operators.arrays import line_rows
from porism.formula.operators.factors import Factors
from porism.formula.operators.frames import Frame
from porism.formula.operators.prepass import (
    ANGLES,
    DIFFERENTIAL,
    INTEGRAL_ENDS,
    SPELLED_NAME,
    STANDS_ALONE,
    look_ahead,
)
from porism.formula.operators.products import Prefix, make
from porism.formula.operators.rules import (
    ADD,
    ADDITIVE_LABELS,
    BAR,
    BIG,
    BINARY_FORMS,
    CLOSE,
    COLON,
    COMMA,
    DIVIDE,
    FUNCTION,
    INTEGRAL,
    INTEGRALS,
    LATTICE,
    LEAF,
    LOGIC,
    MODULO,
    MULTIPLY,
    OPEN,
    POSTFIX,
    PREFIX,
    PREPASS,
    QUANTIFIER,
    RELATION,
    RULES,
    SEMICOLON,
    Rule,
    leaf_label,
    rule_of_unknown,
)
from porism.formula.operators.scripts import leaf_node
from porism.formula.operators.statements import divided
from porism.formula.operators.upright import SYMBOL, UPRIGHT_SYMBOLS, is_upright_symbol
from porism.formula.tables.spaces import QUAD
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, Row


def operator_tree(layout: LayoutTree) -> OperatorTree:
    """The operator tree of a layout tree.

    Total: every layout gives a tree, an empty one the single leaf ``E`` without a label. Linear in the size of the
    layout, and not recursive. Offsets point into the source of the layout.
    """
    root = layout.operators if layout.operators is not None else _OperatorReader(layout.row).read()
    return OperatorTree(root if root is not None else OperatorNode("", "E", None, 0, 0), layout.source)


_SEPARATORS = {SEMICOLON: Frame.semicolon, DIVIDE: Frame.divide}
_SCRIPTED_ROLES = frozenset({MULTIPLY, LOGIC, LATTICE, MODULO})


class _OperatorReader(Factors):
    """Reads the rows of one formula."""

    __slots__ = ("divided", "notes", "rows")

    def __init__(self, top: Row) -> None:
        super().__init__()
        self.rows: list[Row] = [top]
        self.divided: dict[int, Row] = {}
        self.notes: dict[int, dict[int, int]] = {}

    def read(self) -> OperatorNode | None:
        self._list_rows()
        nodes = self.nodes
        for row in reversed(self.rows):
            if len(row) == 1 and row[0] not in self.around and row[0].kind in "VNOTWE":
                nodes[id(row)] = leaf_node(row[0])
            elif row:
                nodes[id(row)] = self._read_row(row)
            else:
                nodes[id(row)] = None
        return nodes[id(self.rows[0])]

    def _list_rows(self) -> None:
        """Lists all rows, outermost first, and looks ahead in those that need it."""
        rows, around, prepass, integrals = self.rows, self.around, PREPASS, INTEGRALS
        holds_differentials: set[int] = set()
        for row in rows:  # grows while it is walked
            special = integral = wide = angles = False
            for node in row:
                if node.look is not None and node.space >= QUAD:
                    wide = True
                if node.label in prepass:
                    special = True
                    integral = integral or node.label in integrals
                    angles = angles or node.label in ANGLES
                if (
                    node.above is None and node.below is None and node.within is None and node.over is None
                    and node.under is None and node.elements is None and node.pre_above is None
                    and node.pre_below is None
                ):
                    continue
                around.add(node)
                for child in (
                    node.above, node.below, node.within, node.over, node.under, node.pre_above, node.pre_below
                ):
                    if child is not None:
                        rows.append(child)
                if node.kind == "F":
                    for child in (node.over, node.under):
                        if child and (integral or child[0].label == "d"):
                            holds_differentials.add(id(child))
                        for inner in child or ():
                            if inner.kind == "G" and inner.within and inner.within[0].label == "d":
                                holds_differentials.add(id(inner.within))
                if node.elements is not None:
                    lines = line_rows(node)
                    if lines is not None:
                        self.lines[node] = lines
                        rows.extend(lines)
                    else:
                        for cells in node.elements:
                            rows.extend(cells)
            read = row
            if wide:
                read = divided(row)
                if read is not row:
                    self.divided[id(row)] = read
            if special and len(row) > 1:
                notes = look_ahead(
                    read, self.declared, integral_seen=id(row) in holds_differentials, has_angles=angles
                )
                if notes:
                    self.notes[id(row)] = notes

    # -- one row ------------------------------------------------------------------------------------------------

    def _read_row(self, row: Row) -> OperatorNode | None:
        frame = Frame(None, "", row[0].start)
        notes = self.notes.get(id(row))
        if self.divided:
            row = self.divided.get(id(row), row)
        around = self.around
        position = 0
        length = len(row)
        known = RULES.get
        while position < length:
            node = row[position]
            position += 1
            kind = node.kind
            label = node.label
            if kind == "N":
                leaf = OperatorNode(label, "N", None, node.start, node.end)
                frame.factors.append(self.dress(leaf, node) if node in around else leaf)
                continue
            if kind == "V" or kind == "O":
                rule = known(label)
                if rule is None:
                    if kind == "V" and len(label) == 1:
                        note = notes.get(position - 1, 0) if notes is not None else 0
                        if note == DIFFERENTIAL:
                            frame = self.differential(frame, row, position)
                            position += 1
                            continue
                        if note > SPELLED_NAME:
                            position += note - SPELLED_NAME - 1
                            self.spelled(frame, row[position - (note - SPELLED_NAME) : position])
                            continue
                        leaf = OperatorNode(
                            leaf_label(label, node.font) if node.font else label, "V", None, node.start, node.end
                        )
                        frame.factors.append(self.dress(leaf, node) if node in around else leaf)
                        continue
                    rule = rule_of_unknown(label, kind)
                role = rule.role
                if notes is not None and notes.get(position - 1) == STANDS_ALONE:
                    role = LEAF
                if role == FUNCTION and label in UPRIGHT_SYMBOLS and is_upright_symbol(row, position - 1):
                    rule, role = SYMBOL, LEAF
                if role == LEAF:
                    leaf_kind = "V" if kind == "V" and not rule.label else "C"
                    leaf = OperatorNode(label, leaf_kind, None, node.start, node.end)
                    frame.factors.append(self.dress(leaf, node) if node in around else leaf)
                elif role == RELATION:
                    if node in around:
                        self.scripted(frame, rule, node)
                    else:
                        frame.relate(rule.label, node)
                elif role == ADD:
                    if node in around:
                        self.scripted(frame, rule, node)
                    else:
                        frame.add(rule.label, node)
                else:
                    frame, position = self._event(frame, rule, node, row, position, notes)
            elif kind == "T":
                self.text(frame, node, row, position)
            elif kind == "E" and is_command(node) and node not in around:
                frame.factors.append(Prefix(label, leaf_node(node), separate=True))
                frame.special = True
            else:
                frame.factors.append(self.structure(frame, node))
        return self._end_row(frame)

    def _end_row(self, frame: Frame) -> OperatorNode | None:
        while frame.parent is not None:
            inner = frame.finish()
            parent = frame.parent
            if frame.integral is not None:
                parent.factors.append(frame.integral[0].apply(inner))
            elif inner is not None:
                parent.factors.append(inner)
            frame = parent
        node = frame.finish()
        if self.remarks:
            remarks, self.remarks = self.remarks, []
            if node is None or not node.children:
                remarks = remarks if node is None else [node, *remarks]
                node = make("list", remarks) if len(remarks) > 1 else remarks[0]
            else:
                node.children = [*node.children, *remarks]
        return node

    def _event(
        self, frame: Frame, rule: Rule, node: LayoutNode, row: Row, position: int, notes: dict[int, int] | None
    ) -> tuple[Frame, int]:
        """Handles any other symbol; gives the frame that is open then and the position after it."""
        role = rule.role
        note = notes.get(position - 1, 0) if notes is not None else 0
        if role == OPEN:
            if node.label == "[" and frame.opener == "]":
                return self.close(frame, node), position
            frame = self.open(frame, node)
        elif role == CLOSE:
            if node.label == "]" and frame.opener not in ("(", "[") and frame.expects_operand():
                frame = self.open(frame, node)
            else:
                frame = self.close(frame, node)
        elif role == BAR:
            return self.bar(frame, rule, node, note), position
        elif node in self.around and role in _SCRIPTED_ROLES:
            self.scripted(frame, rule, node, joins=role == LATTICE and note > 0)
            return frame, position
        elif role == MULTIPLY:
            self.multiply(frame, rule.label, node)
        elif role == BIG and rule.label in BINARY_FORMS and node not in self.around and not frame.expects_operand():
            label = BINARY_FORMS[rule.label]
            if label in ADDITIVE_LABELS:
                frame.add(label, node)
            else:
                self.multiply(frame, label, node)
        elif role in (FUNCTION, BIG, PREFIX):
            self.prefix(frame, rule, node)
        elif role == INTEGRAL:
            prefix = self.big(rule, node)
            if note > INTEGRAL_ENDS:
                frame = Frame(frame, "∫", node.start)
                frame.integral = (prefix, note - INTEGRAL_ENDS)
            else:
                frame.factors.append(prefix)
                frame.special = True
        elif role == POSTFIX:
            self.postfix(frame, rule.label, node)
        elif node in self.around and role not in (CLOSE, QUANTIFIER):
            self.remarks.extend(self.remark(node))
        if role == LOGIC or (role == LATTICE and note):
            frame.connect(rule.label, node)
        elif role == LATTICE:
            self.multiply(frame, rule.label, node)
        elif role == QUANTIFIER:
            position = self.quantify(frame, rule, row, position)
        elif role == COMMA:
            if frame.quantifier is not None and node.label == ".":
                frame.colon("colon")
            else:
                frame.comma()
        elif role in _SEPARATORS:
            _SEPARATORS[role](frame)
        elif role == COLON:
            if frame.opener == "{" and frame.before is None and frame.quantifier is None:
                frame.bar("setbuilder", node)
            else:
                frame.colon("colon")
        elif role == MODULO:
            self.modulo(frame, node)
        return frame, position
