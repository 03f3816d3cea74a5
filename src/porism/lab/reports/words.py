"""Numbers in words and signs, alike in every form of a report."""

from __future__ import annotations


def number(value: float | None, digits: int = 3) -> str:
    """A value of a measure: three digits behind the point, whole numbers as they are, a dash for what is undefined."""
    if value is None or value != value:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def per_cent(share: float) -> str:
    """``95 %``, with a blank that no line breaks at."""
    return f"{100 * share:.10g}\u00a0%"


def signed(value: float, digits: int = 3) -> str:
    """``+0.012``, ``−0.005``, ``0.000``."""
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return f"{'+' if value > 0 else '−'}{text}"


def p_value(value: float) -> str:
    """A p-value: ``0.032``, ``< 0.001``."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def others(count: int) -> str:
    """``1 other is``, ``13 others are``."""
    return "1 other is" if count == 1 else f"{count:,} others are"


def panels_note(left_out: int) -> str:
    """Which runs have panels, where so many have none; empty where all have one."""
    if not left_out:
        return ""
    return f" Panels are of the baseline and the runs that differ most from it; {others(left_out)} only grey."
