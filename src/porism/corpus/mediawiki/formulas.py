"""Formulas that wikis write with HTML: ``''x''<sup>2</sup>`` in a template or in running text becomes LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from porism.corpus.latex.tables import words

MASK = re.compile("\x02(\\d+)\x03")
"""What stands for something that is kept apart: its number between two control characters."""

_TOKEN = re.compile(
    r"\x02(?P<mask>\d+)\x03|<(?P<tag>/?su[bp])\b[^<>]*>|</?[A-Za-z][^<>]*>|(?P<quotes>'{2,5})|(?P<entity>&\#?\w{1,12};)"
    r"|(?P<word>[A-Za-z]{2,})|(?P<special>[\\{}#%&_^~$])|(?P<prime>['′″]+)|.", re.DOTALL,
)  # fmt: skip
_ITALICS, _BOLD = (2, 5), (3, 5)
_SPECIAL = {"\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
_CONNECTIVES = words("if and or for where with otherwise when in all of is not on even odd mod such that else then iff")
_LETTER = r"(?:'''?[A-Za-zΑ-ω]{1,3}'''?|(?<![\w'])[A-Za-zΑ-ω])"
_INDEX = r"<su(?:b>(?:(?!</?su[bp]|\n)[^\n]){1,80}</sub|p>(?:(?!</?su[bp]|\n)[^\n]){1,80}</sup)>"
_OPERATOR = r"[ \xa0]?(?:[+−=≤≥≠·×/<>-]|&(?:minus|nbsp|times|sdot|lt|gt|le|ge);)[ \xa0]?"
INLINE = re.compile(
    rf"{_LETTER}(?:{_INDEX})+(?:{_OPERATOR}(?:{_LETTER}(?:{_INDEX})+|''[A-Za-zΑ-ω]''|\d{{1,9}}(?!\w))){{0,20}}(?!\w)"
)
"""A letter with indices or powers in running text, and the sum or equation that it begins."""


def html_formula(text: str, latex_of: Callable[[int], str]) -> str:
    """LaTeX of a formula written with HTML and wikitext.

    :param latex_of: the LaTeX of a formula that is kept apart, by its number.
    """
    parts: list[str] = []
    depth = 0
    italic = bold = False
    for match in _TOKEN.finditer(text):
        token, kind = match.group(), match.lastgroup
        if kind == "mask":
            parts.append(f"{{{latex_of(int(match['mask']))}}}")
        elif kind == "tag":
            if token.startswith("</"):
                parts.append("}" if depth else "")
                depth = max(0, depth - 1)
            else:
                parts.append("^{" if match["tag"] == "sup" else "_{")
                depth += 1
        elif kind == "quotes":
            italic, bold = italic != (len(token) in _ITALICS), bold != (len(token) in _BOLD)
        elif kind == "entity":
            character = unescape(token)
            parts.append(_SPECIAL.get(character, character if character not in "\\{}#%&_$" else f"\\{character}"))
        elif kind == "word":
            parts.append(_word(token, italic, bold))
        elif kind == "special":
            parts.append(_SPECIAL.get(token, f"\\{token}"))
        elif kind == "prime":
            parts.append("'" * (len(token) + token.count("″")))
        elif len(token) == 1:
            parts.append(f"\\mathbf{{{token}}}" if bold and token.isalpha() else token)
    return " ".join("".join([*parts, "}" * depth]).split())


def _word(word: str, italic: bool, bold: bool) -> str:
    if bold:
        return f"\\mathbf{{{word}}}"
    if italic:
        return word
    return f"\\text{{ {word} }}" if word in _CONNECTIVES else f"\\operatorname{{{word}}}"
