"""Macros: expands definitions that come with a formula or are inside it, with limits."""

from __future__ import annotations

from collections.abc import Mapping

from porism.formula.latex.tokens import Tokens, tokenize
from porism.formula.tables.commands import DEFAULT_MACROS
from porism.formula.tree import ParseProblem

Macro = tuple[int, str]
"""How many arguments a command takes, and its replacement with ``#1`` … ``#9`` for them."""

MOST_EXPANSIONS = 2_000
_DEFINITIONS = frozenset({
    "\\newcommand", "\\renewcommand", "\\providecommand", "\\def", "\\gdef", "\\edef", "\\let", "\\DeclareMathOperator",
    "\\DeclareRobustCommand",
})
MACRO_TRIGGERS = _DEFINITIONS | {"\\" + name for name in DEFAULT_MACROS}
"""Commands that define a macro or are one."""

_Token = tuple[str, int, int]


class _Definition:
    """A macro in tokens; ``default`` is the value of an optional first argument."""

    __slots__ = ("body", "default", "wanted")

    def __init__(self, wanted: int, body: list[str], default: list[str] | None = None) -> None:
        self.wanted = wanted
        self.body = body
        self.default = default


class MacroFound(Exception):
    """A command that is a macro or defines one came up: the tokens have to be expanded first."""


def expand(tokens: Tokens, macros: Mapping[str, Macro] | None, problems: list[ParseProblem]) -> Tokens:
    """The tokens with macros replaced; what a macro made has the span of its call.

    After :data:`MOST_EXPANSIONS` replacements, or when the result grows out of proportion, commands stay as they are.
    """
    return _Expander(tokens, macros, problems).run()


class _Expander:
    def __init__(self, tokens: Tokens, macros: Mapping[str, Macro] | None, problems: list[ParseProblem]) -> None:
        self.pending: list[_Token] = list(zip(tokens.texts, tokens.starts, tokens.ends, strict=True))[::-1]
        self.problems = problems
        self.given: dict[str, Macro] = {"\\" + name: macro for name, macro in DEFAULT_MACROS.items()}
        if macros:
            self.given.update(("\\" + name, macro) for name, macro in macros.items())
        self.known: dict[str, _Definition] = {}
        self.expansions = MOST_EXPANSIONS
        self.growth = 10_000 + 4 * len(self.pending)

    def run(self) -> Tokens:
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        while self.pending:
            token = self.pending.pop()
            text = token[0]
            if not text:
                break
            if text[:1] == "\\":
                if text in _DEFINITIONS:
                    self._define(token)
                    continue
                definition = self._lookup(text)
                if definition is not None and self._replace(definition, token):
                    continue
            texts.append(text)
            starts.append(token[1])
            ends.append(token[2])
        end = max(ends, default=0)
        texts += ("", "")
        starts += (end, end)
        ends += (end, end)
        return Tokens(texts, starts, ends)

    def _lookup(self, name: str) -> _Definition | None:
        definition = self.known.get(name)
        if definition is None and name in self.given:
            wanted, body = self.given[name]
            definition = self.known[name] = _Definition(wanted, tokenize(body).texts[:-2])
        return definition

    def _replace(self, definition: _Definition, call: _Token) -> bool:
        if self.expansions <= 0:
            return False
        self.expansions -= 1
        arguments: list[list[str]] = []
        end = call[2]
        for number in range(definition.wanted):
            if number == 0 and definition.default is not None:
                option = self._option()
                arguments.append([text for text, _, _ in option] if option is not None else definition.default)
            else:
                argument = self._argument()
                arguments.append([text for text, _, _ in argument])
                end = max([end, *(token[2] for token in argument)])
        body = _substitute(definition.body, arguments, self.growth)
        self.growth -= len(body)
        if self.growth < 0:
            self.expansions = 0
        if self.expansions == 0:
            self.problems.append(ParseProblem(call[1], "macros are expanded no further: too many replacements"))
        self.pending.extend((text, call[1], end) for text in reversed(body))
        return True

    def _skip_spaces(self) -> None:
        while self.pending[-1][0].isspace():
            self.pending.pop()

    def _argument(self) -> list[_Token]:
        """Takes one argument off: a group without its braces, a token, or one digit."""
        if not self.pending or not self.pending[-1][0]:
            return []
        self._skip_spaces()
        text, start, end = self.pending[-1]
        if not text or text == "}":
            return []
        self.pending.pop()
        if text != "{":
            if len(text) > 1 and text[0] in "0123456789":
                rest = tokenize(text[1:]).texts[:-2]
                self.pending.extend((part, min(start + 1, end), end) for part in reversed(rest))
                return [(text[0], start, end)]
            return [(text, start, end)]
        taken: list[_Token] = []
        depth = 0
        while self.pending[-1][0]:
            token = self.pending.pop()
            if token[0] == "{":
                depth += 1
            elif token[0] == "}":
                if depth == 0:
                    break
                depth -= 1
            taken.append(token)
        return taken

    def _option(self) -> list[_Token] | None:
        """Takes an optional argument in brackets off, None if there is none."""
        self._skip_spaces()
        if self.pending[-1][0] != "[":
            return None
        self.pending.pop()
        taken: list[_Token] = []
        while self.pending[-1][0]:
            token = self.pending.pop()
            if token[0] == "]":
                break
            taken.append(token)
        return taken

    def _define(self, token: _Token) -> None:
        command = token[0]
        self._skip_spaces()
        if self.pending[-1][0] == "*":
            self.pending.pop()
        name = self._argument()
        defined = name[0][0] if name else ""
        if defined[:1] != "\\":
            self.problems.append(ParseProblem(token[1], f"{command} without a name"))
            return
        default = None
        wanted = 0
        if command == "\\let":
            self._skip_spaces()
            if self.pending[-1][0] == "=":
                self.pending.pop()
            body = [text for text, _, _ in self._argument()]
            if body == [defined]:
                return
        elif command in ("\\def", "\\gdef", "\\edef"):
            while self.pending[-1][0] not in ("", "{"):
                text = self.pending.pop()[0]
                wanted += text == "#"
            body = [text for text, _, _ in self._argument()]
        else:
            count = self._option()
            digits = "".join(text for text, _, _ in count) if count else ""
            wanted = int(digits) if digits.isdecimal() and len(digits) == 1 else 0
            option = self._option()
            default = [text for text, _, _ in option] if option is not None and wanted else None
            body = [text for text, _, _ in self._argument()]
            if command == "\\DeclareMathOperator":
                body = ["\\operatorname", "{", *body, "}"]
        self.known[defined] = _Definition(min(wanted, 9), body, default)


def _substitute(body: list[str], arguments: list[list[str]], most: int) -> list[str]:
    """The replacement with its arguments in place, at most a little longer than ``most`` tokens."""
    result: list[str] = []
    parameter = False
    for text in body:
        if len(result) > most:
            break
        if text == "#" and not parameter:
            parameter = True
            continue
        if parameter:
            parameter = False
            number = ord(text[0]) - ord("0") if text[:1].isascii() and text[:1].isdigit() else 0
            if 1 <= number <= len(arguments):
                result.extend(arguments[number - 1])
                result.extend(tokenize(text[1:]).texts[:-2])
                continue
            result.append("#")
        result.append(text)
    return result
