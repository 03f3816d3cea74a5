"""Sections as columns of numbers within bounds.

Checksums show that a section is as written. Whether its numbers are valid positions is checked too, in one vectorised
pass when it is first read: a malicious file has checksums that agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container, ContainerSection, corrupt


def column(
    container: Container, name: str, dtype: Any, length: int | None = None, *, low: int | None = None,
    end: int | None = None,
) -> NDArray[Any]:
    """A flat section of this dtype (or of one of several) and length, with numbers from ``low`` to ``end - 1``."""
    array = container.array(name)
    _check_shape(container, name, array, dtype, length)
    key = (name, low, end)
    if key not in container.sound:
        _check_numbers(container, name, array, low, end)
        container.sound.add(key)
    return array


def byte_section(container: Container, name: str) -> ContainerSection:
    """A flat section of bytes, checked as it is read."""
    section = container.section(name)
    _check_shape(container, name, section.array, np.uint8, None)
    return section


def _check_shape(container: Container, name: str, array: NDArray[Any], dtype: Any, length: int | None) -> None:
    dtypes = dtype if isinstance(dtype, tuple) else (dtype,)
    if array.ndim != 1 or array.dtype not in [np.dtype(accepted) for accepted in dtypes]:
        raise damaged(container, name, f"{array.ndim} dimensions of {array.dtype}")
    if length is not None and len(array) != length:
        raise damaged(container, name, f"{len(array)} elements where {length} belong")


def _check_numbers(container: Container, name: str, numbers: NDArray[Any], low: int | None, end: int | None) -> None:
    if not numbers.size or (low is None and end is None):
        return
    least, most = int(numbers.min()), int(numbers.max())
    if (low is not None and least < low) or (end is not None and most >= end):
        raise damaged(container, name, f"numbers from {least} to {most} where {low} to below {end} belong")


class CheckedColumn:
    """A flat section of numbers whose parts are checked as they are read, by position, slice or positions."""

    def __init__(
        self, container: Container, name: str, dtype: Any, length: int | None = None, *, low: int | None = None,
        end: int | None = None,
    ) -> None:
        """Takes what :func:`column` takes."""
        self._section = container.section(name)
        _check_shape(container, name, self._section.array, dtype, length)
        self._container, self._name, self._low, self._end = container, name, low, end
        self._whole: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self._section.array)

    def __getitem__(self, where: Any) -> Any:
        """The numbers at a position, in a slice (of step 1) or at positions (integers, from 0)."""
        if self._whole is not None:
            return self._whole[where]
        if isinstance(where, slice):
            first, stop, _ = where.indices(len(self))
            begins, ends = np.array([first], np.int64), np.array([max(first, stop)], np.int64)
        else:
            begins = np.atleast_1d(np.asarray(where)).astype(np.int64)
            ends = begins + 1
        self._section.require(begins, ends)
        numbers = self._section.array[where]
        self._check(np.asarray(numbers))
        return numbers

    def all(self) -> NDArray[Any]:
        """All numbers."""
        if self._whole is None:
            whole = self._section.all()
            self._check(whole)
            self._whole = whole
        return self._whole

    def _check(self, numbers: NDArray[Any]) -> None:
        _check_numbers(self._container, self._name, numbers, self._low, self._end)


def starts(container: Container, name: str, dtype: Any, end: int, length: int | None = None) -> NDArray[Any]:
    """A flat section of non-decreasing bounds from 0 to ``end``; ``length`` is the number of parts, if known."""
    array = column(container, name, dtype, None if length is None else length + 1)
    key = (name, "starts", end)
    if key not in container.sound:
        if not are_starts(array, end):
            raise damaged(container, name, f"no bounds of {end} elements")
        container.sound.add(key)
    return array


def are_starts(array: NDArray[Any], end: int) -> bool:
    """Whether numbers are non-decreasing bounds from 0 to ``end``."""
    return (len(array) > 0 and int(array[0]) == 0 and int(array[-1]) == end and bool((array[1:] >= array[:-1]).all()))


def within(values: NDArray[np.integer], low: int, end: int) -> bool:
    """Whether all values are from ``low`` to ``end - 1``."""
    return not len(values) or bool(values.min() >= low and values.max() < end)


def damaged(container: Container, name: str, reason: str) -> Exception:
    """The error for a section with invalid numbers."""
    return corrupt(f"has changed in section {name!r} ({reason})", container.path)
