r"""The language of patterns: ``Real.sqrt, "mul", ?a ≤ ?b → √?a ≤ _``.

A question has parts between commas, all of which a statement must satisfy:

- a name: ``Real.sqrt`` (its last part must occur in the statement);
- a part of the name of the document, in quotes: ``"comm"``;
- a pattern, in Lean's notation, Unicode or LaTeX, that is found anywhere: ``?a ⊔ (?b ⊓ ?c) = _``;
- a pattern of the conclusion, behind ``⊢``, and of hypotheses, before it, with semicolons between several;
- an implication: what is before its arrows are hypotheses, in any order, and what is behind them is the conclusion.

Wildcards begin with a question mark and mean the same throughout one part; ``_`` is another one each time. Other
variables stand for variables. The reading is total: what cannot be read is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal

from porism.corpus.lean.signatures import statement_spans
from porism.errors import OnProblem, Problem, QueryError
from porism.formula import OperatorNode, OperatorTree, operator_tree, parse
from porism.formula.plain.lean_names import name_label
from porism.types import Formula

Role = Literal["anywhere", "conclusion", "hypothesis"]

MAX_LENGTH = 2_000
"""Longer questions are no patterns."""
MAX_PATTERN_NODES = 200
"""A pattern with more nodes is refused."""

_NAME = re.compile(r"[^\W\d_][\w'!]*(?:\.[^\W\d][\w'!]*)*\.?[\w'!]*\Z")
_PART_OF_NAME = re.compile(r'"([^"]*)"\Z')
_LATEX = re.compile(r"\\[A-Za-z]")
_TOKEN = re.compile(
    r"\"[^\"]*\"|[(\[{⟨⦃]|[)\]}⟩⦄]|,|;|=>|↦|⊢|\|-|\\vdash(?![A-Za-z])"
    r"|[∀∃λ∑∏∫⨆⨅⋃⋂]|(?<![\w.])fun(?!\w)|\\(?:forall|exists)(?![A-Za-z])"
)
_TURNSTILE = re.compile(r"⊢|\|-|\\vdash(?![A-Za-z])")
_IMPLICATION = re.compile(r"\\(?:implies|Rightarrow|Longrightarrow)(?![A-Za-z])|⇒|⟹")
_HOLE = re.compile(r"(?<![^\s(=<>+\-])_(?=[\s),]|\Z)")
"""A wildcard without a name in LaTeX, where an index would be elsewhere."""
_PARENTHESES = frozenset(("(", r"\left(", r"\bigl(", r"\big("))
_OPENERS, _CLOSERS = frozenset("([{⟨⦃"), frozenset(")]}⟩⦄")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, where in a statement it must be, and how it was written."""

    tree: OperatorTree
    role: Role
    source: str


