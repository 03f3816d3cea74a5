"""Typst's formulas as LaTeX: code in them is carried out and definitions are expanded before they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from porism.corpus.base import ignore_problem
from porism.corpus.formula_sources import aligned
from porism.corpus.typst.nodes import (
    Brackets,
    Code,
    Group,
    Math,
    Name,
    Node,
    Raw,
    String,
    Text,
    TypstArgument,
    TypstCall,
)
from porism.corpus.typst.parser import TypstParser
from porism.corpus.typst.scope import Definition, Scope
from porism.corpus.typst.tables import ACCENTS, MODULES, SKIPPED, TEXT_FUNCTIONS
from porism.formula.plain.parser import plain_to_latex
from porism.formula.tree import ParseProblem

MAX_EXPANSION_DEPTH = 20
MAX_EXPANSION = 50_000
"""So many characters may the definitions in one formula make."""

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\\u\{[0-9A-Fa-f]*\}|\\.|//[^\n]*|/\*(?:(?!\*/).)*(?:\*/)?|#|[^\W\d_][^\W_]*(?:\.[^\W\d_][^\W_]*)*'
    r"|[^\w\\\"#/]+|.",
    re.DOTALL,
)
_ARGUMENT_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\\.|[(\[{]|[)\]}]|,|[^"\\(\[{)\]},]+|.', re.DOTALL)
_ALONE = re.compile(r'[\w.]+(?:\([\w."\s]*\))?|"[^"]*"')
_WIDE = re.compile(r"(\d+)")
_WORDS = re.compile(r"\s*\n\s*")


class MathReader:
    """Makes LaTeX of formulas."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._fuel = MAX_EXPANSION

    def latex(self, formula: Math) -> tuple[str, list[ParseProblem]]:
        """The LaTeX of a formula, and what could not be read; empty where nothing is in it."""
        self._fuel = MAX_EXPANSION
        source = self.expanded(formula.source, {}, 0).strip()
        latex, problems = plain_to_latex(source, "typst")
        latex = " ".join(latex.split()).strip()
        return (aligned(latex) if formula.display else latex), problems

    def expanded(self, source: str, values: Mapping[str, str], depth: int) -> str:
        """A formula without code and without names that the file defines.

        :param values: the parameters of the function that it is the body of.
        """
        pieces: list[str] = []
        code: TypstParser | None = None
        i = 0
        while i < len(source):
            match = _TOKEN.match(source, i)
            assert match is not None
            token, i = match.group(), match.end()
            if token.startswith(("//", "/*")) and len(token) > 1:
                continue
            if token == "#":
                code = code or TypstParser(source, "", ignore_problem)
                node, i = code.value(i)
                pieces.append(f" {self.value(node, values, depth + 1)} " if node is not None else "")
            elif token[0].isalpha() and len(token) > 1:
                piece, i = self._word(token, source, i, values, depth)
                pieces.append(piece)
            else:
                pieces.append(token)
        return "".join(pieces)

    def _word(self, name: str, source: str, i: int, values: Mapping[str, str], depth: int) -> tuple[str, int]:
        """What a name in a formula stands for, and where what belongs to it ends."""
        if name in values:
            return values[name], i
        if name == "accent" and source.startswith("(", i):
            return self._accent(source, i + 1, values, depth)
        definition = self.scope.find(name)
        if definition is None or depth >= MAX_EXPANSION_DEPTH or self._fuel <= 0:
            for module in MODULES:
                name = name.removeprefix(module)
            return name, i
        if definition.parameters is None:
            return self._kept(" ".join(self.value(node, {}, depth + 1) for node in definition.value)), i
        if not source.startswith("(", i):
            return name, i
        arguments, i = _arguments(source, i + 1)
        given = [self.expanded(argument.strip(), values, depth + 1) for argument in arguments]
        return self._kept(self._called(definition, given, depth)), i

    def _accent(self, source: str, i: int, values: Mapping[str, str], depth: int) -> tuple[str, int]:
        """``accent(x, hat)`` as ``hat(x)``."""
        (base, *others), i = _arguments(source, i)
        sign = others[0].strip().strip('"') if others else ""
        base = self.expanded(base.strip(), values, depth + 1)
        return f"{ACCENTS.get(sign, sign)}({base})" if sign else base, i

    def _called(self, definition: Definition, given: list[str], depth: int) -> str:
        """The value of a function of these arguments."""
        defaults = {
            name: " ".join(self.value(node, {}, depth + 1) for node in nodes)
            for name, nodes in (definition.parameters or {}).items()
        }
        values = defaults | {
            name: _grouped(argument) for name, argument in zip(definition.positional, given, strict=False)
        }
        return " ".join(self.value(node, values, depth + 1) for node in definition.value)

    def _kept(self, expansion: str) -> str:
        self._fuel -= len(expansion)
        return _grouped(expansion.strip()) if self._fuel > 0 else ""

    def value(self, node: Node, values: Mapping[str, str], depth: int) -> str:
        """A value of code as a formula has it."""
        if depth > MAX_EXPANSION_DEPTH or self._fuel <= 0:
            return ""
        if isinstance(node, Math):
            return self.expanded(node.source, values, depth)
        if isinstance(node, String | Text | Raw):
            words = _WORDS.sub(" ", node.text).replace('"', "'")
            if len(words.strip()) == 1 and not words.strip().isalnum():
                return f"\\{words.strip()}"
            return f'"{words}"' if words.strip() else " "
        if isinstance(node, Brackets):
            return " ".join(filter(str.strip, (self.value(part, values, depth + 1) for part in node.nodes)))
        if isinstance(node, Group):
            return " ".join(self.value(part, values, depth + 1) for part in node.nodes)
        if isinstance(node, Name):
            is_known = node.name in values or self.scope.find(node.name) or node.name.startswith(MODULES)
            return self._word(node.name, "", 0, values, depth)[0] if is_known else ""
        if isinstance(node, Code):
            return node.text
        return self._call(node, values, depth) if isinstance(node, TypstCall) else ""

    def _call(self, call: TypstCall, values: Mapping[str, str], depth: int) -> str:
        """A call in code."""
        definition = self.scope.find(call.name)
        given = [
            " ".join(self.value(node, values, depth + 1) for node in argument.values)
            for argument in call.arguments if not argument.name
        ]
        if definition is not None and definition.parameters is not None:
            return self._kept(self._called(definition, given, depth))
        if call.name == "h":
            return _space(call.arguments)
        if not call.name.startswith(MODULES):
            return "" if call.name in SKIPPED else " ".join(
                self.value(node, values, depth + 1)
                for argument in call.arguments if not argument.name for node in argument.values
                if isinstance(node, Brackets | Math | TypstCall) or call.name in TEXT_FUNCTIONS
            )
        name = call.name
        for module in MODULES:
            name = name.removeprefix(module)
        named = [f"{argument.name}: {_delimiter(argument)}" for argument in call.arguments if argument.name == "delim"]
        return f"{name}({', '.join([*named, *given])})"


def _delimiter(argument: TypstArgument) -> str:
    return next((f'"{node.text}"' for node in argument.values if isinstance(node, String)), '"none"')


def _space(arguments: list[TypstArgument]) -> str:
    """A space of this width: one that separates from 1 em on."""
    width = next((node.text for argument in arguments for node in argument.values if isinstance(node, Code)), "0")
    digits = _WIDE.match(width)
    return "quad" if digits is not None and int(digits.group(1)[:3]) > 0 and width.endswith("em") else "thin"


def _grouped(source: str) -> str:
    """A part that is one operand; what is one already stays as it is."""
    return source if not source or _ALONE.fullmatch(source) else f"inline({source})"


def _arguments(source: str, i: int) -> tuple[list[str], int]:
    """The arguments up to a closing parenthesis, and where that ends."""
    arguments, depth = [""], 0
    while i < len(source):
        match = _ARGUMENT_TOKEN.match(source, i)
        assert match is not None
        token, i = match.group(), match.end()
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return arguments, i
        elif token == "," and not depth:
            arguments.append("")
            continue
        arguments[-1] += token
    return arguments, i
