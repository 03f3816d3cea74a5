"""Brackets of a plain formula that are matrices."""

from __future__ import annotations

from porism.formula.plain.dialects import Dialect
from porism.formula.plain.frames import PlainFrame
from porism.formula.tables.commands import ENVIRONMENTS

_MATRICES = {fences: name for name, (kind, fences) in reversed(ENVIRONMENTS.items()) if kind == "matrix"
             and name in ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix")} | {"{": "cases"}
"""Fences, or the opening one, → the environment."""
_DELIMITERS = {"(": "()", "[": "[]", "{": "{}", "|": "||", "||": "∥∥", "none": ""}


def environment_of(delimiter: str) -> str:
    """The environment of a matrix between such delimiters."""
    return _MATRICES[_DELIMITERS.get(delimiter, "()")]


def make_matrix(texts: list[str], dialect: Dialect, inner: PlainFrame, label: str, index: int) -> bool:
    """Makes a matrix of the brackets from ``inner.start`` to ``index`` that hold its lines, or of ``[1, 2; 3, 4]``.

    Whether they are one; ``label`` is the closing bracket.
    """
    if not dialect.has_matrices:
        return False
    environment = _MATRICES.get(inner.opener + label) if inner.opener + label != "{}" else None
    lines = inner.groups
    if environment is None or (inner.opener != "[" and not dialect.always_divides):
        return False
    if inner.semicolons and inner.opener == "[" and label == "]":
        for comma in inner.commas:
            texts[comma] = "&"
        for semicolon in inner.semicolons:
            texts[semicolon] = "\\\\"
    elif (
        len(lines) > 1 and inner.items == len(lines) == len(inner.commas) + 1
        and len({len(commas) for _, commas in lines}) == 1
    ):
        for comma in inner.commas:
            texts[comma] = "\\\\"
        for (opening, closing), commas in lines:
            texts[opening] = texts[closing] = ""
            for comma in commas:
                texts[comma] = "&"
    else:
        return False
    texts[inner.start], texts[index] = f"\\begin{{{environment}}}", f"\\end{{{environment}}}"
    return True
