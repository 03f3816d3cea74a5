"""Expands the macros of a formula before it is read: its own definitions, those of the caller, those of packages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from porism.formula.latex.columns import FILLED_ENVIRONMENTS, MAX_COLUMN_TOKENS, fill_rows, filling_columns
from porism.formula.latex.functions import FUNCTIONS, Call
from porism.formula.latex.functions.layouts import text_in_columns
from porism.formula.latex.functions.proofs import deduction_lines
from porism.formula.latex.macro_stream import FormulaStream, PlacedToken, placed
from porism.formula.latex.tokens import Tokens, tokenize
from porism.formula.macros.choices import install_choices
from porism.formula.macros.declarations import Declarations
from porism.formula.macros.definition import Argument, Environment, Macro, body_of, specified_arguments
from porism.formula.macros.expander import SIZES, Expander
from porism.formula.tables.commands import TEXT_COMMANDS
from porism.formula.tables.lookup import SYMBOLS, token_class
from porism.formula.tables.packages import COMMANDS, ENVIRONMENTS, HANDLED, POWERS, SIGNS_AS_ARGUMENTS, TEXT_COLUMNS
from porism.formula.tables.packages.proofs import DEDUCTIONS
from porism.formula.tree import ParseProblem

MacroText = tuple[int, str]
"""How many arguments a command takes, and its replacement with ``#1`` … ``#9`` for them."""

_TEXTS = frozenset("\\" + name for name in TEXT_COMMANDS)
_MAX_NAME = 20
_BEFORE_ARGUMENTS = frozenset("{[*")
_PASSED_OVER = frozenset({"\\long", "\\outer", "\\protected"})
_POWER = re.compile(rf"\\(?:{'|'.join(POWERS)})\s*\[[^\[\]]*\]\s*[({{]")


class MacroFound(Exception):
    """A command that is a macro or defines one came up: the tokens have to be expanded first."""


def expand(tokens: Tokens, macros: Mapping[str, MacroText] | None, problems: list[ParseProblem]) -> Tokens:
    """The tokens with macros replaced; arguments keep their spans, and what else a macro made has that of its call.

    When the result grows out of proportion, commands stay as they are.
    """
    return _FormulaExpander(tokens, macros or {}, problems).run()


