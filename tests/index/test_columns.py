"""Columns and dictionaries of which only what is read is compared: what was not read may be damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porism.errors import IndexCorrupt
from porism.index import container
from porism.index.columns import CheckedColumn
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.runs import StringRuns
from porism.index.strings import Dictionary, Packed, write_dictionary

BLOCK = 64
WORDS = [f"{number * number:09d}" for number in range(4000)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every section is large, and has a checksum for each 64 bytes."""
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    monkeypatch.setitem(container.BLOCKS, container.FORMAT, BLOCK)
    monkeypatch.setattr("porism.index.container_writer.BLOCK", BLOCK)


def damage(path: Path, name: str, byte: int) -> None:
    start = Container(path, "test")._entry(name).start
    content = bytearray(path.read_bytes())
    content[start + byte] ^= 0x55
    path.write_bytes(content)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        writer.add("numbers", np.arange(1000, dtype=np.int32))
        writer.finish({})
    return tmp_path / "c.bin"


def test_a_column_is_read_by_positions_slices_and_whole(path: Path) -> None:
    found = CheckedColumn(Container(path, "test"), "numbers", np.int32, 1000, low=0, end=1000)
    for _ in range(2):
        assert len(found) == 1000
        assert int(found[7]) == 7
        assert found[20:23].tolist() == [20, 21, 22]
        assert found[23:20].tolist() == []
        assert found[np.array([999, 0, 0])].tolist() == [999, 0, 0]
        assert found[np.zeros(0, np.int64)].tolist() == []
        assert found.all().tolist() == list(range(1000))  # from now on nothing is looked at again


@pytest.mark.parametrize("read", [
    lambda column: column[160], lambda column: column[100:161], lambda column: column[np.array([0, 165, 3])],
    lambda column: column.all(),
])
def test_a_damaged_column_is_noticed_where_it_is_read(path: Path, read) -> None:
    damage(path, "numbers", 4 * 165)  # the block of the numbers 160 to 175
    found = CheckedColumn(Container(path, "test"), "numbers", np.int32, end=1000)
    assert found[100:160].tolist() == list(range(100, 160))
    assert found[np.array([176, 159])].tolist() == [176, 159]
    with pytest.raises(IndexCorrupt, match="section 'numbers'"):
        read(found)


@pytest.mark.parametrize("read", [
    lambda column: column[500], lambda column: column[490:501], lambda column: column[np.array([0, 700])],
    lambda column: column.all(),
])
def test_numbers_that_are_out_of_bounds_are_refused_where_they_are_read(path: Path, read) -> None:
    found = CheckedColumn(Container(path, "test"), "numbers", np.int32, low=0, end=500)
    assert found[400:500].tolist() == list(range(400, 500))
    with pytest.raises(IndexCorrupt, match=r"numbers from \d+ to \d+ where 0 to below 500 belong"):
        read(found)
    with pytest.raises(IndexCorrupt, match="where 3 to below"):
        CheckedColumn(Container(path, "test"), "numbers", np.int32, low=3)[2]


def test_a_column_of_another_kind_is_refused(path: Path) -> None:
    with pytest.raises(IndexCorrupt, match="1000 elements where 999 belong"):
        CheckedColumn(Container(path, "test"), "numbers", np.int32, 999)
    with pytest.raises(IndexCorrupt, match="1 dimensions of int32"):
        CheckedColumn(Container(path, "test"), "numbers", np.int64)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    with ContainerWriter(tmp_path / "d.bin", "test") as writer:
        counts = np.where(np.arange(len(WORDS)) % 10, 1, 600)  # so that there are two buckets
        write_dictionary(writer, "d", Packed.of(WORDS), counts)
        writer.finish({})
    return tmp_path / "d.bin"


def test_a_look_up_compares_the_few_blocks_that_it_reads(words: Path) -> None:
    opened = Container(words, "test")
    dictionary = Dictionary(opened, "d")
    blocks = len(opened._blocks("d:strings"))
    assert blocks > 300
    wanted = [WORDS[1234], WORDS[1240], "nothing"]
    numbers = dictionary.lookup(wanted)
    assert dictionary.select(numbers[:2]).strings() == wanted[:2]
    compared = blocks - np.count_nonzero(opened._blocks("d:strings"))
    assert 10 < compared < 60


def test_what_a_look_up_does_not_read_may_be_damaged(words: Path) -> None:
    """And each byte that it reads is noticed."""
    opened = Container(words, "test")
    expected = Dictionary(opened, "d").lookup([WORDS[1234]]).tolist()
    read = np.flatnonzero(~opened._blocks("d:strings"))
    for block in range(len(opened._blocks("d:strings"))):
        damage(words, "d:strings", BLOCK * block + block % 40)
        dictionary = Dictionary(Container(words, "test"), "d")
        if block in read:
            with pytest.raises(IndexCorrupt, match="section 'd:strings'"):
                dictionary.lookup([WORDS[1234]])
        else:
            assert dictionary.lookup([WORDS[1234]]).tolist() == expected
        damage(words, "d:strings", BLOCK * block + block % 40)


@pytest.mark.parametrize("number", [3, 399, 400, 3999])
def test_a_string_is_compared_before_it_is_given(words: Path, number: int) -> None:
    opened = Container(words, "test")
    (string,) = Dictionary(opened, "d").select(np.array([number])).strings()
    (block, *_) = np.flatnonzero(~opened._blocks("d:strings"))
    damage(words, "d:strings", BLOCK * int(block) + 1)
    dictionary = Dictionary(Container(words, "test"), "d")
    with pytest.raises(IndexCorrupt, match="section 'd:strings'"):
        dictionary.select(np.array([number]))
    with pytest.raises(IndexCorrupt, match="section 'd:strings'"):
        dictionary.term(number)
    with pytest.raises(IndexCorrupt, match="section 'd:strings'"):
        dictionary.packed()
    with pytest.raises(IndexCorrupt, match="section 'd:strings'"):
        StringRuns.of_dictionary(dictionary)
    assert string in WORDS
