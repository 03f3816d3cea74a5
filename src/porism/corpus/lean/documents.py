"""The documents of a Lean file: its declarations, what attributes make of them, and the comments of the module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from operator import attrgetter

from porism.corpus.base import UnitId, clean
from porism.corpus.lean.attributes import Attribute
from porism.corpus.lean.declarations import Declaration, DeclarationReader
from porism.corpus.lean.docstrings import docstring_content
from porism.corpus.lean.generated import generated
from porism.corpus.lean.mentions import local_names, mentioned
from porism.corpus.lean.source import DocComment, LeanSource
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.sections import FileUnits
from porism.errors import OnProblem, Problem
from porism.types import CITES, DECLARES, MENTIONS, Content, Document

TYPES = dict.fromkeys((
    "def", "abbrev", "irreducible_def", "structure", "class", "class abbrev", "class inductive", "inductive",
    "coinductive", "opaque",
), "definition")  # fmt: skip
"""Keyword → the type of the document, where that has another name in other formats."""

_HEADING = re.compile(r"^[ \t]*(#{1,6})[ \t]+(.*\S)", re.MULTILINE)
_SINCE = re.compile(r"since\s*:=\s*\"([^\"\n]*)\"")


class LeanDocuments:
    """Makes the documents of one file.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    :param module: the name of the module.
    """

    def __init__(self, text: str, name: str, source: str, module: str, on_problem: OnProblem) -> None:
        self._name, self._collection, self._module, self._on_problem = name, source, module, on_problem
        self._source = LeanSource(clean(text))
        self._ids: set[str] = set()
        self._numbers: Counter[str] = Counter()  # of names that were wanted again: how often
        self._units = FileUnits(name, source, on_problem, extra={"module": module})
        self._path: list[tuple[int, Content]] = []  # the headings above what comes next, with their levels
        self._headings: tuple[str, ...] = ()
        self._contents: dict[DocComment | str, Content] = {}

    def documents(self) -> Iterator[Document]:
        """All documents; those of the comments of the module come last."""
        source = self._source
        for place, kind in source.unclosed:
            self._report(place, f"a {kind} that is never closed")
        reader = DeclarationReader(source, self._report)
        declared = {declaration.name for declaration in reader.declarations}
        items: Iterator[DocComment | Declaration] = merge(
            source.module_docs, reader.declarations, key=attrgetter("start")
        )
        for item in items:
            if isinstance(item, DocComment):
                self._read_module_doc(item)
                continue
            yield self._document(item)
            for made in generated(item, reader):
                if made.name not in declared:
                    declared.add(made.name)
                    yield self._document(made)
        for document in self._units.documents():
            unit = document.id.unit if isinstance(document.id, UnitId) else ""
            yield replace(document, id=UnitId(self._name, self._unique(unit))) if unit else document

    def _report(self, place: int, problem: str) -> None:
        self._on_problem(Problem(f"{self._name}:{self._source.line(place)}", problem))

    def _read_module_doc(self, comment: DocComment) -> None:
        text, line = comment.text, self._source.line(comment.text_start)
        MarkdownBlocks(self._units, self._name, self._on_problem).read(text, line)
        heading = _HEADING.search(text)
        if heading is not None:  # others in the same comment are about the comment
            level = len(heading.group(1))
            title = markdown_text(heading.group(2), self._name)
            self._path = [*(entry for entry in self._path if entry[0] < level), (level, title)]
            self._headings = tuple(heading.to_latex() for _, heading in self._path)

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self._ids:
            self._numbers[name] += 1
            unique = f"{name}-{self._numbers[name] + 1}"
        self._ids.add(unique)
        return unique

    def _document(self, declaration: Declaration) -> Document:
        fields = {"title": Content(declaration.name)}
        if self._path:
            fields["section"] = self._path[-1][1]
        if declaration.names:
            fields["aliases"] = Content(", ".join(dict.fromkeys(declaration.names)))
        body = self._body(declaration)
        if body:
            fields["body"] = body
        signature = signature_content(declaration)
        if signature:
            fields["signature"] = signature
        return Document(UnitId(self._name, self._unique(declaration.name)), fields, self._metadata(declaration))

    def _metadata(self, declaration: Declaration) -> dict[str, str | tuple[str, ...]]:
        kind = declaration.kind
        metadata: dict[str, str | tuple[str, ...]] = {
            "source": self._collection, "type": TYPES.get(kind, kind), "file": self._name,
            "line": str(declaration.line), "kind": kind, "module": self._module,
        }  # fmt: skip
        if self._headings:
            metadata["section"] = self._headings
        if declaration.attributes:
            metadata["attributes"] = tuple(dict.fromkeys(_attribute_names(declaration.attributes)))
        if declaration.modifiers:
            metadata["modifiers"] = declaration.modifiers
        if declaration.opened:
            metadata["open"] = declaration.opened
        if declaration.instances:
            metadata["instances"] = declaration.instances
        if declaration.names:
            metadata["aliases"] = tuple(dict.fromkeys(declaration.names))
        metadata |= self._names(declaration)
        if declaration.generated:
            metadata["generated"] = declaration.generated
        if declaration.origin:
            metadata["of"] = declaration.origin
        deprecated = declaration.attribute("deprecated") if declaration.attributes else None
        if deprecated is not None:
            since = _SINCE.search(deprecated.text)
            metadata["deprecated"] = since.group(1) if since is not None else "yes"
        return metadata

    def _names(self, declaration: Declaration) -> dict[str, str | tuple[str, ...]]:
        """Its own name, and those that it mentions; what attributes make mentions others than are written."""
        names: dict[str, str | tuple[str, ...]] = {DECLARES: declaration.name}
        if declaration.generated:
            return names
        binders, statement = declaration.variables, declaration.statement
        bound = list(local_names(binders, statement))
        if stated := mentioned(f"{binders} {statement}", bound):
            names[MENTIONS] = tuple(stated)
        value = self._source.bare[declaration.value_at : declaration.end]
        if cited := mentioned(value, (*bound, *stated)):
            names[CITES] = tuple(cited)
        return names

    def _body(self, declaration: Declaration) -> Content:
        """The docstring of a declaration, and those of its fields or constructors."""
        contents = [self._content(declaration.docstring)] if declaration.docstring else []
        contents += [self._content(comment) for comment in declaration.inner]
        if len(contents) <= 1:
            return contents[0] if contents else Content("")
        text = "\n\n".join(content.text for content in contents)
        return Content(text, tuple(formula for content in contents for formula in content.formulas))

    def _content(self, docstring: DocComment | str) -> Content:
        if docstring not in self._contents:
            text, place = (docstring, 0) if isinstance(docstring, str) else (docstring.text, docstring.text_start)
            line = self._source.line(place)
            self._contents[docstring] = docstring_content(text, self._name, line, self._on_problem)
        return self._contents[docstring]


def signature_content(declaration: Declaration) -> Content:
    """The binders and the type of a declaration as text; terms are no formulas yet."""
    before = f"{declaration.variables} " if declaration.variables and declaration.statement else declaration.variables
    lines = tuple((len(before) + character, line) for character, line in declaration.statement_lines)
    return Content(before + declaration.statement, lines=lines)


def _attribute_names(attributes: tuple[Attribute, ...]) -> Iterator[str]:
    for attribute in attributes:
        yield attribute.name
        yield from _attribute_names(attribute.nested)
