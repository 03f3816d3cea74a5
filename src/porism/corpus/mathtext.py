"""Formulas in plain and Markdown text: ``$…$``, ``$$…$$``, ``\\(…\\)``, ``\\[…\\]`` and bare environments.

A dollar opens a formula when another one closes it in the same paragraph, at the same depth of braces (so that
``$x \\text{ if $y$ is}$`` is one formula). A pair that reads as prices (``$5 and $10``) or that has caught prose
between two formulas is left as text (:mod:`porism.corpus.dollars`). Whatever finds no partner stays in the text and
is reported.

In Markdown, code is left alone, and ``\\\\(…\\\\)`` and ``\\\\[…\\\\]`` (their backslash is escaped) are formulas too.
A ``$$`` that begins a line may find its partner beyond a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.base import clean
from porism.corpus.dollars import CONTEXT, MAX_BODY, is_formula, is_plain
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

MATH_ENVIRONMENTS = frozenset(
    f"{name}{star}"
    for name in (
        "align", "alignat", "aligned", "alignedat", "array", "Bmatrix", "bmatrix", "cases", "CD", "dcases",
        "displaymath", "dmath", "eqnarray", "equation", "flalign", "gather", "gathered", "math", "matrix", "multline",
        "multlined", "pmatrix", "rcases", "smallmatrix", "split", "subequations", "tikzcd", "Vmatrix", "vmatrix",
        "xalignat", "xxalignat",
    )
    for star in ("", "*")
)
"""Environments that are formulas where text contains them without delimiters."""

_HINTS = re.compile(r"\$|\\[(\[]|\\begin")
_TOKEN = re.compile(
    r"\$|[{}]|(?:\r\n|\r(?!\n)|\n)[ \t]*(?:\r\n|\r(?!\n)|\n)\s*"  # a dollar, a brace, a blank line
    r"|\\(?:begin|end)\s{0,8}\{\s{0,8}([A-Za-z]{1,32}\*?)\s{0,8}\}"
    r"|\\(?:[^\r\n]|(?=[\r\n])|\Z)"  # any other character after a backslash: \$ \\ \{ \( …
)
_MARKDOWN_TOKEN = re.compile(r"\\\\[()\[\]]|" + _TOKEN.pattern + r"|`+|(?m:^[ ]{0,3}~~~+)")
_PARTNERS = {"(": ")", "[": "]", "\\\\(": "\\\\)", "\\\\[": "\\\\]"}
_LINE_START = re.compile(r"(?:\A|[\r\n])[ \t>]{0,40}\Z")
_LABEL = r"\{#[^{}\n]{1,200}\}|\([A-Za-z][\w:.-]{0,200}\)"
"""The label of a display, as Quarto and MyST write it."""
_LINE_END = re.compile(rf"[ \t]{{0,40}}(?:{_LABEL})?[.,;]?[ \t]{{0,40}}(?=[\r\n]|\Z)")
_HEADING = re.compile(r"[\r\n] {0,3}#")
_MAX_DISPLAY_LENGTH = 10_000
"""A display with blank lines in it has at most so many characters."""


def split_math(text: str, *, code: bool = False, where: str = "text", on_problem: OnProblem | None = None) -> Content:
    """Finds the formulas of a text.

    Delimiters are dropped and ``\\$`` in the text becomes ``$``; a bare environment keeps its ``\\begin`` and ``\\end``
    in the formula's source. Empty formulas are dropped, control characters become spaces. Time is linear in the
    length of the text.

    :param code: leave formulas alone in Markdown's code spans and fenced code blocks.
    :param where: what a reported problem names as its place.
    :param on_problem: receives delimiters without a partner, at most once a text.
    """
    text = clean(text)
    if _HINTS.search(text) is None:
        return Content(text)
    unbalanced: list[int] = []
    parts = split_parts(text, code=code, on_unbalanced=unbalanced.append)
    if unbalanced and on_problem is not None:
        on_problem(Problem(where, describe_unbalanced(text, unbalanced)))
    return Content.of(*parts)


def describe_unbalanced(text: str, positions: list[int]) -> str:
    """One sentence on delimiters without a partner at these offsets of a text."""
    first = positions[0]
    excerpt = " ".join(text[max(0, first - 20):first + 30].split())
    more = f", and {len(positions) - 1} more" if len(positions) > 1 else ""
    return f"a formula delimiter without its partner is kept as text at character {first + 1} (near {excerpt!r}){more}"


def split_parts(
    text: str, *, code: bool = False, on_unbalanced: Callable[[int], None] | None = None
) -> list[str | Formula]:
    """The strings and formulas of a text, in order; ``on_unbalanced`` gets the offset of each lonely delimiter."""
    parts: list[str | Formula] = []
    done = 0
    for start, end, formula in _Splitter(text, code, on_unbalanced).run():
        if done < start:
            parts.append(text[done:start])
        if formula is not None:
            parts.append(formula)
        done = end
    if done < len(text):
        parts.append(text[done:])
    return parts


def markdown_spans(
    text: str, *, code: bool = True, on_unbalanced: Callable[[int], None] | None = None
) -> list[tuple[int, int, Formula | None]]:
    """The positions of the formulas of a text, in order: (start, end, formula), None for delimiters with nothing
    between.

    Escaped dollars are left to whoever reads the rest of the text.
    """
    if _HINTS.search(text) is None:
        return []
    spans = _Splitter(text, code, on_unbalanced).run()
    return [span for span in spans if span[2] is not None or span[1] - span[0] > 1]


class _Splitter:
    """One pass that finds the tokens, one from the right that finds what closes what, one that cuts."""

    def __init__(self, text: str, code: bool, on_unbalanced: Callable[[int], None] | None) -> None:
        self.text = text
        self.code = code
        self.on_unbalanced = on_unbalanced
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.kinds: list[str] = []  # $ ( ) [ ] \\( \\) \\[ \\] \$ b(egin) e(nd) ` ~
        self.depths: list[int] = []
        self.paragraphs: list[int] = []
        self.names: dict[int, str] = {}
        self._find_tokens(_MARKDOWN_TOKEN if code else _TOKEN)
        self._pair()

    def _find_tokens(self, pattern: re.Pattern[str]) -> None:
        text, depth, paragraph = self.text, 0, 0
        for match in pattern.finditer(text):
            token = match.group()
            first = token[0]
            if first == "{":
                depth += 1
                continue
            if first == "}":
                depth -= 1
                continue
            if first == "$" or first == "`" or first == "~":
                kind = first
            elif first == "\\":
                name = match.group(1)
                if name is not None:
                    if name not in MATH_ENVIRONMENTS:
                        continue
                    kind = "b" if token[1] == "b" else "e"
                    self.names[len(self.starts)] = name
                elif token[1:] in "()[]$" and len(token) == 2:
                    kind = "\\$" if token == "\\$" else token[1]
                elif len(token) == 3:
                    kind = token
                else:
                    continue
            else:  # a blank line
                depth = 0
                paragraph += 1
                continue
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.kinds.append(kind)
            self.depths.append(depth)
            self.paragraphs.append(paragraph)

    def _pair(self) -> None:
        """Finds, from the right, the token that would close each opening token; 0 where there is none."""
        kinds, depths, paragraphs, starts = self.kinds, self.depths, self.paragraphs, self.starts
        count = len(kinds)
        self.closing = closing = [0] * count
        self.closing_double = closing_double = [0] * count
        self.double_anywhere = double_anywhere = [0] * count
        double = 0
        last: dict[tuple[str, int], int] = {}  # (kind, depth) → nearest token to the right in this paragraph
        nearest: dict[str, int] = {}  # kind → the same at any depth
        open_ends: dict[str, list[int]] = {}  # environment → its \end tokens to the right, not yet taken
        fences: dict[tuple[str, int], int] = {}
        paragraph = -1
        for token in range(count - 1, -1, -1):
            kind, depth = kinds[token], depths[token]
            if paragraphs[token] != paragraph:
                paragraph = paragraphs[token]
                last.clear()
                nearest.clear()
            if kind == "$":
                closing[token] = last.get(("$", depth)) or nearest.get("$", 0)
                closing_double[token] = last.get(("$$", depth)) or nearest.get("$$", 0)
                double_anywhere[token] = double
                if token + 1 < count and kinds[token + 1] == "$" and starts[token + 1] == starts[token] + 1:
                    last["$$", depth] = nearest["$$"] = double = token
                last["$", depth] = nearest["$"] = token
            elif kind in _PARTNERS:
                partner = _PARTNERS[kind]
                closing[token] = last.get((partner, depth)) or nearest.get(partner, 0)
            elif kind in (")", "]", "\\\\)", "\\\\]"):
                last[kind, depth] = nearest[kind] = token
            elif kind == "e":
                open_ends.setdefault(self.names[token], []).append(token)
            elif kind == "b":
                ends = open_ends.get(self.names[token])
                if ends:
                    closing[token] = ends.pop()
            elif kind in ("`", "~"):
                size = self.ends[token] - starts[token]
                partner_token = fences.get((kind, size), 0)
                if size >= 3 or paragraphs[partner_token] == paragraph:  # a code span ends in its paragraph
                    closing[token] = partner_token
                fences[kind, size] = token

    def run(self) -> list[tuple[int, int, Formula | None]]:
        """What to cut out, as (start, end, formula): None for empty formulas and for the backslash of ``\\$``."""
        text, starts, ends, kinds, closing = self.text, self.starts, self.ends, self.kinds, self.closing
        cuts: list[tuple[int, int, Formula | None]] = []
        token, count = 0, len(kinds)
        while token < count:
            kind, start = kinds[token], starts[token]
            close, opened, display, after = 0, ends[token], False, 0
            if kind == "$":
                if token + 1 < count and kinds[token + 1] == "$" and starts[token + 1] == start + 1:
                    close, opened, display = self._display_close(token), start + 2, True
                    after = close + 1
                    if not close and token + 2 < count and closing[token + 1] and not self._is_double(token + 1):
                        self._report(start)  # $$x$: the second dollar may still open an inline formula
                        token += 1
                        continue
                else:
                    close = after = closing[token]
                    if close and not self._is_formula(token, close):
                        if not self._is_plain(token):
                            self._report(start)
                        token += 1
                        continue
            elif kind in _PARTNERS or kind == "b":
                close = after = closing[token]
                display = kind[-1] != "("
            elif kind in "`~":
                token = closing[token] + 1 if closing[token] else token + 1
                continue
            elif kind == "\\$":
                cuts.append((start, start + 1, None))
                token += 1
                continue
            if not close:
                if kind in "$)](b[e" and not (kind == "$" and not display and self._is_plain(token)):
                    self._report(start)
                token += 2 if kind == "$" and display else 1
                continue
            end = ends[after]
            source = text[start:end] if kind == "b" else text[opened:starts[close]].strip()
            cuts.append((start, end, Formula(source, display=display) if source else None))
            token = after + 1
        return cuts

    def _is_double(self, token: int) -> bool:
        return (
            token + 1 < len(self.kinds) and self.kinds[token + 1] == "$" and self.starts[token + 1] == self.ends[token]
        )

    def _display_close(self, token: int) -> int:
        """The first of the two dollars that close the ``$$`` at this token, 0 where there are none."""
        if self.closing_double[token + 1] > token + 1:
            return self.closing_double[token + 1]
        close = self.double_anywhere[token + 1]
        if not self.code or close <= token + 1:
            return 0
        text, start, end = self.text, self.starts[token], self.starts[close]
        if end - start > _MAX_DISPLAY_LENGTH or not _LINE_START.search(text, max(0, start - 42), start):
            return 0
        return 0 if _HEADING.search(text, start, end) or not _LINE_END.match(text, end + 2) else close

    def _is_formula(self, token: int, close: int) -> bool:
        """Whether two single dollars are the delimiters of a formula."""
        opened, closed, after = self.ends[token], self.starts[close], self.ends[close]
        body = self.text[opened : min(closed, opened + MAX_BODY)]
        return is_formula(self._before(token), body, self.text[after : after + CONTEXT])

    def _is_plain(self, token: int) -> bool:
        opened = self.ends[token]
        return is_plain(self._before(token), self.text[opened : opened + CONTEXT])

    def _before(self, token: int) -> str:
        start = self.starts[token]
        return self.text[max(0, start - CONTEXT) : start]

    def _report(self, position: int) -> None:
        if self.on_unbalanced is not None:
            self.on_unbalanced(position)
