"""What steers TeX's expansion: ``\\csname``, ``\\expandafter``, the small macros of LaTeX's kernel."""

from __future__ import annotations

from porism.corpus.latex.conditionals import Conditionals
from porism.corpus.latex.macros import ProjectExpander
from porism.formula.macros.definition import MANDATORY, Macro, body_of
from porism.formula.macros.tokens import EOF_TOKEN, NO_VALUE, join

_KERNEL = {
    "@empty": (0, ""), "empty": (0, ""), "@firstofone": (1, "#1"), "@iden": (1, "#1"), "@firstoftwo": (2, "#1"),
    "@secondoftwo": (2, "#2"), "@gobble": (1, ""), "@gobbletwo": (2, ""), "unexpanded": (1, "#1"),
    "subfix": (1, "#1"), "@nameuse": (1, "\\csname #1\\endcsname"),
    "@namedef": (1, "\\expandafter\\def\\csname #1\\endcsname"), "csuse": (1, "\\csname #1\\endcsname"),
}  # fmt: skip
"""Macros of LaTeX that projects build on: how many arguments they take, and what they stand for."""


class Expansion:
    """Carries out what steers expansion; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander, conditionals: Conditionals) -> None:
        self.expander, self._conditionals = expander, conditionals
        for handler, name in (
            (self._csname, "csname"), (self._expandafter, "expandafter"), (self._if_undefined, "@ifundefined"),
            (self._in_preamble, "AtBeginDocument"), (self._number, "number"),
            (self._detokenize, "detokenize"), (self._doubled_argument, "@dblarg"),
            (self._future_let, "futurelet"),
        ):  # fmt: skip
            expander.primitives["\\" + name] = handler
        expander.expandable.update(["\\csname", "\\expandafter", "\\@ifundefined", "\\number", "\\detokenize"])
        for name, (count, body) in _KERNEL.items():
            expander.macros["\\" + name] = Macro((MANDATORY,) * count, body_of(expander.tokenize(body)))

    def _csname(self, command: str) -> None:
        parts: list[str] = []
        stream = self.expander.stream
        while (token := self.expander.next_expanded()) is not None and token != "\\endcsname":
            parts.append(token)
            if token in ("{", "}", EOF_TOKEN) or token[0] == "\\" or len(parts) > 100:
                stream.push(parts)
                return
        stream.push(["\\" + "".join(part for part in parts if part != NO_VALUE).strip()])

    def _expandafter(self, command: str) -> None:
        """Expands the token after the next one, or after a chain of such commands, once."""
        stream = self.expander.stream
        held: list[str] = []
        while (token := stream.next()) is not None and token != EOF_TOKEN:
            held.append(token)
            following = stream.next()
            if following == "\\expandafter":
                stream.fuel -= 1
                continue
            if following is not None and not self.expander.expand_once(following):
                stream.push([following])
            stream.push(held)
            return
        stream.push([*held, token] if token else held)

    def _if_undefined(self, command: str) -> None:
        name = "\\" + join(self.expander.expanded(self.expander.group() or [])).strip()
        self._conditionals.choose(not self._conditionals.conditions.is_defined(name))

    def _in_preamble(self, command: str) -> None:
        """What is to be done where the document begins is done at once: it defines, as nothing in a preamble prints."""
        self.expander.stream.push(self.expander.group() or [])

    def _doubled_argument(self, command: str) -> None:
        """``\\@dblarg\\foo{x}`` is ``\\foo[x]{x}``."""
        reader = self.expander
        called = reader.group() or []
        if not reader.follows("[") and (argument := reader.group()) is not None:
            called = [*called, "[", *argument, "]", "{", *argument, "}"]
        reader.stream.push(called)

    def _future_let(self, command: str) -> None:
        """``\\futurelet\\next\\test x`` is ``\\let\\next=x \\test x``."""
        reader = self.expander
        name, test, following = reader.skip_spaces(), reader.skip_spaces(), reader.stream.next()
        if name is not None and test is not None and following is not None:
            first, *rest = reader.split(following)
            reader.stream.push(["\\let", name, "=", first, test, first, *rest])

    def _detokenize(self, command: str) -> None:
        """``\\detokenize{…}``: characters, also where they look like a command."""
        text = join(self.expander.group() or [])
        self.expander.stream.push([f" {text}" if text[:1] == "\\" else text] if text else [])

    def _number(self, command: str) -> None:
        number = self._conditionals.conditions.number()
        self.expander.stream.push([] if number is None else [str(number)])
