"""Readers of formats whose files are read as one text each, and the macros of pages.

Those are the macros of their site and those that the page itself defines; they are expanded in its formulas.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from porism.corpus.base import ReaderOptions
from porism.corpus.latex.formula import FormulaReader
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tokens import tokenize
from porism.corpus.macro_files import definitions_in, site_macro_files
from porism.corpus.references import reference_text
from porism.corpus.streams import open_seekable
from porism.corpus.text_files import MAX_TEXT_BYTES, decode, open_file, read_text
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem
from porism.formula.macros.declarations import Declarations
from porism.types import Content, Document

MAX_EXPANSION = 100_000
"""So many tokens may the macros of one formula, or of one file, make."""

_COMMAND = re.compile(r"\\[A-Za-z]+")
_DEFINING = frozenset(
    "\\" + name for name in """
    newcommand renewcommand providecommand DeclareMathOperator DeclarePairedDelimiter def gdef edef xdef let
    NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand DeclareRobustCommand
    """.split()
)


class PageMacros:
    """The macros that hold in one page.

    :param definitions: LaTeX that defines those of the site.
    """

    def __init__(self, definitions: Sequence[str] = ()) -> None:
        self._expander = ProjectExpander(lambda problem: None)
        Declarations(self._expander)
        self._formulas = FormulaReader(self._expander, lambda name: None, reference_text)
        for latex in definitions:
            self.define(latex)

    def define(self, latex: str) -> None:
        """Carries out the definitions in LaTeX; nothing else of it counts."""
        stream = self._expander.stream
        frames = stream.swap(tokenize(latex))
        stream.fuel = MAX_EXPANSION
        try:
            while (token := stream.next()) is not None:
                if token in _DEFINING:
                    self._expander.primitives[token](token)
        finally:
            stream.restore(frames)

    def expanded(self, latex: str) -> str:
        """LaTeX with the macros of the page replaced; definitions in it hold from there on."""
        commands = set(_COMMAND.findall(latex))
        if not commands.isdisjoint(_DEFINING):
            self.define(latex)
            return latex
        if commands.isdisjoint(self._expander.macros):
            return latex
        self._expander.stream.fuel = MAX_EXPANSION
        return self._formulas.formula_of(tokenize(latex)) or latex


def with_macros(documents: Iterable[Document], macros: PageMacros) -> Iterator[Document]:
    """The documents of a page with its macros expanded in their formulas."""
    for document in documents:
        fields = {name: _expanded(content, macros) for name, content in document.fields.items()}
        yield replace(document, fields=fields) if fields != document.fields else document


def _expanded(content: Content, macros: PageMacros) -> Content:
    if not content.formulas:
        return content
    return replace(content, formulas=tuple(
        replace(formula, source=macros.expanded(formula.source)) if formula.notation == "latex" else formula
        for formula in content.formulas
    ))


class TextFileReader(FileReader):
    """Reads the whole text of a file, in the encoding of the options; a file that is not text is reported."""

    @abstractmethod
    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        """The documents of one text.

        :param name: of the file, in ids and metadata.
        :param source: the name of the collection.
        """

    def definitions(self, text: str) -> str:
        """The macros that a text defines for all of its formulas, as LaTeX."""
        return ""

    def text(self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem) -> str | None:
        """The text of a file; None, and a problem, where it cannot be read or is none."""
        return read_text(path, name, on_problem, options.encoding)

    def companions(self, path: Path, name: str) -> list[Path]:
        return site_macro_files(path, name)

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = self.text(path, name, options, on_problem)
        if text is not None:
            definitions = [*map(definitions_in, site_macro_files(path, name)), self.definitions(text)]
            yield from with_macros(self.documents(text, name, source, on_problem), PageMacros(definitions))


def _start(path: Path) -> bytes:
    try:
        with open_file(path) as file:
            return file.read(2)
    except OSError:
        return b""  # reported when it is read


class PackedTextReader(TextFileReader):
    """Reads the text of files that may be packed with gzip."""

    def text(self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem) -> str | None:
        if _start(path) != b"\x1f\x8b":
            return super().text(path, name, options, on_problem)
        with open_seekable(path, on_problem, options.encoding, options.max_unpacked) as file:
            data = file.read(MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            on_problem(Problem(name, f"unpacks to more than {MAX_TEXT_BYTES:,} bytes; it is left out"))
            return None
        return decode(data, name, on_problem, options.encoding)
