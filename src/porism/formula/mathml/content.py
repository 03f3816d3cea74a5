"""Content MathML to layout: each operator is written as a mathematician would, with the parentheses that it needs."""

from __future__ import annotations

from porism.formula.layout import matrix, nucleus
from porism.formula.mathml.leaves import error, identifier, number, operator, text_row
from porism.formula.mathml.presentation import Child, Element
from porism.formula.mathml.tokens import attributes_of
from porism.formula.tables.lookup import SYMBOLS, canonical_name, character
from porism.formula.tree import LayoutNode, Row

_ATOM = 99

INFIX: dict[str, tuple[str, int]] = {
    "eq": ("=", 30), "neq": ("≠", 30), "lt": ("<", 30), "gt": (">", 30), "leq": ("≤", 30), "geq": ("≥", 30),
    "equivalent": ("≡", 30),
    "approx": ("≈", 30), "in": ("∈", 30), "notin": ("∉", 30), "subset": ("⊆", 30), "prsubset": ("⊂", 30),
    "notsubset": ("⊈", 30),
    "notprsubset": ("⊄", 30), "factorof": ("∣", 30), "tendsto": ("→", 30), "implies": ("⇒", 10), "and": ("∧", 20),
    "or": ("∨", 15),
    "xor": ("⊻", 15), "plus": ("+", 40), "minus": ("-", 40), "union": ("∪", 40), "intersect": ("∩", 45),
    "setdiff": ("∖", 40),
    "times": ("", 50), "cartesianproduct": ("×", 50), "vectorproduct": ("×", 50), "outerproduct": ("⊗", 50),
    "scalarproduct": ("⋅", 50), "compose": ("∘", 55), "rem": ("mod", 50), "formulae-sequence": (",", 5),
    "less-than": ("<", 30),
    "greater-than": (">", 30), "less-than-or-equals": ("≤", 30), "greater-than-or-equals": ("≥", 30),
    "not-equals": ("≠", 30),
    "iff": ("⇔", 10), "similar-to": ("∼", 30), "maps-to": ("↦", 30), "plus-or-minus": ("±", 40),
    "direct-sum": ("⊕", 40),
    "tensor-product": ("⊗", 50), "divides": ("∣", 30), "proportional-to": ("∝", 30), "conditional": ("|", 12),
}
"""Element or symbol name → sign and precedence."""

FENCES: dict[str, tuple[str, str]] = {
    "abs": ("|", "|"), "card": ("|", "|"), "absolute-value": ("|", "|"), "floor": ("⌊", "⌋"), "ceiling": ("⌈", "⌉"),
    "norm": ("∥", "∥"), "set": ("{", "}"), "list": ("(", ")"), "vector": ("(", ")"), "open-interval": ("(", ")"),
    "closed-interval": ("[", "]"), "delimited-[]": ("[", "]"), "delimited-()": ("(", ")"), "delimited-⟨⟩": ("⟨", "⟩"),
}
"""Operators and constructors that put their arguments between fences."""

NAMED: dict[str, str] = {
    "infinity": "∞", "emptyset": "∅", "pi": "π", "exponentiale": "e", "imaginaryi": "i", "imaginary-unit": "i",
    "eulergamma": "γ",
    "reals": "ℝ", "integers": "ℤ", "naturalnumbers": "ℕ", "rationals": "ℚ", "complexes": "ℂ", "primes": "ℙ",
    "true": "⊤", "false": "⊥",
    "not": "¬", "forall": "∀", "exists": "∃", "for-all": "∀", "partialdiff": "∂", "grad": "∇", "laplacian": "Δ",
    "differential-d": "d",
    "real": "ℜ", "imaginary": "ℑ", "determinant": "det", "gcd": "gcd", "lcm": "lcm", "sum": "∑", "product": "∏",
    "int": "∫",
    "integral": "∫", "limit": "lim", "supremum": "sup", "infimum": "inf", "maximum": "max", "minimum": "min",
    "ident": "id",
    "codomain": "codomain", "image": "image", "domain": "domain", "arg": "arg", "contour-integral": "∮",
    "double-integral": "∬",
}
"""Empty elements and symbols that are one sign."""

