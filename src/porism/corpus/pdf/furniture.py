"""Running heads, feet and page numbers: lines at the edges of pages that are not of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from porism.corpus.pdf.text import PageText, TextLine

_EDGE = 0.12
"""Heads and feet are in so much of the height of a page, at either end."""
_NUMBER_EDGE = 0.2
"""Page numbers that stand alone may be so far from the edge."""
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[\s–—\-|\[(]*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,4})?[\s–—\-|\])]*\Z")
_NUMBER_AT_EDGE = re.compile(r"\A\s*(\d{1,4})\b|\b(\d{1,4})\s*\Z")
MIN_PAGES = 3
"""What so many pages have at the same edge is no text."""


def without_furniture(pages: Sequence[PageText]) -> list[list[TextLine]]:
    """The lines of each page without its head and foot."""
    edges = [_edge_lines(page) for page in pages]
    seen: Counter[tuple[bool, str]] = Counter()
    offsets: Counter[tuple[bool, int]] = Counter()
    for page, lines in zip(pages, edges, strict=True):
        for is_top, line in lines:
            seen[is_top, _shape(line)] += 1
            for number in _numbers(line):
                offsets[is_top, number - page.number] += 1
    common = {edge for edge, count in offsets.items() if count >= MIN_PAGES}
    kept: list[list[TextLine]] = []
    for page, lines in zip(pages, edges, strict=True):
        dropped = {
            id(line) for is_top, line in lines
            if seen[is_top, _shape(line)] >= MIN_PAGES or _PAGE_NUMBER.match(line.text)
            or any((is_top, number - page.number) in common for number in _numbers(line))
        }
        kept.append([line for line in page.lines if id(line) not in dropped])
    return kept


def _edge_lines(page: PageText) -> list[tuple[bool, TextLine]]:
    """The first and last lines of a page, by their place, with whether they are at its top."""
    lines = sorted((line for line in page.lines if not line.is_display), key=lambda line: -line.y)
    top = [(True, line) for line in lines[:2] if line.y > (1 - _edge(line)) * page.height]
    return top + [(False, line) for line in lines[-2:] if line.y < _edge(line) * page.height]


def _edge(line: TextLine) -> float:
    return _NUMBER_EDGE if _PAGE_NUMBER.match(line.text) else _EDGE


def _shape(line: TextLine) -> str:
    return _DIGITS.sub("#", " ".join(line.text.split()))


def _numbers(line: TextLine) -> list[int]:
    return [int(first or last) for first, last in _NUMBER_AT_EDGE.findall(line.text)]
