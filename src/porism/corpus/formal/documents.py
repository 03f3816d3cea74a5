"""The documents of a file of a formal library: its declarations, and what it says between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from porism.corpus.base import UnitId
from porism.corpus.formal.conventions import spoken_name
from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.source import DocComment, SourceText
from porism.corpus.sections import FileUnits
from porism.errors import OnProblem, Problem
from porism.types import Content, Document


@dataclass(frozen=True, slots=True)
class Prose:
    """Text between declarations; with a level it is a heading."""

    start: int
    text: str
    level: int = 0


class FormalDocuments(ABC):
    """Makes the documents of one file; a subclass says what is in it.

    :param name: of the file, in ids and metadata.
    :param collection: the name of the collection.
    :param module: the name of the module.
    """

    types: ClassVar[Mapping[str, str]] = {}
    """Kind of declaration → the type of the document, where that has another name in other formats."""

    def __init__(self, source: SourceText, name: str, collection: str, module: str, on_problem: OnProblem) -> None:
        self.source, self.name, self.module, self.on_problem = source, name, module, on_problem
        self._collection = collection
        self._ids: set[str] = set()
        self._numbers: Counter[str] = Counter()  # of names that were wanted again: how often
        self.units = FileUnits(name, collection, on_problem, extra={"module": module})
        self._path: list[tuple[int, Content]] = []  # the headings above what comes next, with their levels
        self._headings: tuple[str, ...] = ()
        self._contents: dict[DocComment | str, Content] = {}

    @abstractmethod
    def items(self) -> Iterator[FormalDeclaration | Prose]:
        """The declarations and the text between them, in order."""

    @abstractmethod
    def text_content(self, text: str, line: int) -> Content:
        """A comment or other text, in the notation that the library writes it in.

        :param line: where it begins in the file.
        """

    def documents(self) -> Iterator[Document]:
        """All documents; those of the text between declarations come last."""
        for place, kind in self.source.unclosed:
            self.report(place, f"a {kind} that is never closed")
        for item in self.items():
            if isinstance(item, FormalDeclaration):
                yield self._document(item)
            else:
                self.read_prose(item)
        for document in self.units.documents():
            unit = document.id.unit if isinstance(document.id, UnitId) else ""
            yield replace(document, id=UnitId(self.name, self._unique(unit))) if unit else document

    def read_prose(self, prose: Prose) -> None:
        """Adds text between declarations to the units of the file."""
        line = self.source.line(prose.start)
        content = self.text_content(prose.text, line)
        if prose.level:
            self.enter_heading(prose.level, content)
            self.units.heading(prose.level, content, line)
        else:
            self.units.add("\n\n")
            self.units.at(line)
            self.units.add(*content.parts)

    def enter_heading(self, level: int, title: Content) -> None:
        """What follows is below a heading."""
        self._path = [*(entry for entry in self._path if entry[0] < level), (level, title)]
        self._headings = tuple(heading.to_latex() for _, heading in self._path)

    def report(self, place: int, problem: str) -> None:
        """Reports what cannot be read."""
        self.on_problem(Problem(f"{self.name}:{self.source.line(place)}", problem))

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self._ids:
            self._numbers[name] += 1
            unique = f"{name}-{self._numbers[name] + 1}"
        self._ids.add(unique)
        return unique

    def _document(self, declaration: FormalDeclaration) -> Document:
        fields = {"title": Content(declaration.name)} if declaration.name else {}
        if self._path:
            fields["section"] = self._path[-1][1]
        if declaration.names:
            fields["aliases"] = Content(", ".join(dict.fromkeys(declaration.names)))
        if spoken := spoken_name(declaration.name):
            fields["spoken"] = Content(spoken)
        body = self.body(declaration)
        if body:
            fields["body"] = body
        signature = self.signature(declaration)
        if signature:
            fields["signature"] = signature
        unit = declaration.name or f"{declaration.kind.replace(' ', '-')}-1"
        return Document(UnitId(self.name, self._unique(unit)), fields, self._metadata(declaration))

    def _metadata(self, declaration: FormalDeclaration) -> dict[str, str | tuple[str, ...]]:
        kind = declaration.kind
        metadata: dict[str, str | tuple[str, ...]] = {
            "source": self._collection, "type": self.type_of(declaration), "file": self.name,
            "line": str(declaration.line), "kind": kind, "module": self.module,
        }  # fmt: skip
        if self._headings:
            metadata["section"] = self._headings
        if declaration.modifiers:
            metadata["modifiers"] = declaration.modifiers
        if declaration.names:
            metadata["aliases"] = tuple(dict.fromkeys(declaration.names))
        metadata.update(self.more_metadata(declaration))
        return metadata

    def type_of(self, declaration: FormalDeclaration) -> str:
        """The type of the document of a declaration."""
        return self.types.get(declaration.kind, declaration.kind.lower())

    def more_metadata(self, declaration: FormalDeclaration) -> Mapping[str, str | tuple[str, ...]]:
        """Metadata that only this library has."""
        return {}

    def body(self, declaration: FormalDeclaration) -> Content:
        """What the library says about a declaration."""
        return self.docstring_content(declaration.docstring) if declaration.docstring else Content("")

    def signature(self, declaration: FormalDeclaration) -> Content:
        """What a declaration states; terms are no formulas yet."""
        return Content(declaration.statement, lines=declaration.statement_lines)

    def docstring_content(self, docstring: DocComment | str) -> Content:
        """The content of a docstring, which several declarations may share."""
        if docstring not in self._contents:
            text, place = (docstring, 0) if isinstance(docstring, str) else (docstring.text, docstring.text_start)
            self._contents[docstring] = self.text_content(text, self.source.line(place))
        return self._contents[docstring]
