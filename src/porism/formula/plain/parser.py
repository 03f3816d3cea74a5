"""Plain notations to the layout tree that the LaTeX of the same formula has."""

from __future__ import annotations

from porism.formula.latex.parser import MAX_DEPTH, MAX_LENGTH, read_tokens
from porism.formula.plain.dialects import DIALECTS
from porism.formula.plain.frames import PlainFrame
from porism.formula.plain.lean import LeanReader
from porism.formula.plain.lean_terms import read_term
from porism.formula.plain.reader import PlainReader
from porism.formula.plain.spoken import SpokenReader
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
    text = source[:max_length]
    dialect = DIALECTS[notation]
    reader = (
        LeanReader(text, dialect) if notation == "lean" else SpokenReader(text, dialect) if notation == "spoken"
        else PlainReader(text, dialect, PlainFrame)
    )
    tokens = reader.read()
    problems = reader.problems
    operators = None
    if notation == "lean":
        term, problems = read_term(text, max_depth=max_depth)
        operators = term.root
    if len(source) > max_length:
        problems.append(ParseProblem(max_length, f"longer than {max_length} characters: the rest was dropped"))
    layout = read_tokens(source, tokens, problems, max_depth)
    layout.operators = operators
    return layout
