"""The process that reads PDFs: it may run out of memory or time, and another one goes on after the page that did it.

A request is ``{"path": …, "first": …}``; the answers are a line for each page, and at the end ``{"facts": …}`` or
``{"error": …}``.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from porism.corpus.pdf.child import Write, answer_requests
from porism.corpus.pdf.document import PdfText

MAX_RECURSION = 3_000


def answer(request: dict[str, Any], write: Write) -> None:
    """Reads the pages of a file."""
    text = PdfText(Path(request["path"]))
    try:
        for page in text.pages(int(request["first"])):
            write(page.to_json())
        facts = text.facts()
        write({"facts": asdict(facts)})
    finally:
        text.close()


if __name__ == "__main__":
    sys.setrecursionlimit(MAX_RECURSION)
    answer_requests(answer)
