"""Several processes that serve together, and what they refuse."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from urllib.request import urlopen

import pytest
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")

from dataclasses import replace

from porism.errors import ConfigError
from porism.serve.web.server import _last_words, check_workers, serve_by_workers
from porism.serve.web.settings import Limits, WebSettings

MAX_LENGTH = 100
"""Seconds to wait for anything here, on a machine that is busy."""


def children(pid: int) -> set[int]:
    """The workers of a server: its child processes that run its module, without those of multiprocessing itself."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            status, command = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
            if int(status.rpartition(")")[2].split()[1]) == pid and b"spawn_main" in command:
                found.add(int(entry.name))
        except OSError:  # it has just ended
            continue
    return found


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + MAX_LENGTH
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def read(url: str) -> bytes:
    with urlopen(url, timeout=MAX_LENGTH) as answer:
        found: bytes = answer.read()
        return found


@pytest.fixture(scope="module")
def server(sample_index: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc to find the processes of a server")
    command = [sys.executable, "-m", "porism", "serve", "--index", str(sample_index), "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"at (http://127\.0\.0\.1:\d+)/ for this machine alone", process.stdout.readline())
    assert found is not None
    yield process, found[1]
    process.kill()
    process.communicate()


@LONG_ONLY
def test_a_worker_that_dies_is_started_again_and_counts_stay(server: tuple[subprocess.Popen[str], str]) -> None:
    process, url = server
    before = children(process.pid)
    assert len(before) == 2
    for number in range(12):  # a connection each, so that both are asked
        assert json.loads(read(f"{url}/api/v1/search?q=series+{number}"))["total"] > 0
    pattern = re.compile(rb'porism_requests_total\{method="GET",route="/api/v1/search",status="200"\} (\d+)\.0')
    counted = pattern.search(read(f"{url}/metrics"))
    assert counted is not None
    assert int(counted[1]) == 12
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(children(process.pid) - {killed}) == 2)
    assert children(process.pid) & before == before - {killed}
    for number in range(3):
        assert json.loads(read(f"{url}/api/v1/search?q=product+{number}"))["total"] > 0
    text = read(f"{url}/metrics")
    counted = pattern.search(text)
    assert counted is not None
    assert int(counted[1]) == 15
    assert b'porism_index_documents{index="index"} 269.0' in text
    assert b"porism_requests_open 1.0" in text


@LONG_ONLY
def test_sigterm_ends_all_of_them(server: tuple[subprocess.Popen[str], str]) -> None:
    process, _ = server
    wait_until(lambda: len(children(process.pid)) == 2)
    workers = children(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert process.wait(MAX_LENGTH) == 143
    assert process.stderr.read().endswith("\nInterrupted.\n")
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


@LONG_ONLY
def test_workers_end_with_the_process_that_started_them(sample_index: Path) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc to find the processes of a server")
    command = [sys.executable, "-m", "porism", "serve", "--index", str(sample_index), "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Serving")
    workers = children(process.pid)
    process.kill()
    process.communicate()
    assert len(workers) == 2
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_what_one_process_must_keep_is_refused(tmp_path: Path) -> None:
    settings = WebSettings({"x": tmp_path})
    check_workers(settings)
    for refused, message in (
        (replace(settings, ingest=tmp_path), "--ingest cannot be used with several workers: one process writes"),
        (replace(settings, judgments=tmp_path), "--judge cannot be used with several workers: one process keeps"),
        (replace(settings, limits=Limits(per_minute=9)), "--rate cannot be used with several workers: requests are"),
    ):
        with pytest.raises(ConfigError, match=message):
            check_workers(refused)


@LONG_ONLY
def test_what_a_worker_reports_when_it_begins_is_reported(tmp_path: Path) -> None:
    ready: list[str] = []
    with pytest.raises(ConfigError, match="several workers"):
        serve_by_workers(WebSettings({"x": tmp_path}, ingest=tmp_path), "127.0.0.1", 0, 2, ready.append)
    command = [sys.executable, "-m", "porism", "serve", "--index", str(tmp_path), "--port", "0", "--workers", "2"]
    one = subprocess.run([*command[:-1], "1"], capture_output=True, text=True)
    two = subprocess.run(command, capture_output=True, text=True)
    assert (two.returncode, two.stdout) == (1, "")
    assert two.stderr.splitlines()[-1] == one.stderr.splitlines()[-1]  # a line before it where opening takes long
    assert ready == []


def test_what_a_worker_said_last() -> None:
    here, there = Pipe()
    assert _last_words(here) is None
    there.send(None)
    there.send(ConfigError("the index is gone"))
    there.close()
    assert str(_last_words(here)) == "the index is gone"
