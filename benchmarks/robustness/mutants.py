"""Mutants: small changes of source code, each of which a good test notices.

A mutant replaces one piece of a file: a comparison or its border, an operator, a number, a condition by its contrary, a
result by None, or a statement by nothing. Texts, annotations, decorators, assertions and ``__repr__`` stay as they are:
no test should depend on them.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
OPERATORS = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: in ``path``, from byte ``start`` to ``end``, ``old`` becomes ``new``; ``line`` counts from 1."""

    path: Path
    function: str
    line: int
    start: int
    end: int
    old: str
    new: str
    code: str

    def key(self, root: Path) -> str:
        """What names it when lines move: file, function, the line's code, and the change."""
        return f"{self.path.relative_to(root)}::{self.function}: {self.code}: {self.old!r} → {self.new!r}"

    def source(self) -> str:
        """The whole mutated file."""
        data = self.path.read_bytes()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def diff(self, root: Path) -> str:
        """The change as a unified diff without context."""
        before = self.path.read_text(encoding="utf-8").splitlines()
        name = str(self.path.relative_to(root))
        lines = difflib.unified_diff(before, self.source().splitlines(), name, name, lineterm="", n=0)
        return "\n".join(lines)


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a file, in the order of its code."""
    source = path.read_text(encoding="utf-8")
    found = {(one.start, one.end, one.new): one for one in _Finder(path, source).find()}
    valid = [one for one in found.values() if _parses(one)]
    return sorted(valid, key=lambda one: (one.start, one.end, one.new))


def _parses(mutant: Mutant) -> bool:
    try:
        ast.parse(mutant.source())
    except SyntaxError:
        return False
    return True


class _Finder:
    def __init__(self, path: Path, source: str) -> None:
        self._path = path
        self._data = source.encode()
        self._lines = source.splitlines()
        self._tree = ast.parse(source)
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def find(self) -> Iterator[Mutant]:
        """Walks the file."""
        yield from self._body(self._tree.body, "")

    def _body(self, body: list[ast.stmt], function: str) -> Iterator[Mutant]:
        for statement in body:
            yield from self._statement(statement, function)

    def _statement(self, node: ast.stmt, function: str) -> Iterator[Mutant]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{function}.{node.name}" if function else node.name
            if node.name != "__repr__":
                if not isinstance(node, ast.ClassDef):
                    for default in [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]:
                        yield from self._expressions(default, name)
                yield from self._body(node.body, name)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert, ast.Global, ast.Nonlocal)):
            return
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Raise):
            yield self._mutant(node, function, "pass")
            return
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                return
            if isinstance(node.value, ast.Call):
                yield self._mutant(node, function, "pass")
        elif isinstance(node, ast.AugAssign):
            yield self._mutant(node, function, "pass")
        elif isinstance(node, ast.Break):
            yield self._mutant(node, function, "continue")
        elif isinstance(node, ast.Continue):
            yield self._mutant(node, function, "break")
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield self._mutant(node, function, "return None")
        if isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, (ast.Compare, ast.Constant)):
            yield self._mutant(node.test, function, f"not ({self._text(node.test)})")
        for name, value in ast.iter_fields(node):
            if name == "annotation":
                continue
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.stmt):
                    yield from self._statement(one, function)
                elif isinstance(one, (ast.ExceptHandler, ast.match_case)):
                    yield from self._body(one.body, function)
                elif isinstance(one, ast.withitem):
                    yield from self._expressions(one.context_expr, function)
                elif isinstance(one, ast.expr):
                    yield from self._expressions(one, function)

    def _expressions(self, root: ast.expr, function: str) -> Iterator[Mutant]:
        nodes: list[ast.AST] = [root]
        while nodes:
            node = nodes.pop()
            if isinstance(node, ast.JoinedStr):  # what is written for people
                continue
            if isinstance(node, ast.Compare):
                left: ast.expr = node.left
                for operator, right in zip(node.ops, node.comparators, strict=True):
                    yield from self._between(left, right, *COMPARISONS[type(operator)], function)
                    left = right
            elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not _is_text(node):
                yield from self._between(node.left, node.right, *OPERATORS[type(node.op)], function)
            elif isinstance(node, ast.BoolOp):
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for first, second in zip(node.values, node.values[1:], strict=False):
                    yield from self._between(first, second, old, new, function)
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
                yield self._mutant(node, function, self._text(node.operand))
            elif isinstance(node, ast.IfExp) and not isinstance(node.test, ast.Compare):
                yield self._mutant(node.test, function, f"(not ({self._text(node.test)}))")
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, bool):
                    yield self._mutant(node, function, str(not node.value))
                elif isinstance(node.value, int):
                    yield self._mutant(node, function, str(node.value + 1))
                elif isinstance(node.value, float):
                    yield self._mutant(node, function, repr(node.value + 1.0))
            nodes += ast.iter_child_nodes(node)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str, function: str) -> Iterator[Mutant]:
        begin, end = self._end(left), self._start(right)
        gap = self._data[begin:end].decode()
        if gap.count(old) == 1 and "#" not in gap:
            start = begin + len(gap[: gap.index(old)].encode())
            yield self._at(start, start + len(old.encode()), new, function)

    def _mutant(self, node: ast.stmt | ast.expr, function: str, new: str) -> Mutant:
        return self._at(self._start(node), self._end(node), new, function)

    def _at(self, start: int, end: int, new: str, function: str) -> Mutant:
        line = self._data.count(b"\n", 0, start) + 1
        return Mutant(
            self._path, function, line, start, end, self._data[start:end].decode(), new, self._lines[line - 1].strip()
        )

    def _start(self, node: ast.stmt | ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.stmt | ast.expr) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        return self._data[self._start(node) : self._end(node)].decode()


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)))
        for side in (node.left, node.right)
    )
