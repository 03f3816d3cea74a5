"""Reads a source with one reader, as tests of readers do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from porism.corpus.base import OnProgress, Reader, ReaderOptions, ignore_problem, ignore_progress
from porism.errors import OnProblem
from porism.types import Document


def read_with(
    reader: Reader, path: Path, *, options: ReaderOptions | None = None, on_problem: OnProblem = ignore_problem,
    on_progress: OnProgress = ignore_progress, **settings: Any,
) -> Iterator[Document]:
    """The documents of a source; ``settings`` are fields of the options."""
    return reader.read(path, options or ReaderOptions(**settings), on_problem, on_progress)
