"""How values and tables are written as plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence


def shown(value: float | None) -> str:
    """Four digits behind the point, whole numbers as they are, a dash for what is undefined."""
    if value is None or math.isnan(value):
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def with_interval(value: float, interval: tuple[float, float] | None) -> str:
    """A value and its interval: ``0.3446 [0.3014, 0.3881]``; the value alone where there is none."""
    if interval is None:
        return shown(value)
    low, high = interval
    ends = f"{low:.0f}, {high:.0f}" if isinstance(value, int) else f"{low:.4f}, {high:.4f}"
    return f"{shown(value)} [{ends}]"


def some(names: Sequence[str], most: int = 5) -> str:
    """The first few names, and how many more there are."""
    listed = ", ".join(names[:most])
    return f"{listed} and {len(names) - most:,} more" if len(names) > most else listed


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns two blanks apart, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
