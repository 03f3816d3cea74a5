"""Leaf-root paths of the operator tree, as Approach Zero indexes them.

Sources: Zhong and Zanibbi, ECIR 2019; Zhong, Rohatgi, Wu, Giles and Zanibbi, ECIR 2020.
"""

from __future__ import annotations

from porism.formula.extractors.walk import operator_walk
from porism.formula.operator_lists import RELATION_LABELS
from porism.formula.tree import OperatorNode, OperatorTree

MOST_PATHS = 64
MOST_PREFIXES = 128
LONGEST_PATH = 32
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


def path_class(node: OperatorNode) -> str:
    """The class of a node in a path: ``VAR NUM ZERO ONE ADD TIMES FRAC GTLS SUBSUP …``, other labels in upper case."""
    if not node.children:
        if node.kind == "N":
            return "ZERO" if node.label == "0" else "ONE" if node.label == "1" else "NUM"
        return {"V": "VAR", "W": "WILDCARD", "T": "TEXT", "E": "ERROR"}.get(node.kind, "CONST")
    label = node.label
    if "-" in label:
        return "GTLS"
    return _CLASSES.get(label) or label.upper()


def leaf_root_paths(operators: OperatorTree) -> list[str]:
    """All indexed prefixes of the leaf-root paths, leaves from left to right.

    ``VAR/BASE/SUBSUP/ADD/GTLS``: a variable stands in a ``BASE`` of a ``SUBSUP`` even without scripts, so that ``x``
    and ``x_1`` share paths; operands of ordered operators pass a node ``rank1``, ``rank2``… A prefix has two nodes or
    more, does not end on a rank, and its root covers more than a fifth of the leaves. At most ``MOST_PREFIXES``
    prefixes of ``MOST_PATHS`` paths.
    """
    walk = operator_walk(operators)
    nodes, parents = walk.nodes, walk.parents
    count = len(nodes)
    covered = [0] * count
    for position in range(count - 1, -1, -1):
        if not nodes[position].children:
            covered[position] += 1
        parent = parents[position]
        if parent >= 0:
            covered[parent] += covered[position]
    total = covered[0] if count else 0
    classes = [path_class(node) for node in nodes]
    # what a path gains between a node and its parent
    edges = [""] * count
    numbers: dict[int, int] = {}
    for position in range(1, count):
        parent = parents[position]
        number = numbers.get(parent, 0)
        numbers[parent] = number + 1
        script = _SCRIPT_EDGES.get(nodes[parent].label)
        if script is not None:
            edges[position] = script[number] if number < len(script) else script[-1]
        elif nodes[parent].kind == "O" and classes[parent] not in _UNRANKED and len(nodes[parent].children) > 1:
            edges[position] = f"rank{number + 1}" if number < 9 else "rank9"
    terms: list[str] = []
    paths = 0
    for position in range(count):
        if nodes[position].children:
            continue
        paths += 1
        if paths > MOST_PATHS:
            break
        path = classes[position]
        length = 1
        if path == "VAR" and edges[position] != "BASE":
            path = "VAR/BASE/SUBSUP"
            length = 3
            if total < 5:
                terms.extend(("VAR/BASE", path))
        current = position
        while parents[current] >= 0 and length < LONGEST_PATH:
            edge = edges[current]
            if edge:
                path = f"{path}/{edge}"
                length += 1
                if not edge.startswith("rank") and 5 * covered[current] > total:
                    terms.append(path)
            current = parents[current]
            path = f"{path}/{classes[current]}"
            length += 1
            if 5 * covered[current] > total:
                terms.append(path)
        if len(terms) >= MOST_PREFIXES:
            return terms[:MOST_PREFIXES]
        if count == 1 and not terms:
            terms.append(path)
    return terms
