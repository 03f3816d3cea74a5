"""Kernels compile once, for read-only arrays too, and start without SciPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from long_forms import LONG_ONLY

from porism.system.compiled import kernels as compiled
from porism.system.compiled import numba_internals
from porism.system.compiled.kernels import address, u8_at, warm_up


@compiled.compiled("int64(int64, int64)")
def add_up(at, size):
    """The sum of bytes at an address."""
    total = 0
    for i in range(size):
        total += u8_at(at)[i]
    return total


def test_a_kernel_reads_arrays_by_address_read_only_or_not():
    data = np.arange(200, dtype=np.uint8)
    frozen = data.copy()
    frozen.flags.writeable = False
    assert add_up(address(data), 200) == add_up(address(frozen), 200) == 199 * 100
    assert add_up(address(None), 0) == 0
    assert add_up.__doc__ == "The sum of bytes at an address."


def test_compiling_spares_the_passes_that_no_kernel_needs():
    dispatcher = compiled.njit("int64(int64)")(lambda number: number - 1)
    (times,) = dispatcher.get_metadata(dispatcher.signatures[0])["pipeline_times"].values()
    passes = {name.split("_", 1)[1] for name in times}  # they are numbered
    assert {"nopython_type_inference", "native_lowering", "reconstruct_ssa"} <= passes
    assert not passes & numba_internals._UNUSED_PASSES
    assert dispatcher(42) == 41


def test_only_contiguous_arrays_have_an_address():
    with pytest.raises(ValueError, match="contiguous"):
        address(np.zeros(10)[::2])


def test_without_a_folder_for_the_cache_kernels_are_compiled_in_memory(monkeypatch):
    plain = compiled.njit

    def nowhere_to_cache(*arguments, **options):
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return plain(*arguments, **options)

    monkeypatch.setattr(compiled, "njit", nowhere_to_cache)
    kernel = compiled.compiled("int64(int64)")(lambda number: number + 1)
    assert kernel(41) == 42


def test_warm_up_prepares_every_kernel():
    kernel = compiled.compiled("int64(int64)")(lambda number: number + 2)
    warm_up()
    assert kernel.ready
    assert add_up.ready


@LONG_ONLY
def test_kernels_start_without_scipy_and_leave_numba_as_it_was():
    script = (
        "import sys, numba.np.linalg\n"
        "ensure = numba.np.linalg.ensure_blas\n"
        "from porism.index.engine.postings_kernels import count_gone\n"
        "count_gone.prepare()\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "assert numba.np.linalg.ensure_blas is ensure\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
