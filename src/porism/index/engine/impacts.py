"""Impacts: the factor of each posting, quantised to one byte.

A factor is the share of a term's weight that a document gets, for one weighting and one mean length. An impact is the
factor as a multiple of a step; the largest rounding error is known. A search sums impacts to find candidates and scores
these with the exact codes (:mod:`porism.index.engine.topk`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.container import Container, ContainerSection
from porism.index.engine import postings_kernels as kernels
from porism.index.engine.postings import Postings
from porism.index.engine.term_lists import TermListBounds
from porism.system.compiled.kernels import address, as_layout

LANE = 64
"""Rows of dense impacts are padded with zeros to a multiple of this many documents."""

_SAFE_DRIFT = 1.5
"""Impacts of another mean length are used if that adds at most this many steps to their error.

That is a drift of 2 %, which slows a search down less than computing new impacts would.
"""

_GUARDED = ("impacts", "dense_impacts")
"""Arrays from which a search reads only the parts of its terms."""


@dataclass(frozen=True, eq=False)
class Impacts:
    """One byte for each posting of :class:`Postings`: the exact factor is within ``error`` of ``step`` times the byte.

    ``sparse`` (uint8, P) is parallel to ``docs``; ``dense`` (uint8, D × padded N) has a row for each term. The factor
    of a posting is ``shift + x / (x + y)`` if ``saturating``, else ``shift + x / y``. Here x is from ``tf_values``
    (float64, parallel to ``tf_table``) and y from ``length_values`` (float64, parallel to ``length_table``).
    """

    sparse: NDArray[np.uint8]
    dense: NDArray[np.uint8]
    step: float
    error: float
    tf_values: NDArray[np.float64]
    length_values: NDArray[np.float64]
    saturating: bool
    shift: float = 0.0
    guards: Mapping[str, ContainerSection] = field(default_factory=dict, compare=False)
    """Sections of ``sparse`` and ``dense`` that have not been compared with their checksums: :meth:`require` them."""

    def require(self, located: TermListBounds) -> None:
        """Compares the impacts of terms with their checksums."""
        if "impacts" in self.guards:
            self.guards["impacts"].require(located.starts, located.stops)
        if "dense_impacts" in self.guards:
            rows = located.dense[located.dense >= 0].astype(np.int64) * self.dense.shape[1]
            self.guards["dense_impacts"].require(rows, rows + self.dense.shape[1])

    @classmethod
    def build(
        cls, postings: Postings, tf_values: NDArray[np.float64], length_values: NDArray[np.float64], saturating: bool,
        shift: float = 0.0,
    ) -> Impacts:
        """Rounds the factors of all postings."""
        postings.require_all()
        tf_values, length_values = as_layout(tf_values, np.float64), as_layout(length_values, np.float64)
        padded = pad(tf_values)
        dense_count = len(postings.lists.dense_terms)
        sparse = np.empty(len(postings.docs), np.uint8)
        dense = np.zeros((dense_count, -(-postings.documents // LANE) * LANE), np.uint8)
        source = (
            postings.documents, len(postings.docs), dense_count, address(postings.docs),
            address(postings.sparse_codes), len(postings.sparse_escapes), address(postings.sparse_escapes),
            address(postings.sparse_values), address(postings.dense_codes), len(postings.dense_escapes),
            address(postings.dense_escapes), address(postings.dense_values), address(postings.length_codes),
            address(padded), len(padded), address(length_values), len(length_values), saturating, shift,
        )
        peak = shift + 1.0 if saturating else kernels.quantise(*source, 0.0, sparse, dense)[0]
        step = peak / 255 if peak > 0 else 1.0
        _, error = kernels.quantise(*source, step, sparse, dense)
        if error < 0:
            raise postings.invalid()
        return cls(sparse, dense, step, error, tf_values, length_values, saturating, shift)

    @classmethod
    def none(cls) -> Impacts:
        """No impacts, for channels that score given documents."""
        nothing, numbers = np.zeros(0, np.uint8), np.zeros(0, np.float64)
        return cls(nothing, nothing.reshape(0, 0), 1.0, float("inf"), numbers, numbers, True)

    def error_for(
        self, tf_values: NDArray[np.float64], length_values: NDArray[np.float64], saturating: bool, shift: float = 0.0
    ) -> float:
        """The largest error of these impacts if used for another weighting; infinite if unusable."""
        same = saturating == self.saturating and shift == self.shift
        if not same or not np.array_equal(tf_values, self.tf_values):
            return float("inf")
        if np.array_equal(length_values, self.length_values):
            return self.error
        if not (length_values > 0).all() or not (self.length_values > 0).all():
            return float("inf")
        drift = float(np.abs(np.log(length_values / self.length_values)).max())
        # |d factor / d log y| is x·y / (x + y)² ≤ 1/4 where saturating, else the factor less the shift
        added = drift / 4 if saturating else 255 * self.step * float(np.expm1(drift))
        return self.error + added if added <= _SAFE_DRIFT * self.step else float("inf")

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """The arrays by name, and the JSON-ready numbers; :meth:`from_arrays` is the inverse."""
        for section in self.guards.values():
            section.all()
        arrays: dict[str, NDArray[Any]] = {
            "impacts": self.sparse, "dense_impacts": self.dense, "tf_values": self.tf_values,
            "length_values": self.length_values,
        }
        info = {"step": self.step, "error": self.error, "saturating": self.saturating, "shift": self.shift}
        return arrays, info

    @classmethod
    def from_arrays(cls, postings: Postings, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> Impacts:
        """Impacts over arrays that may be memory-mapped."""
        return cls._of(postings, arrays, info, {})

    @classmethod
    def open(cls, postings: Postings, derived: Container) -> Impacts:
        """Impacts in a file of derived data; searches read only the parts they need."""
        guards = {name: derived.section(name) for name in _GUARDED}
        arrays = {name: guards[name].array if name in guards else derived.array(name) for name in derived}
        waiting = {name: section for name, section in guards.items() if not section.complete}
        return cls._of(postings, arrays, derived.info["info"], waiting)

    @classmethod
    def _of(
        cls, postings: Postings, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any],
        guards: Mapping[str, ContainerSection],
    ) -> Impacts:
        try:
            if arrays["impacts"].dtype != np.uint8 or arrays["dense_impacts"].dtype != np.uint8:
                raise TypeError("they are not bytes")
            dense = as_layout(arrays["dense_impacts"], np.uint8)
            impacts = cls(
                as_layout(arrays["impacts"], np.uint8).reshape(-1),
                dense.reshape(len(postings.lists.dense_terms), -(-postings.documents // LANE) * LANE),
                float(info["step"]), float(info["error"]), as_layout(arrays["tf_values"], np.float64),
                as_layout(arrays["length_values"], np.float64), bool(info["saturating"]),
                float(info.get("shift", 0.0)), guards,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise IndexCorrupt(f"the impacts cannot be read ({error})") from error
        sizes = (len(impacts.sparse), len(impacts.tf_values), len(impacts.length_values))
        if sizes != (len(postings.docs), len(postings.tf_table), len(postings.length_table)):
            raise IndexCorrupt("the impacts do not fit the postings")
        numbers = (impacts.step, impacts.error, impacts.shift)
        if not np.isfinite(numbers).all() or impacts.step <= 0 or impacts.error < 0:
            raise IndexCorrupt("the impacts are not multiples of a step")
        return impacts


def pad(tf_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pads values with zeros, so that every one-byte code is a valid position."""
    if len(tf_values) > kernels.ESCAPE:
        return tf_values
    return np.concatenate([tf_values, np.zeros(kernels.ESCAPE + 1 - len(tf_values))])
