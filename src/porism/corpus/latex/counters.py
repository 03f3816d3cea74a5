"""LaTeX's counters, as far as only the source steps them: those that a project declares and that nothing resets."""

from __future__ import annotations

from porism.corpus.latex.conditions import Conditions
from porism.corpus.latex.macros import ProjectExpander
from porism.formula.macros.definition import Macro, body_of

_VALUE = "\\c@"
"""Before the name of a counter: the macro that holds its value, so that updates remember it as they do all macros."""


class Counters:
    """Follows ``\\newcounter``, ``\\setcounter`` and their like; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander, conditions: Conditions) -> None:
        self.expander, self._conditions = expander, conditions
        expander.install({
            self._declare: "newcounter", self._set: "setcounter addtocounter",
            self._step: "stepcounter refstepcounter", self._print: "value arabic",
        })
        expander.expandable.update(["\\value", "\\arabic"])

    def _declare(self, command: str) -> None:
        name, within = self.expander.expanded_name(), self.expander.optional()
        if name and within is None:
            self._put(name, 0)
            self.expander.define(f"\\the{name}", Macro((), body_of(["\\arabic", "{", name, "}"])), everywhere=True)

    def _set(self, command: str) -> None:
        name, number = self.expander.expanded_name(), self._number()
        value = self._value(name)
        if value is not None:
            self._put(name, None if number is None else number + (value if command == "\\addtocounter" else 0))

    def _step(self, command: str) -> None:
        name = self.expander.expanded_name()
        value = self._value(name)
        if value is not None:
            self._put(name, value + 1)

    def _print(self, command: str) -> None:
        """The value of a counter; of one that is not followed the command stays, with its argument."""
        name = self.expander.expanded_name()
        value = self._value(name)
        if value is not None:
            self.expander.stream.push([str(value)])
        elif name:
            self.expander.stream.push(["\0" + command, "{", name, "}"])

    def _number(self) -> int | None:
        frames = self.expander.stream.swap(self.expander.group() or [])
        try:
            return self._conditions.registers.number()
        finally:
            self.expander.stream.restore(frames)

    def _value(self, name: str) -> int | None:
        macro = self.expander.macros.get(_VALUE + name)
        text = macro.fixed[0] if macro is not None and macro.fixed else ""
        return int(text) if text.lstrip("-").isdecimal() else None

    def _put(self, name: str, value: int | None) -> None:
        """Counters are global; one whose value is not known is followed no more."""
        if value is None or abs(value) >= 10**9:
            self.expander.macros.pop(_VALUE + name, None)
        else:
            self.expander.define(_VALUE + name, Macro((), (str(value),)), everywhere=True)
