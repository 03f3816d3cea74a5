"""PreTeXt: a document for each division and each theorem-like element of a book, read with all that it includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from porism.analysis.languages import language_named
from porism.corpus.base import ReaderOptions, clean
from porism.corpus.inclusions import IncludingReader, may_read, target_of
from porism.corpus.lines import LineMark
from porism.corpus.pretext.content import InlineText, Targets
from porism.corpus.pretext.tables import (
    DIVISIONS,
    HEADED,
    KINDS,
    MANIFESTS,
    NAMED_PROOFS,
    OWN_TOPS,
    PROOFS,
    REFERENCE_NAMES,
    SKIPPED,
    TOPS,
    WHOLES,
)
from porism.corpus.pretext.tree import INCLUDE, XML_LANGUAGE, child_of, id_of, parse_xml, tag_of, visit
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import open_file, read_bytes
from porism.corpus.text_reader import PageMacros, with_macros
from porism.corpus.walking import OUTSIDE, relative_name
from porism.errors import OnProblem, Problem
from porism.types import Content, Document

_SNIFFED = 32_768
_HREF = re.compile(rb"""<(?:\w+:)?include\b[^<>]*?\bhref\s*=\s*(?:"([^"<>]{1,300})"|'([^'<>]{1,300})')""")
_BEFORE = re.compile(rb"(?:\s|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\])?\s*>)*", re.DOTALL)
_TOP = re.compile(rb"<([A-Za-z][\w-]*)([^<>]*)>")
_OTHER_XML = re.compile(rb"""\bPUBLIC\b|\sxmlns\s*=\s*["'][^"']""")
_SURELY = re.compile(rb"""\sxml:id\s*=|\sxmlns:xi\s*=|<(?:m|me|men|md|mdn|index-list|notation-list)\b""")


class PretextReader(IncludingReader):
    """Reads books in PreTeXt and in MathBook XML."""

    name = "pretext"
    document = "a division; a theorem-like element with its proof, hints and solutions"
    extensions = (".ptx",)
    detected_extensions = (".xml",)

    def detect(self, path: Path) -> bool:
        return path.is_file() and path.suffix.lower() in (".ptx", ".xml") and self.accepts(path)

    def accepts(self, path: Path) -> bool:
        """Whether the first element is one of PreTeXt; in ``.xml`` a part of a book needs a sign of it."""
        try:
            with open_file(path) as file:
                head = file.read(_SNIFFED)
        except OSError:
            return False
        before = _BEFORE.match(head)
        top = _TOP.match(head, before.end() if before else 0)
        if before is None or top is None:
            return path.suffix.lower() == ".ptx" and b"<" in head
        name = top.group(1).decode()
        if name == "project" and b"<target" in head:
            return False
        if path.suffix.lower() == ".ptx":
            return name not in MANIFESTS
        if name in OWN_TOPS:
            return True
        is_other = _OTHER_XML.search(before.group()) or _OTHER_XML.search(top.group(2))
        return name in TOPS and not is_other and _SURELY.search(head) is not None

    def names_in(self, data: bytes) -> list[str]:
        return [(match[1] or match[2]).decode("utf-8", "replace").strip() for match in _HREF.finditer(data)]

    def read_whole(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, silent: frozenset[str]
    ) -> Iterator[Document]:
        root = path.parents[name.count("/")]
        trees: dict[Path, Any] = {}
        for file in self.reached(path, root, options):
            where = relative_name(file, root)
            data = read_bytes(file, where, on_problem)
            if data is not None:
                trees[file] = parse_xml(data, where, options.encoding, on_problem)
        nodes = [node for tree in trees.values() if tree is not None for node in tree.iter()]
        targets = {label: (_called(node), node) for node in nodes if tag_of(node) and (label := id_of(node))}
        macros = PageMacros(["".join(node.itertext()) for node in nodes if tag_of(node) == "macros"])
        if trees.get(path) is not None:
            units = FileUnits(name, source, on_problem, silent=silent)
            yield from with_macros(_Book(trees, targets, path, root, options, units, on_problem).read(path), macros)


def _called(node: Any) -> str:
    tag = tag_of(node)
    return REFERENCE_NAMES.get(tag) or KINDS.get(tag) or tag.replace("-", " ")


