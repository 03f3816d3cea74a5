"""Web pages: HTML and XHTML with formulas in any form, and papers as LaTeXML writes them (arXMLiv, ar5iv).

One walk over the tree of the page makes content, cuts it at headings and at theorem-like blocks, and leaves out what is
none (navigation, bibliographies). Of a page with a ``main`` element, or one ``article``, nothing else is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from selectolax.lexbor import LexborNode

from porism.analysis.languages import language_named
from porism.corpus.base import ReaderOptions, clean
from porism.corpus.html.classes import (
    NO_CONTENT_CLASSES,
    NUMBER_CLASSES,
    admonition_title,
    is_title,
    kind_of_classes,
    titled,
)
from porism.corpus.html.content import ContentBuilder, may_have_no_formulas
from porism.corpus.html.regions import definitions_beside, is_left_out, is_permalink, main_region
from porism.corpus.html.tree import BLOCKS, parse_html, walk
from porism.corpus.html.word_equations import with_word_equations
from porism.corpus.macro_files import definitions_in, site_macro_files
from porism.corpus.sections import FileUnits, theorem_title
from porism.corpus.text_files import decode, guess_encoding, read_bytes
from porism.corpus.text_reader import PageMacros, with_macros
from porism.corpus.theorem_heads import ParagraphUnits, first_kind
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, MarkupNotation, Metadata

_CHARSET = re.compile(rb"""<meta\b[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})["']""")
_ACTION = re.compile(
    r"\{\{-?\s*(?:/\*(?:(?!\*/).)*\*/"
    r"|(?:(?:if|with|range|end|else|define|template|partial|block|return)\b|\$\w|\.[A-Z]\w)[^{}]*)\s*-?\}\}",
    re.DOTALL,
)
"""An action of Go's templates (``{{ $x := .Title }}``), which layouts of Hugo have."""
_MAX_BLOCK_DEPTH = 50
_PROOF_HEAD = re.compile(r"^\s*(?:proof|solution|answer)\s*[.:]?\s*$", re.IGNORECASE)

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))
_MARKED = frozenset(("strong", "b", "em", "i", "dfn"))
_INSTRUCTION = re.compile(r"<(?:!--)?\?(/?)(strong|b|em|i|dfn)\b", re.IGNORECASE)
_ITALICS = frozenset(("em", "i"))
_LISTS = frozenset(("ul", "ol", "dl", "table", "pre"))
_AROUND_PARAGRAPHS = frozenset(("body", "div", "section", "article", "main", "blockquote"))
"""Elements whose paragraphs may begin theorem-like blocks."""
_UNSEEN = frozenset(("script", "style", "title", "noscript", "template"))
_UNIT_ELEMENTS = frozenset(("div", "section", "article", "blockquote"))
_NO_CONTENT = frozenset(("nav", "footer", "aside", "form", "button", "select"))


