"""From the layout of a formula to its operator tree: what is applied to what.

Every layout gives a tree, in linear time and without recursion: the rows of a layout are listed from the outermost to
the innermost and read in the opposite order, each by one pass with a stack of frames
(:mod:`porism.formula.operator_frames`). The roles of symbols and the vocabulary of labels are data
(:mod:`porism.formula.operator_rules`).
"""

from __future__ import annotations

from porism.formula.layout import is_command
from porism.formula.operator_arrays import line_rows
from porism.formula.operator_fences import Fences
from porism.formula.operator_frames import Frame
from porism.formula.operator_prepass import (
    DIFFERENTIAL,
    INTEGRAL_ENDS,
    SPELLED_NAME,
    is_letter,
    look_ahead,
)
from porism.formula.operator_products import Prefix, Written, make, spanning
from porism.formula.operator_rules import (
    ADD,
    ADDITIVE_LABELS,
    BAR,
    BIG,
    BINARY_FORMS,
    CLOSE,
    COLON,
    COMMA,
    CONNECTIVES,
    EXTREMA,
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
from porism.formula.operator_scripts import leaf_node
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, Row

_SCRIPTS = frozenset({"sup", "sub", "subsup"})


def operator_tree(layout: LayoutTree) -> OperatorTree:
    """The operator tree of a layout tree.

    Total: every layout gives a tree, an empty one the single leaf ``E`` without a label. Linear in the size of the
    layout, and not recursive. Offsets point into the source of the layout.
    """
    root = _Reader(layout.row).read()
    return OperatorTree(root if root is not None else OperatorNode("", "E", None, 0, 0), layout.source)


class _Reader(Fences):
    """Reads the rows of one formula."""

    __slots__ = ("notes", "rows")

    def __init__(self, top: Row) -> None:
        super().__init__()
        self.rows: list[Row] = [top]
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
            special = integral = False
            for node in row:
                if node.label in prepass:
                    special = True
                    integral = integral or node.label in integrals
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
                if node.elements is not None:
                    lines = line_rows(node)
                    if lines is not None:
                        self.lines[node] = lines
                        rows.extend(lines)
                    else:
                        for cells in node.elements:
                            rows.extend(cells)
            if special and len(row) > 1:
                notes = look_ahead(row, self.declared, id(row) in holds_differentials)
                if notes:
                    self.notes[id(row)] = notes

    # -- one row ------------------------------------------------------------------------------------------------

    def _read_row(self, row: Row) -> OperatorNode | None:
        frame = Frame(None, "", row[0].start)
        notes = self.notes.get(id(row))
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
                            frame = self._differential(frame, row, position)
                            position += 1
                            continue
                        if note > SPELLED_NAME:
                            position += note - SPELLED_NAME - 1
                            self._spelled(frame, row[position - (note - SPELLED_NAME) : position])
                            continue
                        leaf = OperatorNode(
                            leaf_label(label, node.font) if node.font else label, "V", None, node.start, node.end
                        )
                        frame.factors.append(self.dress(leaf, node) if node in around else leaf)
                        continue
                    rule = rule_of_unknown(label, kind)
                role = rule.role
                if role == LEAF:
                    leaf_kind = "V" if kind == "V" and not rule.label else "C"
                    leaf = OperatorNode(label, leaf_kind, None, node.start, node.end)
                    frame.factors.append(self.dress(leaf, node) if node in around else leaf)
                elif role == RELATION:
                    frame.relate(rule.label, node, self.remark(node) if node in around else None)
                elif role == ADD:
                    frame.add(rule.label, node)
                    if node in around:
                        self.remarks.extend(self.remark(node))
                else:
                    frame, position = self._event(frame, rule, node, row, position, notes)
            elif kind == "T":
                self._text(frame, node, row, position)
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
        elif role == MULTIPLY:
            self._multiply(frame, rule.label, node)
            if node in self.around:
                self.remarks.extend(self.remark(node))
        elif role == BIG and rule.label in BINARY_FORMS and node not in self.around and not frame.expects_operand():
            label = BINARY_FORMS[rule.label]
            if label in ADDITIVE_LABELS:
                frame.add(label, node)
            else:
                self._multiply(frame, label, node)
        elif role in (FUNCTION, BIG, PREFIX):
            self._prefix(frame, rule, node)
        elif role == INTEGRAL:
            prefix = self._big(rule, node)
            if note > INTEGRAL_ENDS:
                frame = Frame(frame, "∫", node.start)
                frame.integral = (prefix, note - INTEGRAL_ENDS)
            else:
                frame.factors.append(prefix)
                frame.special = True
        elif role == POSTFIX:
            self._postfix(frame, rule.label, node)
        elif node in self.around and role != CLOSE:
            self.remarks.extend(self.remark(node))
        if role == LOGIC or (role == LATTICE and note):
            frame.connect(rule.label, node)
        elif role == LATTICE:
            self._multiply(frame, rule.label, node)
        elif role == QUANTIFIER:
            position = self._quantify(frame, rule, row, position)
        elif role == COMMA:
            if frame.quantifier is not None and node.label == ".":
                frame.colon("colon")
            else:
                frame.comma()
        elif role == SEMICOLON:
            frame.semicolon()
        elif role == COLON:
            if frame.opener == "{" and frame.before is None and frame.quantifier is None:
                frame.bar("setbuilder", node)
            else:
                frame.colon("colon")
        elif role == MODULO:
            self._modulo(frame, node)
        return frame, position

    # -- operators among factors --------------------------------------------------------------------------------

    def _multiply(self, frame: Frame, label: str, node: LayoutNode) -> None:
        if not frame.factors and label in ("or", "and"):
            frame.connect(label, node)
            return
        frame.factors.append(Written(label, node))
        frame.special = True

    def _prefix(self, frame: Frame, rule: Rule, node: LayoutNode) -> None:
        prefix = self._big(rule, node) if rule.role == BIG else Prefix(rule.label, leaf_node(node))
        if rule.role == PREFIX:
            # a negation takes the product after it, a derivative one factor
            prefix.tight = rule.label != "not"
            prefix.immediate = False
        if rule.role != BIG and node in self.around:
            if node.below:
                prefix.tail.append(self.row_node(node.below, node.start))
                prefix.big = rule.label in EXTREMA
            if node.above:
                primes, power = self.superscript(node.above)
                if primes or (power is not None and len(node.label) > 1 and power.kind == "C"):
                    # a primed or starred name is another function
                    frame.factors.append(self.dress(leaf_node(node), node))
                    return
                if power is not None:
                    prefix.raise_to(power)
            for row in (node.under, node.over, node.pre_below, node.pre_above):
                if row:
                    prefix.tail.append(self.row_node(row, node.start))
        frame.factors.append(prefix)
        frame.special = True

    def _spelled(self, frame: Frame, letters: Row) -> None:
        """A function whose name is written as letters, the last of which carries its scripts."""
        last = letters[-1]
        name = LayoutNode("".join(node.label for node in letters), "V", letters[0].start, last.end)
        for slot in ("above", "below", "over", "under", "pre_above", "pre_below"):
            setattr(name, slot, getattr(last, slot))
        if last in self.around:
            self.around.add(name)
        self._prefix(frame, RULES[name.label], name)

    def _big(self, rule: Rule, node: LayoutNode) -> Prefix:
        leaf = OperatorNode(node.label, "C", None, node.start, node.end)
        prefix = Prefix(rule.label, leaf, big=True, immediate=False)
        if node in self.around:
            for row in (node.below, node.under, node.above, node.over, node.pre_below, node.pre_above):
                if row:
                    prefix.tail.append(self.row_node(row, node.start))
        return prefix

    def _postfix(self, frame: Frame, label: str, node: LayoutNode) -> None:
        factors = frame.factors
        if factors and isinstance(name := factors[-1], Prefix) and name.separate:
            factors[-1] = name.leaf
        if not factors or not isinstance(last := factors[-1], OperatorNode):
            factors.append(self.dress(leaf_node(node), node))
            return
        if label == "factorial" and last.label == label and last.end == node.start:
            last.label = "factorial2"
            last.end = node.end
        else:
            factors[-1] = OperatorNode(label, "O", [last], last.start, node.end)
        if node in self.around:
            factors[-1] = self.dress(factors[-1], node)  # type: ignore[arg-type]

    def _modulo(self, frame: Frame, node: LayoutNode) -> None:
        if frame.opener == "(" and not frame.factors and frame.chain is None and frame.items is None:
            frame.pmod = True
        elif frame.relations and frame.relations[-1] in ("equiv", "nequiv") and not frame.inline_modulus:
            operand = frame.close_sum()
            if operand is not None and frame.chain is not None:
                frame.chain.append(operand)
            frame.inline_modulus = True
        else:
            frame.factors.append(Written("mod", node))
            frame.special = True

    def _differential(self, frame: Frame, row: Row, position: int) -> Frame:
        """``d`` before the variable at ``position``: ends an integral that waits for it."""
        node = self._diff(row, position)
        if frame.integral is None:
            last = frame.factors[-1] if frame.factors else None
            if isinstance(last, OperatorNode) and last.children and last.children[-1].label == "diff":
                last.children.append(node)
                last.end = node.end
            else:
                frame.factors.append(node)
            return frame
        prefix, missing = frame.integral
        prefix.tail.append(node)
        if missing > 1:
            frame.integral = (prefix, missing - 1)
            return frame
        parent = frame.parent
        assert parent is not None
        parent.factors.append(spanning(prefix.apply(frame.finish()), node.end))
        return parent

    def _diff(self, row: Row, position: int) -> OperatorNode:
        sign, variable = row[position - 1], row[position]
        operand = leaf_node(variable)
        if variable in self.around:
            operand = self.dress(operand, variable)
        children = [operand]
        if sign.above:
            children.append(self.row_node(sign.above, sign.start))
        return OperatorNode("diff", "O", children, sign.start, operand.end)

    def _quantify(self, frame: Frame, rule: Rule, row: Row, position: int) -> int:
        label = rule.label
        if label == "exists" and position < len(row) and row[position].label == "!":
            label = "exists1"
            position += 1
        frame.quantify(label, row[position - 1])
        if position + 1 < len(row) and is_letter(row[position]) and _begins_operand(row[position + 1]):
            variable = leaf_node(row[position])
            if row[position] in self.around:
                variable = self.dress(variable, row[position])
            frame.quantifier = None
            frame.push_head(label, variable)
            position += 1
        return position

    def _text(self, frame: Frame, node: LayoutNode, row: Row, position: int) -> None:
        words = node.label.split()
        leaf = OperatorNode(" ".join(words), "T", None, node.start, node.end)
        if node in self.around:
            leaf = self.dress(leaf, node)
        if not words:
            return
        joins = words[0].lower().strip(",.;:()") in CONNECTIVES or words[-1].lower().strip(",.;:()") in CONNECTIVES
        alone = len(words) > 2 and frame.parent is None
        if joins or alone:
            frame.comma()
            frame.factors.append(leaf)
            if position < len(row):
                frame.comma()
        else:
            frame.factors.append(leaf)


def _begins_operand(node: LayoutNode) -> bool:
    return node.kind in "NFRM" or is_letter(node) or node.label in ("(", "[", "∃", "∀", "¬", "∄")


def tangent_label(node: OperatorNode) -> str:
    """A node as Tangent names it: ``U!eq``, ``V!x``; scripts are ``O!SUP O!SUB O!SUBSUP``."""
    label = node.label
    return f"{node.kind}!{label.upper() if node.children and label in _SCRIPTS else label}"


def operator_string(tree: OperatorTree | OperatorNode) -> str:
    """The tree in the notation of Tangent: ``[U!eq,0[V!x],1[N!2]]``. Not recursive."""
    pieces: list[str] = []
    stack: list[OperatorNode | str] = [tree.root if isinstance(tree, OperatorTree) else tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        pieces.append("[" + tangent_label(node))
        stack.append("]")
        for number in range(len(node.children) - 1, -1, -1):
            stack.append(node.children[number])
            stack.append(f",{number}")
    return "".join(pieces)
