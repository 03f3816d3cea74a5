"""Servers of milvus-lite on this machine, for tests that need a real engine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from porism.errors import EngineError
from porism.serve.backends.milvus import MilvusBackend

_START = 60.0


def need_milvus() -> None:
    """Skips a module of tests where pymilvus or milvus-lite is not installed."""
    pytest.importorskip("pymilvus", reason="needs pymilvus: pip install 'porism[cluster]'")
    pytest.importorskip("milvus_lite", reason="needs milvus-lite: pip install milvus-lite")


class MilvusServer:
    """A server over a folder, which keeps what it was given when it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.uri = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        command = [
            sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(self.folder), "--host", "127.0.0.1",
            "--port", str(self.port),
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + _START
        while True:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            assert self._process.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)

    def kill(self) -> None:
        """Ends it at once, as a power cut would end its process."""
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def backend(self, prefix: str) -> MilvusBackend:
        """A connection."""
        for _ in range(20):
            try:
                return MilvusBackend(self.uri, prefix)
            except EngineError:
                time.sleep(0.2)
        return MilvusBackend(self.uri, prefix)
