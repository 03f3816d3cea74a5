"""The blocks of Markdown as units: headings, theorem-like divs and directives, formulas, and running content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from porism.corpus.formula_sources import equations
from porism.corpus.html.content import html_to_content
from porism.corpus.html.reader import theorem_title
from porism.corpus.markdown.inline import InlineReader, markdown_text
from porism.corpus.markdown.masking import Masked
from porism.corpus.markdown.parser import MAX_NESTING, block_tokens
from porism.corpus.markdown.vault import callout, without_block_id, without_comments
from porism.corpus.sections import FileUnits, kind_of
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_DEPTH = 12
"""Directives in directives are read to this depth; deeper ones are text."""

_ATTRIBUTES = re.compile(r"\s*\{([^{}]*)\}\s*$")
_ID = re.compile(r"#([^\s{}#]+)")
_CLASS = re.compile(r"(?:^|\s)\.([\w-]+)")
_NAME = re.compile(r"""\b(?:name|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
_DIRECTIVE = re.compile(r"^\{([\w:.+-]+)[^{}]*\}\s*(.*)$")
_OPTION = re.compile(r"^\s*:([\w-]+):\s*(.*)$")
_TASK = re.compile(r"^\[[ xX]\][ \t]+")
_MARKS = re.compile(r"(?m)^[ \t>*+-]+")
_LABELS = ("label", "name")
_QUARTO = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "prp": "proposition", "cnj": "conjecture",
    "def": "definition", "exm": "example", "exr": "exercise", "rem": "remark", "sol": "solution", "alg": "algorithm",
}  # fmt: skip
_CONTAINERS = frozenset(
    ("note", "tip", "admonition", "important", "warning", "hint", "seealso", "dropdown", "card", "margin", "attention")
)
_DRAWINGS = frozenset(("mermaid", "dot", "tikz"))
_CELLS = frozenset(("th_open", "td_open"))


