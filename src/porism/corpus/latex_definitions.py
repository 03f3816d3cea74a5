"""What LaTeX sources declare: commands, operators, delimiters, environments, theorems; and their conditionals."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from porism.corpus.latex_macros import (
    FALSE,
    NO_VALUE,
    TRUE,
    Argument,
    Environment,
    Expander,
    Macro,
    body_of,
)
from porism.corpus.latex_tables import words
from porism.corpus.latex_tokens import EOF_TOKEN, join, tokenize

_MANDATORY = Argument("mandatory")
_CONDITIONALS = words(
    "\\if \\ifx \\ifnum \\ifdim \\ifodd \\ifcase \\ifcat \\ifhmode \\ifvmode \\ifinner \\ifhbox \\ifvbox \\ifvoid "
    "\\ifeof \\ifdefined \\ifcsname \\iftrue \\iffalse \\ifmmode \\if@twocolumn \\if@twoside"
)
_NAME = re.compile(r"\b(?:name|title)\s*=\s*(\{[^{}]*\}|[^,\]]*)")
_THEOREM_TITLE = re.compile(r"title\s*=.*?#(\d)")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A declared theorem-like environment: what is printed at its head (``Main Theorem``) and how it is called."""

    printed: str
    tcolorbox: bool = False  # \begin{thm}{title}{label}
    arguments: tuple[Argument, ...] = ()


