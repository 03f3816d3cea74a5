"""Reads spoken English: ``the square root of x plus y``, ``sum from i equals 1 to n of i squared``."""

from __future__ import annotations

from collections.abc import Callable

from porism.formula.plain.dialects import Dialect, latex_of
from porism.formula.plain.frames import PlainFrame
from porism.formula.plain.operands import PlainToken
from porism.formula.plain.reader import PlainReader
from porism.formula.plain.speech import SpokenTokens
from porism.formula.tables.lookup import SYMBOLS, token_class
from porism.formula.tables.structures import STRUCTURE_OF


class SpokenReader(PlainReader[PlainFrame]):
    """One reading of one text."""

    def __init__(self, source: str, dialect: Dialect) -> None:
        super().__init__(source, dialect, PlainFrame)
        self.tokens = [*SpokenTokens(source).read(), self.tokens[-1]]

    def handlers(self) -> dict[str, Callable[[PlainToken], None]]:
        return {
            "operand": self._operand, "symbol": self._symbol, "sign": self.sign, "suffix": self._suffix,
            "structure": lambda token: self.structure(STRUCTURE_OF[token.text], token.start, token.end),
            "words": lambda token: self.say(token.text, token.start),
            "begin": lambda token: self.open("", token), "end": lambda token: self.close("", self.i),
        }

    def _operand(self, token: PlainToken) -> None:
        self.begin()
        self.pieces.add_latex(latex_of(token.text) if len(token.text) == 1 else token.text, token.start, token.end)
        self.finish(is_named=True)

    def _symbol(self, token: PlainToken) -> None:
        kind = token_class(token.text)
        if kind == "open":
            self.open(token.text, token)
        elif kind == "close":
            self.close(token.text, self.i)
        elif len(token.text) > 1 and "\\" + token.text not in SYMBOLS:
            self._operand(token._replace(text=f"\\operatorname{{{token.text}}}"))
        else:
            self.symbol(token.text, token.start, token.end)

    def _suffix(self, token: PlainToken) -> None:
        if self.frame.waiting:
            self.missing()
        self.frame.items += 1
        self.frame.group = None
        self.pieces.add_latex(token.text, token.start, token.end)
