"""The tokens that a formula's macros are expanded in, each with its place in the source."""

from __future__ import annotations

from collections.abc import Sequence

from porism.formula.latex.tokens import Tokens

_FUEL = 20_000
_FUEL_PER_TOKEN = 8


class PlacedToken(str):
    """A token with its place in the source."""

    __slots__ = ("end", "start")
    start: int
    end: int


def placed(text: str, start: int, end: int) -> PlacedToken:
    """A token from ``start`` up to ``end``."""
    token = PlacedToken(text)
    token.start, token.end = start, end
    return token


class FormulaStream:
    """The tokens of a formula and of what macros made of them."""

    def __init__(self, tokens: Tokens) -> None:
        triples = list(zip(tokens.texts, tokens.starts, tokens.ends, strict=True))[:-2]
        self._pending = [placed(*triple) for triple in reversed(triples)]
        self.fuel = _FUEL + _FUEL_PER_TOKEN * len(triples)
        self.start = self.end = 0
        """The call that is being expanded: where it begins, and how far it has been read."""

    def next(self) -> PlacedToken | None:
        if not self._pending:
            return None
        token = self._pending.pop()
        self.end = max(self.end, token.end)
        return token

    def push(self, tokens: Sequence[str]) -> None:
        self._pending.extend(
            token if isinstance(token, PlacedToken) else placed(token, self.start, self.end)
            for token in reversed(tokens) if token
        )

    def drop_expansions(self) -> None:
        """Keeps everything: of a formula nothing is dropped."""

    def begin_call(self, token: PlacedToken) -> None:
        """What is made from here on has the span of a call that begins with this token."""
        self.start, self.end = token.start, token.end
