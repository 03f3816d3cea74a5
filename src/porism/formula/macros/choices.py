"""Choices that the body of a macro makes by its arguments: a star, an optional argument that is not there."""

from __future__ import annotations

from porism.formula.macros.expander import Expander
from porism.formula.macros.tokens import NO_VALUE, TRUE


def install_choices(expander: Expander) -> None:
    """Makes an expander carry out ``\\IfBooleanTF``, ``\\IfValueTF``, ``\\@ifstar`` and their variants."""

    def choose(holds: bool, command: str) -> None:
        first = expander.group()
        second = expander.group() if command.endswith("TF") else None
        yes, no = (None, first) if command.endswith("F") and not command.endswith("TF") else (first, second)
        expander.stream.push((yes if holds else no) or [])

    def if_value(command: str) -> None:
        missing = NO_VALUE in (expander.group() or [])
        choose(missing == command.startswith("\\IfNo"), command)

    def if_boolean(command: str) -> None:
        choose(TRUE in (expander.group() or []), command)

    def if_star(command: str) -> None:
        yes, no = expander.group(), expander.group()
        if yes is not None and no is not None:
            expander.stream.push(yes if expander.star() else no)

    for ending in ("TF", "T", "F"):
        expander.primitives["\\IfBoolean" + ending] = if_boolean
        expander.primitives["\\IfValue" + ending] = expander.primitives["\\IfNoValue" + ending] = if_value
    expander.primitives["\\@ifstar"] = if_star
