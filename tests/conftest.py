"""Fixtures that all tests share."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("porism", deadline=None)  # how long an example takes depends on the machine
hypothesis.settings.load_profile("porism")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST_TEST = 120.0
"""Seconds of this process's own processor time after which a test is ended: it hangs."""


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Ends a test that runs away, such as one on hostile input that takes more than linear time."""

    def end(signal_number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {LONGEST_TEST:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_TEST)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a call runs, loops counted each time around: the same on any machine at any load."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.fixture
def assert_linear() -> Callable[..., None]:
    """``assert_linear(work, small, large)``: the lines that ``work(size)`` runs grow no faster than ``size``."""

    def check(work: Callable[[int], object], small: int, large: int) -> None:
        work(small)  # what is made once
        few, many = lines_run(lambda: work(small)), lines_run(lambda: work(large))
        assert many <= 1.3 * few * large / small + 2_000

    return check


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real collections that lie beside the project; skips the test where they are missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real collections in ../shared/data")
    return folder


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the bundled sample with all channels; tests must not change it."""
    from porism.sample import ENTRIES
    from porism.search.sources.updating import index_sources

    path = tmp_path_factory.mktemp("sample") / "index"
    index_sources([ENTRIES], path, jobs=1)
    return path
