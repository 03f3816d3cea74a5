"""What a declaration of any formal library has."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.corpus.formal.source import DocComment, Lines


@dataclass(slots=True)
class FormalDeclaration:
    """A declaration as it is written.

    ``name`` has the namespaces in it, and is empty where the declaration has none. ``statement`` is its signature, or
    the part of it that is written there; ``statement_lines`` says where that is in the file. ``names`` are other names
    that it has or had.
    """

    name: str
    kind: str
    start: int
    line: int
    statement: str = ""
    statement_lines: Lines = ()
    docstring: str | DocComment | None = None
    modifiers: tuple[str, ...] = ()
    names: list[str] = field(default_factory=list)
