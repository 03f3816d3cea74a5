"""Org-mode: a document for each section and each theorem-like block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from porism.analysis.languages import language_named
from porism.corpus.base import clean
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.org.markdown import KEYWORD, as_markdown
from porism.corpus.sections import FileUnits
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem
from porism.types import Content, Document


class OrgReader(TextFileReader):
    """Reads Org-mode files: their marks become those of Markdown, line by line."""

    name = "org"
    extensions = (".org",)

    def definitions(self, text: str) -> str:
        return "\n".join(
            value for key, value in KEYWORD.findall(text) if key.lower() in ("latex_header", "latex_header_extra")
        )

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        """See :func:`org_documents`."""
        return org_documents(text, name, source, on_problem)


def org_documents(text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The documents of one Org-mode text.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    keywords = {key.lower(): value.strip() for key, value in reversed(KEYWORD.findall(text))}
    title = markdown_text(keywords["title"], name, on_problem) if keywords.get("title") else None
    tags = tuple(filter(None, keywords.get("filetags", "").replace(":", " ").split()))
    units = FileUnits(
        name, source, on_problem, title, {"tags": tags} if tags else None, Content(clean(PurePosixPath(name).stem)),
        language_named(keywords.get("language", "")) or "",
    )
    MarkdownBlocks(units, name, on_problem).read(as_markdown(text))
    yield from units.documents()
