"""Sections as columns of numbers within bounds.

Checksums show that a section is as written. Whether its numbers are valid positions is checked too, in one vectorised
pass when it is first read: a malicious file has checksums that agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container, corrupt


def column(
    container: Container, name: str, dtype: Any, length: int | None = None, *, low: int | None = None,
    end: int | None = None,
) -> NDArray[Any]:
    """A flat section of this dtype (or of one of several) and length, with numbers from ``low`` to ``end - 1``.

    :raises IndexCorrupt: there is no such section, or it was changed.
    """
    array = container.array(name)
    dtypes = dtype if isinstance(dtype, tuple) else (dtype,)
    if array.ndim != 1 or array.dtype not in [np.dtype(accepted) for accepted in dtypes]:
        raise damaged(container, name, f"{array.ndim} dimensions of {array.dtype}")
    if length is not None and len(array) != length:
        raise damaged(container, name, f"{len(array)} elements where {length} belong")
    if (low is not None or end is not None) and len(array):
        key = (name, low, end)
        if key not in container.sound:
            least, most = int(array.min()), int(array.max())
            if (low is not None and least < low) or (end is not None and most >= end):
                raise outside(container, name, least, most, low, end)
            container.sound.add(key)
    return array


class Column:
    """A flat section of numbers whose parts are checked as they are read, by position, slice or positions."""

    def __init__(
        self, container: Container, name: str, dtype: Any, length: int | None = None, *, low: int | None = None,
        end: int | None = None,
    ) -> None:
        """Takes what :func:`column` takes.

        :raises IndexCorrupt: there is no such section, or it has another dtype or length.
        """
        section = container.section(name)
        if section.array.ndim != 1 or section.array.dtype != np.dtype(dtype):
            raise damaged(container, name, f"{section.array.ndim} dimensions of {section.array.dtype}")
        if length is not None and len(section.array) != length:
            raise damaged(container, name, f"{len(section.array)} elements where {length} belong")
        self._container, self._name, self._section = container, name, section
        self._low, self._end = low, end
        self._whole: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self._section.array)

    def __getitem__(self, where: Any) -> Any:
        """The numbers at a position, in a slice (of step 1) or at positions (integers, from 0).

        :raises IndexCorrupt: they were changed, or are out of bounds.
        """
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
        """All numbers.

        :raises IndexCorrupt: some were changed, or are out of bounds.
        """
        if self._whole is None:
            whole = self._section.all()
            self._check(whole)
            self._whole = whole
        return self._whole

    def _check(self, numbers: NDArray[Any]) -> None:
        if not numbers.size or (self._low is None and self._end is None):
            return
        least, most = int(numbers.min()), int(numbers.max())
        if (self._low is not None and least < self._low) or (self._end is not None and most >= self._end):
            raise outside(self._container, self._name, least, most, self._low, self._end)


def starts(container: Container, name: str, dtype: Any, end: int, length: int | None = None) -> NDArray[Any]:
    """A flat section of non-decreasing bounds from 0 to ``end``; ``length`` is the number of parts, if known.

    :raises IndexCorrupt: there is no such section, or it was changed.
    """
    array = column(container, name, dtype, None if length is None else length + 1)
    key = (name, "starts", end)
    if key not in container.sound:
        if not are_starts(array, end):
            raise damaged(container, name, f"no bounds of {end} elements")
        container.sound.add(key)
    return array


def are_starts(array: NDArray[Any], end: int) -> bool:
    """Whether numbers are non-decreasing bounds from 0 to ``end``."""
    return (
        len(array) > 0 and int(array[0]) == 0 and int(array[-1]) == end and bool((array[1:] >= array[:-1]).all())
    )


def outside(container: Container, name: str, least: int, most: int, low: int | None, end: int | None) -> Exception:
    """The error for numbers out of bounds."""
    return damaged(container, name, f"numbers from {least} to {most} where {low} to below {end} belong")


def damaged(container: Container, name: str, reason: str) -> Exception:
    """The error for a section with invalid numbers."""
    return corrupt(f"has changed in section {name!r} ({reason})", container.path)
