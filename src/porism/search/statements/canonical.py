"""The canonical form of a statement: a string that two statements share only if they are equal up to renaming.

Variables are numbered in the order in which they come in the conclusion, then in the hypotheses, which are put in
order by what is known of them. Where that leaves a choice, equal statements may get different forms; different ones
never get the same, because the form says everything but names, order and direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Tokens = tuple[str | int, ...]
"""Symbols and names, and the numbers of variables."""


class Clause(NamedTuple):
    """A hypothesis, a binder or the conclusion.

    Of a symmetric relation ``sides`` has the two sides, which may be exchanged, else all of it. ``relation`` and
    ``head`` stand before it: the relation, and the name of a binder.
    """

    sides: tuple[Tokens, ...]
    relation: str = ""
    head: Tokens = ()

    @property
    def tokens(self) -> Iterable[str | int]:
        """All tokens."""
        yield from self.head
        for side in self.sides:
            yield from side


class Statement(NamedTuple):
    """Clauses of which the order does not matter, and one that is what they lead to."""

    hypotheses: tuple[Clause, ...]
    conclusion: Clause

    @property
    def size(self) -> int:
        """How many tokens it has."""
        return sum(len(side) for clause in (*self.hypotheses, self.conclusion) for side in clause.sides)


_UNKNOWN = _ALONE = "_"
"""What stands for a variable that has no number yet, and for one that comes only once."""


def masked_form(statement: Statement) -> str:
    """A form without variables: equal statements have the same, and few others."""
    return "\n".join(sorted(_clause(clause, {}) for clause in (*statement.hypotheses, statement.conclusion)))


def canonical_form(statement: Statement) -> str:
    """The form that a statement shares with those that are equal to it."""
    counts = Counter(
        token for clause in (*statement.hypotheses, statement.conclusion) for token in clause.tokens
        if isinstance(token, int)
    )
    alone = {variable: _ALONE for variable, count in counts.items() if count == 1}
    sides = statement.conclusion.sides
    if len(sides) == 2:
        masked = [_written(side, alone) for side in sides]
        if masked[0] == masked[1]:  # either may be the first
            return min(_form(statement, order, alone) for order in (sides, sides[::-1]))
        if masked[0] > masked[1]:
            sides = sides[::-1]
    return _form(statement, sides, alone)


def _form(statement: Statement, sides: Sequence[Tokens], alone: Mapping[int, str]) -> str:
    known = dict(alone)
    count = len(alone)
    for side in sides:
        _number(side, known, count)
    waiting = [clause for clause in statement.hypotheses if _open(clause, known)]
    while waiting:
        clause = min(waiting, key=lambda clause: _clause(clause, known)) if len(waiting) > 1 else waiting[0]
        _number(clause.head, known, count)
        for side in sorted(clause.sides, key=lambda side: _written(side, known)):
            _number(side, known, count)
        waiting = [clause for clause in waiting if _open(clause, known)]
    hypotheses = sorted(_clause(clause, known) for clause in statement.hypotheses)
    return "\n".join((_clause(statement.conclusion, known), *hypotheses))


def _open(clause: Clause, known: Mapping[int, str]) -> bool:
    """Whether a clause has variables without a number."""
    return any(isinstance(token, int) and token not in known for token in clause.tokens)


def _number(tokens: Tokens, known: dict[int, str], before: int) -> None:
    """Numbers the variables that have none."""
    for token in tokens:
        if isinstance(token, int) and token not in known:
            known[token] = f"#{len(known) - before}"


def _clause(clause: Clause, known: Mapping[int, str]) -> str:
    sides = sorted(_written(side, known) for side in clause.sides)
    return "\t".join((clause.relation, _written(clause.head, known), *sides))


def _written(tokens: Tokens, known: Mapping[int, str]) -> str:
    return " ".join([token if isinstance(token, str) else known.get(token, _UNKNOWN) for token in tokens])
