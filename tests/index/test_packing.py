"""Packed sections: every array comes back, small ones take less, and what was made to do harm is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest
import xxhash
import zstandard
from crafting import table_of

from porism.errors import IndexCorrupt
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.packing import MAX_PACKED_BYTES, pack, unpack

ARRAYS = {
    "increasing": np.arange(0, 90_000, 3, dtype=np.int32), "wide": np.arange(1 << 40, (1 << 40) + 999),
    "negative": np.array([-1, 5, -(1 << 31), (1 << 31) - 1] * 99, np.int32), "unsigned": np.full(999, 1 << 63, np.uint64),
    "short": np.tile(np.arange(300, dtype=np.uint16), 9), "bytes": np.zeros(999, np.uint8),
    "truth": np.tile([True, False], 99), "real": np.linspace(-1, 1, 5).repeat(99), "half": np.ones((40, 9), np.float16),
}


def test_every_array_comes_back_and_takes_less(tmp_path: Path) -> None:
    large = np.zeros(MAX_PACKED_BYTES + 1, np.uint8)
    noise = np.random.default_rng(1).integers(0, 256, 9_999, np.uint8)
    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        for name, array in ARRAYS.items():
            writer.add(name, array)
            writer.add_chunks(f"{name} in parts", array.dtype.type, np.array_split(array.reshape(-1), 3))
        for name, array in (("large", large), ("noise", noise), ("nothing", noise[:0])):
            writer.add(name, array)
        writer.finish({})
    opened = Container(tmp_path / "c.bin", "test")
    for name, array in ARRAYS.items():
        for stored, expected in ((opened.array(name), array), (opened.array(f"{name} in parts"), array.reshape(-1))):
            assert (stored.dtype, stored.shape, stored.tobytes()) == (array.dtype, expected.shape, expected.tobytes()), name
            assert not stored.flags.writeable, name
        assert opened.size_of(name) < 2 * array.nbytes * 7 / 8, name
        assert opened.section(name).complete
    assert opened.size_of("large") == large.nbytes
    assert opened.size_of("noise") == noise.nbytes
    assert opened.array("noise").tobytes() == noise.tobytes()
    opened.unload("increasing")
    assert opened.array("increasing")[7] == 21
    opened.verify()


def _with_section(path: Path, entry: list[object]) -> None:
    """Replaces the only entry of the table of contents, whose checksums then agree."""
    content = path.read_bytes()
    offset, table = table_of(content)
    table["sections"]["a"] = entry
    packed = orjson.dumps(table)
    footer = np.array([offset, len(packed), xxhash.xxh3_64_intdigest(packed)], "<u8").tobytes()
    path.write_bytes(content[:offset] + packed + footer + content[-8:])


def test_packed_sections_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.bin"
    failed = {}
    for change in (
        {"shape": [101]}, {"shape": [1 << 40]}, {"dtype": "<i4"}, {"packed": -1}, {"packed": 1.5}, {"packed": 1 << 40},
        {"packed": True},
    ):
        with ContainerWriter(path, "test") as writer:
            writer.add("a", np.arange(100))
            writer.finish({})
        start, dtype, shape, first, block, packed = table_of(path.read_bytes())[1]["sections"]["a"]
        entry = {"start": start, "dtype": dtype, "shape": shape, "first": first, "block": block, "packed": packed}
        _with_section(path, list((entry | change).values()))
        try:
            Container(path, "test").array("a")
            failed[str(change)] = "read"
        except IndexCorrupt as error:
            if "makes no sense" not in str(error):
                failed[str(change)] = str(error)
    assert failed == {}


def test_bytes_that_unpack_to_something_else_are_refused() -> None:
    data = pack([np.arange(1000)], np.dtype(np.int64))
    assert data is not None
    for changed in (data[:-9], data[:4], b"", zstandard.compress(bytes(1 << 20)), bytes(99)):
        with pytest.raises(ValueError, match=r"unpacked|another size"):
            unpack(np.frombuffer(changed, np.uint8), np.dtype(np.int64), (1000,))
