"""Typst's code as nodes: values, calls, definitions, branches."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right

from porism.corpus.base import clean
from porism.corpus.typst.nodes import (
    Brackets,
    Code,
    FileName,
    Group,
    Label,
    Let,
    Name,
    Node,
    Setting,
    String,
    TypstArgument,
    TypstCall,
)
from porism.errors import OnProblem, Problem

MAX_DEPTH = 40
"""What is nested deeper is read as text."""

LABEL = re.compile(r"<([\w.:-]+)>")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_STRING_ESCAPE = re.compile(r"\\(u\{([0-9A-Fa-f]{1,6})\}|.)", re.DOTALL)
_NAME = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_ARGUMENT_NAME = re.compile(r"([^\W\d][\w-]*)\s*:(?![:=])")
_BLANK = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"\d[\w.%]*")
_FILE = re.compile(r"\s*\"([^\"\n]{1,300})\"")
_RENAMED = re.compile(r"([\w-]+)[ \t]+as[ \t]+([\w-]+)")
_KEYWORDS = frozenset(
    "let set show import include if else for while context return in not and or break continue as".split()
)


class CodeParser(ABC):
    """Reads the code of one text.

    :param name: of the file, in what is reported.
    :param first_line: the line of the text in its file.
    """

    def __init__(self, text: str, name: str, on_problem: OnProblem, first_line: int = 1) -> None:
        self._text, self._name, self._on_problem = text, name, on_problem
        self._i = 0
        self._depth = 0
        self._first_line = first_line
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._unclosed: set[str] = set()

    def value(self, start: int) -> tuple[Node | None, int]:
        """The value of code that begins here, after its ``#``, and where it ends."""
        self._i = start
        return self._embedded(), self._i

    def line(self, position: int) -> int:
        """The line of a character in its file."""
        return self._first_line + bisect_right(self._ends, position - 1)

    @abstractmethod
    def _bracketed(self) -> Brackets | None:
        """Brackets in brackets; None, and only the bracket read, where it is nested too deeply."""

    @abstractmethod
    def _math(self, nodes: list[Node]) -> None:
        """Adds a formula."""

    @abstractmethod
    def _raw(self, nodes: list[Node]) -> None:
        """Adds code between backticks."""

    def _report(self, what: str, position: int) -> None:
        if what not in self._unclosed:
            self._unclosed.add(what)
            self._on_problem(Problem(f"{self._name}:{self.line(position)}", what))

    def _comment(self) -> None:
        """Passes over a comment; those between stars are nested."""
        start = self._i
        if self._text.startswith("//", start):
            end = self._text.find("\n", start)
            self._i = len(self._text) if end < 0 else end
            return
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self._text, start):
            depth += 1 if edge.group() == "/*" else -1
            if depth == 0:
                self._i = edge.end()
                return
        self._report("a comment is never closed", start)
        self._i = len(self._text)

    def _blanks(self, lines: bool = False) -> None:
        """Passes over spaces, comments, and line ends if asked to."""
        text = self._text
        while self._i < len(text):
            if (blank := _BLANK.match(text, self._i)) is not None:
                self._i = blank.end()
            elif lines and text[self._i] in "\r\n":
                self._i += 1
            elif lines and text.startswith(("//", "/*"), self._i):
                self._comment()
            else:
                return

    def _embedded(self) -> Node | None:
        """The code after ``#``: a statement, or one value with its calls."""
        keyword = _NAME.match(self._text, self._i)
        if keyword is not None and keyword.group() in _KEYWORDS:
            node = self._statement(keyword.group())
        else:
            node = self._primary()
        if self._text.startswith(";", self._i):
            self._i += 1
        return node

    def _statement(self, keyword: str) -> Node | None:
        self._i += len(keyword)
        if keyword == "let":
            return self._let()
        if keyword in ("import", "include"):
            return self._file(keyword == "include")
        if keyword in ("set", "show"):
            return Setting(self._expression(line_ends=True))
        if keyword in ("if", "for", "while"):
            return Group(self._branches())
        return Group(self._expression(line_ends=True))

    def _let(self) -> Node:
        self._blanks()
        names: list[str] = []
        parameters: list[TypstArgument] | None = None
        if self._text.startswith("(", self._i):
            self._i += 1
            names = [node.name for argument in self._arguments() for node in argument.values if isinstance(node, Name)]
        elif (name := _NAME.match(self._text, self._i)) is not None:
            names = [name.group()]
            self._i = name.end()
            if self._text.startswith("(", self._i):
                self._i += 1
                parameters = self._arguments()
        self._blanks()
        value: list[Node] = []
        if self._text.startswith("=", self._i):
            self._i += 1
            self._blanks(lines=True)
            value = self._expression(line_ends=True)
        return Let(names, parameters, value)

    def _file(self, is_included: bool) -> Node | None:
        start = self._i
        file = _FILE.match(self._text, start)
        rest = self._expression(line_ends=True)
        while not is_included and self._text.startswith(",", self._i):
            self._i += 1
            rest += self._expression(line_ends=True)
        if file is None:
            return Group(rest) if is_included else None
        renamed = dict(_RENAMED.findall(self._text, file.end(), self._i))
        return FileName(file.group(1), self.line(start), is_included, renamed)

    def _branches(self) -> list[Node]:
        """The contents of a condition or a loop, without what is asked."""
        bodies: list[Node] = []
        while True:
            self._expression(line_ends=True, until="{[")
            body = self._primary() if self._text.startswith(("{", "["), self._i) else None
            if body is None:
                return bodies
            bodies.append(body)
            after = self._i
            self._blanks(lines=True)
            if not self._text.startswith("else", self._i):
                self._i = after
                return bodies
            self._i += len("else")

    def _expression(self, *, line_ends: bool, until: str = "") -> list[Node]:
        """The values of an expression, up to a comma, a closing bracket, or the end of the line if that ends it."""
        values: list[Node] = []
        text = self._text
        while self._i < len(text):
            self._blanks(lines=not line_ends)
            char = text[self._i : self._i + 1]
            if not char or char in ")]},;" or (until and char in until) or (line_ends and char == "\n"):
                break
            if line_ends and text.startswith(("//", "/*"), self._i):
                self._comment()
            elif (node := self._primary()) is not None:
                values.append(node)
                if until and isinstance(node, Name) and node.name == "in":
                    continue
            else:
                if char in "+-*/<>=" and not text.startswith("//", self._i):
                    values.append(Code(char))
                self._i += 1
                if line_ends and char in "=+" and not until:
                    self._blanks(lines=True)
        return values

    def _primary(self) -> Node | None:
        """One value with its calls; None, and nothing read, where none begins."""
        text, start = self._text, self._i
        char = text[start : start + 1]
        node: Node | None = None
        if char == "[":
            return self._bracketed()
        if char in ("(", "{") and char:
            if self._depth >= MAX_DEPTH:
                self._report("is nested too deeply; what is inside is text", start)
                self._i += 1
                return None
            self._i += 1
            self._depth += 1
            node = self._group(")" if char == "(" else "}")
            self._depth -= 1
        elif char == "$":
            nodes: list[Node] = []
            self._math(nodes)
            return nodes[0]
        elif char == "`":
            nodes = []
            self._raw(nodes)
            return nodes[0] if nodes else None
        elif char == '"' and (string := _STRING.match(text, start)) is not None:
            self._i = string.end()
            return String(clean(_STRING_ESCAPE.sub(_escaped, string.group(1))))
        elif char == "<" and (label := LABEL.match(text, start)) is not None:
            self._i = label.end()
            return Label(label.group(1))
        elif (name := _NAME.match(text, start)) is not None:
            self._i = name.end()
            node = Name(name.group())
        elif (number := _NUMBER.match(text, start)) is not None:
            self._i = number.end()
            return Code(number.group())
        return self._calls(node) if node is not None else None

    def _group(self, closer: str) -> Group:
        """What is in parentheses or braces."""
        values: list[Node] = []
        while self._i < len(self._text):
            self._blanks(lines=True)
            char = self._text[self._i : self._i + 1]
            if char == closer:
                self._i += 1
                return Group(values)
            keyword = _NAME.match(self._text, self._i) if closer == "}" else None
            if keyword is not None and keyword.group() in _KEYWORDS:
                node = self._statement(keyword.group())
                values += [node] if node is not None else []
                continue
            values += self._expression(line_ends=closer == "}")
            if self._text[self._i : self._i + 1] in (",", ";", "]", "}", ")"):
                if self._text[self._i] == closer:
                    continue
                self._i += 1
        return Group(values)

    def _calls(self, node: Node) -> Node:
        """A value with the arguments that follow it directly."""
        for _ in range(MAX_DEPTH - self._depth):
            if not self._text.startswith(("(", "["), self._i):
                break
            line = self.line(self._i)
            arguments: list[TypstArgument] = []
            if self._text.startswith("(", self._i):
                self._i += 1
                self._depth += 1
                arguments = self._arguments()
                self._depth -= 1
            while self._text.startswith("[", self._i) and (content := self._bracketed()) is not None:
                arguments.append(TypstArgument("", [content]))
            callee = node if isinstance(node, TypstCall) else None
            node = TypstCall(node.name if isinstance(node, Name) else "", arguments, line, callee)
            method = _NAME.match(self._text, self._i + 1) if self._text.startswith(".", self._i) else None
            if method is not None and self._text.startswith(("(", "["), method.end()):  # thmbox(…).with(…)
                self._i = method.end()
        return node

    def _arguments(self) -> list[TypstArgument]:
        """The arguments up to the closing parenthesis."""
        arguments: list[TypstArgument] = []
        while self._i < len(self._text):
            self._blanks(lines=True)
            char = self._text[self._i : self._i + 1]
            if char == ")":
                self._i += 1
                return arguments
            name = _ARGUMENT_NAME.match(self._text, self._i)
            if name is not None:
                self._i = name.end()
            values = self._expression(line_ends=False)
            if values or name is not None:
                arguments.append(TypstArgument(name.group(1) if name is not None else "", values))
            if self._text[self._i : self._i + 1] in (",", ";", "]", "}"):
                self._i += 1
        return arguments


def character(code: str) -> str:
    """The character with this number in hexadecimal digits."""
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"


def _escaped(match: re.Match[str]) -> str:
    if match.group(2):
        return character(match.group(2))
    return {"n": "\n", "t": "\t", "r": " "}.get(match.group(1), match.group(1))
