"""Words of scripts that put no blanks between them: overlapping pairs of characters, and each character alone.

``紧空间`` gives ``紧空``, ``紧``, ``空间``, ``空``, ``间``: a word is found anywhere in a sentence.
A run of one script is taken apart by itself: kanji, kana, hangul (in which particles follow words without a blank),
and Thai, Lao, Khmer and Burmese, where a character has its vowels and tones with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from porism.analysis.folding import INVISIBLE, MARKS

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
HIRAGANA = "\u3041-\u3096\u309d-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc"
SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\ua9e0-\ua9fe\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer, as a class of a regular expression, as those above."""

UNSPACED = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{SOUTH_EAST_ASIAN}]")
"""A character of these scripts."""

_BEHIND = f"[{MARKS}{INVISIBLE}\uff9e\uff9f]*"
_RUN = re.compile(
    "|".join(
        f"(?:[{script}]{_BEHIND})+" for script in (HAN, HIRAGANA, KATAKANA, HANGUL, SOUTH_EAST_ASIAN)
    )
    + f"|[^{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{SOUTH_EAST_ASIAN}]+"
)
_JAMO = "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?"
_LEADING_VOWELS = "\u0e40-\u0e44\u0ec0-\u0ec4"
_FOLLOWING_VOWELS = "\u0e30\u0e32\u0e33\u0eb0\u0eb2\u0eb3"
_STACKED = "(?:[\u1039\u17d2].)"
_CHARACTER = re.compile(
    f"{_JAMO}|[{_LEADING_VOWELS}]?.(?:{_STACKED}|[{MARKS}{INVISIBLE}\uff9e\uff9f{_FOLLOWING_VOWELS}])*", re.DOTALL
)
"""One character with all that is written around it: a consonant of Thai with its vowels, a syllable of hangul."""

Span = tuple[int, int]


def spans(run: str, *, alone: bool = True) -> Iterator[Span]:
    """Where the words of a run of letters are, in order: pairs of characters of the scripts that have no blanks, with
    ``alone`` each character too, and between them what is of other scripts."""
    for piece in _RUN.finditer(run):
        start = piece.start()
        if UNSPACED.match(piece.group()) is None:
            yield piece.span()
            continue
        characters = [(start + match.start(), start + match.end()) for match in _CHARACTER.finditer(piece.group())]
        for (first, end), (_, last) in pairwise(characters):
            yield first, last
            if alone:
                yield first, end
        if alone or len(characters) == 1:
            yield characters[-1]
