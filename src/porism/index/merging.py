"""Which segments to merge: pure functions of how many documents they have."""

from __future__ import annotations

from collections.abc import Sequence

FACTOR = 8
"""So many segments of about the same size become one."""
LARGEST = 5_000_000
"""Segments with more documents are left alone unless a merge is requested."""


def choose_tier(live: Sequence[int], deleted: Sequence[int]) -> list[int]:
    """Positions of segments to merge after a commit, empty where all is well.

    Sizes fall into tiers, powers of ``FACTOR``; a tier with ``FACTOR`` segments is merged, lowest first. So n documents
    in any number of commits make at most about ``FACTOR * log(n)`` segments, and each document is rewritten ``log(n)``
    times. A segment of which more than half is deleted is rewritten by itself.
    """
    tiers: dict[int, list[int]] = {}
    for position, size in enumerate(live):
        if size <= LARGEST:
            tiers.setdefault(_tier(size), []).append(position)
    for tier in sorted(tiers):
        if len(tiers[tier]) >= FACTOR:
            return tiers[tier]
    return next(([position] for position, size in enumerate(live) if deleted[position] > size), [])


def choose_for_count(live: Sequence[int], most: int) -> list[int]:
    """Positions of the smallest segments, so many that merging them leaves ``most`` segments."""
    surplus = len(live) - most
    if surplus <= 0:
        return []
    return sorted(sorted(range(len(live)), key=live.__getitem__)[: surplus + 1])


def _tier(size: int) -> int:
    tier = 0
    while size >= FACTOR:
        size //= FACTOR
        tier += 1
    return tier
