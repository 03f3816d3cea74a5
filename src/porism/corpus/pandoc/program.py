"""Runs pandoc on one document, within limits of time, memory and output; what it gives is its tree."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from threading import Timer
from typing import IO, Any

import orjson

from porism.errors import OnProblem, Problem
from porism.extras import Extra

DOCUMENTS = Extra("documents", "pypandoc")
MAX_SECONDS = 120
MAX_MEMORY = "2g"
MAX_OUTPUT_BYTES = 256 * 1024 * 1024
MAX_WARNINGS = 5
"""So many warnings of one document are reported."""

_HEAP_EXHAUSTED = 251
_MAX_MESSAGE_BYTES = 64 * 1024


@cache
def _program() -> str:
    """The path of pandoc."""
    path: str = DOCUMENTS.load("reading this format").get_pandoc_path()
    return path


def pandoc_tree(data: bytes, format: str, where: str, on_problem: OnProblem) -> dict[str, Any] | None:
    """The tree of a document; None, and a problem, where pandoc cannot read it.

    :param format: as pandoc calls it, with extensions.
    :raises MissingExtra: pandoc is not installed.
    """
    command = [_program(), "+RTS", f"-M{MAX_MEMORY}", "-RTS", "--sandbox", "--from", format, "--to", "json"]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as messages:
        source.write(data)
        source.seek(0)
        output, failure = _run(command, source, messages)
        messages.seek(0)
        said = messages.read(_MAX_MESSAGE_BYTES).decode("utf-8", "replace")
    if failure:
        on_problem(Problem(where, f"pandoc cannot read it ({failure}{': ' * bool(said.strip())}{_short(said)})"))
        return None
    warnings = [line for line in said.splitlines() if line.startswith("[WARNING]")]
    for line in warnings[:MAX_WARNINGS]:
        on_problem(Problem(where, f"pandoc: {_short(line.removeprefix('[WARNING]'))}"))
    if len(warnings) > MAX_WARNINGS:
        on_problem(Problem(where, f"pandoc: {len(warnings) - MAX_WARNINGS:,} more warnings"))
    try:
        tree: dict[str, Any] = orjson.loads(output)
    except orjson.JSONDecodeError as error:
        on_problem(Problem(where, f"cannot be read (its parts are nested too deeply, or {error})"))
        return None
    return tree


def _run(command: list[str], source: IO[bytes], messages: IO[bytes]) -> tuple[bytes, str]:
    """What a process writes, and why that is not to be used."""
    with subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=messages) as process:
        timer = Timer(MAX_SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            output = process.stdout.read(MAX_OUTPUT_BYTES + 1)
            is_late = not timer.is_alive()
            if len(output) > MAX_OUTPUT_BYTES:
                return b"", f"it gives more than {MAX_OUTPUT_BYTES:,} bytes"
            if process.wait() == 0:
                return output, ""
        finally:
            timer.cancel()
            process.kill()
    if is_late:
        return b"", f"it takes more than {MAX_SECONDS} seconds"
    if process.returncode == _HEAP_EXHAUSTED:
        return b"", f"it takes more memory than {MAX_MEMORY}"
    return b"", f"status {process.returncode}"


def _short(message: str) -> str:
    return " ".join(message.split())[:200]
