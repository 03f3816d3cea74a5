"""Typst's markup as nodes: total, in linear time, to a limited depth."""

from __future__ import annotations

import re

from porism.corpus.base import clean
from porism.corpus.typst.code import LABEL, MAX_DEPTH, CodeParser, character
from porism.corpus.typst.nodes import Brackets, Label, Math, Node, ParagraphEnd, Raw, Reference, Text, TypstHeading

MAX_UNENDED = 20
"""After so many formulas that are never ended, dollars are text: what follows each is read twice."""

_RUN = re.compile(r"[^\\`$*_<@#\[\]\n/~.\-:]+")
_HEADING = re.compile(r"(=+)[ \t]+")
_ITEM = re.compile(r"(?:([-+]|\d+\.)[ \t]+|/[ \t]+(?=[^\n]*:))")
_REFERENCE = re.compile(r"@([\w](?:[\w.:-]*\w)?)")
_LINK = re.compile(r"https?://[^\s\[\]()<>\"']+")
_SIGNS = {"---": "—", "--": "–", "-?": "", "...": "…", "~": "\u00a0"}
_SIGN = re.compile(r"---|--|-\?|\.\.\.|~")
_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\(\S)|\\")
_TICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[\w-]*")
_IN_MATH = re.compile(r'"(?:[^"\\]|\\.)*"|\\.|//[^\n]*|/\*|#|\$', re.DOTALL)


