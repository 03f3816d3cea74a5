"""PDF: the text and the formulas of its pages, rebuilt from the places of their glyphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from porism.corpus.archives.arxiv import named_paper
from porism.corpus.base import ReaderOptions, clean
from porism.corpus.pdf.document import FileFacts
from porism.corpus.pdf.furniture import without_furniture
from porism.corpus.pdf.paragraphs import paragraphs
from porism.corpus.pdf.process import read_pages
from porism.corpus.pdf.structure import PdfStructure
from porism.corpus.pdf.text import PageText
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import MAX_TEXT_BYTES, size_of
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem, pluralise
from porism.extras import Extra
from porism.types import Content, Document

PDF = Extra("pdf", "pdfminer")
MAX_BYTES = 4 * MAX_TEXT_BYTES
MAX_FONTS_NAMED = 5


class PdfReader(FileReader):
    """Reads PDF files page by page, in a process of their own."""

    name = "pdf"
    extensions = (".pdf",)
    needs: Mapping[str, Extra] = {".pdf": PDF}

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        PDF.load("reading PDF")
        if size_of(path) > MAX_BYTES:
            on_problem(Problem(name, f"has {size_of(path):,} bytes, more than {MAX_BYTES:,}; it is left out"))
            return
        pages: list[PageText] = []
        facts = FileFacts()
        for item in read_pages(path, name, on_problem):
            if isinstance(item, PageText):
                pages.append(item)
            else:
                facts = item
        report(pages, facts, name, on_problem)
        if not any(page.lines for page in pages):
            return
        title = Content(clean(facts.title)) if facts.title else None
        units = FileUnits(name, source, on_problem, title, fallback=Content(clean(PurePosixPath(name).stem)))
        PdfStructure(units, facts, list(paragraphs(without_furniture(pages)))).read()
        labels = {str(page.number): page.label for page in pages if page.label and page.label != str(page.number)}
        paper = named_paper(PurePosixPath(name).name)
        said = paper.metadata if paper is not None else {}
        for document in units.documents():
            label = labels.get(str(document.metadata.get("line", "")))
            own = {"page": label} if label else {}
            yield Document(document.id, document.fields, {**said, **document.metadata, **own})


def report(pages: list[PageText], facts: FileFacts, name: str, on_problem: OnProblem) -> None:
    """Reports pages without text, drawings that were cut, and fonts whose characters are not known."""
    empty = [page.number for page in pages if not page.lines and page.images]
    if empty:
        on_problem(Problem(name, f"no text on {_numbers(empty)}; run OCR first, as with ocrmypdf"))
    for page in pages:
        if page.is_cut:
            reason = "is damaged, or has too many marks; the rest of the page is left out"
            on_problem(Problem(f"{name}:p. {page.number}", reason))
    if facts.unknown:
        most = sorted(facts.unknown, key=lambda font: (-facts.unknown[font], font))
        named = _first(f"{font} ({facts.unknown[font]})" for font in most)
        on_problem(Problem(name, f"characters that are not understood, by font: {named}"))
    if facts.bitmaps:
        kind = f"{pluralise(facts.bitmaps, 'bitmap font')} without names of glyphs"
        on_problem(Problem(name, f"{kind}: words are read, formulas in them are doubtful"))
    if facts.damaged:
        reason = f"fonts whose programs are damaged: {_first(facts.damaged)}; how high their signs are is guessed"
        on_problem(Problem(name, reason))


def _first(fonts: Iterable[str]) -> str:
    """The first of some fonts, and how many more there are."""
    named = list(fonts)
    more = f" and {len(named) - MAX_FONTS_NAMED:,} more fonts" if len(named) > MAX_FONTS_NAMED else ""
    return ", ".join(named[:MAX_FONTS_NAMED]) + more


def _numbers(pages: list[int]) -> str:
    """``page 3``, ``pages 3–40, 52``."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1][1:] = [page]
        else:
            runs.append([page])
    shown = ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:20])
    more = f" and {len(runs) - 20:,} more stretches" if len(runs) > 20 else ""
    return f"page{'s' if len(pages) > 1 else ''} {shown}{more}"
