"""Writes the pages of reproductions from their stored results: ``python docs/reproduction_pages.py``.

``porism reproduce`` leaves ``results.json`` in its output folder; ``docs/reproductions/results/PAPER.json`` is a copy.
"""

from __future__ import annotations

from pathlib import Path

from porism.lab.recipes.papers.pages import as_markdown, page
from porism.lab.recipes.papers.results import PaperResults

FOLDER = Path(__file__).parents[1] / "docs" / "reproductions"


def stored_pages() -> dict[Path, str]:
    """Page → its text, of all papers whose results are stored."""
    return {
        FOLDER / f"{path.stem}.md": as_markdown(page(PaperResults.read(path)))
        for path in sorted((FOLDER / "results").glob("*.json"))
    }


if __name__ == "__main__":
    for path, text in stored_pages().items():
        path.write_text(text, encoding="utf-8")
