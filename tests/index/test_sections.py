"""Large sections are checked where they are read, and nowhere else; searches of large postings too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bit_flips import flip_bits, make_index
from long_forms import LONG, LONG_ONLY

from porism.errors import IndexCorrupt
from porism.index import IndexWriter, Snapshot, container
from porism.index.container import BLOCK, Container
from porism.index.container_writer import ContainerWriter

ELEMENTS = BLOCK  # of 8 bytes: 8 blocks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        writer.add("small", np.arange(10))
        writer.add("large", np.arange(ELEMENTS))
        writer.add_chunks("chunks", np.int64, (np.arange(n, n + 1000) for n in range(0, ELEMENTS, 1000)))
        writer.finish({})
    return tmp_path / "c.bin"


def damage(path: Path, name: str, element: int) -> None:
    at = Container(path, "test")._entry(name).start + 8 * element
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(b"\x99")


@pytest.mark.parametrize("name", ["large", "chunks"])
def test_each_block_is_checked_when_it_is_first_read(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 1000)
    damage(path, name, 3 * BLOCK // 8 + 17)  # in the fourth block
    section = Container(path, "test").section(name)
    assert not section.complete
    per_block = BLOCK // 8
    good = np.array([0, 5, 3 * per_block - 1])
    section.require(good, good + 1)
    section.require(np.array([9]), np.array([9]))  # nothing
    section.require(np.array([7 * per_block]), np.array([ELEMENTS]))
    for start, stop in ((3 * per_block - 1, 3 * per_block + 1), (0, ELEMENTS), (3 * per_block, 4 * per_block)):
        with pytest.raises(IndexCorrupt, match=f"has changed in section '{name}'"):
            section.require(np.array([start]), np.array([stop]))
    with pytest.raises(IndexCorrupt, match=f"has changed in section '{name}'"):
        section.all()
    assert not section.complete
    with pytest.raises(IndexCorrupt):
        Container(path, "test").verify()
    with pytest.raises(IndexCorrupt):
        Container(path, "test").array(name)


def test_what_was_read_is_not_checked_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 1000)
    opened = Container(path, "test")
    section = opened.section("large")
    assert opened.section("small").complete
    counted = []
    true_check = Container._check
    monkeypatch.setattr(Container, "_check", lambda self, name, blocks: (
        counted.append(len(blocks)), true_check(self, name, blocks)
    )[1])
    for _ in range(2):
        section.require(np.array([0, 10]), np.array([5, BLOCK]))
    assert sum(counted) == 8
    assert section.complete
    section.require(np.array([0]), np.array([ELEMENTS]))
    assert opened.array("large").sum() == ELEMENTS * (ELEMENTS - 1) // 2
    assert sum(counted) == 8


def test_when_half_was_read_the_rest_is_checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 1000)
    per_block = BLOCK // 8
    section = Container(path, "test").section("large")
    section.require(np.array([0]), np.array([3 * per_block]))
    assert np.count_nonzero(section._container._blocks("large")) == 5
    section.require(np.array([5 * per_block]), np.array([5 * per_block + 1]))
    assert section.complete
    damage(path, "large", ELEMENTS - 1)
    section = Container(path, "test").section("large")
    section.require(np.array([0]), np.array([3 * per_block]))
    with pytest.raises(IndexCorrupt, match="has changed in section 'large'"):
        section.require(np.array([5 * per_block]), np.array([5 * per_block + 1]))


def test_a_section_that_is_not_large_is_checked_whole(path: Path) -> None:
    damage(path, "large", ELEMENTS - 1)
    with pytest.raises(IndexCorrupt):
        Container(path, "test").section("large")


def test_changes_between_sections_are_found(path: Path) -> None:
    opened = Container(path, "test")
    with open(path, "r+b") as file:
        file.seek(opened._entry("small").stop + 3)
        file.write(b"\x01")
    with pytest.raises(IndexCorrupt, match="between sections"):
        opened.verify()


def test_verifying_reads_every_section(tmp_path: Path) -> None:
    """Of a segment, of a snapshot: a bit in any section is found."""
    from index_cases import Doc, batch_of

    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]}, {"body": [("x", "", "")]}, {"key": "value"})]))
    (segment,) = Snapshot.open(tmp_path).segments
    file = segment.container.path
    content = file.read_bytes()
    entries = segment.container._entries
    for name, entry in entries.items():
        if entry.stop > entry.start:
            changed = bytearray(content)
            changed[entry.stop - 1] ^= 1
            file.write_bytes(changed)
            with pytest.raises(IndexCorrupt, match=f"has changed in section '{name}'"):
                segment.verify()
            with pytest.raises(IndexCorrupt, match=f"has changed in section '{name}'"):
                Snapshot.open(tmp_path).verify()
            file.write_bytes(content)
    segment.verify()


@LONG_ONLY
@pytest.mark.skipif(
    not hasattr(__import__("os"), "fork"),
    reason="needs fork, which Windows lacks: run it on Linux or macOS",
)
def test_damage_in_large_sections_is_noticed_by_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The short form of ``bit_flips.py``: no crash, and no other answer."""
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)  # flip_bits sets it too
    monkeypatch.setattr("porism.index.engine.compact.NARROWED_BYTES", 0)  # small postings are written like large ones
    make_index(tmp_path / "index", 300)
    outcomes = flip_bits(tmp_path / "index", 40 if LONG else 24, limit=0)
    assert not any("wrong" in outcome for outcome in outcomes), outcomes
    # how many depends on the pages of memory that the system maps: 5 to 14 of 40 were seen
    assert sum(count for outcome, count in outcomes.items() if outcome.endswith("noticed")) > (2 if LONG else 0)
