"""A whole PDF as lines, and what is known of all of its pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from porism.corpus.pdf.blocks import TextLine, text_lines
from porism.corpus.pdf.pages import Page, PdfFile
from porism.corpus.pdf.names import is_letter


def read_lines(path: Path) -> list[TextLine]:
    """The lines of all pages.

    :raises ValueError: it cannot be read.
    """
    file = PdfFile(path)
    try:
        pages = [file.read(number, page) for number, page in enumerate(file.page_objects(), 1)]
    finally:
        file.close()
    italic = italic_is_math(pages)
    return [line for page in pages for line in text_lines(page, italic)]


def italic_is_math(pages: list[Page]) -> bool:
    """Whether the letters of formulas are those of the text italic: no mathematical font has letters."""
    letters: Counter[str] = Counter()
    for page in pages:
        for mark in page.marks:
            if mark.kind == "char":
                if mark.is_math and mark.char.isascii() and mark.char.isalpha() and mark.latex == mark.char:
                    letters["math"] += 1
                elif mark.is_math:
                    letters["signs"] += 1
                elif mark.style == "it" and is_letter(mark):
                    letters["italic"] += 1
    return letters["signs"] > 0 and letters["math"] < 0.2 * letters["signs"] and letters["italic"] > letters["math"]
