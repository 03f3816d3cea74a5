"""Sentences of a content, formulas whole."""

from __future__ import annotations

import re

from porism.types import PLACEHOLDER, Content

_END = re.compile(rf"(?<=[.!?])['’”)\]]*\s+(?=[A-Z(“'{PLACEHOLDER}])|\n+")
"""Where a sentence ends: at a line's end, and after a mark of its end where a capital or a formula follows."""

_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|cf|resp|etc|Thm|Prop|Def|Lem|Cor|Eq|Fig|Sec|Dr|Mr|vs|no|[A-Z])\.\Z")


def split_sentences(content: Content) -> list[Content]:
    """The sentences of a content, empty ones left out.

    A point inside a formula ends no sentence, nor does one after an abbreviation or an initial.
    """
    sentences: list[Content] = []
    start = used = 0
    bounds = [(match.start(), match.end()) for match in _END.finditer(content.text)]
    for end, following in [*bounds, (len(content.text), len(content.text))]:
        piece = content.text[start:end]
        if following < len(content.text) and "\n" not in content.text[end:following] and _ABBREVIATED.search(piece):
            continue
        count = piece.count(PLACEHOLDER)
        stripped = piece.strip()
        if stripped:
            sentences.append(Content(stripped, content.formulas[used : used + count]))
        used += count
        start = following
    return sentences
