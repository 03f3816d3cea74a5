"""The processes that a process has started, and the processor time of each, on Linux."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def descendants(process: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have started."""
    children: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*"):  # any of which may have started some
        with suppress(FileNotFoundError, ProcessLookupError):
            children += map(int, (thread / "children").read_text().split())
    for child in children:
        yield child
        yield from descendants(child)


def processor_seconds(process: int) -> float:
    """The seconds of processor time that a process has used; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Waits until a process and its descendants have used this much processor time, or the process has ended.

    On a system that does not say, it waits as long by the clock.
    """
    if not sys.platform.startswith("linux"):
        time.sleep(seconds)
        return
    while process.poll() is None:
        if sum(map(processor_seconds, [process.pid, *descendants(process.pid)])) >= seconds:
            return
        time.sleep(0.05)
