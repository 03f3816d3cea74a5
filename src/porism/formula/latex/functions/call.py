"""What a function of a package is given: the command that was called, its arguments, and what it has kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from porism.formula.latex.tokens import tokenize
from porism.formula.macros.tokens import NO_VALUE, join


@dataclass(frozen=True, slots=True)
class Call:
    """A command with its arguments, stars and options included, in the order of its signature."""

    name: str
    values: Sequence[Sequence[str]]
    memory: list[list[str]]
    """What commands of one formula hand to each other."""
    report: Callable[[str], None]

    def has(self, i: int) -> bool:
        """Whether an argument that may be missing is there."""
        return NO_VALUE not in self.values[i]

    def text(self, i: int) -> str:
        """An argument as LaTeX."""
        return join(self.values[i]) if self.has(i) else ""


Function = Callable[[Call], list[str]]
"""Makes the tokens that take the place of a call."""


@lru_cache(maxsize=1024)
def _tokens(source: str) -> tuple[str, ...]:
    return tuple(tokenize(source).texts[:-2])


def tex(*parts: str | Sequence[str]) -> list[str]:
    """Tokens from LaTeX (strings) and from tokens that are there already (sequences)."""
    result: list[str] = []
    for part in parts:
        result.extend(_tokens(part) if isinstance(part, str) else part)
    return result


def split_top(tokens: Sequence[str], separators: frozenset[str]) -> list[list[str]]:
    """The tokens cut at separators that are in no braces and no environment."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        if token in separators and depth == 0:
            parts.append([])
            continue
        depth += (token == "{") - (token == "}") + token.startswith("\\begin") - token.startswith("\\end")
        parts[-1].append(token)
    return parts


def text_or_mathematics(tokens: Sequence[str]) -> list[str]:
    """An argument that TeX reads as text: mathematics where it has dollars around it, or signs and no words."""
    inner = [*tokens]
    while inner and inner[0].isspace():
        inner.pop(0)
    while inner and inner[-1].isspace():
        inner.pop()
    if len(inner) > 1 and inner[0] == inner[-1] == "$" and inner.count("$") == 2:
        return inner[1:-1]
    letters = "".join(inner)
    is_words = len(letters) > 1 and letters[0].isalpha() and all(char.isalnum() or char in " ,.:-" for char in letters)
    if "$" in inner or is_words:
        return tex(r"\text", "{", inner, "}")
    return inner
