"""The macros of a project: expanded while its files are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.tokens import Placed, TokenStream, tokenize
from porism.formula.macros import expander
from porism.formula.macros.definition import Body, Macro
from porism.formula.macros.tokens import EOF_TOKEN, join

ACTIVE = "\\active "
"""Before the character: the control sequence that stands for an active character."""
ACTIVE_CODES = {"\\catcode": 13, "\\mathcode": 0x8000}
"""The codes that make a character active: anywhere, and in formulas."""

MAX_MADE_TOKENS = 20
"""What a character expands to is remembered up to so many tokens."""
MAX_NESTED_EXPANSIONS = 50
"""So many expansions may be needed inside one another (a name inside a name…)."""


class ProjectExpander(expander.Expander):
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
        self._made: dict[tuple[str, str, bool], tuple[list[str], dict[str, Macro | None]] | None] = {}
        self._used: dict[str, Macro | None] | None = None
        """The macros that were looked up in an expansion that is to be remembered, before it defined them."""
        self._defined: set[str] = set()
        self._is_repeatable = True
        self.keeps_meaning: Callable[[str, Macro], bool] = lambda name, macro: False
        """Whether a definition changes only what a command looks like; it is ignored then."""

    def next(self, brace: bool = False) -> str | None:
        token = super().next(brace)
        while (
            self.shorthands and token is not None and token[0] not in "\\\0" and (shorthand := self._shorthand(token))
        ):
            before, macro, after = shorthand
            made = self._made_of_character(macro, after)
            if made is not None:
                self.stream.push([*made, after[1:]])
            else:
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
        if self.stream.fuel <= 0:
            return None
        for match in self._pattern.finditer(token):
            macro = self.shorthands[match.group()]
            name = macro.body[0] if len(macro.body) == 1 else ""
            if name != ACTIVE + match.group() or (name in self.macros and self.is_active(match.group())):
                return token[: match.start()], macro, token[match.end() :]
        return None

    def is_active(self, character: str) -> bool:
        commands = ("\\catcode", "\\mathcode") if self.math else ("\\catcode",)
        return any(self._has_active_code(command, character) for command in commands)

    def _has_active_code(self, command: str, character: str) -> bool:
        code = self.macros.get(f"{command} {character}")
        return code is not None and code.body == (str(ACTIVE_CODES[command]),)

    def macro_of(self, name: str) -> Macro | None:
        macro = self.macros.get(name)
        if self._used is not None and name not in self._defined:
            self._used[name] = macro
        return macro

    def depends_on_more(self) -> None:
        self._is_repeatable = False

    def _made_of_character(self, macro: Macro, after: str) -> list[str] | None:
        """What an active character and the letter after it expand to, remembered while the macros are the same.

        Authors look letters up in long lists (``!A`` for φ), which takes hundreds of expansions each time.
        """
        name = macro.body[0] if len(macro.body) == 1 else 0
        if not isinstance(name, str) or not name.startswith(ACTIVE) or not after[:1].isalnum():
            return None
        key = name, after[0], self.math
        if key not in self._made and self._used is None:
            self._made[key] = self._expansion([name, after[0]])
        made = self._made.get(key)
        if made is not None and any(self.macros.get(used) is not macro for used, macro in made[1].items()):
            del self._made[key]
            return self._made_of_character(macro, after)
        self.stream.fuel -= len(made[0]) if made is not None else 0
        return made[0] if made is not None else None

    def _expansion(self, tokens: list[str]) -> tuple[list[str], dict[str, Macro | None]] | None:
        """What tokens expand to by themselves, and the macros on which that depends; None where it may vary."""
        frames, depth = self.stream.swap(tokens), self.depth
        self._used, self._defined, self._is_repeatable = {}, set(), True
        self.begin_group()
        made: list[str] = []
        try:
            while (token := super().next()) is not None and len(made) < MAX_MADE_TOKENS:
                made.append(token)
        finally:
            used, self._used = self._used, None
            self.end_groups(depth)
            self.stream.restore(frames)
        if token is not None or not self._is_repeatable or any(token in self.macros for token in made):
            return None
        return made, used

    def defined_name(self) -> str | None:
        token = super().defined_name()
        if token is not None and token[0] != "\\" and self.is_active(token[0]):
            self.stream.push([token[1:]] if token[1:] else [])
            return ACTIVE + token[0]
        return token

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)

    def define(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if self._used is not None:
            self._is_repeatable &= name not in self._used
            self._defined.add(name)
        if self.keeps_meaning(name, macro):
            self._global = False
            self.macros.pop(name, None)
            return
        if self.stream.raw_file is not None:  # a definition in a file, no argument that is kept for later
            macro = Macro(macro.arguments, without_places(macro.body))
        super().define(name, macro, everywhere=everywhere)

    def expand_once(self, token: str) -> bool:
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
        stream = self.stream
        while (token := stream.next()) is not None and token[0] == "\\":
            if token[-1].isalpha() and (following := stream.next()) is not None:  # TeX drops blanks after a word
                stream.push([following.lstrip(" ") if following[0] == " " else following])
            if not self.expand_once(token):
                break
        return token

    def piece(self, *, expanded: bool = False) -> str:
        """The next control sequence or character."""
        token = self.next_expanded() if expanded else self.stream.next()
        if token is None or token == EOF_TOKEN:
            self.stream.push([token] if token else [])
            return ""
        first, *rest = self.split(token)
        if first[0] == "\\" and first[-1].isalpha() and (following := self.stream.next()) is not None:
            rest = [following.lstrip(" ")]  # TeX drops blanks after a word
        self.stream.push(rest)
        return first

    def expanded(self, tokens: Sequence[str]) -> list[str]:
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
        tokens = self.group() or []
        if any(token[0] == "\\" for token in tokens):
            tokens = [token for token in self.expanded(tokens) if token not in _INVISIBLE]
        return join(tokens).strip()


def without_places(body: Body) -> Body:
    """A body whose documents begin where it is used, not where it was written."""
    pass_over(body)
    return tuple(str(part) if isinstance(part, Placed) else part for part in body)


_INVISIBLE = frozenset(["\\relax", "\\protect", "\\string", "\\ignorespaces", "\\unskip", "\\empty"])
"""Commands that leave nothing in a name."""
