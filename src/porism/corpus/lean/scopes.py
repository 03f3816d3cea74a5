"""The scopes of a Lean file: namespaces and sections, and what is open and bound in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from porism.corpus.formal.binders import Binder, Variables
from porism.corpus.lean.names import full_name

MAX_DEPTH = 200
"""So many scopes are looked through for the one that ends."""

ONE_COMMAND = "in"
"""The kind of a scope that holds for the next command alone: ``open Nat in``."""


class _Scope(NamedTuple):
    """A scope, and what was known before it."""

    kind: str
    name: str
    namespace: str
    opened: tuple[str, ...]
    variables: Variables
    included: frozenset[str]
    instances: tuple[str, ...]


class Scopes:
    """The open scopes at one place of a file.

    ``opened`` has the namespaces that are open, ``variables`` what is bound, ``included`` the names of variables that
    every theorem has, and ``instances`` the names of declarations that are instances here.
    """

    def __init__(self) -> None:
        self._stack: list[_Scope] = []
        self.opened: tuple[str, ...] = ()
        self.variables = Variables()
        self.included: frozenset[str] = frozenset()
        self.instances: tuple[str, ...] = ()
        self.namespace = ""

    def enter(self, kind: str, names: Sequence[str] = ()) -> None:
        """Begins a scope; of a name with dots, one for each part."""
        for name in names or ("",):
            known = (self.namespace, self.opened, self.variables, self.included, self.instances)
            self._stack.append(_Scope(kind, name, *known))
            if kind == "namespace":
                self.namespace = full_name(self.namespace, name)

    def leave(self, names: Sequence[str] = ()) -> str | None:
        """Ends scopes; what is wrong with that, if anything."""
        wanted = list(names) or [""]
        if not self._stack:
            return "ends a scope that does not begin"
        opened = [scope.name for scope in self._stack[-MAX_DEPTH:]]
        outer = len(self._stack) - len(opened)
        for depth in range(len(opened) - len(wanted), -1, -1):
            if opened[depth : depth + len(wanted)] == wanted:
                self._cut(outer + depth)
                if depth + len(wanted) == len(opened):
                    return None
                return f"ends {'.'.join(names) or 'a scope'} where {opened[-1] or 'another scope'} is open"
        return f"ends {'.'.join(names) or 'a scope without a name'}, which does not begin"

    def leave_command(self) -> None:
        """Ends what held for one command."""
        depth = len(self._stack)
        while depth and self._stack[depth - 1].kind == ONE_COMMAND:
            depth -= 1
        if depth < len(self._stack):
            self._cut(depth)

    def open(self, names: Iterable[str]) -> None:
        """Opens namespaces."""
        self.opened = tuple(dict.fromkeys((*self.opened, *names)))

    def use_instances(self, names: Iterable[str]) -> None:
        """Makes declarations instances."""
        self.instances = tuple(dict.fromkeys((*self.instances, *names)))

    def bind(self, binders: Sequence[Binder]) -> None:
        """Binds variables."""
        self.variables = self.variables.bind(binders)

    def include(self, names: Iterable[str]) -> None:
        """Gives every theorem these variables."""
        self.included |= frozenset(names)

    def omit(self, binders: Sequence[Binder]) -> None:
        """Takes variables away from theorems that do not name them."""
        self.included -= {binder.name for binder in binders}
        self.variables = self.variables.omit(binders)

    def _cut(self, depth: int) -> None:
        scope = self._stack[depth]
        self.namespace, self.opened, self.variables, self.included, self.instances = scope[2:]
        del self._stack[depth:]
