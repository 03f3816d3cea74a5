"""The state of the LaTeX reader between two sections: what it depends on, as a digest, and what changes it.

Where a section has just begun and nothing is open, the reader's state is small: definitions, the path of sections, the
files that are open, and what their units have been called so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import xxhash

from porism.corpus.latex.definitions import Theorem
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.latex.tokens import FUEL_CAPACITY
from porism.corpus.units import Unit
from porism.formula.macros.definition import Argument, Environment, Macro
from porism.types import Content, Formula

_VERSION = 4
"""To be raised when the same source gives other documents: what was remembered before does not count then."""

_FORGIVEN = 200
"""So many tokens of expansion that are not yet paid for are forgiven between two sections."""

Tables = dict[str, dict[str, Any]]
"""Kind of definition → name → definition."""


def is_simple(machine: LatexStructure) -> bool:
    """Whether the state is that of a section that has just begun, with nothing else open or half read.

    What little expansions have cost is forgiven then, so that the cost of earlier sections is not part of the state.
    """
    expander, stream = machine.expander, machine.expander.stream
    frames = stream.files_only()
    if (
        not machine.is_at_beginning_of_section or machine.preamble or machine.inline or machine.opened
        or expander.depth or expander.math or expander.in_class or expander.is_defining_globally
        or machine.store.waits or frames is None or frames != machine.files
        or any(frame.has_missed or frame.is_repeated for frame in frames) or stream.fuel < FUEL_CAPACITY - _FORGIVEN
    ):
        return False
    stream.fuel = FUEL_CAPACITY
    return True


def tables_of(machine: LatexStructure) -> Tables:
    """The definitions of a project, as they are now."""
    return {kind: dict(table) for kind, table in _tables(machine).items()}


def _tables(machine: LatexStructure) -> Tables:
    expander = machine.expander
    return {
        "macros": expander.macros, "environments": expander.environments, "theorems": machine.declarations.theorems,
        "shorthands": expander.shorthands,
    }


class StateDigests:
    """Digests of the states of one reader; of each definition it is computed once.

    :param beside: what else the documents depend on.
    """

    def __init__(self, machine: LatexStructure, beside: str) -> None:
        self._machine, self._beside = machine, beside
        self._known: dict[tuple[str, str], tuple[Any, int]] = {}

    def digest(self) -> str:
        """The digest of the state, which must be simple; the positions in the open files are not part of it."""
        machine = self._machine
        state = [
            _VERSION, self._beside, self._definitions(), sorted(machine.expander.exhausted),
            list(machine.conditionals.flags.items()), content_to_json(machine.document_title),
            path_to_json(machine.path),
            [(frame.name, frame.is_class, *frame.state) for frame in machine.files],
            [_sorted(machine.store.counted(frame.name)) for frame in machine.files],
        ]
        return xxhash.xxh3_128_hexdigest(repr(state).encode("utf-8", "surrogatepass"))

    def _definitions(self) -> list[int]:
        sums = []
        for kind, table in tables_of(self._machine).items():
            total = 0
            for name, value in table.items():
                known = self._known.get((kind, name))
                if known is None or known[0] is not value:
                    text = repr((name, value)).encode("utf-8", "surrogatepass")
                    known = self._known[kind, name] = value, xxhash.xxh3_128_intdigest(text)
                total += known[1]
            sums.append(total % (1 << 128))
        return sums


def _sorted(counted: tuple[dict[str, int], list[str]]) -> tuple[list[tuple[str, int]], list[str]]:
    return sorted(counted[0].items()), counted[1]


def definitions_changed(before: Tables, now: Tables) -> dict[str, dict[str, Any]]:
    """What was defined or has lost its meaning, as plain values, by name: however the state came about, it is written
    alike."""
    changed: dict[str, dict[str, Any]] = {}
    for kind, table in now.items():
        old = before[kind]
        entries: dict[str, Any] = {name: _to_json(value) for name, value in table.items() if old.get(name) != value}
        entries.update({name: None for name in old if name not in table})
        if entries:
            changed[kind] = dict(sorted(entries.items()))
    return changed


def redefine(machine: LatexStructure, changed: Mapping[str, Mapping[str, Any]]) -> None:
    """Carries out what :func:`definitions_changed` gave."""
    tables = _tables(machine)
    for kind, entries in changed.items():
        for name, value in entries.items():
            if value is None:
                tables[kind].pop(name, None)
            else:
                tables[kind][name] = _READ[kind](value)


def _macro_to_json(macro: Macro) -> list[Any]:
    return [[[argument.kind, argument.tokens] for argument in macro.arguments], macro.body]


def _macro(value: Sequence[Any]) -> Macro:
    return Macro(tuple(Argument(kind, tuple(tokens)) for kind, tokens in value[0]), tuple(value[1]))


def _to_json(value: Macro | Environment | Theorem) -> list[Any]:
    if isinstance(value, Macro):
        return _macro_to_json(value)
    if isinstance(value, Environment):
        return [_macro_to_json(value.begin), _macro_to_json(value.end)]
    return [value.printed, value.tcolorbox]


_READ: dict[str, Any] = {
    "macros": _macro, "environments": lambda value: Environment(_macro(value[0]), _macro(value[1])),
    "theorems": lambda value: Theorem(*value), "shorthands": _macro,
}


def content_to_json(content: Content | None) -> list[Any] | None:
    """Content as plain values."""
    if content is None:
        return None
    return [content.text, [list(astuple(formula)) for formula in content.formulas]]


def path_to_json(path: Sequence[tuple[int, Content]]) -> list[Any]:
    """The headings above a place, each with its level, as plain values."""
    return [[level, content_to_json(title)] for level, title in path]


def path_from_json(value: Sequence[Any]) -> list[tuple[int, Content]]:
    """The inverse of :func:`path_to_json`."""
    return [(level, Content(title[0], tuple(Formula(*entry) for entry in title[1]))) for level, title in value]


def go_on(machine: LatexStructure, path: list[tuple[int, Content]], heading_lines: int) -> None:
    """Goes on as at the beginning of the section at the end of ``path``; its file is open and its units are counted.

    :param heading_lines: how many lines the heading goes on for after the one where it begins.
    """
    title = path[-1][1]
    frame = machine.files[-1]
    unit = Unit("section", frame.name, frame.line - heading_lines, tuple(heading for _, heading in path), title)
    unit.number = machine.store.counted(frame.name)[0]["section"]
    machine.go_on(path, unit)
