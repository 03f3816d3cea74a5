"""What pandoc gets of a document: formulas that it would lose or change are taken out before, and put back after."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple, Protocol

from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.markdown.masking import Masked
from porism.errors import OnProblem
from porism.formula import parse_plain, to_latex
from porism.types import Formula


class Tokens(Protocol):
    """Formulas that were taken out of a document."""

    def parts(self, text: str) -> list[str | Formula]:
        """A piece of text with formulas in place of tokens."""
        ...

    def raw(self, text: str) -> str:
        """A piece of text as it was written."""
        ...


class Prepared(NamedTuple):
    """What pandoc is to read, and the formulas that were taken out of it."""

    data: bytes
    tokens: Tokens | None = None

    @property
    def is_masked(self) -> bool:
        """Whether all formulas between delimiters were taken out."""
        return isinstance(self.tokens, Masked)

    def parts(self, text: str) -> list[str | Formula]:
        """A piece of text with formulas in place of tokens."""
        return self.tokens.parts(text) if self.tokens is not None and not text.isascii() else [text]

    def raw(self, text: str) -> str:
        """A piece of text as it was written."""
        return self.tokens.raw(text) if self.tokens is not None and not text.isascii() else text


def prepared_text(text: str, format: str, where: str, on_problem: OnProblem) -> Prepared:
    """A text whose formulas stand between dollars or in the marks of its format."""
    marks = _MARKS.get(format)
    masked = Masked(marks(text) if marks is not None else text, code=False)
    masked.report_unbalanced(where, on_problem)
    return Prepared(masked.text.encode(), masked)


def with_whole_characters(rtf: str) -> str:
    """RTF whose characters beyond 16 bits, which it writes as two (``\\u-10187?\\u-9135?``), are one."""
    return _SURROGATES.sub(lambda match: _character(int(match[1]) % 65536, int(match[2]) % 65536) or match[0], rtf)


def _character(high: int, low: int) -> str:
    """The character of two surrogates, empty where they are none."""
    if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
        return ""
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _asciidoc(text: str) -> str:
    """AsciiDoc with its formulas between LaTeX's delimiters."""
    stem = match.group(1) if (match := _STEM.search(text)) is not None else "asciimath"

    def inline(match: re.Match[str]) -> str:
        inside = match["nested"] if match["nested"] is not None else match["plain"]
        return _delimited(inside.replace("\\]", "]"), match["notation"], stem, "()")

    return _ASCIIDOC_INLINE.sub(inline, _with_asciidoc_blocks(text, stem))


def _with_asciidoc_blocks(text: str, stem: str) -> str:
    """AsciiDoc with its displayed formulas between LaTeX's delimiters."""
    parts: list[str] = []
    done = 0
    for start in _ASCIIDOC_BLOCK.finditer(text):
        if start.start() < done:
            continue
        end = _ASCIIDOC_END.search(text, start.end() - 1)
        if end is None:
            break
        body = text[start.end() : max(start.end(), end.start())]
        parts += [text[done : start.start()], _delimited(body, start["notation"], stem, "[]")]
        done = end.end()
    return "".join([*parts, text[done:]])


def _delimited(formula: str, notation: str, stem: str, marks: str) -> str:
    formula = formula.strip().removeprefix("$").removesuffix("$")
    if (stem if notation == "stem" else notation) == "asciimath":
        formula = to_latex(parse_plain(formula, "asciimath"))
    return f"\\{marks[0]}{formula}\\{marks[1]}"


_SURROGATES = re.compile(r"\\u(-?\d{4,5})[ ]?\?\\u(-?\d{4,5})[ ]?\?")
_STEM = re.compile(r"(?m)^:stem:[ \t]*(latexmath)\b")
_NOTATION = r"(?P<notation>stem|latexmath|asciimath)"
_ASCIIDOC_BLOCK = re.compile(rf"(?m)^\[{_NOTATION}[^\]\n]*\][ \t]*\n(?:\.[^\n]*\n)?\+\+\+\+[ \t]*\n")
_ASCIIDOC_END = re.compile(r"\n\+\+\+\+(?!\+)")
_NO_END = r"\\.|\n(?!\s*\n)"
_ASCIIDOC_INLINE = re.compile(
    rf"(?<!\w){_NOTATION}:[a-z,]{{0,20}}\[(?:"
    rf"(?P<nested>(?:{_NO_END}|[^\[\]\\\n]|\[(?:{_NO_END}|[^\[\]\\\n]){{0,500}}+\]){{0,2000}}+)"
    rf"|(?P<plain>(?:{_NO_END}|[^\]\\\n]){{0,2000}}+))\]"
)
_ELEMENT = re.compile(
    r"<(?P<name>math|latex|tex|jsmath|ce|chem)\b(?P<attributes>[^<>\n]{0,200})>"
    r"(?P<body>(?:(?!</?(?P=name)\b).){0,5000})</(?P=name)\s*>", re.DOTALL | re.IGNORECASE,
)
_SPAN = re.compile(r"<span class=\"math[^<>\"]{0,40}\">(?P<body>(?:(?!</?span\b).){0,5000})</span>", re.DOTALL)


def _elements(text: str) -> str:
    """Text with the formulas of elements (``<math>``, ``<latex>``, ``<ce>``) between LaTeX's delimiters."""

    def formula(match: re.Match[str]) -> str:
        body = strip_delimiters(unescape(match["body"]))[0]
        if match["name"].lower() in ("ce", "chem"):
            body = f"\\ce{{{body}}}"
        display = "block" in match["attributes"]
        return f"\\[{body}\\]" if display else f"\\({body}\\)"

    return _ELEMENT.sub(formula, text)


_MARKS: dict[str, Callable[[str], str]] = {
    "asciidoc": _asciidoc,
    "dokuwiki": _elements,
    "textile": lambda text: _SPAN.sub(lambda match: f"\\({strip_delimiters(match['body'])[0]}\\)", text),
}
"""Format → what puts its formulas between LaTeX's delimiters."""
