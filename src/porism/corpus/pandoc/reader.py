"""The readers of formats that pandoc reads: Word, OpenDocument, wikis, JATS, DocBook and others.

Formulas in marks that pandoc does not know, or knows wrongly, are taken out before it reads a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from porism.analysis.languages import language_named
from porism.corpus.base import ReaderOptions, clean
from porism.corpus.html.reader import declared_encoding
from porism.corpus.pandoc.blocks import Node, PandocBlocks
from porism.corpus.pandoc.markup import prepared_opendocument, prepared_word, prepared_xml
from porism.corpus.pandoc.preparing import Prepared, prepared_text, with_whole_characters
from porism.corpus.pandoc.program import DOCUMENTS, pandoc_tree
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import decode, guess_encoding, open_file, read_bytes
from porism.corpus.theorem_heads import ParagraphUnits
from porism.corpus.walking import FileReader, ending
from porism.corpus.zipped import read_zip
from porism.errors import OnProblem, Problem
from porism.types import Content, Document

HEAD = 4096
"""So many bytes of a file show whether it is of a format whose ending others have too."""


@dataclass(frozen=True)
class PandocFormat:
    """A format: its name here, the endings of its files, its name in pandoc, and how files are told from others.

    :param kind: ``packed`` for archives, ``xml``, ``marks`` for texts whose formulas stand between dollars, ``plain``
        for others.
    :param shared: endings that files of other formats have too.
    :param signs: what its files with such endings have at their beginning.
    """

    name: str
    extensions: tuple[str, ...]
    pandoc: str
    kind: str
    shared: tuple[str, ...] = ()
    signs: re.Pattern[bytes] | None = None


_MAN_PAGES = tuple(f".{section}" for section in range(1, 9))
PANDOC_FORMATS = (
    PandocFormat("docx", (".docx", ".docm"), "docx+styles", "packed"),
    PandocFormat("odt", (".odt", ".ott"), "odt", "packed"),
    PandocFormat("rtf", (".rtf",), "rtf", "plain"),
    PandocFormat("dokuwiki", (".dokuwiki", ".doku"), "dokuwiki", "marks"),
    PandocFormat("textile", (".textile",), "textile", "marks"),
    PandocFormat("asciidoc", (".adoc", ".asciidoc"), "asciidoc", "marks"),
    PandocFormat("jats", (".jats", ".nxml"), "jats", "xml", (".xml",), re.compile(
        rb"<!DOCTYPE\s+article\b[^>]*(?:NLM|JATS)|<article\b[^>]*\s(?:article-type|dtd-version)\s*=|"
        rb"<front>\s*<(?:journal|article)-meta"
    )),
    PandocFormat("docbook", (".dbk", ".docbook"), "docbook", "xml", (".xml",), re.compile(
        rb"//DTD DocBook|http://docbook\.org/ns/docbook"
    )),
    PandocFormat("fb2", (".fb2",), "fb2", "xml"),
    PandocFormat("opml", (".opml",), "opml", "xml"),
    PandocFormat("man", (".man",), "man", "plain", _MAN_PAGES, re.compile(rb"(?m)^\.TH\s")),
)


class PandocReader(FileReader):
    """Reads the files of one format by way of pandoc."""

    def __init__(self, format: PandocFormat) -> None:
        self._format = format
        self.name, self.extensions = format.name, (*format.extensions, *format.shared)
        self.needs = dict.fromkeys(self.extensions, DOCUMENTS)

    def accepts(self, path: Path) -> bool:
        if self._format.signs is None or ending(path) not in self._format.shared:
            return True
        try:
            with open_file(path) as file:
                return self._format.signs.search(file.read(HEAD)) is not None
        except OSError:
            return False

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        DOCUMENTS.load(f"reading {self.name} files")
        data = read_bytes(path, name, on_problem)
        prepared = self._prepared(data, name, options, on_problem) if data is not None else None
        if prepared is None:
            return
        tree = pandoc_tree(prepared.data, self._format.pandoc, name, on_problem)
        if tree is None:
            return
        is_empty = True
        for document in tree_documents(tree, prepared, name, source, on_problem):
            is_empty = False
            yield document
        if is_empty and prepared.data.strip():
            on_problem(Problem(name, "has no text that pandoc reads"))

    def _prepared(
        self, data: bytes, name: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Prepared | None:
        kind = self._format.kind
        if kind == "packed":
            prepare = prepared_opendocument if self.name == "odt" else prepared_word
            return read_zip(data, partial(prepare, where=name, on_problem=on_problem), name, on_problem)
        declared = declared_encoding(data) if kind == "xml" else None
        text = decode(data, name, on_problem, options.encoding or guess_encoding(data) or declared)
        if kind == "marks":
            return prepared_text(text, self._format.pandoc, name, on_problem)
        data = (with_whole_characters(text) if self.name == "rtf" else text).encode("utf-8", "replace")
        return prepared_xml(data, name, on_problem) if self.name in ("jats", "docbook") else Prepared(data)


def tree_documents(
    tree: Mapping[str, Any], prepared: Prepared, name: str, source: str, on_problem: OnProblem
) -> Iterator[Document]:
    """The documents of one of pandoc's trees.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    meta: Mapping[str, Node] = tree.get("meta", {})
    language = language_named(_words(meta.get("lang"))) or ""
    authors = [author for entry in _entries(meta.get("author")) if (author := _words(entry))]
    units = FileUnits(
        name, source, on_problem, extra={"authors": tuple(authors)} if authors else None,
        fallback=Content(clean(PurePosixPath(name).stem)), language=language, first_line=0,
    )
    paragraphs = ParagraphUnits(units)
    blocks = PandocBlocks(paragraphs, prepared, name, on_problem)
    if title := _inlines(meta.get("title")):
        units.title = blocks.content(title)
    units.tags += [tag for key in ("keywords", "tags") for entry in _entries(meta.get(key)) if (tag := _words(entry))]
    if "abstract" in meta and meta["abstract"]["t"] == "MetaBlocks":
        paragraphs.begin("abstract", None)
        blocks.read(meta["abstract"]["c"])
        paragraphs.end()
    blocks.read(tree.get("blocks", ()))
    paragraphs.end_block()
    yield from units.documents()


def _entries(value: Node | None) -> Sequence[Node]:
    """The values of a list, or the one that is there instead."""
    if value is None:
        return ()
    entries: Sequence[Node] = value["c"] if value["t"] == "MetaList" else [value]
    return entries


def _inlines(value: Node | None) -> Sequence[Node]:
    """A value as running text."""
    if value is None or value["t"] not in ("MetaInlines", "MetaString", "MetaBlocks"):
        return ()
    content = value["c"]
    if value["t"] == "MetaString":
        return [{"t": "Str", "c": content}]
    inlines: Sequence[Node] = content
    if value["t"] == "MetaBlocks":
        inlines = next((block["c"] for block in content if block["t"] in ("Para", "Plain")), ())
    return inlines


def _words(value: Node | None) -> str:
    """A value as plain words: of a person with several keys, the name."""
    if value is not None and value["t"] == "MetaMap":
        names = value["c"]
        return _words(names.get("name")) or " ".join(
            part for key in ("given-names", "given", "surname", "family") if (part := _words(names.get(key)))
        )
    pieces = [inline.get("c") if inline["t"] == "Str" else " " for inline in _inlines(value)]
    return " ".join(clean("".join(piece for piece in pieces if isinstance(piece, str))).split())
