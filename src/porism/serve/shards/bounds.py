"""Bounds of all values that come from another machine: what is in them can be added up and shown without surprises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from porism.errors import QueryError

MAX_INTEGER = 2**43
"""Counts of a thousand shards add up to one that is exact as a floating-point number."""

MAX_NUMBER = 1e100
"""Sums of such numbers times counts are finite."""

MAX_NESTING = 64


def check_bounds(value: Any, nesting: int = 0) -> None:
    """Checks all numbers in a value, and how deep it is nested.

    :raises QueryError: a number is too large or not finite, or the value is nested too deep.
    """
    if nesting > MAX_NESTING:
        raise QueryError(f"values are nested more than {MAX_NESTING} deep")
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise QueryError(f"an integer is above {MAX_INTEGER:,}")
    elif isinstance(value, float):
        if not abs(value) <= MAX_NUMBER:
            raise QueryError(f"a number is above {MAX_NUMBER:g}, or is none")
    elif isinstance(value, Mapping):
        for item in value.values():
            check_bounds(item, nesting + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            check_bounds(item, nesting + 1)
    elif is_dataclass(value):
        for field in fields(value):
            check_bounds(getattr(value, field.name), nesting + 1)
