"""Processes that are watched: their memory, with all their children, and their end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def run_watched(
    command: Sequence[str], log: Path, *, environment: Mapping[str, str] | None = None, limit: float = 1800.0
) -> tuple[int | None, float | None]:
    """Runs a command, its output going to ``log``: exit status (None: stopped at the time limit) and peak memory.

    Memory is the sum of the resident sets of the process and all its descendants in MiB, sampled ten times a second
    (pages that they share count in each); None without psutil.
    """
    with log.open("ab") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    peak: float | None = None
    deadline = time.monotonic() + limit
    try:
        while process.poll() is None:
            used = _resident_mb(process.pid)
            if used is not None:
                peak = max(peak or 0.0, used)
            if time.monotonic() > deadline:
                return None, peak
            time.sleep(0.1)
        return process.returncode, peak
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _resident_mb(pid: int) -> float | None:
    try:
        import psutil
    except ImportError:
        return None
    total = 0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                total += process.memory_info().rss
    return total / 2**20


def disk_use(folder: Path) -> tuple[float, int]:
    """MiB that a folder takes on disk, folders inside included, and its number of files."""
    blocks = files = 0
    for path in folder.rglob("*"):
        blocks += path.stat().st_blocks
        files += path.is_file()
    return blocks * 512 / 2**20, files
