"""A container gives back its arrays, and says so when it is not what was written."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import orjson
import pytest
from case_tables import every_case

from porism.errors import IndexCorrupt, IndexVersionError, StorageError
from porism.index import container, container_writer
from porism.index.container import Container, Stamp
from porism.index.container_writer import ContainerWriter
from porism.system.files import durable

ARRAYS = {
    "bytes": np.arange(7, dtype=np.uint8),
    "matrix": np.arange(12, dtype=np.float32).reshape(3, 4),
    "truth": np.array([True, False]),
    "none": np.zeros((0, 5), np.int64),
    "turned": np.arange(6).reshape(2, 3).T,
}


def write(path: Path, *, atomic: bool = False) -> Stamp:
    with ContainerWriter(path, "test", atomic=atomic) as writer:
        for name, array in ARRAYS.items():
            writer.add(name, array)
        length = writer.add_chunks("chunks", np.int32, (np.full(size, size) for size in range(4)))
        assert length == 6
        return writer.finish({"answer": 42})


def test_arrays_come_back_aligned_and_read_only(tmp_path: Path) -> None:
    stamp = write(tmp_path / "c.bin")
    assert stamp.size == (tmp_path / "c.bin").stat().st_size
    found = Container(tmp_path / "c.bin", "test", stamp)
    assert found.info == {"answer": 42}
    assert list(found) == [*ARRAYS, "chunks"]
    assert "matrix" in found
    assert "missing" not in found
    for name, array in ARRAYS.items():
        read = found.array(name)
        assert read.dtype == array.dtype
        assert read.shape == array.shape
        assert np.array_equal(read, array)
        assert read.ctypes.data % 64 == 0
        assert not read.flags.writeable
    assert found.array("chunks").tolist() == [1, 2, 2, 3, 3, 3]
    assert found.size_of("m") == 48
    found.verify()
    with pytest.raises(IndexCorrupt, match="no section 'missing'"):
        found.array("missing")


def test_arrays_outlive_the_file_and_the_container(tmp_path: Path) -> None:
    write(tmp_path / "c.bin")
    matrix = Container(tmp_path / "c.bin", "test").array("matrix")
    (tmp_path / "c.bin").unlink()
    assert matrix.sum() == 66


def read_everything(path: Path, stamp: Stamp) -> None:
    found = Container(path, "test", stamp)
    for name in found:
        found.array(name)


def test_every_changed_byte_of_content_or_table_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "c.bin"
    stamp = write(path)
    content = path.read_bytes()
    table = orjson.loads(content[content.rindex(b'{"format"') : -32])
    padding = set(range(8, len(content)))
    for offset, dtype, shape, *_ in table["sections"].values():
        padding -= set(range(offset, offset + np.dtype(dtype).itemsize * int(np.prod(shape))))
    at, count, _ = table["checksums"]
    padding -= set(range(at, at + 8 * count))
    padding -= set(range(content.rindex(b'{"format"'), len(content)))
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        if at in padding:
            read_everything(path, stamp)
        else:
            with pytest.raises(IndexCorrupt, match=r"c\.bin.*Restore the folder"):
                read_everything(path, stamp)


@every_case("size", [0, 1, 39, 40, 100, -1])
def test_a_truncated_file_is_noticed(tmp_path: Path, size: int) -> None:
    path = tmp_path / "c.bin"
    write(path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(IndexCorrupt, match=r"bytes|truncated"):
        Container(path, "test")


def test_another_file_in_its_place_is_noticed(tmp_path: Path) -> None:
    stamp = write(tmp_path / "c.bin")
    with ContainerWriter(tmp_path / "d.bin", "test") as writer:
        other = writer.finish({})
    with pytest.raises(IndexCorrupt, match=f"has {stamp.size} bytes where {other.size} were written"):
        Container(tmp_path / "c.bin", "test", other)
    with pytest.raises(IndexCorrupt, match="not the file that was committed"):
        Container(tmp_path / "c.bin", "test", Stamp(stamp.size, 1))
    with pytest.raises(IndexCorrupt, match="holds 'test' where 'segment' was expected"):
        Container(tmp_path / "c.bin", "segment")
    with pytest.raises(FileNotFoundError):
        Container(tmp_path / "missing.bin", "test")


def test_a_newer_format_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_writer, "FORMAT", 7)
    monkeypatch.setattr(container_writer, "__version__", "3.1.0")
    write(tmp_path / "c.bin")
    monkeypatch.undo()
    with pytest.raises(IndexVersionError, match=r"format 7, written by porism 3\.1\.0.*reads formats 3 to 5.*Upgrade"):
        Container(tmp_path / "c.bin", "test")


@every_case("version", container.BLOCKS)
def test_every_format_that_is_read_has_blocks_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path, content = tmp_path / "c.bin", np.random.default_rng(1).integers(0, 9, 100_000)
    monkeypatch.setattr(container_writer, "FORMAT", version)
    monkeypatch.setattr(container_writer, "BLOCK", container.BLOCKS[version])
    with ContainerWriter(path, "test") as writer:
        writer.add("a", content)
        writer.finish({})
    monkeypatch.undo()
    assert len(Container(path, "test")._checksums) == -(-content.nbytes // container.BLOCKS[version])
    assert np.array_equal(Container(path, "test").array("a"), content)
    Container(path, "test").verify()
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    damaged = bytearray(path.read_bytes())
    damaged[8 * 90_000] ^= 1
    path.write_bytes(damaged)
    section = Container(path, "test").section("a")
    section.require(np.array([0]), np.array([container.BLOCKS[version] // 8]))
    with pytest.raises(IndexCorrupt, match="has changed in section 'a'"):
        section.require(np.array([89_000]), np.array([91_000]))


def test_of_small_blocks_little_more_is_compared_than_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, content = tmp_path / "c.bin", np.random.default_rng(1).integers(0, 9, 100_000)
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    with ContainerWriter(path, "test") as writer:
        writer.add("a", content)
        writer.add("b", content, small_blocks=True)
        writer.finish({})
    found = Container(path, "test")
    small = container.SMALL_BLOCK // 8
    assert (found.block_of("a"), found.block_of("b")) == (container.BLOCK, container.SMALL_BLOCK)
    assert np.array_equal(found.array("b"), content)
    found.verify()
    damaged = bytearray(path.read_bytes())
    start = orjson.loads(damaged[damaged.rindex(b'{"format"') : -32])["sections"]["b"][0]
    damaged[start + 8 * 5 * small] ^= 1  # the first byte of the sixth block
    path.write_bytes(damaged)
    section = Container(path, "test").section("b")
    section.require(np.array([4 * small, 6 * small]), np.array([5 * small, 7 * small]))
    for first in (5 * small, 6 * small - 1, 5 * small - 1):
        with pytest.raises(IndexCorrupt, match="has changed in section 'b'"):
            section.require(np.array([first]), np.array([first + 2]))
    with pytest.raises(IndexCorrupt, match="has changed in section 'b'"):
        Container(path, "test").verify()


@every_case("size", [0, -1, 1.5, "4096", None, True])
def test_blocks_of_no_size_are_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: object) -> None:
    monkeypatch.setattr(container_writer, "SMALL_BLOCK", 64)
    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        writer.add("a", np.arange(100), small_blocks=True)
        writer._sections["a"] = (*writer._sections["a"][:4], size)
        writer.finish({})
    with pytest.raises(IndexCorrupt, match="table of contents that makes no sense"):
        Container(tmp_path / "c.bin", "test")


def interrupt(path: Path, *, atomic: bool) -> None:
    with ContainerWriter(path, "test", atomic=atomic) as writer:
        writer.add("a", np.arange(3))


def test_what_is_not_finished_is_removed(tmp_path: Path) -> None:
    interrupt(tmp_path / "c.bin", atomic=False)
    assert list(tmp_path.iterdir()) == []


def test_an_atomic_file_replaces_the_old_one_only_when_finished(tmp_path: Path) -> None:
    path = tmp_path / "c.bin"
    write(path, atomic=True)
    before = path.read_bytes()
    interrupt(path, atomic=True)
    assert path.read_bytes() == before
    with ContainerWriter(path, "test", atomic=True) as writer:
        writer.finish({"new": True})
    assert Container(path, "test").info == {"new": True}
    assert [file.name for file in tmp_path.iterdir()] == ["c.bin"]


@every_case(
    ("number", "says"),
    [(errno.ENOSPC, "Free some space"), (errno.EROFS, "a folder that this user may change"), (errno.EIO, "Look at")],
)
def test_failures_of_the_file_system_say_what_to_do(tmp_path: Path, number: int, says: str) -> None:
    with pytest.raises(StorageError, match=says) as caught, durable.storage_errors(tmp_path):
        raise OSError(number, "the reason")
    assert "the reason" in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs /proc/self/smaps: run it on Linux")
def test_memory_of_a_section_is_given_back_and_read_again(tmp_path: Path) -> None:
    numbers = np.arange(1 << 18)
    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        writer.add("before", np.arange(7))
        writer.add("large", numbers)
        writer.add("after", np.arange(7))
        writer.finish({})
    opened = Container(tmp_path / "c.bin", "test")
    assert opened.array("large").sum() == numbers.sum()
    before = resident_bytes(tmp_path / "c.bin")
    opened.unload("large")
    assert before - resident_bytes(tmp_path / "c.bin") > 0.9 * numbers.nbytes
    assert np.array_equal(opened.array("large"), numbers)
    opened.unload("after")
    assert opened.array("after").tolist() == list(range(7))


def resident_bytes(path: Path) -> int:
    """The bytes of a mapped file that are in the memory of this process."""
    table = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace")
    _, _, rest = table.partition(str(path.resolve()))
    return 1024 * int(rest.partition("Rss:")[2].split()[0])
