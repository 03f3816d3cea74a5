"""Running text of Markdown as content: emphasis, links, images, code and references become text around formulas."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from porism.corpus.base import clean
from porism.corpus.formula_sources import one_line
from porism.corpus.html.content import formula_of_math, may_have_no_formulas
from porism.corpus.markdown.heads import attributes_after
from porism.corpus.markdown.masking import TOKEN, Masked
from porism.corpus.markdown.parser import MAX_INLINE, inline_tokens
from porism.corpus.markdown.raw_latex import latex_parts
from porism.corpus.markdown.vault import CODE, tags_of
from porism.corpus.references import link_entry, reference_text, role_text
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

_CROSS_REFERENCE = re.compile(r"@((?:thm|lem|cor|prp|cnj|def|exm|exr|eq|sec|fig|tbl|rem|sol|alg)-[\w:.-]{0,100}[\w])")
_LABELLED = re.compile(
    rf"(?P<formula>{TOKEN})[ \t]*"
    r"(?:\{#(?P<id>[\w:.-]+)[^{}\n]*\}|\((?P<name>[A-Za-z][\w:.-]*)\)[ \t]*(?=\n|\Z))(?P<end>\n?)"
)
_LATEX_REFERENCE = re.compile(
    r"\\(eqref|ref|cref|Cref|autoref|label|nameref)\{([^{}\n]{1,200})\}|@(ref)\(([\w:.-]+)\)|\(ref:[\w:.-]+\) ?"
    r"|\(#((?:fig|tab|eq|thm|lem|cor|prp|def|exm|exr|sec):[\w:.-]+)\) ?"
)
_ELSEWHERE = re.compile(r"[A-Za-z][\w+.-]*:|//")
"""How an address begins that leads out of a folder of notes."""
_RAW_FORMAT = re.compile(r"\{=(\w+)\}")
"""What Pandoc wants after code that is text of another format."""
_TAG = re.compile(r"<[^<>]*>")
_LABELS = frozenset(("label", "eqlabel"))
_SILENT_ROLES = frozenset(("width", "height", "begin_tab", "end_tab", "tag", "raw-html", "raw-latex"))
"""Roles without words of their own."""
_ELEMENT = re.compile(r"<(/?)([A-Za-z][\w-]*)([^>]*)>")
_CODE_ELEMENTS = frozenset(("code", "pre", "kbd", "samp", "tt", "script", "style"))
_UNSEEN_ELEMENTS = frozenset(("script", "style"))
_CJK = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"
_STRONG = re.compile(
    rf"\*\*(?=[^\s*])([^*\n]*[{_CJK}][^*\n]*)(?<=\S)\*\*|(?<=[{_CJK}])\*\*(?=[^\s*])([^*\n]*)(?<=\S)\*\*"
)
"""Strong text whose asterisks CommonMark does not see beside characters that no spaces separate."""

_QUOTATION = re.compile(
    r"(?<!`)``(?=[^\s`])(?P<quoted>(?:\$[^$`\n]{1,200}\$|(?!''|\n[ \t]*\n)[^`$]){1,300}+)''"
    rf"(?!'|[^`\n]*``(?!\w))|{CODE}", re.MULTILINE,
)
"""A quotation as LaTeX writes it, behind which no span of code ends, or code."""


def with_quotation_marks(text: str) -> str:
    """A text in which quotations are not written as LaTeX does, with accents that begin code in Markdown."""
    if "``" not in text or "''" not in text:
        return text
    return _QUOTATION.sub(lambda match: f"“{quoted}”" if (quoted := match["quoted"]) is not None else match[0], text)


def markdown_text(text: str, where: str, on_problem: OnProblem | None = None, first_line: int = 1) -> Content:
    """A paragraph of Markdown as content.

    :param where: what problems name as their place, before the number of the line.
    :param first_line: the number of the first line.
    """
    masked = Masked(with_quotation_marks(text), first_line=first_line)
    masked.report_unbalanced(where, on_problem)
    return InlineReader(masked, {}, where, on_problem).content(masked.text)


class InlineReader:
    """Reads running text of one masked text.

    :param environment: holds the definitions of links, from the blocks of the text.
    """

    def __init__(self, masked: Masked, environment: dict[str, Any], where: str, on_problem: OnProblem | None) -> None:
        self._masked, self._environment = masked, environment
        self._where, self._on_problem = where, on_problem
        self.labels = masked.labels
        """The labels (``$$…$$ {#eq-x}``, ``\\label{eq:x}``) in what was read."""
        self.tags: list[str] = []
        """The tags (``#algebra``) in what was read."""
        self.links: list[str] = []
        """The links to other notes in what was read, as :data:`porism.types.LINKS` keeps them."""
        self._opened = "", 0

    def content(self, text: str, line: int | None = None) -> Content:
        """See :meth:`parts`."""
        return Content.of(*self.parts(text, line))

    def parts(self, text: str, line: int | None = None) -> list[str | Formula]:
        """The strings and formulas of running text with tokens for formulas; ``line`` is for what is reported."""
        if "{#" in text or ")" in text:
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
        parts: list[str | Formula] = []
        for piece in _joined(pieces):
            parts.extend([piece] if isinstance(piece, Formula) else self._masked.parts(self._referenced(piece)))
        return [clean(part) if isinstance(part, str) else part for part in parts]  # entities name any character

    def _walk(self, tokens: list[Token], pieces: list[str | Formula]) -> None:
        stack = list(reversed(tokens))  # images hold tokens in turn
        mathml: list[str] | None = None
        element = _PlainElement()
        while stack:
            token = stack.pop()
            kind = token.type
            if kind == "html_inline" and mathml is None:
                element.see(token.content)
            if element.tag and kind in ("text", "text_special", "wiki_link", "code_inline"):
                pieces.append("" if element.tag in _UNSEEN_ELEMENTS else self._masked.raw(token.content))
            elif kind == "html_inline":
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
            elif kind == "code_inline" and stack and (raw := _RAW_FORMAT.match(stack[-1].content)):
                stack[-1].content = stack[-1].content[raw.end() :]
                if raw.group(1) in ("latex", "tex"):
                    pieces += latex_parts(self._masked.raw(token.content), self.labels)
            elif kind == "code_inline":
                pieces.append(self._masked.raw(token.content))
            elif kind == "image":
                label = token.attrGet("id")
                if stack and stack[-1].content[:1] == "{":  # as Pandoc writes them: width=50%
                    stack[-1].content, label = attributes_after(stack[-1].content)
                self.labels += [str(label)] if label else ()
                stack.extend(reversed(token.children or []))
            elif kind in ("link_open", "link_close"):
                self._link(token, pieces)
            elif kind == "footnote_ref":
                if pieces and isinstance(pieces[-1], str):
                    pieces[-1] = pieces[-1].rstrip(" ")
            elif kind == "latex":
                pieces += latex_parts(self._masked.raw(token.content), self.labels)
            elif kind == "myst_role":
                name, body = str(token.meta["name"]), self._masked.raw(token.content)
                self.labels += [body] if name in _LABELS else ()
                pieces.append(_role(name, body))
            elif kind == "wiki_link":
                self.links += [link_entry(token.meta["link"], token.content)] if token.meta["link"] else ()
                pieces.append(token.content)
            elif kind in ("text", "text_special"):
                self.tags += tags_of(token.content)
                pieces.append(_STRONG.sub(r"\1\2", token.content) if "**" in token.content else token.content)
        if mathml is not None:  # never closed
            pieces.append(unescape(_TAG.sub("", "".join(mathml))))

    def _link(self, token: Token, pieces: list[str | Formula]) -> None:
        """Notes where a link leads and where its text begins, or, at its end, the link to another note."""
        if token.type == "link_open":
            self._opened = unquote(str(token.attrGet("href") or "")), len(pieces)
            return
        target, first = self._opened
        if target and not _ELSEWHERE.match(target):
            self.links.append(link_entry(target, "".join(piece for piece in pieces[first:] if isinstance(piece, str))))

    def _label(self, match: re.Match[str]) -> str:
        if match.group("name") and not self._masked.is_display(match):
            return match.group()
        self.labels.append(match.group("id") or match.group("name"))
        return match.group("formula") + match.group("end") * 2

    def _referenced(self, text: str) -> str:
        """Text with its references by label as readers see them."""
        if "\\" in text or "@ref(" in text or "(ref:" in text or "(#" in text:
            text = _LATEX_REFERENCE.sub(self._latex_reference, text)
        return _CROSS_REFERENCE.sub(_reference, text) if "@" in text else text

    def _latex_reference(self, match: re.Match[str]) -> str:
        command, target, bookdown, label, defined = match.groups()
        if command == "label" or defined:
            self.labels.append(defined or target)
            return ""
        if command is None and bookdown is None:  # a text that bookdown puts elsewhere
            return ""
        before = match.string[: match.start()]
        return reference_text(f"\\{command or 'cref'}", target or label, before=before)

    def _report(self, line: int | None, problem: str) -> None:
        if self._on_problem is not None:
            self._on_problem(Problem(self._where if line is None else f"{self._where}:{line}", problem))


class _PlainElement:
    """The HTML element that holds no formulas (``<code>``, ``<span class="tex2jax_ignore">``), while one is open."""

    def __init__(self) -> None:
        self.tag = ""
        self._depth = 0

    def see(self, html: str) -> None:
        """Takes in a tag."""
        match = _ELEMENT.match(html)
        if match is None:
            return
        ends, tag, attributes = match.group(1), match.group(2).lower(), match.group(3)
        if self.tag:
            if tag == self.tag:
                self._depth += -1 if ends else 1
                self.tag = self.tag if self._depth else ""
        elif ends or attributes.endswith("/") or "math/" in attributes:
            return
        elif tag in _CODE_ELEMENTS or may_have_no_formulas(attributes):
            self.tag, self._depth = tag, 1


def _joined(pieces: list[str | Formula]) -> list[str | Formula]:
    """The pieces with neighbouring strings in one."""
    joined: list[str | Formula] = []
    strings: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        joined += ["".join(strings), piece]
        strings = []
    return [*joined, "".join(strings)]


def _role(name: str, body: str) -> str | Formula:
    """What one of MyST's roles stands for."""
    if name in _LABELS or name in _SILENT_ROLES:
        return ""
    if name == "math":
        return Formula(one_line(body)) if body.strip() else ""
    return role_text(name, body)


def _reference(match: re.Match[str]) -> str:
    kind, _, rest = match.group(1).partition("-")
    return reference_text("\\cref", f"{kind}:{rest}")
