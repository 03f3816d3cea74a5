"""What the processes that open PDFs share: they answer requests line by line, and have limits of memory.

A request is one JSON object a line on the standard input, an answer one or more such lines on the standard output.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from typing import Any

MAX_MEMORY = 3 * 1024**3

Write = Callable[[Any], None]


def answer_requests(answer: Callable[[dict[str, Any], Write], None]) -> None:
    """Answers requests until the input ends; a process that has no more memory ends at once."""
    logging.disable(logging.CRITICAL)
    _limit_memory()
    out = sys.stdout.buffer
    sys.stdout = sys.stderr

    def write(value: Any) -> None:
        out.write(json.dumps(value, ensure_ascii=True).encode("ascii") + b"\n")
        out.flush()

    for line in sys.stdin.buffer:
        try:
            answer(json.loads(line), write)
        except MemoryError:
            raise
        except ValueError as error:
            write({"error": str(error)[:300]})
        except Exception as error:  # what is broken in a file raises anything in a library
            write({"error": f"is damaged ({type(error).__name__}: {error})"[:300]})


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    except (ImportError, ValueError, OSError):
        return  # this system has no such limit
