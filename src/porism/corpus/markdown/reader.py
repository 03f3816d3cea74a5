"""Markdown, Quarto, R Markdown and MyST: a document for each section and each theorem-like block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from porism.corpus.base import clean
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.sections import FileUnits
from porism.corpus.text_reader import TextReader
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Metadata

LONGEST_FRONT_MATTER = 32_000
"""Longer YAML at the top of a file, in characters, is text."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ALIAS_NAMES = ("aliases", "alias")
_TAG_NAMES = ("tags", "tag", "categories", "category", "keywords")


class MarkdownReader(TextReader):
    """Reads Markdown files."""

    name = "markdown"
    extensions = (".md", ".markdown", ".qmd", ".rmd", ".mdown", ".mkd")

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        """See :func:`markdown_documents`."""
        return markdown_documents(text, name, source, on_problem)


def markdown_documents(text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The documents of one Markdown text.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title, extra, end = front_matter(text, name, on_problem)
    units = FileUnits(name, source, on_problem, title, extra, Content(clean(PurePosixPath(name).stem)))
    MarkdownBlocks(units, name, on_problem).read(text[end:], 1 + text.count("\n", 0, end))
    yield from units.documents()


def front_matter(text: str, name: str, on_problem: OnProblem) -> tuple[Content | None, Metadata, int]:
    """Title, tags and aliases of the YAML at the top of a text, and the offset of what comes after it.

    What is no YAML, or no mapping, is taken for text.
    """
    found = _FRONT_MATTER.match(text, 0, LONGEST_FRONT_MATTER)
    values = _yaml(found.group(1) or "", name, on_problem) if found else None
    if found is None or values is None:
        return None, {}, 0
    title: Content | None = None
    tags: list[str] = []
    aliases: list[str] = []
    for key, value in values.items():
        key = str(key).lower()
        if key == "title" and isinstance(value, str) and value.strip():
            title = markdown_text(value, name)
        elif key in _TAG_NAMES:
            tags += [entry.removeprefix("#") for entry in _entries(value)]
        elif key in _ALIAS_NAMES:
            aliases += _entries(value)
    extra = {"tags": tags, "aliases": aliases}
    return title, {key: tuple(dict.fromkeys(entries)) for key, entries in extra.items() if entries}, found.end()


def _entries(value: Any) -> list[str]:
    """The strings of a list, or the parts between the commas of a string."""
    entries = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [text for entry in entries if isinstance(entry, str) and (text := clean(entry).strip())]


def _yaml(text: str, name: str, on_problem: OnProblem) -> dict[Any, Any] | None:
    """A YAML mapping with all values as strings; None where it is none."""
    import yaml

    try:
        values = yaml.load(text, Loader=yaml.BaseLoader)  # of strings, lists and mappings only: safe, and 007 stays 007
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = 2 + mark.line if mark is not None else 1
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is nested too deeply"
        on_problem(Problem(f"{name}:{line}", f"the front matter is no YAML ({what}); it is taken for text"))
        return None
    if values is None or values == "":
        return {}
    return values if isinstance(values, dict) else None
