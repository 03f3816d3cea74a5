"""Running text of Markdown: emphasis, links, images, code and references become plain text around the formulas."""

from __future__ import annotations

import re
from html import unescape

from porism.corpus.base import clean
from porism.corpus.mathtext import split_math
from porism.corpus.references import reference_text
from porism.errors import OnProblem
from porism.types import PLACEHOLDER, Content

_GITLAB = re.compile(r"\$`([^`$]{1,5000})`\$")
_ROLE = re.compile(r"\{([A-Za-z:_-]{1,40})\}`([^`]{0,5000})`")
_DOUBLE_ROUND = re.compile(r"\\\\\(((?:[^\\\n]|\\(?!\\[()])){1,2000}?)\\\\\)")
_DOUBLE_SQUARE = re.compile(r"(?m)^\s*\\\\\[((?:[^\\]|\\(?!\\[\[\]])){1,5000}?)\\\\\]")

_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}(?:\s[^<>]{0,1000})?/?>")
_AUTOLINK = re.compile(r"<((?:https?|mailto|ftp):[^<>\s]{1,1000})>")
_IMAGE = re.compile(r"!\[([^\[\]]{0,1000})\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,200}\])(?:\{[^{}\n]{0,300}\})?")
_LINK = re.compile(
    r"\[([^\[\]]{1,2000})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\[\]\n]{0,200}\])"
)
_SPAN = re.compile(r"\[([^\[\]]{1,2000})\]\{[^{}\n]{0,300}\}")
_FOOTNOTE = re.compile(r"[ \t]?\[\^[^\[\]\s]{1,100}\]:?")
_CROSS_REFERENCE = re.compile(
    r"@((?:thm|lem|cor|prp|cnj|def|exm|exr|eq|sec|fig|tbl|rem|sol|alg)-[\w:.-]{0,100}[\w])"
)
_LITERAL = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`++)([^`]{1,5000})\2(?!`)")
"""An escaped character, or a code span."""
_STRONG = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~")
_DEFINITION = re.compile(r"(?m)^ {0,3}\[[^\]\n]{1,200}\]:\s+\S+.*$")
_HELD = "\ue000"


def markdown_text(text: str, where: str, on_problem: OnProblem | None = None) -> Content:
    """A paragraph of Markdown as content."""
    text = clean(text)
    if "`" in text:
        text = _GITLAB.sub(r"$\1$", text)
        text = _ROLE.sub(_role, text)
    if "\\\\(" in text:
        text = _DOUBLE_ROUND.sub(r"\\(\1\\)", text)
    if "\\\\[" in text:
        text = _DOUBLE_SQUARE.sub(r"\\[\1\\]", text)
    content = split_math(text, code=True, where=where, on_problem=on_problem)
    plain = plain_markdown(content.text)
    if plain.count(PLACEHOLDER) != len(content.formulas):  # a formula in a link's address
        return content
    return Content(plain, content.formulas)


def plain_markdown(text: str) -> str:
    """Markdown without its marks; what stands for a formula stays."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group(1) or match.group(3).strip())
        return _HELD

    text = text.replace(_HELD, " ")
    if "`" in text or "\\" in text:
        text = _LITERAL.sub(hold, text)
    if "<" in text:
        text = _without_comments(text)
        text = _AUTOLINK.sub(r"\1", text)
        text = _TAG.sub("", text)
    if "[" in text:
        text = _IMAGE.sub(r"\1", text)
        text = _DEFINITION.sub("", text)
        text = _FOOTNOTE.sub("", text)
        text = _LINK.sub(r"\1", text)
        text = _SPAN.sub(r"\1", text)
    if "@" in text:
        text = _CROSS_REFERENCE.sub(lambda match: _reference(match.group(1)), text)
    text = _STRONG.sub("", text) if "*" in text or "_" in text or "~~" in text else text
    if "&" in text:
        text = clean(unescape(text)) if PLACEHOLDER not in text else PLACEHOLDER.join(
            clean(unescape(piece)) for piece in text.split(PLACEHOLDER)
        )
    if held:
        pieces = text.split(_HELD)
        text = "".join(piece + code for piece, code in zip(pieces, [*held, ""], strict=False))
    return text


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[position:start])
        pieces.append("\ufffc" * text.count("\ufffc", start, end))  # formulas stay, so that all keep their places
        position = end + 3
    return "".join(pieces) + text[position:] if pieces else text


def _role(match: re.Match[str]) -> str:
    name, body = match.group(1), match.group(2)
    if name == "math":
        return f"${body.strip()}$"
    if name in ("eq", "ref", "numref", "prf:ref"):
        label = re.sub(r"^.*<([^<>]*)>$", r"\1", body)
        return reference_text("\\eqref" if name == "eq" else "\\cref", label)
    return body


def _reference(label: str) -> str:
    kind, _, rest = label.partition("-")
    return reference_text("\\cref", f"{kind}:{rest}")
