"""Wikitext to HTML with as many lines: templates, links and formulas first, then headings, lists and tables.

Templates are not looked up: tables say what common ones stand for (:mod:`porism.corpus.mediawiki.templates`). Of
others the arguments with formulas are kept, and they are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import escape

from porism.corpus.mediawiki.blocks import WikiLines
from porism.corpus.mediawiki.formulas import INLINE, MASK, html_formula
from porism.corpus.mediawiki.templates import (
    DROPPED,
    FORMULAS,
    RAW,
    RELATIONS,
    ROWS,
    STATEMENTS,
    TEXTS,
    TITLES,
    filled,
)
from porism.corpus.references import link_entry
from porism.corpus.sections import kind_of, own_title, titled_kind
from porism.corpus.theorem_heads import first_kind
from porism.types import Content

MAX_NESTING = 40
"""Templates and links inside more others are text."""

SOFT_LINE = "\x0b"
"""Ends a line of the page where it ends none of the text."""
_ROWS_BEGIN, _ROWS_END = "\x04", "\x05"

_TOKEN = re.compile(  # each branch begins with a character of its own, which re looks for fast
    r"<(?:!--|(?P<tag>(?i:nowiki|pre|math|ce|chem|syntaxhighlight|source|ref|gallery|timeline|score|templatedata|imagemap|"
    r"graph|hiero|includeonly|references))\b(?P<attributes>[^<>]*)>)"
    r"|\{\{\{?(?!\{)|\[\[|\}\}|\]\]|\|"
)
_END_TAG = re.compile(r"</(\w+)\s{0,10}>")
_NAME = re.compile(r"([\w ._-]{1,60}?)=(?!=)(.*)", re.DOTALL)
_IN_PARENTHESES = re.compile(r" ?\([^()]*\)\Z|\A\w{1,40}:")
_FORMULA_TAGS = {"math": "{}", "ce": r"\ce{{{}}}", "chem": r"\ce{{{}}}"}
_VERBATIM = frozenset(("pre", "syntaxhighlight", "source"))
_INTERLANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})?:(?!\s)")
_DISPLAY = re.compile(r"\bdisplay\s*=\s*[\"']?block", re.IGNORECASE)
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]<>]+(?:[ \t]([^\[\]\n]*))?\]")
_NO_TITLE = re.compile(r"[\\^${}\[\]<>\x02]|\A\s*[\w ]{0,20}=[^=]")
_MAGIC = re.compile(r"__[A-Z]{3,30}__")
_QUOTES = re.compile(r"'{2,5}")
_STATEMENT_HEAD = re.compile(r"^('{2,3})([^\W\d_][^'\n<>]{2,100})\1(?!')", re.MULTILINE)
_PICTURE = ("file", "image")


class Wikitext:
    """The wikitext of one page.

    :param title: of the page.
    :param categories: the names of the namespace of categories.
    :param pictures: those of the namespace of files.
    :param unknown: counts the templates that no table knows.
    """

    def __init__(
        self, title: str, text: str, unknown: Counter[str], categories: Iterable[str] = (), pictures: Iterable[str] = ()
    ) -> None:
        self._title, self._unknown = title, unknown
        self._categories = {"category", *(name.lower() for name in categories)}
        self._pictures = {*_PICTURE, *(name.lower() for name in pictures)}
        self._kept: list[str] = []  # the HTML of what masks stand for
        self._formulas: dict[int, str] = {}
        self._displayed: set[int] = set()
        self._rows: dict[int, tuple[str, str]] = {}
        self.tags: list[str] = []
        """The categories that the page is in."""
        self.links: list[str] = []
        """What the page's links to other pages lead to, as :data:`porism.types.LINKS` keeps it."""
        text = self._expanded(text)
        if "<su" in text:
            text = "\n".join(self._with_indices(line) if "<su" in line else line for line in text.split("\n"))
        text = _EXTERNAL.sub(lambda match: match[1] or "", text)
        text = _QUOTES.sub("", _STATEMENT_HEAD.sub(_marked_head, _MAGIC.sub("", text)))
        if _ROWS_BEGIN in text or self._rows:
            text = self._with_rows(text)
        self._lines = WikiLines(title)
        html = MASK.sub(self._shown, self._lines.html(text))
        self.html = html.replace(SOFT_LINE, "\n").replace(_ROWS_BEGIN, "").replace(_ROWS_END, "")
        """The page as HTML."""

    def _with_indices(self, line: str) -> str:
        """A line with formulas that are letters with indices or powers."""
        return INLINE.sub(lambda match: self._formula(html_formula(match[0], self._latex)), line)

    def _shown(self, match: re.Match[str]) -> str:
        number = int(match[1])
        latex = self._formulas.get(number)
        if latex is None:
            return self._kept[number]
        display = number in self._displayed or number in self._lines.alone
        begin, end = ("\\[", "\\]") if display else ("\\(", "\\)")
        return f'<span class="math-container">{begin}{escape(latex, quote=False)}{end}</span>'

    def _keep(self, html: str) -> str:
        self._kept.append(html)
        return f"\x02{len(self._kept) - 1}\x03"

    def _formula(self, latex: str, display: bool = False) -> str:
        latex = latex.strip()
        if not latex:
            return ""
        number = len(self._kept)
        self._formulas[number] = latex
        if display:
            self._displayed.add(number)
        return self._keep("")

    def _latex(self, number: int) -> str:
        return self._formulas.get(number, "")

    def _expanded(self, text: str) -> str:
        """The text with all that is marked by brackets and tags replaced, from the inside out."""
        frames: list[_Frame] = [_Frame("")]
        ends = _EndTags(text)
        position = 0
        for match in _TOKEN.finditer(text):
            if match.start() < position:  # in an element or a comment
                continue
            top = frames[-1]
            top.add(text[position : match.start()])
            position = match.end()
            token = match.group()
            if token[0] in "{[":
                if len(frames) <= MAX_NESTING:
                    frames.append(_Frame(token, is_index=text[match.start() - 1 : match.start()] in ("_", "^")))
                else:
                    top.add(token)
            elif token == "|":
                top.bar()
            elif token[0] in "}]":
                position = self._close(frames, text, match.start(), token)
            elif token == "<!--":
                end = text.find("-->", position)
                position = end + 3 if end >= 0 else len(text)
                top.add(SOFT_LINE * text.count("\n", match.start(), position))
            elif not token.endswith("/>"):
                end, position = ends.after(match["tag"].lower(), position)
                top.add(self._element(match, text[match.end() : end]))
        frames[-1].add(text[position:])
        while len(frames) > 1:
            frame = frames.pop()
            frames[-1].add(frame.source)
        return frames[0].text

    def _close(self, frames: list[_Frame], text: str, start: int, token: str) -> int:
        """Ends the innermost template or link that these brackets can end; returns where the text goes on."""
        wanted = "[" if token == "]]" else "{"
        depth = next((depth for depth in range(len(frames) - 1, 0, -1) if frames[depth].opening[0] == wanted), 0)
        if not depth or (wanted == "[" and depth < len(frames) - 1):
            frames[-1].add(token)
            return start + 2
        while len(frames) - 1 > depth:  # a link that is not closed in a template is text
            inner = frames.pop()
            frames[-1].add(inner.source)
        frame = frames[-1]
        if frame.opening == "{{{":
            if not text.startswith("}}}", start):
                frames[-2].add("{")
            else:
                frames.pop()
                frames[-1].add(frame.values[1] if len(frame.arguments) > 1 else "")
                return start + 3
        frames.pop()
        frames[-1].add(self._link(frame) if wanted == "[" else self._template(frame))
        return start + 2

    def _element(self, match: re.Match[str], body: str) -> str:
        """What stands for an element whose content is no wikitext."""
        name = match["tag"].lower()
        if name in _FORMULA_TAGS and body.strip():
            latex = _FORMULA_TAGS[name].format(body.strip())
            soft = SOFT_LINE * (body.count("\n") - latex.count("\n"))
            return self._formula(latex, _DISPLAY.search(match["attributes"]) is not None) + soft
        if name in _VERBATIM:
            return self._keep(f"<pre>{escape(body, quote=False)}</pre>")
        if name == "nowiki":
            return self._keep(escape(body, quote=False))
        return SOFT_LINE * body.count("\n")

    def _link(self, frame: _Frame) -> str:
        values = frame.values
        target, soft = " ".join(values[0].split()), SOFT_LINE * frame.lines
        namespace, colon, rest = target.partition(":")
        namespace = namespace.strip().lower()
        if colon and namespace in self._categories:
            self.tags.append(" ".join(rest.split()))
            return soft
        if colon and namespace in self._pictures:
            return (_one_line(values[-1]) if len(values) > 1 and "=" not in values[-1] else "") + soft
        if len(values) == 1:
            shown = "" if _INTERLANGUAGE.match(target) else target.removeprefix(":").replace("#", " § ").strip()
        else:
            shown = _one_line(values[-1]) or _IN_PARENTHESES.sub("", target)
        if shown:
            self.links.append(link_entry(target.removeprefix(":"), shown))
        return shown + soft

    def _template(self, frame: _Frame) -> str:
        values, soft = frame.values, SOFT_LINE * frame.lines
        if frame.is_index or _NO_TITLE.search(values[0]) is not None:  # braces of LaTeX
            return f"{frame.source}}}}}"
        name = " ".join(values[0].replace("_", " ").split()).lower()
        arguments: dict[str, str] = {}
        for value in values[1:]:
            named = _NAME.match(value.lstrip())
            if named is not None:
                arguments[named[1].strip().lower()] = named[2].strip()
            else:
                arguments[str(1 + sum(key.isdecimal() for key in arguments))] = value
        if (patterns := FORMULAS.get(name)) is not None:
            arguments = {key: self._argument(value, name in RAW) for key, value in arguments.items()}
            return self._formula(filled(patterns, arguments)) + soft
        if (patterns := TEXTS.get(name)) is not None:
            return _one_line(filled(patterns, {key: value.strip() for key, value in arguments.items()})) + soft
        if name in ROWS:
            return self._row(name, arguments) + soft
        if name.startswith((":", "#", "defaultsort", "displaytitle", "pagename")) or ":" in name:
            return (name.removeprefix(":") if name.startswith(":") else "") + soft
        kind = kind_of(name.rpartition(" ")[2]) or titled_kind(Content(name))
        if kind is not None and (block := self._block(kind, arguments, frame)) is not None:
            return block
        if DROPPED.match(name) is not None:
            return soft
        self._unknown[name[:60]] += 1
        kept = [_one_line(value) for value in arguments.values() if MASK.search(value) or "$" in value]
        return " ".join(kept) + soft

    def _argument(self, value: str, is_latex: bool) -> str:
        if is_latex:
            return MASK.sub(lambda match: self._latex(int(match[1])), value)
        return html_formula(value, self._latex)

    def _block(self, kind: str, arguments: dict[str, str], frame: _Frame) -> str | None:
        """A theorem-like block; its text begins in the line where it is on the page."""
        chosen = next((key for key in STATEMENTS if arguments.get(key, "").strip()), None)
        if chosen is None:
            return None
        statement = arguments[chosen].strip()
        title = next((arguments[key] for key in (*TITLES, *("1" * (chosen == "2"))) if arguments.get(key)), "")
        before = frame.lines_before(statement)
        after = max(0, frame.lines - before - statement.count("\n") - statement.count(SOFT_LINE))
        own = own_title(Content(_QUOTES.sub("", MASK.sub("", _one_line(title)))))
        head = f' title="{escape(own.text)}"' if own else ""
        begin, end = self._keep(f'<div class="{kind}"{head}>'), self._keep("</div>")
        return f"{begin}{SOFT_LINE * before}{statement}{end}{SOFT_LINE * after}"

    def _row(self, name: str, arguments: dict[str, str]) -> str:
        keys, words = ROWS[name]
        left: list[str] = []
        right: list[str] = []
        for key in keys:
            value = " ".join(self._argument(arguments.get(key, RELATIONS[name] if key == "o" else ""), True).split())
            (left if key in ("ll", "lll", "l", "q") else right).append(value)
        latex = f"{' '.join(filter(None, left))} & {' '.join(filter(None, right))}".strip()
        self._rows[len(self._kept)] = (latex, _one_line(arguments.get(words, "")))
        return self._keep("")

    def _with_rows(self, text: str) -> str:
        """The text with the rows of each displayed formula together as one, and the words beside them after it."""

        def displayed(rows: str) -> str:
            numbers = [int(match[1]) for match in MASK.finditer(rows) if int(match[1]) in self._rows]
            if not numbers:
                return rows
            latex = " \\\\ ".join(self._rows[number][0] for number in numbers)
            comments = [self._rows[number][1] for number in numbers if self._rows[number][1].strip()]
            soft = SOFT_LINE * (rows.count("\n") + rows.count(SOFT_LINE))
            formula = self._formula(f"\\begin{{aligned}} {latex} \\end{{aligned}}", display=True)
            return f"{formula} {'; '.join(comments)}{soft}"

        pieces = text.split(_ROWS_BEGIN)
        read = [pieces[0]]
        for piece in pieces[1:]:
            rows, end, rest = piece.partition(_ROWS_END)
            read.append((displayed(rows) if end else rows) + rest)
        return MASK.sub(
            lambda match: displayed(match[0]) if int(match[1]) in self._rows else match[0], "".join(read)
        )


