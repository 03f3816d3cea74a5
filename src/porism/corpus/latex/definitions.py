"""What LaTeX sources declare: commands, operators, delimiters, environments, theorems."""

from __future__ import annotations

import re
from dataclasses import dataclass

from porism.corpus.latex.macros import FALSE, NO_VALUE, Argument, Environment, Expander, Macro, body_of
from porism.corpus.latex.tables import STANDARD_ENVIRONMENTS
from porism.corpus.latex.tokens import EOF_TOKEN, join, tokenize

_MANDATORY = Argument("mandatory")
_NAME = re.compile(r"\b(?:name|title)\s*=\s*(\{[^{}]*\}|[^,\]]*)")
_THEOREM_TITLE = re.compile(r"title\s*=.*?#(\d)")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A declared theorem-like environment: what is printed at its head (``Main Theorem``) and how it is called."""

    printed: str
    tcolorbox: bool = False  # \begin{thm}{title}{label}


class Declarations:
    """Carries out the declarations of a project; installs itself in an expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        self.theorems: dict[str, Theorem] = {}
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
        }
        for handler, names in commands.items():
            for name in names.split():
                expander.primitives["\\" + name] = handler
        expander.primitives["\\global"] = lambda _: expander.make_global()

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
            self._environment(name, _arguments(count, default), begin, (), end)

    def _document_environment(self, command: str) -> None:
        reader = self.expander
        name, specification, begin, end = reader.name(), reader.group(), reader.group(), reader.group()
        if not name or specification is None or begin is None or end is None:
            return
        arguments = _xparse(specification)
        if arguments is not None:
            self._environment(name, arguments, begin, arguments, end)

    def _environment(
        self, name: str, arguments: tuple[Argument, ...], begin: list[str], end_arguments: tuple[Argument, ...],
        end: list[str],
    ) -> None:
        """Remembers an environment of the project; what LaTeX itself has means what it means there.

        Of one that a class or style file defines, only its arguments and the environments inside it are content.
        """
        if name in STANDARD_ENVIRONMENTS:
            return
        first, last = body_of(begin), body_of(end)
        if self.expander.in_class:
            first, last = _content_of(first), _content_of(last)
        self.expander.environments[name] = Environment(Macro(arguments, first), Macro(end_arguments, last))

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


def _content_of(body: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """What a part of an environment's definition has of environments and arguments."""
    kept: list[str | int] = []
    position = 0
    while position < len(body):
        part = body[position]
        position += 1
        if isinstance(part, str) and part in ("\\begin", "\\end"):
            kept.append(part)
            position = _keep_groups(body, position, kept)
        elif isinstance(part, int):
            kept.extend(["\\paragraph", "{", part, "}"])
    return tuple(kept)


def _keep_groups(body: tuple[str | int, ...], position: int, kept: list[str | int]) -> int:
    """Keeps the groups and options at this position, such as the name of an environment; returns where they end."""
    ends = {"{": "}", "[": "]"}
    while position < len(body) and (opened := body[position]) in ends:
        depth = 0
        while position < len(body):
            part = body[position]
            kept.append(part)
            position += 1
            depth += (part == opened) - (part == ends[str(opened)])
            if depth == 0:
                break
    return position


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
