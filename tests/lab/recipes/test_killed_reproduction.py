"""``porism reproduce`` killed at any moment goes on with ``--resume``: the same tables, and nothing is made twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from recipe_cases import contents

from porism.lab.recipes.cache import Cache

pytest.importorskip("matplotlib", reason="the extra 'lab' is not installed")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL, which Windows lacks: run it on Linux or macOS")

HARNESS = """
import json, sys
from pathlib import Path
from test_killed_reproduction import kill_starts

print(json.dumps(kill_starts(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))))
"""


class Point(NamedTuple):
    """Before the so many-th change of a file whose path has this part, once so many entries of a kind are cached."""

    path: str = ""
    turn: int = 1
    kind: str = ""
    entries: int = 0


@dataclass(frozen=True)
class Case:
    """A paper at the scale ``smoke``: the systems that are made, how many stages that takes, and where it is killed."""

    systems: tuple[str, ...]
    stages: int
    points: tuple[Point, ...]


CASES = {
    "duot5": Case(("sym-sum-30", "sym-sum-log-30"), 3, (
        Point("unfinished/part-aggregate"),
        Point(kind="aggregate", entries=1),
        Point(kind="aggregate", entries=2),
        Point("unfinished/part-report", 3),
        Point("killed/.report.html"),  # the page of the paper; its text is there
    )),
    "psu2020": Case(("bm25", "tf", "bm25+tf"), 5, (
        Point("manifest.json"),  # the index is about to be committed
        Point(kind="index", entries=1),
        Point("topics/", 28),  # half of the topics of the first system are answered
        Point(kind="run", entries=1),
        Point("topics/", 5),
        Point(kind="fuse", entries=1),
        Point("unfinished/part-report", 3),
        Point("killed/.report.html"),
    )),
}


def changed_paths(event: str, arguments: tuple[Any, ...]) -> Iterator[str]:
    """The paths that a file operation writes, creates, moves or removes."""
    if event == "open":
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR) if mode is None else set(mode) & set("wax+")
        if writes and isinstance(path, (str, os.PathLike)):
            yield os.fspath(path)
    elif event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir"):
        yield from (str(path) for path in arguments[:2])


def killing(folder: Path, wanted: Callable[[str], bool]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that kills the process before the first operation on a path of the folder that is wanted."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if any(path.startswith(str(folder)) and wanted(path) for path in changed_paths(event, arguments)):
            os.kill(os.getpid(), signal.SIGKILL)

    return hook


def at_point(folder: Path, point: Point) -> Callable[[str], bool]:
    """Whether a changed path is where the point is."""
    made = folder / ".porism-cache" / "made" / point.kind
    seen = 0

    def wanted(path: str) -> bool:
        nonlocal seen
        if point.path not in path or (point.entries and len(list(made.glob("*"))) < point.entries):
            return False
        seen += 1
        return seen == point.turn

    return wanted


def at_operation(number: int) -> Callable[[str], bool]:
    """The operation of this number, whatever it is."""
    seen = 0

    def wanted(path: str) -> bool:
        nonlocal seen
        seen += 1
        return seen == number

    return wanted


def command(folder: Path, paper: str) -> list[str]:
    """Reproduces a paper, or goes on where the folder has a start."""
    resumed = (folder / "reproduction.json").exists()
    options = ["--resume"] if resumed else ["--scale", "smoke", *(f"--only={name}" for name in CASES[paper].systems)]
    return ["reproduce", paper, "--jobs", "1", "--output", str(folder), *options]


def start(folder: Path, paper: str, wanted: Callable[[str], bool] | None = None) -> tuple[int, str]:
    """Runs the command in a process of its own; its exit status, and what it said."""
    from porism.cli import main

    log = folder.with_suffix(".log")
    process = os.fork()
    if process == 0:
        with open(log, "w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        if wanted is not None:
            sys.addaudithook(killing(folder, wanted))
        status = 99
        try:
            main(command(folder, paper))
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), log.read_text(encoding="utf-8")


def finished(folder: Path) -> dict[tuple[str, str], int]:
    """The stages in the cache, all of them whole, by kind and key → when each was made."""
    cache, found = Cache(folder / ".porism-cache"), {}
    for path in folder.glob(".porism-cache/made/*/*"):
        kind, key = path.parts[-2:]
        entry = cache.find(kind, key)
        assert entry is not None, f"{kind}/{key} is half of an entry: {sorted(file.name for file in path.rglob('*'))}"
        found[kind, key] = entry.file("entry.json").stat().st_mtime_ns
    return found


def answered(folder: Path) -> dict[str, bytes]:
    """The answers to single topics that are kept."""
    return {file.name: file.read_bytes() for file in folder.glob(".porism-cache/topics/*.jsonl")}


def tables(folder: Path) -> dict[str, bytes]:
    """The results without the seconds that stages and queries took; of the paper's page what is before these."""
    found = {name: content for name, content in contents(folder).items() if ".porism-cache" not in name}
    found["report.txt"], after, _ = found["report.txt"].partition(b"\nTime\n----")
    assert after
    results = json.loads(found["results.json"])
    found["results.json"] = json.dumps({**results, "seconds": {}, "costs": {}}).encode()
    return found


def kill_starts(root: Path, paper: str, operations: list[int]) -> dict[str, int]:
    """Kills a start at each point of the case, or instead at the file operations of these numbers.

    Gives how many were killed, and how many stages the last start, which nobody kills, finds finished.
    """
    from porism.cli import porism

    case = CASES[paper]
    whole, folder = root / "whole", root / "killed"
    with redirect_stdout(sys.stderr):  # in this process: what it loads, those that are forked from it have
        porism.main(command(whole, paper), standalone_mode=False)
    expected = tables(whole)
    killed = 0
    killers = [at_operation(number) for number in operations] or [at_point(folder, point) for point in case.points]
    for wanted in [*killers, None]:
        before, topics = finished(folder), answered(folder)
        status, log = start(folder, paper, wanted)
        killed += status == -signal.SIGKILL
        assert status in ((0,) if wanted is None else (0, -signal.SIGKILL)), log
        assert before.items() <= finished(folder).items(), "a finished stage was made again"
        assert all(answered(folder)[name].startswith(lines) for name, lines in topics.items())
        assert "made again" not in log, log
    assert log.count(": cached\n") == len(before)
    assert len(finished(folder)) == case.stages
    assert all(len(lines.splitlines()) == 56 for lines in answered(folder).values()), "a topic was answered twice"
    assert tables(folder) == expected
    return {"killed": killed, "finished": len(before)}


def kill(root: Path, paper: str, operations: list[int]) -> dict[str, int]:
    """Runs :func:`kill_starts` in a process of its own, from which the starts are forked: threads are not trouble."""
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    result = subprocess.run(
        [sys.executable, "-c", HARNESS, str(root), paper, json.dumps(operations)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    counts: dict[str, int] = json.loads(result.stdout)
    return counts


@LONG_ONLY
@every_case("paper", list(CASES))
def test_killed_at_chosen_points(tmp_path: Path, paper: str) -> None:
    case = CASES[paper]
    assert kill(tmp_path, paper, []) == {"killed": len(case.points), "finished": case.stages}


@LONG_ONLY
def test_killed_at_random_operations(tmp_path: Path) -> None:
    """A start from nothing makes about 300 file operations, most of them while it indexes."""
    chance = random.Random(1)
    assert kill(tmp_path, "psu2020", [chance.randrange(1, 120) for _ in range(12)])["killed"] >= 5
