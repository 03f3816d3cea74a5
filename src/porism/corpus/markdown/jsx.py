"""MDX: Markdown with components. What is JavaScript goes; lines keep their numbers, and code and formulas stay."""

from __future__ import annotations

import re

from porism.corpus.markdown.vault import CODE
from porism.corpus.sections import kind_of

_INNERMOST = r"\{[^{}]*+\}"
_INNER = rf"\{{[^{{}}]*+(?:{_INNERMOST}[^{{}}]*+)*+\}}"
_BRACES = rf"\{{[^{{}}]*+(?:{_INNER}[^{{}}]*+)*+\}}"
"""An expression in braces, with others in it to a depth of two."""
_COMMENT, _COMMENT_END = "{/*", "*/}"
_JAVASCRIPT = re.compile(
    rf"{CODE}|(?P<formula>\$\$(?:[^$]|\$(?!\$))*+\$\$|\$[^$\n]+\$)"
    r"|\{/\*"
    r"|^(?:import|export)[ \t]+[^\n]*(?:\n(?![ \t]*$)[^\n]+)*+"
    rf"|</?(?P<component>[A-Z][\w.]*|(?=>))(?:[^<>{{}}\"']++|\"[^\"\n]*+\"|'[^'\n]*+'|{_BRACES})*+>"
    r"|(?<![\\\w^_}])\{[A-Za-z_][\w.]*\}",
    re.MULTILINE,
)


def without_javascript(text: str) -> str:
    """A text of MDX without comments, imports, exports, values, and the tags of components that are no theorems."""
    pieces: list[str] = []
    kept = position = 0
    last_comment = text.rfind(_COMMENT_END)
    while (match := _JAVASCRIPT.search(text, position)) is not None:
        start, position = match.span()
        component = match["component"]
        if match.group() == _COMMENT and position <= last_comment:
            position = text.index(_COMMENT_END, position) + len(_COMMENT_END)
        elif text[start] in "`~ \t>$" or match.group() == _COMMENT or (component and kind_of(component) is not None):
            continue
        pieces += [text[kept:start], "\n" * text.count("\n", start, position)]
        kept = position
    return "".join([*pieces, text[kept:]])
