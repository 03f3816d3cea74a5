"""Mutation testing: which share of small changes of the code do the tests notice?

::

    python -m benchmarks robustness mutation                                  50 mutants of each package
    python -m benchmarks robustness mutation --packages lab/fusion --count 200    more of one
    python -m benchmarks robustness mutation --only FILE.json                 the survivors of an earlier run again
    python -m benchmarks robustness mutation --watched                        those that must be killed, always the same

Draws mutants with a seed, runs for each the tests that mirror its module in a copy of the project, and prints the share
killed by package and the survivors as diffs; --output writes all as JSON. A mutant is killed where a test fails, or
takes far more processor time than without it. Mutants that change nothing that can be observed are listed with the
reason in mutation_equivalent.toml, and left out. Compiled kernels are mutated too: their copy has a cache without them.

A sample says little of a single change. So the checks of the project try the mutants of mutation_watched.toml, which
name a change of the code and the tests that notice it: one that survives, or whose code is gone, fails.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.robustness.mirrors import mirrored_tests, part_of, tests_of
from benchmarks.robustness.mutants import Mutant, mutants_of

PACKAGE = ROOT / "src" / "porism"
PACKAGES = ("index", "formula", "lab/fusion", "lab/evaluate")
COPIED = ("src", "tests", "docs", "benchmarks", "pyproject.toml", "README.md", "ARCHITECTURE.md")
EQUIVALENT = Path(__file__).with_name("mutation_equivalent.toml")

WATCHED = Path(__file__).with_name("mutation_watched.toml")

MIN_LIMIT = 20.0
"""Seconds of processor time that tests of a mutant may take at least."""
SLOWER = 3.0
"""Times the seconds that the tests take without a mutant after which they are ended."""
COMPILING = 60.0
"""Seconds more for kernels."""
PRELOADED = ("pytest", "hypothesis", "numpy", "numba", "click", "pydantic", "orjson", "lxml.etree")
"""What all tests import, loaded once for all; nothing of the project itself."""


TestedMutant = tuple[Mutant, tuple[str, ...]]
"""A mutant and the files of tests that may notice it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: ``killed``, ``timeout`` (killed too), ``survived``, or ``untested``."""

    package: str
    key: str
    line: int
    diff: str
    tests: tuple[str, ...]
    status: str
    seconds: float
    last: str


def main() -> int:
    """Parses arguments, runs, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", default=",".join(PACKAGES), help="parts of the package, separated by commas")
    parser.add_argument("--count", type=int, default=50, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="mutants at once")
    parser.add_argument("--only", type=Path, help="the JSON of an earlier run: its survivors alone")
    parser.add_argument("--output", type=Path, help="where to write everything as JSON")
    parser.add_argument("--watched", action="store_true", help="those of mutation_watched.toml alone; a survivor fails")
    parser.add_argument("--limit", type=float, help="seconds of processor time that the tests of a mutant may take; "
                        "without it, all tests run once without a mutant, to see that they pass and how long they take")
    options = parser.parse_args()
    reasons = _reasons()
    if options.watched:
        chosen = watched_mutants(WATCHED)
    elif options.only:
        chosen = _with_tests(_survivors(options.only))
    else:
        chosen = _with_tests(_sample(options.packages.split(","), options.count, options.seed, reasons))
    with tempfile.TemporaryDirectory(prefix="porism-mutation-") as folder:
        outcomes = _run(chosen, Path(folder), options.jobs, options.limit)
    table = _table(outcomes)
    print(f"\n{'package':12} {'mutants':>8} {'killed':>8} {'share':>8}")
    for name, (count, killed) in table.items():
        print(f"{name:12} {count:8} {killed:8} {killed / max(count, 1):8.3f}")
    for outcome in outcomes:
        if outcome.status in ("survived", "untested"):
            print(f"\n{outcome.status}: {outcome.key}\n{outcome.diff}")
    if options.output:
        record = {
            "seed": options.seed, "count": options.count, "packages": {
                name: {"mutants": count, "killed": killed} for name, (count, killed) in table.items()
            },
            "mutants": [asdict(outcome) for outcome in outcomes],
        }
        options.output.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    count, killed = table["all"]
    if options.watched and killed < count:
        print(f"\n{count - killed} of {count} watched mutants survived", file=sys.stderr)
        return 1
    return 0


