"""MathML to a symbol layout tree: Presentation and Content MathML, LaTeXML's dialect included; total and safe."""

from __future__ import annotations

import re
from collections import Counter

from porism.formula.latex.parser import MAX_DEPTH, MAX_LENGTH, parse_latex
from porism.formula.layout import child_rows, trim
from porism.formula.mathml.chemistry import chemical_name, is_chemical, join_states
from porism.formula.mathml.colours import set_colours
from porism.formula.mathml.content import build_content, is_content_leaf
from porism.formula.mathml.content_tables import CONTENT_ELEMENTS
from porism.formula.mathml.elements import Child, Element, is_operator
from porism.formula.mathml.finishing import finish_stacks
from porism.formula.mathml.latexml import is_garbled, narrow_spaces, nest_scripts, repair_entity, unescaped
from porism.formula.mathml.leaves import error, identifier, number, operator, text_run
from porism.formula.mathml.numbers import SEPARATOR
from porism.formula.mathml.presentation import build
from porism.formula.mathml.tokens import CLOSE, LEAF, OPEN, WORDS, attributes_of, events
from porism.formula.normalisation import normalise
from porism.formula.tables.spaces import written_space
from porism.formula.tree import LayoutTree, ParseProblem, Row
from porism.formula.words import words_row

_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms", "annotation", "ci", "cn", "csymbol", "cerror", "cs"})
_MAX_PROBLEMS = 100
_BLACKBOARD = re.compile(r'data-mjx-variant="-(?:bb|ds)[^"]*"')
"""The variant of MathJax's letters of bboldx, bbm and dsfont."""
_VARIANT = re.compile(r"mathvariant\s*=\s*[\"']([^\"']*)")


def parse_mathml(source: str, *, max_length: int = MAX_LENGTH * 10, max_depth: int = MAX_DEPTH * 2) -> LayoutTree:
    """The layout tree of a ``<math>`` element (or of any MathML fragment).

    Every string gives a tree: elements that are not closed end where they must, unknown ones stand for their content.
    Invisible operators and spacing are not symbols. When there is nothing else, the LaTeX of an ``alttext`` or a TeX
    annotation is read; its nodes have the span of the whole element. What was repaired is in ``problems``.
    """
    reader = _MathmlReader(source[:max_length], max_depth)
    if len(source) > max_length:
        reader.problem(max_length, f"longer than {max_length} characters: the rest was dropped")
    row = reader.read()
    if "linethickness" in source or "&amp;" in source:
        _repair(row, "ltx_" in source)
    if reader.alttext and "ltx_" in source:
        narrow_spaces(row, reader.alttext)
        if "mmultiscripts" in source:
            nest_scripts(row, reader.alttext)
    if reader.chemical:
        join_states(row)
    normalise(row)
    trim(row)
    if not row or (reader.alttext and (reader.broken or is_garbled(row, reader.alttext, reader.ampersands))):
        row = _from_latex(reader, source)
    return LayoutTree(row, source, tuple(reader.problems))


def _repair(top: Row, latexml: bool) -> None:
    """Finishes fractions without a line, and puts entities that were escaped twice (``&amp;lt;``) together again."""
    rows = [top]
    for row in rows:
        for node in row:
            rows.extend(child_rows(node))
    for row in reversed(rows):
        finish_stacks(row)
        if latexml:
            for i in range(len(row) - 3, -1, -1):
                if row[i].label == "&":
                    repair_entity(row, i)


def _from_latex(reader: _MathmlReader, source: str) -> Row:
    """The row of the LaTeX beside an empty body."""
    latex = reader.annotation or reader.alttext
    if not latex:
        return []
    latex = unescaped(latex)
    reader.problem(0, "no readable MathML: its LaTeX was read instead")
    row = parse_latex(latex).row
    stack = [row]
    while stack:
        for node in stack.pop():
            node.start, node.end = 0, len(source)
            stack.extend(child_rows(node))
    return row


def _holds_markup(leaf: Element, name: str) -> bool:
    """Whether a token of Content MathML has presentation markup in it, which then is what it looks like."""
    return is_content_leaf(leaf.name) and name != "sep" and not "".join(leaf.text).strip()


