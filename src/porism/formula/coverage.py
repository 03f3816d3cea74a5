"""Checks that nothing of a formula is lost: each of its tokens is in its layout tree, is layout, or has a problem."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from porism.formula.latex.boxes import value_length
from porism.formula.latex.commands import HANDLERS
from porism.formula.latex.macros import MacroText, expand
from porism.formula.latex.parser import tokens_of
from porism.formula.latex.text import text_of
from porism.formula.latex.tokens import Tokens
from porism.formula.latex.unicode import NUMBERED, numbered
from porism.formula.layout import child_rows
from porism.formula.tables.commands import (
    ACCENT_SYNONYMS,
    ACCENTS,
    ARROWS,
    FRACTIONS,
    INFIX,
    INFIX_WITH_FENCES,
    MARKED_LIMITS,
    NAME_COMMANDS,
    NAME_SYNONYMS,
)
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS, LAYOUT_ENVIRONMENTS
from porism.formula.tables.lookup import DROPPED_AT_END, SYMBOLS, VULGAR_FRACTIONS, character, plain_blackboard
from porism.formula.tables.spaces import SPACE_COMMANDS
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.formula.tree import LayoutNode, LayoutTree
from porism.formula.words import printable

_BARE = frozenset({*"{}^_&$~%", "&amp;", "\\\\", "\\cr", "\\tabularnewline", "\\left", "\\right", "\\middle", ""})
_MARKUP = frozenset("\\" + sign for sign in '/-()[]@*"<+')
_FENCED = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)")
_MAKE_NODES = {"√", *("\\" + name for name in (*ACCENTS, *ARROWS, *FRACTIONS, *INFIX, "sqrt", "surd"))} - {"\\atop"}
"""Commands that make a node of the tree."""
_SAY_MORE = _MAKE_NODES | TEXT_ACCENTS.keys() | {"\\not", "\\centernot", "\\prime", "\\div", "\\today"}
_STRUCTURES = frozenset(token for token in HANDLERS if token[:1] == "\\" and token not in _SAY_MORE) | {"\\sc"}
"""Commands that say how their arguments are set; the arguments count by themselves."""
_READ_OPTION = frozenset("\\" + name for name in (*ARROWS, "sqrt"))
"""Commands with an option that is content."""
_SKIPPED = {
    **dict.fromkeys(NAME_COMMANDS, "*"),
    **{
        name: "f" * 2 * fences + "d" * thickness for name, (_, fences, thickness) in INFIX_WITH_FENCES.items()
    },
    **LAYOUT_ARGUMENTS,
}
"""Command → what belongs to it and is layout."""
_CLOSES = frozenset({"}", "&", "\\\\", "\\cr", "$", "]", "\\", "", *("\\" + name for name in INFIX)})
_QUOTES = frozenset("“”′")
_STROKE = "\u0338"
_UNITS = re.compile(r"(?:p[tcx]|e[mx]|mu|[cm]m|in|[sb]p|dd|cc)")


class MissingToken(NamedTuple):
    """A token that is not in the tree of its formula, at an offset into the source."""

    position: int
    text: str


def unaccounted_tokens(tree: LayoutTree, macros: Mapping[str, MacroText] | None = None) -> list[MissingToken]:
    """The tokens of a tree's LaTeX source that are not in the tree, nor layout, nor the place of a problem.

    A token is in the tree where a node whose span contains it has a label that says it. Layout is what
    :data:`~porism.formula.tables.layout_commands.LAYOUT_ARGUMENTS` lists, spaces, sizes, fonts, braces, and punctuation
    at the end of a formula or of a cell. ``macros`` are those that the formula was parsed with.
    """
    tokens = sorted(_content(expand(tokens_of(tree.source, []), macros, [])), key=lambda token: token.start)
    starts = [token.start for token in tokens]
    owners: list[list[LayoutNode]] = [[] for _ in tokens]
    calls = [token for token in tokens if token.is_from_macro]
    for node in _nodes(tree):
        start, end = _span(node, calls)
        for i in range(bisect_left(starts, start), bisect_right(starts, end)):
            if tokens[i].end <= end:
                owners[i].append(node)
    begun = {node.start for node in _nodes(tree)}
    begun |= {struck.start for sign, struck in pairwise(tokens) if sign.text == "\\not" and sign.start in begun}
    reported = {problem.position for problem in tree.problems}
    return [
        MissingToken(token.start, token.text)
        for token, covering in zip(tokens, owners, strict=True)
        if not any(_has(node, token) for node in covering)
        and not (token.text in _MAKE_NODES and token.start in begun)
        and reported.isdisjoint(range(token.start, token.end + 1))
    ]


class _ScannedToken(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def is_from_macro(self) -> bool:
        """Whether a macro made it: then its span is that of the call."""
        return self.end - self.start != len(self.text)


def _span(node: LayoutNode, calls: list[_ScannedToken]) -> tuple[int, int]:
    """The span of a node, or that of the call of a macro in which it lies."""
    i = bisect_right(calls, node.start, key=lambda call: call.start) - 1
    if i >= 0 and node.start < calls[i].end:
        return calls[i].start, max(node.end, calls[i].end)
    i = bisect_left(calls, node.end, key=lambda call: call.start) - 1
    return node.start, max(node.end, calls[i].end) if i >= 0 and calls[i].start >= node.start else node.end


def _nodes(tree: LayoutTree) -> Iterator[LayoutNode]:
    rows = [tree.row]
    for row in rows:
        for node in row:
            yield node
            rows.extend(child_rows(node))


def _content(tokens: Tokens) -> Iterator[_ScannedToken]:
    """The tokens that say something."""
    texts, starts, ends = tokens.texts, tokens.starts, tokens.ends
    last = len(texts) - 2
    i = 0
    while i < last:
        text, start, end = texts[i], starts[i], ends[i]
        i += 1
        if text[:1] == "\\" and text[1:] in _SKIPPED:
            if text in _MAKE_NODES:
                yield _ScannedToken(text, start, end)
            i = _skip(texts, i, _SKIPPED[text[1:]])
        elif text in NUMBERED:
            char, i = numbered(texts, i, plain=NUMBERED[text])
            yield _ScannedToken(char or text, start, start + 1 if char and end - start == len(text) else end)
        elif text.startswith(("\\begin{", "\\begin ")):
            name = text[text.index("{") + 1:-1].strip()
            i = _skip(texts, i, LAYOUT_ENVIRONMENTS.get(name, LAYOUT_ENVIRONMENTS.get(name.rstrip("*"), "")))
        elif _FENCED.fullmatch(text):
            i = _visible(texts, i)
            if texts[i][:1] == ".":
                starts[i] += end > start
                texts[i] = texts[i][1:]
        elif text in _READ_OPTION:
            yield _ScannedToken(text, start, end)
            begin = _visible(texts, i)
            if texts[begin] == "[":
                closing = _closing(texts, begin, "]") - 1
                texts[begin] = ""
                if texts[closing] == "]":
                    texts[closing] = ""
        elif text == "\\qvar" and texts[_visible(texts, i)] == "@":
            while i < last and (texts[i] == "@" or texts[i].isalpha()):
                i += 1
        elif _is_punctuation(text) and _ends(texts, i):
            continue
        elif text == "\\prime":
            yield _ScannedToken("'", start, start + 1 if end - start == len(text) else end)
        elif len(text) > 1 and text != "..." and (text[0] in "^_'." or text[0].isdigit()):
            yield from _characters(text, start, end)
        elif not _is_layout(text):
            yield _ScannedToken(text, start, end)


def _characters(text: str, start: int, end: int) -> Iterator[_ScannedToken]:
    """The digits, primes and signs of a token of several characters."""
    whole = end - start == len(text)
    for k, sign in enumerate(text):
        if sign not in "^_{}\\ ," and not sign.isspace():
            yield _ScannedToken(sign, start + k if whole else start, start + k + 1 if whole else end)


def _is_layout(text: str) -> bool:
    return (
        text.isspace() or text in _BARE or text in SPACE_COMMANDS or text in _MARKUP or text in _STRUCTURES
        or text.startswith(("\\\\", "\\end{", "\\end ")) or text[1:].isspace()
        or (len(text) == 1 and unicodedata.category(text) in ("Cc", "Cf", "Cs", "Zs"))
    )


def _is_punctuation(text: str) -> bool:
    return SYMBOLS.get(text[:1] if text == ".." else text, ("", ""))[0] in DROPPED_AT_END


def _visible(texts: list[str], i: int) -> int:
    while texts[i].isspace():
        i += 1
    return i


def _ends(texts: list[str], i: int) -> bool:
    """Whether only layout and punctuation follow up to the end of a row."""
    while texts[i] not in _CLOSES and not texts[i].startswith(("\\\\", "\\end", "\\right")):
        text = texts[i]
        i += 1
        if text[:1] == "\\" and text[1:] in _SKIPPED and text not in _MAKE_NODES:
            i = _skip(texts, i, _SKIPPED[text[1:]])
        elif not _is_punctuation(text) and not _is_layout(text) and not text.startswith("\\begin{"):
            return False
    return True


def _skip(texts: list[str], i: int, arguments: str) -> int:
    """The index of the token after arguments of these kinds that begin at token ``i``."""
    for kind in arguments:
        begin = _visible(texts, i)
        if kind == "*":
            i = begin + 1 if texts[begin] == "*" else i
        elif kind == "v":
            i += value_length(texts, i)
        elif kind == "s":
            if texts[begin] in ("t", "s") and "{" in texts[begin : begin + 20]:
                i = texts.index("{", begin)
        elif kind == "f":
            i = begin + 1
        elif kind == "o":
            i = _closing(texts, begin, "]") if texts[begin] == "[" else i
        elif kind == "d":
            while texts[begin] in ("-", "+", ".") or texts[begin][:1].isdigit() or texts[begin].isspace():
                begin += 1
            i = begin + 2 if _UNITS.fullmatch(texts[begin] + texts[min(begin + 1, len(texts) - 1)]) else begin
        elif texts[begin] == "{":
            i = _closing(texts, begin, "}")
        elif texts[begin] not in _CLOSES:
            i = begin + 1
    return i


def _closing(texts: list[str], i: int, closer: str) -> int:
    """The index of the token after the closer of the group or option that token ``i`` opens."""
    depth = 0
    for j in range(i + 1, len(texts)):
        if texts[j] == closer and depth == 0:
            return j + 1
        depth += (texts[j] == "{") - (texts[j] == "}")
    return len(texts) - 2


def _has(node: LayoutNode, token: _ScannedToken) -> bool:
    """Whether a node whose span contains a token says it."""
    text = token.text
    if not token.is_from_macro and (node.start, node.end) == (token.start, token.end):
        return True
    if text in _MAKE_NODES:
        return node.kind in "FRM" or node.label in MARKED_LIMITS.values()
    label = unicodedata.normalize("NFKD", node.label)
    if text in ("\\not", "\\centernot"):
        return _STROKE in label
    if text == "\\" + node.label or (text == "," and node.kind == "N"):
        return True
    if node.kind == "W" and (text == "." or text.isdigit()):  # the wildcard of ``0.?x`` stands for decimals
        return True
    if text in ("\\`", "\\'") and not _QUOTES.isdisjoint(node.label):  # accents on nothing
        return True
    if node.kind == "T":
        said_in_text = TEXT_ACCENTS.get(text) or printable(text_of(text))
        bare = "".join(sign for sign in label if not unicodedata.combining(sign))
        return said_in_text in label or said_in_text in node.label or said_in_text in bare or (
            text in TEXT_ACCENTS and text[1:] in node.label
        ) or (
            text in "`'" and not _QUOTES.isdisjoint(node.label)
        )
    if text in VULGAR_FRACTIONS:
        return node.kind == "F"
    if ACCENT_SYNONYMS.get(text) == "¯" and node.label in MARKED_LIMITS.values():
        return True
    text = "÷" if text == "\\div" else text
    said = {
        printable(text_of(text)), text, text[1:] if text[0] == "?" else text, plain_blackboard(text),
        unicodedata.normalize("NFKD", text)[:1] if len(text) == 1 else text,
    }
    known = SYMBOLS.get(text)
    entry = known or (character(text) if len(text) == 1 else None)
    if entry is not None:
        said.add(entry[0])
    spellings = (
        node.label, label, plain_blackboard(node.label), *_SPELLINGS.get(node.label, ()),
        *_SPELLINGS.get(label.replace(_STROKE, ""), ()),
    )
    return any(part and part in spelling for part in said for spelling in spellings)


def _spellings() -> dict[str, list[str]]:
    spellings: dict[str, list[str]] = {
        "”": ["'"], "“": ["`"],
        "⟨": ["<"], "⟩": [">"], "′": ["'"], "…": ["...", "\\cdot"], "≤": ["<=", "<", "&lt;"], "≥": [">=", ">", "&gt;"],
        "→": ["->", "-", ">"], "≔": [":=", "\\colon"], "<": ["&lt;"], ">": ["&gt;"], "∤": ["|"], "∣": ["|"], "∦": ["∥"],
        "÷": ["\\div"], "÷\u0338": ["\\div"], "∇": ["\\div", "÷"],
    }
    for spelled, label in NAME_SYNONYMS.items():
        spellings.setdefault(label, []).append(spelled)
    for (_, mark), name in MARKED_LIMITS.items():
        spellings.setdefault(name, []).append(mark)
    for token, (label, kind) in SYMBOLS.items():
        if len(label) > 1 or kind == "V":
            spellings.setdefault(label, []).append(token)
    return spellings


_SPELLINGS = _spellings()
"""Label → other ways to write it."""
