"""The documents of a Lean file: its declarations, what attributes make of them, and the comments of the module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from heapq import merge
from operator import attrgetter

from porism.corpus.base import clean
from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.lean.attributes import Attribute
from porism.corpus.lean.declarations import Declaration, DeclarationReader
from porism.corpus.lean.docstrings import docstring_content
from porism.corpus.lean.generated import generated
from porism.corpus.lean.mentions import local_names, mentioned
from porism.corpus.lean.signatures import signature_content
from porism.corpus.lean.source import LeanSource
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.errors import OnProblem
from porism.types import CITES, DECLARES, MENTIONS, Content

_HEADING = re.compile(r"^[ \t]*(#{1,6})[ \t]+(.*\S)", re.MULTILINE)
_SINCE = re.compile(r"since\s*:=\s*\"([^\"\n]*)\"")


class LeanDocuments(FormalDocuments):
    """Makes the documents of one file."""

    types = dict.fromkeys((
        "def", "abbrev", "irreducible_def", "structure", "class", "class abbrev", "class inductive", "inductive",
        "coinductive", "opaque",
    ), "definition")  # fmt: skip

    def __init__(self, text: str, name: str, source: str, module: str, on_problem: OnProblem) -> None:
        self._lean = LeanSource(clean(text))
        super().__init__(self._lean, name, source, module, on_problem)

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        reader = DeclarationReader(self._lean, self.report)
        declared = {declaration.name for declaration in reader.declarations}
        prose = (Prose(comment.text_start, comment.text) for comment in self._lean.module_docs)
        items: Iterator[Prose | Declaration] = merge(prose, reader.declarations, key=attrgetter("start"))
        for item in items:
            yield item
            for made in generated(item, reader) if isinstance(item, Declaration) else ():
                if made.name not in declared:
                    declared.add(made.name)
                    yield made

    def read_prose(self, prose: Prose) -> None:
        MarkdownBlocks(self.units, self.name, self.on_problem).read(prose.text, self.source.line(prose.start))
        heading = _HEADING.search(prose.text)
        if heading is not None:  # others in the same comment are about the comment
            self.enter_heading(len(heading.group(1)), markdown_text(heading.group(2), self.name))

    def text_content(self, text: str, line: int) -> Content:
        return docstring_content(text, self.name, line, self.on_problem)

    def more_metadata(self, declaration: FormalDeclaration) -> Mapping[str, str | tuple[str, ...]]:
        metadata: dict[str, str | tuple[str, ...]] = {}
        if not isinstance(declaration, Declaration):
            return metadata
        if declaration.attributes:
            metadata["attributes"] = tuple(dict.fromkeys(_attribute_names(declaration.attributes)))
        if declaration.opened:
            metadata["open"] = declaration.opened
        if declaration.instances:
            metadata["instances"] = declaration.instances
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
        value = self._lean.bare[declaration.value_at : declaration.end]
        if cited := mentioned(value, (*bound, *stated)):
            names[CITES] = tuple(cited)
        return names

    def body(self, declaration: FormalDeclaration) -> Content:
        """The docstring of a declaration, and those of its fields or constructors."""
        inner = declaration.inner if isinstance(declaration, Declaration) else []
        contents = [self.docstring_content(comment) for comment in (declaration.docstring, *inner) if comment]
        if len(contents) <= 1:
            return contents[0] if contents else Content("")
        text = "\n\n".join(content.text for content in contents)
        return Content(text, tuple(formula for content in contents for formula in content.formulas))

    def signature(self, declaration: FormalDeclaration) -> Content:
        return signature_content(declaration) if isinstance(declaration, Declaration) else Content("")


def _attribute_names(attributes: tuple[Attribute, ...]) -> Iterator[str]:
    for attribute in attributes:
        yield attribute.name
        yield from _attribute_names(attribute.nested)