def watched_mutants(path: Path) -> list[TestedMutant]:
    """The mutants that a file lists, each with its tests.

    :raises ValueError: the code that one changes is not in its file, or more than once.
    """
    chosen = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
        file = ROOT / entry["file"]
        code = file.read_text(encoding="utf-8")
        if (count := code.count(entry["before"])) != 1:
            raise ValueError(f"{path.name}: {entry['before']!r} is {count} times in {entry['file']}; name it anew")
        start = len(code[: code.index(entry["before"])].encode())
        line = code[: code.index(entry["before"])].count("\n") + 1
        mutant = Mutant(
            file, entry["function"], line, start, start + len(entry["before"].encode()),
            entry["before"], entry["after"], entry["before"].strip(),
        )
        chosen.append((mutant, tuple(entry["tests"])))
    return chosen


def _with_tests(mutants: Iterable[Mutant]) -> list[TestedMutant]:
    return [(mutant, tuple(mirrored_tests(mutant.path, PACKAGE, ROOT / "tests"))) for mutant in mutants]


def _reasons() -> dict[str, str]:
    """Equivalent mutants by their keys, with the reason.

    :raises ValueError: one is listed that is not a mutant any more.
    """
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    reasons = {one["mutant"]: one["reason"] for one in listed}
    files = {key.split("::")[0] for key in reasons}
    known = {one.key(ROOT) for name in files if (ROOT / name).exists() for one in mutants_of(ROOT / name)}
    if gone := reasons.keys() - known:
        raise ValueError(f"{EQUIVALENT.name} lists what is not a mutant any more: {sorted(gone)}")
    return reasons


def _all(package: str) -> list[Mutant]:
    return [one for path in sorted((PACKAGE / package).rglob("*.py")) for one in mutants_of(path)]


def _sample(packages: Iterable[str], count: int, seed: int, reasons: dict[str, str]) -> list[Mutant]:
    """``count`` mutants of each package, drawn with the seed; those that are equivalent are not replaced."""
    drawn = []
    for package in packages:
        mutants = _all(package)
        drawn.append(random.Random(f"{seed} {package}").sample(mutants, min(count, len(mutants))))
    # in turn, so that a run that ends early has as many of each package
    return [one for row in itertools.zip_longest(*drawn) for one in row if one and one.key(ROOT) not in reasons]


def _survivors(path: Path) -> list[Mutant]:
    """The mutants that survived an earlier run, as far as they are still there."""
    record = json.loads(path.read_text(encoding="utf-8"))
    keys = {one["key"] for one in record["mutants"] if one["status"] in ("survived", "untested")}
    packages = dict.fromkeys(one["package"] for one in record["mutants"])
    reasons = _reasons()
    return [one for package in packages for one in _all(package) if one.key(ROOT) in keys - reasons.keys()]


def _package(mutant: Mutant) -> str:
    return part_of(mutant.path, PACKAGE)


def _table(outcomes: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for outcome in outcomes:
        for name in (outcome.package, "all"):
            counts[name][0] += 1
            counts[name][1] += outcome.status in ("killed", "timeout")
    everything = counts.pop("all", [0, 0])
    return {**{name: (count, killed) for name, (count, killed) in counts.items()}, "all": tuple(everything)}  # type: ignore[dict-item]


def _run(mutants: Sequence[TestedMutant], folder: Path, jobs: int, limit: float | None) -> list[Outcome]:
    """The outcome of each mutant; copies of the project are made in ``folder``."""
    os.environ.pop("NUMBA_CACHE_DIR", None)
    for name in PRELOADED:
        __import__(name)
    pristine = folder / "pristine"
    pristine.mkdir()
    _compile()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, pristine / name, ignore=shutil.ignore_patterns("*.pyc", ".git"))
        else:
            shutil.copy2(ROOT / name, pristine / name)
    seconds_of = None if limit is not None else _baseline({_package(mutant) for mutant, _ in mutants}, pristine, folder)
    outcomes: list[Outcome] = []

    def test(number: int) -> Outcome:
        most = limit or 0.0
        mutant, tests = mutants[number]
        if seconds_of is not None:
            most = max(MIN_LIMIT, SLOWER * sum(seconds_of.get(test, 0.0) for test in tests))
        return _outcome(mutant, tests, number, pristine, folder, most)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(test, range(len(mutants))):
            outcomes.append(outcome)
            place = f"{len(outcomes):4}/{len(mutants)}"
            print(f"{place} {outcome.status:9} {outcome.seconds:6.1f} s  {outcome.key}", flush=True)
    return outcomes


