"""Statements as ``to_additive`` and ``to_dual`` translate them, as far as text tells: types are not known.

The operator tree of a statement says what each sign belongs to, and the places of its nodes what is to be rewritten.
Sums in a statement about products, and exponents, are about numbers and stay.
"""

from __future__ import annotations

import re

from porism.corpus.lean.translations import Translation
from porism.formula.plain.lean_terms import read_term
from porism.formula.tables.lean import BINDERS
from porism.formula.tree import OperatorNode

MAX_HEIGHT = 100
"""Statements that are nested deeper are not translated."""

_NAME = re.compile(r"(?:Type|Sort)\*|[^\W\d][\w'.!?]+")
_INVERSE = "⁻¹"
_BIG = frozenset(label for label, precedence in BINDERS.values() if precedence)
_FACTORS = frozenset(("times", "divide"))


def translated(text: str, translation: Translation) -> str | None:
    """A term as it is in the translation, None where it cannot be translated."""
    root = read_term(text)[0].root
    if _height(root) > MAX_HEIGHT:
        return None
    return _Rewriter(text, translation).between(0, len(text), [root])


def translated_names(text: str, translation: Translation) -> str:
    """Text in which only names are translated, such as the classes in binders."""
    return _NAME.sub(lambda match: _name(match.group(), translation), text)


def _name(name: str, translation: Translation) -> str:
    return name if name.endswith("*") else translation.full_name(name)


def _height(root: OperatorNode) -> int:
    height, waiting = 0, [(root, 1)]
    while waiting:
        node, level = waiting.pop()
        height = max(height, level)
        waiting.extend((child, level + 1) for child in node.children)
    return height


class _Rewriter:
    """Rewrites one statement."""

    def __init__(self, text: str, translation: Translation) -> None:
        self._text, self._translation = text, translation
        self._signs = str.maketrans(dict(translation.signs))

    def between(self, start: int, end: int, nodes: list[OperatorNode], parent: str = "") -> str:
        """A stretch in which nodes are."""
        parts: list[str] = []
        for node in sorted(nodes, key=lambda node: node.start):
            if node.start >= start and node.end <= end:
                parts += (self._plain(start, node.start), self.node(node, parent))
                start = node.end
        return "".join([*parts, self._plain(start, end)])

    def node(self, node: OperatorNode, parent: str = "") -> str:
        """The stretch of a node; a sum below a sign that introduces variables is put in parentheses, as it binds less
        than the product that it comes from."""
        if parent in _BIG and node.label in _FACTORS and self._text[node.start] != "(":
            return f"({self.node(node)})"
        text, children = self._text[node.start : node.end], node.children
        if self._translation.has_powers:
            if node.label == "plus":
                return text
            if node.kind == "N":
                return "0" if text == "1" else text
            if node.label == "sup" and len(children) == 2:
                base, exponent = children
                if text.rstrip(")").endswith(_INVERSE):
                    return f"(-{self.node(base)})"
                return f"({self._text[exponent.start : exponent.end]} • {self.node(base)})"
        if node.label in self._translation.swapped and len(children) == 2:
            left, right = children
            return "".join((
                self._plain(node.start, left.start), self.node(right), self._plain(left.end, right.start),
                self.node(left), self._plain(right.end, node.end),
            ))  # fmt: skip
        return self.between(node.start, node.end, children, node.label)

    def _plain(self, start: int, end: int) -> str:
        """Signs and names outside nodes that are rewritten otherwise."""
        return translated_names(self._text[start:end].translate(self._signs), self._translation)
