"""The definitions that hold in a Typst file: values, functions, and theorem-like functions of packages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from porism.corpus.sections import kind_of
from porism.corpus.typst.nodes import Brackets, Let, Name, Node, String, Text, TypstArgument, TypstCall
from porism.corpus.typst.tables import CONSTRUCTORS

_SUFFIXES = ("-box", "_box", "-block", "-env")


class Definition(NamedTuple):
    """A value, or a function of parameters with their defaults."""

    parameters: dict[str, list[Node]] | None
    positional: tuple[str, ...]
    value: list[Node]


class Scope:
    """Names and what they stand for."""

    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}
        self.kinds: dict[str, str] = {}
        """Theorem-like functions → the kind of document that they make."""

    def define(self, let: Let) -> None:
        """Carries out a definition."""
        for name in let.names:
            kind = _constructed(name, let.value) if let.parameters is None else None
            if kind is not None:
                self.kinds[name] = kind
        if len(let.names) == 1:
            self.definitions[let.names[0]] = _definition(let)

    def take_over(self, other: Scope, renamed: dict[str, str]) -> None:
        """Imports the definitions of a file."""
        for name, definition in other.definitions.items():
            self.definitions[renamed.get(name, name)] = definition
        for name, kind in other.kinds.items():
            self.kinds[renamed.get(name, name)] = kind

    def find(self, name: str) -> Definition | None:
        """The definition of a name, which may have that of its module before it."""
        return self.definitions.get(name) or self.definitions.get(name.rpartition(".")[2])

    def kind(self, name: str) -> str | None:
        """The kind of theorem-like document, or ``proof``, that a function makes; None for any other function."""
        last = name.rpartition(".")[2]
        for suffix in _SUFFIXES:
            last = last.removesuffix(suffix)
        return self.kinds.get(name) or self.kinds.get(last) or kind_of(last)


def _definition(let: Let) -> Definition:
    if let.parameters is None:
        return Definition(None, (), let.value)
    parameters: dict[str, list[Node]] = {}
    positional: list[str] = []
    for parameter in let.parameters:
        if parameter.name:
            parameters[parameter.name] = parameter.values
        elif parameter.values and isinstance(parameter.values[0], Name):
            positional.append(parameter.values[0].name)
            parameters[parameter.values[0].name] = []
    return Definition(parameters, tuple(positional), let.value)


def _constructed(name: str, value: list[Node]) -> str | None:
    """The kind that a function makes which another function has made: ``thmbox("lemma", "Lemma")``."""
    call = value[0] if value else None
    while isinstance(call, TypstCall) and call.callee is not None:
        call = call.callee
    if not isinstance(call, TypstCall):
        return None
    said = [text.strip() for argument in call.arguments for text in _strings(argument)]
    for text in (name, *reversed(said)):  # the head comes after the counter: thmbox("theorem", "Lemma")
        if (kind := kind_of(text.split()[0].lower()) if text else None) is not None:
            return kind
    if call.name.rpartition(".")[2] not in CONSTRUCTORS:
        return None
    return "proof" if "proof" in call.name else said[-1].lower() if said and said[-1] else None


def _strings(argument: TypstArgument) -> Iterator[str]:
    for node in argument.values:
        if isinstance(node, String):
            yield node.text
        elif isinstance(node, Brackets):
            yield "".join(part.text for part in node.nodes if isinstance(part, Text))
