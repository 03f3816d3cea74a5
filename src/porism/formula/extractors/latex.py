"""LaTeX as terms: a formula as one term, and a formula as symbols whose equal spellings have one name.

Sources: Novotný et al., *Ensembling Ten Math Information Retrieval Systems* (CLEF 2021), section 2.1; Zhong, Yang and
Lin, *Evaluating Token-Level and Passage-Level Dense Retrieval Models for Math Information Retrieval* (EMNLP 2022),
figure 1.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files

from porism.formula.extractors.walk import MAX_NODES
from porism.formula.layout import mark_order
from porism.formula.notation import notation_of
from porism.formula.operators.rules import leaf_label
from porism.formula.tables.commands import ACCENTS, ENVIRONMENTS, FRACTIONS
from porism.formula.tables.lookup import SYMBOLS
from porism.formula.tree import LayoutNode, LayoutTree, Row
from porism.formula.writers.latex import to_latex

_ENVIRONMENT = re.compile(r"\\begin\{(\w+)\}")
_FONTS = {"DOUBLE-STRUCK": "mathbb", "SCRIPT": "mathcal", "FRAKTUR": "mathfrak", "BLACK-LETTER": "mathfrak"}


def whole_latex(layout: LayoutTree) -> list[str]:
    """The formula as one term, its LaTeX in one spelling; no term for an empty formula."""
    latex = to_latex(layout, spaces=False)
    return [latex] if latex else []


def source_latex(layout: LayoutTree) -> str:
    """LaTeX of a formula as its author wrote it, white space folded; of MathML in one spelling."""
    source = layout.source
    return to_latex(layout) if notation_of(source) == "mathml" else " ".join(source.split())


class _Names:
    """The vocabulary of the channel ``unified``, by what the parsers make of its spellings."""

    def __init__(self, text: str) -> None:
        self.symbols: dict[str, str] = {}
        self.accents: dict[tuple[str, str], str] = {}
        self.fractions: dict[str, str] = {}
        self.environments: dict[str, str] = {}
        self.classes: dict[str, tuple[str, ...]] = {}
        for line in text.splitlines():
            if not line or line.startswith("//"):
                continue
            name, *spellings = line.split()
            self.classes[name] = tuple(spellings)
            for spelling in spellings:
                self._add(f"<{name}>", spelling)

    def _add(self, name: str, spelling: str) -> None:
        environment = _ENVIRONMENT.fullmatch(spelling)
        command = spelling[1:]
        if environment is not None:
            kind, fences = ENVIRONMENTS[environment[1]]
            self.environments["lines" if kind == "lines" else fences] = name
        elif spelling in SYMBOLS:
            self.symbols[SYMBOLS[spelling][0]] = name
        elif command in ACCENTS:
            self.accents[ACCENTS[command]] = name
        elif command in FRACTIONS:
            self.fractions[FRACTIONS[command][0]] = name


@lru_cache(1)
def unified_names() -> _Names:
    """The vocabulary, read once from its file in the package."""
    return _Names(files("porism.formula.extractors").joinpath("unified.txt").read_text(encoding="utf-8"))


@lru_cache(1 << 14)
def _name(label: str) -> str:
    """The name of a symbol."""
    known = unified_names().symbols.get(label)
    if known is not None:
        return known
    if len(label) == 1 and not label.isascii():
        plain = unicodedata.normalize("NFKC", label)
        font = next((_FONTS[word] for word in unicodedata.name(label, "").split() if word in _FONTS), None)
        if font is not None and plain != label:
            return f"<{font}-{plain}>"
    command = label.removeprefix("\\")
    return f"<{command}>"


_Task = str | LayoutNode | tuple[Row]


def unified_tokens(layout: LayoutTree) -> list[str]:
    """Symbols and structure by name, equal commands alike: ``\\dfrac12`` and ``\\frac{1}{2}`` are ``<frac> <1> <2>``,
    ``\\|A\\|_2`` and ``\\lVert A\\rVert_{2}`` ``<Vert> <A> <Vert> <subscript> <2>``.

    An argument of several symbols is between ``<{>`` and ``<}>``; words of ``\\text`` stay as they are. At most
    about twice ``MAX_NODES`` tokens.
    """
    tokens: list[str] = []
    add = tokens.append
    stack: list[_Task] = [(layout.row,)]
    while stack and len(tokens) < 2 * MAX_NODES:
        task = stack.pop()
        if isinstance(task, str):
            add(task)
        elif isinstance(task, tuple):
            stack.extend(reversed(task[0][:MAX_NODES]))
        elif _alone(task):
            add(_name(leaf_label(task.label, task.font) if task.font else task.label))
        else:
            stack.extend(reversed(_node(task)))
    return tokens


def _alone(node: LayoutNode) -> bool:
    """Whether nothing hangs from a symbol."""
    return (
        node.kind in "VNO" and node.above is None and node.below is None and node.over is None
        and node.under is None and node.pre_above is None and node.pre_below is None
    )


def _group(row: Row | None) -> list[_Task]:
    """An argument: one symbol as it is, more than one or none between braces."""
    if row is not None and len(row) == 1 and _alone(row[0]):
        return [(row,)]
    return ["<{>", (row or [],), "<}>"]


def _node(node: LayoutNode) -> list[_Task]:
    names = unified_names()
    tasks = _core(node, names)
    if node.kind != "F" and (node.over is not None or node.under is not None):
        for slot in mark_order(node):
            mark: Row | None = getattr(node, slot)
            if mark is None:
                continue
            base = tasks if len(tasks) == 1 or node.kind == "G" else ["<{>", *tasks, "<}>"]
            accent = names.accents.get((slot, mark[0].label)) if len(mark) == 1 and mark[0].kind == "O" else None
            if accent is None:
                tasks = [f"<{slot}>", *_group(mark), *base]
            else:
                tasks = [accent, *base, *_scripts(mark[0])]
    before: list[_Task] = []
    if node.pre_below is not None:
        before += ("<subscript>", *_group(node.pre_below))
    if node.pre_above is not None and node.kind != "R":
        before += ("<superscript>", *_group(node.pre_above))
    return before + tasks + _scripts(node)


def _scripts(node: LayoutNode) -> list[_Task]:
    tasks: list[_Task] = []
    if node.below is not None:
        tasks += ("<subscript>", *_group(node.below))
    if node.above:
        if all(mark.label == "′" for mark in node.above):
            tasks += ["<prime>"] * len(node.above)
        else:
            tasks += ("<superscript>", *_group(node.above))
    return tasks


def _core(node: LayoutNode, names: _Names) -> list[_Task]:
    kind, label = node.kind, node.label
    if kind == "F":
        return [names.fractions.get(label, f"<{label}>"), *_group(node.over), *_group(node.under)]
    if kind == "R":
        index: list[_Task] = [] if node.pre_above is None else ["<[>", (node.pre_above,), "<]>"]
        return ["<root>", *index, *_group(node.within)]
    if kind == "M":
        tasks: list[_Task] = [names.environments.get(label, f"<matrix{label}>")]
        for number, line in enumerate(node.elements or []):
            if number:
                tasks.append("<newline>")
            for position, cell in enumerate(line):
                if position:
                    tasks.append("<cell>")
                tasks.append((cell,))
        return [*tasks, "<end>"]
    if kind == "G":
        return _group(node.within)
    if kind == "T":
        return [*label.split()]
    if kind == "W":
        return ["<qvar>", label]
    return [_name(leaf_label(label, node.font) if node.font else label)]
