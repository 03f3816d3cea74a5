"""What binds variables in Content MathML: sums, integrals, limits, quantifiers, derivatives, sets, functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.formula.layout import child_rows
from porism.formula.mathml.content_rows import fenced, joined, listed, scripted, sign_node
from porism.formula.mathml.content_tables import QUALIFIERS
from porism.formula.mathml.elements import Child
from porism.formula.tree import LayoutNode, Row

_QUANTIFIERS = ("forall", "exists", "for-all")
_INTEGRALS = ("int", "integral")


@dataclass
class Qualifiers:
    """The variables of an operator, each with its degree, and what else restricts it."""

    variables: list[tuple[Row, Row]] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def take(self, name: str, start: int, end: int) -> Row:
        """The rows of one kind with commas between them, which then are used up."""
        return joined(self.rows.pop(name, []), start, end)

    def bound(self, start: int, end: int) -> Row:
        """The variables with commas between them."""
        return joined([variable for variable, _ in self.variables], start, end)


def split_qualifiers(children: list[Child]) -> tuple[Qualifiers, list[Child]]:
    """The qualifiers among the children of an element, and its arguments."""
    qualifiers = Qualifiers()
    arguments: list[Child] = []
    for child in children:
        if child.name == "bvar":
            qualifiers.variables.append((child.row, child.parts[0] if child.parts else []))
        elif child.name in QUALIFIERS:
            qualifiers.rows.setdefault(child.name, []).append(child.row)
        else:
            arguments.append(child)
    return qualifiers, arguments


def variable(children: list[Child]) -> Child:
    """A ``<bvar>``: its row is the variable, its part the degree."""
    row = [node for child in children if child.name != "degree" for node in child.row]
    return Child("bvar", row, parts=tuple(child.row for child in children if child.name == "degree"))


def binder(head: Child, qualifiers: Qualifiers, arguments: list[Child], start: int, end: int) -> Child:
    """A sum, an integral, a limit, a quantifier: its variable and range below, its bound above, its body after it."""
    name = head.name
    row = list(head.row) or [sign_node("∑", start, end)]
    bound = qualifiers.bound(start, end)
    precedence = 41 if name in ("sum", "product") else 0
    body = joined([fenced(child, precedence, start, end) for child in arguments], start, end)
    below = _range(name, bound, qualifiers, start, end)
    high = qualifiers.take("uplimit", start, end)
    if name in _QUANTIFIERS:
        return Child(name, [*row, *below, *([sign_node(":", start, end)] if body else []), *body], 8)
    if not below and not high and name in ("max", "min"):
        return Child(name, row + listed([child.row for child in arguments], "(", ")", start, end), 70)
    if below:
        scripted(row, "below", below)
    if high:
        scripted(row, "above", high)
    row += body
    if name in _INTEGRALS:
        for variable_row, _ in qualifiers.variables:
            row += [LayoutNode("d", "V", end, end), *variable_row]
    return Child(name, row, 45)


def _range(name: str, bound: Row, qualifiers: Qualifiers, start: int, end: int) -> Row:
    """What is below an operator: the variable with its lower bound, its domain or its condition."""
    low = qualifiers.take("lowlimit", start, end)
    domain = qualifiers.take("domainofapplication", start, end)
    condition = qualifiers.take("condition", start, end)
    if name in _INTEGRALS:
        bound = []
    if low:
        low = [*bound, sign_node("→" if name in ("limit", "lim") else "=", start, end), *low] if bound else low
    elif domain:
        low = [*bound, sign_node("∈", start, end), *domain] if bound else domain
    elif not condition or not _names(condition, bound):
        low = bound
    return joined([part for part in (low, condition) if part], start, end)


def _names(condition: Row, bound: Row) -> bool:
    """Whether a condition names all variables, which then need not stand before it."""
    labels: set[str] = set()
    rows = [condition]
    for row in rows:
        for node in row:
            labels.add(node.label)
            rows.extend(child_rows(node))
    return all(node.label in labels for node in bound)


def derivative(name: str, argument: Child, qualifiers: Qualifiers, start: int, end: int) -> Child:
    """A derivative: a prime without a variable, else a fraction of differentials before what is derived."""
    if not qualifiers.variables:
        prime = LayoutNode("′", "O", end, end)
        return Child(name, scripted(list(fenced(argument, 70, start, end)), "above", [prime]), 80)
    label = "d" if name == "diff" else "∂"
    top = sign_node(label, start, end)
    node = LayoutNode("/", "F", start, end)
    node.over, node.under = [top], []
    for variable, degree in qualifiers.variables:
        node.under += [sign_node(label, start, end), *(scripted(variable, "above", degree) if degree else variable)]
    order = qualifiers.take("degree", start, end)
    if not order and (len(qualifiers.variables) > 1 or qualifiers.variables[0][1]):
        order = _order([degree for _, degree in qualifiers.variables], start, end)
    top.above = order or None
    return Child(name, [node, *fenced(argument, 50, start, end)], 50)


def _order(degrees: list[Row], start: int, end: int) -> Row:
    """The sum of the degrees of all variables, where they have none it is 1."""
    total = 0
    letters: list[Row] = []
    for degree in degrees:
        if not degree or (len(degree) == 1 and degree[0].label.isdecimal() and not child_rows(degree[0])):
            total += int(degree[0].label) if degree else 1
        else:
            letters.append(degree)
    parts = [*letters, *([[LayoutNode(str(total), "N", start, end)]] if total else [])]
    row: Row = []
    for position, part in enumerate(parts):
        row += [LayoutNode("+", "O", start, end), *part] if position else part
    return row


def collection(children: list[Child], opening: str, closing: str, start: int, end: int) -> Row:
    """A set, a list or an interval: its members, or a term and the condition or domain of its variables."""
    qualifiers, members = split_qualifiers(children)
    bound = qualifiers.bound(start, end)
    condition = _range("", bound, qualifiers, start, end) if len(qualifiers.rows) else []
    return listed([child.row for child in members] or [bound], opening, closing, start, end, condition)


def function(children: list[Child], start: int, end: int) -> Child:
    """A ``<lambda>``: its variables, in parentheses where there are several, go to its body."""
    qualifiers, body = split_qualifiers(children)
    row = qualifiers.bound(start, end)
    if len(qualifiers.variables) > 1:
        row = listed([row], "(", ")", start, end)
    domain = qualifiers.take("domainofapplication", start, end) or qualifiers.take("condition", start, end)
    if domain:
        row += [sign_node("∈", start, end), *domain]
    if row:
        row.append(sign_node("↦", start, end))
    for child in body:
        row += child.row
    return Child("lambda", row, 5)
