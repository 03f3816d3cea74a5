"""Reads the arguments of macros and puts their expansions in place, while a source is read.

Expansion follows TeX (The TeXbook, chapter 20) for the part that authors use: delimited and undelimited arguments,
optional arguments with defaults, stars, ``\\let``, local definitions that end with their group. What TeX needs a
typesetter for is left alone. A macro that expands without end is switched off and reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from porism.formula.macros.definition import Argument, Body, Environment, Macro, body_of, split
from porism.formula.macros.tokens import EOF_TOKEN, FALSE, NO_VALUE, PAR, TRUE, join

MAX_ARGUMENT_TOKENS = 50_000
SIZES = tuple(f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m"))
"""Commands that give the fence after them a size."""


class Stream(Protocol):
    """Tokens that are still to be read."""

    fuel: int
    """How many tokens of expansion may still be made."""

    def next(self) -> str | None:
        """The next token, None when everything has been read."""

    def push(self, tokens: Sequence[str]) -> None:
        """What comes next is these tokens."""

    def drop_expansions(self) -> None:
        """Forgets what remains of expansions."""


class Expander(ABC):
    """Reads tokens, carries out definitions and conditionals, and expands macros.

    :param report: called with one sentence for each thing that could not be done.
    :param keep: names (``\\section``…) that a project may redefine only in appearance; their redefinition is ignored.
    """

    closes_arguments = False
    """Whether an argument whose brace is never closed ends with the source, rather than being none."""

    def __init__(self, stream: Stream, report: Callable[[str], None], keep: frozenset[str] = frozenset()) -> None:
        self.stream = stream
        self.report = report
        self.macros: dict[str, Macro] = {}
        self.environments: dict[str, Environment] = {}
        self.in_class = False
        """Whether a class or style file is read: it may not give commands that the reader knows another meaning."""
        self.known: frozenset[str] = frozenset()
        self.primitives: dict[str, Callable[[str], None]] = {}
        self.math = False
        self.exhausted: set[str] = set()
        self.keep = keep
        self._groups: list[dict[str, Macro | None] | None] = []
        self._changed_in: dict[str, list[int]] = {}  # of each name, the open groups that gave it a meaning
        self._global = False

    def install(self, commands: Mapping[Callable[[str], None], str]) -> None:
        """Gives each of these commands (names with spaces between them) to the function that carries it out."""
        for handler, names in commands.items():
            self.primitives.update(("\\" + name, handler) for name in names.split())

    # reading ---------------------------------------------------------------------------------------------------

    def next(self, brace: bool = False) -> str | None:
        """The next token that is not a macro of the project and no definition; None at the end.

        :param brace: whether an expansion of several tokens gets braces, as the argument of ``^`` or ``\\frac`` needs.
        """
        stream = self.stream
        while True:
            token = stream.next()
            if token is None or token[0] != "\\":
                return token
            macro = self.macro_of(token)
            if macro is not None:
                if self.expand(token, macro, brace):
                    continue
                return token
            primitive = self.primitives.get(token)
            if primitive is None:
                return token
            primitive(token)

    def macro_of(self, name: str) -> Macro | None:
        """The definition of a command, None where it has none."""
        return self.macros.get(name)

    def expand(self, name: str, macro: Macro, brace: bool = False) -> bool:
        """Puts the macro's expansion in front of what is to be read; False where it cannot be expanded."""
        if name in self.exhausted:
            return False
        if self.stream.fuel <= 0:
            self.exhausted.add(name)
            self.stream.drop_expansions()
            self.report(f"the macro {name} expands without end, or to too much; it is left as it is from here on")
            return False
        values: list[Sequence[str]] = []
        for argument in macro.arguments:
            value = self.argument(argument)
            if value is None:
                self.stream.fuel -= 1
                self.stream.push([token for tokens in values for token in tokens])
                return False
            self.stream.fuel -= len(value)
            if argument.kind != "literal":
                values.append(value)
        self.push_body(macro, values, brace)
        return True

    def push_body(self, macro: Macro, values: Sequence[Sequence[str]], brace: bool = False) -> None:
        """Puts the body with these arguments in front of what is to be read."""
        expansion: list[str] = []
        limit = self._scan_limit() + len(macro.body)
        for part in macro.body:
            if len(expansion) > limit:
                self.report("a macro expands to too much; the rest of its expansion is left out")
                break
            if isinstance(part, str):
                expansion.append(part)
            elif part <= len(values):
                expansion.extend(values[part - 1])
        self.stream.fuel -= len(expansion) + 1
        if brace and len(expansion) > 1 and expansion[0] not in "{^_'":
            expansion = ["{", *expansion, "}"]
        self.stream.push(expansion)

    def arguments(self, macro: Macro) -> list[Sequence[str]] | None:
        """The arguments of a macro (or of an environment's beginning), read from the source."""
        values: list[Sequence[str]] = []
        for argument in macro.arguments:
            value = self.argument(argument)
            if value is None:
                return None
            if argument.kind != "literal":
                values.append(value)
        return values

    def argument(self, argument: Argument) -> Sequence[str] | None:
        """Reads one argument; None, and nothing read, where a macro without it cannot be expanded."""
        kind, tokens = argument.kind, argument.tokens
        if kind == "mandatory":
            return self.group()
        if kind == "optional":
            value = self.optional()
            return tokens if value is None else value
        if kind == "braced":
            value = self.group() if self.follows("{") else None
            return tokens if value is None else value
        if kind == "between":
            value = self._between(tokens[0], tokens[1])
            return tokens[2:] if value is None else value
        if kind == "embellishment":
            value = self._embellishment(tokens[0], tokens[1:])
            return (NO_VALUE,) if value is None else value
        if kind == "fenced":
            value = self._fenced()
            return tokens if value is None else value
        if kind == "size":
            return (TRUE,) if any(self._passes(size) for size in SIZES) else (FALSE,)
        if kind in ("star", "token"):
            return (TRUE,) if self._passes(tokens[0] if tokens else "*") else (FALSE,)
        value = self._until(tokens, must_be_here=kind == "literal")
        if value is None and kind == "delimited" and tokens == (" ",):
            return self.group()  # the source ends, or a brace closes, where the space would be
        return value

    def split(self, token: str) -> list[str]:
        """A token cut into its first character and the rest; a control sequence stays whole."""
        return split(token)

    def body_of(self, tokens: Sequence[str]) -> Body:
        """The tokens of a definition with numbers for its arguments."""
        return body_of(tokens, self.split)

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """The tokens of a short text."""

    def skip_spaces(self) -> str | None:
        """The next token that is not a space, unexpanded; it is read."""
        token = self.stream.next()
        while token is not None and token.isspace() and token != PAR:
            token = self.stream.next()
        if token is not None and token[0].isspace() and token != PAR:
            token = token.lstrip()
        return token

    def group(self) -> list[str] | None:
        """The tokens of one mandatory argument: a group without its braces, a control sequence, or one character.

        None, and nothing read, where no argument follows.
        """
        token = self.skip_spaces()
        if token is None:
            return None
        if token == "{":
            return self._balanced("}")
        if token in ("}", "$", "$$", PAR, EOF_TOKEN):
            self.stream.push([token])
            return None
        first, *rest = self.split(token)
        self.stream.push(rest)
        return [first]

    def optional(self) -> list[str] | None:
        """The tokens between ``[`` and ``]``; None, and nothing read, where no ``[`` follows."""
        spaces, token = self._next_after_spaces()
        if token == "[":
            return self._balanced("]")
        self.stream.push([*spaces, token] if token is not None else spaces)
        return None

    def _next_after_spaces(self) -> tuple[list[str], str | None]:
        """A space where some are there, and the token after them; both are read."""
        token = self.stream.next()
        spaces: list[str] = []
        while token is not None and token != PAR and token[0].isspace():
            spaces = [" "]
            token = token.lstrip() or self.stream.next()
        return spaces, token

    def star(self) -> bool:
        """Whether a star follows; it is read."""
        return self._passes("*")

    def follows(self, wanted: str) -> bool:
        """Whether this token follows; nothing but spaces is read."""
        token = self.skip_spaces()
        if token is not None:
            self.stream.push([token])
        return token == wanted

    def _passes(self, wanted: str) -> bool:
        """Whether this token follows; it is read."""
        spaces, token = self._next_after_spaces()
        if token is None:
            self.stream.push(spaces)
            return False
        first, *rest = self.split(token)
        if first == wanted:
            self.stream.push(rest)
            return True
        self.stream.push([*spaces, token])
        return False

    def _embellishment(self, wanted: str, signs: Sequence[str]) -> list[str] | None:
        """What follows a sign such as ``^``, which other signs with theirs may precede; None where it is not there."""
        before: list[str] = []
        value: list[str] | None = None
        waiting = [sign for sign in signs if sign != wanted]
        while True:
            if self._passes(wanted):
                value = self.group()
                break
            sign = next((sign for sign in waiting if self._passes(sign)), None)
            if sign is None:
                break
            waiting.remove(sign)
            before += [sign, "{", *(self.group() or []), "}"]
        self.stream.push(before)
        return value

    def _fenced(self) -> list[str] | None:
        """The tokens in the braces, the brackets or the bars that follow, with them around."""
        if self.follows("{"):
            value = self.group()
            return None if value is None else ["{", *value, "}"]
        for opening, closing in (("(", ")"), ("[", "]"), ("|", "|")):
            value = self._between(opening, closing)
            if value is not None:
                return [opening, *value, closing]
        return None

    def _between(self, opening: str, closing: str) -> list[str] | None:
        """The tokens between two delimiters, which may be nested; None, and nothing but spaces read, without them."""
        if not self._passes(opening):
            return None
        taken: list[str] = []
        nested = braces = 0
        limit = self._scan_limit()
        while (token := self.stream.next()) is not None and token not in (EOF_TOKEN, PAR) and len(taken) < limit:
            if opening in token or closing in token:
                token, *rest = self.split(token)
                self.stream.push(rest)
            if not braces and token == closing:
                if not nested:
                    return taken
                nested -= 1
            elif not braces and token == opening:
                nested += 1
            braces += (token == "{") - (token == "}")
            if braces < 0:
                break
            taken.append(token)
        self.stream.fuel -= len(taken)
        self.stream.push([opening, *taken, *([token] if token is not None else [])])
        return None

    def name(self) -> str:
        """The argument that follows as plain text (the name of an environment, a file, a label); may be empty."""
        return join(self.group() or []).strip()

    def control_word(self) -> str | None:
        """The name that a definition gives: ``\\foo`` or ``{\\foo}``."""
        tokens = [token for token in self.group() or [] if not token.isspace()]
        return tokens[0] if len(tokens) == 1 and tokens[0][0] == "\\" else None

    def defined_name(self) -> str | None:
        """What a ``\\def`` or ``\\let`` gives a meaning: a control sequence; any other token is not a name."""
        return self.skip_spaces()

    def _scan_limit(self) -> int:
        """How far the end of an argument is looked for: searches that fail are paid for, so that they stay few."""
        return min(MAX_ARGUMENT_TOKENS, max(64, self.stream.fuel))

    def _balanced(self, end: str) -> list[str] | None:
        taken: list[str] = []
        depth = 0
        limit = self._scan_limit()
        while (token := self.stream.next()) is not None:
            if token == end and depth == 0:
                return taken
            if token == EOF_TOKEN or len(taken) > limit or (token == PAR and end == "]"):
                taken.append(token)
                break
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if depth < 0:
                    taken.append(token)
                    break
            taken.append(token)
        self.stream.fuel -= len(taken)
        if end == "]":  # no optional argument after all: the bracket is text
            taken.insert(0, "[")
        else:
            self.report("an argument whose brace is never closed")
            if self.closes_arguments:
                return taken
        self.stream.push(taken)
        return None

    def _until(self, delimiter: tuple[str, ...], must_be_here: bool = False) -> list[str] | None:
        """The tokens before a delimiter of a ``\\def``, character by character; the delimiter is passed over."""
        taken: list[str] = []
        depth = 0
        size = len(delimiter)
        signs = {"{", "}", *delimiter}
        limit = self._scan_limit()
        first = self.skip_spaces()
        self.stream.push([first] if first is not None else [])
        while True:
            if depth == 0 and len(taken) >= size and tuple(taken[-size:]) == delimiter:
                value = taken[:-size]
                if len(value) > 1 and value[0] == "{" and value[-1] == "}" and _one_group(value):
                    return value[1:-1]
                return value
            token = self.stream.next()
            stop = token is None or token in (EOF_TOKEN, PAR) or len(taken) > limit
            if token is not None and not stop and not signs.isdisjoint(token):
                token, *rest = self.split(token)
                self.stream.push(rest)
            if token is not None:
                taken.append(token)
                depth += (token == "{") - (token == "}")
            if stop or depth < 0 or (must_be_here and taken != list(delimiter[: len(taken)])):
                self.stream.fuel -= len(taken)
                self.stream.push(taken)
                return None

    # groups and definitions ------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """How many groups are open."""
        return len(self._groups)

    def begin_group(self) -> None:
        """Definitions from here on are local."""
        self._groups.append(None)

    def end_groups(self, depth: int) -> None:
        """Closes groups until ``depth`` are open; what was defined in them is as it was before."""
        while len(self._groups) > depth:
            for name, macro in (self._groups.pop() or {}).items():
                self._changed_in[name].pop()
                if macro is None:
                    self.macros.pop(name, None)
                else:
                    self.macros[name] = macro

    def define(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        """Gives a name its meaning, until the current group ends or ``everywhere``."""
        if name in self.keep or (self.in_class and name in self.known):
            self._global = False
            return
        if everywhere or self._global:
            for index in self._changed_in.pop(name, ()):
                (self._groups[index] or {}).pop(name)
        elif self._groups:
            changes = self._groups[-1]
            if changes is None:
                changes = self._groups[-1] = {}
            if name not in changes:
                changes[name] = self.macros.get(name)
                self._changed_in.setdefault(name, []).append(len(self._groups) - 1)
        self._global = False
        self.exhausted.discard(name)
        self.macros[name] = macro

    @property
    def is_defining_globally(self) -> bool:
        """Whether ``\\global`` waits for its definition."""
        return self._global

    def make_global(self) -> None:
        """The next definition holds everywhere (``\\global``)."""
        self._global = True


def _one_group(tokens: Sequence[str]) -> bool:
    depth = 0
    for position, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        if depth == 0:
            return position == len(tokens) - 1
    return False
