"""Jupyter notebooks: Markdown cells by their headings, comments and docstrings of Python, formulas of outputs.

Scripts that are notebooks are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import orjson

from porism.analysis.languages import language_named
from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.front_matter import LANGUAGE_NAMES, front_matter
from porism.corpus.notebooks.python_code import MAX_CODE_LENGTH, comments_and_docstrings, is_python
from porism.corpus.notebooks.scripts import SCRIPT_LANGUAGES, is_script, script_cells
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import open_file
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Formula, Metadata

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class NotebookReader(TextFileReader):
    """Reads Jupyter notebooks of the formats 3 and 4, and those written as scripts."""

    name = "notebook"
    extensions = (".ipynb",)
    detected_extensions = tuple(SCRIPT_LANGUAGES)

    def detect(self, path: Path) -> bool:
        """Whether it is a notebook by its ending, or a script that has cells."""
        if path.suffix.lower() not in SCRIPT_LANGUAGES or not path.is_file():
            return super().detect(path)
        try:
            with open_file(path) as file:
                return is_script(path.name, file.read(MAX_CODE_LENGTH).decode("utf-8", "replace"))
        except OSError:
            return False

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        return notebook_documents(text, name, source, on_problem)


def notebook_documents(text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The documents of one notebook.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    if is_script(name, text):
        code = SCRIPT_LANGUAGES[PurePath(name).suffix.lower()]
        script = script_cells(name, text)
        notebook: dict[str, Any] | None = {"cells": script, "metadata": {"language_info": {"name": code}}}
    else:
        notebook = _parse(text, name, on_problem)
    if notebook is None:
        return
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    cells = list(_cells(notebook))
    top, extra, top_end = _front_matter(cells, name, on_problem)
    title = metadata.get("title")
    title = Content.of(title) if isinstance(title, str) and title else top
    units = FileUnits(name, source, on_problem, title, extra, language=_stated_language(metadata))
    language = _code_language(metadata)
    lines = _SourceLines(text)
    reported = False
    for number, cell in enumerate(cells, 1):
        where = f"{name}:cell {number}"
        kind = cell.get("cell_type") if isinstance(cell, dict) else None
        if kind not in ("markdown", "code", "raw", "heading", "html"):
            on_problem(Problem(where, "is not a cell that can be read; it is left out"))
            continue
        body = _text(cell.get("source", cell.get("input", "")))
        if body is None:
            on_problem(Problem(where, "has no text as its source; it is left out"))
            continue
        line = cell["line"] if "line" in cell else lines.find(cell.get("source", cell.get("input")))
        if kind == "heading":
            level = cell.get("level")
            marks = "#" * (level if level in range(1, 7) else 1)
            MarkdownBlocks(units, name, on_problem).read(f"{marks} {body}", line)
        elif kind in ("markdown", "html"):
            first = top_end if number == 1 else 0
            MarkdownBlocks(units, name, on_problem).read(body[first:], line + body.count("\n", 0, first))
            units.add("\n\n")
        elif kind == "code":
            words = comments_and_docstrings(body) if is_python(cell.get("language") or language) else []
            if words:
                units.add("\n\n")
                units.at(line)
                units.add("\n".join(words), "\n\n")
            elif words is None and not reported:
                reported = True
                on_problem(Problem(where, "is not Python as it should be; comments of such cells are left out"))
            _outputs(units, cell.get("outputs"))
    yield from units.documents()


class _SourceLines:
    """Finds the lines of a notebook's file where the sources of its cells begin, one cell after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position, self._line = 0, 1

    def find(self, source: Any) -> int:
        """The line where the source of the next cell begins, as long as each of its lines has one of its own."""
        lines = source if isinstance(source, list) else [source]
        start = self._position
        for line in lines[:1]:
            if isinstance(line, str):
                place = self._text.find(orjson.dumps(line.encode("utf-8", "replace").decode()).decode(), start)
                if place >= 0:
                    self._line += self._text.count("\n", self._position, place)
                    self._position = place
        return self._line


def _parse(text: str, name: str, on_problem: OnProblem) -> dict[str, Any] | None:
    try:
        notebook = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:  # control characters and the like
            notebook = orjson.loads(_CONTROL.sub(" ", text).encode("utf-8", "replace"))
        except orjson.JSONDecodeError:
            on_problem(Problem(f"{name}:{error.lineno}", f"is not a notebook: broken JSON ({error.msg})"))
            return None
    except RecursionError:
        on_problem(Problem(name, "is not a notebook: its JSON is nested too deeply"))
        return None
    if isinstance(notebook, dict) and (
        isinstance(notebook.get("cells"), list) or isinstance(notebook.get("worksheets"), list)
    ):
        return notebook
    on_problem(Problem(name, "is not a notebook: it has no cells"))
    return None


def _cells(notebook: dict[str, Any]) -> Iterator[Any]:
    """The cells, from the worksheets where the notebook is of format 3."""
    yield from notebook.get("cells") or []
    for sheet in notebook.get("worksheets") or []:
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
            yield from sheet["cells"]


def _text(value: Any) -> str | None:
    """A string, or the lines of one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return None


def _front_matter(cells: list[Any], name: str, on_problem: OnProblem) -> tuple[Content | None, Metadata, int]:
    """What Quarto and Jupyter Book read at the top of the first cell: title, metadata, and where the text begins."""
    first = cells[0] if cells else None
    if not isinstance(first, dict) or first.get("cell_type") not in ("markdown", "raw"):
        return None, {}, 0
    return front_matter(_text(first.get("source")) or "", f"{name}:cell 1", on_problem)


def _stated_language(metadata: dict[str, Any]) -> str:
    """The language of the text, where the notebook names one."""
    stated = (metadata.get(key) for key in LANGUAGE_NAMES)
    return next((known for value in stated if isinstance(value, str) and (known := language_named(value))), "")


def _code_language(metadata: dict[str, Any]) -> Any:
    """The language of the code cells, where the notebook names one."""
    for group, key in (("language_info", "name"), ("kernelspec", "language")):
        entry = metadata.get(group)
        if isinstance(entry, dict) and entry.get(key):
            return entry[key]
    return None


def _outputs(units: FileUnits, outputs: Any) -> None:
    for output in outputs if isinstance(outputs, list) else []:
        data = output.get("data", output) if isinstance(output, dict) else None
        latex = _text(data.get("text/latex", data.get("latex"))) if isinstance(data, dict) else None
        if latex:
            source, display = strip_delimiters(latex)
            if source:
                units.add(" ", Formula(" ".join(source.replace("\ufffc", " ").split()), display=display), " ")
