"""EPUB: an archive of pages in XHTML, which are read one after the other as a web page is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

from porism.corpus.base import ReaderOptions
from porism.corpus.html.reader import declared_encoding, page_documents
from porism.corpus.text_files import decode, guess_encoding, read_bytes
from porism.corpus.walking import FileReader
from porism.corpus.zipped import member, member_xml, read_zip
from porism.errors import OnProblem, Problem
from porism.types import Document, Metadata

MAX_BOOK_CHARACTERS = 256 * 1024 * 1024
"""So much text of a book is read."""

_CONTAINER = "META-INF/container.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_BODY = re.compile(r"<body\b[^>]*>(.*)</body\s*>", re.DOTALL | re.IGNORECASE)
_ASIDE = re.compile(r"<(/?)aside\b", re.IGNORECASE)
"""Notes stand in such elements, which pages have for what is beside their content."""


class EpubReader(FileReader):
    """Reads books."""

    name = "epub"
    extensions = (".epub",)

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        data = read_bytes(path, name, on_problem)
        if data is None:
            return
        book = read_zip(data, lambda packed: _book(packed, name, on_problem), name, on_problem)
        if book is not None:
            yield from page_documents(
                book.page, name, source, options.formulas, on_problem, book.extra, with_lines=False
            )


class _Book(NamedTuple):
    """All pages of a book as one, and what the book says of itself."""

    page: str
    extra: Metadata


def _book(packed: ZipFile, name: str, on_problem: OnProblem) -> _Book:
    rootfile = member_xml(packed, _CONTAINER).find(".//{*}rootfile")
    location = (rootfile.get("full-path") if rootfile is not None else None) or ""
    package = member_xml(packed, location)
    title, authors, languages = (_texts(package, key) for key in ("title", "creator", "language"))
    items = {
        item.get("id"): item.get("href") or "" for item in package.iterfind(".//{*}manifest/{*}item")
        if item.get("media-type") in _PAGES
    }
    order = [reference.get("idref") for reference in package.iterfind(".//{*}spine/{*}itemref")]
    bodies: list[str] = []
    size = 0
    for href in dict.fromkeys(items[item] for item in order if item in items):
        page = unquote(posixpath.normpath(posixpath.join(posixpath.dirname(location), href)))
        if page not in packed.NameToInfo:
            on_problem(Problem(name, f"the page {page} is not there"))
            continue
        data = member(packed, page)
        text = decode(data, f"{name}, {page}", on_problem, guess_encoding(data) or declared_encoding(data))
        body = _BODY.search(text)
        size += len(text)
        if size > MAX_BOOK_CHARACTERS:
            on_problem(Problem(name, f"it has more than {MAX_BOOK_CHARACTERS:,} characters; the rest is left out"))
            break
        bodies.append(_ASIDE.sub(r"<\1div", body.group(1) if body is not None else text))
    language = f' lang="{escape(languages[0])}"' if languages else ""
    heading = f"<title>{escape(title[0])}</title>" if title else ""
    extra: Metadata = {"authors": tuple(authors)} if authors else {}
    return _Book(f"<html{language}><head>{heading}</head><body>{'<hr>'.join(bodies)}</body></html>", extra)


def _texts(package: etree._Element, key: str) -> list[str]:
    """The values of one kind that the package of a book has."""
    elements = package.iterfind(f".//{{*}}metadata/{{*}}{key}")
    return [text for element in elements if (text := " ".join("".join(element.itertext()).split()))]