class _Book:
    """The walk over the files of one book."""

    def __init__(
        self, trees: dict[Path, Any], targets: Targets, path: Path, root: Path, options: ReaderOptions,
        units: FileUnits, on_problem: OnProblem,
    ) -> None:
        self._trees, self._root, self._options, self._on_problem = trees, root, options, on_problem
        self._units = units
        self._inline = InlineText(targets)
        self._files = [path]
        self._read = {path}
        self._ends: list[tuple[Any, str]] = []  # what is open: an element, and what its end does
        self._depth = 0

    def read(self, path: Path) -> Iterator[Document]:
        top = self._trees[path]
        self._units.language = language_named(top.get(XML_LANGUAGE) or "") or ""
        if self._enter(top, tag_of(top)) is not None:
            visit(top, self._enter, self._leave, self._inline.text)
            self._leave(top, tag_of(top))
        self._keep()
        yield from self._units.documents()

    def _enter(self, node: Any, tag: str) -> Any:
        """Takes in an element; gives the one whose content is to be visited: of an inclusion, that of its file."""
        if tag == INCLUDE:
            return self._include(node)
        if tag == "idx" or (tag == "index" and _is_entry(node)):
            self._index_entry(node)
            return None
        if tag in SKIPPED:
            return None
        if tag == "title":
            self._title(node)
            return None
        if tag in WHOLES:
            self._units.title = self._units.title or self._titled(node)
        elif tag in DIVISIONS:
            self._begin_division(node, tag)
        elif tag in KINDS or tag in PROOFS:
            self._keep()
            kind = KINDS.get(tag, "proof")
            title = self._titled(node) or (Content(tag.capitalize()) if tag in NAMED_PROOFS else None)
            self._units.begin(kind, title, node.sourceline, id_of(node))
            self._inline.is_fresh = True
            self._ends.append((node, "block"))
        elif tag != "image" and (name := id_of(node)) is not None:
            self._units.label(name)
        entered = self._inline.enter(node, tag)
        if entered is None and tag in ("md", "mdn"):
            for label in filter(None, map(id_of, filter(tag_of, node))):
                self._units.label(label)
        return entered

    def _leave(self, node: Any, tag: str) -> None:
        self._inline.leave(node, tag)
        if not self._ends or self._ends[-1][0] is not node:
            return
        self._keep()
        _, end = self._ends.pop()
        if end == "block":
            self._units.end()
        elif end == "division":
            self._units.end_headings(self._depth)
            self._depth -= 1
        else:
            self._files.pop()
            self._units.file = relative_name(self._files[-1], self._root)

    def _begin_division(self, node: Any, tag: str) -> None:
        title = self._titled(node) or (Content(tag.replace("-", " ").capitalize()) if tag in HEADED else None)
        self._keep()
        if title is None or self._units.nested:
            if title is not None:
                self._units.add("\n\n", *title.parts, "\n\n")
            return
        self._depth += 1
        self._units.heading(self._depth, title, node.sourceline, id_of(node))
        if (name := id_of(node)) is not None:
            self._units.label(name)
        self._ends.append((node, "division"))

    def _index_entry(self, node: Any) -> None:
        self._keep()
        if entry := self._inline.index_entry(node):
            self._units.unit.aliases.append(entry)

    def _title(self, node: Any) -> None:
        """A title that belongs to no document is text."""
        for entry in node.iter("idx"):
            self._index_entry(entry)
        parent = tag_of(node.getparent()) if node.getparent() is not None else ""
        if parent not in WHOLES | DIVISIONS | KINDS.keys() | PROOFS:
            self._inline.parts += ["\n\n", *self._inline.content(node).parts, "\n\n"]

    def _titled(self, node: Any) -> Content | None:
        title = child_of(node, "title")
        return (self._inline.content(title) or None) if title is not None else None

    def _include(self, node: Any) -> Any:
        name = node.get("href")
        if not name or node.get("parse") == "text":
            return None
        path = target_of(name.strip(), self._files[-1], self._root)
        tree = self._trees.get(path)
        if tree is None:
            if path not in self._trees:
                is_there = path.is_file() and not may_read(path, self._root, self._options)
                problem = f"{clean(name)} {OUTSIDE}" if is_there else f"there is no file {clean(name)}"
                self._on_problem(Problem(f"{self._units.file}:{node.sourceline}", problem))
            return None
        if path in self._read:
            return None
        self._keep()
        self._read.add(path)
        self._files.append(path)
        self._units.file = relative_name(path, self._root)
        self._ends.append((node, "file"))
        return [tree]

    def _keep(self) -> None:
        """Gives what was gathered to the open document."""
        parts = self._inline.take()
        if self._units.unit.file != self._units.file:  # lines of another file mean nothing there
            parts = [part for part in parts if not isinstance(part, LineMark)]
        self._units.add(*parts)


def _is_entry(node: Any) -> bool:
    """Whether an ``index`` is an entry of the index, as in MathBook XML, and not the index."""
    return child_of(node, "index-list") is None and child_of(node, "title") is None