class Declarations:
    """Carries out the declarations of a project; installs itself in an expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        self.theorems: dict[str, Theorem] = {}
        self._flags: dict[str, bool] = {}
        commands = {
            self._newcommand: "newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd "
            "providerobustcmd newcommandx renewcommandx",
            self._document_command: "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand "
            "DeclareDocumentCommand NewExpandableDocumentCommand",
            self._def: "def edef gdef xdef",
            self._let: "let",
            self._operator: "DeclareMathOperator",
            self._operator_alias: "DeclareMathSymbol DeclareMathAlphabet DeclareSymbolFont DeclareFontFamily",
            self._delimiter: "DeclarePairedDelimiter",
            self._delimiter_x: "DeclarePairedDelimiterX DeclarePairedDelimiterXPP",
            self._newenvironment: "newenvironment renewenvironment provideenvironment",
            self._document_environment: "NewDocumentEnvironment RenewDocumentEnvironment DeclareDocumentEnvironment",
            self._newtheorem: "newtheorem newmdtheoremenv newshadetheorem newframedtheorem",
            self._spnewtheorem: "spnewtheorem",
            self._declaretheorem: "declaretheorem",
            self._newtcbtheorem: "newtcbtheorem NewTcbTheorem renewtcbtheorem",
            self._newtcolorbox: "newtcolorbox renewtcolorbox NewTColorBox DeclareTColorBox",
            self._newif: "newif",
            self._csname: "csname",
            self._expandafter: "expandafter",
            self._if_star: "@ifstar",
            self._if_next: "@ifnextchar",
            self._if_value: "IfNoValueTF IfNoValueT IfNoValueF IfValueTF IfValueT IfValueF",
            self._if_boolean: "IfBooleanTF IfBooleanT IfBooleanF",
            self._at_letter: "makeatletter makeatother ExplSyntaxOn ExplSyntaxOff",
            self._ignore: "relax protect long protected xspace leavevmode ignorespaces unskip nobreak allowbreak "
            "noexpand unexpanded fi",
            self._else: "else or",
        }
        for handler, names in commands.items():
            for name in names.split():
                expander.primitives["\\" + name] = handler
        expander.primitives["\\global"] = lambda _: expander.make_global()
        for name in _CONDITIONALS:
            expander.primitives[name] = self._conditional

    # commands --------------------------------------------------------------------------------------------------

    def _newcommand(self, command: str) -> None:
        reader = self.expander
        reader.star()
        name = reader.control_word()
        count = _number(reader.optional())
        default = reader.optional() if count else None
        body = reader.group()
        if name is None or body is None:
            return
        if command.startswith("\\provide") and name in reader.macros:
            return
        reader.define(name, Macro(_arguments(count, default), body_of(body)))

    def _document_command(self, command: str) -> None:
        reader = self.expander
        name, specification, body = reader.control_word(), reader.group(), reader.group()
        if name is None or specification is None or body is None:
            return
        arguments = _xparse(specification)
        if arguments is None:
            reader.report(f"the arguments of {name} are of a kind that is not read; it stays unexpanded")
        elif not (command.startswith("\\Provide") and name in reader.macros):
            reader.define(name, Macro(arguments, body_of(body)))

    def _def(self, command: str) -> None:
        reader = self.expander
        name = reader.skip_spaces()
        if name is None:
            return
        if name[0] != "\\":
            reader.stream.push([name])
            return
        parameters: list[str] = []
        while (token := reader.stream.next()) is not None and token != "{":
            parameters.append(token)
            if token in ("}", EOF_TOKEN) or len(parameters) > 200:  # no definition
                reader.stream.push(parameters)
                return
        if token is None:
            return
        reader.stream.push([token])
        body = reader.group()
        if body is not None:
            everywhere = command in ("\\gdef", "\\xdef")
            reader.define(name, Macro(_parameters(parameters), body_of(body)), everywhere=everywhere)

    def _let(self, command: str) -> None:
        reader = self.expander
        name = reader.skip_spaces()
        if name is None or name[0] != "\\":
            reader.stream.push([name] if name else [])
            return
        target = reader.skip_spaces()
        if target is not None and target[0] == "=":
            reader.stream.push([target[1:]])
            target = reader.skip_spaces()
        if target is None or target == EOF_TOKEN:
            reader.stream.push([target] if target else [])
            return
        if target[0] == "\\":
            frozen = target if target in reader.primitives else "\0" + target
            meaning = reader.macros.get(target, Macro((), (frozen,)))
        else:
            reader.stream.push([target[1:]])
            meaning = Macro((), (target[0],))
        reader.define(name, meaning)

    def _operator(self, command: str) -> None:
        reader = self.expander
        star = "*" if reader.star() else ""
        name, text = reader.control_word(), reader.group()
        if name is not None and text is not None:
            reader.define(name, Macro((), (f"\\operatorname{star}", "{", *text, "}")))

    def _operator_alias(self, command: str) -> None:
        counts = {"\\DeclareMathSymbol": 4, "\\DeclareMathAlphabet": 5, "\\DeclareSymbolFont": 5}
        for _ in range(counts.get(command, 3)):
            self.expander.group()

    def _delimiter(self, command: str) -> None:
        reader = self.expander
        name, left, right = reader.control_word(), reader.group(), reader.group()
        if name is not None and left is not None and right is not None:
            reader.define(name, _paired(1, left, [1], right))

    def _delimiter_x(self, command: str) -> None:
        reader = self.expander
        name = reader.control_word()
        count = _number(reader.optional()) or 1
        groups = [reader.group() or [] for _ in range(6 if command.endswith("XPP") else 3)]
        if command.endswith("XPP"):
            before, left, right, after, body = groups[0], groups[1], groups[2], groups[3], groups[4]
            reader.stream.push([] if not groups[5] else ["{", *groups[5], "}"])
        else:
            before, (left, right, body), after = [], groups, []
        if name is not None:
            inner = [part for part in body_of(body) if part != "\\delimsize"]
            reader.define(name, _paired(count, [*before, *left], inner, [*right, *after]))

    # environments ----------------------------------------------------------------------------------------------

    def _newenvironment(self, command: str) -> None:
        reader = self.expander
        reader.star()
        name = reader.name()
        count = _number(reader.optional())
        default = reader.optional() if count else None
        begin, end = reader.group(), reader.group()
        if name and begin is not None and end is not None:
            arguments = _arguments(count, default)
            reader.environments[name] = Environment(Macro(arguments, body_of(begin)), Macro((), body_of(end)))

    def _document_environment(self, command: str) -> None:
        reader = self.expander
        name, specification, begin, end = reader.name(), reader.group(), reader.group(), reader.group()
        if not name or specification is None or begin is None or end is None:
            return
        arguments = _xparse(specification)
        if arguments is not None:
            reader.environments[name] = Environment(Macro(arguments, body_of(begin)), Macro(arguments, body_of(end)))

    def _newtheorem(self, command: str) -> None:
        reader = self.expander
        reader.star()
        if command == "\\newmdtheoremenv":
            reader.optional()
        name = reader.name()
        reader.optional()
        printed = reader.group()
        reader.optional()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed))

    def _spnewtheorem(self, command: str) -> None:
        reader = self.expander
        reader.star()
        name = reader.name()
        reader.optional()
        printed = reader.group()
        reader.optional()
        reader.group()
        reader.group()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed))

    def _declaretheorem(self, command: str) -> None:
        reader = self.expander
        options = reader.optional()
        names = reader.name()
        options = options or reader.optional()
        found = _NAME.search(join(options or []))
        for name in filter(None, (entry.strip() for entry in names.split(","))):
            printed = found.group(1).strip("{} ") if found else name.rstrip("*").capitalize()
            self.theorems[name] = Theorem(_words([printed]))

    def _newtcbtheorem(self, command: str) -> None:
        reader = self.expander
        reader.optional()
        name, printed = reader.name(), reader.group()
        reader.group()
        reader.group()
        if name and printed is not None:
            self.theorems[name] = Theorem(_words(printed), tcolorbox=True)

    def _newtcolorbox(self, command: str) -> None:
        """Remembered as an environment whose beginning prints the argument that the box has as its title."""
        reader = self.expander
        reader.optional()
        name = reader.name()
        if command.endswith("TColorBox"):
            arguments = _xparse(reader.group() or []) or ()
        else:
            count = _number(reader.optional())
            arguments = _arguments(count, reader.optional() if count else None)
        options = reader.group()
        if not name or options is None:
            return
        title = _THEOREM_TITLE.search(join(options))
        begin: tuple[str | int, ...] = ("\\paragraph", "{", int(title.group(1)), "}") if title else ()
        reader.environments[name] = Environment(Macro(arguments, begin), Macro((), ()))

    # conditionals and TeX ----------------------------------------------------------------------------------------

    def _newif(self, command: str) -> None:
        name = self.expander.skip_spaces() or ""
        if not name.startswith("\\if"):
            return
        self._flags[name] = False
        primitives = self.expander.primitives
        primitives[name] = self._conditional
        stem = name[3:]
        for suffix, value in (("true", True), ("false", False)):
            primitives[f"\\{stem}{suffix}"] = self._setter(name, value)

    def _setter(self, name: str, value: bool) -> Callable[[str], None]:
        def put(_: str) -> None:
            self._flags[name] = value

        return put

    def _conditional(self, command: str) -> None:
        """Takes the branch of a condition that can be told, and the ``\\else`` branch of any other."""
        if command == "\\ifmmode":
            holds = self.expander.math
        elif command == "\\ifdefined":
            holds = (self.expander.skip_spaces() or "") in self.expander.macros
        else:
            holds = command == "\\iftrue" or self._flags.get(command, False)
        if not holds:
            self._skip_branch(to_else=True)

    def _else(self, command: str) -> None:
        """Reached at the end of a branch that was taken."""
        if command == "\\else":
            self._skip_branch(to_else=False)

    def _skip_branch(self, *, to_else: bool) -> None:
        depth = 0
        primitives = self.expander.primitives
        while (token := self.expander.stream.next()) is not None:
            if token == "\\fi":
                if depth == 0:
                    return
                depth -= 1
            elif token == "\\else" and depth == 0 and to_else:
                return
            elif token == EOF_TOKEN:
                self.expander.stream.push([token])
                self.expander.report("a conditional without \\fi hides the rest of the file")
                return
            elif token.startswith("\\if") and primitives.get(token) == self._conditional:
                depth += 1

    def _csname(self, command: str) -> None:
        parts: list[str] = []
        while (token := self.expander.stream.next()) is not None and token != "\\endcsname":
            macro = self.expander.macros.get(token)
            if macro is not None and self.expander.expand(token, macro):
                continue
            parts.append(token)
            if token in ("{", "}", EOF_TOKEN) or token[0] == "\\" or len(parts) > 100:
                self.expander.stream.push(parts)
                return
        self.expander.stream.push(["\\" + join(parts).strip()])

    def _expandafter(self, command: str) -> None:
        stream = self.expander.stream
        held = stream.next()
        if held is None or held == EOF_TOKEN:
            stream.push([held] if held else [])
            return
        following = stream.next()
        if following == "\\csname":
            self._csname(following)
        elif following == "\\expandafter":
            stream.fuel -= 1
            self._chain()
        elif following is not None:
            stream.push([following])
            macro = self.expander.macros.get(following)
            if macro is not None:
                stream.next()
                if not self.expander.expand(following, macro):
                    stream.push(["\0" + following])
        stream.push([held])

    def _chain(self) -> None:
        """Drops a chain of ``\\expandafter``: the order of expansion matters to no text that is kept."""
        stream = self.expander.stream
        while (token := stream.next()) == "\\expandafter":
            stream.fuel -= 1
        if token is not None:
            stream.push([token])

    def _if_star(self, command: str) -> None:
        reader = self.expander
        yes, no = reader.group(), reader.group()
        if yes is not None and no is not None:
            reader.stream.push(yes if reader.star() else no)

    def _if_next(self, command: str) -> None:
        reader = self.expander
        wanted, yes, no = reader.skip_spaces(), reader.group(), reader.group()
        token = reader.skip_spaces()
        if token is not None:
            reader.stream.push([token])
        if wanted and yes is not None and no is not None:
            reader.stream.push(yes if token is not None and token.startswith(wanted) else no)

    def _if_value(self, command: str) -> None:
        reader = self.expander
        missing = NO_VALUE in (reader.group() or [])
        self._choose(missing == command.startswith("\\IfNo"), command)

    def _if_boolean(self, command: str) -> None:
        self._choose(TRUE in (self.expander.group() or []), command)

    def _choose(self, holds: bool, command: str) -> None:
        reader = self.expander
        yes = reader.group() if command[-2] != "T" or command[-1] == "T" or command.endswith("TF") else None
        no: list[str] | None = None
        if command.endswith("TF"):
            no = reader.group()
        elif command.endswith("F"):
            yes, no = None, yes
        reader.stream.push((yes if holds else no) or [])

    def _at_letter(self, command: str) -> None:
        file = self.expander.stream.file
        if file is not None:
            file.at_letter = command in ("\\makeatletter", "\\ExplSyntaxOn")

    def _ignore(self, command: str) -> None:
        return


def _number(tokens: list[str] | None) -> int:
    text = join(tokens or []).strip()
    return min(int(text), 9) if text.isascii() and text.isdigit() else 0


def _words(tokens: list[str]) -> str:
    """A printed name in plain words: ``Lemma``, ``Main Theorem``."""
    plain = re.sub(r"\\[A-Za-z]+\*?|[{}$~]", " ", join(tokens))
    return " ".join(plain.split())


def _arguments(count: int, default: list[str] | None) -> tuple[Argument, ...]:
    if not count:
        return ()
    first = _MANDATORY if default is None else Argument("optional", tuple(default))
    return (first, *[_MANDATORY] * (count - 1))


def _parameters(tokens: list[str]) -> tuple[Argument, ...]:
    """The arguments of a ``\\def``: ``#1#2``, or with delimiters, ``(#1,#2)``."""
    arguments: list[Argument] = []
    literal: list[str] = []
    open_parameter = False
    for part in body_of(tokens):
        if isinstance(part, int):
            if open_parameter:
                arguments.append(Argument("delimited", tuple(literal)) if literal else _MANDATORY)
            elif literal:
                arguments.append(Argument("literal", tuple(literal)))
            open_parameter, literal = True, []
        elif part[0] in "\\\0":
            literal.append(part)
        else:
            literal.extend(part)
    if open_parameter:
        arguments.append(Argument("delimited", tuple(literal)) if literal else _MANDATORY)
    return tuple(arguments)


