"""Binders: ``(a b : G)``, ``{n : ℕ}``, ``⦃x⦄``, ``[Group G]``, and which of those in scope a statement uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from porism.corpus.lean.names import NAME_PART

CLOSERS = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩"}
_BRACKET = re.compile(r"[(\[{⦃⟨)\]}⦄⟩]")
_TOKEN = re.compile(rf"(?<![.\w]){NAME_PART}")
_COLON = re.compile(r":(?!=)|[(\[{⦃⟨)\]}⦄⟩]")
_BARE = re.compile(rf"\s*({NAME_PART})(?![\w.'!?])")
_QUANTIFIED = re.compile(
    rf"(?:[∀∃λΠΣ∏∑∫∮⋃⋂⨆⨅Π]!?|\bfun\b)[\s(]*((?:{NAME_PART}\s+)*{NAME_PART})(?=\s*(?:[,:∈⊆<≤>≥≠↦]|=>|in\b))"
)
"""Names that a quantifier binds."""


class Binder(NamedTuple):
    """One name that is bound, or an instance without a name: its bracket, and its type as text."""

    name: str
    bracket: str
    type: str


class Binders(NamedTuple):
    """Binders that follow one another, and the place behind them."""

    binders: tuple[Binder, ...]
    end: int


@lru_cache(maxsize=100_000)
def names_in(text: str) -> frozenset[str]:
    """The names in a term, of those with dots the first part."""
    return frozenset(_TOKEN.findall(text))


def free_names(text: str) -> frozenset[str]:
    """The names in a term but for those that its quantifiers bind."""
    names = names_in(text)
    bound = {name for group in _QUANTIFIED.findall(text) for name in group.split()}
    return names - bound if bound else names


def closing(text: str, start: int, end: int) -> int:
    """The place behind the bracket that closes the one at ``start``; -1 where there is none before ``end``."""
    opened = [CLOSERS[text[start]]]
    for match in _BRACKET.finditer(text, start + 1, end):
        bracket = match.group()
        if bracket in CLOSERS:
            opened.append(CLOSERS[bracket])
        elif bracket != opened.pop():
            return -1
        elif not opened:
            return match.end()
    return -1


def read_binders(bare: str, code: str, start: int, end: int, *, alone: bool = False) -> Binders:
    """The binders from a place on.

    :param alone: whether names without brackets are binders as well, as they are after the name of a declaration.
    """
    binders: list[Binder] = []
    place = start
    while place < end:
        character = bare[place]
        if character.isspace():
            place += 1
        elif character in CLOSERS and character != "⟨":
            closed = closing(bare, place, end)
            if closed < 0:
                break
            binders += _in_bracket(bare, code, place, closed)
            place = closed
        elif alone and (name := _BARE.match(bare, place, end)) is not None:
            binders.append(Binder(name.group(1), "", ""))
            place = name.end()
        else:
            break
    return Binders(tuple(binders), place)


def _in_bracket(bare: str, code: str, start: int, end: int) -> Iterable[Binder]:
    bracket = bare[start]
    colon = _first_colon(bare, start + 1, end - 1)
    names = bare[start + 1 : colon].split() if colon >= 0 else []
    if bracket == "[":
        if len(names) == 1 and _BARE.fullmatch(names[0]):
            return [Binder(names[0], bracket, _tidy(code[colon + 1 : end - 1]))]
        return [Binder("", bracket, _tidy(code[start + 1 : end - 1]))]
    if colon < 0:
        return [Binder(name, bracket, "") for name in bare[start + 1 : end - 1].split()]
    kind = _tidy(code[colon + 1 : end - 1])
    return [Binder(name, bracket, kind) for name in names]


def _first_colon(bare: str, start: int, end: int) -> int:
    """The first colon outside inner brackets, -1 where there is none."""
    depth = 0
    for match in _COLON.finditer(bare, start, end):
        if match.group() == ":":
            if depth == 0:
                return match.start()
        else:
            depth += 1 if match.group() in CLOSERS else -1
    return -1


def _tidy(text: str) -> str:
    return " ".join(text.split())


def with_binders(variables: tuple[Binder, ...], added: Sequence[Binder]) -> tuple[Binder, ...]:
    """The variables after another ``variable``: a name that is there already and has no type changes its bracket."""
    changed = {binder.name: binder.bracket for binder in added if binder.name and not binder.type}
    known = {binder.name for binder in variables}
    if not changed.keys().isdisjoint(known):
        variables = tuple(
            binder._replace(bracket=changed[binder.name]) if binder.name in changed else binder
            for binder in variables
        )
    return (*variables, *(binder for binder in added if binder.type or binder.name not in known))


def used_binders(
    variables: Sequence[Binder], names: Collection[str], own: Collection[str], included: Collection[str] = ()
) -> list[Binder]:
    """The variables that a statement uses, with what these need, in order.

    An instance is used where all variables in its type are.

    :param names: in the statement.
    :param own: those that its own binders bind.
    :param included: variables that ``include`` asks for.
    """
    wanted = (set(names) - set(own)) | set(included)
    used: set[int] = set()
    for number in range(len(variables) - 1, -1, -1):
        binder = variables[number]
        if binder.name and binder.name in wanted:
            used.add(number)
            wanted.discard(binder.name)  # an earlier one of this name is hidden
            wanted |= names_in(binder.type)
    bound = {variables[number].name for number in used}
    in_scope = {binder.name for binder in variables if binder.name}
    for number, binder in enumerate(variables):
        if binder.bracket == "[" and number not in used:
            needed = names_in(binder.type) & in_scope
            if needed and needed <= bound:
                used.add(number)
                if binder.name:
                    bound.add(binder.name)
    return [variables[number] for number in sorted(used)]


def as_text(binders: Iterable[Binder]) -> str:
    """Binders as they are written, neighbours of one type in one bracket."""
    written: list[str] = []
    for (bracket, kind), group in groupby(binders, key=lambda binder: (binder.bracket, binder.type)):
        names = [binder.name for binder in group]
        if bracket == "[":
            written += [f"[{name} : {kind}]" if name else f"[{kind}]" for name in names]
        else:
            inside = f"{' '.join(names)} : {kind}" if kind else " ".join(names)
            written.append(f"{bracket}{inside}{CLOSERS[bracket]}" if bracket else inside)
    return " ".join(written)