class _EndTags:
    """Where elements of a text end; each kind of element that ends no more is looked for once."""

    def __init__(self, text: str) -> None:
        self._ends: dict[str, list[tuple[int, int]]] = {}
        for match in reversed(list(_END_TAG.finditer(text))):
            self._ends.setdefault(match[1].lower(), []).append(match.span())

    def after(self, name: str, position: int) -> tuple[int, int]:
        """Where the first end tag of this name after a position begins and ends; there itself where there is none."""
        ends = self._ends.get(name, [])
        while ends and ends[-1][0] < position:
            ends.pop()
        return ends[-1] if ends else (position, position)


class _Frame:
    """A template or link that is open: its arguments until now, as pieces of text."""

    __slots__ = ("arguments", "is_index", "opening")

    def __init__(self, opening: str, is_index: bool = False) -> None:
        self.opening, self.is_index = opening, is_index
        self.arguments: list[list[str]] = [[]]

    def add(self, text: str) -> None:
        """Adds text to the open argument."""
        if text:
            self.arguments[-1].append(text)

    def bar(self) -> None:
        """Ends an argument; outside of all a bar is text."""
        if self.opening:
            self.arguments.append([])
        else:
            self.arguments[-1].append("|")

    @property
    def values(self) -> list[str]:
        """The arguments, the name or target first."""
        return ["".join(pieces) for pieces in self.arguments]

    @property
    def text(self) -> str:
        """All of it, with the bars."""
        return "|".join(self.values)

    @property
    def source(self) -> str:
        """It as text, as it is never closed."""
        return f"{self.opening}{self.text}"

    @property
    def lines(self) -> int:
        """How many lines end in it."""
        text = self.text
        return text.count("\n") + text.count(SOFT_LINE)

    def lines_before(self, value: str) -> int:
        """How many lines end before a value in it."""
        text = self.text
        place = max(0, text.find(value))
        return text.count("\n", 0, place) + text.count(SOFT_LINE, 0, place)


def _marked_head(match: re.Match[str]) -> str:
    """The marked beginning of a line: a paragraph that begins so may be a theorem-like block."""
    return f"<p><b>{match[2]}</b>" if first_kind(match[2]) is not None else match[0]


def _one_line(text: str) -> str:
    """Text of an argument in running text, without the line ends that its template is followed by."""
    return text.strip().replace("\n", " ").replace(SOFT_LINE, "")