class MarkdownBlocks:
    """Reads Markdown into units.

    :param name: of the file, in what is reported.
    :param depth: how many directives the text is in.
    """

    def __init__(self, units: FileUnits, name: str, on_problem: OnProblem, depth: int = 0) -> None:
        self.units, self._name, self._on_problem, self._depth = units, name, on_problem, depth
        self._divs: list[bool] = []  # of each open div: whether it is a unit
        self._bullet = False  # an item of a list has begun
        self._target: str | None = None

    def read(self, text: str, first_line: int = 1) -> None:
        """Reads a text whose first line has this number in the file."""
        environment: dict[str, Any] = {}
        self._masked = masked = Masked(
            text, where=self._name, first_line=first_line, on_problem=self._on_problem
        )
        masked.text = without_comments(masked.text)
        self._inline = InlineReader(masked, environment, self._name, self._on_problem)
        try:
            tokens = block_tokens(masked.text, environment)
        except RecursionError:
            self._report(first_line, "blocks are nested too deeply to be read; the text stays as it is")
            self.units.add(*masked.parts(masked.text))
            return
        opener: Token | None = None
        for position, token in enumerate(tokens):
            if token.nesting == 1:
                self._open(token, empty=tokens[position + 1].nesting == -1)
                if token.type == "blockquote_open":
                    self._quote(tokens[position + 1 : position + 3])
                opener = token
            elif token.type == "blockquote_close":
                if self._divs and self._divs.pop():
                    self.units.end()
            elif token.type == "inline":
                self._text(token, opener)
            elif token.nesting == 0:
                self._leaf(token)
        while self._divs:
            if self._divs.pop():
                self.units.end()

    def _open(self, token: Token, empty: bool) -> None:
        """The beginning of a block that holds others."""
        if token.type == "list_item_open":
            self._bullet = True
        elif token.type in ("table_open", "tr_open"):
            self.units.add("\n")
        if empty and token.level >= MAX_NESTING - 3 and token.map:  # the parser goes no deeper
            lines = self._masked.text.split("\n")[token.map[0] : token.map[1]]
            self.units.add("\n", *self._masked.parts(_MARKS.sub("", "\n".join(lines))))

    def _quote(self, following: list[Token]) -> None:
        """The beginning of a quote; as a callout (``> [!theorem] Title``) it may be a unit."""
        kind: str | None = None
        first = following[-1] if following and following[0].type == "paragraph_open" else None
        found = callout(first.content) if first is not None and first.type == "inline" else None
        if found is not None and first is not None:
            line = self._line(first)
            kind = kind_of(found.kind)
            title = self._inline.content(without_block_id(found.title), line) if found.title else None
            if kind is not None:
                title = theorem_title(title) if title and title.text.lower().startswith(kind) else title
                self.units.begin(kind, title or None, line, self._taken())
            elif title:
                self.units.add("\n\n", *title.parts, "\n\n")
            first.content = found.rest
        self._divs.append(kind is not None)

    def _leaf(self, token: Token) -> None:
        """A block that holds no others."""
        kind = token.type
        if kind == "fence":
            self._fence(token)
        elif kind == "code_block":
            self.units.add("\n\n", *self._masked.parts(token.content), "\n\n")
        elif kind == "html_block":
            where = f"{self._name}:{self._line(token)}"
            content = html_to_content(self._masked.raw(token.content), where=where, on_problem=self._on_problem)
            self.units.add("\n\n", *content.parts, "\n\n")
        elif kind == "div":
            self._div(token)
        elif kind == "myst_target":
            self._target = self._masked.raw(token.content)

    def _text(self, token: Token, opener: Token | None) -> None:
        """Running text, in a paragraph, a heading, or a cell of a table."""
        kind = opener.type if opener is not None else ""
        line = self._line(token)
        if opener is not None and kind == "heading_open":
            self._heading(int(opener.tag[1:]), token.content, line)
            return
        text = without_block_id(token.content)
        if kind in _CELLS:
            before = "  "
        else:
            before = "\n" if opener is not None and (opener.hidden or kind == "dt_open") else "\n\n"
            if self._bullet:
                before, text = before + "- ", _TASK.sub("", text)
                self._bullet = False
        self.units.add(before, *self._inline.parts(text, line))
        for label in self._inline.labels:
            self.units.label(label)
        self._inline.labels.clear()
        self.units.tags += self._inline.tags
        self._inline.tags.clear()

    def _line(self, token: Token) -> int:
        return self._masked.line(token.map[0] if token.map else 0)

    def _heading(self, level: int, text: str, line: int) -> None:
        anchor = None
        found = _ATTRIBUTES.search(text)
        if found and (found.group(1)[:1] in "#.-" or "=" in found.group(1)):
            identifier = _ID.search(found.group(1))
            anchor = identifier.group(1) if identifier else None
            text = text[: found.start()]
        title = self._inline.content(without_block_id(text.strip()), line)
        self._inline.tags.clear()
        if self._divs and self._divs[-1]:
            if not self.units.retitle(title):  # a heading inside a theorem is part of it
                self.units.add("\n\n", *title.parts, "\n\n")
            return
        self._divs = [False] * len(self._divs)
        self.units.heading(level, title, line, anchor)
        if self._target:
            self.units.label(self._target)
            self._target = None

    def _div(self, token: Token) -> None:
        """``::: {#thm-x name="…"}``, ``::: {.theorem}``, ``:::{prf:theorem} Title``, ``::: theorem``, or the end."""
        info = token.info.rstrip(":").rstrip()
        if not info:
            if self._divs and self._divs.pop():
                self.units.end()
            return
        options = token.meta["options"]
        kind, title, label = self._block_head(info, self._line(token))
        self._divs.append(kind is not None)
        label = label or next((options[name] for name in _LABELS if options.get(name)), None) or self._taken()
        if kind is not None:
            self.units.begin(kind, title, self._line(token), label)

    def _taken(self) -> str | None:
        target, self._target = self._target, None
        return target

    def _block_head(self, info: str, line: int) -> tuple[str | None, Content | None, str | None]:
        """The type, title and label that the head of a block gives; the type is None where it is no unit."""
        inside = self._masked.raw(info[1:].partition("}")[0]) if info.startswith("{") else ""
        after = info.partition("}")[2].strip() if inside else ""
        identifier = _ID.search(inside)
        label = identifier.group(1) if identifier else None
        names = _CLASS.findall(inside)
        if label:
            names.append(_QUARTO.get(label.partition("-")[0], "") if "-" in label else "")
        words = inside.split()
        if words and words[0][0] not in "#.":
            names.append(words[0].rpartition(":")[2])
        if not inside:
            names.append(info.split()[0])
            after = info.partition(" ")[2]
        kind = next((found for entry in names if (found := kind_of(entry))), None)
        if kind is None:
            return None, None, label
        named = _NAME.search(inside)
        if named:
            text = next((group for group in named.groups() if group), "")
            return kind, markdown_text(text, f"{self._name}:{line}") if text else None, label
        return kind, self._inline.content(after, line) if after else None, label

    def _fence(self, token: Token) -> None:
        """A fenced block: a formula, a MyST directive, or code, which stays text."""
        line = self._line(token)
        info, content = token.info.strip(), self._masked.raw(token.content)
        if token.map and token.map[1] - token.map[0] < len(token.content.splitlines()) + 2:
            self._report(line, "a fenced block that is never closed")
        directive = _DIRECTIVE.match(info)
        word = info.split()[0].lower() if info else ""
        kind = kind_of(directive.group(1).rpartition(":")[2]) if directive else None
        if word == "math" or (directive and directive.group(1) == "math"):
            self._formula(f"{directive.group(2)}\n{content}" if directive else content)
        elif directive and (kind or directive.group(1) in _CONTAINERS) and self._depth < MAX_DEPTH:
            argument = self._masked.raw(directive.group(2))
            title = markdown_text(argument, f"{self._name}:{line}", self._on_problem) if argument else None
            self._nested(kind, title, content, line)
        elif not info.startswith("{=") and word not in _DRAWINGS:
            self.units.add("\n\n", content, "\n\n")
        self._bullet = False

    def _formula(self, content: str) -> None:
        options, source, _ = _options(content.strip("\n"))
        for name in _LABELS:
            if options.get(name):
                self.units.label(options[name])
        for equation in equations(self._masked.raw(source)):
            self.units.add(" ", Formula(equation, display=True), " ")

    def _nested(self, kind: str | None, title: Content | None, content: str, line: int) -> None:
        """The content of a directive in backticks."""
        options, body, taken = _options(content)
        if kind:
            label = next((options[name] for name in _LABELS if options.get(name)), None) or self._taken()
            self.units.begin(kind, title, line, label)
        elif title:
            self.units.add("\n\n", *title.parts)
        MarkdownBlocks(self.units, self._name, self._on_problem, self._depth + 1).read(body, line + 1 + taken)
        if kind:
            self.units.end()

    def _report(self, line: int, what: str) -> None:
        self._on_problem(Problem(f"{self._name}:{line}", what))


def _options(content: str) -> tuple[dict[str, str], str, int]:
    """The options at the top of a directive's content (``:label: x``), what is left, and how many lines they take."""
    options: dict[str, str] = {}
    lines = content.split("\n")
    taken = 0
    while taken < len(lines) and (found := _OPTION.match(lines[taken])):
        options[found.group(1)] = found.group(2).strip()
        taken += 1
    return options, "\n".join(lines[taken:]), taken