def _xparse(tokens: list[str]) -> tuple[Argument, ...] | None:
    """The arguments that an xparse specification names, None where it holds kinds other than m, o, O, s, r, d, D."""
    text = join(tokens)
    arguments: list[Argument] = []
    position = 0
    while position < len(text):
        kind = text[position]
        position += 1
        if kind in "+! \n":
            continue
        if kind == "m":
            arguments.append(_MANDATORY)
        elif kind == "o":
            arguments.append(Argument("optional", (NO_VALUE,)))
        elif kind == "s":
            arguments.append(Argument("star"))
        elif kind == "O" and (found := re.match(r"\s*\{([^{}]*)\}", text[position:])):
            arguments.append(Argument("optional", tuple(tokenize(found.group(1)))))
            position += found.end()
        else:
            return None
    return tuple(arguments)


def _paired(count: int, left: list[str], inner: list[str | int], right: list[str]) -> Macro:
    """A paired delimiter: with a star it grows with its content, with an optional argument it has that size."""
    arguments = (Argument("star"), Argument("optional", (FALSE,)), *[_MANDATORY] * count)
    shifted: list[str | int] = [part + 2 if isinstance(part, int) else part for part in inner]
    grow = ("\\IfBooleanTF", "{", 1, "}")
    return Macro(arguments, (*grow, "{", "\\left", "}", "{", 2, "}", *left, *shifted,
                             *grow, "{", "\\right", "}", "{", 2, "}", *right))
