"""The macros of a project: expanded while its files are read."""

from __future__ import annotations

from collections.abc import Callable

from porism.corpus.latex.tokens import TokenStream, tokenize
from porism.formula.macros import expander


class Expander(expander.Expander):
    """Expands what the files of a project define; see :class:`porism.formula.macros.expander.Expander`."""

    stream: TokenStream

    def __init__(self, report: Callable[[str], None], keep: frozenset[str] = frozenset()) -> None:
        super().__init__(TokenStream(), report, keep)

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)
