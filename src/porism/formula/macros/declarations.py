"""What definitions declare: commands, operators, delimiters, environments."""

from __future__ import annotations

import re

from porism.formula.macros.definition import (
    MANDATORY,
    Argument,
    Environment,
    Macro,
    counted_arguments,
    delimited_arguments,
    paired_delimiter,
    specified_arguments,
    with_overlay,
)
from porism.formula.macros.expander import Expander
from porism.formula.macros.tokens import EOF_TOKEN, NO_VALUE, PAR, join

_CHARACTER_CODE = re.compile(r"0x(?=10|.{1,5}$)([0-9A-Fa-f]{2,6})|[0-9]{2,6}")


class Declarations:
    """Carries out declarations; installs itself in an expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        expander.install({
            self._newcommand: "newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd "
            "providerobustcmd newcommandx renewcommandx",
            self._document_command: "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand "
            "DeclareDocumentCommand NewExpandableDocumentCommand",
            self._def: "def edef gdef xdef",
            self._let: "let",
            self._operator: "DeclareMathOperator",
            self._symbol: "DeclareMathSymbol",
            self._operator_alias: "DeclareMathAlphabet DeclareSymbolFont DeclareFontFamily",
            self._delimiter: "DeclarePairedDelimiter DeclarePairedDelimiters",
            self._delimiter_x: "DeclarePairedDelimiterX DeclarePairedDelimiterXPP DeclarePairedDelimitersX "
            "DeclarePairedDelimitersXPP",
            self._arrow: "Newextarrow",
            self._box: "MakeAboxedCommand",
            self._unit: "DeclareSIUnit",
            self._newenvironment: "newenvironment renewenvironment provideenvironment",
            self._document_environment: "NewDocumentEnvironment RenewDocumentEnvironment DeclareDocumentEnvironment",
            lambda _: expander.make_global(): "global",
        })

    # commands --------------------------------------------------------------------------------------------------

    def _newcommand(self, command: str) -> None:
        reader = self.expander
        reader.star()
        has_overlay = self._has_overlay()
        name = reader.control_word()
        count = number_of(reader.optional())
        default = reader.optional() if count else None
        body = reader.group()
        if name is None or body is None:
            self._incomplete(command)
            return
        if command.startswith("\\provide") and name in reader.macros:
            return
        macro = Macro(counted_arguments(count, default), reader.body_of(body))
        reader.define(name, with_overlay(macro) if has_overlay else macro)

    def _has_overlay(self) -> bool:
        """Whether a definition is one of Beamer's for commands that an overlay may follow (``\\newcommand<>``)."""
        token = self.expander.skip_spaces() or ""
        has_overlay = token.startswith("<>")
        self.expander.stream.push([token.removeprefix("<>")] if token.removeprefix("<>") else [])
        return has_overlay

    def _document_command(self, command: str) -> None:
        reader = self.expander
        name, specification, body = reader.control_word(), reader.group(), reader.group()
        if name is None or specification is None or body is None:
            self._incomplete(command)
            return
        arguments = self.specified(specification)
        if arguments is None:
            reader.report(f"the arguments of {name} are of a kind that is not read; it stays unexpanded")
        elif not (command.startswith("\\Provide") and name in reader.macros):
            reader.define(name, Macro(arguments, reader.body_of(body)))

    def _def(self, command: str) -> None:
        reader = self.expander
        name = reader.defined_name()
        if name is None or name[0] != "\\":
            self._incomplete(command)
            reader.stream.push([name] if name is not None else [])
            return
        parameters: list[str] = []
        while (token := reader.stream.next()) is not None and token != "{":
            parameters.append(token)
            if token in ("}", EOF_TOKEN) or len(parameters) > 200:  # no definition
                self._incomplete(command)
                reader.stream.push(parameters)
                return
        if token is None:
            self._incomplete(command)
            return
        if parameters:  # TeX drops the blanks after a control word
            parameters = list(filter(None, [parameters[0].lstrip(" "), *parameters[1:]]))
        parameters = [" " if token.isspace() and token != PAR else token for token in parameters]
        reader.stream.push([token])
        body = reader.group()
        if body is not None:
            everywhere = command in ("\\gdef", "\\xdef")
            if command in ("\\edef", "\\xdef"):
                body = self.expanded(body)
            macro = Macro(delimited_arguments(reader.body_of(parameters)), reader.body_of(body))
            reader.define(name, macro, everywhere=everywhere)

    def expanded(self, body: list[str]) -> list[str]:
        """The body of an ``\\edef``; expanding it when it is used gives the same unless what it uses has changed."""
        return body

    def _let(self, command: str) -> None:
        reader = self.expander
        name = reader.defined_name()
        if name is None or name[0] != "\\":
            self._incomplete(command)
            reader.stream.push([name] if name else [])
            return
        target = reader.skip_spaces()
        if target is not None and target[0] == "=":
            reader.stream.push([target[1:]])
            target = reader.skip_spaces()
        if target is None or target == EOF_TOKEN:
            self._incomplete(command)
            reader.stream.push([target] if target else [])
            return
        if target[0] == "\\":
            frozen = target if target in reader.primitives else "\0" + target
            meaning = reader.macro_of(target) or Macro((), (frozen,))
        else:
            reader.stream.push([target[1:]])
            meaning = Macro((), (target[0],))
        reader.define(name, meaning)

    def _operator(self, command: str) -> None:
        reader = self.expander
        star = ["*"] if reader.star() else []
        name, text = reader.control_word(), reader.group()
        if name is None or text is None:
            self._incomplete(command)
        else:
            reader.define(name, Macro((), ("\\operatorname", *star, "{", *text, "}")))

    def _symbol(self, command: str) -> None:
        """A symbol that is a character of a font; of one that has only a number there, the name is kept."""
        reader = self.expander
        name, _, _, place = reader.control_word(), reader.group(), reader.group(), join(reader.group() or [])
        if name is not None and len(place) == 2 and place[0] == "`":
            reader.define(name, Macro((), self.ordinary(place[1])))

    def ordinary(self, character: str) -> tuple[str, ...]:
        """A body that is this character of a font, whatever it stands for when a source writes it."""
        return (character,)

    def _operator_alias(self, command: str) -> None:
        counts = {"\\DeclareMathAlphabet": 5, "\\DeclareSymbolFont": 5}
        for _ in range(counts.get(command, 3)):
            self.expander.group()

    def _delimiter(self, command: str) -> None:
        reader = self.expander
        name, left, right = reader.control_word(), reader.group(), reader.group()
        if name is None or left is None or right is None:
            self._incomplete(command)
        else:
            reader.define(name, paired_delimiter(1, left, (1,), right))

    def _delimiter_x(self, command: str) -> None:
        reader = self.expander
        name = reader.control_word()
        count = number_of(reader.optional()) or 1
        before = (reader.group() or []) if command.endswith("XPP") else []
        left, right = reader.group() or [], reader.group() or []
        after = (reader.group() or []) if command.endswith("XPP") else []
        body = reader.group() or []
        if name is None:
            self._incomplete(command)
        else:
            inner = tuple(part for part in reader.body_of(body) if part != "\\delimsize")
            around = reader.body_of(before), reader.body_of(after)
            reader.define(name, paired_delimiter(count, left, inner, right, *around))

    def _unit(self, command: str) -> None:
        reader = self.expander
        reader.optional()
        name, symbol = reader.control_word(), reader.group()
        if name is None or symbol is None:
            self._incomplete(command)
        else:
            reader.define(name, Macro((), tuple(symbol)))

    def _arrow(self, command: str) -> None:
        """``\\Newextarrow{\\name}{left,right}{0x21C0}`` of MathJax's extpfeil: an arrow with notes above and below."""
        reader = self.expander
        name, space, code = reader.control_word(), reader.group(), join(reader.group() or []).strip()
        match = _CHARACTER_CODE.fullmatch(code)
        if name is None or space is None or match is None:
            self._incomplete(command)
            return
        arrow = chr(int(match[1], 16) if match[1] else int(code))
        body = rf"\overset{{#2}}{{\IfValueTF{{#1}}{{\underset{{#1}}{{{arrow}}}}}{{{arrow}}}}}"
        arguments = (Argument("optional", (NO_VALUE,)), MANDATORY)
        reader.define(name, Macro(arguments, reader.body_of(reader.tokenize(body))))

    def _box(self, command: str) -> None:
        """``\\MakeAboxedCommand\\name\\box`` of mathtools: a box around an aligned line, as ``\\Aboxed``."""
        reader = self.expander
        reader.star()
        name, box = reader.control_word(), reader.control_word()
        if name is None or box is None:
            self._incomplete(command)
        else:
            reader.define(name, Macro((MANDATORY,), (1,)))

    # environments ----------------------------------------------------------------------------------------------

    def _newenvironment(self, command: str) -> None:
        reader = self.expander
        reader.star()
        self._has_overlay()
        name = reader.name()
        count = number_of(reader.optional())
        default = reader.optional() if count else None
        begin, end = reader.group(), reader.group()
        if not name or begin is None or end is None:
            self._incomplete(command)
        else:
            self.define_environment(name, counted_arguments(count, default), begin, (), end)

    def _document_environment(self, command: str) -> None:
        reader = self.expander
        name, specification, begin, end = reader.name(), reader.group(), reader.group(), reader.group()
        if not name or specification is None or begin is None or end is None:
            self._incomplete(command)
            return
        arguments = self.specified(specification)
        if arguments is None:
            reader.report(f"the arguments of {name} are of a kind that is not read; it stays as it is")
        else:
            self.define_environment(name, arguments, begin, arguments, end)

    def _incomplete(self, command: str) -> None:
        """Reports a definition without its parts; in the code of classes and styles they may be made elsewhere."""
        if not self.expander.in_class:
            self.expander.report(f"{command} without a name or a replacement")

    def define_environment(
        self, name: str, arguments: tuple[Argument, ...], begin: list[str], end_arguments: tuple[Argument, ...],
        end: list[str],
    ) -> None:
        """Remembers an environment."""
        environment = Environment(
            Macro(arguments, self.expander.body_of(begin)), Macro(end_arguments, self.expander.body_of(end))
        )
        self.expander.environments = {**self.expander.environments, name: environment}

    def specified(self, tokens: list[str]) -> tuple[Argument, ...] | None:
        """The arguments that a specification in the notation of xparse names; None where one is of an unknown kind."""
        return specified_arguments(join(tokens), self.expander.tokenize)


def number_of(tokens: list[str] | None) -> int:
    """The number of arguments that a definition gives in brackets, at most 9."""
    text = join(tokens or []).strip()
    return min(int(text), 9) if text.isascii() and text.isdigit() else 0
