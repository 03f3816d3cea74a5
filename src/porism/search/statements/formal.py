"""Statements of Lean as clauses: binders and hypotheses, and the conclusion.

``∀ x, P x → Q`` as a conclusion is the same as ``Q`` with the binder ``x`` and the hypothesis ``P x``. A name is the
same variable throughout; one that a quantifier inside a clause binds is another in every clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from porism.corpus.formal.binders import CLOSERS, NAME, NAME_PART
from porism.formula.operators.rules import MIRRORED_SIGNS
from porism.search.statements.canonical import Clause, Statement, Tokens
from porism.search.statements.meanings import Meanings

SYMMETRIC = ("↔", "=", "≠")
"""Relations whose sides may be exchanged, the loosest first."""

_TOKEN = re.compile(
    rf"(?<=[^\s(\[{{⟨⦃,])\.(?:{NAME_PART}|\d+)|\.?{NAME}|\d+(?:\.\d+)?|\"[^\"]*\"|[<>=|:!&+*~$^/\\%-]+|\S"
)
_NAME = re.compile(NAME_PART)
_QUANTIFIERS = frozenset("∀ ∃ λ Π Σ ∏ ∑ ∫ ∮ ⋃ ⋂ ⨆ ⨅ ⨁ ⨂ ∐ fun".split())
_MARKS = frozenset("! ' ᵐ ᶠ ₀ ᵉ".split())
"""What may follow a quantifier and belongs to it."""
_LOCAL = frozenset(("let", "have", "letI", "haveI"))
_BINDING = frozenset((*_QUANTIFIERS, *_LOCAL, "{"))
_FAR = frozenset("∀ ∃ λ Π Σ fun let have letI haveI if match do show from <| $ |> by ¬ ⟶ ; ,".split())
"""Tokens behind which nothing at the same level is the loosest part of a term, or that are looser than relations."""
_LOGIC = frozenset(("∧", "∨"))
_LOOSE = frozenset((*_LOGIC, "→", "×", "⊕"))
"""Operators that are looser than equality, or in a type."""
_RELATIONS = frozenset("∈ ∉ < > ≤ ≥ ⊆ ≠".split())
"""What may follow a name behind a quantifier and says something of it."""
_BACKWARDS = ("≥", ">", "⊇", "⊃", "∋")
"""Relations that are written as the mirrored ones, with their sides swapped."""
_SIDED = frozenset((*SYMMETRIC, *_BACKWARDS))
_UNIVERSES = frozenset(("Type", "Sort"))
_CLOSING = frozenset(CLOSERS.values())


class _Written(NamedTuple):
    """A clause as it is written: the name that it binds, ``_`` for none, and its tokens."""

    name: str
    tokens: Sequence[str]


def formal_statement(text: str, meanings: Meanings) -> Statement | None:
    """The statement of a signature: binders, a colon, and what is stated; None where there is no such colon."""
    tokens = _TOKEN.findall(text)
    clauses: list[_Written] = []
    place = _binders(tokens, clauses)
    if place >= len(tokens) or tokens[place] != ":":
        return None
    conclusion = _without_premises(tokens[place + 1 :], clauses)
    writer = _Writer(dict.fromkeys(clause.name for clause in clauses if clause.name != "_"), meanings)
    hypotheses = tuple(map(writer.clause, clauses))
    if meanings.instances:
        hypotheses += (Clause((meanings.instances,), "instances"),)
    return Statement(hypotheses, writer.clause(_Written("⊢", conclusion)))


def _binders(tokens: Sequence[str], clauses: list[_Written]) -> int:
    """Adds the clauses of binders in brackets from the first token on; the place behind them."""
    place = 0
    while place < len(tokens) and tokens[place] in CLOSERS and tokens[place] != "⟨":
        end = _closing(tokens, place)
        if end < 0:
            break
        inside = tokens[place + 1 : end]
        colon = _at_top(inside, ":")
        if colon < 0 and tokens[place] == "[":
            clauses.append(_Written("_", inside))
        else:
            names, kind = (inside, ()) if colon < 0 else (inside[:colon], inside[colon + 1 :])
            clauses += [_Written(name, kind) for name in names]
        place = end + 1
    return place


def _closing(tokens: Sequence[str], place: int) -> int:
    """The place of the bracket that closes the one at a place, -1 where there is none."""
    opened: list[str] = []
    for number in range(place, len(tokens)):
        token = tokens[number]
        if token in CLOSERS:
            opened.append(CLOSERS[token])
        elif token in _CLOSING:
            if opened.pop() != token:
                return -1
            if not opened:
                return number
    return -1


def _top(tokens: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The tokens outside brackets, with their places."""
    depth = 0
    for place, token in enumerate(tokens):
        if token in CLOSERS:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
        elif depth == 0:
            yield place, token


def _at_top(tokens: Sequence[str], wanted: str) -> int:
    """The first place of a token outside brackets, -1 where there is none."""
    if wanted not in tokens:
        return -1
    return next((place for place, token in _top(tokens) if token == wanted), -1)


def _without_premises(tokens: Sequence[str], clauses: list[_Written]) -> Sequence[str]:
    """What is left of a conclusion without leading ``∀ …,`` and ``… →``, which become clauses."""
    while tokens:
        if tokens[0] == "∀":
            comma = _at_top(tokens, ",")
            if comma < 0 or not _quantified(tokens[1:comma], clauses):
                return tokens
            tokens = tokens[comma + 1 :]
        else:
            arrow = _arrow(tokens)
            if arrow <= 0:
                return tokens
            clauses.append(_Written("_", tokens[:arrow]))
            tokens = tokens[arrow + 1 :]
    return tokens


