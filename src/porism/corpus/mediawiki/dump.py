"""The pages of a dump of a wiki, read so that a broken page does not lose those around it.

In a dump ``<`` occurs only at the beginning of a tag, since text must escape it. So the file is cut at pages, and the
XML parser gets each alone. It is read twice: once for the redirects, which may come before or after the page they lead
to, once for the pages.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from porism.corpus.archives.formats import DAMAGES, blocks, compression, opened
from porism.corpus.base import ignore_problem
from porism.corpus.posts.threads import database_errors, temporary_database
from porism.corpus.posts.xml_rows import SAFE, repaired
from porism.corpus.streams import BLOCK
from porism.corpus.text_files import size_of
from porism.errors import OnProblem, Problem

MAX_PAGE_LENGTH = 64 << 20
"""Longer pages are skipped; of a page with its history only the last revision counts."""
MAX_OTHER_NAMES = 200
"""So many redirects to a page are its other names."""

_SNIFFED = 4096
_PAGE = re.compile(rb"<page(?=[\s>])")
_END = b"</page>"
_REVISION, _REVISION_END = b"<revision>", b"</revision>"
_REDIRECT = re.compile(rb'<title>([^<]*)</title>(?:\s*<(?:ns|id)>[^<]*</(?:ns|id)>)*\s*<redirect\s+title="([^"]*)"')
_NAMESPACE = re.compile(r'<namespace key="(-?\d{1,6})"[^>]*?(?:/>|>([^<]*)</namespace>)')
_BASE = re.compile(r"<base>([^<]*)</base>")
_LANGUAGE = re.compile(rb'<mediawiki\b[^>]*?\bxml:lang="([\w-]{2,20})"')
_WIKIMEDIA = re.compile(
    r"//[\w.-]*\b(?:wikipedia|wiktionary|wikibooks|wikisource|wikiversity|wikinews|wikiquote|wikivoyage|wikimedia|"
    r"wikidata|mediawiki)\.org\b"
)
_MACHINERY = frozenset((710, 711, 828, 829, 2300, 2301, 2302, 2303, 2600))
"""Namespaces of subtitles, modules, gadgets and discussions; extensions number them alike in all wikis."""
_PARSER = etree.XMLParser(**SAFE)


class WikiPage(NamedTuple):
    """A page: its title with its namespace, its wikitext, the titles that lead to it, and its line in the dump."""

    title: str
    text: str
    other_names: tuple[str, ...]
    line: int


class _Cut(NamedTuple):
    """A piece of a dump: where it begins, and its bytes; of a broken one, what is wrong."""

    line: int
    data: bytes
    problem: str = ""


def is_dump(path: Path) -> bool:
    """Whether a file with a name in ``.xml``, packed or not, begins as a dump of a wiki does."""
    ending = compression(path.name)
    stem = path.stem if ending else path.name
    if not stem.lower().endswith(".xml") or not path.is_file():
        return False
    try:
        with opened(path, ending) as stream:
            return b"<mediawiki" in stream.read(_SNIFFED)
    except DAMAGES:
        return False


class WikiDump:
    """A dump of a wiki.

    :param name: of the file, in problems.
    """

    def __init__(self, path: Path, name: str, on_problem: OnProblem) -> None:
        self._path, self._name, self._on_problem = path, name, on_problem
        self._is_broken = False
        self.namespaces: dict[int, str] = {}
        """Numbers and names of the wiki's namespaces."""
        self.base = self.language = ""
        """The address before the titles of pages, and the wiki's language; empty where they are not known."""
        self.left_out: Counter[str] = Counter()
        """How many pages of each namespace are no articles."""
        self._bytes = self._done = 0  # of the unpacked file: all, and those before the page

    @property
    def position(self) -> int:
        """How many bytes of the file are read, packed as it is, as far as those that it unpacks to tell."""
        return size_of(self._path) * self._done // max(1, self._bytes)

    def pages(self) -> Iterator[WikiPage]:
        """The articles, in order.

        :raises SourceError: there is no room for the temporary database.
        """
        with database_errors(self._path), closing(temporary_database()) as database:
            self._note_redirects(database)
            for cut in self._cuts():
                page = self._page(cut, database)
                if page is not None:
                    yield page

    def _note_redirects(self, database: sqlite3.Connection) -> None:
        database.execute("CREATE TABLE redirects (target TEXT, name TEXT)")
        for data, _ in self._blocks(ignore_problem):
            self._bytes += len(data)
            database.executemany("INSERT INTO redirects VALUES (?, ?)", (
                (_title(match[2]), _title(match[1])) for match in _REDIRECT.finditer(data)
            ))
        database.execute("CREATE INDEX by_target ON redirects (target)")

    def _page(self, cut: _Cut, database: sqlite3.Connection) -> WikiPage | None:
        """The page of a piece, None where it is no article, or broken, which is reported."""
        where = f"{self._name}:{cut.line}"
        if cut.problem:
            self._on_problem(Problem(where, cut.problem))
            return None
        if (redirect := cut.data.find(b"<redirect")) >= 0 and redirect < cut.data.find(_REVISION):
            return None
        element = self._parsed(cut.data, where)
        if element is None:
            return None
        title = (element.findtext("title") or "").strip()
        number = element.findtext("ns") or ""
        revisions = element.findall("revision")
        if not title or not revisions:
            self._on_problem(Problem(where, "a page without a title or without text is skipped"))
            return None
        namespace = int(number) if re.fullmatch(r"-?\d{1,6}", number) else self._namespace_of(title)
        if not self._has_articles(namespace):
            self.left_out[self.namespaces.get(namespace) or f"number {namespace}"] += 1
            return None
        model = revisions[-1].findtext("model") or "wikitext"
        if model != "wikitext":
            self.left_out[f"content {model}"] += 1
            return None
        rows = database.execute("SELECT name FROM redirects WHERE target = ? LIMIT ?", (title, MAX_OTHER_NAMES))
        return WikiPage(title, revisions[-1].findtext("text") or "", tuple(name for name, in rows), cut.line)

    def _parsed(self, data: bytes, where: str) -> etree._Element | None:
        try:
            return etree.fromstring(data, _PARSER)
        except etree.XMLSyntaxError as error:
            reason = str(error.msg or error).partition(", line ")[0]
        try:
            element = etree.fromstring(repaired(data.decode("utf-8", "replace")), _PARSER)
        except etree.XMLSyntaxError:
            self._on_problem(Problem(where, f"a broken page is skipped ({reason})"))
            return None
        self._on_problem(Problem(where, f"a page is repaired ({reason})"))
        return element

    def _namespace_of(self, title: str) -> int:
        """The namespace that a title begins with, for dumps that do not number it."""
        before, colon, _ = title.partition(":")
        return next((number for number, name in self.namespaces.items() if colon and name == before), 0)

    def _has_articles(self, namespace: int) -> bool:
        """Whether a namespace has articles: the main one, and those that a wiki that is none of Wikimedia's adds."""
        if namespace < 100:
            return namespace == 0
        return namespace % 2 == 0 and namespace not in _MACHINERY and _WIKIMEDIA.search(self.base) is None

    def _cuts(self) -> Iterator[_Cut]:
        """The pages as bytes, and what is broken between them."""
        is_first = True
        for block, line in self._blocks(self._on_problem):
            starts = [match.start() for match in _PAGE.finditer(block)]
            if is_first:
                self._read_site(block[: starts[0]] if starts else block)
                is_first = False
            position = 0
            for start, following in zip(starts, [*starts[1:], len(block)], strict=False):
                line += block.count(b"\n", position, start)
                position = start
                end = block.find(_END, start, following)
                if end < 0:
                    yield _Cut(line, b"", "a page without its end is skipped")
                else:
                    yield _Cut(line, block[start : end + len(_END)])
            self._done += len(block)
        if self._is_broken:
            self._on_problem(Problem(self._name, "the file breaks off or is damaged; what came before is read"))

    def _read_site(self, data: bytes) -> None:
        """Takes in what comes before the first page."""
        text = data.decode("utf-8", "replace")
        self.namespaces = {int(number): unescape(name or "") for number, name in _NAMESPACE.findall(text)}
        if (base := _BASE.search(text)) is not None:
            self.base = unescape(base.group(1)).rpartition("/")[0] + "/"
        if (language := _LANGUAGE.search(data)) is not None:
            self.language = language.group(1).decode()

    def _blocks(self, on_problem: OnProblem) -> Iterator[tuple[bytes, int]]:
        """The unpacked file in pieces that end with a page, each with the line where it begins."""
        carry, line = b"", 1
        for data in self._unpacked():
            data = carry + data
            place = data.rfind(_END) + len(_END)
            if place >= len(_END):
                yield data[:place], line
                line += data.count(b"\n", 0, place)
                carry = data[place:]
            elif len(data) > MAX_PAGE_LENGTH:
                line, carry = self._shortened(data, line, on_problem)
            else:
                carry = data
        if carry.strip():
            yield carry, line

    def _unpacked(self) -> Iterator[bytes]:
        """The unpacked file in blocks; where it is damaged, what came before."""
        waiting: list[bytes] = []
        self._is_broken = False
        try:
            with opened(self._path, compression(self._path.name)) as stream:
                for data in blocks(stream):
                    waiting.append(data)
                    if sum(map(len, waiting)) >= BLOCK:
                        yield b"".join(waiting)
                        waiting.clear()
        except DAMAGES:
            self._is_broken = True
        yield b"".join(waiting)

    def _shortened(self, data: bytes, line: int, on_problem: OnProblem) -> tuple[int, bytes]:
        """A page that is too long without all its revisions but the last one that is complete."""
        first, last = data.find(_REVISION), data.rfind(_REVISION_END)
        start = data.rfind(_REVISION, 0, max(last, 0))
        kept = data[:first] + data[start:] if 0 <= first < start else b""
        if len(kept) > MAX_PAGE_LENGTH or not kept:
            if _PAGE.search(data) is None:  # the rest of one that has been reported
                return line + data.count(b"\n"), b""
            problem = f"a page longer than {MAX_PAGE_LENGTH >> 20} MB is skipped"
            on_problem(Problem(f"{self._name}:{line}", problem))
            return line + data.count(b"\n"), b""
        return line + data.count(b"\n") - kept.count(b"\n"), kept


def _title(data: bytes) -> str:
    return unescape(data.decode("utf-8", "replace")).strip()