BIG = frozenset({
    "sum", "product", "int", "limit", "max", "min", "forall", "exists", "integral", "supremum", "infimum", "lim",
})
"""Operators that bind a variable."""

_QUALIFIERS = frozenset({
    "bvar", "lowlimit", "uplimit", "condition", "domainofapplication", "degree", "logbase", "momentabout",
})
_STRUCTURES = frozenset({
    "apply", "bind", "reln", "lambda", "interval", "piecewise", "piece", "otherwise", "matrix", "matrixrow",
    "declare", "share", "root",
    "power", "divide", "quotient", "factorial", "exp", "ln", "log", "conjugate", "transpose", "inverse", "selector",
    "diff", "mean",
    "max", "min", "sep", "fn", "subscript", "superscript",
})
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh", "sech", "csch", "coth", "arcsin", "arccos",
    "arctan", "arccot",
    "arcsec", "arccsc", "arcsinh", "arccosh", "arctanh", "curl", "divergence",
})
CONTENT_ELEMENTS = _STRUCTURES | _QUALIFIERS | _FUNCTIONS | BIG | (INFIX.keys() | FENCES.keys() | NAMED.keys())
_LEAVES = frozenset({"ci", "cn", "csymbol", "cerror", "cs"})


def is_content_leaf(name: str) -> bool:
    """Whether this is a token element of Content MathML."""
    return name in _LEAVES


def build_content(element: Element, end: int) -> Child:
    """The row of a content element; ``name`` of the result is that of the operator."""
    name, start = element.name, element.start
    children = element.children
    if name in _LEAVES:
        return _leaf(element, end)
    if name in ("apply", "bind", "reln"):
        return _apply(children, start, end) if children else Child(name, [])
    if name in ("piecewise", "matrix"):
        lines = [[row for row, _ in child.cells] or [child.row] for child in children] or [[[]]]
        return Child(name, matrix("matrix", "{" if name == "piecewise" else "()", lines, start, end))
    if name in ("piece", "otherwise", "matrixrow"):
        return Child(name, [], cells=tuple((child.row, "") for child in children))
    if name in FENCES and children:
        return Child(name, _list(children, *FENCES[name], start, end))
    if name == "interval":
        closure = attributes_of(element.attributes).get("closure", "closed")
        opening = "(" if closure in ("open", "open-closed") else "["
        closing = ")" if closure in ("open", "closed-open") else "]"
        return Child(name, _list(children, opening, closing, start, end))
    if name == "lambda" and children:
        row = list(children[0].row)
        row.append(_sign("↦", start, end))
        for child in children[1:]:
            row += child.row
        return Child(name, row, 5)
    if name == "sep":
        return Child(name, [_sign("/", start, end)])
    if not children:
        return Child(name, _operator_row(name, start, end))
    row = []
    for child in children:
        row += child.row
    return Child(name, row, min(child.precedence for child in children))


def _leaf(element: Element, end: int) -> Child:
    """``<ci>``, ``<cn>`` and ``<csymbol>``; presentation markup inside them stands for itself."""
    start = element.start
    text = "".join(element.text).strip()
    if element.name == "cn":
        kind = attributes_of(element.attributes).get("type", "")
        if kind in ("rational", "e-notation", "complex-cartesian") or not text[:1].isdigit():
            row: Row = []
            for part in text.split():
                row += operator("-", "", start, end) if part[0] in "-−" else []
                row += number(part.lstrip("-−"), "", start, end)
            return Child("cn", row, 40 if text[:1] in "-−" else _ATOM)
        return Child("cn", number(text, "", start, end))
    if element.name == "cerror":
        return Child("cerror", error(text, start, end))
    if element.name == "cs":
        return Child("cs", text_row(text, "", start, end))
    if element.name == "csymbol":
        return Child(text, _operator_row(text, start, end))
    return Child("ci", identifier(text, "", start, end))


