"""Which declarations names mean: namespaces and what is open, as far as the text of a project tells.

Names of Lean's own library are not declared in a project, so that they mean nothing here. A name that several open
namespaces have may mean any of them: Lean would decide by types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from porism.corpus.lean.names import namespace_part

_ROOT = "_root_."


class Resolved(NamedTuple):
    """The full names that a name may mean, and what is written behind them, as ``.symm`` is."""

    names: tuple[str, ...]
    rest: str = ""


NOTHING = Resolved(())


class DeclaredNames:
    """The names that a collection declares.

    :param protection: of a full name whether it is protected, so that its last part alone does not mean it; None
        where nothing of this name is declared.
    """

    def __init__(self, protection: Callable[[str], bool | None]) -> None:
        self._protection = protection
        self._remembered = lru_cache(maxsize=200_000)(self._resolve)

    def resolve(self, written: str, namespace: str, opened: tuple[str, ...]) -> Resolved:
        """What a name means in a declaration of this namespace."""
        return self._remembered(written, namespace, opened)

    def _resolve(self, written: str, namespace: str, opened: tuple[str, ...]) -> Resolved:
        rest = ""
        name = written
        while name:
            names = tuple(self._meanings(name, namespace, opened))
            if names:
                return Resolved(names, rest)
            name, dot, last = name.rpartition(".")
            rest = f"{dot}{last}{rest}"
        return NOTHING

    def _meanings(self, name: str, namespace: str, opened: tuple[str, ...]) -> Iterable[str]:
        if name.startswith(_ROOT):
            full = name.removeprefix(_ROOT)
            return () if self._protection(full) is None else (full,)
        inner = next((full for space in _outwards(namespace) if self._means(name, full := f"{space}.{name}")), None)
        if inner is not None:
            return (inner,)
        opened_names = (f"{space}.{name}" for space in _opened_spaces(namespace, opened))
        meanings = [full for full in opened_names if self._means(name, full)]
        return dict.fromkeys(meanings if self._protection(name) is None else [name, *meanings])

    def _means(self, name: str, full: str) -> bool:
        """Whether a name may mean this declaration where its namespace is open."""
        protected = self._protection(full)
        return protected is not None and not (protected and "." not in name)


def _outwards(namespace: str) -> Iterator[str]:
    """A namespace and those around it, the innermost first."""
    while namespace:
        yield namespace
        namespace = namespace_part(namespace)


@lru_cache(maxsize=10_000)
def _opened_spaces(namespace: str, opened: tuple[str, ...]) -> tuple[str, ...]:
    """What ``open`` may mean: each name alone, and in the namespaces around the declaration."""
    around = ["", *(f"{space}." for space in _outwards(namespace))]
    return tuple(dict.fromkeys(f"{outer}{space}" for space in opened for outer in around))
