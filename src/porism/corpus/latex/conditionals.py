"""The part of TeX's machinery that decides what is read: conditionals, ``\\csname``, looking ahead for a star."""

from __future__ import annotations

from collections.abc import Callable

from porism.corpus.latex.macros import Expander
from porism.corpus.latex.tables import words
from porism.formula.macros.choices import install_choices
from porism.formula.macros.tokens import EOF_TOKEN, PAR, join

_CONDITIONALS = words(
    "\\if \\ifx \\ifnum \\ifdim \\ifodd \\ifcase \\ifcat \\ifhmode \\ifvmode \\ifinner \\ifhbox \\ifvbox \\ifvoid "
    "\\ifeof \\ifdefined \\ifcsname \\iftrue \\iffalse \\ifmmode \\if@twocolumn \\if@twoside"
)

_SAME = {"\\bgroup": "{", "\\egroup": "}", "\\@sptoken": " ", "\\par": PAR}
"""Control sequences that stand for a character."""


class Conditionals:
    """Carries out conditionals and what else steers expansion; installs itself in an expander.

    A condition that only a typesetter could evaluate counts as false.
    """

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        self.flags: dict[str, bool] = {}
        """Each ``\\newif`` and its value, in the order of the declarations."""
        commands = {
            self._newif: "newif",
            self._csname: "csname",
            self._expandafter: "expandafter",
            self._if_next: "@ifnextchar",
            self._at_letter: "makeatletter makeatother ExplSyntaxOn ExplSyntaxOff",
            self._ignore: "relax protect long protected xspace leavevmode ignorespaces unskip nobreak allowbreak "
            "noexpand unexpanded fi",
            self._else: "else or",
        }
        for handler, names in commands.items():
            for name in names.split():
                expander.primitives["\\" + name] = handler
        install_choices(expander)
        for name in _CONDITIONALS:
            expander.primitives[name] = self._conditional

    def _newif(self, command: str) -> None:
        name = self.expander.skip_spaces() or ""
        if not name.startswith("\\if"):
            return
        self.flags.pop(name, None)
        self.flags[name] = False
        primitives = self.expander.primitives
        primitives[name] = self._conditional
        stem = name[3:]
        for suffix, value in (("true", True), ("false", False)):
            primitives[f"\\{stem}{suffix}"] = self._setter(name, value)

    def _setter(self, name: str, value: bool) -> Callable[[str], None]:
        def put(_: str) -> None:
            self.flags[name] = value

        return put

    def _conditional(self, command: str) -> None:
        """Takes the branch of a condition that can be evaluated, and the ``\\else`` branch of any other."""
        if command == "\\ifmmode":
            holds = self.expander.math
        elif command == "\\ifdefined":
            holds = (self.expander.skip_spaces() or "") in self.expander.macros
        else:
            holds = command == "\\iftrue" or self.flags.get(command, False)
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

    def _if_next(self, command: str) -> None:
        reader = self.expander
        wanted, yes, no = reader.skip_spaces(), reader.group(), reader.group()
        token = reader.skip_spaces()
        if token is not None:
            reader.stream.push([token])
        wanted = _SAME.get(wanted or "", wanted)
        if wanted and yes is not None and no is not None:
            reader.stream.push(yes if token is not None and token.startswith(wanted) else no)

    def _at_letter(self, command: str) -> None:
        file = self.expander.stream.file
        if file is not None:
            file.at_letter = command in ("\\makeatletter", "\\ExplSyntaxOn")

    def _ignore(self, command: str) -> None:
        return