def _sign(label: str, start: int, end: int) -> LayoutNode:
    found = character(label) if len(label) == 1 else None
    if found is not None:
        return LayoutNode(found[0], found[1], start, end, found[2])
    return LayoutNode(label, "O" if label == "mod" else "V", start, end)


def _operator_row(name: str, start: int, end: int) -> Row:
    """The row of an operator by itself."""
    if name in INFIX:
        return [_sign(INFIX[name][0], start, end)] if INFIX[name][0] else []
    if name in NAMED:
        return [_sign(NAMED[name], start, end)]
    if not name:
        return []
    known = SYMBOLS.get("\\" + name)
    if known is not None:
        return [LayoutNode(known[0], known[1], start, end)]
    if len(name) == 1:
        return operator(name, "", start, end)
    return [LayoutNode(canonical_name(name), "V", start, end)]


def _fenced(child: Child, precedence: int, start: int, end: int) -> Row:
    """The row of an argument, in parentheses if it binds less than ``precedence``."""
    if child.precedence < precedence:
        return [LayoutNode("(", "O", start, start), *child.row, LayoutNode(")", "O", end, end)]
    return child.row


def _list(children: list[Child], opening: str, closing: str, start: int, end: int) -> Row:
    row = [LayoutNode(opening, "O", start, start)]
    condition: Row = []
    members = 0
    for child in children:
        if child.name in ("condition", "bvar"):
            condition += child.row if child.name == "condition" else []
            continue
        if members:
            row.append(LayoutNode(",", "O", start, end))
        members += 1
        row += child.row
    if condition:
        row += [LayoutNode("∣", "O", start, end), *condition]
    row.append(LayoutNode(closing, "O", end, end))
    return row


def _scripted(row: Row, slot: str, content: Row) -> Row:
    node = nucleus(row, 0, slot)
    taken = getattr(node, slot)
    setattr(node, slot, content if taken is None else [*taken, *content])
    return row


def _apply(children: list[Child], start: int, end: int) -> Child:
    head = children[0]
    name = head.name
    qualifiers = {child.name: child.row for child in children[1:] if child.name in _QUALIFIERS}
    arguments = [child for child in children[1:] if child.name not in _QUALIFIERS]
    binds = "bvar" in qualifiers or "lowlimit" in qualifiers
    if name in BIG or (binds and name not in ("diff", "partialdiff")):
        return _big(head, qualifiers, arguments, start, end)
    if name in INFIX:
        return _infix(name, arguments, start, end)
    if name in FENCES and arguments:
        return Child(name, _list(arguments, *FENCES[name], start, end))
    if len(arguments) == 2 and name in ("divide", "quotient"):
        node = LayoutNode("/", "F", start, end)
        node.over, node.under = arguments[0].row, arguments[1].row
        return Child(name, [node])
    if len(arguments) == 2 and name in ("power", "superscript", "subscript", "selector"):
        row = list(_fenced(arguments[0], 70, start, end))
        slot = "above" if name in ("power", "superscript") else "below"
        return Child(name, _scripted(row, slot, arguments[1].row), 80)
    if len(arguments) == 2 and name == "binomial":
        node = LayoutNode("choose", "F", start, end)
        node.over, node.under = arguments[0].row, arguments[1].row
        return Child(name, [node])
    if arguments and name in ("root", "square-root", "nth-root"):
        node = LayoutNode("√", "R", start, end)
        node.within = arguments[0].row
        degree = qualifiers.get("degree") or (arguments[1].row if len(arguments) > 1 else None)
        node.pre_above = None if degree and len(degree) == 1 and degree[0].label == "2" else degree
        return Child(name, [node])
    if len(arguments) == 1:
        special = _unary(name, head, arguments[0], qualifiers, start, end)
        if special is not None:
            return special
    row = list(_fenced(head, 60, start, end))
    if name == "log" and "logbase" in qualifiers:
        _scripted(row, "below", qualifiers["logbase"])
    return Child("apply", row + _list(arguments, "(", ")", start, end), 70)


