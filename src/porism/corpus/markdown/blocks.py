"""The blocks of Markdown as units: headings, theorem-like divs and directives, formulas, and running content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from porism.corpus.formula_sources import equations
from porism.corpus.html.content import html_to_content
from porism.corpus.lines import marked_lines
from porism.corpus.markdown.fences import LABELS, Fence, read_fence
from porism.corpus.markdown.heads import attributes_after, block_head, without_attributes
from porism.corpus.markdown.html_blocks import HtmlElements, HtmlPart
from porism.corpus.markdown.inline import InlineReader, markdown_text, with_quotation_marks
from porism.corpus.markdown.masking import Masked
from porism.corpus.markdown.parser import MAX_NESTING, block_tokens
from porism.corpus.markdown.raw_latex import latex_parts, with_ends_on_lines
from porism.corpus.markdown.vault import callout, without_block_id, without_comments
from porism.corpus.notebooks.python_code import comments_and_docstrings, is_python
from porism.corpus.rst.reader import read_rst
from porism.corpus.sections import FileUnits, kind_of, own_title, titled_kind
from porism.corpus.theorem_heads import ParagraphUnits
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_DEPTH = 12
"""Directives in directives are read to this depth; deeper ones are text."""

_TASK = re.compile(r"^\[[ xX]\][ \t]+")
_CAPTION = re.compile(r"\A:[ \t]+")
"""Before Pandoc's caption of a table."""
_MARKS = re.compile(r"(?m)^[ \t>*+-]+")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_NO_PARAGRAPHS = frozenset((
    "bullet_list_open", "ordered_list_open", "dl_open", "table_open", "fence", "code_block", "html_block", "latex",
))
_CELLS = frozenset(("th_open", "td_open"))
_RAW_HTML = re.compile(r"\s*<(?:!--|pre\b|script\b|style\b|code\b)", re.IGNORECASE)


