"""Brackets and matrices of physics: ``\\qty(…)``, ``\\mqty(…)``, ``\\imat{3}``, ``\\dmat{1,2}``."""

from __future__ import annotations

from collections.abc import Sequence

from porism.formula.latex.functions.call import Call, split_top, tex
from porism.formula.latex.functions.quantities import is_number, quantity_tokens
from porism.formula.tables.packages.physics import HANDLED

_MAX_SIZE = 20
_MAX_TOKENS = 20_000
_LINE_MAKERS = frozenset({
    "identity_matrix", "matrix_of_one", "matrix_of_zeros", "pauli_matrix", "diagonal_matrix", "antidiagonal_matrix",
})
_OF_LINES = frozenset({"&", "\\\\"}) | {
    "\\" + name for name, (_, function) in HANDLED.items() if function in _LINE_MAKERS
}
"""What shows that a block along a diagonal is a matrix itself."""
_ENVIRONMENTS = {"{": "matrix", "(": "pmatrix", "[": "bmatrix", "|": "vmatrix"}
_PAULI = {
    "0": r"1&0\\0&1", "1": r"0&1\\1&0", "2": r"0&-i\\i&0", "3": r"1&0\\0&-1", "x": r"0&1\\1&0", "y": r"0&-i\\i&0",
    "z": r"1&0\\0&-1",
}


def bracket_or_quantity(call: Call) -> list[str]:
    """``\\qty``: brackets that grow (physics), or a number with its unit (siunitx, two arguments in braces)."""
    _, _, option, fenced, second = call.values
    if not call.has(3):
        return tex("[", option, "]") if call.has(2) else []
    opening, inner, closing = fenced[0], fenced[1:-1], fenced[-1]
    if opening == "{" and call.has(4) and (call.has(2) or is_number(inner)):
        return quantity_tokens(inner, second)
    if call.has(2):  # \qty[x] is a bracket, and what comes after it is not its argument
        return tex(r"\left[", option, r"\right]", fenced, _again(call, 4))
    if opening == "{":
        opening, closing = r"\{", r"\}"
    return tex(r"\left", [opening], inner, r"\right", [closing], _again(call, 4))


def _again(call: Call, i: int) -> list[str]:
    return tex("{", call.values[i], "}") if call.has(i) else []


def matrix_in_brackets(call: Call) -> list[str]:
    """``\\mqty(a & b \\\\ c & d)``: a matrix in the brackets around it, flattened ones with a star, none for braces."""
    if not call.has(1):
        call.report(f"{call.name} without its matrix")
        return []
    fenced = call.values[1]
    if fenced[0] == "(" and "\0true" in call.values[0]:
        return tex(r"\left\lgroup\begin{matrix}", fenced[1:-1], r"\end{matrix}\right\rgroup ")
    name = _ENVIRONMENTS[fenced[0]]
    return tex(rf"\begin{{{name}}}", fenced[1:-1], rf"\end{{{name}}}")


def identity_matrix(call: Call) -> list[str]:
    """``\\imat{n}``: the lines of the identity matrix."""
    size = _size(call, 0)
    return _lines([["1" if i == k else "0" for i in range(size)] for k in range(size)])


def matrix_of_zeros(call: Call) -> list[str]:
    """``\\zmat{n}{m}``: lines of zeros."""
    return _lines([["0"] * _size(call, 1)] * _size(call, 0))


def matrix_of_one(call: Call) -> list[str]:
    """``\\xmat{x}{n}{m}``: lines of the same entry; with a star each has its indices."""
    starred = "\0true" in call.values[0]
    rows: list[list[list[str]]] = []
    lines, columns = _size(call, 2), _size(call, 3)
    if lines * columns * len(call.values[1]) > _MAX_TOKENS:
        call.report(f"{call.name} of too long an entry, which is written once")
        lines = columns = 1
    for k in range(1, lines + 1):
        rows.append([])
        for i in range(1, columns + 1):
            index = f"{k}{i}" if lines > 1 < columns else str(max(k, i))
            has_index = starred and lines * columns > 1
            rows[-1].append(tex(call.values[1], f"_{{{index}}}") if has_index else [*call.values[1]])
    return _lines(rows)


def pauli_matrix(call: Call) -> list[str]:
    """``\\pmat{n}``: the lines of a Pauli matrix."""
    lines = _PAULI.get(call.text(0).strip())
    if lines is None:
        call.report(f"{call.name} of something that is not 0, 1, 2, 3, x, y or z")
    return tex(lines) if lines is not None else [*call.values[0]]


def diagonal_matrix(call: Call) -> list[str]:
    """``\\dmat{a,b & c \\\\ d & e}``: entries and blocks along the diagonal; the option fills the rest."""
    return _along_diagonal(call, from_left=True)


def antidiagonal_matrix(call: Call) -> list[str]:
    """``\\admat{a,b}``: entries and blocks along the other diagonal."""
    return _along_diagonal(call, from_left=False)


def _along_diagonal(call: Call, *, from_left: bool) -> list[str]:
    filling, content = call.values
    blocks = split_top(content, frozenset({","}))
    if len(blocks) > _MAX_SIZE:
        call.report(f"{call.name} of more than {_MAX_SIZE} blocks: the rest is left out")
        del blocks[_MAX_SIZE:]
    rows: list[list[Sequence[str]]] = []
    for k, block in enumerate(blocks):
        cell = tex(r"\begin{matrix}", block, r"\end{matrix}") if _OF_LINES.intersection(block) else block
        before, after = [filling] * k, [filling] * (len(blocks) - 1 - k)
        rows.append([*before, cell, *after] if from_left else [*after, cell, *before])
    return _lines(rows)


def _size(call: Call, i: int) -> int:
    text = call.text(i).strip()
    if text.isascii() and text.isdigit() and 0 < int(text) <= _MAX_SIZE:
        return int(text)
    call.report(f"{call.name} of a size that is not from 1 to {_MAX_SIZE}")
    return 1


def _lines(rows: Sequence[Sequence[str | Sequence[str]]]) -> list[str]:
    result: list[str] = []
    for k, row in enumerate(rows):
        result += ["\\\\"] if k else []
        for i, cell in enumerate(row):
            result += ["&"] if i else []
            result += tex(cell)
    return result
