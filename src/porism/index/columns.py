"""Reading sections as what they are meant to be: checked once, so that nothing that uses their numbers goes astray.

Checksums show that a section is what was written. That the numbers in it can be used as positions is checked too, in
one vectorised pass when it is first read: a file that was made to do harm has checksums that agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container, corrupt


def column(
    container: Container, name: str, dtype: Any, length: int | None = None, *, low: int | None = None,
    end: int | None = None,
) -> NDArray[Any]:
    """A flat section of a dtype (or of one of several), of this length, with numbers from ``low`` and below ``end``.

    :raises IndexCorrupt: there is none, it was changed, or it is not like that.
    """
    array = container.array(name)
    dtypes = dtype if isinstance(dtype, tuple) else (dtype,)
    if array.ndim != 1 or array.dtype not in [np.dtype(one) for one in dtypes]:
        raise damaged(container, name, f"{array.ndim} dimensions of {array.dtype}")
    if length is not None and len(array) != length:
        raise damaged(container, name, f"{len(array)} elements where {length} belong")
    if (low is not None or end is not None) and len(array):
        key = (name, low, end)
        if key not in container.sound:
            least, most = int(array.min()), int(array.max())
            if (low is not None and least < low) or (end is not None and most >= end):
                raise damaged(container, name, f"numbers from {least} to {most} where {low} to below {end} belong")
            container.sound.add(key)
    return array


def starts(container: Container, name: str, dtype: Any, end: int, length: int | None = None) -> NDArray[Any]:
    """A flat section that bounds parts of something with ``end`` elements: from 0 to ``end``, never less than before.

    ``length`` is the number of parts, if it is known.

    :raises IndexCorrupt: there is none, it was changed, or it is not like that.
    """
    array = column(container, name, dtype, None if length is None else length + 1)
    key = (name, "starts", end)
    if key not in container.sound:
        if not are_starts(array, end):
            raise damaged(container, name, f"no bounds of {end} elements")
        container.sound.add(key)
    return array


def are_starts(array: NDArray[Any], end: int) -> bool:
    """Whether numbers bound the parts of something with ``end`` elements."""
    return (
        len(array) > 0 and int(array[0]) == 0 and int(array[-1]) == end and bool((array[1:] >= array[:-1]).all())
    )


def damaged(container: Container, name: str, what: str) -> Exception:
    """The error for a section whose numbers make no sense."""
    return corrupt(f"has changed in section {name!r} ({what})", container.path)
