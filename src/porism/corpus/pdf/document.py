"""The pages of a PDF as text, and what is known of the whole file."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.corpus.pdf.blocks import text_lines
from porism.corpus.pdf.encodings import UNKNOWN
from porism.corpus.pdf.names import is_letter
from porism.corpus.pdf.pages import Page, PdfFile
from porism.corpus.pdf.text import FoundFormula, PageText

SAMPLE = 16
"""So many pages say which fonts formulas are set in."""
MAX_OUTLINE = 5_000


@dataclass(slots=True)
class FileFacts:
    """What a whole file says: its title, its outline as (level, title), and of its fonts the unknown glyphs of each,
    those whose programs are damaged, and how many are bitmaps without names of glyphs."""

    title: str = ""
    outline: list[tuple[int, str]] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    bitmaps: int = 0


class PdfText:
    """The text of one PDF.

    :raises ValueError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = PdfFile(path)

    def close(self) -> None:
        self._file.close()

    def pages(self, first: int = 1) -> Iterator[PageText]:
        """The pages from one on, in order."""
        waiting: deque[Page] = deque()
        italic: bool | None = None
        for number, page in enumerate(self._file.page_objects(), 1):
            if number < first:
                continue
            waiting.append(self._read(number, page))
            if italic is None and len(waiting) < SAMPLE:
                continue
            if italic is None:
                italic = italic_is_math(waiting)
            while waiting:
                yield _page_text(waiting.popleft(), italic)
        italic = italic_is_math(waiting) if italic is None else italic
        for rest in waiting:
            yield _page_text(rest, italic)

    def _read(self, number: int, page: Any) -> Page:
        try:
            return self._file.read(number, page)
        except MemoryError:
            raise
        except Exception:  # what is broken on a page raises anything in the library; others are read
            return Page(number, "", 0.0, 0.0, [], 0, True)

    def facts(self) -> FileFacts:
        """What the file says; of its fonts, what its pages until now have shown."""
        unknown = {font.name: font.unknown for font in self._file.fonts if font.unknown}
        damaged = sorted({font.name for font in self._file.fonts if font.is_damaged})
        bitmaps = sum(font.is_bitmap for font in self._file.fonts)
        if self._file.unread_bytes:
            unknown["missing or damaged fonts"] = self._file.unread_bytes
        title, outline = self._file.info().get("Title", "").strip(), self._file.outline(MAX_OUTLINE)
        return FileFacts(title, outline, unknown, damaged, bitmaps)


def _page_text(page: Page, italic: bool) -> PageText:
    try:
        lines = text_lines(page, italic) if page.marks else []
    except RecursionError:
        return PageText(page.number, page.label, page.height, page.images, [], True)
    formulas = [part for line in lines for part in line.parts if isinstance(part, FoundFormula)]
    if page.is_cut and formulas:  # more may have followed
        formulas[-1].latex += f" {UNKNOWN}"
    return PageText(page.number, page.label, page.height, page.images, lines, page.is_cut)


def italic_is_math(pages: deque[Page] | list[Page]) -> bool:
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
