"""Processes that are watched: their memory, with all their children, and their end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Peak(NamedTuple):
    """The most memory that a process and all its descendants had at once, in MiB; None without psutil.

    ``resident`` counts all pages, shared ones in each process. ``own`` leaves out pages of files, which the system
    takes back where it needs room, and all that is shared; it is known on Linux only.
    """

    resident: float | None = None
    own: float | None = None


def run_watched(
    command: Sequence[str], log: Path, *, environment: Mapping[str, str] | None = None, limit: float = 1800.0
) -> tuple[int | None, Peak]:
    """Runs a command, its output going to ``log``: exit status (None: stopped at the time limit) and peak memory,
    sampled ten times a second.
    """
    with log.open("ab") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    peak = Peak()
    deadline = time.monotonic() + limit
    try:
        while process.poll() is None:
            used = _memory(process.pid)
            peak = Peak(*[
                now if before is None else max(before, now or 0.0) for before, now in zip(peak, used, strict=True)
            ])
            if time.monotonic() > deadline:
                return None, peak
            time.sleep(0.1)
        return process.returncode, peak
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _memory(pid: int) -> Peak:
    """The memory that a process and its descendants have now."""
    try:
        import psutil
    except ImportError:
        return Peak()
    resident, own = 0, 0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                memory = process.memory_info()
                resident += memory.rss
                own += memory.rss - getattr(memory, "shared", 0)
    return Peak(resident / 2**20, own / 2**20 if psutil.LINUX else None)


def disk_use(folder: Path) -> tuple[float, int]:
    """MiB that a folder takes on disk, folders inside included, and its number of files."""
    blocks = files = 0
    for path in folder.rglob("*"):
        blocks += path.stat().st_blocks
        files += path.is_file()
    return blocks * 512 / 2**20, files
