"""All sortings by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from porism.lab.pairwise.sorting.active import ActiveSelection
from porism.lab.pairwise.sorting.all_pairs import AllPairs
from porism.lab.pairwise.sorting.base import Sorting
from porism.lab.pairwise.sorting.heap import HeapSort
from porism.lab.pairwise.sorting.sliding import SlidingWindow
from porism.settings import read_named

SORTINGS: Mapping[str, type[Sorting]] = {
    method.name: method for method in (AllPairs, HeapSort, SlidingWindow, ActiveSelection)
}
"""Method name → its class."""


def make_sorting(method: str, parameters: Mapping[str, Any] | None = None) -> Sorting:
    """The sorting of this name, with parameters as plain values.

    :raises ConfigError: there is no such method; as :class:`SettingError`, it has no such parameter, or not with such a
        value.
    """
    return read_named(SORTINGS, method, parameters, "sorting")
