"""Which symbols of a row are in one box or under one stroke, and the elements of MathML that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from porism.formula.tables.styles import ENCLOSURES
from porism.formula.tree import LayoutNode, Row, Style

_SCRIPTS = ("above", "below", "pre_above", "pre_below")
_ACCENTS = ("over", "under")
CORE, ACCENTED, WHOLE = range(3)
"""How much of a single symbol an enclosure holds: itself, its accents too, its scripts too."""


class Run(NamedTuple):
    """Neighbours in one enclosure: first and last position. Without a style they are in one element alone."""

    first: int
    last: int
    style: Style | None


def find_runs(row: Row, groups: Mapping[int, Sequence[int]]) -> list[Run]:
    """The enclosures in a row, outer ones first where several begin; those that overlap a group in part are left out.
    """
    found: list[Run] = []
    opened: list[tuple[Style, int]] = []
    for i in range(len(row) + 1):
        styles = row[i].styles if i < len(row) else ()
        if not styles and not opened:
            continue
        shared = 0
        while shared < min(len(opened), len(styles)) and opened[shared][0] is styles[shared]:
            shared += 1
        found += [Run(first, i - 1, style) for style, first in opened[shared:] if style.kind in ENCLOSURES]
        opened[shared:] = [(style, i) for style in styles[shared:]]
    return _nested(found, groups) if found else found


def _nested(runs: list[Run], groups: Mapping[int, Sequence[int]]) -> list[Run]:
    """The runs in order, without those that have a part in common with a group while neither holds the other."""
    extents: list[tuple[int, int, Run | None]] = [(run.first, run.last, run) for run in runs]
    extents += [(first, last, None) for first, lasts in groups.items() for last in lasts]
    kept: dict[int, Run] = {}
    around: list[tuple[int, Run | None]] = []
    for first, last, run in sorted(extents, key=lambda extent: (extent[0], -extent[1])):
        while around and (around[-1][0] < first or (around[-1][0] < last and run is None)):
            _, overlapped = around.pop()
            if overlapped is not None and last > overlapped.last >= first:
                del kept[id(overlapped)]
        if run is None or not around or last <= around[-1][0]:
            around.append((last, run))
            if run is not None:
                kept[id(run)] = run
    return list(kept.values())


def begun(row: Row, groups: Sequence[int], runs: Sequence[Run]) -> list[tuple[int, Run | None]]:
    """The last positions of groups and enclosures that begin together, with the run of each enclosure; outer ones
    first. The scripts of a group are outside of an enclosure that ended before they came."""
    if not runs:
        return [(last, None) for last in groups]
    ranked: list[tuple[int, int, Run | None]] = [(-last, 1, None) for last in groups]
    for run in runs:
        holds_scripts = run.style is not None and extent(row[run.last], run.style) == WHOLE
        ranked.append((-run.last, 0 if holds_scripts else 2, run))
    return [(-last, run) for last, _, run in sorted(ranked, key=lambda entry: entry[:2])]


def extent(node: LayoutNode, style: Style) -> int:
    """How much of a symbol an enclosure holds that was closed before the symbol got its scripts."""
    if node.kind != "F" and any(getattr(node, slot) is not None and slot not in style.slots for slot in _ACCENTS):
        return CORE
    own = _SCRIPTS[:2] if node.kind == "R" else _SCRIPTS
    return ACCENTED if any(getattr(node, slot) is not None and slot not in style.slots for slot in own) else WHOLE


def is_display(style: Style | None) -> bool:
    """Whether what is in an enclosure is set as on a line of its own, as ``\\boxed`` does."""
    return style is not None and style.kind == "boxed"


def opening(style: Style | None) -> str:
    """The element that begins an enclosure; ``</mrow>`` ends it."""
    if style is None:
        return "<mrow>"
    shown = ' displaystyle="true"' if is_display(style) else ""
    return f'<mrow class="{style.kind}"{shown} style="{ENCLOSURES[style.kind]}">'
