"""The two trees of a formula: symbol layout (how it looks) and operators (what it means)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

Row = list["LayoutNode"]
"""Symbols side by side, left to right: the chain of Tangent's ``next`` edges."""


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """How symbols side by side are set together: all of them refer to this object.

    ``kind`` is one of :mod:`porism.formula.tables.styles`. ``slots`` are those of the last symbol that were filled when
    the style ended: scripts that came later are not in it. ``column`` says of scripts that they are to the right
    of those of earlier columns: ``T_a{}^b``. ``colour`` and ``background`` are ``#rrggbb`` or empty.
    ``unseen`` is what a symbol has room for before it, or ``after`` it, as ``\\phantom`` makes it.
    """

    kind: str
    slots: frozenset[str] = frozenset()
    column: int = 0
    colour: str = ""
    background: str = ""
    unseen: Row = field(default_factory=list)
    after: bool = False


class Look(NamedTuple):
    """What of a symbol is only seen: the space before it in mu, and the styles around it, outer ones first."""

    space: int = 0
    styles: tuple[Style, ...] = ()


class LayoutNode:
    """One symbol of a layout tree with the rows around it.

    ``label`` is the canonical symbol and ``kind`` one letter:

    ====  ===============================================================================================
    V     variable or other identifier, named functions too (``x``, ``α``, ``sin``)
    N     number (``0``, ``3.14``)
    O     operator, relation, fence, separator, dots, any other symbol (``+``, ``≤``, ``(``, ``∑``)
    T     text (``if``)
    F     fraction or binomial: ``over`` is the numerator, ``under`` the denominator; label ``/`` or ``choose``
    R     root: ``within`` is the radicand, ``pre_above`` the index; label ``√``
    M     matrix, cases, aligned display: ``elements`` are its cells; label: its fences (``()``, ``{``, ``||``) or empty
    G     several symbols that carry a script or an accent together: ``within`` holds them; no label
    W     wildcard; label is its name
    E     an unparsed part (an unknown command keeps its name as the label)
    ====  ===============================================================================================

    ``font`` is empty or one of ``bb bf cal frak it rm sf tt`` (script is ``cal``). ``start`` and ``end`` are offsets
    into the source. Limits of big operators are ``above``/``below`` whatever the display style; accents, braces and
    ``\\overset``/``\\underset`` are ``over``/``under``.

    ``space`` is the horizontal space written before the symbol, in mu (18 are a quad; ``\\!`` takes 3 away). It is seen
    on the page and is not part of what the formula says: equality, keys and terms leave it out. So they do with
    ``styles``, the boxes, strokes and colours around the symbol, outer ones first.
    """

    __slots__ = (
        "above", "below", "elements", "end", "font", "kind", "label", "look", "over", "pre_above", "pre_below",
        "start", "under", "within",
    )

    def __init__(self, label: str, kind: str, start: int = 0, end: int = 0, font: str = "") -> None:
        self.label = label
        self.kind = kind
        self.start = start
        self.end = end
        self.font = font
        self.look: Look | None = None
        self.above: Row | None = None
        self.below: Row | None = None
        self.over: Row | None = None
        self.under: Row | None = None
        self.pre_above: Row | None = None
        self.pre_below: Row | None = None
        self.within: Row | None = None
        self.elements: list[list[Row]] | None = None

    # Both are rare, and one attribute for them makes a tree a tenth smaller.

    @property
    def space(self) -> int:
        return self.look.space if self.look is not None else 0

    @space.setter
    def space(self, mu: int) -> None:
        self.look = Look(mu, self.styles)

    @property
    def styles(self) -> tuple[Style, ...]:
        return self.look.styles if self.look is not None else ()

    @styles.setter
    def styles(self, styles: tuple[Style, ...]) -> None:
        self.look = Look(self.space, styles)


@dataclass(frozen=True, slots=True)
class ParseProblem:
    """A part of a formula that could not be parsed or had to be repaired, at an offset into its source."""

    position: int
    what: str


@dataclass(slots=True)
class LayoutTree:
    """A parsed formula: its top row, the problems of parsing it, and the source that the offsets point into.

    ``operators`` is the operator tree where the notation itself says what is applied to what, as Lean does; else None.
    """

    row: Row
    source: str
    problems: tuple[ParseProblem, ...] = ()
    operators: OperatorNode | None = None


class OperatorNode:
    """A node of an operator tree: an operator with operands, or a leaf.

    ``kind`` is ``U`` (operands in any order), ``O`` (order counts), or of a leaf ``V`` variable, ``N`` number, ``C``
    constant, ``T`` text, ``W`` wildcard, ``E`` not understood. ``start`` and ``end`` are offsets into the source.
    """

    __slots__ = ("children", "end", "kind", "label", "start")

    def __init__(
        self, label: str, kind: str, children: list[OperatorNode] | None = None, start: int = 0, end: int = 0
    ) -> None:
        self.label = label
        self.kind = kind
        self.children: list[OperatorNode] = children if children is not None else []
        self.start = start
        self.end = end

    def walk(self) -> Iterator[OperatorNode]:
        """This node and all below it, in preorder, without recursion."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(slots=True)
class OperatorTree:
    """The operator tree of a formula and the source that its offsets point into."""

    root: OperatorNode
    source: str