class _MathmlReader:
    """Walks the events of a document with a stack of open elements."""

    def __init__(self, source: str, max_depth: int) -> None:
        self.source = source
        self.max_depth = max_depth
        self.problems: list[ParseProblem] = []
        self.alttext = ""
        self.annotation = ""
        self.broken = False
        """Whether LaTeXML did not know a command, or put mathematics into text, as it does in some displays."""
        self.ampersands = False
        """Whether a token begins with an ampersand."""
        self.chemical = is_chemical(source)
        self.styles = 0
        """How many open elements set a font for what is in them."""
        self.top = Element("mrow", "", 0)
        self.stack = [self.top]
        self.open: Counter[str] = Counter()
        self.overflow = 0

    def problem(self, position: int, message: str) -> None:
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(ParseProblem(position, message))

    def read(self) -> Row:
        leaf: Element | None = None
        leaf_depth = 0
        end = 0
        for kind, name, attributes, text, start, end in events(self.source):
            if leaf is not None and kind in (LEAF, OPEN) and _holds_markup(leaf, name):
                self._enter(leaf)
                leaf = None
            if kind == LEAF:
                if leaf is None:
                    self._leaf(name, attributes, text, start, end)
                else:
                    self.broken = self.broken or leaf.name == "mtext"
                    leaf.text.append(text)
                continue
            if leaf is not None:
                # Whatever is inside a token element is its text.
                if kind == OPEN and name == "sep":
                    leaf.text.append(SEPARATOR)
                self.broken = self.broken or "ltx_ERROR" in attributes
                if kind == OPEN and not text:
                    leaf_depth += 1
                    self.broken = self.broken or name == "math" or (leaf.name == "mtext" and name in _LEAVES)
                elif kind == CLOSE:
                    if name == leaf.name or leaf_depth == 0:
                        self._close_leaf(leaf, end)
                        leaf = None
                        if name not in _LEAVES:
                            self._close(name, end)
                    else:
                        leaf_depth -= 1
                elif kind == WORDS:
                    leaf.text.append(text)
                continue
            if kind == OPEN:
                if name in _LEAVES:
                    if not text:
                        leaf, leaf_depth = Element(name, attributes, start), 0
                    elif name == "mi":
                        self.stack[-1].children.append(Child(name, []))
                else:
                    self._open(name, attributes, bool(text), start, end)
            elif kind == CLOSE:
                self._close(name, end)
            else:
                self._stray_text(text, start, end)
        if leaf is not None:
            self.problem(leaf.start, f"<{leaf.name}> is never closed")
            self._close_leaf(leaf, end)
        while len(self.stack) > 1:
            self.problem(self.stack[-1].start, f"<{self.stack[-1].name}> is never closed")
            self._finish(end)
        built = build(self.top, end, self.top)
        return built.row if built is not None else []

    def _open(self, name: str, attributes: str, empty: bool, start: int, end: int) -> None:
        if name == "math" and not self.alttext and "alttext" in attributes:
            self.alttext = attributes_of(attributes).get("alttext", "")
        if empty:
            element = Element(name, attributes, start)
            self._deliver(element, end)
        elif len(self.stack) >= self.max_depth:
            if not self.overflow:
                self.problem(start, f"nested deeper than {self.max_depth} levels: the rest is read flat")
            self.overflow += 1
        else:
            self._enter(Element(name, attributes, start))

    def _enter(self, element: Element) -> None:
        self.stack.append(element)
        self.open[element.name] += 1
        self.styles += "mathvariant" in element.attributes

    def _close(self, name: str, end: int) -> None:
        if self.overflow:
            self.overflow -= 1
            return
        if not self.open[name]:
            self.problem(end, f"</{name}> without <{name}>")
            return
        while self.stack[-1].name != name:
            self.problem(self.stack[-1].start, f"<{self.stack[-1].name}> is not closed inside <{name}>")
            self._finish(end)
        self._finish(end)

    def _finish(self, end: int) -> None:
        element = self.stack.pop()
        self.open[element.name] -= 1
        self.styles -= "mathvariant" in element.attributes
        self._deliver(element, end)

    def _deliver(self, element: Element, end: int) -> None:
        """Builds the row of a finished element and gives it to its parent."""
        parent = self.stack[-1]
        if element.name in CONTENT_ELEMENTS or (not element.children and parent.name in ("apply", "bind", "reln")):
            parent.children.append(build_content(element, end))
            return
        built = build(element, end, parent)
        if built is not None:
            parent.children.append(built)

    def _close_leaf(self, leaf: Element, end: int) -> None:
        name = leaf.name
        text = "".join(leaf.text)
        if name == "annotation":
            if "tex" in leaf.attributes.lower():
                self.annotation = self.annotation or text
        elif is_content_leaf(name):
            self.stack[-1].children.append(build_content(leaf, end))
        else:
            self._leaf(name, leaf.attributes, text, leaf.start, end)

    def _leaf(self, name: str, attributes: str, text: str, start: int, end: int) -> None:
        """Adds the nodes of a token element."""
        parent = self.stack[-1]
        if attributes and "data-mjx-variant" in attributes:
            attributes = _BLACKBOARD.sub('mathvariant="double-struck"', attributes)
        self.ampersands = self.ampersands or text[:1] == "&"
        variant, run = "", None
        if self.styles or "mathvariant" in attributes:
            around = [element.attributes for element in reversed(self.stack)] if self.styles else []
            match = next(filter(None, map(_VARIANT.search, [attributes, *around])), None)
            variant = match[1] if match is not None else ""
        if parent.name == "merror":
            row = error(text, start, end)
            self.broken = self.broken or "ltx_ERROR" in parent.attributes
        elif name == "mi":
            row = chemical_name(text, start, end) if self.chemical and variant in ("", "normal") else []
            row = row or identifier(text, variant, start, end)
        elif name == "mn":
            row = number(text, variant, start, end)
        elif name == "mo":
            row = operator(text, variant, start, end)
        else:
            run = text_run(text, variant, start, end)
            row = words_row(*run)
        set_colours(row, attributes)
        space = 0 if row or not text else written_space(text)
        has_operator = bool(attributes) and is_operator(attributes)
        parent.children.append(Child(name, row, space=space, is_operator=has_operator, run=run if row else None))

    def _stray_text(self, text: str, start: int, end: int) -> None:
        """Text outside of token elements."""
        parent = self.stack[-1]
        if parent is self.top and not parent.children:
            self.problem(start, "text outside of MathML")
        elif parent.name not in ("qvar", "annotation-xml"):
            self.problem(start, "text outside of a token element")
            run = text_run(text, "", start, end)
            row = words_row(*run)
            parent.children.append(Child("mtext", row, run=run if row else None))
