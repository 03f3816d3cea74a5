"""Commutative diagrams of amscd as matrices: their arrows stand in cells of their own (``A @>f>> B``)."""

from __future__ import annotations

from porism.formula.latex.tokens import Tokens

_MAX_LABEL = 400
"""A label has at most so many tokens."""
_HORIZONTAL = {">": "\\xrightarrow", "<": "\\xleftarrow"}
_VERTICAL = {"V": "\\downarrow", "A": "\\uparrow"}
_LINES = {"=": "=", "|": "\\Vert", ".": ""}
_ENTITIES = {"&gt;": ">", "&lt;": "<"}
_TYPED = frozenset({"->", ">=", "<=", "...", ".."})
"""Tokens of several signs that may be an arrow and the beginning of its label."""


def diagrams(tokens: Tokens) -> Tokens:
    """The tokens with each diagram written as a matrix; what is not an arrow stays as it is."""
    writer = _DiagramWriter(tokens)
    writer.run()
    return Tokens(writer.texts, writer.starts, writer.ends)


def _is_begin(token: str) -> bool:
    return token.startswith("\\begin") and token[-1] == "}"


def _is_end(token: str) -> bool:
    return token.startswith("\\end") and token[-1] == "}"


def _name(token: str) -> str:
    return token[token.index("{") + 1:-1].strip().rstrip("*")


class _Diagram:
    """Where in a diagram the writer is."""

    def __init__(self) -> None:
        self.row = self.cells = self.depth = 0
        self.has_content = False


class _DiagramWriter:
    def __init__(self, tokens: Tokens) -> None:
        self._in = tokens
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def run(self) -> None:
        self._split()
        texts = self._in.texts
        opened: list[_Diagram] = []
        i = 0
        while i < len(texts):
            token = texts[i]
            diagram = opened[-1] if opened else None
            begins, ends = _is_begin(token), _is_end(token)
            if begins and _name(token) == "CD":
                opened.append(_Diagram())
            elif ends and _name(token) == "CD" and opened:
                opened.pop()
            elif diagram is not None:
                diagram.depth += (token == "{" or begins) - (token == "}" or ends)
                if diagram.depth == 0 and token == "@":
                    end = self._arrow(diagram, i)
                    if end:
                        i = end
                        continue
                elif diagram.depth == 0 and (token.startswith("\\\\") or token == "\\cr"):
                    diagram.row, diagram.cells, diagram.has_content = diagram.row + 1, 0, False
                elif diagram.depth == 0 and token in ("&", "&amp;"):
                    diagram.cells, diagram.has_content = diagram.cells + 1, False
                diagram.has_content |= not token.isspace() and token not in ("&", "&amp;") and token[:2] != "\\\\"
            self._copy(i, i + 1)
            i += 1

    def _split(self) -> None:
        """Takes the signs of arrows apart that the tokenizer has put together."""
        texts, starts, ends = self._in.texts, self._in.starts, self._in.ends
        split = Tokens([], [], [])
        in_diagram = 0
        for text, start, end in zip(texts, starts, ends, strict=True):
            if (_is_begin(text) or _is_end(text)) and _name(text) == "CD":
                in_diagram += 1 if _is_begin(text) else -1
            if in_diagram > 0 and text in _TYPED:
                for k, sign in enumerate(text):
                    split.texts.append(sign)
                    split.starts.append(start + k)
                    split.ends.append(start + k + 1)
            else:
                split.texts.append(_ENTITIES.get(text, text) if in_diagram > 0 else text)
                split.starts.append(start)
                split.ends.append(end)
        self._in = split

    def _arrow(self, diagram: _Diagram, i: int) -> int:
        """Writes the arrow that begins at token ``i`` in a cell of its own; the token after it, 0 if it is not an
        arrow."""
        at = self._visible(i + 1)
        sign = self._in.texts[at]
        labels: list[tuple[int, int]] = []
        end = at + 1
        if sign in _HORIZONTAL or sign in _VERTICAL:
            for _ in range(2):
                closing = self._closing(sign, end)
                if not closing:
                    return 0
                labels.append((end, closing))
                end = closing + 1
        elif sign not in _LINES:
            return 0
        missing = (diagram.cells + diagram.has_content + (diagram.row % 2 == 0)) % 2
        for _ in range(diagram.has_content + missing):
            self._write(i, at, "&")
        diagram.cells += diagram.has_content + missing + 1
        diagram.has_content = False
        self._draw(sign, labels, i, at)
        self._write(i, at, "&")
        return end

    def _draw(self, sign: str, labels: list[tuple[int, int]], i: int, at: int) -> None:
        if sign in _LINES:
            self._write(i, at, *filter(None, [_LINES[sign]]))
            return
        (first, after_first), (second, after_second) = labels
        if sign in _HORIZONTAL:
            self._write(i, at, _HORIZONTAL[sign])
            if any(not text.isspace() for text in self._in.texts[second:after_second]):
                self._write(i, at, "[", "{")
                self._copy(second, after_second)
                self._write(i, at, "}", "]")
            self._write(i, at, "{")
            self._copy(first, after_first)
            self._write(i, at, "}")
            return
        self._write(i, at, "{")
        self._copy(first, after_first)
        self._write(i, at, "}", _VERTICAL[sign], "{")
        self._copy(second, after_second)
        self._write(i, at, "}")

    def _closing(self, sign: str, i: int) -> int:
        """Where the sign is that ends the label beginning at token ``i``, 0 where it does not follow."""
        depth = 0
        for j in range(i, min(len(self._in.texts), i + _MAX_LABEL)):
            text = self._in.texts[j]
            if text == sign and depth == 0:
                return j
            depth += (text == "{" or _is_begin(text)) - (text == "}" or _is_end(text))
            if depth < 0 or (depth == 0 and (text == "&" or text.startswith("\\\\"))):
                return 0
        return 0

    def _visible(self, i: int) -> int:
        while self._in.texts[i].isspace():
            i += 1
        return i

    def _copy(self, first: int, end: int) -> None:
        self.texts += self._in.texts[first:end]
        self.starts += self._in.starts[first:end]
        self.ends += self._in.ends[first:end]

    def _write(self, i: int, at: int, *texts: str) -> None:
        for text in texts:
            self.texts.append(text)
            self.starts.append(self._in.starts[i])
            self.ends.append(self._in.ends[at])
