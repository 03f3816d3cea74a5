"""The macros of a project: expanded while its files are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from porism.corpus.latex.tokens import Placed, TokenStream, tokenize
from porism.formula.macros import expander
from porism.formula.macros.definition import Body, Macro
from porism.formula.macros.tokens import join

MAX_NESTED_EXPANSIONS = 50
"""So many expansions may be needed inside one another (a name inside a name…)."""


class Expander(expander.Expander):
    """Expands what the files of a project define; see :class:`porism.formula.macros.expander.Expander`."""

    stream: TokenStream

    def __init__(self, report: Callable[[str], None], keep: frozenset[str] = frozenset()) -> None:
        super().__init__(TokenStream(), report, keep)
        self.expandable: set[str] = set()
        """Those primitives that TeX expands also where it carries out nothing: conditionals, ``\\csname``…"""
        self._nested = 0
        self.shorthands: dict[str, Macro] = {}
        """What the project lets strings of signs stand for (babel's ``\\defineshorthand``)."""
        self._pattern = re.compile("")
        self._in_pattern = 0
        self.keeps_meaning: Callable[[str, Macro], bool] = lambda name, macro: False
        """Whether a definition changes only what a command looks like; it is ignored then."""

    def next(self, brace: bool = False) -> str | None:
        token = super().next(brace)
        while self.shorthands and token is not None and token[0] not in "\\\0" and (found := self._shorthand(token)):
            before, macro, after = found
            self.stream.push([after] if after else [])
            self.push_body(macro, [])
            if before:
                return before
            token = super().next(brace)
        return token

    def _shorthand(self, token: str) -> tuple[str, Macro, str] | None:
        """What is before the first shorthand in a token, what that stands for, and what comes after it."""
        if self._in_pattern != len(self.shorthands):
            written = sorted(self.shorthands, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, written)))
            self._in_pattern = len(written)
        match = self._pattern.search(token)
        if match is None or self.stream.fuel <= 0:
            return None
        return token[: match.start()], self.shorthands[match.group()], token[match.end() :]

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)

    def define(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if self.keeps_meaning(name, macro):
            self._global = False
            self.macros.pop(name, None)
            return
        if self.stream.raw_file is not None:  # a definition in a file, no argument that is kept for later
            macro = Macro(macro.arguments, without_places(macro.body))
        super().define(name, macro, everywhere=everywhere)

    def expand_once(self, token: str) -> bool:
        """Puts what the token expands to in front of what is to be read; False, and nothing done, where it does not."""
        macro = self.macro_of(token)
        if macro is not None:
            return self.expand(token, macro)
        if token not in self.expandable or self.stream.fuel <= 0 or self._nested >= MAX_NESTED_EXPANSIONS:
            return False
        self.stream.fuel -= 1
        self._nested += 1
        self.primitives[token](token)
        self._nested -= 1
        return True

    def next_expanded(self) -> str | None:
        """The next token that does not expand; what only carries something out, such as a definition, stays."""
        stream = self.stream
        while (token := stream.next()) is not None and token[0] == "\\":
            if token[-1].isalpha() and (following := stream.next()) is not None:  # TeX drops blanks after a word
                stream.push([following.lstrip(" ") if following[0] == " " else following])
            if not self.expand_once(token):
                break
        return token

    def expanded(self, tokens: Sequence[str]) -> list[str]:
        """What tokens expand to, as in ``\\edef``."""
        frames = self.stream.swap(tokens)
        taken: list[str] = []
        try:
            while (token := self.next_expanded()) is not None:
                if token == "\\noexpand":
                    token = self.stream.next() or ""
                taken.append(token)
        finally:
            self.stream.restore(frames)
        return taken

    def expanded_name(self) -> str:
        """The argument that follows as plain text (the name of a file), its macros expanded."""
        tokens = self.group() or []
        if any(token[0] == "\\" for token in tokens):
            tokens = [token for token in self.expanded(tokens) if token not in _INVISIBLE]
        return join(tokens).strip()


def without_places(body: Body) -> Body:
    """A body whose documents begin where it is used, not where it was written."""
    return tuple(str(part) if isinstance(part, Placed) else part for part in body)


_INVISIBLE = frozenset(["\\relax", "\\protect", "\\string", "\\ignorespaces", "\\unskip", "\\empty"])
"""Commands that leave nothing in a name."""
