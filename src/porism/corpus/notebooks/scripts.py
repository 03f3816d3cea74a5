"""Notebooks written as scripts: the percent format of Jupytext, VS Code and Spyder, and Jupytext's light format.

In a percent script a line ``# %%`` begins each cell, and ``# %% [markdown]`` one of text. A light script has a header
of Jupytext; its comments are text, and code that has blank lines stands between ``# +`` and ``# -``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

SCRIPT_LANGUAGES = {".py": "python", ".jl": "julia", ".r": "R"}
"""Ending of a script → its language."""

_PERCENT = re.compile(r"^#[ \t]*%%", re.MULTILINE)
_HEADER = re.compile(r"\A(?:#!.*\n|#.*coding[:=].*\n|[ \t]*\n)*# ---[ \t]*\n((?:#.*\n)*?)# ---[ \t]*(?:\n|\Z)")
_LIGHT = re.compile(r"^#[ \t]+(?:jupytext:|jupyter:)", re.MULTILINE)
_PERCENT_MARK = re.compile(r"#[ \t]*%%+(?!%)(?P<label>[^\n]*)")
_LIGHT_MARK = re.compile(r"#[ \t]*\+(?P<label>(?:[ \t]+.*|\{.*)?)$|#[ \t]*\+\+\+?$")
_LIGHT_END = re.compile(r"#[ \t]*-[ \t]*$")
_KIND = re.compile(r"\[(markdown|md|raw)\]")
_QUOTED = re.compile(r"\s*[rR]?(\"\"\"|''')\n?(.*?)\1\s*", re.DOTALL)
_COMMENT = re.compile(r"#'? ?")

Cell = dict[str, Any]
"""A cell as in the JSON of a notebook, with the ``line`` of the script where its source begins."""


def is_script(name: str, text: str) -> bool:
    """Whether a file is a notebook written as a script, by its ending and its text."""
    if PurePath(name).suffix.lower() not in SCRIPT_LANGUAGES:
        return False
    return _PERCENT.search(text) is not None or _is_light(text)


def script_cells(text: str) -> list[Cell]:
    """The cells of a script."""
    header = _HEADER.match(text)
    lines = text.splitlines()
    first = 0
    cells: list[Cell] = []
    if header is not None:
        first = text.count("\n", 0, header.end())
        begin = text.count("\n", 0, header.start(1))
        said = "\n".join(map(_uncommented, header.group(1).splitlines()))
        cells.append(_cell("raw", f"---\n{said}\n---\n", begin))
    read = _percent_cells if _PERCENT.search(text) else _light_cells
    return [*cells, *read(lines, first)]


def _is_light(text: str) -> bool:
    header = _HEADER.match(text)
    return header is not None and _LIGHT.search(header.group(1)) is not None


def _cell(kind: str, source: str, line: int) -> Cell:
    return {"cell_type": kind, "source": source, "line": line}


def _uncommented(line: str) -> str:
    return _COMMENT.sub("", line, count=1) if line.startswith("#") else line


def _made(kind: str, lines: Sequence[str], first: int) -> Cell:
    """A cell of these lines, the first of which has the number ``first``, from 0; text stands in comments or quotes."""
    source = "\n".join(lines)
    if kind == "code":
        return _cell(kind, source, first + 1)
    quoted = _QUOTED.fullmatch(source)
    if quoted is not None:
        return _cell(kind, quoted.group(2), first + 1 + source.count("\n", 0, quoted.start(2)))
    return _cell(kind, "\n".join(map(_uncommented, lines)), first + 1)


def _kind(label: str) -> str:
    kind = _KIND.search(label)
    return "code" if kind is None else "raw" if kind.group(1) == "raw" else "markdown"


def _percent_cells(lines: list[str], first: int) -> Iterator[Cell]:
    kind, begin = "code", first
    for number in range(first, len(lines) + 1):
        mark = _PERCENT_MARK.match(lines[number]) if number < len(lines) else None
        if mark is None and number < len(lines):
            continue
        if any(map(str.strip, lines[begin:number])):
            yield _made(kind, lines[begin:number], begin)
        if mark is not None:
            kind, begin = _kind(mark["label"]), number + 1


def _light_cells(lines: list[str], first: int) -> Iterator[Cell]:
    """Paragraphs, each text where all of its lines are comments, and what stands between marks."""
    number = first
    while number < len(lines):
        mark = _LIGHT_MARK.match(lines[number])
        begin = number + (mark is not None)
        number = begin
        while number < len(lines) and not _ends(lines, number, begin, is_marked=mark is not None):
            number += 1
        taken = lines[begin:number]
        is_comment = all(line.startswith("#") for line in taken)
        kind = _kind(mark["label"] or "") if mark is not None else "markdown" if is_comment else "code"
        if any(map(str.strip, taken)):
            yield _made(kind, taken, begin)
        if number < len(lines) and (not lines[number].strip() or _LIGHT_END.match(lines[number])):
            number += 1


def _ends(lines: list[str], number: int, begin: int, *, is_marked: bool) -> bool:
    """Whether a cell of a light script that began at ``begin`` ends before this line."""
    line = lines[number]
    if is_marked:
        return _LIGHT_END.match(line) is not None or _LIGHT_MARK.match(line) is not None
    return not line.strip() or (number > begin and _LIGHT_MARK.match(line) is not None)
