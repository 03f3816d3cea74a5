"""Notebooks written as scripts: the percent format of Jupytext, VS Code and Spyder, and Jupytext's light format.

In a percent script a line ``# %%`` begins each cell, and ``# %% [markdown]`` one of text. A light script has a header
of Jupytext; its comments are text, and code that has blank lines stands between ``# +`` and ``# -``. A notebook of
Pluto has cells of Julia, whose text is in strings (``md"…"``). In scripts for Literate.jl comments are text, in those
for knitr's ``spin`` comments that begin with ``#'``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
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
_PLUTO = "### A Pluto.jl notebook ###"
_PLUTO_CELL = re.compile(r"# ╔═╡ (?!Cell order)")
_PLUTO_TEXT = re.compile(r'\bmd(?P<quote>"""|")(?P<text>(?:\\.|(?!(?P=quote)).)*+)(?P=quote)', re.DOTALL)
_JULIA_FORMULA = re.compile(r"(?<!`)``(?!`)([^`\n]+)``(?!`)")
_MAX_LOOKED_AT = 500
_INTERPOLATED = re.compile(r"\$\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)")
_OF_PARENTHESES = re.compile(rf"{_INTERPOLATED.pattern}\$?")
_LITERATE = re.compile(r"^# #{1,6} \S", re.MULTILINE)
_SPIN = re.compile(r"^#' ?(?:#{1,6} |---[ \t]*$|(?!@)[^\n]*\$)", re.MULTILINE)
"""A heading, front matter or a formula: what roxygen's comments, which describe functions, do not have."""
_FILTERED = re.compile(r"[ \t]+#(?:src|hide|!?(?:md|nb|jl))[ \t]*$")
_COMMENT = re.compile(r"#'? ?")

Cell = dict[str, Any]
"""A cell as in the JSON of a notebook, with the ``line`` of the script where its source begins."""


def is_script(name: str, text: str) -> bool:
    """Whether a file is a notebook written as a script, by its ending and its text."""
    suffix = PurePath(name).suffix.lower()
    return suffix in SCRIPT_LANGUAGES and _reader(suffix, text) is not None


def _reader(suffix: str, text: str) -> Callable[[list[str], int], Iterator[Cell]] | None:
    """What reads the cells of a script, None for a file that is none."""
    if text.lstrip("\ufeff").startswith(_PLUTO):
        return _pluto_cells
    if _PERCENT.search(text):
        return _percent_cells
    if _is_light(text):
        return _light_cells
    if suffix == ".jl" and _LITERATE.search(text):
        return _literate_cells
    return _spin_cells if suffix == ".r" and _SPIN.search(text) else None


def script_cells(name: str, text: str) -> list[Cell]:
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
    read = _reader(PurePath(name).suffix.lower(), text)
    return [*cells, *(read(lines, first) if read is not None else ())]


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


def _pluto_cells(lines: list[str], first: int) -> Iterator[Cell]:
    """The texts in the cells of a notebook of Pluto, as they stand in its file."""
    begins = [number for number in range(first, len(lines)) if _PLUTO_CELL.match(lines[number])]
    for begin, end in pairwise([*begins, len(lines)]):
        source = "\n".join(lines[begin + 1 : end])
        for match in _PLUTO_TEXT.finditer(source):
            text = match["text"].replace('\\"', '"')
            yield _cell("markdown", _without_julia(text), begin + 2 + source.count("\n", 0, match.start("text")))


def _without_julia(text: str) -> str:
    """Julia's Markdown as others have it: formulas in two backticks between dollars, and no values of expressions."""
    return _JULIA_FORMULA.sub(r"$\1$", _INTERPOLATED.sub(_interpolated, text))


def _interpolated(match: re.Match[str]) -> str:
    """Nothing for the value of an expression; ``$(a, b)$`` is a formula, as the dollars after it on the line show."""
    rest = match.string[match.end() : match.end() + _MAX_LOOKED_AT].partition("\n")[0]
    return match.group() if rest.startswith("$") or _OF_PARENTHESES.sub("", rest).count("$") % 2 else ""


def _literate_cells(lines: list[str], first: int) -> Iterator[Cell]:
    """Runs of lines that are comments (``# text``), without those that only steer Literate.jl."""
    for cell in _commented_cells(
        [_FILTERED.sub("", line) if line.startswith("#") else line for line in lines], first, "# "
    ):
        yield {**cell, "source": _without_julia(cell["source"])} if cell["cell_type"] == "markdown" else cell


def _spin_cells(lines: list[str], first: int) -> Iterator[Cell]:
    return _commented_cells(lines, first, "#' ")


def _commented_cells(lines: list[str], first: int, mark: str) -> Iterator[Cell]:
    """Runs of lines that are text because they begin with a mark, or are that without its blank; the rest is code."""
    begin = first
    for number in range(first, len(lines) + 1):
        ends = number == len(lines)
        if not ends and number > begin and _is_marked(lines[number], mark) == _is_marked(lines[begin], mark):
            continue
        if number > begin and any(map(str.strip, lines[begin:number])):
            yield _made("markdown" if _is_marked(lines[begin], mark) else "code", lines[begin:number], begin)
        begin = number


def _is_marked(line: str, mark: str) -> bool:
    return line.startswith(mark) or line.rstrip() == mark.rstrip()
