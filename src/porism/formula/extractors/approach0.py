"""Leaf-root paths of the operator tree, as Approach Zero indexes them.

Sources: Zhong and Zanibbi, ECIR 2019; Zhong, Rohatgi, Wu, Giles and Zanibbi, ECIR 2020.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from porism.formula.extractors.walk import operator_walk
from porism.formula.operators.lists import RELATION_LABELS
from porism.formula.tree import OperatorTree

MAX_PATHS = 64
MAX_PREFIXES = 128
MAX_PATH_LENGTH = 32
"""Nodes of a path beyond these are left out, which bounds what a deep formula costs."""

_TRIGONOMETRIC = (
    "sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech csch arcsinh arccosh "
    "arctanh arsinh arcosh artanh"
)
_CLASSES = {
    "plus": "ADD", "times": "TIMES", "divide": "FRAC", "neg": "NEG", "pm": "SIGN", "mp": "SIGN", "sqrt": "ROOT",
    "root": "ROOT", "abs": "ABS", "norm": "ABS", "binom": "BINOM", "list": "SEP", "sequence": "SEP", "tuple": "SEP",
    "closed": "SEP", "open": "SEP", "closed_open": "SEP", "open_closed": "SEP", "set": "SET", "setbuilder": "SET",
    "log": "LOGA", "ln": "LOGA", "lg": "LOGA", "exp": "EXP", "union": "SETOP", "inter": "SETOP", "setminus": "SETOP",
    "int": "INT", "iint": "INT", "iiint": "INT", "oint": "INT", "and": "LOGIC", "or": "LOGIC", "implies": "LOGIC",
    "iff": "LOGIC", "proves": "LOGIC", "models": "LOGIC", "lim": "LIMIT", "limsup": "LIMIT", "liminf": "LIMIT", "max":
    "MINMAX", "min": "MINMAX", "supremum": "MINMAX", "infimum": "MINMAX", "matrix": "TAB", "det": "TAB", "cases":
    "TAB", "lines": "TAB", "row": "TABROW", "branch": "TABROW", "prime": "PRIME", "prime2": "PRIME", "prime3":
    "PRIME", "primes": "PRIME", **dict.fromkeys(_TRIGONOMETRIC.split(), "TRIGO"),
    **dict.fromkeys(RELATION_LABELS, "GTLS"),
    **dict.fromkeys(["sub", "sup", "subsup"], "SUBSUP"),
    **dict.fromkeys(["bar", "hat", "tilde", "vec", "dot", "ddot", "check", "breve", "underline", "overset",
    "underset"], "ACCENT"), **dict.fromkeys(["in", "notin", "ni", "subset", "subseteq", "subsetneq", "supset",
    "supseteq", "supsetneq", "nsubseteq"], "SUBSET"), **dict.fromkeys(["to", "gets", "mapsto", "hookrightarrow",
    "onto", "leadsto", "leftrightarrow"], "ARROW"),
}
_UNRANKED = frozenset({"GTLS", "SUBSET", "ARROW", "SUBSUP", "SEP", "NEG", "SIGN"})
_SCRIPT_EDGES = {
    "sup": ("BASE", "SUPSCRIPT"), "sub": ("BASE", "SUBSCRIPT"), "subsup": ("BASE", "SUBSCRIPT", "SUPSCRIPT"),
}


@lru_cache(1 << 14)
def path_class(kind: str, label: str, is_leaf: bool) -> str:
    """The class of a node in a path: ``VAR NUM ZERO ONE ADD TIMES FRAC GTLS SUBSUP …``, other labels in upper case; of
    an unknown command its name."""
    if label[:1] == "\\":  # an unknown command
        return label
    if is_leaf:
        if kind == "N":
            return "ZERO" if label == "0" else "ONE" if label == "1" else "NUM"
        return {"V": "VAR", "W": "WILDCARD", "T": "TEXT", "E": "ERROR"}.get(kind, "CONST")
    if "-" in label:
        return "GTLS"
    return _CLASSES.get(label) or label.upper()


class _Step(NamedTuple):
    """What a path gains on the way from an operand up to its operator.

    ``script`` comes first where the operand is part of a script (``/BASE``) and may end a prefix; ``rest`` is the
    class of the operator, after the rank of the operand where ranks count (``/rank1/FRAC``), and ``nodes`` how many
    nodes that is.
    """

    script: str
    rest: str
    nodes: int


_NO_STEP = _Step("", "", 0)
_NO_STEPS: dict[str, _Step] = {}


@lru_cache(1 << 14)
def _steps(kind: str, label: str, ranked: bool) -> dict[str, _Step]:
    """The step to an operator from each of its edges in a walk; ``ranked`` if it has several operands."""
    end = "/" + path_class(kind, label, False)
    script = _SCRIPT_EDGES.get(label)
    if script is not None:
        return {str(number): _Step("/" + script[min(number, len(script) - 1)], end, 1) for number in range(10)}
    if ranked and kind == "O" and end[1:] not in _UNRANKED:
        return {str(number): _Step("", f"/rank{min(number + 1, 9)}{end}", 2) for number in range(10)}
    return dict.fromkeys("0123456789", _Step("", end, 1))


def leaf_root_paths(operators: OperatorTree) -> list[str]:
    """All indexed prefixes of the leaf-root paths, leaves from left to right.

    ``VAR/BASE/SUBSUP/ADD/GTLS``: a variable is in a ``BASE`` of a ``SUBSUP`` even without scripts, so that ``x`` and
    ``x_1`` share paths; operands of ordered operators pass a node ``rank1``, ``rank2``, and so on. A prefix has two
    nodes or more, does not end on a rank, and its root covers more than a fifth of the leaves. At most ``MAX_PREFIXES``
    prefixes of ``MAX_PATHS`` paths.
    """
    walk = operator_walk(operators)
    nodes, parents = walk.nodes, walk.parents
    covered = [0 if node.children else 1 for node in nodes]
    for position in range(len(nodes) - 1, 0, -1):
        covered[parents[position]] += covered[position]
    total = covered[0]
    kept = [5 * leaves > total for leaves in covered]
    steps_to = [_steps(node.kind, node.label, len(node.children) > 1) if node.children else _NO_STEPS for node in nodes]
    steps = [steps_to[parent].get(edge, _NO_STEP) for parent, edge in zip(parents, walk.edges, strict=True)]
    terms: list[str] = []
    add = terms.append
    paths = 0
    for position, node in enumerate(nodes):
        if node.children:
            continue
        paths += 1
        if paths > MAX_PATHS:
            break
        path = path_class(node.kind, node.label, True)
        length = 1
        if path == "VAR" and steps[position].script != "/BASE":
            path = "VAR/BASE/SUBSUP"
            length = 3
            if total < 5:
                add("VAR/BASE")
                add(path)
        current = position
        while current and length < MAX_PATH_LENGTH:
            script, rest, gained = steps[current]
            if script:
                path += script
                length += 1
                if kept[current]:
                    add(path)
            path += rest
            length += gained
            current = parents[current]
            if kept[current]:
                add(path)
        if len(terms) >= MAX_PREFIXES:
            return terms[:MAX_PREFIXES]
        if not (position or terms):
            add(path)  # the formula is one leaf
    return terms
