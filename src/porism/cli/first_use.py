"""What is compiled once after installation: said beforehand, with progress, by whichever command comes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from porism.cli.terminal import echo


def compile_once(quiet: bool = False, fusing: bool = False) -> None:
    """Compiles the kernels that indexing and searching need (or fusion), where they are not in the cache on disk.

    A line on standard error says so, and a bar on a terminal shows how far it is; with ``quiet``, neither.
    """
    with compiling_once(quiet, fusing):
        pass


@contextmanager
def compiling_once(quiet: bool = False, fusing: bool = False) -> Iterator[None]:
    """The same while the block runs, which waits when it first calls a kernel, and at its end."""
    from porism.system.compiled.warmup import FUSING, SEARCHING, compilation

    work = compilation(FUSING if fusing else SEARCHING)
    if work is None:
        yield
        return
    if not quiet:
        echo(f"Compiling the kernels once, about {work.seconds} s …", err=True)
        if not work.kept:
            echo(
                "Warning: no folder can be written that would keep them, so every command compiles them again. Name "
                "one that you can write: export NUMBA_CACHE_DIR=FOLDER", err=True,
            )
    from porism.cli.progress import share_progress

    with share_progress("compiling", quiet) as progress, work.meanwhile(progress):
        yield
