"""A formula as a term of Lean 4, as its operator tree has it: ``∑ i ∈ Finset.Icc 1 n, i ^ 2``.

Types are not known, so that functions are those of the real numbers. A name for which Lean has none is written as it
is, before its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from porism.formula.operators.builder import operator_tree
from porism.formula.operators.rules import ADD, BIG, FUNCTION, LOGIC, MULTIPLY, RELATION, RULES
from porism.formula.tables.notations import SYMBOL_NAMES
from porism.formula.tables.structures import STRUCTURE_NAMES
from porism.formula.tree import LayoutTree, OperatorNode

_ATOM, _APPLICATION, _PREFIX, _POWER, _PRODUCT, _SUM, _RELATION, _NOT, _AND, _OR, _IMPLIES, _IFF, _TERM = (
    1024, 1022, 100, 75, 70, 65, 50, 40, 35, 30, 25, 20, 0,
)
_BIG_LEVEL, _INTEGRAL_LEVEL = 67, 60
"""How tightly Lean binds, from atoms to what reaches as far as it can."""
_LEVELS = {
    "sqcup": 68, "sqcap": 69, "inter": 70, "compose": 90, "and": _AND, "or": _OR, "implies": _IMPLIES, "to": _IMPLIES,
    "iff": _IFF, "leftrightarrow": _IFF, "union": 65, "setminus": 70, "mod": _PRODUCT,
    "divides": _RELATION, "parallel": _RELATION,
}
"""Operators that do not bind as others of their role do."""
_LEVEL_OF_ROLE = {RELATION: _RELATION, LOGIC: _RELATION, ADD: _SUM, MULTIPLY: _PRODUCT}
_SIGN_OF = {rule.label: symbol for symbol, rule in reversed(RULES.items())} | {
    "times": "*", "divide": "/", "implies": "→", "iff": "↔", "assign": ":=", "defeq": ":=", "compose": "∘",
    "inter": "∩", "union": "∪", "divides": "∣", "mod": "%",
}
"""Label of an operator → its sign in Lean."""
_ROLE_OF = {rule.label: rule.role for rule in RULES.values()}
_FENCES = {
    "abs": ("|", "|"), "norm": ("‖", "‖"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "set": ("{", "}"),
    "tuple": ("(", ")"), "inner": ("⟪", "⟫"), "angle": ("⟨", "⟩"),
    "bracket": ("[", "]"), "group": ("(", ")"), "fence": ("(", ")"),
}
_CALLED = {
    "closed": STRUCTURE_NAMES["lean"]["["], "open": "Set.Ioo", "closed_open": "Set.Ico", "open_closed": "Set.Ioc",
    "binom": STRUCTURE_NAMES["lean"]["\\binom{"], "factorial": STRUCTURE_NAMES["lean"]["{"],
}
_MAX_REPEATED = 40
"""Longer terms are not written twice, so that texts stay short."""
_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_OTHERWISE = frozenset({"otherwise", "else", "if not"})
_RENAMED = {"λ": "lambda"}


class _Term(NamedTuple):
    """A written term, how tightly it holds together, and what it was."""

    text: str
    level: int
    node: OperatorNode
    parts: tuple[_Term, ...] = ()

    def at(self, level: int) -> str:
        """The term where something binds so tightly beside it."""
        return self.text if self.level >= level else f"({self.text})"


def to_lean(tree: LayoutTree) -> str:
    """The tree as a term of Lean: ``(a + b) / c``, ``f x y``, ``∀ x ∈ s, p x``."""
    written: dict[int, _Term] = {}
    nodes = list(operator_tree(tree).root.walk())
    for node in reversed(nodes):
        written[id(node)] = _write(node, tuple(written[id(child)] for child in node.children))
    return written[id(nodes[0])].text


def _write(node: OperatorNode, parts: tuple[_Term, ...]) -> _Term:
    text, level = _leaf(node) if not parts else _WRITERS.get(node.label, _operator)(node, parts)
    return _Term(text, level, node, parts)


def _leaf(node: OperatorNode) -> tuple[str, int]:
    label = node.label
    if node.kind == "T":
        return '"' + label.replace('"', "”") + '"', _ATOM
    if node.kind == "W":
        return "?" + label, _ATOM
    if node.kind == "E" or not label:
        return "_", _ATOM
    names = SYMBOL_NAMES["lean"].get(label, [])
    name = next((name for name in names if "." in name), label)
    return _RENAMED.get(label, name), _ATOM


def _operator(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    """An operator between operands, a chain of relations, a pair of fences, a big operator, or a function."""
    label = node.label
    role = _ROLE_OF.get(label)
    if label in _FENCES:
        opening, closing = _FENCES[label]
        return opening + ", ".join(part.text for part in parts) + closing, _ATOM
    if role == BIG and label not in _FUNCTIONS_OF_SETS:
        return _big(node, parts)
    level = _LEVELS.get(label, _LEVEL_OF_ROLE.get(role, -1) if role is not None else -1)
    if level >= 0 and len(parts) > 1:
        sign = f" {_SIGN_OF[label]} "
        if level in (_IMPLIES, _RELATION):  # what ends the term may reach as far as it can
            last = parts[-1]
            is_open = last.level == _TERM or (level == _IMPLIES and last.level == level)
            tail = last.text if is_open else last.at(level + 1)
            return sign.join((*(part.at(level + 1) for part in parts[:-1]), tail)), level
        return sign.join((parts[0].at(level), *(part.at(level + 1) for part in parts[1:]))), level
    chain = label.split("-")
    if len(chain) == len(parts) - 1 > 1 and all(name in _SIGN_OF for name in chain):
        if any(len(part.text) > _MAX_REPEATED for part in parts[1:-1]):
            links = (f" {_SIGN_OF[name]} {part.at(_RELATION + 1)}" for name, part in zip(chain, parts[1:], strict=True))
            return parts[0].at(_RELATION + 1) + "".join(links), _RELATION
        links = (
            f"{before.at(_RELATION + 1)} {_SIGN_OF[name]} {after.at(_RELATION + 1)}"
            for before, name, after in zip(parts, chain, parts[1:], strict=False)
        )
        return " ∧ ".join(links), _AND
    return _call(_name(label), parts)


_FUNCTIONS_OF_SETS = frozenset({"lim", "limsup", "liminf", "colim"})
"""Big operators for which Lean has no sign."""


def _name(label: str) -> str:
    symbol = next((symbol for symbol, rule in RULES.items() if rule.label == label and rule.role == FUNCTION), label)
    names = SYMBOL_NAMES["lean"].get(symbol, [])
    name = next((name for name in names if name.replace(".", "").isalnum()), symbol)
    return _CALLED.get(label, name) if name.replace(".", "").isalnum() else "_"


def _call(name: str, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return " ".join((name, *(part.at(_ATOM) for part in parts))), _APPLICATION


def _apply(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return " ".join((parts[0].at(_APPLICATION), *(part.at(_ATOM) for part in parts[1:]))), _APPLICATION


def _plus(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    text = parts[0].at(_SUM)
    for part in parts[1:]:
        is_negative = part.node.label == "neg" and len(part.parts) == 1
        text += f" - {part.parts[0].at(_SUM + 1)}" if is_negative else f" + {part.at(_SUM + 1)}"
    return text, _SUM


def _neg(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    if len(parts) > 1:
        return " - ".join((parts[0].at(_SUM), *(part.at(_SUM + 1) for part in parts[1:]))), _SUM
    return "-" + parts[0].at(_POWER), _POWER


def _not(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return "¬" + " ".join(part.at(_NOT) for part in parts), _NOT


def _power(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    exponent = parts[-1]
    base = parts[0] if len(parts) == 2 else _Term(*_subscript(node, parts[:2]), node)
    if exponent.node.label == "neg" and exponent.text == "-1":
        return base.at(_ATOM) + "⁻¹", _ATOM
    return f"{base.at(_POWER + 1)} ^ {exponent.at(_ATOM)}", _POWER


def _subscript(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    """A number is a part of the name; else a sequence is a function of its index."""
    base, index = parts[0], parts[-1]
    if index.node.kind == "N" and index.text.isdecimal() and base.text.isalnum():
        return base.text + index.text.translate(_DIGITS), _ATOM
    return _apply(node, parts)


def _prime(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return parts[0].at(_ATOM) + "'", _ATOM


def _sqrt(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return "√" + parts[0].at(_ATOM), _PREFIX


def _root(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return f"{parts[0].at(_POWER + 1)} ^ (1 / {parts[-1].at(_PRODUCT + 1)})", _POWER


def _list(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return ", ".join(part.text for part in parts), _TERM


def _set_builder(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return "{" + parts[0].text + " | " + ", ".join(part.text for part in parts[1:]) + "}", _ATOM


def _quantifier(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    sign = _SIGN_OF[node.label]
    return f"{sign} {parts[0].text}, " + ", ".join(part.text for part in parts[1:]) if len(parts) > 1 else (
        f"{sign} {parts[0].text}"
    ), _TERM


def _function(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return f"fun {parts[0].text} => " + ", ".join(part.text for part in parts[1:]), _TERM


def _colon(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return " : ".join(part.text for part in parts), _TERM


def _big(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    body, bounds = parts[0], parts[1:]
    lower = bounds[0] if bounds else None
    sign = _SIGN_OF[node.label]
    if lower is None:
        return f"{sign} {body.at(_ATOM)}", _PREFIX
    variables = lower.text
    if len(bounds) > 1 and lower.node.label == "eq" and len(lower.parts) == 2:
        first, last = lower.parts
        variables = f"{first.text} ∈ Finset.Icc {last.at(_ATOM)} {bounds[1].at(_ATOM)}"
    return f"{sign} {variables}, {body.at(_BIG_LEVEL)}", _BIG_LEVEL


def _integral(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    body, *bounds = parts
    variable = "x"
    if bounds and bounds[-1].node.label == "diff" and bounds[-1].parts:
        variable = bounds.pop().parts[0].text
    limits = f" in {bounds[0].at(_ATOM)}..{bounds[1].at(_ATOM)}" if len(bounds) == 2 else (
        f" in {bounds[0].at(_ATOM)}" if bounds else ""
    )
    return f"∫ {variable}{limits}, {body.at(_INTEGRAL_LEVEL)}", _INTEGRAL_LEVEL


def _derivative(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    variable = parts[-1].parts[0].text if parts[-1].parts else parts[-1].text
    if len(variable) > _MAX_REPEATED:
        variable = "x"
    return f"deriv (fun {variable} => {parts[0].text}) {variable}", _APPLICATION


def _cases(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    text = ""
    for number, branch in enumerate(parts):
        value, *conditions = branch.parts or (branch,)
        is_last = number == len(parts) - 1 or all(part.node.label in _OTHERWISE for part in conditions)
        if is_last and number:
            return text + value.at(_TERM + 1), _TERM
        condition = ", ".join(part.text for part in conditions) or "_"
        text += f"if {condition} then {value.text} else "
    return text + "_", _TERM


def _modulo(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return f"{parts[0].text} [MOD {parts[-1].text}]", _RELATION


def _matrix(node: OperatorNode, parts: tuple[_Term, ...]) -> tuple[str, int]:
    return "!![" + "; ".join(part.text for part in parts) + "]", _ATOM


_WRITERS: dict[str, Callable[[OperatorNode, tuple[_Term, ...]], tuple[str, int]]] = {
    "apply": _apply, "plus": _plus, "neg": _neg, "not": _not, "sup": _power, "subsup": _power, "sub": _subscript,
    "prime": _prime, "sqrt": _sqrt, "root": _root, "list": _list, "row": _list, "sequence": _list,
    "setbuilder": _set_builder, "forall": _quantifier, "exists": _quantifier, "nexists": _quantifier,
    "mapsto": _function, "colon": _colon, "int": _integral, "deriv": _derivative, "cases": _cases,
    "branch": _list, "modulo": _modulo, "matrix": _matrix,
}
"""Label of an operator → what writes it."""
