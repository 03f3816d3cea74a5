"""What a system of the benchmarks can do: build an index in a folder, open it, answer a topic.

``settings`` come from the command line of the benchmark, as strings.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.common.task import Entry, read_entries

TITLE = {"title": 3}
"""How often systems that have no weights for fields are given a field."""

Answer = tuple[float, list[tuple[str, float]]]
"""Seconds that it took, and the ranking: (document id, score)."""


def peak_mb(process: int | str = "self") -> float | None:
    """The most memory that a process had at once (resident set, from the kernel); None where it is not told."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else None


class Contender(ABC):
    """One system. ``settings`` come from the command line of the benchmark, as strings."""

    title: ClassVar[str]
    install: ClassVar[str] = "pip install '.[bench]'"

    def __init__(self, task: Path, folder: Path, settings: dict[str, str]) -> None:
        """``task`` is the folder of the prepared task, ``folder`` the contender's own."""
        self.task, self.folder, self.settings = task, folder, settings
        self.index = folder / "index"

    @abstractmethod
    def build(self) -> dict[str, Any]:
        """Makes the index; figures that only the contender knows are returned."""

    @abstractmethod
    def open(self) -> None:
        """Opens the index in this process."""

    @abstractmethod
    def ask(self, topic: Entry, k: int) -> Answer:
        """Answers a topic."""

    def memory(self) -> float | None:
        """Peak memory so far in MiB of the process that searches."""
        return peak_mb()

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Ends what was started."""

    def documents(self) -> Iterable[Entry]:
        """The collection."""
        return read_entries(self.task / "documents.jsonl")
