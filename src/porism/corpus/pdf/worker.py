"""The process that reads PDFs: it may run out of memory or time, and another one goes on after the page that did it.

It reads requests from its standard input, one JSON object a line (``{"path": …, "first": …}``), and answers with lines
of JSON: one for each page, and at the end ``{"facts": …}`` or ``{"error": …}``.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any, BinaryIO

from porism.corpus.pdf.document import PdfText

MAX_MEMORY = 3 * 1024**3
MAX_RECURSION = 3_000


def main() -> None:
    """Answers requests until the input ends."""
    logging.disable(logging.CRITICAL)
    sys.setrecursionlimit(MAX_RECURSION)
    _limit_memory()
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _answer(Path(request["path"]), int(request["first"]), out)


def _answer(path: Path, first: int, out: BinaryIO) -> None:
    try:
        text = PdfText(path)
        try:
            for page in text.pages(first):
                _write(out, page.to_json())
            facts = text.facts()
            _write(out, {"facts": {"title": facts.title, "outline": facts.outline, "unknown": facts.unknown}})
        finally:
            text.close()
    except MemoryError:
        raise
    except ValueError as error:
        _write(out, {"error": str(error)[:300]})
    except Exception as error:  # what is broken in a file raises anything in the library
        _write(out, {"error": f"is damaged ({type(error).__name__}: {error})"[:300]})


def _write(out: BinaryIO, value: Any) -> None:
    out.write(json.dumps(value, ensure_ascii=True).encode("ascii") + b"\n")
    out.flush()


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    except (ImportError, ValueError, OSError):
        return  # this system has no such limit


if __name__ == "__main__":
    main()
