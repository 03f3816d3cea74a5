"""Files that are left out because an extra is not installed: how many there are, and what reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from porism.extras import Extra

MAX_ENDINGS = 8
"""So many endings are named."""


class Lacking(NamedTuple):
    """The extra that files lack, and their ending."""

    extra: Extra
    ending: str


def lacking_texts(lacking: Mapping[Lacking, int]) -> list[str]:
    """``12 .docx, 3 .odt (pip install 'porism[documents]' reads them)``, one for each extra."""
    by_command: dict[str, dict[str, int]] = {}
    for (extra, ending), count in lacking.items():
        by_command.setdefault(extra.command, {})[ending] = count
    return [f"{', '.join(count_texts(counts))} ({command} reads them)" for command, counts in by_command.items()]


def count_texts(counts: Mapping[str, int]) -> Sequence[str]:
    """``12 .docx``, ``3 .odt``…: files by their endings, the most frequent first."""
    order = sorted(counts, key=lambda ending: (-counts[ending], ending))
    shown = [f"{counts[ending]:,} {ending or 'without ending'}" for ending in order[:MAX_ENDINGS]]
    if rest := sum(counts[ending] for ending in order[MAX_ENDINGS:]):
        shown.append(f"{rest:,} others")
    return shown