class PageReader(FileReader):
    """Reads web pages."""

    name = "html"
    extensions = (".html", ".htm", ".xhtml", ".xht")

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = page_text(path, name, options, on_problem)
        if text is not None:
            macros = PageMacros([definitions_in(file) for file in self.companions(path, name)])
            url = f"{options.base_url.rstrip('/')}/{quote(name)}" if options.base_url else ""
            documents = page_documents(text, name, source, options.formulas, on_problem, url=url, macros=macros)
            yield from with_macros(documents, macros)

    def companions(self, path: Path, name: str) -> list[Path]:
        return site_macro_files(path, name)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the XML declaration or a ``<meta>`` element of a page names; None where Python knows none."""
    head = data[:4096]
    match = _XML_ENCODING.search(head) or _CHARSET.search(head)
    if match is None:
        return None
    name = match.group(1).decode("ascii", "replace").lower()
    name = "cp1252" if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii") else name
    try:
        b"".decode(name)
        "".encode(name)
    except (LookupError, ValueError):
        return None
    return None if name.startswith(("utf-16", "utf16")) else name  # a page whose declaration can be read is not


def page_text(path: Path, name: str, options: ReaderOptions, on_problem: OnProblem) -> str | None:
    """The text of a page in the encoding that it declares; None, and a problem, where it cannot be read."""
    data = read_bytes(path, name, on_problem)
    if data is None:
        return None
    return decode(data, name, on_problem, options.encoding or guess_encoding(data) or declared_encoding(data))


def page_documents(
    text: str, name: str, source: str, formulas: MarkupNotation, on_problem: OnProblem,
    extra: Metadata | None = None, language: str = "", *, with_lines: bool = True, url: str = "",
    macros: PageMacros | None = None,
) -> Iterator[Document]:
    """The documents of one page.

    :param formulas: the notation wanted where it has both.
    :param extra: metadata that every document gets.
    :param language: of the page where it says none.
    :param with_lines: whether lines are those of a file that a reader can open.
    :param url: the address of the page, to which documents add the ids of its elements.
    :param macros: gets the definitions that the page has beside its content.
    """
    html = with_word_equations(clean(text))
    if "{{" in html:
        html = _ACTION.sub(lambda match: "\n" * match.group().count("\n"), html)
    return _Page(
        html, name, source, formulas, on_problem, extra, language, with_lines, url, macros or PageMacros()
    ).read()


class _Page:
    """The walk over one page."""

    def __init__(
        self, html: str, name: str, source: str, formulas: MarkupNotation, on_problem: OnProblem,
        extra: Metadata | None, language: str, with_lines: bool, url: str, macros: PageMacros,
    ) -> None:
        self.name, self.formulas, self.on_problem = name, formulas, on_problem
        self.tree = parse_html(html, mark_lines=BLOCKS if with_lines else frozenset(), must_end=_HEADINGS | _NO_CONTENT)
        top = self.tree.body.parent
        own = _language(self.tree.body.attributes) or ("" if top is None else _language(top.attributes))
        self._line = int(with_lines)
        self.units = FileUnits(
            name, source, on_problem, extra=extra, language=own or language, first_line=self._line, url=url
        )
        self._paragraphs = ParagraphUnits(self.units)
        self._paragraph: _Paragraph | None = None  # one that may begin or continue a theorem-like block
        self.macros = macros
        self.main = main_region(self.tree.body)
        self.builder = ContentBuilder(formulas, without_formulas=may_have_no_formulas(html))
        self._kept_line = self._line  # where what has not been kept yet begins
        self._section_id: str | None = None
        self._title_id = 0  # of the element with the title of the admonition that was entered last
        self._depth = 0
        self._blocks: list[int] = []  # the depths of the elements that are units
        self._languages: list[tuple[int, str]] = []  # the depths of the elements that say theirs, and that around them

    def read(self) -> Iterator[Document]:
        for problem in self.tree.problems:
            self.on_problem(Problem(self.name, problem))
        if self.main is not None:
            if reason := is_left_out(self.main):
                self.on_problem(Problem(self.name, f"{reason}; it is left out"))
                return
            for definitions in definitions_beside(self.tree.body, self.main):
                self.macros.define(definitions)
            title = None if self.main.css_first("h1") else self.tree.body.css_first("title")
            if title is not None:
                self._heading(title, "title", None, [])
        elif self._is_made_by_scripts():
            self.on_problem(Problem(self.name, "the page has no text but what a script makes; it is left out"))
            return
        walk(self.main or self.tree.body, self._enter, self._leave)
        self._keep()
        yield from self.units.documents()

    def _is_made_by_scripts(self) -> bool:
        """Whether the page has scripts and nothing else: no text beside its title, no picture, no formula."""
        body = self.tree.body
        if body.css_first("script") is None or body.css_first("math, img, svg") is not None:
            return False
        return all(node.tag in _UNSEEN for node in body.css("*") if node.text(deep=False).strip())

    def _enter(self, node: LexborNode, tag: str) -> bool:
        if tag == "a" and is_permalink(node):
            return False
        if node.mem_id == self._title_id:
            return False
        if tag not in BLOCKS and tag not in ("span", "sup") and tag not in _NO_CONTENT:
            return self._go_on(node, tag)
        attributes, around = node.attributes, self.units.language
        if line := attributes.get("data-line"):
            self._line = int(line) if line.isdecimal() else self._line
        language = _language(attributes)
        self.units.language = language or around
        entered = self._enter_block(node, tag, attributes)
        if language and entered:
            self._languages.append((self._depth, around))
        elif language:
            self.units.language = around
        return entered

    def _enter_block(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
        classes = (attributes.get("class") or "").split()
        is_side = tag in _NO_CONTENT and (tag != "aside" or self.main is None)
        if is_side or attributes.get("role") in ("navigation", "search") or (
            classes and not NO_CONTENT_CLASSES.isdisjoint(classes)
        ):
            return False
        if tag in _HEADINGS:
            self._keep()
            self._heading(node, tag, attributes.get("id"), classes)
            return False
        is_shallow = len(self._blocks) < _MAX_BLOCK_DEPTH
        kind = kind_of_classes(classes) if tag in _UNIT_ELEMENTS and classes and is_shallow else None
        title: Content | None = Content(clean(attributes.get("title") or ""))
        if is_shallow and (heading := admonition_title(node, classes)) is not None:
            kind, title = titled(heading, kind)
            self._title_id = heading.mem_id if kind else self._title_id
        if kind is not None:
            self._keep()
            if self._go_on(node, tag):
                self._blocks.append(self._depth)
                self._paragraphs.begin(kind, title or None, attributes.get("id") or None, self._line)
                return True
            return False
        if self._paragraph is None and node.parent is not None and node.parent.tag in _AROUND_PARAGRAPHS:
            if tag in _LISTS and self._paragraphs.is_open:
                self._keep()
                self._paragraphs.other(emphasised=_is_emphasised(node.css_first("li")))
            elif tag == "p" and (first_kind(marked := _marked_beginning(node)) or self._paragraphs.is_open):
                self._keep()
                if not self._go_on(node, tag):
                    return False
                self._paragraph = _Paragraph(self._depth, marked, _is_emphasised(node), self._line)
                return True
        if "ltx_note_outer" in classes:
            self.builder.pieces.append(" ")
        if (tag == "section" or "section" in classes) and attributes.get("id"):
            self._section_id = attributes["id"]
        return self._go_on(node, tag)

    def _go_on(self, node: LexborNode, tag: str) -> bool:
        entered = self.builder.enter(node, tag)
        self.builder.line = self._line
        self._depth += entered
        return entered

    def _leave(self, tag: str) -> None:
        self.builder.leave(tag)
        if self._paragraph is not None and self._paragraph.depth == self._depth:
            _, marked, emphasised, line = self._paragraph
            self._paragraph = None
            if content := self.builder.take():
                self._paragraphs.add(content, marked, emphasised=emphasised, line=line)
            self._report()
        if self._blocks and self._blocks[-1] == self._depth:
            self._blocks.pop()
            self._keep()
            self._paragraphs.end()
        if self._languages and self._languages[-1][0] == self._depth:
            self.units.language = self._languages.pop()[1]
        self._depth -= 1

    def _heading(self, node: LexborNode, tag: str, anchor: str | None, classes: list[str]) -> None:
        title = self._title(node)
        if tag == "title":
            if not self.units.title and not self.units.nested:
                self.units.title = title
            return
        if not title:
            return
        if self._blocks:
            if not self.units.retitle(theorem_title(title)) and not _PROOF_HEAD.match(title.text):
                self.units.add("\n", *title.parts, "\n")
            return
        if "ltx_title_document" in classes:
            self.units.title = title
            return
        anchor = anchor or self._section_id
        self._section_id = None
        self._paragraphs.heading(int(tag[1]), title, anchor, self._line)

    def _title(self, heading: LexborNode) -> Content:
        """What a heading says, without LaTeXML's ``1.2`` or ``Theorem 3`` before it."""
        builder = ContentBuilder(self.formulas)

        def enter(node: LexborNode, tag: str) -> bool:
            if tag == "a" and is_permalink(node):
                return False
            if tag == "span" and not NUMBER_CLASSES.isdisjoint((node.attributes.get("class") or "").split()):
                return False
            return builder.enter(node, tag)

        walk(heading, enter, builder.leave)
        return builder.take()

    def _keep(self) -> None:
        """Gives what has been visited to the open unit."""
        parts = list(self.builder.take_parts())
        if parts:
            self.units.add("\n", *parts, "\n")
        self._report()

    def _report(self) -> None:
        """Reports what was wrong in what has been visited."""
        for problem in self.builder.problems():
            self.on_problem(Problem(f"{self.name}:{self._kept_line}" if self._kept_line else self.name, problem))
        self._kept_line = self.builder.line = self._line


