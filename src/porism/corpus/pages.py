"""Web pages: HTML and XHTML with formulas in any form, and papers as LaTeXML writes them (arXMLiv, ar5iv).

One pass over the tags cuts the page at headings, at theorem-like blocks and at what is no content (navigation,
bibliographies); each piece becomes content on its own, so memory and time are linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import ReaderOptions, clean
from porism.corpus.files import FileReader
from porism.corpus.html import html_to_content
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.textfile import decode, guess_encoding, read_bytes
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Notation

_TAG = re.compile(
    r"<!--|<(/?)(h[1-6]|title|nav|footer|aside|form|button|script|style|noscript|template|svg|math|pre|textarea|select"
    r"|div|section|article|blockquote|ul|ol|dl|header|main)\b((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""\b(id|class|role|data-type)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta\b[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})["']""")
_NUMBER_TAG = re.compile(r'<span\b[^<>]*\bclass="[^"<>]*\bltx_tag\b[^"<>]*"[^<>]*>', re.IGNORECASE)
_HEAD = re.compile(r"^\s*[^\W\d]+(?:\s+[^\W\d]+){0,2}\s+[\dA-Z]+(?:\.\d+)*\s*[.:]?\s*")
_PARENTHESES = re.compile(r"^\((.*)\)\s*[.:]?$", re.DOTALL)
_PROOF_HEAD = re.compile(r"^\s*(?:proof|solution|answer)\s*[.:]?\s*$", re.IGNORECASE)

_WHOLE = frozenset(("script", "style", "noscript", "template", "svg", "math", "pre", "textarea", "select"))
"""Elements that no heading or block stands in: the pass jumps over them."""
_NO_CONTENT = frozenset(("nav", "footer", "aside", "form", "button"))
_NO_CONTENT_CLASSES = frozenset(
    (
        "ltx_bibliography", "ltx_page_navbar", "ltx_page_footer", "ltx_page_header", "ltx_TOC", "ltx_authors",
        "ltx_dates", "ltx_pagination", "ltx_index", "ltx_ERROR", "navbar", "sidebar", "breadcrumb", "breadcrumbs",
        "toc",
        "menu", "mw-editsection", "navigation", "cookie-banner", "site-footer", "site-header", "ar5iv-footer",
        "ltx_classification", "ltx_rdf", "ltx_note_outer_hidden", "printfooter", "catlinks", "reflist", "navbox",
    )
)  # fmt: skip


