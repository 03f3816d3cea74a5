"""What is open while a plain formula is read: brackets, and names and signs that wait for their operands."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.formula.tables.structures import Structure

Group = tuple[int, int]
"""Indices of the brackets of an operand that are not seen in a script or a fraction."""

SCRIPT = Structure("", "", "}", 1)
"""What waits for the operand of ``^`` or ``_``."""


@dataclass(slots=True)
class Waiting:
    """A structure, or a script, that waits for operands; ``start`` is the index of its first token."""

    structure: Structure
    start: int
    remaining: int
    base: int = -1
    """The index of the first token of what it is put before, once it has its operands."""


@dataclass(slots=True)
class Division:
    """A ``/`` that may be a fraction: where the operand before it begins, its brackets, and where the sign is."""

    start: int
    group: Group | None
    is_free: bool
    """Whether nothing is multiplied with the operand before it."""
    sign: int
    denominator: int = -1
    """Where the operand after it begins; negative where none has begun."""


@dataclass(slots=True)
class PlainFrame:
    """The formula, or what is between two brackets of it."""

    opener: str = ""
    start: int = 0
    """The index of the opening bracket."""
    position: int = 0
    """Its offset into the source."""
    structure: Structure | None = None
    """What the brackets hold the arguments of."""
    placed: int = -1
    """Where the operand begins whose scripts are right over and under it: Typst's ``limits(x)``."""
    relation: int = -2
    """Where the last relation is that has its script over it: Typst's ``arrow.r^f``."""
    separators: int = 0
    """How many arguments have ended."""
    waiting: list[Waiting] = field(default_factory=list)
    operand: int = -1
    """Where the operand begins that was read last; negative after anything else."""
    group: Group | None = None
    """The brackets that are all of that operand."""
    is_free: bool = True
    """Whether nothing before the operand is multiplied with it."""
    is_loose: bool = True
    """Whether what was read last, if it is not an operand, is not multiplied with the next one."""
    extends: bool = False
    """Whether the next operand belongs to this one: ``sin x``."""
    division: Division | None = None
    is_named: bool = False
    """Whether that operand may be a function: a name, or brackets."""
    items: int = 0
    """How many operands and operators have been read, without commas."""
    groups: list[tuple[Group, list[int]]] = field(default_factory=list)
    """Brackets directly inside, each with the commas in it."""
    commas: list[int] = field(default_factory=list)
    semicolons: list[int] = field(default_factory=list)
