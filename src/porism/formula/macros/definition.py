"""What a macro is: its arguments and its body, and the notations that say which arguments it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from porism.formula.macros.tokens import FALSE, NO_VALUE

ArgumentKind = Literal[
    "mandatory", "optional", "star", "token", "between", "braced", "delimited", "literal", "size", "fenced",
    "embellishment",
]

Body = tuple[str | int, ...]
"""The tokens of a definition, in which a number stands for an argument (1 is the first)."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a macro.

    ``tokens`` depend on the kind:

    - ``optional``, ``braced``: the default.
    - ``star``, ``token``: the token looked for.
    - ``between``: both delimiters and then the default.
    - ``delimited``: the delimiter at the end.
    - ``literal``: the text that must be there.
    - ``embellishment``: the token looked for and those that may come before it.

    ``size`` is a command such as ``\\big``, and ``fenced`` what is in braces or brackets of any kind or between bars,
    which stay around it.
    """

    kind: ArgumentKind
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition: the arguments that are read after its name, and the body that takes the place of all."""

    arguments: tuple[Argument, ...]
    body: Body

    @property
    def fixed(self) -> tuple[str, ...]:
        """The body of a macro without arguments."""
        return tuple(part if isinstance(part, str) else f"#{part}" for part in self.body)


@dataclass(frozen=True, slots=True)
class Environment:
    """A ``\\newenvironment``: the code at its beginning (which sees the arguments) and at its end."""

    begin: Macro
    end: Macro


MANDATORY = Argument("mandatory")


def split(token: str) -> list[str]:
    """A token cut into its first character and the rest; a control sequence stays whole."""
    return [token] if token[0] in "\\\0" or len(token) == 1 else [token[0], token[1:]]


def body_of(tokens: Sequence[str], split: Callable[[str], list[str]] = split) -> Body:
    """The tokens of a definition with ``#n`` replaced by the number n and ``##`` by ``#``.

    ``split`` cuts off what is in the same token as the number.
    """
    body: list[str | int] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token != "#":
            body.append(token)
            continue
        following = tokens[position] if position < len(tokens) else ""
        if following == "#":
            body.append("#")
            position += 1
        elif following[:1].isascii() and following[:1].isdigit():
            number, *rest = split(following)
            body.append(int(number))
            body.extend(rest)
            position += 1
    return tuple(body)


def counted_arguments(count: int, default: Sequence[str] | None) -> tuple[Argument, ...]:
    """The arguments of a ``\\newcommand``: so many, the first of them optional where it has a default."""
    if not count:
        return ()
    first = MANDATORY if default is None else Argument("optional", tuple(map(str, default)))
    return (first, *[MANDATORY] * (count - 1))


def with_overlay(macro: Macro) -> Macro:
    """A macro that Beamer's overlay (``<2->``) may precede the arguments of; the body does without it."""
    count = len(macro.arguments)
    body = tuple(part + 1 if isinstance(part, int) else part for part in macro.body if part != count + 1)
    return Macro((Argument("between", ("<", ">")), *macro.arguments), body)


def delimited_arguments(body: Body) -> tuple[Argument, ...]:
    """The arguments of a ``\\def`` from what is before its replacement: ``#1#2``, or with delimiters, ``(#1,#2)``."""
    arguments: list[Argument] = []
    literal: list[str] = []
    open_parameter = False
    for part in body:
        if isinstance(part, int):
            if open_parameter:
                arguments.append(Argument("delimited", tuple(literal)) if literal else MANDATORY)
            elif literal:
                arguments.append(Argument("literal", tuple(literal)))
            open_parameter, literal = True, []
        else:
            literal.extend(_characters([part]))
    if open_parameter:
        arguments.append(Argument("delimited", tuple(literal)) if literal else MANDATORY)
    elif literal:
        arguments.append(Argument("literal", tuple(literal)))
    return tuple(arguments)


def _characters(tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens with all but control sequences cut into characters, as a delimiter is compared."""
    return tuple(part for token in tokens for part in ((token,) if token[0] in "\\\0" else token))


_SPECIFICATION = re.compile(
    r"(?P<skipped>[\s+!\-]|>\s*\{[^{}]*\})"
    r"|(?P<simple>[mosgvzf])"
    r"|(?P<default>[OG])\s*\{(?P<value>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|t\s*(?:\{\s*)?(?P<token>\\[A-Za-z]+|[^\s{}])(?:\s*\})?"
    r"|(?P<between>[drDR])\s*(?P<open>\\[A-Za-z]+|\S)\s*(?P<close>\\[A-Za-z]+|\S)"
    r"|u\s*\{(?P<until>[^{}]*)\}"
    r"|e\s*\{(?P<embellishments>[^{}]*)\}"
)
_BRACED = re.compile(r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


def specified_arguments(specification: str, tokenize: Callable[[str], Sequence[str]]) -> tuple[Argument, ...] | None:
    """The arguments that a specification in the notation of xparse names; None where one is of an unknown kind.

    Understood are ``m o O s t d D r R g G u v e``, with processors (``>{…}``), ``+`` and ``!`` passed over. Tables of
    packages have two kinds more, ``z`` (a size) and ``f`` (fenced), and a ``-`` before what says only how a thing
    looks, not what it is.
    """
    arguments: list[Argument] = []
    position = 0
    while position < len(specification):
        match = _SPECIFICATION.match(specification, position)
        if match is None:
            return None
        position = match.end()
        if match["skipped"]:
            continue
        if match["simple"]:
            arguments.append(_SIMPLE[match["simple"]])
        elif match["default"]:
            kind: ArgumentKind = "optional" if match["default"] == "O" else "braced"
            arguments.append(Argument(kind, tuple(tokenize(match["value"]))))
        elif match["token"]:
            arguments.append(Argument("star" if match["token"] == "*" else "token", (match["token"],)))
        elif match["between"]:
            default: tuple[str, ...] = (NO_VALUE,)
            if match["between"] in "DR":
                braced = _BRACED.match(specification, position)
                if braced is None:
                    return None
                position = braced.end()
                default = tuple(tokenize(braced[1]))
            arguments.append(Argument("between", (match["open"], match["close"], *default)))
        elif match["embellishments"] is not None:
            signs = [sign for sign in _characters(tokenize(match["embellishments"])) if not sign.isspace()]
            arguments.extend(Argument("embellishment", (sign, *signs)) for sign in signs)
        else:
            arguments.append(Argument("delimited", _characters(tokenize(match["until"]))))
    return tuple(arguments)


_SIMPLE = {
    "m": MANDATORY, "v": MANDATORY, "o": Argument("optional", (NO_VALUE,)), "s": Argument("star"),
    "g": Argument("braced", (NO_VALUE,)), "z": Argument("size"), "f": Argument("fenced", (NO_VALUE,)),
}


def paired_delimiter(
    count: int, left: Sequence[str], inner: Body, right: Sequence[str], before: Body = (), after: Body = ()
) -> Macro:
    """A paired delimiter: with a star it grows with its content, with an optional argument it has that size."""
    arguments = (Argument("star"), Argument("optional", (FALSE,)), *[MANDATORY] * count)
    around, content, rest = ([part + 2 if isinstance(part, int) else part for part in body]
                             for body in (before, inner, after))
    grow = ("\\IfBooleanTF", "{", 1, "}")
    return Macro(arguments, (*around, *grow, "{", "\\left", "}", "{", 2, "}", *left, *content,
                             *grow, "{", "\\right", "}", "{", 2, "}", *right, *rest))
