"""Markdown, Quarto, R Markdown and MyST: a document for each section and each theorem-like block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from porism.corpus.base import clean
from porism.corpus.macro_files import definitions_of
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.front_matter import front_matter, front_values
from porism.corpus.markdown.jsx import without_javascript
from porism.corpus.markdown.templates import definitions_in, without_templates
from porism.corpus.sections import FileUnits
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem
from porism.types import Content, Document


class MarkdownReader(TextFileReader):
    """Reads Markdown files."""

    name = "markdown"
    extensions = (".md", ".markdown", ".qmd", ".rmd", ".mdown", ".mkd", ".mdx")

    def definitions(self, text: str) -> str:
        return f"{definitions_of(front_values(text))}\n{definitions_in(text)}"

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        title, extra, end = front_matter(text, name, on_problem)
        units = FileUnits(name, source, on_problem, title, extra, Content(clean(PurePosixPath(name).stem)))
        body = without_javascript(text[end:]) if name.lower().endswith(".mdx") else text[end:]
        MarkdownBlocks(units, name, on_problem).read(without_templates(body), 1 + text.count("\n", 0, end))
        yield from units.documents()
