"""Files of an index that someone made to do harm: any content, with checksums that agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.index.container import BLOCK
from porism.index.manifest import MANIFEST_FILE, _checksum

Change = Callable[[NDArray[Any]], None]


def table_of(content: bytes | bytearray) -> tuple[int, dict[str, Any]]:
    """Where the table of contents of a container is, and the table."""
    offset, length = np.frombuffer(bytes(content[-32:-16]), "<u8").tolist()
    return offset, orjson.loads(bytes(content[offset : offset + length]))


def names_of(path: Path) -> list[str]:
    """The sections of a file that have content."""
    _, table = table_of(path.read_bytes())
    return [name for name, (_, _, shape, *_) in table["sections"].items() if np.prod(shape)]


def craft(path: Path, name: str, change: Change) -> None:
    """Changes the array of one section in place, and all checksums of the file with it."""
    content = bytearray(path.read_bytes())
    offset, table = table_of(content)
    start, dtype, shape, first, *own = table["sections"][name]
    dtype = np.dtype(dtype)
    size = dtype.itemsize * int(np.prod(shape))
    change(np.frombuffer(memoryview(content)[start : start + size], dtype).reshape(shape))
    at, count, _ = table["checksums"]
    length = own[0] if own else BLOCK
    for block in range(-(-size // length)):
        part = content[start + block * length : min(start + (block + 1) * length, start + size)]
        place = at + 8 * (first + block)
        content[place : place + 8] = xxhash.xxh3_64_intdigest(bytes(part)).to_bytes(8, "little")
    table["checksums"][2] = xxhash.xxh3_64_intdigest(bytes(content[at : at + 8 * count]))
    packed = orjson.dumps(table)
    footer = np.array([offset, len(packed), xxhash.xxh3_64_intdigest(packed)], "<u8").tobytes() + content[-8:]
    path.write_bytes(bytes(content[:offset]) + packed + footer)


def stamp_of(path: Path) -> list[int]:
    """What identifies the content of a container: size and digest."""
    content = path.read_bytes()
    return [len(content), int(np.frombuffer(content[-16:-8], "<u8")[0])]


def reseal(index: Path) -> None:
    """Makes the manifest, and the derived data of segments, agree with the files of the segments as they are now."""
    file = index / MANIFEST_FILE
    value = orjson.loads(file.read_bytes())
    for entry in value["manifest"]["segments"]:
        folder = index / "segments" / entry["name"]
        entry["size"], entry["digest"] = stamp_of(folder / "segment.bin")
        for derived in (folder / "derived").glob("*.bin"):
            content = derived.read_bytes()
            offset, table = table_of(content)
            table["info"]["segment"] = [entry["size"], entry["digest"]]
            packed = orjson.dumps(table)
            footer = np.array([offset, len(packed), xxhash.xxh3_64_intdigest(packed)], "<u8").tobytes()
            derived.write_bytes(content[:offset] + packed + footer + content[-8:])
    value["checksum"] = _checksum(value["manifest"])
    file.write_bytes(orjson.dumps(value))
