"""Why a document has its score: a tree of contributions that adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, what it is, and the contributions it is the sum of (or, for a leaf, is computed from).

    ``value`` equals the sum of the values of ``parts`` wherever ``parts`` is not empty.
    """

    value: float
    label: str
    parts: Sequence[Explanation] = ()

    def scaled(self, factor: float) -> Explanation:
        """The same tree with all values times a factor."""
        return Explanation(self.value * factor, self.label, [part.scaled(factor) for part in self.parts])

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready tree: ``value``, ``label`` and, where there are any, ``parts``."""
        tree: dict[str, Any] = {"value": self.value, "label": self.label}
        if self.parts:
            tree["parts"] = [part.to_dict() for part in self.parts]
        return tree

    def lines(self, depth: int = 0) -> list[str]:
        """The tree as text, one line a node, two spaces a level."""
        head = f"{'  ' * depth}{self.value:.4f}  {self.label}"
        return [head, *(line for part in self.parts for line in part.lines(depth + 1))]

    def __str__(self) -> str:
        return "\n".join(self.lines())
