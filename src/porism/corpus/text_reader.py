"""Readers of formats whose files are read as one text each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import ReaderOptions
from porism.corpus.macro_files import definitions_in, site_macro_files
from porism.corpus.page_macros import PageMacros, with_macros
from porism.corpus.text_files import read_text
from porism.corpus.walking import FileReader
from porism.errors import OnProblem
from porism.types import Document


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

    def companions(self, path: Path, name: str) -> list[Path]:
        return site_macro_files(path, name)

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = read_text(path, name, on_problem, options.encoding)
        if text is not None:
            definitions = [*map(definitions_in, self.companions(path, name)), self.definitions(text)]
            yield from with_macros(self.documents(text, name, source, on_problem), PageMacros(definitions))
