"""Which segments to merge: pure functions of their numbers of documents."""

from __future__ import annotations

from collections.abc import Sequence

FACTOR = 8
"""The number of segments of about the same size that become one."""
MAX_SIZE = 5_000_000
"""Segments with more documents are left alone unless a merge is requested."""
RUN = 10_000
"""After a run that adds fewer documents, only tiers are merged."""
RUN_SHARE = 2
"""The most documents merged at the end of a run for each document it added."""
RUN_LARGEST = 2_000_000
"""The most documents merged at the end of a run: a million documents of 20 formulas take 2.6 GiB of memory."""


def choose_tier(live: Sequence[int], deleted: Sequence[int]) -> list[int]:
    """Positions of segments to merge after a commit, empty if none should be.

    Sizes fall into tiers, powers of ``FACTOR``; the lowest tier with ``FACTOR`` segments is merged. So n documents in
    any number of commits make about ``FACTOR * log(n)`` segments at most, and each is rewritten ``log(n)`` times. A
    segment with more deleted than live documents is rewritten by itself.
    """
    tiers: dict[int, list[int]] = {}
    for position, size in enumerate(live):
        if size <= MAX_SIZE:
            tiers.setdefault(_tier(size), []).append(position)
    for tier in sorted(tiers):
        if len(tiers[tier]) >= FACTOR:
            return tiers[tier]
    return next(([position] for position, size in enumerate(live) if deleted[position] > size), [])


def choose_after_run(live: Sequence[int], added: int) -> list[int]:
    """Positions of segments to merge at the end of a run that added ``added`` documents, empty if none should be.

    The first search of a process takes longer with each segment, so the smallest ones are merged, in proportion to the
    documents added. A collection that was indexed in one run becomes one segment, and a small update of a large index
    rewrites little.
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
    """Positions of the smallest segments whose merge leaves ``most`` segments."""
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