class PageReader(FileReader):
    """Reads web pages."""

    name = "html"
    extensions = (".html", ".htm", ".xhtml", ".xht", ".mht")

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        data = read_bytes(path, name, on_problem)
        if data is None:
            return
        encoding = options.encoding or guess_encoding(data) or declared_encoding(data)
        yield from page_documents(decode(data, name, on_problem, encoding), name, source, options.formulas, on_problem)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the XML declaration or a ``<meta>`` element of a page names; None where Python knows none."""
    head = data[:4096]
    found = _XML_ENCODING.search(head) or _CHARSET.search(head)
    if found is None:
        return None
    name = found.group(1).decode("ascii", "replace").lower()
    name = "cp1252" if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii") else name
    try:
        b"".decode(name)
        "".encode(name)
    except (LookupError, ValueError):
        return None
    return None if name.startswith(("utf-16", "utf16")) else name  # a page whose declaration can be read is not


def page_documents(
    text: str, name: str, source: str, formulas: Notation, on_problem: OnProblem
) -> Iterator[Document]:
    """The documents of one page.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    :param formulas: the notation wanted where the page has both.
    """
    yield from _Page(clean(text), name, source, formulas, on_problem).read()


class _Page:
    def __init__(self, html: str, name: str, source: str, formulas: Notation, on_problem: OnProblem) -> None:
        self.html, self.name, self.formulas, self.on_problem = html, name, formulas, on_problem
        self.units = FileUnits(name, source, on_problem)
        self._pieces: list[str] = []
        self._missing: set[str] = set()
        self._counted = 0
        self._line = 1
        self._section_id: str | None = None
        self._blocks: list[tuple[str, int, bool]] = []  # element, how many of its name are open in it, is a unit

    def read(self) -> Iterator[Document]:
        html = self.html
        position = kept = 0
        while (match := _TAG.search(html, position)) is not None:
            start, position = match.start(), match.end()
            if match.group() == "<!--":
                position = self._after("-->", position)
                continue
            closes, tag, attributes = match.group(1) != "", match.group(2).lower(), match.group(3)
            if attributes.rstrip().endswith("/"):  # empty in XHTML
                continue
            if tag in _WHOLE:
                if not closes:
                    position = self._after(f"</{tag}", position)
                continue
            if closes:
                if self._blocks and self._blocks[-1][0] == tag and self._close(kept, start):
                    kept = position
                continue
            if tag == "title" or (tag[0] == "h" and tag[1:].isdigit()):
                end = self._find(f"</{tag}", position)
                if end < 0:
                    continue
                self._keep(kept, start)
                kept = self._after(">", end)
                self._heading(tag, attributes, html[position:end])
                position = kept
                continue
            found = {
                key.lower(): double or single or bare for key, double, single, bare in _ATTRIBUTE.findall(attributes)
            }
            classes = found.get("class", "").split()
            if tag in _NO_CONTENT or found.get("role") in ("navigation", "search") or (
                classes and not _NO_CONTENT_CLASSES.isdisjoint(classes)
            ):
                self._keep(kept, start)
                position = kept = self._past(tag, position)
                continue
            if self._blocks and self._blocks[-1][0] == tag:
                element, depth, unit = self._blocks[-1]
                self._blocks[-1] = (element, depth + 1, unit)
            kind = self._kind(tag, classes)
            if kind is not None and len(self._blocks) < 50:
                self._keep(kept, start)
                kept = position
                if self._blocks and self._blocks[-1][0] == tag:  # its end is that of the inner block
                    element, depth, unit = self._blocks[-1]
                    self._blocks[-1] = (element, depth - 1, unit)
                self._blocks.append((tag, 1, True))
                self.units.begin(kind, None, self._line_at(start), found.get("id"))
            elif tag == "section" and "id" in found:
                self._section_id = found["id"]
        self._keep(kept, len(html))
        yield from self.units.documents()

    def _kind(self, tag: str, classes: list[str]) -> str | None:
        """The type of unit that an element with these classes is."""
        if tag not in ("div", "section", "article", "blockquote"):
            return None
        if "ltx_abstract" in classes:
            return "abstract"
        if "ltx_proof" in classes:
            return "proof"
        latexml = "ltx_theorem" in classes
        for name in classes:
            if name.startswith("ltx_theorem_"):
                plain = name.removeprefix("ltx_theorem_").lower()
                return kind_of(plain) or plain
            if not latexml and len(name) > 3 and (kind := kind_of(name)):
                return None if kind == "remark" and name == "note" else kind
        return "theorem" if latexml else None

    def _close(self, kept: int, start: int) -> bool:
        """The end tag of the kind of element that the innermost block is: whether the block ends with it."""
        tag, depth, unit = self._blocks[-1]
        if depth > 1:
            self._blocks[-1] = (tag, depth - 1, unit)
            return False
        self._blocks.pop()
        self._keep(kept, start)
        self.units.end()
        return True

    def _heading(self, tag: str, attributes: str, inner: str) -> None:
        title = self._content(_without_number(inner))
        if tag == "title":
            if not self.units.title and not self.units.nested:
                self.units.title = title
            return
        if not title:
            return
        if self._blocks:
            if not self.units.retitle(_theorem_title(title)) and not _PROOF_HEAD.match(title.text):
                self.units.add("\n", *title.parts, "\n")
            return
        found = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(attributes)}
        classes = found.get("class", "").split()
        if "ltx_title_document" in classes:
            self.units.title = title
            return
        anchor = found.get("id") or self._section_id
        self._section_id = None
        self.units.heading(int(tag[1]), title, self._line, anchor)

    def _keep(self, start: int, end: int) -> None:
        if end > start:
            line = self._line_at(start)
            content = self._content(self.html[start:end], f"{self.name}:{line}")
            if content:
                self.units.add("\n", *content.parts, "\n")

    def _content(self, html: str, where: str | None = None) -> Content:
        return html_to_content(
            html, formulas=self.formulas, where=where or self.name, on_problem=self.on_problem if where else None
        )

    def _line_at(self, position: int) -> int:
        if position > self._counted:
            self._line += self.html.count("\n", self._counted, position)
            self._counted = position
        return self._line

    def _find(self, closing: str, position: int) -> int:
        if closing in self._missing:
            return -1
        found = re.compile(re.escape(closing), re.IGNORECASE).search(self.html, position)
        if found is None:
            self._missing.add(closing)
            self.on_problem(Problem(self.name, f"no {closing} from line {self._line_at(position)} on"))
            return -1
        return found.start()

    def _after(self, closing: str, position: int) -> int:
        found = self._find(closing, position)
        return position if found < 0 else found + len(closing)

    def _past(self, tag: str, position: int) -> int:
        """The offset after the end of the element whose content begins here; elements of its name may be inside."""
        if f"</{tag}" in self._missing:
            return position
        depth = 1
        for match in re.compile(rf"<(/?){tag}\b[^<>]*>", re.IGNORECASE).finditer(self.html, position):
            depth += -1 if match.group(1) else 0 if match.group().endswith("/>") else 1
            if depth == 0:
                return match.end()
        self._missing.add(f"</{tag}")
        self.on_problem(Problem(self.name, f"<{tag}> is never ended after line {self._line_at(position)}"))
        return position


def _without_number(html: str) -> str:
    """A LaTeXML heading without ``1.2`` or ``Theorem 3`` before it."""
    found = _NUMBER_TAG.search(html)
    if found is None:
        return html
    depth = 1
    for match in re.finditer(r"<(/?)span\b[^<>]*>", html[found.end() :]):
        depth += -1 if match.group(1) else 1
        if depth == 0:
            return f"{html[: found.start()]} {html[found.end() + match.end() :]}"
    return html


def _theorem_title(title: Content) -> Content:
    """``Theorem 1.2 (Lagrange).`` → ``Lagrange``; empty where only the number is there."""
    text = _HEAD.sub("", title.text, count=1).strip().strip(".:").strip()
    inside = _PARENTHESES.match(text)
    text = (inside.group(1) if inside else text).strip()
    return Content(text, title.formulas) if text.count("\ufffc") == len(title.formulas) else title
