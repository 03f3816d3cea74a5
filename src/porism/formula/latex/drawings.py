"""Drawings of TikZ inside a formula: the text of their nodes, and other formulas between dollars, are its content."""

from __future__ import annotations

from porism.formula.latex.tokens import Tokens

_ENVIRONMENTS = frozenset({"tikzpicture", "circuitikz"})
_CLOSING = {"[": "]", "(": ")"}
_NODE = ("n", "o", "d", "e")


def drawings(tokens: Tokens) -> Tokens:
    """The tokens with each drawing as its texts side by side."""
    writer = _Writer(tokens)
    writer.run()
    return Tokens(writer.texts, writer.starts, writer.ends)


def _is_environment(token: str, command: str) -> bool:
    return token.startswith(command) and token[-1] == "}" and token[token.index("{") + 1:-1].strip() in _ENVIRONMENTS


class _Writer:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._in = tokens.texts
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
        in_node = False
        depth = 0
        first = len(self.texts)
        last = len(self._in) - 2
        while i < last:
            token = self._in[i]
            if depth == 0 and (token == end or (end == "\\end" and _is_environment(token, end))):
                return i + 1
            if token == "{" and in_node:
                i = self._copy(i, "{", "}", first)
                in_node = False
                continue
            if token == "$":
                is_place = self._before(i) == "("
                i = self._after_dollar(i + 1) if is_place else self._copy(i, "$", "$", first)
                continue
            if token == "\\node" or tuple(self._in[i:i + 4]) == _NODE:
                in_node = True
                i += 1 if token == "\\node" else len(_NODE)
                continue
            if in_node and token in _CLOSING:
                i = self._pass_over(i, first)
                continue
            in_node = in_node and token != ";"
            depth += (token == "{") - (token == "}")
            i += 1
        for written in (self.texts, self.starts, self.ends):
            del written[first:]
        for i in range(begin, last):
            self._write(i, self._in[i])
        return last

    def _before(self, i: int) -> str:
        """The token before one, without white space between them."""
        i -= 1
        while i > 0 and self._in[i].isspace():
            i -= 1
        return self._in[i]

    def _after_dollar(self, i: int) -> int:
        """The index after the next dollar: what comes before it are places to compute with."""
        last = len(self._in) - 2
        while i < last and self._in[i] != "$":
            i += 1
        return min(i + 1, last)

    def _copy(self, i: int, opening: str, closing: str, first: int) -> int:
        """Writes what is between two signs as text or mathematics; the index after it."""
        if len(self.texts) > first:
            self._write(i, "\\quad")
        self._write(i, *(["\\text", "{"] if opening == "{" else ["{"]))
        depth = 0
        i += 1
        last = len(self._in) - 2
        while i < last and not (self._in[i] == closing and depth == 0):
            depth += (self._in[i] == "{") - (self._in[i] == "}")
            self._write(i, self._in[i])
            i += 1
        self._write(i, "}")
        return min(i + 1, last)

    def _pass_over(self, i: int, first: int) -> int:
        """Leaves the options, the name or the place of a node out, but for formulas in its options; the index after."""
        opening, closing = self._in[i], _CLOSING[self._in[i]]
        depth = 1
        i += 1
        last = len(self._in) - 2
        while i < last and depth and self._in[i] != ";":
            if self._in[i] == "$" and opening == "[":
                i = self._copy(i, "$", "$", first)
                continue
            depth += (self._in[i] == opening) - (self._in[i] == closing)
            i += 1
        return i

    def _after_options(self, i: int) -> int:
        """The index of the first token after white space and options."""
        last = len(self._in) - 2
        depth = 0
        while i < last and (self._in[i].isspace() or self._in[i] == "[" or depth):
            depth += (self._in[i] == "[") - (self._in[i] == "]")
            i += 1
        return i
