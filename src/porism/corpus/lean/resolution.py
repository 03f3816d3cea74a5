"""Which declarations names mean: namespaces and what is open, as far as the text of a project tells.

Names of Lean's own library are not declared in a project, so that they mean nothing here; and a name that several open
namespaces have means all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from porism.corpus.lean.names import namespace_part

_ROOT = "_root_."


class Resolved(NamedTuple):
    """What a name means: full names of declarations, and what is written behind their name, as ``.symm`` is."""

    names: tuple[str, ...]
    rest: str = ""


NOTHING = Resolved(())


class DeclaredNames:
    """The names that a collection declares.

    :param names: full name → whether it is protected, so that its last part alone does not mean it.
    """

    def __init__(self, names: Mapping[str, bool]) -> None:
        self._names = names
        self.roots = frozenset(name.partition(".")[0] for name in names if "." in name)
        """The outermost namespaces."""
        self._scoped = lru_cache(maxsize=500_000)(self._resolve)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def resolve(self, written: str, namespace: str, opened: tuple[str, ...]) -> Resolved:
        """What a name means in a declaration of this namespace."""
        return self._scoped(written, namespace, opened)

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
            return (full,) if full in self._names else ()
        short = "." not in name
        for space in _outwards(namespace):
            full = f"{space}.{name}"
            protected = self._names.get(full)
            if protected is not None and not (protected and short):
                return (full,)
        meanings = [name] if name in self._names else []
        for space in _opened_spaces(namespace, opened):
            full = f"{space}.{name}"
            protected = self._names.get(full)
            if protected is not None and not (protected and short):
                meanings.append(full)
        return dict.fromkeys(meanings)


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