class TypstParser(CodeParser):
    """Reads the markup and the code of one text."""

    _unended = 0

    def read(self) -> list[Node]:
        """The nodes of the whole text."""
        nodes: list[Node] = []
        while self._i < len(self._text):
            nodes += self._markup(None)
            if self._i < len(self._text):  # nothing opens this bracket
                self._add(nodes, self._text[self._i])
        return nodes

    def _markup(self, closer: str | None) -> list[Node]:
        """Nodes up to a closing bracket, or the end of the line where ``closer`` is one; the closer is not read."""
        text, nodes, brackets = self._text, list[Node](), 0
        at_start = closer != "\n" and text[self._i - 1 : self._i] in ("", "\n", "[")
        while self._i < len(text):
            if at_start:
                at_start = False
                if self._line_start(nodes):
                    continue
            char = text[self._i]
            if (run := _RUN.match(text, self._i)) is not None:
                self._add(nodes, run.group())
            elif char == "\n":
                if closer == "\n":
                    return nodes
                self._line_end(nodes)
                at_start = True
            elif char == "]":
                if not brackets:
                    return nodes
                brackets -= 1
                self._add(nodes, char)
            elif char == "[":
                brackets += 1
                self._add(nodes, char)
            else:
                self._special(char, nodes)
        return nodes

    def _add(self, nodes: list[Node], text: str, length: int | None = None) -> None:
        """Adds a text, and goes on after as many characters."""
        nodes.append(Text(text, self.line(self._i)))
        self._i += len(text) if length is None else length

    def _line_start(self, nodes: list[Node]) -> bool:
        """Reads what only the beginning of a line has; whether it was there."""
        self._blanks()
        heading = _HEADING.match(self._text, self._i)
        if heading is not None:
            line = self.line(self._i)
            self._i = heading.end()
            nodes.append(TypstHeading(len(heading.group(1)), self._nested("\n"), line))
            return True
        item = _ITEM.match(self._text, self._i)
        if item is not None:
            nodes.append(ParagraphEnd(self.line(self._i), "- "))
            self._i = item.end()
            return True
        return False

    def _line_end(self, nodes: list[Node]) -> None:
        """One line end is a space; several end a paragraph."""
        start = self._i
        while self._i < len(self._text) and self._text[self._i].isspace():
            self._i += 1
        lines = self._text.count("\n", start, self._i)
        self._i = max(start + 1, self._text.rfind("\n", start, self._i) + 1)
        nodes.append(ParagraphEnd(self.line(self._i)) if lines > 1 else Text("\n", self.line(start)))

    def _special(self, char: str, nodes: list[Node]) -> None:
        """Reads what a character with a meaning begins."""
        text, start = self._text, self._i
        if char == "\\":
            escape = _ESCAPE.match(text, start)
            assert escape is not None
            said = character(escape.group(1)) if escape.group(1) else escape.group(2)
            self._add(nodes, "\n" if said is None else clean(said), len(escape.group()))
        elif char == "`":
            self._raw(nodes)
        elif char == "$":
            self._math(nodes)
        elif char == "#":
            self._i += 1
            if (node := self._embedded()) is not None:
                nodes.append(node)
            elif self._i == start + 1:
                nodes.append(Text("#", self.line(start)))
        elif char == "<" and (label := LABEL.match(text, start)) is not None:
            nodes.append(Label(label.group(1)))
            self._i = label.end()
        elif char == "@" and (reference := _REFERENCE.match(text, start)) is not None:
            self._i = reference.end()
            supplement = self._bracketed() if text.startswith("[", self._i) else None
            nodes.append(Reference(reference.group(1), supplement.nodes if supplement is not None else None))
        elif char == "/" and text.startswith(("//", "/*"), start):
            self._comment()
        elif (sign := _SIGN.match(text, start)) is not None:
            self._add(nodes, _SIGNS[sign.group()], len(sign.group()))
        elif char in "*_" and not (text[start - 1 : start].isalnum() and text[start + 1 : start + 2].isalnum()):
            self._i += 1
        elif char == ":" and (link := _LINK.match(text, max(0, start - 5)) or _LINK.match(text, max(0, start - 4))):
            self._add(nodes, link.group()[start - link.start() :])
        else:
            self._add(nodes, char)

    def _nested(self, closer: str) -> list[Node]:
        self._depth += 1
        nodes = self._markup(closer)
        self._depth -= 1
        return nodes

    def _bracketed(self) -> Brackets | None:
        line = self.line(self._i)
        start = self._i
        self._i += 1
        if self._depth >= MAX_DEPTH:
            self._report("is nested too deeply; what is inside is text", start)
            return None
        nodes = self._nested("]")
        if self._i >= len(self._text):
            self._report("a bracket is never closed", start)
        self._i += 1
        return Brackets(nodes, line)

    def _raw(self, nodes: list[Node]) -> None:
        ticks = _TICKS.match(self._text, self._i)
        assert ticks is not None
        fence, start = ticks.group(), ticks.end()
        if len(fence) == 2:
            self._i = start
            return
        end = -1 if fence in self._unclosed else self._text.find(fence, start)
        if end < 0:
            self._unclosed.add(fence)
            self._report("code is never closed", self._i)
            self._add(nodes, fence)
            return
        language = _LANGUAGE.match(self._text, start) if len(fence) > 2 else None
        code = self._text[language.end() if language is not None else start : end]
        nodes.append(Raw(code.strip("\n"), self.line(start) + (len(code) - len(code.lstrip("\n")))))
        self._i = end + len(fence)

    def _math(self, nodes: list[Node]) -> None:
        """A formula: in it, dollars in strings, comments and code end nothing."""
        start, self._i = self._i, self._i + 1
        if self._unended >= MAX_UNENDED:
            self._i = start
            self._add(nodes, "$")
            return
        while (match := _IN_MATH.search(self._text, self._i)) is not None:
            self._i = match.end()
            if match.group() == "$":
                source = self._text[start + 1 : match.start()]
                is_display = source[:1].isspace() and source[-1:].isspace() and bool(source.strip())
                nodes.append(Math(clean(source), self.line(start), is_display))
                return
            if match.group() == "#":
                self._embedded()
            elif match.group() == "/*":
                self._i = match.start()
                self._comment()
        self._report("a formula is never ended", start)
        self._unended += 1
        self._i = start
        self._add(nodes, "$")
