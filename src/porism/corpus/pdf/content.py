"""The marks of a page, in the order in which its content stream makes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from porism.corpus.pdf.fonts import Font
from porism.corpus.pdf.marks import AXIS, Mark

Matrix = tuple[float, float, float, float, float, float]

_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
MAX_MARKS = 60_000
"""A page with more marks is a drawing: the rest of it is left out."""
MAX_FORMS = 8
"""Forms within forms; PDF allows loops."""
MAX_OPERATORS = 300_000
MAX_RULE_HEIGHT = 2.0
_ON_AXIS = ("tall", "piece")
"""Marks of these kinds are centred on the axis of formulas."""

_TOKEN = re.compile(
    rb"[\x00\t\n\f\r ]*(?:%[^\r\n]*|([+-]?(?:\d+\.?\d*|\.\d+)(?:-\d+)?)|\(((?:[^()\\]|\\[\x00-\xff])*)\)"
    rb"|/([^\x00-\x20()<>\[\]{}/%]*)"
    rb"|([A-Za-z'\"*][A-Za-z0-9*'\"]*)|(\[)|(\])|<([0-9A-Fa-f\s]*)>|(<<|>>|[^\x00\s])|\Z)"
)
_NUMERAL = rb"[+-]?(?:\d+\.?\d*|\.\d+)"
_ARRAY = re.compile(rb"(?:\s+|" + _NUMERAL + rb"|\((?:[^()\\]|\\[\x00-\xff])*\)|<[0-9A-Fa-f\s]*>)*\]")
_ITEM = re.compile(rb"(" + _NUMERAL + rb")|\(((?:[^()\\]|\\[\x00-\xff])*)\)|<([0-9A-Fa-f\s]*)>")
_ESCAPE = re.compile(rb"\\([nrtbf()\\]|[0-7]{1,3}|\r\n|[\x00-\xff])")
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
_IMAGE_END = re.compile(rb"[\s]EI(?=[\s]|$)")


def multiply(first: Matrix, second: Matrix) -> Matrix:
    """The transformation that applies ``first``, then ``second``."""
    a, b, c, d, e, f = first
    a2, b2, c2, d2, e2, f2 = second
    return (
        a * a2 + b * c2, a * b2 + b * d2, c * a2 + d * c2, c * b2 + d * d2, e * a2 + f * c2 + e2, e * b2 + f * d2 + f2,
    )


def tokens(data: bytes) -> Iterator[tuple[int, Any]]:
    """The tokens of a content stream: (kind, value), where kinds are the groups of the pattern; 4 is an operator,
    and 9 an array of strings and numbers."""
    place, end = 0, len(data)
    match = _TOKEN.match
    while place < end:
        token = match(data, place)
        if token is None:
            place += 1
            continue
        place = token.end()
        kind = token.lastindex
        if kind is None:
            continue
        value = token.group(kind)
        if kind == 5 and (array := _ARRAY.match(data, place)) is not None:  # strings and numbers alone
            place = array.end()
            yield 9, [
                float(number) if number else _unescaped(text) if not digits else _from_hex(digits)
                for number, text, digits in _ITEM.findall(array.group())
            ]
        elif kind == 4:
            if value == b"ID":  # the bytes of an image
                closing = _IMAGE_END.search(data, place)
                place = closing.end() if closing else end
                continue
            yield 4, value
        elif kind == 8 and value == b"(":  # with brackets inside
            text, place = _nested(data, place)
            yield 2, text
        else:
            yield kind, value


def _nested(data: bytes, place: int) -> tuple[bytes, int]:
    depth, start, end = 1, place, min(len(data), place + 65_536)
    while place < end:
        byte = data[place]
        if byte == 0x5C:
            place += 1
        elif byte == 0x28:
            depth += 1
        elif byte == 0x29:
            depth -= 1
            if not depth:
                return data[start:place], place + 1
        place += 1
    return data[start:place], place


def _unescaped(text: bytes) -> bytes:
    return _ESCAPE.sub(_unescape, text) if b"\\" in text else text


def _unescape(match: re.Match[bytes]) -> bytes:
    char = match.group(1)
    if char[:1].isdigit():
        try:
            return bytes((int(char, 8) & 255,))
        except ValueError:
            return char
    return _ESCAPED.get(char, char)


def _from_hex(text: bytes) -> bytes:
    digits = b"".join(text.split())
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))


class PageContent:
    """Carries out the operators of content streams that show text or draw rules.

    :param font_of: the font of a name in the resources of a page or form.
    :param form_of: the stream, matrix and resources of a form, None for images.
    """

    def __init__(
        self, font_of: Callable[[Mapping[str, Any], str], Font | None],
        form_of: Callable[[Mapping[str, Any], str], tuple[bytes, Matrix, Mapping[str, Any]] | None],
    ) -> None:
        self._font_of, self._form_of = font_of, form_of
        self.marks: list[Mark] = []
        self.images = 0
        self.is_cut = False
        self.unread_bytes = 0
        """Of strings whose font is missing or damaged."""
        self._left = MAX_OPERATORS

    def run(self, data: bytes, ctm: Matrix, resources: Mapping[str, Any], depth: int = 0) -> None:
        """Carries out one stream."""
        state = _State(ctm)
        saved: list[_State] = []
        operands: list[Any] = []
        array: list[Any] | None = None
        item: Any
        for kind, value in tokens(data):
            if kind == 1 and array is None:
                if len(operands) < 64:
                    operands.append(_number(value))
                continue
            if kind == 4:
                self._left -= 1
                if self._left < 0 or len(self.marks) > MAX_MARKS:
                    self.is_cut = True
                    return
                if value == b"q":
                    if len(saved) < 256:
                        saved.append(state.copy())
                elif value == b"Q":
                    if saved:
                        state = saved.pop()
                elif value == b"Do":
                    self._do(state.ctm, resources, operands, depth)
                else:
                    operator = _OPERATORS.get(value)
                    if operator is not None:
                        with suppress(ValueError, TypeError, IndexError, OverflowError):  # operands do not fit
                            operator(self, state, operands, resources)
                operands, array = [], None
                continue
            if kind == 1:
                item = _number(value)
            elif kind == 2:
                item = _unescaped(value)
            elif kind == 3:
                item = value.decode("latin-1")
            elif kind == 7:
                item = _from_hex(value)
            elif kind == 9:
                item = value
            elif kind == 5:
                array = []
                continue
            elif kind == 6:
                item, array = array or [], None
            else:
                continue
            if array is not None:
                array.append(item)
            elif len(operands) < 64:
                operands.append(item)

    def _do(self, ctm: Matrix, resources: Mapping[str, Any], operands: list[Any], depth: int) -> None:
        if not operands or not isinstance(operands[-1], str) or depth >= MAX_FORMS:
            return
        form = self._form_of(resources, operands[-1])
        if form is None:
            self.images += 1
            return
        data, matrix, own = form
        self.run(data, multiply(matrix, ctm), own or resources, depth + 1)

    def show(self, state: _State, text: bytes) -> None:
        """Shows a string."""
        font = state.font
        if font is None:
            self.unread_bytes += len(text)
            return
        a, b, c, d, e, f = multiply(state.matrix, state.ctm) if state.ctm != _IDENTITY else state.matrix
        scale, size = state.scale, state.size
        height = abs(d) * size
        is_shown = abs(b) <= 0.05 * abs(a) and a > 0 and height > 0.5  # text at a slant is no line of the page
        rise, space = state.rise, state.char_space
        glyphs, marks, name = font.glyphs, self.marks, font.name
        start, y, step = c * rise + e, d * rise + f, a * scale
        x = 0.0
        for code in font.codes(text):
            char, latex, kind, width, top, bottom, is_math, style, reach = glyphs.get(code) or font.glyph(code)
            advance = width * size
            if is_shown and char != " ":
                left = start + step * x
                right = left + step * advance
                if right < left:
                    left, right = right, left
                mark = Mark(
                    char, latex, kind, left, right + reach * height, y, height, y + top * height, y + bottom * height,
                    name, style, is_math,
                )
                if kind in _ON_AXIS and latex != "√":
                    mark.axis = mark.middle
                    mark.y = mark.axis - AXIS * height
                marks.append(mark)
            x += advance + space
            if code == 32 and not font.is_wide:
                x += state.word_space
        state.move(x * scale)

    def rule(self, ctm: Matrix, x0: float, y0: float, x1: float, y1: float, thickness: float) -> None:
        """A straight stroke or a filled rectangle; only flat ones are marks."""
        a, b, c, d, e, f = ctm
        left, right = sorted((a * x0 + c * y0 + e, a * x1 + c * y1 + e))
        low, high = sorted((b * x0 + d * y0 + f, b * x1 + d * y1 + f))
        thickness *= abs(d) or abs(b)
        if high - low + thickness < MAX_RULE_HEIGHT and right - left > 1.0:
            y = (low + high) / 2
            half = max(0.1, (high - low + thickness) / 2)
            mark = Mark("", "", "rule", left, right, y, 0.0, y + half, y - half)
            self.marks.append(mark)


class _State:
    __slots__ = (
        "char_space", "ctm", "font", "leading", "line", "line_width", "matrix", "path", "point", "rise", "scale",
        "size", "word_space",
    )

    def __init__(self, ctm: Matrix) -> None:
        self.ctm = ctm
        self.font: Font | None = None
        self.size = self.char_space = self.word_space = self.leading = self.rise = 0.0
        self.scale = self.line_width = 1.0
        self.matrix = self.line = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        self.path: list[tuple[float, float, float, float, bool]] = []
        self.point: tuple[float, float] | None = None

    def copy(self) -> _State:
        other = _State(self.ctm)
        for name in ("font", "size", "char_space", "word_space", "leading", "rise", "scale", "line_width"):
            setattr(other, name, getattr(self, name))
        return other

    def move(self, x: float) -> None:
        a, b, c, d, e, f = self.matrix
        self.matrix = (a, b, c, d, e + a * x, f + b * x)

    def next_line(self, x: float, y: float) -> None:
        a, b, c, d, e, f = self.line
        self.matrix = self.line = (a, b, c, d, e + a * x + c * y, f + b * x + d * y)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _show_array(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    for item in operands[-1]:
        if isinstance(item, bytes):
            page.show(state, item)
        elif isinstance(item, float):
            state.move(-item / 1000 * state.size * state.scale)


def _set_font(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    name, size = operands[-2:]
    state.font, state.size = page._font_of(resources, name), float(size)


def _begin_text(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    state.matrix = state.line = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _set_matrix(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    a, b, c, d, e, f = operands[-6:]
    state.matrix = state.line = (a, b, c, d, e, f)


def _concatenate(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    a, b, c, d, e, f = operands[-6:]
    state.ctm = multiply((a, b, c, d, e, f), state.ctm)


def _move_line(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    x, y = operands[-2:]
    state.next_line(x, y)


def _move_line_leading(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    x, y = operands[-2:]
    state.leading = -y
    state.next_line(x, y)


def _next_line(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    state.next_line(0.0, -state.leading)


def _show(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    if isinstance(operands[-1], bytes):
        page.show(state, operands[-1])


def _show_next(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    state.next_line(0.0, -state.leading)
    _show(page, state, operands, resources)


def _show_spaced(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    state.word_space, state.char_space = operands[-3:-1]
    _show_next(page, state, operands, resources)


def _setter(name: str, factor: float = 1.0) -> Callable[[PageContent, _State, list[Any], Mapping[str, Any]], None]:
    def set_value(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
        setattr(state, name, operands[-1] * factor)

    return set_value


def _rectangle(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    x, y, width, height = operands[-4:]
    state.path.append((x, y, x + width, y + height, True))


def _move_to(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    x, y = operands[-2:]
    state.point = (x, y)


def _line_to(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    x, y = operands[-2:]
    if state.point is not None:
        state.path.append((*state.point, x, y, False))
    state.point = (x, y)


def _curve_to(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
    state.point = (operands[-2], operands[-1])
    state.path.append((0.0, 0.0, 0.0, 1e9, False))  # the path is a drawing


def _paint(fills: bool, strokes: bool) -> Callable[[PageContent, _State, list[Any], Mapping[str, Any]], None]:
    def paint(page: PageContent, state: _State, operands: list[Any], resources: Mapping[str, Any]) -> None:
        path, state.path, state.point = state.path, [], None
        if not (fills or strokes) or any(y1 == 1e9 for _, _, _, y1, _ in path):
            return
        if len(path) in (3, 4) and not any(is_box for *_, is_box in path) and fills:  # a rectangle drawn by its sides
            xs = [x for x0, _, x1, _, _ in path for x in (x0, x1)]
            ys = [y for _, y0, _, y1, _ in path for y in (y0, y1)]
            path = [(min(xs), min(ys), max(xs), max(ys), True)]
        for x0, y0, x1, y1, is_box in path:
            if is_box or strokes:
                page.rule(state.ctm, x0, y0, x1, y1, 0.0 if is_box and fills else state.line_width)

    return paint


_OPERATORS: dict[bytes, Callable[[PageContent, _State, list[Any], Mapping[str, Any]], None]] = {
    b"TJ": _show_array, b"Tj": _show, b"'": _show_next, b'"': _show_spaced, b"Tf": _set_font, b"BT": _begin_text,
    b"Tm": _set_matrix, b"cm": _concatenate, b"Td": _move_line, b"TD": _move_line_leading, b"T*": _next_line,
    b"Tc": _setter("char_space"), b"Tw": _setter("word_space"), b"Tz": _setter("scale", 0.01),
    b"TL": _setter("leading"), b"Ts": _setter("rise"), b"w": _setter("line_width"), b"re": _rectangle, b"m": _move_to,
    b"l": _line_to, b"c": _curve_to, b"v": _curve_to, b"y": _curve_to, b"S": _paint(False, True),
    b"s": _paint(False, True), b"f": _paint(True, False), b"F": _paint(True, False), b"f*": _paint(True, False),
    b"B": _paint(True, True), b"B*": _paint(True, True), b"b": _paint(True, True), b"b*": _paint(True, True),
    b"n": _paint(False, False),
}
