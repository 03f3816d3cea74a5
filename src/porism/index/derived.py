"""Derived data: files beside a segment with what can be computed from it again, such as postings.

The name of a file begins with its kind. Each kind has a layout, a number that grows when a new version of Porism writes
the kind in another way. A file of another layout, or of a kind that this version does not know, is never read; the next
writer removes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from porism.errors import IndexCorrupt, IndexUnreadable, IndexVersionError
from porism.index.container import Container, Stamp
from porism.index.container_writer import ContainerWriter
from porism.system.files.durable import make_folder

DERIVED_FOLDER = "derived"

FORMULAS = "formulas-"
"""How the names of data begin that describe the formulas of a segment as if they were its documents."""

LAYOUTS: Mapping[str, int] = MappingProxyType({
    "postings": 2, "view": 2, "impacts": 2, "links": 1, "trees": 1, "places": 1, "key-digests": 2, "vectors": 2,
    "near": 1,
})
"""Kind → the layout that this version writes and reads. A file that does not say its layout has the first of these that
were ever listed here: postings, views and impacts 2, all others 1."""

_READ_BY_ROWS = frozenset({
    "postings/dense_codes", "view/dense_codes", "trees/labels", "trees/sizes", "trees/arities"
})
"""Large arrays, after their kind, of which a search reads short rows here and there."""

_UNMARKED = MappingProxyType({**dict.fromkeys(LAYOUTS, 1), "postings": 2, "view": 2, "impacts": 2})


def derived_path(folder: Path, name: str) -> Path:
    """The file of derived data of a segment, given its folder."""
    return folder / DERIVED_FOLDER / f"{name}.bin"


def kind_of(name: str) -> str | None:
    """The kind of derived data with this name; None where this version knows no such kind."""
    bare = name.removeprefix(FORMULAS)
    return next((kind for kind in LAYOUTS if bare == kind or bare.startswith(f"{kind}-")), None)


def write_derived(
    folder: Path, stamp: Stamp, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]
) -> None:
    """Keeps derived data with the segment in ``folder``, whole or not at all; replaces what has the name.

    :raises StorageError: the disk is full, the folder is read-only, or the segment is gone; the caller can keep the
        data in memory.
    :raises ValueError: the name does not begin with a kind of :data:`LAYOUTS`.
    """
    kind = kind_of(name)
    if kind is None:
        raise ValueError(f"derived data {name!r} are of no kind; list it in porism.index.derived.LAYOUTS")
    path = derived_path(folder, name)
    make_folder(path.parent, parents=False)
    with ContainerWriter(path, "derived", atomic=True) as writer:
        for key, array in arrays.items():
            writer.add(key, array, small_blocks=f"{kind}/{key}" in _READ_BY_ROWS)
        writer.finish({"segment": list(stamp), "layout": LAYOUTS[kind], "info": dict(info)})


def open_derived(folder: Path, stamp: Stamp, name: str) -> Container | None:
    """The file of derived data, whose sections are not read yet.

    None where it is missing, broken, of another layout or of another segment. What :func:`write_derived` took as
    ``info`` is the entry ``info`` of the container's.

    :raises IndexUnreadable: the system does not let us read it.
    """
    try:
        derived = Container(derived_path(folder, name), "derived")
    except (FileNotFoundError, IndexCorrupt, IndexVersionError):
        return None
    mine = derived.info.get("segment") == list(stamp) and isinstance(derived.info.get("info"), dict)
    return derived if mine and _is_current(derived, kind_of(name)) else None


def remove_outdated(folder: Path) -> None:
    """Removes derived data of a segment that this version never reads: those of another kind or layout."""
    for file in (folder / DERIVED_FOLDER).glob("*.bin"):
        kind = kind_of(file.stem)
        if kind is not None:
            try:
                if _is_current(Container(file, "derived"), kind):
                    continue
            except (FileNotFoundError, IndexCorrupt, IndexUnreadable):  # damaged: `porism check` reports it
                continue
            except IndexVersionError:
                pass
        with suppress(OSError):  # in use (Windows) or not ours: the next writer tries again
            file.unlink(missing_ok=True)


def _is_current(derived: Container, kind: str | None) -> bool:
    return kind is not None and derived.info.get("layout", _UNMARKED.get(kind)) == LAYOUTS[kind]
