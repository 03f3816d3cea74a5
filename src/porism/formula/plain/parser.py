"""Plain notations to the layout tree that the LaTeX of the same formula has."""

from __future__ import annotations

from functools import lru_cache

from porism.formula.latex.parser import MAX_DEPTH, MAX_LENGTH, read_tokens
from porism.formula.latex.tokens import Tokens
from porism.formula.macros.tokens import join
from porism.formula.plain.dialects import DIALECTS
from porism.formula.plain.frames import PlainFrame
from porism.formula.plain.lean import LeanReader
from porism.formula.plain.lean_terms import read_term
from porism.formula.plain.reader import PlainReader
from porism.formula.plain.spoken import SpokenReader
from porism.formula.tables.lookup import SYMBOLS
from porism.formula.tables.rows import symbol_rows
from porism.formula.tree import LayoutTree, ParseProblem
from porism.types import PlainNotation


def parse_plain(
    source: str, notation: PlainNotation = "unicode", *, max_length: int = MAX_LENGTH, max_depth: int = MAX_DEPTH
) -> LayoutTree:
    """The layout tree of a formula in a plain notation: ``x² + 1 ≤ y``, ``sum_(i=1)^n i``, ``frac(a, b)``, ``f x y``.

    It is the tree of the same formula in LaTeX, with spans in ``source``. Every string gives a tree; ``problems`` lists
    what could not be read. ``max_length`` and ``max_depth`` are those of
    :func:`~porism.formula.latex.parser.parse_latex`.
    """
    tokens, problems = _read(source[:max_length], notation)
    operators = None
    if notation == "lean":
        term, problems = read_term(source[:max_length], max_depth=max_depth)
        operators = term.root
    if len(source) > max_length:
        problems.append(ParseProblem(max_length, f"longer than {max_length} characters: the rest was dropped"))
    layout = read_tokens(source, tokens, problems, max_depth)
    layout.operators = operators
    return layout


def plain_to_latex(
    source: str, notation: PlainNotation, *, max_length: int = MAX_LENGTH
) -> tuple[str, list[ParseProblem]]:
    """The LaTeX of a formula in a plain notation, and what could not be read; what is longer than the limit goes."""
    tokens, problems = _read(source[:max_length], notation)
    texts: list[str] = []
    depth = 0  # in a text, whose characters are themselves
    for text in tokens.texts:
        if depth or text == "\\text":
            depth += (text in ("\\text", "{")) - (text == "}")
            depth -= depth == 1 and text == "}"
        texts.append(text if depth or text.isascii() else _command(text))
    return join(texts), problems


@lru_cache(1024)
def _command(character: str) -> str:
    """LaTeX's command for a symbol, where it has one."""
    row = symbol_rows().get(SYMBOLS.get(character, (character, ""))[0])
    return row.commands[0] if row is not None and row.commands else character


def _read(text: str, notation: PlainNotation) -> tuple[Tokens, list[ParseProblem]]:
    """The tokens of LaTeX that a text stands for, and what could not be read."""
    dialect = DIALECTS[notation]
    reader = (
        LeanReader(text, dialect) if notation == "lean" else SpokenReader(text, dialect) if notation == "spoken"
        else PlainReader(text, dialect, PlainFrame)
    )
    return reader.read(), reader.problems
