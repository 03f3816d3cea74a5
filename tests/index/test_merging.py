"""Which segments are merged, and when."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_cases import Doc, batch_of, read_all

from porism.errors import StorageError
from porism.index import IndexWriter, Snapshot, merging
from porism.index.merging import (
    FACTOR,
    MAX_SIZE,
    RUN,
    RUN_LARGEST,
    RUN_SHARE,
    choose_after_run,
    choose_for_count,
    choose_tier,
)


@given(st.lists(st.integers(1, 10**6), max_size=60))
def test_merging_by_tiers_ends_with_few_segments(sizes: list[int]) -> None:
    total = sum(sizes)
    while chosen := choose_tier(sizes, [0] * len(sizes)):
        assert len(chosen) >= FACTOR
        merged = sum(sizes[position] for position in chosen)
        sizes = [size for position, size in enumerate(sizes) if position not in chosen] + [merged]
    assert sum(sizes) == total
    assert len(sizes) <= (FACTOR - 1) * 9


def test_which_segments_are_merged() -> None:
    assert choose_tier([100, 1, 1, 1, 1, 1, 1, 1], [0] * 8) == []
    assert choose_tier([1, 100, 1, 1, 1, 1, 1, 1, 1], [0] * 9) == [0, 2, 3, 4, 5, 6, 7, 8]
    assert choose_tier([10, 10], [10, 11]) == [1]
    assert choose_tier([MAX_SIZE] * FACTOR, [0] * FACTOR) == [*range(FACTOR)]
    assert choose_tier([MAX_SIZE + 1] * FACTOR, [0] * FACTOR) == []  # too large to merge unless requested
    assert choose_for_count([5, 1, 3, 2], 4) == []
    assert choose_for_count([5, 1, 3, 2], 2) == [1, 2, 3]
    assert choose_for_count([5, 1, 3, 2], 1) == [0, 1, 2, 3]


def test_a_collection_indexed_in_one_run_becomes_one_segment() -> None:
    assert choose_after_run([509_440, 545_280, 91_136, 93_184, 74_752, 77_824, 7_168, 1_216], 1_400_000) == [*range(8)]
    assert choose_after_run([1_400_000], 1_400_000) == []
    assert choose_after_run([], 1_400_000) == []


def test_a_run_merges_as_much_as_it_added_pays_for() -> None:
    assert choose_after_run([1_400_000, 13_000, 1_000], 14_000) == [1, 2]
    assert choose_after_run([1_000, 1_400_000, 13_000], 14_000) == [0, 2]
    assert choose_after_run([1_400_000, 20_001, 8_000], 14_000) == []  # 28,001 for 14,000
    assert choose_after_run([1_400_000, 20_000, 8_000], 14_000) == [1, 2]
    assert choose_after_run([5, 4, RUN - 10], RUN - 1) == []  # small runs leave it to the tiers
    assert choose_after_run([900_000, 900_000, 200_001], 5_000_000) == [0, 2]  # not more than memory allows


@given(st.lists(st.integers(1, 10**6), max_size=40), st.integers(0, 10**7))
def test_what_a_run_merges_is_bounded_and_the_smallest(sizes: list[int], added: int) -> None:
    chosen = choose_after_run(sizes, added)
    merged = [sizes[position] for position in chosen]
    assert sum(merged) <= min(RUN_SHARE * added, RUN_LARGEST)
    assert len(chosen) != 1
    left = [size for position, size in enumerate(sizes) if position not in chosen]
    if chosen and left:
        assert max(merged) <= min(left)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index with three segments, of which one document is deleted."""
    monkeypatch.setattr(merging, "RUN", 6)
    with IndexWriter(tmp_path) as writer:
        for first in (0, 2, 4):
            writer.add(batch_of([Doc(f"d{number}", {"body": ["old", f"w{number}"]}) for number in (first, first + 1)]))
            writer.commit()
        writer.delete(["d3"])
    return tmp_path


def test_the_segments_of_a_run_are_merged_at_its_end(path: Path) -> None:
    before = read_all(Snapshot.open(path))
    with IndexWriter(path) as writer:
        writer.merge_after_run(5)
        writer.commit()
        assert len(Snapshot.open(path).segments) == 3
        writer.merge_after_run(6)
        assert len(Snapshot.open(path).segments) == 3  # until the commit
        writer.commit()
    (segment,) = Snapshot.open(path).segments
    assert segment.doc_count == 5
    assert read_all(Snapshot.open(path)) == before


def test_without_room_for_a_copy_the_segments_stay(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_all(Snapshot.open(path))
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=100))
    with IndexWriter(path) as writer:
        with pytest.raises(StorageError, match="are needed"):
            writer.merge_after_run(6)
        writer.add(batch_of([Doc("new", {"body": ["new"]})]))
    snapshot = Snapshot.open(path)
    assert len(snapshot.segments) == 4
    assert read_all(snapshot).keys() == before.keys() | {"new"}
