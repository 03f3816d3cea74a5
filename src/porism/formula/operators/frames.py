"""Frames: what has been read so far between two fences, level by level, and how each level becomes a node.

A frame holds the unfinished levels of ``operator_rules``: factors, terms, a chain of relations, logic, quantifiers and
map arrows (*heads*), list items. A looser symbol closes all tighter levels; every symbol is closed once, so reading
is linear.
"""

from __future__ import annotations

from porism.formula.operators.lists import fold_items, relation_node
from porism.formula.operators.logic import fold_logic
from porism.formula.operators.products import Factor, Prefix, Written, make, read_product
from porism.formula.operators.rules import LEADING_FORMS, PREFIX_LABELS
from porism.formula.operators.scripted import Operator, label_of
from porism.formula.tree import LayoutNode, OperatorNode

_SIGNS = frozenset({"plus", "neg", "pm", "mp"})


_NOWHERE = LayoutNode("", "O")


def _is_operand(factor: Factor) -> bool:
    """Whether a factor needs nothing after it: an unknown command may stand alone."""
    return isinstance(factor, OperatorNode) or (isinstance(factor, Prefix) and factor.separate)


class Frame:
    """The unfinished levels between two fences (or of a whole row)."""

    __slots__ = (
        "addition", "before", "before_label", "chain", "factors", "heads", "inline_modulus", "integral",
        "items", "logic", "logic_labels", "modulus", "opener", "parent", "pmod", "quantifier", "relations",
        "rows", "signs", "special", "start", "statements", "symbol", "terms",
    )

    def __init__(self, parent: Frame | None, opener: str, start: int) -> None:
        self.parent = parent
        self.opener = opener
        self.start = start
        self.factors: list[Factor] = []
        self.special = False
        self.symbol = _NOWHERE
        self.signs: list[Written] | None = None
        self.terms: list[OperatorNode] | None = None
        self.addition: Operator = ""
        self.chain: list[OperatorNode] | None = None
        self.relations: list[Operator] | None = None
        self.logic: list[OperatorNode] | None = None
        self.logic_labels: list[Operator] | None = None
        self.heads: list[tuple[Operator, OperatorNode | None]] | None = None
        self.quantifier: Operator | None = None
        self.items: list[OperatorNode] | None = None
        self.statements: list[OperatorNode] | None = None
        self.rows: list[OperatorNode] | None = None
        self.before: list[OperatorNode] | None = None
        self.before_label = ""
        self.modulus: OperatorNode | None = None
        self.inline_modulus = False
        self.pmod = False
        self.integral: tuple[Prefix, int] | None = None

    # -- events, from the tightest level to the loosest ---------------------------------------------------------

    def expects_operand(self) -> bool:
        """Whether the next symbol cannot be a postfix or closing one: nothing is to the left at this level."""
        return not self.factors or not _is_operand(self.factors[-1])

    def add(self, label: Operator, symbol: LayoutNode) -> None:
        """A sign or an additive operator."""
        factors = self.factors
        last = factors[-1] if factors else None
        if label in _SIGNS and (isinstance(last, Written) or (isinstance(last, Prefix) and _takes_sign(last, label))):
            if label != "plus":
                factors.append(Prefix(label, Written(label, symbol).leaf()))
                self.special = True
            return
        if factors:
            self._close_term()
            group = "plus" if label in _SIGNS else label
            if self.addition and self.addition != group and self.terms:
                self.terms = [make(self.addition, self.terms)] if len(self.terms) > 1 else self.terms
            self.addition = group
            if label in _SIGNS:
                self.signs = [Written(label, symbol)]
        elif label in _SIGNS:
            if self.signs is None:
                self.signs = [Written(label, symbol)]
            else:
                self.signs.append(Written(label, symbol))
        elif self.terms is None:
            self._lead(label, symbol)
        else:
            self.addition = label

    def _lead(self, label: Operator, symbol: LayoutNode) -> None:
        """An additive operator without an operand before it applies to what follows; ``△`` stands for a triangle."""
        leaf = Written(label, symbol).leaf()
        if label == "symdiff" or not isinstance(label, str):
            self.factors.append(leaf)
        else:
            self.factors.append(Prefix(LEADING_FORMS.get(label, label), leaf, big=True, immediate=False))
            self.special = True

    def relate(self, label: Operator, symbol: LayoutNode) -> None:
        """A relation; ``⊥`` without an operand before it is the falsity, unless it is the second half of ``⊥⊥``."""
        operand = self.close_sum()
        if operand is None and label == "perp" and not (self.relations and self.relations[-1] == label):
            self.factors.append(Written(label, symbol).leaf())
            return
        if self.chain is None:
            self.chain = []
            self.relations = []
        if operand is not None:
            self.chain.append(operand)
        assert self.relations is not None
        self.relations.append(label)
        self.symbol = symbol

    def add_modulus(self, modulus: OperatorNode) -> None:
        """What the relations read so far hold modulo."""
        self.modulus = modulus if self.modulus is None else make("list", [self.modulus, modulus])

    def connect(self, label: Operator, symbol: LayoutNode) -> None:
        """A logical connective."""
        operand = self.close_chain()
        self.symbol = symbol
        if self.logic is None or self.logic_labels is None:
            self.logic, self.logic_labels = [], []
        if operand is not None:
            self.logic.append(operand)
            self.logic_labels.append(label)
        elif self.logic_labels:
            self.logic_labels[-1] = label
        else:
            self.push_head(label, None)

    def quantify(self, label: Operator, symbol: LayoutNode) -> None:
        """A quantifier: it ends the binding of one before it, and otherwise begins a new item."""
        last = self.factors[-1] if self.factors else None
        if isinstance(last, Prefix) and last.label == "not" and last.power is None and not last.tail:
            self.factors.pop()
            self._begin_quantifier()
            self.push_head("not", None)
        else:
            self._begin_quantifier()
        self.quantifier = label
        self.symbol = symbol

    def _begin_quantifier(self) -> None:
        if self.quantifier is not None:
            self.push_head(self.quantifier, self.close_logic())
            self.quantifier = None
        elif self.logic_labels and not self.factors and not self.terms and not self.chain:
            # what is quantified is the last operand of the logic read so far
            assert self.logic is not None
            left = fold_logic(self.logic, self.logic_labels[:-1])
            self.push_head(self.logic_labels[-1], left)
            self.logic = self.logic_labels = None
        elif self._expects_statement():
            # what is quantified is the right side of the relation read last, as in p → ∀x q
            assert self.chain is not None
            assert self.relations is not None
            left = relation_node(self.relations[:-1], self.chain) if len(self.chain) > 1 else self.chain[0]
            if self.logic and self.logic_labels:
                self.push_head(self.logic_labels[-1], fold_logic(self.logic, self.logic_labels[:-1]))
                self.logic = self.logic_labels = None
            self.push_head(self.relations[-1], left)
            self.chain = self.relations = None
        elif self.factors or self.terms or self.chain or self.logic:
            self.comma()

    def _expects_statement(self) -> bool:
        """Whether a relation still waits for its right side."""
        return (
            bool(self.chain) and not (self.factors or self.terms or self.signs or self.inline_modulus)
            and self.relations is not None and self.chain is not None and len(self.relations) == len(self.chain)
        )

    def push_head(self, label: Operator, left: OperatorNode | None) -> None:
        """What is before the body of an item: a bound variable, a map's name, a negation."""
        if self.heads is None:
            self.heads = []
        self.heads.append((label, left))

    def colon(self, label: str) -> None:
        """A colon: the end of a quantifier's binding, else between a name and what it names."""
        if self.quantifier is not None:
            quantifier, self.quantifier = self.quantifier, None
            self.push_head(quantifier, self.close_logic())
            return
        left = self.close_logic()
        if left is not None:
            self.push_head(label, left)

    def bar(self, label: str, symbol: LayoutNode) -> None:
        """A bar that divides all of a frame, as the condition bar of a set does: all so far is before it."""
        part = self.close_rows()
        if part is None:
            part = Written(label, symbol).leaf()
        self.before = [*(self.before or ()), part]
        self.before_label = label

    def comma(self) -> None:
        """The end of an item."""
        item = self.close_item()
        if item is not None:
            if self.items is None:
                self.items = []
            self.items.append(item)

    def divide(self) -> None:
        """A wide space between statements: the end of a quantifier's binding, or of a list that takes no more in."""
        if self.quantifier is not None:
            self.colon("colon")
            return
        statement = self._fold_items(self.close_item())
        if statement is not None:
            if self.statements is None:
                self.statements = []
            self.statements.append(statement)

    def semicolon(self) -> None:
        """The end of a row of items."""
        row = self.close_list()
        if row is not None:
            if self.rows is None:
                self.rows = []
            self.rows.append(row)

    # -- closing levels, each closing the tighter ones ----------------------------------------------------------

    def close_product(self) -> OperatorNode | None:
        """The factors read so far as one node, None where there are none."""
        factors = self.factors
        if not factors:
            return None
        self.factors = []
        if self.special:
            self.special = False
            return read_product(factors)
        first: OperatorNode = factors[0]  # type: ignore[assignment]
        if len(factors) == 1:
            return first
        last: OperatorNode = factors[-1]  # type: ignore[assignment]
        return OperatorNode("times", "U", factors, first.start, last.end)  # type: ignore[arg-type]

    def _close_term(self) -> None:
        term = self.close_product()
        if self.signs is not None:
            signs, self.signs = self.signs, None
            if term is None:
                term = signs.pop().leaf()
            for sign in reversed(signs):
                if sign.label != "plus":
                    term = OperatorNode(label_of(sign.label), "O", [term], sign.symbol.start, term.end)
        if term is not None:
            if self.terms is None:
                self.terms = [term]
            else:
                self.terms.append(term)

    def close_sum(self) -> OperatorNode | None:
        """The terms read so far as one node."""
        if self.terms is None and self.signs is None:
            return self.close_product()
        self._close_term()
        terms = self.terms
        self.terms = None
        addition, self.addition = self.addition, ""
        if not terms:
            return None
        return make(addition or "plus", terms) if addition or len(terms) > 1 else terms[0]

    def close_chain(self) -> OperatorNode | None:
        """The relations read so far as one node, with its modulus."""
        operand = self.close_sum()
        if self.inline_modulus:
            self.inline_modulus = False
            if operand is not None:
                self.add_modulus(operand)
            operand = None
        relations = self.relations
        if relations is not None and self.chain is not None:
            if operand is not None:
                self.chain.append(operand)
            operand = relation_node(relations, self.chain) or Written(relations[-1], self.symbol).leaf()
            self.chain = self.relations = None
        if self.modulus is not None:
            modulus, self.modulus = self.modulus, None
            operand = make("mod", [modulus]) if operand is None else make("modulo", [operand, modulus])
        return operand

    def close_logic(self) -> OperatorNode | None:
        """The statements read so far as one node."""
        operand = self.close_chain()
        if self.logic is None or self.logic_labels is None:
            return operand
        statements, labels = self.logic, self.logic_labels
        self.logic = self.logic_labels = None
        if operand is not None:
            statements.append(operand)
        return fold_logic(statements, labels)

    def close_item(self) -> OperatorNode | None:
        """The item read so far: its logic under its quantifiers, map names and negations."""
        body = self.close_logic()
        if self.quantifier is not None:
            quantifier, self.quantifier = self.quantifier, None
            body = make(quantifier, [body]) if body is not None else Written("", self.symbol).leaf()
        if self.heads is not None:
            heads, self.heads = self.heads, None
            for label, left in reversed(heads):
                children = [node for node in (left, body) if node is not None]
                if children:
                    body = make(label, children)
                else:
                    body = Written(label, self.symbol).leaf()
        return body

    def close_list(self) -> OperatorNode | None:
        """The items read so far as one node."""
        last = self.close_item()
        if self.items is not None:
            last = self._fold_items(last)
        if self.statements is None:
            return last
        statements, self.statements = self.statements, None
        if last is not None:
            statements.append(last)
        items = [item for each in statements for item in (each.children if each.label == "list" else [each])]
        return make("list", items) if len(items) > 1 else items[0]

    def _fold_items(self, last: OperatorNode | None) -> OperatorNode | None:
        items, self.items = self.items, None
        if items is None:
            return last
        if last is not None:
            items.append(last)
        return fold_items(items)

    def close_rows(self) -> OperatorNode | None:
        """Everything read so far as one node."""
        row = self.close_list()
        if self.rows is not None:
            rows, self.rows = self.rows, None
            if row is not None:
                rows.append(row)
            row = make("sequence", rows) if len(rows) > 1 else rows[0]
        return row

    def finish(self) -> OperatorNode | None:
        """The whole frame as one node, with what was before its condition bar."""
        if (
            self.chain is None and self.items is None and self.logic is None and self.heads is None
            and self.quantifier is None and self.statements is None and self.rows is None and self.modulus is None
            and self.before is None and not self.inline_modulus
        ):
            return self.close_sum()  # as most frames are
        node = self.close_rows()
        if self.before is not None:
            return make(self.before_label, self.before if node is None else [*self.before, node])
        return node


def _takes_sign(prefix: Prefix, sign: Operator) -> bool:
    """Whether a sign after a function belongs to its argument, as in ``sin -x``.

    A plus (``sin + cos``) does not, nor does a sign after a name that is only taken for a function.
    """
    return sign != "plus" and prefix.label in PREFIX_LABELS and not (prefix.tail and prefix.big)