class _FormulaExpander(Expander):
    stream: FormulaStream
    closes_arguments = True

    def __init__(self, tokens: Tokens, macros: Mapping[str, MacroText], problems: list[ParseProblem]) -> None:
        super().__init__(FormulaStream(tokens), self._report)
        self._problems = problems
        self.math = True
        for name, (count, text) in macros.items():
            self.macros["\\" + name] = _macro("m" * count, text)
        if macros or not _DEFINITIONS.isdisjoint(tokens.texts):
            Declarations(self)
        install_choices(self)
        self.primitives.update(dict.fromkeys(_PASSED_OVER, lambda _: None))
        self._opened: list[tuple[str, list[Sequence[str]]]] = []
        self._memory: list[list[str]] = []
        self._outer_environments: list[dict[str, Environment]] = []
        """For each open group, the environments that were defined before it."""
        self._texts: list[bool] = []
        """Of each brace that is open, whether what is in it is text."""

    def _report(self, message: str) -> None:
        self._problems.append(ParseProblem(self.stream.start, message))

    def tokenize(self, text: str) -> list[str]:
        return _texts(text)

    def split(self, token: str) -> list[str]:
        if not isinstance(token, PlacedToken):
            return _split(token)
        middle = min(token.start + 1, token.end)
        first, *rest = _split(token)
        end = middle if rest else token.end
        return [placed(first, token.start, end), *(placed(part, middle, token.end) for part in rest)]

    def macro_of(self, name: str) -> Macro | None:
        return self.macros.get(name) or package_macro(name)

    def argument(self, argument: Argument) -> Sequence[str] | None:
        value = super().argument(argument)
        if value is None and argument.kind == "mandatory":
            self._report("an argument is missing")
            return ()
        return value

    def define(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        body = tuple(part if isinstance(part, int) else str(part) for part in macro.body)
        super().define(name, Macro(macro.arguments, body), everywhere=everywhere)

    def begin_group(self) -> None:
        super().begin_group()
        self._outer_environments.append(self.environments)

    def end_groups(self, depth: int) -> None:
        super().end_groups(depth)
        if depth < len(self._outer_environments):
            self.environments = self._outer_environments[depth]
            del self._outer_environments[depth:]

    def next(self, brace: bool = False) -> PlacedToken | None:
        while (token := self.stream.next()) is not None:
            if token[0] != "\\":
                return token
            self.stream.begin_call(token)
            if token.startswith(("\\begin", "\\end")) and self._environment(token):
                continue
            macro = self.macro_of(token)
            if macro is not None:
                if token not in self.macros and not self._may_follow(token, macro.arguments):
                    return token
                if self.expand(token, macro):
                    continue
                if token not in self.exhausted:
                    self._report(f"{token} is not followed by its arguments")
                return token
            if token in self.primitives:
                self.primitives[token](token)
            elif token in _HANDLED_COMMANDS:
                if token in self.exhausted or not self._may_follow(token, handled_command(token)[0]):
                    return token
                self._call(token)
            elif token in _POWER_COMMANDS:
                self._power(token)
            else:
                return token
        return None

    def _may_follow(self, command: str, arguments: Sequence[Argument]) -> bool:
        """Whether what follows can be the arguments of a command of a package.

        Authors have commands of their own by these names, ``C^\\op``, whose definitions are not at hand.
        """
        kinds = [argument.kind for argument in arguments]
        count = kinds.count("mandatory") + kinds.count("fenced")
        if not count or count > 2 or kinds[0] == "delimited":
            return True
        token = self.skip_spaces()
        if token is None:
            return False
        self.stream.push([token])
        if token in _BEFORE_ARGUMENTS or token in SIZES:
            return True
        if "fenced" in kinds:
            return token in ("(", "|")
        label, kind = SYMBOLS.get(token, ("", ""))
        if token[0].isalnum() or kind in ("V", "N"):
            return True
        signs = SIGNS_AS_ARGUMENTS.get(command[1:], frozenset())
        return bool(signs) and (token in self.macros or token_class(label) in signs)

    def _call(self, command: str) -> None:
        """Has a function of a package make what takes the place of a command."""
        if self.stream.fuel <= 0:
            self.exhausted.add(command)
            self._report(f"{command} makes too much; it is left as it is from here on")
            self.stream.push([command])
            return
        arguments, handler = handled_command(command)
        values = [self._plain(self.argument(argument) or ()) for argument in arguments]
        result = FUNCTIONS[handler](Call(command, values, self._memory, self._report))
        self.stream.fuel -= len(result) + len(self._memory[-1] if self._memory else ()) + 1
        in_text = bool(self._texts) and self._texts[-1]
        self.stream.push(["$", *result, "$"] if in_text and result else result)

    def _plain(self, tokens: Sequence[str]) -> list[str]:
        """Tokens with the commands of the formula's own that have no arguments replaced: names of units."""
        replaced: list[str] = []
        for token in tokens:
            macro = self.macros.get(token)
            if macro is None or macro.arguments or len(macro.body) > _MAX_NAME:
                replaced.append(token)
            else:
                replaced.extend(macro.fixed)
        return replaced

    def _power(self, command: str) -> None:
        """``\\sin[2](x)`` is the square of a sine; any other bracket after a function is its argument."""
        power = self.optional()
        plain = "\0\\" + POWERS[command[1:]]
        if power is None or not (self.follows("(") or self.follows("{")):
            self.stream.push([plain, *(["[", *power, "]"] if power is not None else [])])
        else:
            self.stream.push([plain, "^", "{", *power, "}"])

    def _environment(self, token: PlacedToken) -> bool:
        """Replaces the beginning or the end of an environment that is defined; False for any other."""
        command, _, name = token.partition("{")
        name = name.rstrip("}").strip()
        if not name:
            if command not in ("\\begin", "\\end") or not self.follows("{"):
                return False
            name = self.name()
            self.stream.push([f"\0{command}{{{name}}}"] if self._environment_of(name) is None else [])
            if self._environment_of(name) is None:
                return True
        if name in FILLED_ENVIRONMENTS and command.rstrip() == "\\begin" and self._fill_columns(token):
            return True
        environment = self._environment_of(name)
        if environment is None or self.stream.fuel <= 0:
            return False
        if command.startswith("\\end"):
            values: Sequence[Sequence[str]] = ()
            if any(opened == name for opened, _ in self._opened):
                while self._opened:
                    opened, values = self._opened.pop()
                    if opened == name:
                        break
            self.push_body(environment.end, values)
            return True
        arguments = self.arguments(environment.begin)
        if arguments is None:
            return False
        if name in TEXT_COLUMNS or name in DEDUCTIONS:
            self._set_columns(name)
        self.push_body(environment.begin, arguments)
        self._opened.append((name, arguments))
        return True

    def _environment_of(self, name: str) -> Environment | None:
        return self.environments.get(name) or package_environment(name)

    def _rest_of_environment(self) -> tuple[list[PlacedToken], PlacedToken | None]:
        """What follows up to the end of the environment that has just begun, and its end, None where that is far."""
        taken: list[PlacedToken] = []
        depth = 0
        limit = self._scan_limit()
        while (token := self.stream.next()) is not None and len(taken) < limit:
            depth += token.startswith("\\begin") - token.startswith("\\end")
            if depth < 0:
                self.stream.fuel -= len(taken)
                return taken, token
            taken.append(token)
        self.stream.fuel -= len(taken)
        return [*taken, *([token] if token is not None else [])], None

    def _set_columns(self, name: str) -> None:
        """Sets the text of an environment that has just begun, up to its end, as text, and lines of a proof as rows."""
        taken, end = self._rest_of_environment()
        rows: Sequence[str] = taken
        if end is not None and name in DEDUCTIONS:
            rows = deduction_lines(rows)
        if end is not None and name in TEXT_COLUMNS:
            rows = text_in_columns(rows, always=TEXT_COLUMNS[name])
        self.stream.push([*rows, *([end] if end is not None else [])])

    def _fill_columns(self, begin: PlacedToken) -> bool:
        """Puts what the columns of an array say into its rows; False, and nothing read, where they say nothing."""
        head: list[PlacedToken] = []
        depth = 0
        while len(head) < MAX_COLUMN_TOKENS and (token := self.stream.next()) is not None:
            head.append(token)
            depth += (token == "{") - (token == "}")
            if token == "}" and depth <= 0:
                break
        opening = next((i for i, token in enumerate(head, 1) if token == "{"), len(head))
        columns = filling_columns(head[opening:-1])
        if columns is None or depth:
            self.stream.push(head)
            return False
        rows, end = self._rest_of_environment()
        lines = 1 + sum(token[:2] in ("\\\\", "\\c", "\\t") for token in rows)
        cost = lines * sum(len(column.before) + len(column.after) for column in columns)
        if end is None or cost > self.stream.fuel:
            self.stream.push([*head, *rows, *([end] if end is not None else [])])
            return False
        self.stream.fuel -= cost
        filled: list[PlacedToken] = []
        place = head[-1].end
        for text in fill_rows(rows, columns):
            filled.append(text if isinstance(text, PlacedToken) else placed(text, place, place))
            place = filled[-1].end
        letters = [column.letter for column in columns]
        self.stream.push([begin, *head[:opening], *letters, head[-1], *filled, end])
        return True

    def run(self) -> Tokens:
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        while (token := self.next()) is not None:
            text = str(token)
            if text[0] == "\0" and len(text) > 1:
                text = text[1:]
                if text[0] != "\\":
                    continue
            elif text == "{":
                self.begin_group()
                self._texts.append(bool(texts) and (texts[-1] in _TEXTS or bool(self._texts and self._texts[-1])))
            elif text == "}":
                self.end_groups(max(0, self.depth - 1))
                if self._texts:
                    self._texts.pop()
            elif text == "\\begingroup":
                self.begin_group()
            elif text == "\\endgroup":
                self.end_groups(max(0, self.depth - 1))
            elif text == "$" and self._texts:
                self._texts[-1] = not self._texts[-1]
            texts.append(text)
            starts.append(token.start)
            ends.append(token.end)
        end = max(ends, default=0)
        return Tokens([*texts, "", ""], [*starts, end, end], [*ends, end, end])


def has_power(source: str) -> bool:
    """Whether a function has a power in brackets, ``\\sin[2](x)``."""
    return "[" in source and _POWER.search(source) is not None


def _macro(signature: str, replacement: str) -> Macro:
    """The macro of a signature and a replacement in LaTeX."""
    arguments = specified_arguments(signature, _texts)
    if arguments is None:
        raise ValueError(f"{signature!r} is not a valid signature")
    return Macro(arguments, body_of(_texts(replacement), _split))


def _split(token: str) -> list[str]:
    """A token cut into its first digit and the rest; one that is not a number stays whole."""
    return [token[0], *_texts(token[1:])] if len(token) > 1 and token[0].isdigit() else [token]


def _texts(source: str) -> list[str]:
    return tokenize(source).texts[:-2]


@cache
def package_macro(command: str) -> Macro | None:
    """The macro of a command that a package replaces by a pattern; None for any other."""
    known = COMMANDS.get(command[1:])
    return _macro(*known) if known is not None else None


@cache
def package_environment(name: str) -> Environment | None:
    """The environment of a package that others stand for; None for any other."""
    known = ENVIRONMENTS.get(name)
    return Environment(_macro(known[0], known[1]), _macro(known[0], known[2])) if known is not None else None


@cache
def handled_command(command: str) -> tuple[tuple[Argument, ...], str]:
    """The arguments of a command that a function replaces, and the name of the function."""
    signature, handler = HANDLED[command[1:]]
    return _macro(signature, "").arguments, handler


_HANDLED_COMMANDS = frozenset("\\" + name for name in HANDLED)
_POWER_COMMANDS = frozenset("\\" + name for name in POWERS)
_DEFINITIONS = frozenset(
    "\\" + name for name in """
    newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd providerobustcmd
    NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand
    def edef gdef xdef let global long DeclareMathOperator DeclarePairedDelimiter DeclarePairedDelimiterX
    DeclarePairedDelimiterXPP DeclarePairedDelimiters DeclarePairedDelimitersX DeclarePairedDelimitersXPP DeclareSIUnit
    Newextarrow MakeAboxedCommand newenvironment renewenvironment provideenvironment NewDocumentEnvironment
    RenewDocumentEnvironment DeclareDocumentEnvironment
    """.split()
)
MACRO_TRIGGERS = (
    _DEFINITIONS | _HANDLED_COMMANDS | frozenset("\\" + name for name in COMMANDS)
    | frozenset("\\" + name for name, plain in POWERS.items() if name != plain)
    | frozenset(f"\\{end}{{{name}}}" for name in ENVIRONMENTS for end in ("begin", "end"))
)
"""Tokens that need expansion: commands that define a macro or are one, environments that stand for others."""
