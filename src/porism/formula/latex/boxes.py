"""Boxes of TeX inside a formula, and its assignments: their sizes and values go, what a box holds is text."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from porism.formula.latex.machine import Machine
from porism.formula.latex.text import skip_arguments
from porism.formula.latex.text_mode import text
from porism.formula.latex.tokens import Tokens
from porism.formula.tables.boxes import TEXT_ENVIRONMENTS, TEXT_TABLES

_FARTHEST_DOLLAR = 200
_FARTHEST_ARGUMENT_END = 200
_VALUE_TOKENS = 60
_LENGTH = r"[-+\s]*[\d.,]+\s*(?:true\s*)?(?:pt|mm|cm|in|ex|em|mu|bp|pc|sp|dd|cc|fil{1,3})(?![A-Za-z])"
_VALUE = re.compile(
    rf"\s*=?\s*(?:{_LENGTH}(?:\s*(?:plus|minus)\s*{_LENGTH})*|\{{\s*{_LENGTH}\s*\}}|[-+]?\d+|(?<==)\s*[-\d.]*\\[A-Za-z]+)"
)


def box(machine: Machine, signature: str, i: int) -> None:
    """``\\raisebox{2pt}{if $x$}``, ``\\hbox to 3cm{…}``: text after the arguments that ``signature`` names."""
    text(machine, "rm", skip_arguments(machine, signature, i))


def overlap(machine: Machine, payload: Any, i: int) -> None:
    """``\\rlap{…}``: text where dollars are inside; else it is read as the mathematics that MathJax has there."""
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "{" and _holds_dollar(machine.texts, i + 2):
        text(machine, "rm", i)


def _holds_dollar(texts: list[str], i: int) -> bool:
    depth = 0
    for token in texts[i : i + _FARTHEST_DOLLAR]:
        if token == "$":
            return True
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return False
    return False


def assignment(machine: Machine, payload: Any, i: int) -> None:
    """``\\postdisplaypenalty=100``, ``\\parskip 3pt plus 1pt``: the value goes with the command."""
    for _ in range(value_length(machine.texts, i + 1)):
        machine.take()


def value_length(texts: list[str], i: int) -> int:
    """How many tokens from token ``i`` on are the value that is assigned."""
    following = texts[i : i + _VALUE_TOKENS]
    match = _VALUE.match("".join(following))
    end = match.end() if match else 0
    return bisect_right(list(accumulate(map(len, filter(None, following)))), end)


def text_environments(tokens: Tokens) -> Tokens:
    """The tokens with tables and environments of text (``tabular``, ``minipage``) as matrices and boxes of text."""
    writer = _BoxWriter(tokens)
    writer.run()
    return Tokens(writer.texts, writer.starts, writer.ends)


class _BoxWriter:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._opened: list[tuple[str, int]] = []  # of each environment, its kind and how many braces were open
        self._braces = 0

    def run(self) -> None:
        texts = self._tokens.texts
        i = 0
        while i < len(texts):
            token = texts[i]
            self._braces += (token == "{") - (token == "}")
            if token.startswith("\\begin") and token.endswith("}"):
                i = self._begin(i)
            elif token.startswith("\\end") and token.endswith("}"):
                self._end(i)
                i += 1
            else:
                in_cell = bool(self._opened) and self._opened[-1] == ("table", self._braces)
                if in_cell and (token in ("&", "\\tabularnewline") or token.startswith("\\\\")):
                    self._write(i, "}", token, "\\text", "{")
                elif not (in_cell and token == "\\hline"):
                    self._write(i, token)
                i += 1

    def _write(self, i: int, *texts: str) -> None:
        for token in texts:
            self.texts.append(token)
            self.starts.append(self._tokens.starts[i])
            self.ends.append(self._tokens.ends[i])

    def _begin(self, i: int) -> int:
        token = self._tokens.texts[i]
        name = token[token.index("{") + 1 : -1].strip()
        signature = TEXT_TABLES.get(name, TEXT_ENVIRONMENTS.get(name))
        if signature is None:
            self._opened.append(("", self._braces))
            self._write(i, token)
            return i + 1
        is_table = name in TEXT_TABLES
        self._opened.append(("table" if is_table else "text", self._braces))
        self._write(i, *(["\\begin{matrix}"] if is_table else []), "\\text", "{")
        return _after_arguments(self._tokens.texts, i + 1, signature)

    def _end(self, i: int) -> None:
        kind, _ = self._opened.pop() if self._opened else ("", 0)
        if kind:
            self._write(i, "}", *(["\\end{matrix}"] if kind == "table" else []))
        else:
            self._write(i, self._tokens.texts[i])


def _after_arguments(texts: list[str], i: int, signature: str) -> int:
    """The index after the arguments of an environment."""
    for kind in signature:
        place = i
        while texts[place].isspace():
            place += 1
        opening, closing = ("{", "}") if kind == "m" else ("[", "]")
        if texts[place] != opening:
            continue
        depth = 0
        for end in range(place + 1, min(len(texts), place + _FARTHEST_ARGUMENT_END)):
            if texts[end] == closing and depth == 0:
                i = end + 1
                break
            depth += (texts[end] == "{") - (texts[end] == "}")
    return i