class _Paragraph(NamedTuple):
    """A paragraph that is being visited: its depth, its marked beginning, whether it is in italics, and its line."""

    depth: int
    marked: str
    is_emphasised: bool
    line: int


def _marked_texts(paragraph: LexborNode | None) -> Iterator[tuple[str, str]]:
    """The pieces of a paragraph, each with the element that marks it; the tags of large pages are instructions."""
    mark = ""
    child = paragraph.first_child if paragraph is not None else None
    while child is not None:
        instruction = _INSTRUCTION.match(child.html or "") if child.tag in (None, "-comment") else None
        if instruction is not None:
            mark = "" if instruction.group(1) else instruction.group(2)
        elif child.tag == "-text" or child.tag in _MARKED:
            yield child.text(), mark if child.tag == "-text" else child.tag
        elif child.tag == "span" and is_title(child):
            yield child.text(), "strong"
        else:
            yield (child.text() or ""), "other"
        child = child.next


def _marked_beginning(paragraph: LexborNode) -> str:
    """The text that a paragraph begins with and that is bold or in italics."""
    marked = takewhile(lambda piece: piece[1] in _MARKED or not piece[0].strip(), _marked_texts(paragraph))
    return " ".join("".join(text for text, _ in marked).split())


def _is_emphasised(paragraph: LexborNode | None) -> bool:
    """Whether most of a paragraph's text, but for bold words and formulas, is in italics."""
    lengths = Counter[bool]()
    for text, mark in _marked_texts(paragraph):
        if mark in _ITALICS or not mark:
            lengths[bool(mark)] += len(text)
    return lengths[True] > lengths[False]


def _language(attributes: Mapping[str, str | None]) -> str:
    """The language that an element says its content is in, empty where it says none that is known."""
    return language_named(attributes.get("lang") or attributes.get("xml:lang") or "") or ""
