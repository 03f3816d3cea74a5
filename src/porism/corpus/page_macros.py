"""Macros of pages: those of their site and those that formulas of the page itself define, expanded in its formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from porism.corpus.latex.formula import FormulaReader
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tokens import tokenize
from porism.corpus.references import reference_text
from porism.formula.macros.declarations import Declarations
from porism.types import Content, Document

MAX_EXPANSION = 100_000
"""So many tokens may the macros of one formula, or of one file, make."""

_COMMAND = re.compile(r"\\[A-Za-z]+")
_DEFINING = frozenset(
    "\\" + name for name in """
    newcommand renewcommand providecommand DeclareMathOperator DeclarePairedDelimiter def gdef edef xdef let
    NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand DeclareRobustCommand
    """.split()
)


class PageMacros:
    """The macros that hold in one page.

    :param definitions: LaTeX that defines those of the site.
    """

    def __init__(self, definitions: Sequence[str] = ()) -> None:
        self._expander = ProjectExpander(lambda problem: None)
        Declarations(self._expander)
        self._formulas = FormulaReader(self._expander, lambda name: None, reference_text)
        for latex in definitions:
            self.define(latex)

    def define(self, latex: str) -> None:
        """Carries out the definitions in LaTeX; nothing else of it counts."""
        stream = self._expander.stream
        frames = stream.swap(tokenize(latex))
        stream.fuel = MAX_EXPANSION
        try:
            while (token := stream.next()) is not None:
                if token in _DEFINING:
                    self._expander.primitives[token](token)
        finally:
            stream.restore(frames)

    def expanded(self, latex: str) -> str:
        """LaTeX with the macros of the page replaced; definitions in it hold from there on."""
        commands = set(_COMMAND.findall(latex))
        if not commands.isdisjoint(_DEFINING):
            self.define(latex)
            return latex
        if commands.isdisjoint(self._expander.macros):
            return latex
        self._expander.stream.fuel = MAX_EXPANSION
        return self._formulas.formula_of(tokenize(latex)) or latex


def with_macros(documents: Iterable[Document], macros: PageMacros) -> Iterator[Document]:
    """The documents of a page with its macros expanded in their formulas."""
    for document in documents:
        fields = {name: _expanded(content, macros) for name, content in document.fields.items()}
        yield replace(document, fields=fields) if fields != document.fields else document


def _expanded(content: Content, macros: PageMacros) -> Content:
    if not content.formulas:
        return content
    return replace(content, formulas=tuple(
        replace(formula, source=macros.expanded(formula.source)) if formula.notation == "latex" else formula
        for formula in content.formulas
    ))
