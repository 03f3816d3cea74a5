"""What is compiled once after installation: said beforehand, with progress, by whichever command comes first."""

from __future__ import annotations

from porism.cli.terminal import echo


def compile_once(quiet: bool = False, fusing: bool = False) -> None:
    """Compiles the kernels that indexing and searching need (or fusion), where they are not in the cache on disk.

    A line on standard error says so, and a bar on a terminal shows how far it is; with ``quiet``, neither.
    """
    from porism.compiled.needed import FUSING, SEARCHING, compilation

    work = compilation(FUSING if fusing else SEARCHING)
    if work is None:
        return
    if not quiet:
        echo(f"Compiling the kernels once, about {work.seconds} s …", err=True)
        if not work.kept:
            echo(
                "Warning: no folder can be written that would keep them, so every command compiles them again. Name "
                "one that you can write: export NUMBA_CACHE_DIR=FOLDER", err=True,
            )
    from porism.cli.progress import share_progress

    with share_progress("compiling", quiet) as progress:
        work.run(progress)
