"""What vaults of notes (Obsidian, Foam, Logseq) add to Markdown: wiki links, callouts, block ids, comments, tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

MAX_LINK_LENGTH = 500
"""A wiki link of more characters is text."""
MAX_MARK_LENGTH = 2_000
"""So is a highlight."""

_LINK = re.compile(r"!?\[\[([^\[\]\n|#]*)(?:#([^\[\]\n|]*))?(?:\|([^\[\]\n]*))?\]\]")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp4|webm|mp3|excalidraw)\Z", re.IGNORECASE)
_SIZE = re.compile(r"\d+(?:x\d+)?\Z")
_CALLOUT = re.compile(r"\s*\[!([A-Za-z][\w-]*)[ \t]*(?:\|([^\n]*?))?\][+-]?(?=[ \t\n]|\Z)[ \t]*([^\n]*)(?:\n|\Z)")
_CALLOUT_VALUE = re.compile(r"""["']?(type|title|label)["']?\s*:\s*["']?([^"',{}]+)""")
_BLOCK_ID = re.compile(r"(?:(?<=\s)|\A)\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{2,100}[ \t]*\Z")
CODE = (
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*(?:\n(?![ \t>]*(?P=fence))[^\n]*)*+(?:\n[ \t>]*(?P=fence)[^\n]*)?"
    r"|`+[^`\n]*`+"
)
"""A regular expression for blocks and spans of code in Markdown, for the flag MULTILINE."""
_CODE_OR_COMMENT = re.compile(
    rf"{CODE}"
    r"|^[ \t]*%%[ \t]*\n(?:(?![ \t]*%%[ \t]*$)[^\n]*\n)*+[ \t]*%%[ \t]*$"
    r"|(?<![\w%\\])%%(?!%)(?P<line>(?:[^%\n]|%(?!%))*+)%%",
    re.MULTILINE,
)
_TAG = re.compile(r"(?<![^\s(])#(?=[\w/-]*[^\W\d])([\w/-]*\w)(?![\w#])")
_COLOUR = re.compile(r"(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})\Z")


class Callout(NamedTuple):
    """The head of a callout (``> [!theorem] Title``): its kind, its title, and what follows its line."""

    kind: str
    title: str
    rest: str
    label: str | None = None


def callout(text: str) -> Callout | None:
    """The callout that the first paragraph of a quote begins, if any."""
    match = _CALLOUT.match(text)
    if match is None:
        return None
    kind, settings, title = match.group(1).lower(), match.group(2) or "", match.group(3).strip()
    values = dict(_CALLOUT_VALUE.findall(settings))  # {"type":"theorem","title":"…"}, of LaTeX-like Theorems
    title = title or values.get("title", "")
    return Callout(values.get("type", kind).lower(), title, text[match.end() :], values.get("label"))


def without_block_id(text: str) -> str:
    """A paragraph without the block id (``^abc123``) at its end."""
    return _BLOCK_ID.sub("", text) if "^" in text else text


def without_comments(text: str) -> str:
    """A text without its comments (``%%…%%`` on one line, or between lines of nothing else); code stays as it is.

    Line ends stay, so that lines keep their numbers.
    """
    return _CODE_OR_COMMENT.sub(_commented, text) if "%%" in text else text


def _commented(match: re.Match[str]) -> str:
    comment = match.group().lstrip(" \t")
    return "\n" * comment.count("\n") if comment.startswith("%%") else match.group()


def tags_of(text: str) -> list[str]:
    """The tags (``#algebra/groups``) in running text, without those that look like colours (``#1a2b3c``)."""
    if "#" not in text:
        return []
    return [tag for tag in _TAG.findall(text) if not _COLOUR.match(tag)]


def wiki_link(state: StateInline, silent: bool) -> bool:
    """A rule for ``[[note]]``, ``[[note#heading]]``, ``[[note|shown]]`` and the embeds ``![[note]]``."""
    start = state.pos
    text = state.src
    if not text.startswith(("[[", "![["), start) or (start and text[start - 1].isalnum() and text[start - 1].isascii()):
        return False
    match = _LINK.match(text, start, min(state.posMax, start + MAX_LINK_LENGTH))
    if match is None:
        return False
    if not silent:
        token = state.push("wiki_link", "", 0)
        token.content = _shown(text[start] == "!", *match.groups())
        token.meta = {"link": "" if _PICTURE.search(match[1].strip()) else "#".join(filter(None, match.group(1, 2)))}
    state.pos = match.end()
    return True


def _shown(embedded: bool, note: str, heading: str | None, shown: str | None) -> str:
    if embedded and _PICTURE.search(note.strip()):
        return "[figure]"
    if shown and shown.strip() and not (embedded and _SIZE.match(shown.strip())):
        return shown.strip()
    name = note.strip().rpartition("/")[2].removesuffix(".md")
    parts = [name, *(part.strip() for part in (heading or "").split("#"))]
    return " > ".join(part for part in parts if part and not part.startswith("^")) or name


def highlight(state: StateInline, silent: bool) -> bool:
    """A rule for the marks of ``==highlights==``, which print nothing."""
    start, text = state.pos, state.src
    if not text.startswith("==", start):
        return False
    if state.env.get("mark_end") == (id(state), start):
        state.env["mark_end"] = None
    else:
        after = text[start + 2 : start + 3]
        if not after or after.isspace() or after == "=" or text[start - 1 : start] == "=" or state.env.get("mark_end"):
            return False
        end = text.find("==", start + 2, min(state.posMax, start + MAX_MARK_LENGTH))
        if end < 0 or text[end - 1].isspace():
            return False
        state.env["mark_end"] = (id(state), end)
    if not silent:
        state.push("text", "", 0).content = ""
    state.pos = start + 2
    return True
