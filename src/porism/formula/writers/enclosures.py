"""Which symbols of a row are in one box, under one stroke or in one colour, and the elements of MathML that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from porism.formula.tables.styles import BOXED, COLOURED, ENCLOSURES, FILLED, FRAMED
from porism.formula.tree import LayoutNode, Row, Style

_SCRIPTS = ("above", "below", "pre_above", "pre_below")
_ACCENTS = ("over", "under")
_ALL_SLOTS = frozenset((*_SCRIPTS, *_ACCENTS))
CORE, ACCENTED, WHOLE = range(3)
"""How much of a single symbol an enclosure holds: itself, its accents too, its scripts too."""
_SHOWN_KINDS = {*ENCLOSURES, COLOURED}
_DISPLAY_STYLES = {BOXED: "true", FRAMED: "false", FILLED: "false"}
"""Kind of style → whether what is in it is set as on a line of its own, where it is not set as what is around it."""


class StyledRun(NamedTuple):
    """Neighbours in one enclosure: first and last position. Without a style they are in one element alone."""

    first: int
    last: int
    style: Style | None


def find_runs(row: Row, groups: Mapping[int, Sequence[int]]) -> list[StyledRun]:
    """The enclosures in a row, outer ones first where several begin; those that overlap a group in part are left out.
    """
    runs: list[StyledRun] = []
    opened: list[tuple[Style, int]] = []
    for i in range(len(row) + 1):
        styles = row[i].styles if i < len(row) else ()
        if not styles and not opened:
            continue
        shared = 0
        while shared < min(len(opened), len(styles)) and opened[shared][0] is styles[shared]:
            shared += 1
        for style, first in opened[shared:]:
            if style.kind in _SHOWN_KINDS:
                runs += _cut(StyledRun(first, i - 1, style), groups)
        opened[shared:] = [(style, i) for style in styles[shared:]]
    return _nested(runs, groups) if runs else runs


def _cut(run: StyledRun, groups: Mapping[int, Sequence[int]]) -> list[StyledRun]:
    """A colour in pieces where it overlaps groups in part; other enclosures stay whole."""
    if run.style is None or run.style.kind != COLOURED or not groups:
        return [run]
    ends = {run.last}
    for first, lasts in groups.items():
        for last in lasts:
            if first < run.first <= last < run.last:
                ends.add(last)
            elif run.first < first <= run.last < last:
                ends.add(first - 1)
    pieces: list[StyledRun] = []
    for last in sorted(ends):
        style = run.style if last == run.last else replace(run.style, slots=_ALL_SLOTS)
        pieces.append(StyledRun(pieces[-1].last + 1 if pieces else run.first, last, style))
    return pieces


def _nested(runs: list[StyledRun], groups: Mapping[int, Sequence[int]]) -> list[StyledRun]:
    """The runs in order, without those that have a part in common with a group while neither holds the other."""
    extents: list[tuple[int, int, StyledRun | None]] = [(run.first, run.last, run) for run in runs]
    extents += [(first, last, None) for first, lasts in groups.items() for last in lasts]
    kept: dict[int, StyledRun] = {}
    around: list[tuple[int, StyledRun | None]] = []
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


def begun(row: Row, groups: Sequence[int], runs: Sequence[StyledRun]) -> list[tuple[int, StyledRun | None]]:
    """The last positions of groups and enclosures that begin together, with the run of each enclosure; outer ones
    first. The scripts of a group are outside of an enclosure that ended before they came."""
    if not runs:
        return [(last, None) for last in groups]
    ranked: list[tuple[int, int, StyledRun | None]] = [(-last, 1, None) for last in groups]
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


def is_box(style: Style | None) -> bool:
    """Whether what is in an enclosure is one symbol for what is around it, as it is in a box and under a stroke."""
    return style is not None and style.kind != COLOURED


def is_display(style: Style | None) -> bool | None:
    """Whether what is in an enclosure is set as on a line of its own; None where that is as around it."""
    shown = _DISPLAY_STYLES.get(style.kind) if style is not None else None
    return None if shown is None else shown == "true"


def opening(style: Style | None) -> str:
    """The element that begins an enclosure; ``</mrow>`` ends it."""
    if style is None:
        return "<mrow>"
    attributes = {
        "class": style.kind if is_box(style) else "", "displaystyle": _DISPLAY_STYLES.get(style.kind),
        "mathcolor": style.colour, "mathbackground": style.background, "style": ENCLOSURES.get(style.kind),
    }
    return "<mrow" + "".join(f' {name}="{value}"' for name, value in attributes.items() if value) + ">"
