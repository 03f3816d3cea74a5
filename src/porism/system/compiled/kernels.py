"""How kernels are compiled: once, with fixed types, cached on disk, and reading arrays through their addresses.

A kernel that takes NumPy arrays is compiled again for each combination of types, layouts and read-only flags that it
meets. A user would feel this as seconds in a query. So kernels here declare one signature, and arrays that may be
memory-mapped read-only, or whose number varies (one set a channel), are passed as addresses. Whoever passes an address
keeps the array alive for the call.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.extending
import numpy as np
from numpy.typing import NDArray

from porism.system.compiled.kernel_cache import keeps_rights, use_kernel_files
from porism.system.compiled.numba_internals import KernelCompiler, calls_typed_once, spare_scipy
from porism.system.concurrency.interrupts import uninterrupted

F = TypeVar("F", bound=Callable[..., Any])

types: Any = numba.types  # versions of Numba differ in how much they say of their types
intrinsic: Any = numba.extending.intrinsic
_njit: Any = numba.njit

def njit(*signature: str, **options: Any) -> Any:
    """:func:`numba.njit` with :class:`~porism.system.compiled.numba_internals.KernelCompiler`."""
    return _njit(*signature, pipeline_class=KernelCompiler, **options)


_preparing = threading.RLock()
"""Held while a kernel is compiled or loaded: a fork waits, since Numba's own locks would stay closed in the child."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_preparing.acquire, after_in_parent=_preparing.release, after_in_child=_preparing.release
    )


class Kernel:
    """A function that is compiled for its one signature, or loaded from the cache on disk, when it is first called."""

    def __init__(self, function: Callable[..., Any], signature: str, fast_math: bool, eager: bool) -> None:
        self._function = function
        self._signature = signature
        self._options = {"nogil": True, "fastmath": fast_math, "error_model": "numpy", "no_cfunc_wrapper": True}
        self._compiled: Callable[..., Any] | None = None
        self.module = function.__module__
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        if eager:
            _kernels.append(self)

    def __repr__(self) -> str:
        return f"<kernel {self.module}.{self.__name__}>"

    @property
    def ready(self) -> bool:
        """Whether it was compiled or loaded."""
        return self._compiled is not None

    @property
    def size(self) -> int:
        """The bytes of its Python code, about proportional to the time that compiling it takes."""
        return len(self._function.__code__.co_code)

    def prepare(self) -> Callable[..., Any]:
        """The compiled function; cached on disk where some folder can be written."""
        if self._compiled is None:
            for wait in _awaited:
                wait()
            spare_scipy()
            # A Ctrl-C in the midst would leave Numba's own tables half filled, and nothing could be compiled any more.
            with uninterrupted(), _preparing, calls_typed_once():
                dispatcher = self._cached() or njit(**self._options)(self._function)
                dispatcher.compile(self._signature)
                dispatcher.disable_compile()
                self._compiled = cast(Callable[..., Any], dispatcher)
        return self._compiled

    def _cached(self) -> Any:
        """The function to compile or load, with its cache; None where no folder can be written."""
        try:
            dispatcher = njit(cache=True, **self._options)(self._function)
        except RuntimeError:
            return None
        with suppress(AttributeError):  # a Numba of another make keeps its own cache
            use_kernel_files(dispatcher)
        return dispatcher

    def cache_folder(self) -> Path | None:
        """Where its compiled code is kept; None where no folder can be written, or others could write its files."""
        spare_scipy()
        dispatcher = self._cached()
        folder = None if dispatcher is None else Path(dispatcher.stats.cache_path)
        return folder if folder is not None and keeps_rights(folder) else None

    def is_cached(self) -> bool:
        """Whether it can be loaded from the cache on disk; compiles and loads nothing.

        Numba has no public question of this kind. Where its inner parts are other than known, the answer is yes: then
        the kernel is compiled when it is first called.
        """
        spare_scipy()
        dispatcher = self._cached()
        if dispatcher is None:
            return False
        try:
            key = dispatcher._cache._index_key(self._signature, dispatcher.targetctx.codegen())
            return bool(dispatcher._cache._cache_file.has(key))
        except AttributeError:
            return True

    def __call__(self, *arguments: Any) -> Any:
        try:
            return (self._compiled or self.prepare())(*arguments)
        except SystemError as error:
            # This is what becomes of a Ctrl-C that comes while Numba unpacks the arguments.
            cause: BaseException | None = error
            while isinstance(cause, SystemError):
                cause = cause.__cause__ or cause.__context__
            if isinstance(cause, KeyboardInterrupt):
                raise cause from None
            raise


_kernels: list[Kernel] = []

_awaited: list[Callable[[], None]] = []


@contextmanager
def kernels_wait_for(wait: Callable[[], None]) -> Iterator[None]:
    """While the block runs, a kernel calls ``wait`` before it is compiled or loaded: others are compiling it."""
    _awaited.append(wait)
    try:
        yield
    finally:
        _awaited.remove(wait)


def warm_up() -> None:
    """Compiles, or loads, the eager kernels of all modules imported so far, so that no query has to."""
    for kernel in _kernels:
        kernel.prepare()


def compiled(signature: str, *, fast_math: bool = False, eager: bool = True) -> Callable[[Callable[..., Any]], Kernel]:
    """Marks a kernel with its one signature; it releases the interpreter lock while it runs.

    One that is not ``eager`` is compiled when it is first called: what most searches do not need.
    """
    return lambda function: Kernel(function, signature, fast_math, eager)


def inlined(*, fast_math: bool = False) -> Callable[[F], F]:
    """Marks a helper that becomes part of the kernels that call it; it must be in the same file as they are.

    It cannot be called from Python: what Numba makes for that takes a tenth of the time to compile.
    """
    options = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def decorate(function: F) -> F:
        return cast(F, njit(fastmath=fast_math, **options)(function))

    return decorate


def address(array: NDArray[Any] | None) -> int:
    """Where the data of a C-contiguous array begins; 0 for None."""
    if array is None:
        return 0
    if not array.flags.c_contiguous:
        raise ValueError("only a contiguous array can be passed by its address")
    return int(array.__array_interface__["data"][0])


def as_layout(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The array itself where it is contiguous and of this type, else a copy that is."""
    return np.ascontiguousarray(array, dtype)


def _pointer(element: Any) -> Any:
    def at(typing_context: Any, location: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(element)(types.int64), generate

    return intrinsic(at)


def _start_of(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(array)(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


start_of = intrinsic(_start_of)
"""In a kernel: the pointer to the elements of a contiguous array that the caller keeps alive.

What is read through a pointer takes a fraction of the time to compile that it takes with an array.
"""

u8_at = _pointer(types.uint8)
"""In a kernel: the pointer to bytes at an address; ``u8_at(a)[i]`` is one of them."""
i8_at = _pointer(types.int8)
u16_at = _pointer(types.uint16)
i32_at = _pointer(types.int32)
u32_at = _pointer(types.uint32)
i64_at = _pointer(types.int64)
u64_at = _pointer(types.uint64)
f64_at = _pointer(types.float64)
f32_at = _pointer(types.float32)