@dataclass(frozen=True, slots=True)
class PatternQuestion:
    """What statements must satisfy.

    :param groups: patterns; those of one group share their wildcards.
    :param names: labels that must occur, by the names as they were written.
    :param name_parts: what must occur in the name of the document.
    """

    groups: tuple[tuple[Pattern, ...], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    name_parts: tuple[str, ...] = ()


def read_patterns(text: str, on_problem: OnProblem | None = None) -> PatternQuestion:
    """Reads a question of patterns.

    :param on_problem: receives what could not be read, with its place.
    :raises QueryError: there is nothing in it to search for, or it is too long.
    """
    if len(text) > MAX_LENGTH:
        raise QueryError(f"the pattern has {len(text):,} characters", hint=f"Ask with at most {MAX_LENGTH:,}.")
    groups: list[tuple[Pattern, ...]] = []
    names: list[tuple[str, str]] = []
    name_parts: list[str] = []
    for start, end in _split(text, ","):
        part = text[start:end].strip()
        start += len(text[start:end]) - len(text[start:end].lstrip())
        if not part:
            continue
        quoted = _PART_OF_NAME.match(part)
        if quoted is not None:
            name_parts += [quoted[1].strip()] if quoted[1].strip() else []
        elif _NAME.match(part) is not None and len(part) > 1:
            names.append((part, name_label(part)))
        elif group := tuple(_patterns(text, start, start + len(part), on_problem)):
            groups.append(group)
    if not (groups or names or name_parts):
        raise QueryError(
            "the pattern has nothing to search for", hint="Write a name, or a term with wildcards: '?a + ?b = _'."
        )
    return PatternQuestion(tuple(groups), tuple(names), tuple(name_parts))


def _split(text: str, separator: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The stretches between separators outside brackets; commas behind variables that are introduced do not count."""
    end = len(text) if end is None else end
    depth = introduced = 0
    for match in _TOKEN.finditer(text, start, end):
        token = match.group()
        if token in _OPENERS:
            depth += 1
        elif token in _CLOSERS:
            depth = max(0, depth - 1)
        elif depth or token[0] == '"':
            continue
        elif token == "," and introduced:
            introduced -= 1
        elif token == separator:
            yield start, match.start()
            start, introduced = match.end(), 0
        elif token in ("=>", "↦"):
            introduced = max(0, introduced - 1)
        elif token not in (",", ";", "⊢", "|-", "\\vdash"):
            introduced += 1
    yield start, end


def _patterns(text: str, start: int, end: int, on_problem: OnProblem | None) -> Iterator[Pattern]:
    """The patterns of one part of a question."""
    turnstile = _TURNSTILE.search(text, start, end)
    if turnstile is None:
        spans = _implication(text, start, end)
        last: Role = "conclusion" if len(spans) > 1 else "anywhere"
    else:
        spans = [*_split(text, ";", start, turnstile.start()), *_implication(text, turnstile.end(), end)]
        last = "conclusion"
    numbers = count(1)
    for number, (begin, stop) in enumerate(spans, 1):
        source = text[begin:stop].strip()
        if source not in ("", "_"):
            role = last if number == len(spans) else "hypothesis"
            yield Pattern(_tree(source, begin + 1, numbers, on_problem), role, source)


def _implication(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The hypotheses of an implication and its conclusion."""
    if _LATEX.search(text, start, end) is None:
        parts = statement_spans(f":{text[start:end]}")
        return [(start - 1 + first, start - 1 + last) for first, last in parts] or [(start, end)]
    spans: list[tuple[int, int]] = []
    for match in _IMPLICATION.finditer(text, start, end):
        before = text[start : match.start()]
        if before.count("{") == before.count("}"):
            spans.append((start, match.start()))
            start = match.end()
    return [*spans, (start, end)]


def _tree(source: str, place: int, numbers: Iterator[int], on_problem: OnProblem | None) -> OperatorTree:
    is_latex = _LATEX.search(source) is not None
    if is_latex:
        source = _HOLE.sub(lambda match: f"?hole{next(numbers)}", source)
    layout = parse(Formula(source, "latex" if is_latex else "lean"))
    if on_problem is not None:
        for problem in layout.problems:
            on_problem(Problem("pattern", f"character {place + problem.position}: {problem.what}"))
    tree = operator_tree(layout)
    size = 0
    for node in tree.root.walk():
        size += 1
        if node.kind == "W" and node.label == "_":
            node.label = f"_{next(numbers)}"
    if size > MAX_PATTERN_NODES:
        raise QueryError(f"a pattern has {size} operators and symbols", hint=f"Ask with at most {MAX_PATTERN_NODES}.")
    for node in tree.root.walk() if is_latex else ():
        _apply(node, source)
    return tree


def _apply(node: OperatorNode, source: str) -> None:
    """In LaTeX ``?f(x)`` is read as a product: here it is an application."""
    if node.label == "times" and len(node.children) == 2 and node.children[0].kind == "W":
        first, second = node.children
        between = source[first.end : max(second.start, first.end + 1)]
        if between.strip() in _PARENTHESES:
            node.label, node.kind = "apply", "O"
