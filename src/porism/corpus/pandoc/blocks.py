"""Pandoc's tree as units: headings, divs, paragraphs with theorem-like heads, lists, tables, and running content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from porism.corpus.base import clean
from porism.corpus.formula_sources import aligned, one_line, without_labels
from porism.corpus.html.content import ContentBuilder, html_to_content
from porism.corpus.markdown.raw_latex import latex_parts
from porism.corpus.pandoc.preparing import Prepared
from porism.corpus.sections import kind_of, own_title, titled_kind
from porism.corpus.theorem_heads import ParagraphUnits
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Content, Formula

Node = dict[str, Any]
"""A block or a part of running text: its kind ``t`` and its contents ``c``."""

MAX_DEPTH = 60
"""Blocks and marks nested deeper are read as plain text."""

_MARKED = frozenset(("Strong", "Emph", "SmallCaps", "Underline"))
_GROUPS = frozenset((*_MARKED, "Strikeout", "Superscript", "Subscript"))
_TEXTS = frozenset(("Para", "Plain"))
_QUOTES = {"SingleQuote": ("‘", "’"), "DoubleQuote": ("“", "”")}
_LATEX = frozenset(("latex", "tex"))
_HTML = frozenset(("html", "html4", "html5", "textile"))
_LAST_SPACES = re.compile(r"(?<!\\)(?:\\\s+)+\Z")
"""Spaces with a backslash at the end of a formula, of which one without the space would stay."""
_TAG = re.compile(r"\s*</?[A-Za-z][^<>]*>\s*\Z")
_TITLES = frozenset(("title", "block-title"))


class PandocBlocks:
    """Reads a tree into units.

    :param prepared: puts formulas back that were taken out before pandoc read the document.
    """

    def __init__(self, paragraphs: ParagraphUnits, prepared: Prepared, name: str, on_problem: OnProblem) -> None:
        self._paragraphs, self._units = paragraphs, paragraphs.units
        self._prepared, self._name, self._on_problem = prepared, name, on_problem
        self._labels: list[str] = []
        self._notes: list[Sequence[Node]] = []
        self._depth = 0

    def read(self, blocks: Sequence[Node]) -> None:
        """Takes in the blocks of a document, or of a part of it."""
        for block in blocks:
            self._block(block)

    def content(self, inlines: Sequence[Node]) -> Content:
        """Running text; the notes in it are left out."""
        before, self._notes = self._notes, []
        builder = self._builder()
        self._inlines(inlines, builder)
        self._notes = before
        return builder.take()

    def _builder(self) -> ContentBuilder:
        return ContentBuilder(delimiters=not self._prepared.is_masked)

    def _block(self, block: Node) -> None:
        """A block of the document, or of a div or a quotation in it."""
        kind: str = block["t"]
        content: Any = block.get("c")
        if self._depth >= MAX_DEPTH:
            self._plain(block)
            return
        self._depth += 1
        if kind in _TEXTS:
            self._paragraph(content)
        elif kind == "Header":
            level, (anchor, _, _), inlines = content
            if title := self.content(inlines):
                self._paragraphs.heading(level, title, anchor or None)
        elif kind == "Div":
            self._div(*content)
        elif kind == "BlockQuote":
            self.read(content)
        elif kind == "HorizontalRule":
            self._paragraphs.end_block()
        else:
            self._paragraphs.other(emphasised=self._is_emphasised(_first_text(block)))
            self._inner(block, "\n\n")
        self._depth -= 1

    def _paragraph(self, inlines: Sequence[Node]) -> None:
        first = len(self._notes)
        builder = self._builder()
        self._inlines(inlines, builder)
        content = builder.take()
        if content:
            marked = list(_marked_beginning(inlines))
            self._paragraphs.add(
                content, self.content(marked).text if marked else "", emphasised=self._is_emphasised(inlines)
            )
        self._after_text(first, builder)

    def _after_text(self, first: int, builder: ContentBuilder) -> None:
        """What belongs to a paragraph and follows it: problems, labels and notes."""
        for problem in builder.problems():
            self._on_problem(Problem(self._name, problem))
        for label in self._labels:
            self._units.label(label)
        self._labels.clear()
        notes, self._notes = self._notes[first:], self._notes[:first]
        for note in notes:
            self._inners(note, "\n\n")

    def _div(self, attributes: Any, blocks: Sequence[Node]) -> None:
        identifier, classes, values = attributes
        style = next((value for key, value in values if key == "custom-style"), "")
        title = None
        if blocks and blocks[0]["t"] == "Div" and not _TITLES.isdisjoint(blocks[0]["c"][0][1]):
            title, blocks = self._title(blocks[0]["c"][1]), blocks[1:]
        names = (*classes, *style.split(maxsplit=1)[:1])
        kind = titled_kind(title) or next((kind for name in names if (kind := kind_of(name))), None)
        if kind is None:
            if title:
                self._paragraphs.add(title)
            self.read(blocks)
            return
        self._paragraphs.begin(kind, own_title(title), identifier or None)
        self.read(blocks)
        self._paragraphs.end()

    def _title(self, blocks: Iterable[Node]) -> Content | None:
        """The first paragraph of blocks."""
        return next((self.content(block["c"]) for block in blocks if block["t"] in _TEXTS), None)

    def _inners(self, blocks: Iterable[Node], before: str) -> None:
        """Blocks inside an item, a cell or a note; ``before`` stands before the first."""
        for block in blocks:
            self._inner(block, before)
            before = "\n"

    def _inner(self, block: Node, before: str) -> None:
        """A block in which no theorem-like blocks are looked for."""
        kind: str = block["t"]
        content: Any = block.get("c")
        if self._depth >= MAX_DEPTH:
            self._plain(block)
            return
        self._depth += 1
        if kind in _TEXTS:
            first = len(self._notes)
            builder = self._builder()
            self._inlines(content, builder)
            self._units.add(before, *builder.take().parts)
            self._after_text(first, builder)
        elif kind in ("BulletList", "OrderedList"):
            for item in content if kind == "BulletList" else content[1]:
                self._inners(item, "\n- ")
        elif kind == "DefinitionList":
            for term, definitions in content:
                self._units.add(before, *self.content(term).parts)
                for definition in definitions:
                    self._inners(definition, "\n")
        elif kind == "LineBlock":
            for line in content:
                self._units.add("\n", *self.content(line).parts)
        elif kind == "Table":
            self._table(*content)
        elif kind == "Figure":
            _, (_, caption), blocks = content
            self._inners([*blocks, *caption], before)
        elif kind == "CodeBlock":
            self._units.add("\n\n", clean(self._prepared.raw(content[1])), "\n\n")
        elif kind == "RawBlock":
            self._units.add(before, *self._raw(*content))
        elif kind == "Header":
            self._units.add(before, *self.content(content[2]).parts)
        elif kind in ("Div", "BlockQuote"):
            self._inners(content[1] if kind == "Div" else content, before)
        self._depth -= 1

    def _table(self, attributes: Any, caption: Any, columns: Any, head: Any, bodies: Any, foot: Any) -> None:
        rows = [*head[1], *(row for body in bodies for rows in body[2:] for row in rows), *foot[1]]
        self._inners(caption[1], "\n\n")
        for _, cells in rows:
            self._units.add("\n")
            for *_, blocks in cells:
                self._inners(blocks, "  ")

    def _inlines(self, inlines: Sequence[Node], builder: ContentBuilder) -> None:
        """Puts running text into a builder."""
        if self._depth >= MAX_DEPTH:
            _put(builder, [self._flat(inlines)])
            return
        self._depth += 1
        for inline in inlines:
            kind: str = inline["t"]
            content: Any = inline.get("c")
            if kind == "Str":
                _put(builder, self._prepared.parts(content))
            elif kind in ("Space", "SoftBreak"):
                builder.pieces.append(" ")
            elif kind == "LineBreak":
                builder.pieces.append("\n")
            elif kind == "Math":
                self._math(content[0]["t"] == "DisplayMath", content[1], builder)
            elif kind in _GROUPS:
                self._inlines(content, builder)
            elif kind in ("Link", "Image", "Span", "Cite"):
                self._inlines(content[1], builder)
            elif kind == "Quoted":
                left, right = _QUOTES[content[0]["t"]]
                builder.pieces.append(left)
                self._inlines(content[1], builder)
                builder.pieces.append(right)
            elif kind == "Code":
                builder.objects.append(clean(self._prepared.raw(content[1])))
                builder.pieces.append(PLACEHOLDER)
            elif kind == "RawInline":
                _put(builder, self._raw(*content))
            elif kind == "Note":
                self._notes.append(content)
        self._depth -= 1

    def _math(self, display: bool, latex: str, builder: ContentBuilder) -> None:
        latex, labels = without_labels(one_line(_LAST_SPACES.sub("", clean(self._prepared.raw(latex)))))
        self._labels += labels
        if latex:
            builder.objects.append(Formula(aligned(latex) if display else latex, display=display))
            builder.pieces.append(PLACEHOLDER)

    def _raw(self, format: str, text: str) -> list[str | Formula]:
        """What a piece in another format prints."""
        text = clean(self._prepared.raw(text))
        if format in _LATEX:
            return latex_parts(text, self._labels)
        if format in _HTML and not _TAG.match(text):
            return list(html_to_content(text).parts)
        return []

    def _plain(self, block: Node) -> None:
        """A block that is nested too deeply, as its words."""
        self._on_problem(Problem(self._name, f"blocks nested more than {MAX_DEPTH} deep are read as plain text"))
        self._units.add("\n\n", self._flat(block))

    def _is_emphasised(self, inlines: Sequence[Node]) -> bool:
        """Whether most of running text is in italics."""
        words = [inline for inline in inlines if inline["t"] not in ("Math", "Strong", "Note")]
        italics = [inline for inline in words if inline["t"] == "Emph"]
        return bool(italics) and 2 * len(self._flat(italics)) >= len(self._flat(words))

    def _flat(self, node: Any) -> str:
        """The words in a part of the tree."""
        pieces: list[str] = []
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node))
            elif isinstance(node, dict):
                kind = node.get("t")
                content: Any = node.get("c")
                if kind in ("Str", "Code", "CodeBlock", "Math"):
                    pieces.append(clean(self._prepared.raw(content if isinstance(content, str) else content[-1])))
                elif content is None:
                    pieces.append(" ")
                else:
                    waiting.append(content)
        return "".join(pieces)


def _put(builder: ContentBuilder, parts: Iterable[str | Formula]) -> None:
    """Adds text, and formulas of their own, to a builder."""
    for part in parts:
        if isinstance(part, Formula):
            builder.objects.append(part)
            builder.pieces.append(PLACEHOLDER)
        else:
            builder.pieces.append(clean(part))


def _marked_beginning(inlines: Sequence[Node]) -> Iterable[Node]:
    """The parts that running text begins with and that are bold, in italics or the like."""
    for inline in inlines:
        if inline["t"] == "Span" and inline["c"][1]:
            inner = list(_marked_beginning(inline["c"][1]))
            yield from inner
            if len(inner) < len(inline["c"][1]):
                return
        elif inline["t"] in _MARKED or inline["t"] in ("Space", "SoftBreak", "Span"):
            yield inline
        else:
            return


def _first_text(block: Node) -> Sequence[Node]:
    """The running text that a list begins with; empty for other blocks."""
    items: Any = []
    if block["t"] in ("BulletList", "OrderedList"):
        items = block["c"] if block["t"] == "BulletList" else block["c"][1]
    first = items[0][0] if items and items[0] else None
    inlines: Sequence[Node] = first["c"] if first is not None and first["t"] in _TEXTS else ()
    return inlines
