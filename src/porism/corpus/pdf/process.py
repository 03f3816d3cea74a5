"""Processes that open PDFs for this one, begun anew when they die."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from porism.corpus.pdf.document import FileFacts
from porism.corpus.pdf.text import PageText
from porism.errors import OnProblem, Problem

MAX_PAGES = 20_000
"""A file's pages after these are left out."""
SECONDS_A_PAGE = 30.0
SECONDS_TO_OPEN = 120.0
"""The first answer takes longer: the file is opened, and some pages are looked at together."""
MAX_DEATHS = 3
"""A file that ends the process more often is given up."""
MAX_LINE = 64 * 1024 * 1024


class ChildProcess:
    """A process that runs a module of this folder and answers one request after the other."""

    _waiting: ClassVar[dict[str, ChildProcess]] = {}
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, module: str) -> None:
        self._module = module
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"porism.corpus.pdf.{module}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._receive, daemon=True).start()

    @classmethod
    def take(cls, module: str) -> ChildProcess:
        """The process of a module that waits, or a new one."""
        with cls._lock:
            process = cls._waiting.pop(module, None)
        return process if process is not None else cls(module)

    def give_back(self, is_whole: bool) -> None:
        """Keeps the process for the next request; one that did not finish its answer is ended."""
        if is_whole:
            with self._lock:
                if self._waiting.setdefault(self._module, self) is self:
                    return
        self.end()

    def _receive(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MAX_LINE):
            self._lines.put(line)
        self._lines.put(b"")

    def ask(self, request: Mapping[str, Any]) -> None:
        """Sends a request."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:
            return  # it has died; the answer says so

    def answer(self, seconds: float) -> dict[str, Any] | None:
        """The next answer, None where the process died or took longer."""
        try:
            line = self._lines.get(timeout=seconds)
            answer = json.loads(line) if line else None
        except (queue.Empty, ValueError):
            return None
        return answer if isinstance(answer, dict) else None

    def end(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def read_pages(
    path: Path, name: str, on_problem: OnProblem, first: int = 1, last: int = MAX_PAGES
) -> Iterator[PageText | FileFacts]:
    """The pages of a file, and what the file says when all were read; what cannot be read is reported."""
    deaths = 0
    while first <= last:
        process = ChildProcess.take("worker")
        process.ask({"path": str(path.resolve()), "first": first})
        seconds = SECONDS_TO_OPEN
        is_whole = False
        try:
            while (answer := process.answer(seconds)) is not None:
                seconds = SECONDS_A_PAGE
                if "page" in answer:
                    page = PageText.from_json(answer)
                    first = page.number + 1
                    yield page
                    if first > last:
                        if last == MAX_PAGES:
                            on_problem(Problem(name, f"has more than {MAX_PAGES:,} pages; the others are left out"))
                        return
                elif "facts" in answer:
                    facts = answer["facts"]
                    is_whole = True
                    yield FileFacts(
                        str(facts["title"]), [(int(level), str(title)) for level, title in facts["outline"]],
                        {str(font): int(count) for font, count in facts["unknown"].items()},
                        [str(font) for font in facts["damaged"]], int(facts["bitmaps"]),
                    )
                    return
                else:
                    is_whole = True
                    on_problem(Problem(name if first == 1 else f"{name}:p. {first}", str(answer.get("error"))))
                    return
        finally:
            process.give_back(is_whole)
        deaths += 1
        on_problem(Problem(
            f"{name}:p. {first}", "reading took too much memory or time; the page is left out"
            if deaths < MAX_DEATHS else "reading took too much memory or time again and again; the rest is left out",
        ))
        if deaths >= MAX_DEATHS:
            return
        first += 1

