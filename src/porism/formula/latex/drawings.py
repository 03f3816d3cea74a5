"""Drawings: the texts of their nodes and labels, and formulas between dollars, are their content.

Of TikZ inside a formula they take the place of the drawing; readers of documents ask for them with
:func:`drawn_contents`, also of drawings in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from porism.formula.latex.tokens import COMMENT, Tokens, tokenize
from porism.formula.tables.drawings import NODE_COMMANDS, SHAPES, TEXT_KEYS
from porism.formula.tree import ParseProblem

_ENVIRONMENTS = frozenset({"tikzpicture", "circuitikz"})
_NESTING = {"[": 1, "]": -1, "(": 1, ")": -1}
_NODE = ["n", "o", "d", "e"]
_AFTER_NODE = frozenset("[({")
_BEFORE_STRING = frozenset("[({,=")
_KEY_ENDS = frozenset("[,]{=;")
_LABEL_PLACES = frozenset("-+<>(")
_POSITION = re.compile(r"[\s\w.\-]*:")
_MATRIX = re.compile(r"matrix\s+of\s+(math\s+)?nodes")
_MATHEMATICAL = re.compile(r"[\\^_]")
XY_OBJECT = re.compile(r"\*(?:[-+!=A-Z\d]|<[^<>]*>)*\s*$")
"""What stands before an object of Xy-pic in braces: ``*``, ``*+<1em>``."""
_SCRIPT_GROUP = re.compile(r"([\^_])\{")
MAX_XY_TOKENS = 12
"""So many tokens before a brace are looked at for the sign that an object of Xy-pic begins with."""


class _Drawn(NamedTuple):
    """A text or a formula among the tokens of a drawing."""

    begin: int
    end: int
    is_text: bool


def drawn_contents(source: str) -> Iterator[str]:
    """The LaTeX of the texts (``\\text{…}``) and the formulas of a drawing, in their order."""
    has_arrows = "\\ar" in source
    texts = tokenize(_SCRIPT_GROUP.sub(r"\1 {", source) if has_arrows else source).texts
    reader = _DrawingReader(texts, has_arrows=has_arrows)
    reader.read(0, "")
    for begin, end, is_text in reader.contents:
        content = "".join(texts[begin:end]).replace(COMMENT, "").strip()
        if content:
            yield f"\\text{{{content}}}" if is_text else content


def drawings(tokens: Tokens, problems: list[ParseProblem]) -> Tokens:
    """The tokens with each drawing as its texts side by side; the first one without texts is reported."""
    writer = _DrawingWriter(tokens, problems)
    writer.run()
    return Tokens(writer.texts, writer.starts, writer.ends)


def _is_environment(token: str, command: str) -> bool:
    return token.startswith(command) and token[-1] == "}" and token[token.index("{") + 1:-1].strip() in _ENVIRONMENTS


class _DrawingReader:
    """Finds the contents of drawings among tokens."""

    def __init__(self, texts: Sequence[str], *, has_arrows: bool = False) -> None:
        self.contents: list[_Drawn] = []
        self._texts, self._has_arrows = texts, has_arrows
        self._last = len(texts) - 2

    def read(self, i: int, end: str) -> int | None:
        """Reads a drawing from token ``i`` on; the index after its end, None where it has none."""
        texts = self._texts
        depth = nested = 0
        key = i
        in_node = False
        cells = ""
        while i < self._last:
            token = texts[i]
            if depth == 0 and (token == end or (end == "\\end" and _is_environment(token, end))):
                return i + 1
            if after_name := self._after_node_name(i):
                in_node, nested, i = True, 0, after_name
            elif token == "$":
                begin, i = i + 1, self._after(i + 1, "$")
                if self._before(begin - 1) != "(":  # else places to compute with
                    self._add(begin, i - 1)
            elif token == "{" and not nested and (in_node or cells) and not self._begins_shape(i + 1):
                begin, i = i + 1, self._after_group(i)
                self._add_cells(begin, i - 1, cells)
                in_node, cells = False, ""
            elif token == "{" and XY_OBJECT.search("".join(texts[max(0, i - MAX_XY_TOKENS) : i])):
                begin, i = i + 1, self._after_group(i)
                self._add(begin, i - 1)
            elif token == "\\xymatrix":
                begin, i = i, self._after_group(i)
                self._add(begin, i)
            elif token[0] in "^_" and self._has_arrows and texts[i - 1] != "/":
                i = self._label(i + 1)
            elif token == "=" and "".join(texts[key:i]).strip() in TEXT_KEYS:
                i = key = self._value(i + 1)
            elif token == '"' and nested and (end_of_string := self._end_of_string(i + 1)):
                string = "".join(texts[i + 1 : end_of_string])
                self._add(i + 1, end_of_string, is_text="$" in string or _MATHEMATICAL.search(string) is None)
                i = end_of_string + 1
            elif token in SHAPES:
                i = self._after_shape(i + 1)
            else:
                if token in ",]" and (matrix := _MATRIX.search("".join(texts[key:i]))):
                    cells = matrix.group(1) or "text"
                if token in _KEY_ENDS:
                    key = i + 1
                if token == ";":
                    nested, in_node, cells = 0, False, ""
                nested = max(0, nested + _NESTING.get(token, 0))
                depth += (token == "{") - (token == "}")
                i += 1
        return None

    # what is content -------------------------------------------------------------------------------------------

    def _add(self, begin: int, end: int, *, is_text: bool = False) -> None:
        if any(not token.isspace() for token in self._texts[begin:end]):
            self.contents.append(_Drawn(begin, end, is_text))

    def _add_cells(self, begin: int, end: int, cells: str) -> None:
        """Adds the text of a node, or the cells of a matrix of nodes."""
        if not cells:
            self._add(begin, end, is_text=True)
            return
        depth = 0
        for i in range(begin, end + 1):
            token = self._texts[i]
            depth += (token == "{") - (token == "}")
            if i == end or (depth == 0 and (token in ("&", "\\&") or token.startswith("\\\\"))):
                first = self._after_space(begin)
                if self._texts[first] == "|":  # options of a node, |[name=A]|
                    first = min(self._after(first + 1, "|"), i)
                self._add(first, i, is_text=cells == "text")
                begin = i + 1

    def _value(self, i: int) -> int:
        """Adds the value of an option that is text, ``{[red]above:$x$}``; the index after it."""
        i = self._after_space(i)
        is_group = self._texts[i] == "{"
        begin, end = (i + 1, self._after_group(i) - 1) if is_group else (i, self._end_of_value(i))
        if self._texts[begin] == "[":
            begin = self._after(begin + 1, "]")
        colon = min(self._after(begin, ":"), end)
        if _POSITION.fullmatch("".join(self._texts[begin:colon])):
            begin = colon
        self._add(begin, end, is_text=True)
        return end + is_group

    def _end_of_value(self, i: int) -> int:
        depth = 0
        in_formula = False
        while i < self._last and self._texts[i] != ";":
            token = self._texts[i]
            in_formula ^= token == "$"
            if depth == 0 and not in_formula and token in ",]}":
                break
            depth += (token == "{") - (token == "}")
            i += 1
        return i

    def _label(self, i: int) -> int:
        """Adds the label of an arrow of Xy-pic, which follows a ``^`` and its place; the index after it."""
        while self._texts[i] in _LABEL_PLACES:
            i = self._after(i + 1, ")") if self._texts[i] == "(" else i + 1
        if self._texts[i] != "{":
            self._add(i, i + 1)
            return i + 1
        after = self._after_group(i)
        self._add(i + 1, after - 1)
        return after

    # where things end ------------------------------------------------------------------------------------------

    def _after_node_name(self, i: int) -> int:
        """The index after a command that a text follows, or after the word ``node``; 0 for anything else."""
        texts = self._texts
        if texts[i] == "n":
            after = self._after_space(i + 4)
            is_node = texts[i : i + 4] == _NODE and not texts[i - 1].isalpha()
            return i + 4 if is_node and (texts[after] in _AFTER_NODE or texts[after : after + 2] == ["a", "t"]) else 0
        before = NODE_COMMANDS.get(texts[i])
        if before is None:
            return 0
        i = self._after_space(i + 1)
        if before == "m":
            return self._after_group(self._after_places(i))
        after = self._after_group(i) if before and texts[i] == "{" else i
        return after if texts[self._after_space(after)] in ("(", "[") else i

    def _begins_shape(self, i: int) -> bool:
        """Whether what begins here, in braces, is drawn: a shape, or something that is put somewhere."""
        i = self._after_space(i)
        token = self._texts[i]
        return token in SHAPES or token == "\\tikz" or (
            token in NODE_COMMANDS and self._texts[self._after_space(i + 1)] == "("
        )

    def _end_of_string(self, i: int) -> int:
        """The index of the quote that ends a string; 0 where none begins, or code puts parts of it together."""
        end = self._after(i, '"') - 1
        string = self._texts[i:end]
        is_whole = string.count("{") == string.count("}") and string.count("$") % 2 == 0
        return end if is_whole and self._texts[end] == '"' and self._before(i - 1) in _BEFORE_STRING else 0

    def _after_shape(self, i: int) -> int:
        i = self._after_places(i)
        return self._after_group(i) if self._texts[i] == "{" else i

    def _after_places(self, i: int) -> int:
        """The index after stars and places, ``(0,1)``."""
        i = self._after_space(i)
        while self._texts[i] in ("*", "("):
            i = self._after_space(self._after(i + 1, ")") if self._texts[i] == "(" else i + 1)
        return i

    def _before(self, i: int) -> str:
        """The token before one, without white space between them."""
        i -= 1
        while i > 0 and self._texts[i].isspace():
            i -= 1
        return self._texts[i]

    def _after_space(self, i: int) -> int:
        while i < self._last and self._texts[i].isspace():
            i += 1
        return i

    def _after(self, i: int, end: str) -> int:
        """The index after the next token of this kind."""
        while i < self._last and self._texts[i] != end:
            i += 1
        return min(i + 1, self._last)

    def _after_group(self, i: int) -> int:
        """The index after the next group."""
        depth = 0
        while i < self._last:
            token = self._texts[i]
            depth += (token == "{") - (token == "}")
            i += 1
            if depth <= 0 and token == "}":
                break
        return i


class _DrawingWriter:
    def __init__(self, tokens: Tokens, problems: list[ParseProblem]) -> None:
        self._tokens, self._problems = tokens, problems
        self._in = tokens.texts
        self._reader = _DrawingReader(self._in)
        self._reported = False
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def run(self) -> None:
        i = 0
        while i < len(self._in):
            token = self._in[i]
            if token == "\\tikz":
                begin = self._after_options(i + 1)
                i = self._draw(i, begin + 1, "}") if self._in[begin] == "{" else self._draw(i, begin, ";")
            elif _is_environment(token, "\\begin"):
                i = self._draw(i, i + 1, "\\end")
            else:
                self._write(i, token)
                i += 1

    def _write(self, i: int, *texts: str) -> None:
        for text in texts:
            self.texts.append(text)
            self.starts.append(self._tokens.starts[i])
            self.ends.append(self._tokens.ends[i])

    def _draw(self, begin: int, i: int, end: str) -> int:
        """Writes the texts of a drawing; the index after its end. What has no end is not a drawing, and stays as it
        is."""
        reader = self._reader
        reader.contents.clear()
        after = reader.read(i, end)
        last = len(self._in) - 2
        if after is None:
            for i in range(begin, last):
                self._write(i, self._in[i])
            return last
        for number, content in enumerate(reader.contents):
            if number:
                self._write(content.begin, "\\quad")
            self._write(content.begin, *(["\\text", "{"] if content.is_text else ["{"]))
            for i in range(content.begin, content.end):
                self._write(i, self._in[i])
            self._write(content.end, "}")
        if not reader.contents and not self._reported:
            self._reported = True
            self._problems.append(ParseProblem(self._tokens.starts[begin], "a drawing without text is left out"))
        return after

    def _after_options(self, i: int) -> int:
        """The index of the first token after white space and options."""
        last = len(self._in) - 2
        depth = 0
        while i < last and (self._in[i].isspace() or self._in[i] == "[" or depth):
            depth += (self._in[i] == "[") - (self._in[i] == "]")
            i += 1
        return i
