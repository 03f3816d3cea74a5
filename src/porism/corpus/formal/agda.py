"""Agda, also literate: declarations are types of names, and blocks are known by their indentation."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from porism.corpus.formal.binders import Variables, read_binders
from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.formal.reader import FormalReader, module_of
from porism.corpus.formal.source import DocComment, SourceText, blanks, with_text_before
from porism.corpus.lean.docstrings import docstring_content
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.errors import OnProblem
from porism.types import Content

_BLOCKS = (
    "private", "abstract", "mutual", "instance", "opaque", "interleaved", "postulate", "primitive", "macro", "variable",
    "field", "unquoteDecl", "constructor",
)  # fmt: skip
"""What begins a block of declarations."""
_SILENT = frozenset(("variable", "field", "constructor", "unquoteDecl"))
"""Blocks whose declarations belong to what is around them."""
_NO_DECLARATIONS = frozenset("open import infix infixl infixr pattern syntax unquoteDef using hiding renaming".split())

_NAMES = re.compile(r"(?:(?:\.{0,2}(?:\{\{|⦃)?)[^\s(){};@\"⦃⦄]+(?:\}\}|⦄)?[ \t]+)+:(?=\s)")
_EQUATION = re.compile(r"(?P<name>[^\s(){};@\"=:]+)\s+=(?=\s)")
_HEAD = re.compile(r"(?P<kind>data|record|codata)\s+(?P<name>[^\s(){};]+)")
_MODULE = re.compile(r"module\s+(?P<name>[^\s(){};]+)?")
_WHERE = re.compile(r"(?<!\S)where(?!\S)")
_LINE = re.compile(r"\n(?P<indent>[ \t]*)(?=\S)")
_EDGE = re.compile(r"\{-|-\}")
_STRING = re.compile(r'(?:[^"\\\n]|\\.)*+"')
_RULE = re.compile(r"(?m)^[ \t]*-{4,}[ \t]*$\n?")
_TOP = re.compile(r"(?m)^[ \t]*module[ \t]+(?:--[^\n]*\n\s*)?([^\s(){};]+)")
_TITLE = re.compile(
    r"(?m)^[ \t]*(?P<marks>#{1,6})[ \t]+(?P<title>.*\S)|\\(?P<sub>(?:sub){0,2})section\*?\{(?P<latex>[^{}\n]*)\}"
)

_FENCE = re.compile(r"(?m)^ {0,3}```(?P<info>[^\n`]*)$")
_ENVIRONMENT = re.compile(r"(?m)^[ \t]*\\(?P<info>begin|end)\{code\}[^\n]*$")


class _AgdaSource(SourceText):
    """Code of Agda; of literate files it is blank where the text is."""

    token = re.compile(r"\{-|(?<![^\s(){};])--[^\n]*|\"|(?<![^\s(){};])'(?:\\[^'\n]+|[^'\\\n])'")
    comment_marks = ("{-", "--")

    def _end(self, start: int, end: int, token: str) -> int:
        if token.startswith("--"):
            if self.begins_line(start):
                self.add_comment(start, end, 2)
            return end
        if token == "{-":
            close = self.nested_end(end, _EDGE, "{-")
            if close < 0:
                self.unclosed.append((start, "comment"))
                return len(self.text)
            if self.text[end : end + 1] != "#":
                self.add_comment(start, close, 2, 2)
            return close
        if token == '"':
            match = _STRING.match(self.text, end)
            if match is None:
                self.unclosed.append((start, "string"))
            return match.end() if match is not None else end
        return end


@dataclass(slots=True)
class _Block:
    """Declarations that begin in one column, which the first of them shows."""

    kind: str
    outer: int
    column: int = -1
    name: str = ""
    variables: Variables = field(default_factory=Variables)

    def ends_before(self, column: int) -> bool:
        """Whether a line that begins in a column is not in it any more."""
        return column <= self.outer if self.column < 0 else column < self.column


class AgdaDocuments(FormalDocuments):
    """The documents of a module.

    :param prose: the text of a literate file with its places, in order.
    """

    types = dict.fromkeys(("function", "data", "record", "codata"), "definition") | dict.fromkeys(
        ("postulate", "primitive"), "axiom"
    )

    def __init__(
        self, source: SourceText, prose: list[Prose], name: str, collection: str, module: str, on_problem: OnProblem
    ) -> None:
        super().__init__(source, name, collection, module, on_problem)
        self._prose = prose
        self._declared = {"_"}

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        waiting = iter(self._prose)
        prose = next(waiting, None)
        last: Prose | None = None  # what the next declaration is introduced by
        for declaration in self._declarations():
            while prose is not None and prose.start < declaration.start:
                yield prose
                prose, last = next(waiting, None), prose
            if last is not None and declaration.docstring is None and (words := _last_paragraph(last.text)):
                declaration.docstring = DocComment(last.start, last.start, last.start, words)
            last = None
            yield declaration
        while prose is not None:
            yield prose
            prose = next(waiting, None)

    def _declarations(self) -> Iterator[FormalDeclaration]:
        bare = self.source.bare
        blocks = [_Block("module", -1)]
        lines = [(match.end(), len(match["indent"].expandtabs(8))) for match in _LINE.finditer(bare)]
        number = 0
        while number < len(lines):
            place, column = lines[number]
            while len(blocks) > 1 and blocks[-1].ends_before(column):
                blocks.pop()
            if blocks[-1].column < 0:
                blocks[-1].column = column
            after = number + 1
            while after < len(lines) and lines[after][1] > column:
                after += 1
            if column != blocks[-1].column:  # goes on with what is before it
                number += 1
                continue
            end = lines[after][0] if after < len(lines) else len(bare)
            opened = yield from self._read(blocks, place, column, end)
            number += 1
            while number < len(lines) and (lines[number][0] < opened if opened > 0 else number < after):
                number += 1

    def _read(
        self, blocks: list[_Block], place: int, column: int, end: int
    ) -> Generator[FormalDeclaration, None, int]:
        """Reads what begins at a place; gives back where a block begins in it, 0 where none does."""
        bare = self.source.bare
        while True:
            word = bare[place : place + 40].split(None, 1)[0] if place < end else ""
            if word not in _BLOCKS:
                break
            blocks.append(_Block(word, column, variables=blocks[-1].variables))
            place += len(word)
            line_end = bare.find("\n", place, end)
            line_end = line_end if line_end >= 0 else end
            if not bare[place:line_end].strip():
                return place
            place += len(bare[place:line_end]) - len(bare[place:line_end].lstrip())
            column = place - bare.rfind("\n", 0, place) - 1
            blocks[-1].column = column
        if any(block.kind in _SILENT for block in blocks) or word in _NO_DECLARATIONS:
            return 0
        if word == "module":
            return self._module(blocks, place, column, end)
        head = _HEAD.match(bare, place, end)
        if head is not None:
            yield self._declaration(blocks, head["name"], [], head["kind"], place, head.end(), end)
            return self._record(blocks, head, column, end) if head["kind"] == "record" else 0
        names = _NAMES.match(bare, place, end)
        if names is not None:
            first, *others = [name.strip(".{}⦃⦄") for name in names.group()[:-1].split()]
            kind = next((block.kind for block in blocks if block.kind in ("postulate", "primitive")), "function")
            yield self._declaration(blocks, first, others, kind, place, names.end() - 1, end)
            return 0
        equation = _EQUATION.match(bare, place, end)
        if equation is not None and equation["name"] not in self._declared:
            yield self._declaration(blocks, equation["name"], [], "function", place, equation.end("name"), end)
        return 0

    def _module(self, blocks: list[_Block], place: int, column: int, end: int) -> int:
        bare = self.source.bare
        match = _MODULE.match(bare, place, end)
        if match is None:
            return 0
        binders = read_binders(bare, self.source.code, match.end(), end)
        where = _WHERE.search(bare, binders.end, end)
        if where is None or "=" in bare[binders.end : where.start()].split():
            return 0  # a module that is another one
        outermost = len(blocks) == 1 and (match["name"] or "") == self.module
        name = "" if outermost or match["name"] in (None, "_") else match["name"]
        variables = blocks[-1].variables.bind(binders.binders)
        blocks.append(_Block("module", column - 1 if outermost else column, name=name, variables=variables))
        return where.end()

    def _record(self, blocks: list[_Block], head: re.Match[str], column: int, end: int) -> int:
        where = _WHERE.search(self.source.bare, head.end(), end)
        if where is None:
            return 0
        blocks.append(_Block("record", column, name=head["name"], variables=blocks[-1].variables))
        return where.end()

    def _declaration(
        self, blocks: list[_Block], name: str, others: list[str], kind: str, place: int, start: int, end: int
    ) -> FormalDeclaration:
        source = self.source
        space = ".".join(block.name for block in blocks if block.name)
        full = f"{space}.{name}" if space else name
        self._declared |= {name, *others}
        line = source.line(place)
        statement, lines = source.stretch(start, end, line)
        statement, lines = with_text_before(blocks[-1].variables.used_by(statement), statement, lines)
        modifiers = tuple(block.kind for block in blocks if block.kind in ("private", "abstract", "instance", "opaque"))
        return FormalDeclaration(
            full, kind, place, line, statement, lines, source.docstring_before(place, 1), modifiers,
            [f"{self.module}.{full}", *others],
        )  # fmt: skip

    def read_prose(self, prose: Prose) -> None:
        MarkdownBlocks(self.units, self.name, self.on_problem).read(prose.text, self.source.line(prose.start))
        for title in _TITLE.finditer(prose.text):
            level = len(title["marks"]) if title["marks"] else 1 + len(title["sub"]) // 3
            self.enter_heading(level, markdown_text(title["title"] or title["latex"], self.name))

    def text_content(self, text: str, line: int) -> Content:
        return docstring_content(_RULE.sub("", text), self.name, line, self.on_problem)


def _last_paragraph(text: str) -> str:
    """What a text ends with, unless it is a heading or of HTML."""
    paragraph = text.strip().rpartition("\n\n")[2].strip()
    return "" if paragraph[:1] in ("#", "<", "\\") else paragraph


def literate(text: str, ending: str) -> tuple[str, list[Prose]]:
    """The code of a literate file in its places, and the text between."""
    code: list[str] = []
    prose: list[Prose] = []
    place = 0
    for start, end in _code_blocks(text, ending):
        code += (blanks(text[place:start]), text[start:end])
        before = text.rfind("\n", 0, max(start - 1, 0)) + 1  # where the line begins that opens the block
        prose.append(Prose(place + 1, text[place:before]))  # a source begins with another line end
        line_end = text.find("\n", end)
        place = line_end if line_end >= 0 else len(text)
        code.append(blanks(text[end:place]))
    prose.append(Prose(place + 1, text[place:]))
    code.append(blanks(text[place:]))
    return "".join(code), [entry for entry in prose if entry.text.strip()]


def _code_blocks(text: str, ending: str) -> Iterator[tuple[int, int]]:
    """Where code begins and ends between the lines that open and close its blocks."""
    opened: re.Match[str] | None = None
    for match in (_FENCE if ending == ".lagda.md" else _ENVIRONMENT).finditer(text):
        info = match["info"].strip()
        if opened is None:
            opened = match if info != "end" else None
        elif info in ("", "end"):
            if opened["info"].strip() in ("", "agda", "begin"):
                yield min(opened.end() + 1, match.start()), match.start()
            opened = None


class AgdaReader(FormalReader):
    """Reads modules of Agda."""

    name = "agda"
    document = "a declaration; the text of a literate file, or a section of it"
    extensions = (".agda", ".lagda", ".lagda.md", ".lagda.tex")

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        ending = next((ending for ending in self.extensions[::-1] if path.name.lower().endswith(ending)), ".agda")
        code, prose = (text, []) if ending == ".agda" else literate(text, ending)
        agda = _AgdaSource(code)
        top = _TOP.search(agda.bare)
        module = top.group(1) if top is not None and top.group(1) != "_" else module_of(PurePosixPath(name))
        return AgdaDocuments(agda, prose, name, source, module, on_problem)
