"""Making variants of a formula, checked by values: equal ones for a model to find, and others for it to tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import WholeValue, whole_value
from porism.formula.variants.changes import CHANGE_TABLE
from porism.formula.variants.editing import apply_one, copied, signature
from porism.formula.variants.renaming import rename
from porism.formula.variants.rewriting import REWRITE_TABLE, reorder

MAX_VARIED = 120
"""Of larger trees only names and orders vary, and values are not compared: it bounds the time of a variant."""

_TRIES = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a formula: the root of its operator tree, and the names of the rules that made it."""

    root: OperatorNode
    rules: tuple[str, ...]


def equal_values(first: WholeValue, second: WholeValue) -> bool | None:
    """Whether two formulas have one value, up to renaming variables; None where a value is not known."""
    if first.named and first.named == second.named:
        return True
    if first.renamed and second.renamed:
        return first.renamed == second.renamed
    return None if not (first.named and second.named) or first.telling != second.telling else False


class Varied:
    """A formula of which variants are made; its value is computed once."""

    def __init__(self, root: OperatorNode) -> None:
        self.root = copied(root)
        self._signature = signature(self.root)
        self.small = len(self._signature) <= MAX_VARIED
        self._value = whole_value(OperatorTree(self.root, "")) if self.small else WholeValue("", "", False)

    @property
    def value(self) -> WholeValue:
        """Its value as a whole, empty terms where it has none."""
        return self._value

    def equal(self, random: Random, *, renamed: bool, rewrites: int) -> Variant | None:
        """A variant that means the same: with its operands in another order, with variables ``renamed``, and up to
        ``rewrites`` parts written differently; None where nothing of that changes the formula.

        Where a value is known, it is the same.
        """
        for _ in range(_TRIES):
            made = copied(self.root)
            rules: list[str] = []
            for _ in range(rewrites if self.small else 0):
                rule = apply_one(REWRITE_TABLE, made, random, rules)
                if rule is not None:
                    rules.append(rule.name)
                    made = copied(made)
            if renamed and rename(made, random):
                rules.append("renamed")
            if reorder(made, random):
                rules.append("reordered")
            if signature(made) == self._signature:
                continue
            if rules == ["reordered"] or rules == ["renamed"] or self._agrees(made) is not False:
                return Variant(made, tuple(rules))
        return None

    def different(self, random: Random, *, renamed: bool = False) -> Variant | None:
        """A variant that nearly is the formula but means something else; None where none was found.

        Where a value is known, it is another one, also after renaming variables.
        """
        for _ in range(_TRIES):
            made = copied(self.root)
            rule = apply_one(CHANGE_TABLE, made, random)
            if rule is None:
                return None
            made = copied(made)
            if signature(made) == self._signature or self._agrees(made) is True:
                continue
            rules = [rule.name]
            if renamed and rename(made, random):
                rules.append("renamed")
            if reorder(made, random):
                rules.append("reordered")
            return Variant(made, tuple(rules))
        return None

    def _agrees(self, made: OperatorNode) -> bool | None:
        if not self.small or not (self._value.named or self._value.renamed):
            return None
        return equal_values(self._value, whole_value(OperatorTree(made, "")))
