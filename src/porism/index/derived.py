"""Derived data: files beside a segment that can be computed from it again, such as postings.

The name of a file begins with its kind. Each kind has a layout number, which grows when a new version of Porism writes
the kind differently. Files of another layout or of an unknown kind are never read; the next writer removes them.
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
"""The prefix of data in which the formulas of a segment take the place of its documents."""

LAYOUTS: Mapping[str, int] = MappingProxyType({
    "postings": 2, "view": 2, "impacts": 2, "links": 1, "trees": 1, "places": 1, "key-digests": 2, "vectors": 2,
    "near": 1, "mentions": 1,
})
"""Kind → the layout that this version writes and reads. A file without a layout number has the first one that was ever
listed here: 2 for postings, views and impacts, 1 for all others."""

_READ_BY_ROWS = frozenset({"postings/dense_codes", "view/dense_codes", "trees/labels", "trees/sizes", "trees/arities"})
"""Large arrays (kind/array) from which a search reads scattered short rows."""

_UNMARKED = MappingProxyType({**dict.fromkeys(LAYOUTS, 1), "postings": 2, "view": 2, "impacts": 2})


def derived_path(folder: Path, name: str) -> Path:
    """The file of derived data in the folder of a segment."""
    return folder / DERIVED_FOLDER / f"{name}.bin"


def kind_of(name: str) -> str | None:
    """The kind of derived data with this name; None if this version does not know it."""
    bare = name.removeprefix(FORMULAS)
    return next((kind for kind in LAYOUTS if bare == kind or bare.startswith(f"{kind}-")), None)


def write_derived(
    folder: Path, stamp: Stamp, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]
) -> None:
    """Stores derived data with the segment in ``folder``, atomically; replaces a file of the same name.

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
    """Opens a file of derived data without reading its sections.

    None if it is missing, broken, or of another layout or segment. The ``info`` given to :func:`write_derived` is
    ``info["info"]`` of the container.

    :raises IndexUnreadable: the system does not let us read it.
    """
    try:
        derived = Container(derived_path(folder, name), "derived")
    except (FileNotFoundError, IndexCorrupt, IndexVersionError):
        return None
    mine = derived.info.get("segment") == list(stamp) and isinstance(derived.info.get("info"), dict)
    return derived if mine and _is_current(derived, kind_of(name)) else None


def remove_outdated(folder: Path) -> None:
    """Removes derived data of kinds or layouts that this version does not read."""
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
