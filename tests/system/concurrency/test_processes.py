"""Processes that analyse end with the one that they work for, however that ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from processes import descendants, processor_seconds

from porism.index import Snapshot

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc: run it on Linux")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More documents than can be analysed before the signal comes."""
    path = tmp_path_factory.mktemp("source") / "notes.jsonl"
    text = " ".join(f"word{number} $x_{{{number}}}^2+y$" for number in range(12))
    with open(path, "w", encoding="utf-8") as file:
        for number in range(20_000):
            file.write(json.dumps({"id": f"d{number}", "body": f"{text} {number}"}) + "\n")
    return path


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def worked(process: int) -> bool:
    """Whether a process has used some processor time: it is past starting."""
    return processor_seconds(process) > 1


@LONG_ONLY
@every_case("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_command(source: Path, tmp_path: Path, number: signal.Signals) -> None:
    index = tmp_path / "index"
    process = subprocess.Popen(
        [sys.executable, "-m", "porism", "index", str(source), "--index", str(index), "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    workers: list[int] = []
    until = time.monotonic() + 100
    while time.monotonic() < until and process.poll() is None:
        workers = list(descendants(process.pid))
        if sum(map(worked, workers)) >= 2:
            break
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()[0].decode()
    process.send_signal(number)
    # The pipe is closed only when all who have it have ended.
    output, _ = process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 143)
    until = time.monotonic() + 10
    while any(map(is_alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [worker for worker in workers if is_alive(worker)]
    if number == signal.SIGTERM:
        assert b"Stopped." in output
        assert Snapshot.open(index).doc_count < 20_000
