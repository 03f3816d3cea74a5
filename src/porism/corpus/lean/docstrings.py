"""Docstrings as content: Markdown, of which most need no parser."""

from __future__ import annotations

import re
from textwrap import dedent

from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.sections import FileUnits
from porism.errors import OnProblem
from porism.types import Content, Formula

_PLAIN = re.compile(r"(?:[^`$\\*\[\]<&~^{}@#_|]|(?<![:`}])`[^`\n\s](?:[^`\n]*[^`\n\s])?`(?!`))*+\Z")
"""Running text and code in backticks, without any other mark."""
_BLOCKS = re.compile(
    r"\n[ \t]*\n|\n(?: {4}|\t)|(?:^|\n)[ \t]*(?:[-+*>:=~|#`]{2}|(?:[-+*>:|#=]|\d+[.)])(?=\s|\Z))"
)
"""Where Markdown has more than one paragraph, or another block than a paragraph."""
_CODE = re.compile(r"`([^`\n]*)`")
_LINE_END = re.compile(r"[ \t]*\n[ \t]*")


def docstring_content(text: str, name: str, line: int, on_problem: OnProblem) -> Content:
    """The text of a docstring.

    :param name: of the file, for what is reported.
    :param line: where the docstring begins in it.
    """
    if "\n" in text:
        first, _, rest = text.partition("\n")
        text = f"{first}\n{dedent(rest)}"
    if _BLOCKS.search(text):
        return _blocks(text, name, line, on_problem)
    if _PLAIN.match(text) and "==" not in text and "%%" not in text:
        return Content(_CODE.sub(r"\1", _LINE_END.sub("\n", text)).strip())
    return markdown_text(text, name, on_problem, line)


def _blocks(text: str, name: str, line: int, on_problem: OnProblem) -> Content:
    units = FileUnits(name, "", on_problem)
    MarkdownBlocks(units, name, on_problem).read(text, line)
    parts: list[str | Formula] = []
    for document in units.documents():
        for field, content in document.fields.items():
            if field in ("title", "body", "proof"):
                parts += ("\n\n", *content.parts) if parts else content.parts
    return Content.of(*parts)
