"""Fenced blocks of Markdown: formulas, directives of MyST, cells of Jupyter Book, or code."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from porism.corpus.directives import (
    BARE_DIRECTIVES,
    CELL_DIRECTIVES,
    CODE_DIRECTIVES,
    CODE_LANGUAGES,
    DROPPED_DIRECTIVES,
    RST_DIRECTIVES,
)
from porism.corpus.latex.tables import words
from porism.corpus.markdown.heads import block_head

LABELS = ("label", "name")
"""Options of directives that give a label."""

_DIRECTIVE = re.compile(r"\{([\w:+-][\w:.+-]*)([^{}]*)\}[ \t]*(.*)")
_OPTION = re.compile(r"\s*:([\w-]+):(?:[ \t]+(.*)|[ \t]*)\Z")
_YAML = re.compile(r"---[ \t]*\n(.*?\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"""(?m)^([\w-]+):[ \t]*["']?(.*?)["']?[ \t]*$""")
_ADMONITION_ENTRY = re.compile(r"(title|collapse|icon|color|id):[ \t]*(.*)\Z")
_ENGINE = re.compile(r"""\bengine\s*=\s*["'](\w+)["']""")
"""What R Markdown draws or runs a cell with."""
_INDENT = re.compile(r"(?m)^[ \t]+")
_FORMULAS = words("math latexmath katex-display math-display tex-display")
_DROPPED = words("mermaid dot tikz toc plantuml graphviz dataview dataviewjs query vega vega-lite excalidraw")
"""Code blocks without words of their own."""


class Fence(NamedTuple):
    """A fenced block; ``body`` is its content without the options, which take ``skipped`` lines."""

    meaning: Literal["formula", "block", "rst", "cell", "code", "nothing"]
    body: str
    skipped: int = 0
    kind: str | None = None
    title: str = ""
    labels: tuple[str, ...] = ()
    language: str = ""


def read_fence(info: str, content: str) -> Fence:
    """What a fenced block with this info string and content is."""
    word = info.split()[0].lower() if info else ""
    if word in _FORMULAS:
        return Fence("formula", content)
    if word in ("{=latex}", "{=tex}", "{=html}"):
        return Fence("block", content)
    if word in _DROPPED or info.startswith("{="):
        return Fence("nothing", "")
    if word in RST_DIRECTIVES:
        return Fence("rst", content)
    if word.startswith("ad-"):
        return _admonition(word.removeprefix("ad-"), content)
    match = _DIRECTIVE.match(info)
    if match is None:
        return Fence("code", content)
    name, inside, argument = match.groups()
    short = name.lower() if name.lower().startswith("prf:") else name.lower().rpartition(":")[2]
    options, body, skipped = options_of(content)
    labels = tuple(options[key] for key in LABELS if options.get(key))
    if short == "math":
        return Fence("formula", f"{argument}\n{body}", skipped, labels=labels)
    head = block_head(info)
    if head.kind is None and short in CELL_DIRECTIVES:
        return Fence("cell", body, skipped, language=argument.strip() or inside.strip())
    engine = _ENGINE.search(inside)
    if short in _DROPPED or (engine is not None and engine.group(1).lower() in _DROPPED):
        return Fence("nothing", "")
    if head.kind is None and short in CODE_LANGUAGES:
        return Fence("code", content)
    if short in DROPPED_DIRECTIVES:
        return Fence("nothing", "")
    if short in CODE_DIRECTIVES:
        return Fence("code", body, skipped)
    if short in RST_DIRECTIVES:
        return Fence("rst", content)
    if short == "glossary":  # its definitions are indented, and no code
        body = _INDENT.sub("", body)
    labels = labels or ((head.label,) if head.label else ())
    title = "" if short in BARE_DIRECTIVES else head.title
    return Fence("block", body, skipped, head.kind, title, labels)


def options_of(content: str) -> tuple[dict[str, str], str, int]:
    """The options at the top of a directive's content (``:label: x``, or YAML between lines of hyphens), what is left,
    and how many lines they take.
    """
    if (yaml := _YAML.match(content)) is not None:
        options = dict(_ENTRY.findall(yaml.group(1) or ""))
        return options, content[yaml.end() :], yaml.group().count("\n")
    return _leading_options(content, _OPTION)


def _leading_options(content: str, pattern: re.Pattern[str]) -> tuple[dict[str, str], str, int]:
    options: dict[str, str] = {}
    lines = content.split("\n")
    taken = 0
    while taken < len(lines) and (match := pattern.match(lines[taken])):
        options[match.group(1)] = (match.group(2) or "").strip()
        taken += 1
    return options, "\n".join(lines[taken:]), taken


def _admonition(name: str, content: str) -> Fence:
    """A block of Obsidian's plugin Admonition (``ad-theorem``)."""
    options, body, taken = _leading_options(content, _ADMONITION_ENTRY)
    head = block_head(name)
    labels = (options["id"],) if options.get("id") else ()
    return Fence("block", body, taken, head.kind, options.get("title", ""), labels)
