"""What two formulas are to each other, and why: the values that a comparison gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from porism.formula.values.shared import SharedValue

Relation = Literal[
    "identical", "renamed", "same value", "same statement", "same value after renaming", "conditional", "different",
    "unknown",
]
"""What two formulas are to each other. The first five are equal in some sense; ``conditional`` are equal under an
assumption, ``different`` differ at a point that is known, and of ``unknown`` ones neither is known."""

EQUAL = frozenset({"identical", "renamed", "same value", "same statement", "same value after renaming"})

VERDICTS = {"conditional": "Equal under an assumption", "different": "Not equal", "unknown": "Not known to be equal"}
"""What is said of those that are not equal."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an equality: a line of text, and the formula in LaTeX that it leads to, if any."""

    text: str
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A point, as LaTeX of each variable with its value, and what each of the formulas is there: a number in LaTeX, or
    with ``is_truth`` whether it holds, in words."""

    point: tuple[tuple[str, str], ...]
    first: str
    second: str
    is_truth: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two formulas are to each other, and why.

    ``names`` are the variables that have another name in the second formula, with that name, in LaTeX. ``common`` are
    the largest parts of one value, where the formulas are not equal.
    """

    relation: Relation
    explanation: str
    steps: tuple[Step, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    difference: Difference | None = None
    common: tuple[SharedValue, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether they are equal in some sense, without assumptions."""
        return self.relation in EQUAL

    @property
    def verdict(self) -> str:
        """The relation in words, for a reader."""
        return f"{VERDICTS.get(self.relation, 'Equal')} ({self.relation}). {self.explanation}"
