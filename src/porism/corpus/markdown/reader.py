"""Markdown, Quarto, R Markdown and MyST: a document for each section and each theorem-like block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from porism.corpus.base import ReaderOptions, clean
from porism.corpus.macro_files import definitions_of
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.front_matter import front_matter, front_values
from porism.corpus.markdown.instiki import page_name_file, without_instiki
from porism.corpus.markdown.jsx import without_javascript
from porism.corpus.markdown.templates import definitions_in, without_templates
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import read_text
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem, Problem, pluralise
from porism.types import Content, Document


class MarkdownReader(TextFileReader):
    """Reads Markdown files, and pages of Instiki."""

    name = "markdown"
    extensions = (".md", ".markdown", ".qmd", ".rmd", ".mdown", ".mkd", ".mdx")

    def companions(self, path: Path, name: str) -> list[Path]:
        named = page_name_file(path)
        return [*super().companions(path, name), *([named] if named is not None else ())]

    def text(self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem) -> str | None:
        text, named = super().text(path, name, options, on_problem), page_name_file(path)
        if text is None or named is None:
            return text
        return f"{text}\n[[!name {' '.join((read_text(named, name, on_problem) or '').split())}]]"

    def definitions(self, text: str) -> str:
        return f"{definitions_of(front_values(text))}\n{definitions_in(text)}"

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        title, extra, end = front_matter(text, name, on_problem)
        body = without_javascript(text[end:]) if name.lower().endswith(".mdx") else text[end:]
        wiki = without_instiki(body)
        if wiki.included:
            on_problem(Problem(name, f"{pluralise(len(wiki.included), 'page')} included there are left out"))
        units = FileUnits(
            name, source, on_problem, title or (Content(clean(wiki.name)) if wiki.name else None),
            {**extra, **wiki.metadata}, Content(clean(PurePosixPath(name).stem)),
        )
        MarkdownBlocks(units, name, on_problem).read(without_templates(wiki.text), 1 + text.count("\n", 0, end))
        yield from units.documents()
