"""Ids of what was found: some are looked up, many are decoded at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from porism.index.strings import Packed
from porism.retrieve.ranking import UnitIds


class Counted:
    """So many units named by their numbers, which counts how their names are asked for."""

    def __init__(self, count: int) -> None:
        self.doc_count = count
        self.looked_up = self.decoded = 0

    @property
    def names(self) -> Counted:
        return self

    def doc_ids(self, units: Sequence[int]) -> list[str]:
        self.looked_up += len(units)
        return [f"ü{unit}" for unit in units]

    def packed(self) -> Packed:
        self.decoded += 1
        return Packed.of([f"ü{unit}" for unit in range(self.doc_count)])


def take(ids: UnitIds, *units: int) -> list[str]:
    return ids.take(np.zeros(len(units), np.int32), np.array(units, np.int32))


def test_names_are_decoded_at_once_where_that_costs_less() -> None:
    units = Counted(6400)
    ids = UnitIds([cast(Any, units)])
    assert take(ids, 7, 6399, 7) == ["ü7", "ü6399", "ü7"]
    assert take(ids, *range(100)) == [f"ü{unit}" for unit in range(100)]
    assert take(ids, *range(100)) == [f"ü{unit}" for unit in range(100)]
    assert (units.looked_up, units.decoded) == (102, 0)  # what is known is not asked for again
    assert take(ids, *range(300)) == [f"ü{unit}" for unit in range(300)]
    assert take(ids, *range(6400)) == [f"ü{unit}" for unit in range(6400)]
    assert (units.looked_up, units.decoded) == (102, 1)
