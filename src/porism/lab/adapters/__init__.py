"""Porism within other tools, and these within Porism."""

from porism.lab.adapters.pyterrier.convert import from_pyterrier, to_pyterrier
from porism.lab.adapters.pyterrier.frames import (
    qrels_to_frame,
    queries_from_frame,
    queries_to_frame,
    run_from_frame,
    run_to_frame,
)

__all__ = [
    "from_pyterrier",
    "qrels_to_frame",
    "queries_from_frame",
    "queries_to_frame",
    "run_from_frame",
    "run_to_frame",
    "to_pyterrier",
]
