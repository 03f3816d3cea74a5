"""Compiling the kernels that a command needs before the first of them is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from porism.system.compiled.building import (
    MAX_PROCESSES,
    compile_kernels,
    compiling,
    cores,
    kernels_of,
    not_compiled,
    use_temporary_cache,
)
from porism.system.compiled.kernel_cache import kernel_files, trusted_owners
from porism.system.compiled.kernels import Kernel, kernels_wait_for

SEARCHING = (
    "porism.index.engine.postings_kernels",
    "porism.index.row_kernels",
    "porism.index.run_kernels",
    "porism.index.string_kernels",
    "porism.index.engine.term_list_kernels",
    "porism.index.engine.topk_kernels",
    "porism.index.engine.tree_kernels",
    "porism.retrieve.formulas.alignment_kernels",
    "porism.retrieve.formulas.exact_kernels",
    "porism.retrieve.meaning.sum_kernels",
    "porism.retrieve.meaning.term_kernels",
    "porism.retrieve.patterns.kernels",
)
"""Modules of the kernels that indexing, searching and searching formulas need with the default models."""

FUSING = ("porism.lab.fusion.kernels",)
"""Those that fusion needs."""

_PACKAGE = Path(__file__).parents[2]

_SIZE_A_SECOND = 2_300
"""Bytes of Python code that one core compiles in a second, about."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """What is still to be compiled: the kernels, about how many seconds that takes, and whether it will be kept."""

    kernels: tuple[Kernel, ...]
    seconds: int
    kept: bool

    def run(self, on_progress: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Compiles; where no folder of the cache can be written, into one that lasts as long as this process."""
        if not self.kept:
            use_temporary_cache()
        compile_kernels(self.kernels, on_progress=on_progress)

    @contextmanager
    def meanwhile(self, on_progress: Callable[[int, int], None]) -> Iterator[None]:
        """Compiles while the block runs, whose first call of any kernel waits for the end, as does the block's."""
        if not self.kept:
            use_temporary_cache()
        with compiling(self.kernels) as wait, kernels_wait_for(lambda: wait(on_progress)):
            yield
            wait(on_progress)


def kernel_modules() -> list[str]:
    """All modules of kernels of the package: those whose names end in ``kernels``."""
    files = sorted(_PACKAGE.rglob("*kernels.py"))
    names = [".".join(file.relative_to(_PACKAGE.parent).with_suffix("").parts) for file in files]
    return [name for name in names if name != "porism.system.compiled.kernels"]


def compiled_files() -> Iterator[Path]:
    """The files of compiled kernels that this process would load."""
    first = {kernel.module: kernel for kernel in kernels_of(kernel_modules())}
    folders = {kernel.cache_folder() for kernel in first.values()} - {None}
    for folder in sorted(filter(None, folders)):
        yield from kernel_files(folder, trusted_owners(__file__))


def compilation(modules: tuple[str, ...] = SEARCHING) -> Compilation | None:
    """What must be compiled before the kernels of these modules can be called; None where all are in the cache."""
    kernels = tuple(not_compiled(kernels_of(modules)))
    if not kernels:
        return None
    size = sum(kernel.size for kernel in kernels)
    seconds = size / _SIZE_A_SECOND / min(cores(), MAX_PROCESSES)
    return Compilation(kernels, max(round(seconds), 1), kernels[0].cache_folder() is not None)
