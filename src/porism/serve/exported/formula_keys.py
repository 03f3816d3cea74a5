"""The keys that formulas have in an engine: those of the index, or a digest where such a key is longer than an engine
takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import xxhash

from porism.index.engine.units import Units

_MAX_LENGTH = 16_000
_MARK = "#"
"""No key of a formula begins with it."""


class FormulaKeys:
    """Writes and reads the keys of the formulas of some segments."""

    def __init__(self, units: Sequence[Units]) -> None:
        self._units = tuple(units)

    def write(self, key: str) -> str:
        """A key for an engine: at most 16,000 bytes, and not empty."""
        written = key.encode("utf-8", "surrogatepass")
        return key if 0 < len(written) <= _MAX_LENGTH else _MARK + xxhash.xxh3_128_hexdigest(written)

    def read(self, written: str) -> str:
        """The inverse of :meth:`write`; what no formula has stays as it is."""
        return self._long.get(written, written) if written.startswith(_MARK) else written

    @cached_property
    def _long(self) -> dict[str, str]:
        """Long keys, by what they are written as."""
        found: dict[str, str] = {}
        for units in self._units:
            packed = units.names.packed()
            lengths = np.diff(packed.starts)
            some = np.flatnonzero((lengths > _MAX_LENGTH) | (lengths == 0))
            found |= {self.write(key): key for key in packed.take(some).strings()}
        return found
