"""Attributes that are computed when they are first used, and a bounded cache that several threads share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar, overload

from porism.system.concurrency.locks import Lock

T = TypeVar("T")


class cached_property(Generic[T]):
    """``functools.cached_property`` without a lock, on every version of Python.

    Before Python 3.12 that one holds a lock while it computes. If another thread forks the process meanwhile, the child
    waits for the lock forever. Here two threads may both compute the value, which must be the same; the first to store
    it wins.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> cached_property[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value


V = TypeVar("V")


class Memory(Generic[V]):
    """A cache of the ``most`` values used last. Two threads may compute the same value at the same time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, compute: Callable[[], V]) -> V:
        """The value of a key, computed if it is not cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute()
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
