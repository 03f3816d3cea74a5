"""Files of an index as arrays of bytes, mapped into memory without holding a descriptor for each.

Python's own memory maps keep a descriptor of their file as long as they live (before 3.13), and an index of many
segments has more files than a process may have descriptors. The system needs none of them: a mapping stays valid when
its file is closed. So files are mapped by the system's ``mmap`` itself where there is one.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Mapping:
    """A part of memory that arrays view; it is given back when the last of them has gone."""

    def __init__(self, place: int, size: int) -> None:
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (place, True)}
        release = weakref.finalize(self, _calls().munmap, place, size)
        release.atexit = False  # arrays can live on while the interpreter ends, which gives all memory back anyway


@cache
def _calls() -> Any:
    """The library that has ``mmap``, ``munmap`` and ``madvise`` of the system."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
    )
    library.munmap.restype = ctypes.c_int
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.madvise.restype = ctypes.c_int
    library.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def map_file(descriptor: int, size: int) -> NDArray[np.uint8]:
    """The first ``size`` bytes (above 0) of an open file, read-only; the file can be closed and removed then.

    :raises OSError: it cannot be mapped.
    """
    if os.name == "nt":
        return np.frombuffer(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ), np.uint8)
    place = _calls().mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if place is None or place == ctypes.c_void_p(-1).value:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return np.asarray(_Mapping(place, size))


def unload(array: NDArray[Any]) -> None:
    """Gives the memory of a mapped array back; what reads it again gets it from the file.

    For an array that was copied. Does nothing where the system has no such call.
    """
    if os.name == "nt" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    place = array.ctypes.data
    first = -(-place // mmap.PAGESIZE) * mmap.PAGESIZE  # pages shared with neighbours stay
    last = (place + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if last > first:
        _calls().madvise(first, last - first, mmap.MADV_DONTNEED)