def _quantified(tokens: Sequence[str], clauses: list[_Written]) -> bool:
    """Adds the clauses of what stands between ``∀`` and its comma; False where it is written in another way."""
    bound: list[_Written] = []
    if place := _binders(tokens, bound):
        if place < len(tokens):
            return False
        clauses += bound
        return True
    while place < len(tokens) and _NAME.fullmatch(tokens[place]):
        place += 1
    names, rest = tokens[:place], tokens[place:]
    if names and (not rest or rest[0] == ":"):
        clauses += [_Written(name, rest[1:]) for name in names]
        return True
    if len(names) == 1 and rest[0] in _RELATIONS:
        clauses += [_Written(names[0], ()), _Written("_", tokens)]
        return True
    return False


def _arrow(tokens: Sequence[str]) -> int:
    """The first arrow of a term of which it is the loosest operator, else -1."""
    if "→" not in tokens:
        return -1
    first = -1
    for place, token in _top(tokens):
        if token == "→" and first < 0:
            first = place
        elif token == "↔" or (first < 0 and token in _LOOSE - _LOGIC):
            return -1
        elif token in _FAR and token != "¬":
            break
    return first


def _symmetric(tokens: Sequence[str], relation: str) -> int:
    """The place of a relation that is the loosest operator of a term, else -1."""
    if relation not in tokens:
        return -1
    first = -1
    for place, token in _top(tokens):
        if token == relation:
            if first >= 0:
                return -1
            first = place
        elif token == "↔" or (relation != "↔" and token in _LOOSE):
            return -1
        elif token in _FAR and not (token == "¬" and relation == "↔"):
            if first < 0 or token in (",", ";", "<|", "$", "|>"):
                return -1
            break
    return first


class _Writer:
    """Gives names their meaning and variables their numbers."""

    def __init__(self, names: Iterable[str], meanings: Meanings) -> None:
        self._names = {name: number for number, name in enumerate(names)}
        self._meanings, self._count = meanings, len(self._names)

    def clause(self, written: _Written) -> Clause:
        tokens, names = written.tokens, self._names
        inner = [name for name in _bound_inside(tokens) if name not in names]
        if inner:
            names = names | {name: self._new() for name in dict.fromkeys(inner)}
        head = (names.get(written.name, written.name),)
        there = _SIDED.intersection(tokens)
        for relation in SYMMETRIC if there else ():
            if (place := _symmetric(tokens, relation)) > 0:
                sides = (self._tokens(tokens[:place], names), self._tokens(tokens[place + 1 :], names))
                return Clause(sides, relation, head)
        for relation in _BACKWARDS if there else ():
            if (place := _symmetric(tokens, relation)) > 0:
                tokens = [*tokens[place + 1 :], MIRRORED_SIGNS[relation], *tokens[:place]]
                break
        return Clause((self._tokens(tokens, names),), "", head)

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def _tokens(self, tokens: Sequence[str], names: dict[str, int]) -> Tokens:
        written: list[str | int] = []
        before = ""
        for token in tokens:
            character = token[0]
            if character.isalpha() or character in "_«.":
                first, _, rest = token.partition(".")
                if before in _UNIVERSES:
                    written.append(self._universe(token))
                elif first in names:
                    written.append(names[first])
                    if rest:
                        written.append(f".{rest}")
                else:
                    written.append(self._meanings.name(token))
            elif token == "*" and before in _UNIVERSES:
                written.append("_")
            else:
                written.append(self._meanings.symbol(token))
            before = token
        return tuple(written)

    def _universe(self, name: str) -> str | int:
        """A level of universes, which is a variable of the whole statement."""
        if name == "_":
            return name
        key = f"universe {name}"
        if key not in self._names:
            self._names[key] = self._new()
        return self._names[key]


def _bound_inside(tokens: Sequence[str]) -> Iterator[str]:
    """The names that quantifiers, functions, sets and ``let`` in a term bind."""
    if _BINDING.isdisjoint(tokens):
        return
    for place, token in enumerate(tokens):
        if token in _QUANTIFIERS:
            yield from _names_bound(tokens, place + 1)
        elif (token == "{" or token in _LOCAL) and place + 2 < len(tokens):
            name, following = tokens[place + 1 : place + 3]
            if _NAME.fullmatch(name) and (token != "{" or following in ("|", ":", "∈")):
                yield name


def _names_bound(tokens: Sequence[str], place: int) -> Iterator[str]:
    """The names behind a quantifier: ``x y``, ``(x y : T)``, ``⟨x, y⟩``."""
    while place < len(tokens):
        token = tokens[place]
        if token in CLOSERS:
            end = _closing(tokens, place)
            if end < 0:
                return
            inside = tokens[place + 1 : end]
            colon = len(inside) if token == "⟨" else _at_top(inside, ":")
            yield from filter(_NAME.fullmatch, inside if colon < 0 else inside[:colon])
            place = end + 1
        elif token in _MARKS:
            place += 1
        elif token != "in" and _NAME.fullmatch(token):
            yield token
            place += 1
        else:
            return
