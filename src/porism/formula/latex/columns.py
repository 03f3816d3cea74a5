"""What the columns of an array put into each of its rows: ``>{A}c@{=}c<{B}``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from porism.formula.latex.functions.call import split_top
from porism.formula.tables.commands import TRANSPARENT
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS
from porism.formula.tables.spaces import SPACE_COMMANDS

FILLED_ENVIRONMENTS = frozenset({"array", "darray", "tabular", "NiceArray", "pNiceArray", "bNiceArray"})
"""Environments whose columns may put something into each row."""
MAX_COLUMN_TOKENS = 200
"""So many tokens are looked at for the end of the columns."""
_MAX_COLUMNS = 100
_SIGNS = frozenset("|@!<>*:;.,'\"-=()[]")
_INSERTS = frozenset("@!<>")
_LAYOUT = frozenset({"{", "}", "$", "", "~", *("\\" + name for name in TRANSPARENT), *SPACE_COMMANDS})
_LINES = frozenset({"\\\\", "\\cr", "\\tabularnewline"})
_RULES = frozenset({"\\hline", "\\toprule", "\\midrule", "\\bottomrule"})
_RULES_WITH_RANGE = frozenset({"\\cline", "\\cmidrule"})


class Column(NamedTuple):
    """A column: its letter, and what goes before and after each of its cells."""

    letter: str
    before: list[str]
    after: list[str]


def are_columns(tokens: Sequence[str]) -> bool:
    """Whether these can be the columns of an array."""
    depth = 0
    before = ""
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth == 0 and not (
            token == "}" or token.isspace() or (token.isalpha() and len(token) == 1) or token in _SIGNS
            or (token.isdigit() and before == "*") or token in ("\\vline", "\\hline", "~")
        ):
            return False
        before = before if token.isspace() else token
    return bool(before) or not tokens


def filling_columns(tokens: Sequence[str]) -> list[Column] | None:
    """The columns, where they put more than layout into the rows; None otherwise."""
    if _INSERTS.isdisjoint(tokens) or not are_columns(tokens):
        return None
    columns: list[Column] = []
    before: list[str] = []
    for sign, content in _parts(tokens):
        if sign not in _INSERTS:
            columns.append(Column(sign, before, []))
            before = []
        elif _is_content(content):
            (before if sign == ">" or not columns else columns[-1].after).extend(content)
    return columns if any(column.before or column.after for column in columns) else None


def _parts(tokens: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The columns and what is inserted between them, each with its argument."""
    pending = [token for token in reversed(tokens) if not token.isspace()]
    count = 0
    while pending and count < _MAX_COLUMNS:
        token = pending.pop()
        if token == "*":
            times = "".join(_argument(pending))
            repeated = _argument(pending)
            pending.extend(list(reversed(repeated)) * min(int(times) if times.isdecimal() else 1, _MAX_COLUMNS))
        elif token in _INSERTS:
            yield token, _argument(pending)
        elif token.isalpha():
            yield token, []
        elif token == "{":  # the width of the column
            pending.append(token)
            _argument(pending)
        count += 1


def _argument(pending: list[str]) -> list[str]:
    """Takes a group, or one token, from the end of a reversed list."""
    taken: list[str] = []
    depth = 0
    while pending:
        token = pending.pop()
        depth += (token == "{") - (token == "}")
        taken.append(token)
        if depth <= 0:
            break
    return taken[1:-1] if taken[:1] == ["{"] else taken


def _is_content(tokens: Sequence[str]) -> bool:
    """Whether more than spaces, sizes and colours is here."""
    pending = [*reversed(tokens)]
    while pending:
        token = pending.pop()
        layout = LAYOUT_ARGUMENTS.get(token[1:]) if token[:1] == "\\" else None
        if layout is not None:
            for kind in layout:
                if kind == "d":
                    while pending and (pending[-1].isalnum() or pending[-1] in "+-."):
                        pending.pop()
                elif kind == "m":
                    _argument(pending)
                elif kind == "o" and pending and pending[-1] == "[":
                    while pending and pending.pop() != "]":
                        pass
        elif token not in _LAYOUT and not token.isspace():
            return True
    return False


def fill_rows(tokens: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The rows of an array with what its columns put into them."""
    result: list[str] = []
    ends = _LINES.union(token for token in tokens if token.startswith("\\\\["))
    lines = split_top(tokens, ends)
    breaks = _top(tokens, ends)
    for number, line in enumerate(lines):
        if number:
            result.append(next(breaks))
        if number < len(lines) - 1 or _begin_of_cell(line) < len(line):
            result += _fill_row(line, columns)
        else:
            result += line
    return result


def _top(tokens: Sequence[str], wanted: frozenset[str]) -> Iterator[str]:
    """Those of the wanted tokens that are in no braces and no environment."""
    depth = 0
    for token in tokens:
        if depth == 0 and token in wanted:
            yield token
        depth += (token == "{") - (token == "}") + token.startswith("\\begin") - token.startswith("\\end")


def _fill_row(line: Sequence[str], columns: Sequence[Column]) -> list[str]:
    result: list[str] = []
    column = 0
    for number, cell in enumerate(split_top(line, frozenset({"&"}))):
        if number:
            result.append("&")
        if "\\multicolumn" in cell:
            digits = "".join(_argument([*reversed(cell[cell.index("\\multicolumn") + 1:])])).strip()
            column += int(digits) if digits.isdecimal() else 1
            result += cell
            continue
        begin = _begin_of_cell(cell)
        before, after = columns[column][1:] if column < len(columns) else ([], [])
        result += [*cell[:begin], *map(str, before), *cell[begin:], *map(str, after)]
        column += 1
    return result


def _begin_of_cell(cell: Sequence[str]) -> int:
    """Where the content of a cell begins, after the rules above its row."""
    i = 0
    while i < len(cell) and (cell[i].isspace() or cell[i] in _RULES or cell[i] in _RULES_WITH_RANGE):
        i += 1
        if cell[i - 1] in _RULES_WITH_RANGE:
            pending = [*reversed(cell[i:])]
            _argument(pending)
            i = len(cell) - len(pending)
    return i
