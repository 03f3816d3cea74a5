"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import hypothesis
import pytest
from long_forms import LONG, MAX_TEST_SECONDS, MIN_EXAMPLES

hypothesis.settings.register_profile(
    "porism", deadline=None,  # how long an example takes depends on the machine
    max_examples=100 if LONG else MIN_EXAMPLES,
    derandomize="PORISM_RANDOM_TESTS" not in os.environ,  # a change is judged by the same examples each time
)
hypothesis.settings.load_profile("porism")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = (
    "test_benchmarks_run.py", "test_contributing.py", "test_core.py", "test_encoder_training.py",
    "test_killed_reproduction.py", "test_papers.py", "test_web_browser.py", "test_web_layout.py",
)
"""Files of tests that take longest."""

COMPILE = """
from porism.system.compiled.building import compile_kernels, kernels_of, not_compiled
from porism.system.compiled.warmup import kernel_modules

kernels = not_compiled(kernels_of(kernel_modules()))
if kernels:
    print("compiling", len(kernels), "kernels once", flush=True)
    compile_kernels(kernels)
"""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """In several processes, all tests of a file run in one, which makes its fixtures once."""
    if getattr(config.option, "numprocesses", None) and getattr(config.option, "dist", "") == "no":
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False  # else files with the fewest tests, however long, come last


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take longest begin, so that no process waits for the last one of another."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_configure(config: pytest.Config) -> None:
    """Before several processes test, one compiles all kernels: else each of them would, at the same time."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, "-c", COMPILE], check=True)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking for garbage in it takes time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def processors_without_bfloat16() -> Iterator[None]:
    """Models encode in float32 unless a test says otherwise, so that results are the same on any processor."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("porism.vectors") is not None:  # it is missing where the core is tried alone
            patch.setattr("porism.vectors.neural.encoder_model.processor_has_bfloat16", lambda: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_wait_for_the_disk() -> Iterator[None]:
    """No test pulls the plug: those of power cuts (``helpers/power.py``) record the calls and play the disk."""

    def check_only(target: Any) -> None:
        os.fstat(target if isinstance(target, int) else target.fileno())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", check_only)
        yield


@pytest.fixture(autouse=True, scope="module")
def _what_stays() -> Iterator[None]:
    """So does what the tests of a file have loaded, such as a compiler: else each later look takes a second."""
    yield
    gc.collect()
    gc.freeze()


class TakesTooLong(BaseException):
    """Ends a test that hangs, whatever exceptions it expects."""


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Ends a test that runs away, such as one on hostile input that takes more than linear time."""

    def end(signal_number: int, frame: FrameType | None) -> None:
        raise TakesTooLong(f"more than {MAX_TEST_SECONDS:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_TEST_SECONDS)
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
    """``assert_linear(work, small, large)``: the lines that ``work(size)`` runs grow no faster than ``size``.

    In the short form both sizes are divided by up to four, as long as the small one is at least 100; not so with
    ``in_full``, for work that is linear only from some size on.
    """

    def check(work: Callable[[int], object], small: int, large: int, in_full: bool = False) -> None:
        if not (LONG or in_full):
            divisor = max(1, min(4, small // 100))
            small, large = small // divisor, large // divisor
        work(small)  # what is made once
        few, many = lines_run(lambda: work(small)), lines_run(lambda: work(large))
        assert many <= 1.3 * few * large / small + 2_000

    return check


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real collections that lie beside the project; skips the test where they are missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real collections: put them into ../shared/data, as benchmarks/README.md says")
    return folder


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the bundled sample with the channels of all models that search one; tests must not change it."""
    from porism.analysis.configuration import AnalysisConfig
    from porism.sample import ENTRIES
    from porism.search.sources.updating import index_sources

    path = tmp_path_factory.mktemp("sample") / "index"
    index_sources([ENTRIES], path, config=AnalysisConfig.named(["default", "tangent-l"]), jobs=1)
    return path


@pytest.fixture(scope="session")
def reading_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a paper, notes and posts that refer to one another; tests must not change it."""
    from reading_texts import write_texts

    from porism.search.sources.updating import index_sources

    folder = tmp_path_factory.mktemp("reading")
    (folder / "texts").mkdir()
    options = {"fields": {"title": "title", "body": "body", "comments": "comments"}}
    index_sources(write_texts(folder / "texts"), folder / "index", options=options, jobs=1)
    return folder / "index"


@pytest.fixture(scope="session")
def sample_shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The bundled sample in two indexes, ``few`` and ``many``: every third entry, and the others."""
    from porism.analysis.configuration import AnalysisConfig
    from porism.sample import entries_path
    from porism.search.sources.updating import index_sources

    config = AnalysisConfig.named(["default", "tangent-l"])
    folder = tmp_path_factory.mktemp("shards")
    with entries_path() as path:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for name, part in (("few", lines[::3]), ("many", [line for place, line in enumerate(lines) if place % 3])):
        (folder / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
        index_sources([folder / f"{name}.jsonl"], folder / f"{name}.index", config=config, jobs=1)
    return [folder / "few.index", folder / "many.index"]
