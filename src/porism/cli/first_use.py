"""Compiling kernels once after installation, by the command that comes first, with its progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from porism.cli.terminal import echo


def compile_once(quiet: bool = False, fusing: bool = False) -> None:
    """Compiles the kernels of indexing and searching, or those of fusion, if they are not cached on disk.

    A line on standard error and a bar on a terminal report it, unless ``quiet``.
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
                "Warning: no folder for them can be written, so every command compiles them again. Name one: "
                "export NUMBA_CACHE_DIR=FOLDER", err=True,
            )
    from porism.cli.progress import share_progress

    with share_progress("compiling", quiet) as progress, work.meanwhile(progress):
        yield
