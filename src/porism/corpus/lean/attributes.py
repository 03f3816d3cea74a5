"""Attributes of declarations: ``@[simp, to_additive (attr := norm_cast) add_foo /-- … -/]``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porism.corpus.formal.binders import CLOSERS, NAME, closing
from porism.corpus.formal.source import DocComment
from porism.corpus.lean.source import LeanSource

MAX_NESTING = 3
"""Attributes in attributes are read to this depth."""

_LIST = re.compile(r"@\[")
_NAMED = re.compile(rf"\s*(?:(?:local|scoped)\s+)?(?P<sign>[-←↓↑])?\s*(?P<name>{NAME})(?P<mark>[!?]*)")
_NESTED = re.compile(r"\(\s*attr\s*:=\s*")
_GROUPS = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\"[^\"]*\"")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_WORD = re.compile(rf"(?<!\S){NAME}(?!\S)")
_SEPARATOR = re.compile(r"[,(\[{⦃⟨)\]}⦄⟩]")


class Attribute(NamedTuple):
    """An attribute: its name, what is said behind the name, and the docstring in it."""

    name: str
    text: str
    doc: str | DocComment | None = None
    nested: tuple[Attribute, ...] = ()
    """Attributes of what it generates, which the declaration has as well."""

    @property
    def words(self) -> list[str]:
        """The names behind its own, without options."""
        return _WORD.findall(_GROUPS.sub(" ", self.text))


def read_attributes(source: LeanSource, start: int, end: int) -> tuple[Attribute, ...]:
    """The attributes in the lists ``@[…]`` of a stretch."""
    attributes: list[Attribute] = []
    place = start
    while (match := _LIST.search(source.bare, place, end)) is not None:
        closed = closing(source.bare, match.end() - 1, end)
        place = closed if closed > 0 else end
        attributes += read_list(source, match.end(), place - 1 if closed > 0 else end)
    return tuple(attributes)


def read_list(source: LeanSource, start: int, end: int, level: int = 0) -> Iterator[Attribute]:
    """The attributes between commas.

    :param level: how many attributes they are nested in.
    """
    for first, last in split_at_commas(source.bare, start, end):
        match = _NAMED.match(source.bare, first, last)
        if match is None or match["sign"] == "-":  # which takes it away
            continue
        nested: list[Attribute] = []
        rest = match.end()
        if level < MAX_NESTING and (inner := _NESTED.search(source.bare, rest, last)) is not None:
            closed = closing(source.bare, inner.start(), last)
            nested += read_list(source, inner.end(), closed - 1 if closed > 0 else last, level + 1)
        text = source.code[rest:last].strip()
        yield Attribute(match["name"].rstrip("!?"), text, _doc(source, rest, last, text), tuple(nested))


def _doc(source: LeanSource, start: int, end: int, text: str) -> str | DocComment | None:
    """A docstring in an attribute, as a comment or, as it was written before, a string."""
    comments = source.docstrings_within(start, end)
    if comments:
        return comments[0]
    string = _STRING.search(text) if '"' in text else None
    return string.group(1) if string is not None else None


def split_at_commas(bare: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches between commas that stand in no bracket."""
    depth, first = 0, start
    for match in _SEPARATOR.finditer(bare, start, end):
        if match.group() in CLOSERS:
            depth += 1
        elif match.group() != ",":
            depth -= 1
        elif depth <= 0:
            yield first, match.start()
            first = match.end()
    if first < end:
        yield first, end
