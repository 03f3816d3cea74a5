"""Which segments to merge: pure functions of how many documents they have."""

from __future__ import annotations

from collections.abc import Sequence

FACTOR = 8
"""So many segments of about the same size become one."""
LARGEST = 5_000_000
"""Segments with more documents are left alone unless a merge is requested."""
RUN = 10_000
"""A run that adds fewer documents leaves merging to the tiers."""
RUN_SHARE = 2
"""At the end of a run so many documents are merged for each one that it added, at most."""
RUN_LARGEST = 2_000_000
"""At the end of a run at most so many documents are merged: merging takes memory, 2.6 GiB for a million documents of
20 formulas."""


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


def choose_after_run(live: Sequence[int], added: int) -> list[int]:
    """Positions of segments to merge at the end of a run that added ``added`` documents, empty where all is well.

    The first search of a process takes longer with each segment. So the smallest ones become one, as many as the
    documents that were added pay for: a collection that was indexed in one run is one segment, and a small update of a
    large index rewrites little.
    """
    if added < RUN:
        return []
    most = min(RUN_SHARE * added, RUN_LARGEST)
    chosen: list[int] = []
    for position in sorted(range(len(live)), key=live.__getitem__):
        most -= live[position]
        if most < 0:
            break
        chosen.append(position)
    return sorted(chosen) if len(chosen) > 1 else []


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