def _compile() -> None:
    """All kernels into the checkout's own cache, which the copies share but for the files that they change."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            sys.path.insert(0, str(ROOT / "src"))
            from porism.system.compiled.warmup import compilation, kernel_modules

            if (work := compilation(tuple(kernel_modules()))) is not None:
                work.run()
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("the kernels could not be compiled")


def _baseline(packages: Iterable[str], pristine: Path, folder: Path) -> dict[str, float]:
    """Seconds that each file of tests takes without a mutant.

    :raises RuntimeError: a test fails without one.
    """
    seconds: dict[str, float] = {}
    for package in sorted(packages):
        tests = [str(path.relative_to(ROOT)) for path in tests_of(package, ROOT / "tests")]
        tree = folder / f"baseline-{package.replace('/', '-')}"
        shutil.copytree(pristine, tree, copy_function=os.link)
        code, taken, last = _test(tree, tests, 3600.0, tree / "durations.json")
        if code:
            raise RuntimeError(f"the tests of {package} fail without a mutant: {last}")
        print(f"{package}: {len(tests)} files of tests take {taken:.0f} s of processor time", flush=True)
        seconds.update(json.loads((tree / "durations.json").read_text(encoding="utf-8")))
        shutil.rmtree(tree, ignore_errors=True)
    return seconds


class _Durations:
    """A plugin of pytest that writes how many seconds each file took."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds: dict[str, float] = collections.defaultdict(float)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._seconds[report.nodeid.split("::")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps(self._seconds), encoding="utf-8")


def _outcome(
    mutant: Mutant, tests: tuple[str, ...], number: int, pristine: Path, folder: Path, limit: float
) -> Outcome:
    status, seconds, last = "untested", 0.0, ""
    if tests:
        tree = folder / f"tree{number}"
        shutil.copytree(pristine, tree, copy_function=os.link)
        _mutate(mutant, tree)
        if mutant.path.stem.endswith("kernels") or mutant.path.stem == "front_coding":
            limit += COMPILING
        code, seconds, last = _test(tree, tests, limit)
        status = "survived" if code == 0 else "timeout" if code < 0 else "killed"
        shutil.rmtree(tree, ignore_errors=True)
    return Outcome(
        _package(mutant), mutant.key(ROOT), mutant.line, mutant.diff(ROOT), tests, status, round(seconds, 2), last
    )


def _mutate(mutant: Mutant, tree: Path) -> None:
    """Changes the file in a copy, and forgets what was compiled of it and of the files that have its code in theirs."""
    target = tree / mutant.path.relative_to(ROOT)
    target.unlink()  # it is a link to that of all copies
    target.write_text(mutant.source(), encoding="utf-8")
    package = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts)
    forget = [target]
    users = f"from {package} import"
    forget += [path for path in (tree / "src").rglob("*kernels.py") if users in path.read_text(encoding="utf-8")]
    for path in forget:
        for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            cached.unlink()


def _test(tree: Path, tests: Sequence[str], limit: float, durations: Path | None = None) -> tuple[int, float, str]:
    """Runs tests in a process forked from this one: exit code (below 0 after a signal), seconds of processor time with
    those of its children, and the last line that it wrote."""
    log = tree / "log.txt"
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.setsid()
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.chdir(tree)
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 5))
            sys.path[:] = [str(tree / "src"), *(one for one in sys.path if one not in ("", str(ROOT)))]
            os.environ["PYTHONPATH"] = str(tree / "src")
            os.environ["TMPDIR"] = str(tree)
            import pytest

            options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line"]
            plugins = [_Durations(durations)] if durations else []
            code = int(pytest.main([*options, *tests], plugins=plugins))
        finally:
            os._exit(code)
    watch = time.monotonic()
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - watch > 10 * limit:  # it sleeps, or waits for a lock that nobody lets go
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what it left behind
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, lines[-1] if lines else ""


if __name__ == "__main__":
    sys.exit(main())