def _unary(
    name: str, head: Child, argument: Child, qualifiers: dict[str, Row], start: int, end: int
) -> Child | None:
    if name == "factorial":
        return Child(name, [*_fenced(argument, 70, start, end), LayoutNode("!", "O", end, end)], 75)
    if name == "not":
        return Child(name, [_sign("¬", start, end), *_fenced(argument, 60, start, end)], 25)
    if name in ("exp", "transpose", "inverse"):
        if name == "exp":
            return Child(name, _scripted([LayoutNode("e", "V", start, end)], "above", argument.row), 80)
        script = [LayoutNode("T", "V", end, end)]
        if name == "inverse":
            script = [LayoutNode("-", "O", end, end), LayoutNode("1", "N", end, end)]
        return Child(name, _scripted(list(_fenced(argument, 70, start, end)), "above", script), 80)
    if name in ("conjugate", "mean"):
        row = list(argument.row)
        nucleus(row, 0, "over").over = [LayoutNode("¯", "O", start, end)]
        return Child(name, row)
    if name in ("diff", "partialdiff"):
        variable = qualifiers.get("bvar", [])
        if not variable:
            prime = LayoutNode("′", "O", end, end)
            return Child(name, _scripted(list(_fenced(argument, 70, start, end)), "above", [prime]), 80)
        sign = "d" if name == "diff" else "∂"
        node = LayoutNode("/", "F", start, end)
        node.over = [_sign(sign, start, end)]
        node.under = [_sign(sign, start, end), *variable]
        return Child(name, [node, *_fenced(argument, 50, start, end)], 50)
    return None


def _infix(name: str, arguments: list[Child], start: int, end: int) -> Child:
    sign, precedence = INFIX[name]
    row: Row = []
    if len(arguments) == 1 and sign:
        return Child(name, [_sign(sign, start, end), *_fenced(arguments[0], precedence + 1, start, end)], precedence)
    for position, child in enumerate(arguments):
        if position and sign:
            row.append(_sign(sign, start, end))
        # Only sums and products may be nested without parentheses, and not on the right of a minus.
        tight = precedence if name in ("plus", "times", "and", "or") or position == 0 else precedence + 1
        row += _fenced(child, tight, start, end)
    return Child(name, row, precedence)


def _big(head: Child, qualifiers: dict[str, Row], arguments: list[Child], start: int, end: int) -> Child:
    """A sum, an integral, a limit, a quantifier: its variable and range below, its bound above, its body after it."""
    name = head.name
    row = list(head.row) or [_sign("∑", start, end)]
    bound = qualifiers.get("bvar", [])
    low, high = qualifiers.get("lowlimit", []), qualifiers.get("uplimit", [])
    below = qualifiers.get("condition") or qualifiers.get("domainofapplication") or []
    integral = name in ("int", "integral")
    if low and bound and not integral:
        below = [*bound, _sign("→" if name in ("limit", "lim") else "=", start, end), *low]
    elif low:
        below = low
    elif not below and bound and not integral and name not in ("forall", "exists"):
        below = bound
    body: Row = []
    for position, child in enumerate(arguments):
        if position:
            body.append(LayoutNode(",", "O", start, end))
        body += _fenced(child, 41 if name in ("sum", "product") else 0, start, end)
    if not bound and not below and not high and name in ("max", "min"):
        return Child(name, row + _list(arguments, "(", ")", start, end), 70)
    if name in ("forall", "exists"):
        return Child(name, [*row, *bound, *([_sign(":", start, end)] if body else []), *body], 8)
    if below:
        _scripted(row, "below", below)
    if high:
        _scripted(row, "above", high)
    row += body
    if integral and bound:
        row += [LayoutNode("d", "V", end, end), *bound]
    return Child(name, row, 45)
