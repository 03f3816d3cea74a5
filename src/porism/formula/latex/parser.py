"""LaTeX to a symbol layout tree: total, linear in time, with a source span on every node."""

from __future__ import annotations

from collections.abc import Mapping

from porism.formula.latex.boxes import text_environments
from porism.formula.latex.commands import HANDLERS, unlisted
from porism.formula.latex.diagrams import diagrams
from porism.formula.latex.drawings import drawings
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MacroFound, MacroText, expand, has_power
from porism.formula.latex.tokens import Tokens, tokenize
from porism.formula.latex.verbatim import verbatim
from porism.formula.layout import trim
from porism.formula.normalisation import normalise
from porism.formula.spelled import may_be_spelled
from porism.formula.tables.lookup import SYMBOLS
from porism.formula.tree import LayoutNode, LayoutTree, ParseProblem, Style
from porism.formula.words import has_pairs

MAX_LENGTH = 200_000
MAX_DEPTH = 200


def parse_latex(
    source: str, *, max_length: int = MAX_LENGTH, max_depth: int = MAX_DEPTH,
    macros: Mapping[str, MacroText] | None = None,
) -> LayoutTree:
    """The layout tree of a formula in LaTeX (without its delimiters; dollars around it are ignored).

    Every string gives a tree: open groups are closed at the end, stray closers and unknown commands become leaves, and
    ``problems`` of the tree lists the unparsed parts with their positions. Of a source longer than
    ``max_length`` characters the rest is dropped; what is nested deeper than ``max_depth`` levels is read flat.
    ``macros`` maps names of commands (without the backslash) to their number of arguments and replacement; definitions
    inside the formula are understood too. Node spans are offsets into ``source``; nodes that a macro made have the span
    of its call.
    """
    text = source
    too_long = len(text) > max_length
    if too_long:
        text = text[:max_length]
    problems: list[ParseProblem] = []
    machine = Machine(text, tokens_of(text, problems), max_depth)
    machine.problems += problems
    if too_long:
        machine.problem(max_length, f"longer than {max_length} characters: the rest was dropped")
    try:
        if macros or has_power(text):
            raise MacroFound
        _read(machine)
    except MacroFound:
        problems = [problem for problem in machine.problems if problem.position == max_length]
        machine = Machine(text, expand(tokens_of(text, problems), macros, problems), max_depth)
        machine.problems = problems
        machine.expanded = True
        _read(machine)
    row = machine.finish()
    for style, first, last in machine.phantoms:
        _read_unseen(machine, style, first, last)
    written = "".join(machine.texts) if machine.expanded else text
    if machine.unsettled or has_pairs(written) or may_be_spelled(written):
        normalise(row)
        trim(row)
    return LayoutTree(row, source, tuple(machine.problems))


def read_tokens(source: str, tokens: Tokens, problems: list[ParseProblem], max_depth: int) -> LayoutTree:
    """The layout tree of tokens that were made from a source in another notation."""
    machine = Machine(source, tokens, max_depth)
    machine.problems = problems
    machine.expanded = True
    _read(machine)
    row = machine.finish()
    normalise(row)
    trim(row)
    return LayoutTree(row, source, tuple(machine.problems))


def tokens_of(text: str, problems: list[ParseProblem]) -> Tokens:
    """The tokens of a formula, with diagrams and tables of text as matrices, drawings and verbatim text as text."""
    tokens = verbatim(text) if "\\verb" in text else tokenize(text)
    if "tikz" in text:
        tokens = drawings(tokens, problems)
    if "begin" in text:
        if "CD" in text and "@" in text:
            tokens = diagrams(tokens)
        if "tabular" in text or "minipage" in text:
            tokens = text_environments(tokens)
    return tokens


def _read_unseen(machine: Machine, style: Style, first: int, last: int) -> None:
    """Reads what only has room, by itself: it changes nothing of the formula, and its problems are nobody's."""
    end = machine.ends[last - 1]
    tokens = Tokens(
        [*machine.texts[first:last], "", ""], [*machine.starts[first:last], end, end],
        [*machine.ends[first:last], end, end],
    )
    unseen = Machine(machine.source, tokens, machine.max_depth)
    unseen.expanded = True
    _read(unseen)
    style.unseen.extend(unseen.finish())
    normalise(style.unseen)


def _read(machine: Machine) -> None:
    symbol = SYMBOLS.get
    handler = HANDLERS.get
    starts, ends, node = machine.starts, machine.ends, LayoutNode
    # Valid from one handler to the next: symbols alone change neither.
    append, plain = machine.row.append, True
    for i, token in machine.stream:
        known = symbol(token)
        if known is not None:
            label, kind = known
            if plain:
                append(node(label, kind, starts[i], ends[i]))
                continue
            machine.add_symbol(label, kind, starts[i], ends[i])
        else:
            entry = handler(token)
            if entry is not None:
                entry[0](machine, entry[1], i)
            else:
                unlisted(machine, token, i)
        append = machine.row.append
        plain = not (machine.awaiting or machine.font)
