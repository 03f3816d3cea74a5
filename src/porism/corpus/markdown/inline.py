"""Running text of Markdown as content: emphasis, links, images, code and references become text around formulas."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from porism.corpus.base import clean
from porism.corpus.formula_sources import one_line
from porism.corpus.html.content import formula_of_math
from porism.corpus.markdown.masking import TOKEN, Masked
from porism.corpus.markdown.parser import MAX_INLINE, inline_tokens
from porism.corpus.markdown.vault import tags_of
from porism.corpus.references import reference_text
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

_CROSS_REFERENCE = re.compile(
    r"@((?:thm|lem|cor|prp|cnj|def|exm|exr|eq|sec|fig|tbl|rem|sol|alg)-[\w:.-]{0,100}[\w])"
)
_LABELLED = re.compile(rf"{TOKEN}[ \t]*\{{#([\w:.-]+)[^{{}}\n]*\}}(\n?)")
_TARGETED = re.compile(r"(.*?)\s*<([^<>]*)>\Z", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_REFERENCES = frozenset(("eq", "ref", "numref", "prf:ref"))


def markdown_text(text: str, where: str, on_problem: OnProblem | None = None) -> Content:
    """A paragraph of Markdown as content."""
    masked = Masked(text, where=where, on_problem=on_problem)
    return InlineReader(masked, {}, where, on_problem).content(masked.text)


class InlineReader:
    """Reads running text of one masked text.

    :param environment: holds the definitions of links, from the blocks of the text.
    """

    def __init__(
        self, masked: Masked, environment: dict[str, Any], where: str, on_problem: OnProblem | None
    ) -> None:
        self._masked, self._environment = masked, environment
        self._where, self._on_problem = where, on_problem
        self.labels: list[str] = []
        """The labels of formulas (``$$…$$ {#eq-x}``) in what was read."""
        self.tags: list[str] = []
        """The tags (``#algebra``) in what was read."""

    def content(self, text: str, line: int | None = None) -> Content:
        """See :meth:`parts`."""
        return Content.of(*self.parts(text, line))

    def parts(self, text: str, line: int | None = None) -> list[str | Formula]:
        """The strings and formulas of running text with tokens for formulas; ``line`` is for what is reported."""
        if "{#" in text:
            text = _LABELLED.sub(self._label, text)
        if len(text) > MAX_INLINE:
            self._report(line, f"a paragraph of {len(text):,} characters is too long for its marks to be read")
            return self._masked.parts(text)
        try:
            tokens = inline_tokens(text, self._environment)
        except RecursionError:
            self._report(line, "marks are nested too deeply to be read; they stay in the text")
            return self._masked.parts(text)
        pieces: list[str | Formula] = []
        self._walk(tokens, pieces)
        found: list[str | Formula] = []
        for piece in _joined(pieces):
            found.extend([piece] if isinstance(piece, Formula) else self._masked.parts(_referenced(piece)))
        return [clean(part) if isinstance(part, str) else part for part in found]  # entities name any character

    def _walk(self, tokens: list[Token], pieces: list[str | Formula]) -> None:
        stack = list(reversed(tokens))  # images hold tokens in turn
        mathml: list[str] | None = None
        while stack:
            token = stack.pop()
            kind = token.type
            if kind == "html_inline":
                tag = token.content[:6].lower()
                if mathml is None and tag[:5] == "<math" and not token.content.endswith("/>"):
                    mathml = []
                if mathml is not None:
                    mathml.append(self._masked.raw(token.content))
                    if tag == "</math":
                        formula = formula_of_math("".join(mathml))
                        pieces.append(formula or " ")
                        mathml = None
                elif tag[:3] == "<br":
                    pieces.append("\n")
            elif mathml is not None:
                mathml.append(escape(self._masked.raw(token.content), quote=False))
            elif kind in ("softbreak", "hardbreak"):
                pieces.append("\n")
            elif kind == "code_inline":
                pieces.append(self._masked.raw(token.content))
            elif kind == "image":
                stack.extend(reversed(token.children or []))
            elif kind == "footnote_ref":
                if pieces and isinstance(pieces[-1], str):
                    pieces[-1] = pieces[-1].rstrip(" ")
            elif kind == "myst_role":
                pieces.append(_role(str(token.meta["name"]), self._masked.raw(token.content)))
            elif kind in ("text", "text_special"):
                self.tags += tags_of(token.content)
                pieces.append(token.content)
        if mathml is not None:  # never closed
            pieces.append(unescape(_TAG.sub("", "".join(mathml))))

    def _label(self, match: re.Match[str]) -> str:
        self.labels.append(match.group(3))
        return match.group().partition("{")[0].rstrip() + match.group(4) * 2

    def _report(self, line: int | None, what: str) -> None:
        if self._on_problem is not None:
            self._on_problem(Problem(self._where if line is None else f"{self._where}:{line}", what))


def _joined(pieces: list[str | Formula]) -> list[str | Formula]:
    """The pieces with neighbouring strings in one."""
    found: list[str | Formula] = []
    strings: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        found += ["".join(strings), piece]
        strings = []
    return [*found, "".join(strings)]


def _role(name: str, body: str) -> str | Formula:
    """What one of MyST's roles stands for."""
    if name == "math":
        return Formula(one_line(body)) if body.strip() else ""
    found = _TARGETED.match(body)
    if found and found.group(1):
        return found.group(1)
    if name in _REFERENCES:
        return reference_text("\\eqref" if name == "eq" else "\\cref", found.group(2) if found else body)
    return body


def _referenced(text: str) -> str:
    return _CROSS_REFERENCE.sub(_reference, text) if "@" in text else text


def _reference(match: re.Match[str]) -> str:
    kind, _, rest = match.group(1).partition("-")
    return reference_text("\\cref", f"{kind}:{rest}")