class MarkdownBlocks:
    """Reads Markdown into units.

    :param name: of the file, in what is reported.
    :param depth: how many directives the text is in.
    :param heads: whether paragraphs that begin with a bold *Theorem 2.3* are theorem-like blocks.
    """

    def __init__(
        self, units: FileUnits, name: str, on_problem: OnProblem, depth: int = 0, *, heads: bool = False
    ) -> None:
        self._paragraphs = ParagraphUnits(units) if heads else None
        self.units, self._name, self._on_problem, self._depth = units, name, on_problem, depth
        self._divs: list[bool] = []  # of each open div: whether it is a unit
        self._environments: list[tuple[str, int]] = []  # of LaTeX: name, and how many divs are open in it
        self._elements = HtmlElements()
        self._html_units: list[int] = []  # of elements of HTML that are units: how many divs are open around each
        self._bullet = False  # an item of a list has begun
        self._target: str | None = None

    def read(self, text: str, first_line: int = 1) -> None:
        """Reads a text whose first line has this number in the file."""
        environment: dict[str, Any] = {}
        self._masked = masked = Masked(with_quotation_marks(text), first_line=first_line)
        masked.text = with_ends_on_lines(without_comments(masked.text))
        self._inline = InlineReader(masked, environment, self._name, self._on_problem)
        try:
            tokens = block_tokens(masked.text, environment)
        except RecursionError:
            self._report(first_line, "blocks are nested too deeply to be read; the text stays as it is")
            self.units.add(*masked.parts(masked.text))
            return
        masked.report_unbalanced(self._name, self._on_problem, _lines_of_code(tokens))
        opener: Token | None = None
        for position, token in enumerate(tokens):
            if token.level == 0 and token.type in _NO_PARAGRAPHS and self._paragraphs is not None:
                self._paragraphs.other()
            if token.nesting == 1:
                self._open(token, empty=tokens[position + 1].nesting == -1)
                if token.type == "blockquote_open":
                    self._quote(tokens[position + 1 : position + 3])
                elif token.type == "admonition_open":
                    self._admonition(token, tokens[position + 1 : position + 3])
                opener = token
            elif token.type in ("blockquote_close", "admonition_close"):
                self._end_block()
            elif token.type == "inline":
                self._text(token, opener)
            elif token.nesting == 0:
                self._leaf(token)
        if self._environments:
            self._report(masked.line(masked.text.count("\n")), f"\\begin{{{self._environments[-1][0]}}} is never ended")
        while self._divs:
            self._end_block()
        if self._paragraphs is not None:
            self._paragraphs.end_block()

    def _end_block(self) -> None:
        """The end of the innermost div, quote or admonition."""
        if self._divs and self._divs.pop():
            self.units.end()

    def _open(self, token: Token, empty: bool) -> None:
        """The beginning of a block that holds others."""
        if token.type == "list_item_open":
            self._bullet = True
        elif token.type in ("table_open", "tr_open"):
            self.units.add("\n")
            self.units.at(self._line(token))
        if empty and token.level >= MAX_NESTING - 3 and token.map:  # the parser goes no deeper
            lines = self._masked.text.split("\n")[token.map[0] : token.map[1]]
            self.units.add("\n")
            self.units.at(self._line(token))
            self.units.add(*self._masked.parts(_MARKS.sub("", "\n".join(lines))))

    def _quote(self, following: list[Token]) -> None:
        """The beginning of a quote; as a callout (``> [!theorem] Title``) it may be a unit."""
        first = following[-1] if following and following[0].type == "paragraph_open" else None
        head = callout(first.content) if first is not None and first.type == "inline" else None
        if head is None or first is None:
            self._divs.append(False)
            return
        line = self._line(first)
        title = self._inline.content(without_block_id(head.title), line) if head.title else None
        first.content = head.rest
        if first.map:
            first.map[0] += 1
        self._begin(kind_of(head.kind), title, head.label, line)

    def _admonition(self, token: Token, following: list[Token]) -> None:
        """The beginning of an admonition of Python-Markdown (``!!! theorem "Title"``), whose content is indented."""
        line, title = self._line(token), None
        if following and following[0].type == "admonition_title_open":
            if '"' in token.info:
                title = self._inline.content(following[-1].content, line)
            following[-1].content = ""
        self._begin(kind_of(str(token.meta["tag"]).split()[0]), title, None, line)

    def _begin(self, kind: str | None, title: Content | None, label: str | None, line: int) -> None:
        """The beginning of a block that ends with a token of its own; its title may say its kind."""
        kind = kind or titled_kind(title)
        if self._paragraphs is not None:
            self._paragraphs.end_block()
        self._divs.append(kind is not None)
        label = label or self._taken()
        if kind is not None:
            self.units.begin(kind, own_title(title), line, label)
        elif title:
            self.units.add("\n\n")
            self.units.at(line)
            self.units.add(*title.parts)

    def _leaf(self, token: Token) -> None:
        """A block that holds no others."""
        kind = token.type
        if kind == "fence":
            self._fence(token)
        elif kind == "code_block" and (formulas := self._indented_formulas(token)):
            self.units.at(self._line(token))
            self.units.add(" ", *formulas, " ")
        elif kind == "code_block":
            self.units.add("\n\n", *marked_lines(self._masked.raw(token.content), self._line(token)), "\n\n")
        elif kind == "html_block":
            for part in self._elements.parts(self._masked.raw(token.content)):
                self._html(part, self._line(token) + part.line)
        elif kind == "div":
            self._div(token)
        elif kind in ("latex_begin", "latex_end"):
            self._environment(token)
        elif kind == "latex":
            if parts := latex_parts(self._masked.raw(token.content), self._inline.labels):
                self.units.add("\n\n")
                self.units.at(self._line(token))
                self.units.add(*parts, "\n\n")
            self._add_labels()
        elif kind == "myst_target":
            self._target = self._masked.raw(token.content)
            return
        if kind != "hr" and (target := self._taken()):  # the label of a figure, a formula and the like
            self.units.label(target)

    def _indented_formulas(self, token: Token) -> list[str | Formula] | None:
        """The displayed formulas that an indented block is, where they are clearly meant as such; else None."""
        in_list, on_lines = token.level > 0, "\n" in self._masked.raw(token.content).strip()
        return self._masked.displays(token.content) if in_list or on_lines else None

    def _text(self, token: Token, opener: Token | None) -> None:
        """Running text, in a paragraph, a heading, or a cell of a table."""
        kind = opener.type if opener is not None else ""
        line = self._line(token)
        if opener is not None and kind == "heading_open":
            self._heading(int(opener.tag[1:]), token.content, line)
            return
        if not token.content:  # the title of a block, which was read before
            return
        text = without_block_id(token.content)
        if self._paragraphs is not None and kind == "paragraph_open" and not (token.level > 1 or any(self._divs)):
            marked = _BOLD.match(text)
            self._paragraphs.add(self._inline.content(text, line), marked[1] if marked else "", line=line)
            self._after_text()
            return
        if target := self._taken():
            self.units.label(target)
        text = self._without_identifier(_CAPTION.sub("", text))
        if kind in _CELLS:
            before = "  "
        else:
            before = "\n" if opener is not None and (opener.hidden or kind == "dt_open") else "\n\n"
            if self._bullet:
                before, text = before + "- ", _TASK.sub("", text)
                self._bullet = False
        self.units.add(before)
        if token.map:
            self.units.at(line)
        self.units.add(*self._inline.parts(text, line))
        self._after_text()

    def _after_text(self) -> None:
        if target := self._taken():
            self.units.label(target)
        self._add_labels()
        self.units.tags += self._inline.tags
        self._inline.tags.clear()
        self.units.unit.links += self._inline.links
        self._inline.links.clear()

    def _without_identifier(self, text: str) -> str:
        """A paragraph, such as a caption, without the attributes at its end, whose identifier is a label."""
        start = text.rfind("{#")
        rest, label = attributes_after(text[start:]) if start >= 0 else (text, None)
        if label is None or rest.strip():
            return text
        self.units.label(label)
        return text[:start].rstrip()

    def _add_labels(self) -> None:
        for label in self._inline.labels:
            self.units.label(label)
        self._inline.labels.clear()

    def _line(self, token: Token) -> int:
        return self._masked.line(token.map[0] if token.map else 0)

    def _heading(self, level: int, text: str, line: int) -> None:
        text, anchor = without_attributes(without_block_id(text.strip()))
        title = self._inline.content(text, line)
        self._inline.tags.clear()
        if self._paragraphs is not None:
            self._paragraphs.end_block()
        if self._divs and self._divs[-1]:
            if not self.units.retitle(own_title(title)):  # a heading inside a theorem is part of it
                self.units.add("\n\n", *title.parts, "\n\n")
            return
        self._divs = [False] * len(self._divs)
        self.units.heading(level, title, line, anchor)
        if self._target:
            self.units.label(self._target)
            self._target = None

    def _div(self, token: Token) -> None:
        """``::: {#thm-x name="…"}``, ``::: {.theorem}``, ``:::{prf:theorem} Title``, ``::: theorem``, or the end."""
        info = self._masked.raw(token.info.rstrip(":").rstrip())
        if not info:
            self._end_block()
            return
        options, line = token.meta["options"], self._line(token)
        head = block_head(info)
        title = self._markdown(head.title, line)
        label = head.label or next((options[name] for name in LABELS if options.get(name)), None)
        self._begin(head.kind, title, label, line)

    def _html(self, part: HtmlPart, line: int) -> None:
        """The beginning or the end of a unit, or what is between such tags."""
        if part.kind is not None:
            self._html_units.append(len(self._divs))
            self._begin(part.kind, self._html_content(part.title, line) or None, part.label, line)
        elif part.ends:
            depth = self._html_units.pop()
            while len(self._divs) > depth:
                self._end_block()
        elif content := self._html_content(part.text, line):
            self.units.add("\n\n")
            self.units.at(line + len(part.text[: -len(part.text.lstrip()) or None].split("\n")) - 1)
            self.units.add(*content.parts, "\n\n")

    def _html_content(self, html: str, line: int) -> Content:
        return html_to_content(html, where=f"{self._name}:{line}", on_problem=self._on_problem)

    def _environment(self, token: Token) -> None:
        """The beginning or end of a theorem-like environment or a proof of LaTeX."""
        name, line = str(token.meta["name"]), self._line(token)
        if token.type == "latex_begin":
            title = self._inline.content(token.meta["title"], line) if token.meta["title"] else None
            self._begin(token.meta["kind"], title, None, line)
            self._environments.append((name, len(self._divs)))
        elif any(name == begun for begun, _ in self._environments):
            begun = ""
            while begun != name:
                begun, depth = self._environments.pop()
            while len(self._divs) >= depth:
                self._end_block()
        else:
            self._report(line, f"\\end{{{name}}} without its \\begin")

    def _markdown(self, text: str, line: int) -> Content | None:
        return markdown_text(text, f"{self._name}:{line}", self._on_problem) if text else None

    def _taken(self) -> str | None:
        target, self._target = self._target, None
        return target

    def _fence(self, token: Token) -> None:
        """A fenced block: a formula, a directive, a cell of code, or code, which stays text."""
        line = self._line(token)
        if token.map and token.map[1] - token.map[0] < len(token.content.splitlines()) + 2:
            self._report(line, "a fenced block that is never closed")
        fence = read_fence(self._masked.raw(token.info.strip()), self._masked.raw(token.content))
        if fence.meaning == "formula":
            for label in fence.labels:
                self.units.label(label)
            self.units.at(line + 1)
            for equation in equations(fence.body):
                self.units.add(" ", Formula(equation, display=True), " ")
        elif fence.meaning == "block" and self._depth < MAX_DEPTH:
            self._nested(fence, line)
        elif fence.meaning == "rst":
            read_rst(fence.body, self.units, self._name, self._on_problem, line + 1)
        elif fence.meaning == "cell":
            words = comments_and_docstrings(fence.body) if is_python(fence.language) else []
            if words is None:
                self._report(line, "is not Python as it should be; its comments are left out")
            self.units.add("\n\n")
            self.units.at(line + 1)
            self.units.add("\n".join(words or ()), "\n\n")
        elif fence.meaning != "nothing":
            self.units.add("\n\n", *marked_lines(fence.body, line + 1 + fence.skipped), "\n\n")
        self._bullet = False

    def _nested(self, fence: Fence, line: int) -> None:
        """A directive in backticks, whose content is Markdown."""
        title = self._markdown(fence.title, line)
        self._begin(fence.kind, title, next(iter(fence.labels), None), line)
        inner = MarkdownBlocks(self.units, self._name, self._on_problem, self._depth + 1)
        inner.read(fence.body, line + 1 + fence.skipped)
        self._end_block()

    def _report(self, line: int, problem: str) -> None:
        self._on_problem(Problem(f"{self._name}:{line}", problem))


def _lines_of_code(tokens: list[Token]) -> list[tuple[int, int]]:
    """The lines, from 0, of what holds no formulas in dollars: first and behind the last of each stretch."""
    return [
        (token.map[0], token.map[1]) for token in tokens
        if token.map and (
            token.type in ("code_block", "fence")
            or (token.type == "html_block" and _RAW_HTML.match(token.content))
        )
    ]  # fmt: skip
