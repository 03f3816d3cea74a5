"""Names and binders: ``(a b : G)``, ``{n : ℕ}``, ``⦃x⦄``, ``[Group G]``, and which in scope a statement uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple

_CHARACTER = r"[^\W²³¹⁰ⁱ⁴-⁹ⁿ¼-¾⅐-↉λΠΣʰ-˿ᴬ-ᵡᵫ-ᶿ]"
"""A letter, digit, underscore or subscript; superscripts are notation."""
NAME_PART = rf"(?:«[^»\n]*»|(?!\d){_CHARACTER}(?:{_CHARACTER}|['!?])*)"
NAME = rf"{NAME_PART}(?:\.(?:{NAME_PART}|\d+))*"
"""A name with its namespaces."""
MAX_VARIABLES = 500
"""So many of the variables in scope are known, the last ones."""
CLOSERS = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩"}
_BRACKET = re.compile(r"[(\[{⦃⟨)\]}⦄⟩]")
_TOKEN = re.compile(rf"(?<![.\w]){NAME_PART}")
_COLON = re.compile(r":(?!=)|[(\[{⦃⟨)\]}⦄⟩]")
_NAME = re.compile(NAME_PART)
_BOUND = re.compile(
    rf"(?:(?:[∀∃λΠΣ∏∑∫∮⋃⋂⨆⨅]|\bfun\b)\s*!?\s*[({{⦃]?|\{{)\s*((?:{NAME_PART}\s+)*{NAME_PART})\s*"
    rf"(?=[:,∈⊆<≤>≥≠↦|]|=>)"
)
"""Names that a quantifier, a function or a set binds."""
_COERCED = re.compile(rf"[\w.]*(?:Like|HomClass|EquivClass|MapClass)\s+({NAME_PART})")
"""A class by which the elements of a type are functions or sets: of the type, the text of a statement names no more."""


class Binder(NamedTuple):
    """One name that is bound, or an instance without a name: its bracket, and its type as text."""

    name: str
    bracket: str
    type: str


class Binders(NamedTuple):
    """Binders that follow one another, and the place behind them."""

    binders: tuple[Binder, ...]
    end: int


def names_in(text: str) -> frozenset[str]:
    """The names in a term, of those with dots the first part."""
    return frozenset(_TOKEN.findall(text))


def bound_names(text: str) -> set[str]:
    """The names that the binders before a statement, and the quantifiers in it, bind."""
    own = binders_of(text)
    names = {binder.name for binder in own.binders}
    return names.union(*(group.split() for group in _BOUND.findall(text, own.end)))


@lru_cache(256)
def binders_of(text: str) -> Binders:
    """The binders at the beginning of a text, which several ask for, and many declarations of a file have."""
    return read_binders(text, text, 0, len(text))


def closing(text: str, start: int, end: int) -> int:
    """The place behind the bracket that closes the one at ``start``; -1 where there is none before ``end``."""
    opened = [CLOSERS[text[start]]]
    nearest = _BRACKET.search(text, start + 1, end)
    if nearest is None or nearest.group() == opened[0]:  # mostly there is none inside
        return nearest.end() if nearest is not None else -1
    for match in _BRACKET.finditer(text, start + 1, end):
        bracket = match.group()
        if bracket in CLOSERS:
            opened.append(CLOSERS[bracket])
        elif bracket != opened.pop():
            return -1
        elif not opened:
            return match.end()
    return -1


def read_binders(bare: str, code: str, start: int, end: int) -> Binders:
    """The binders in brackets from a place on."""
    binders: list[Binder] = []
    place = start
    while place < end:
        character = bare[place]
        if character.isspace():
            place += 1
            continue
        closed = closing(bare, place, end) if character in CLOSERS and character != "⟨" else -1
        if closed < 0:
            break
        binders += _in_bracket(bare, code, place, closed)
        place = closed
    return Binders(tuple(binders), place)


def _in_bracket(bare: str, code: str, start: int, end: int) -> Iterable[Binder]:
    bracket = bare[start]
    colon = first_colon(bare, start + 1, end - 1)
    names = bare[start + 1 : colon].split() if colon >= 0 else []
    if bracket == "[":
        if len(names) == 1 and _NAME.fullmatch(names[0]):
            return [Binder(names[0], bracket, _tidy(code[colon + 1 : end - 1]))]
        return [Binder("", bracket, _tidy(code[start + 1 : end - 1]))]
    if colon < 0:
        return [Binder(name, bracket, "") for name in bare[start + 1 : end - 1].split()]
    kind = _tidy(code[colon + 1 : end - 1])
    return [Binder(name, bracket, kind) for name in names]


def first_colon(bare: str, start: int, end: int) -> int:
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


class Variables:
    """The variables at one place of a file, and which of them statements use."""

    def __init__(self, binders: Iterable[Binder] = ()) -> None:
        self._binders = tuple(binders)
        self._places = {binder.name: place for place, binder in enumerate(self._binders) if binder.name}
        self._names = frozenset(self._places)
        self._texts: dict[frozenset[str], str] = {}

    @cached_property
    def _needed(self) -> list[set[int]]:
        """Of each variable the places of those before it that its type names."""
        needed: list[set[int]] = []
        places: dict[str, int] = {}
        for place, binder in enumerate(self._binders):
            needed.append({places[name] for name in names_in(binder.type) if name in places})
            places[binder.name] = place
        return needed

    @cached_property
    def _coercions(self) -> dict[str, set[int]]:
        """Of types the places of the instances by which their elements are functions or sets."""
        coercions: dict[str, set[int]] = {}
        for place, binder in enumerate(self._binders):
            match = _COERCED.match(binder.type) if binder.bracket == "[" else None
            if match is not None:
                coercions.setdefault(match.group(1), set()).add(place)
        return coercions

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def bind(self, added: Sequence[Binder]) -> Variables:
        """The variables after another ``variable``.

        A name that is bound already and has no type changes its bracket.
        """
        brackets = {binder.name: binder.bracket for binder in added if binder.name and not binder.type}
        known = (
            binder._replace(bracket=brackets[binder.name]) if binder.name in brackets else binder
            for binder in self._binders
        )
        bound = (*known, *(binder for binder in added if binder.type or binder.name not in self._names))
        return Variables(bound[-MAX_VARIABLES:])

    def omit(self, omitted: Iterable[Binder]) -> Variables:
        """The variables without these instances."""
        types = {binder.type for binder in omitted if binder.type}
        return Variables(
            binder for binder in self._binders if binder.bracket != "[" or binder.type not in types
        )

    def used_by(self, statement: str, included: frozenset[str] = frozenset()) -> str:
        """The variables that a statement uses, with what these need, as they are written.

        An instance is used where all variables in its type are, or where by it the elements of a type that is used
        are functions or sets.

        :param included: variables that ``include`` asks for.
        """
        if not self._names:
            return ""
        names = self._names.intersection(_TOKEN.findall(statement))
        if names:
            names -= bound_names(statement)
        wanted = names | (included & self._names)
        if wanted not in self._texts:
            self._texts[wanted] = as_text(self._used(wanted)) if wanted else ""
        return self._texts[wanted]

    def _used(self, wanted: Iterable[str]) -> list[Binder]:
        used: set[int] = set()
        waiting = {self._places[name] for name in wanted}
        while waiting:
            place = waiting.pop()
            used.add(place)
            waiting |= (self._needed[place] | self._coercions.get(self._binders[place].name, set())) - used
        for place, binder in enumerate(self._binders):
            if binder.bracket == "[" and self._needed[place] and self._needed[place] <= used:
                used.add(place)
        return [self._binders[place] for place in sorted(used)]


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
