"""Spellings that count as one: letter case, accents, ligatures, widths, and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata

from porism.analysis.han_variants import SIMPLIFIED

INVISIBLE = "\u00ad\u034f\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"
"""Characters inside words that show nothing, as a class of a regular expression: soft hyphens, joiners,
variants of glyphs."""

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u093c\u093e-\u094f"
    "\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71"
    "\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03\u0b3c\u0b3e-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04"
    "\u0c3e-\u0c56\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0dca-\u0ddf"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f"
    "\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d"
    "\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u17b4-\u17d3\u17dd\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f"
)
"""Accents, vowel signs and other marks on letters, as a class of a regular expression."""

_SPELLING_CLASSES = frozenset({7, 8, 9, 84, 91, 103, 107, 118, 122, 129, 130, 132})
"""Combining classes of marks that are letters of their script: nuktas, voicing of kana, viramas, vowels of Thai."""

_LETTERS = str.maketrans({
    "œ": "oe", "æ": "ae", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "þ": "th", "ħ": "h", "ŧ": "t", "ŋ": "n",
    "ŀ": "l", "ƶ": "z", "ɨ": "i", "ʼ": None, "ـ": None,
})
"""Letters that Unicode does not take apart, as they are written without them."""

APOSTROPHE = "['\u2019](?<=[\u0410-\u044f\u0456\u0406\u0491\u0490].)(?=[яюєїЯЮЄЇ])"
"""A Ukrainian apostrophe, as a regular expression: between a consonant and a soft vowel it is a letter, \u02bc."""

BARE_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
"""German letters as they are written without them."""

_VARIANTS = {**_LETTERS, **SIMPLIFIED}
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_APOSTROPHE = re.compile(APOSTROPHE)


def visible(text: str) -> str:
    """The text without characters that show nothing, letters and accents composed."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text))


def spelling(word: str) -> str:
    """A word as a dictionary has it: lower case, accents composed, no compatibility forms or invisible characters."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", word)).lower()


def fold(word: str) -> str:
    """One spelling of all that count as one: ``Möbius`` and ``mobius``, ``œuvre`` and ``oeuvre``, ``緊`` and ``紧``.

    Lower case, compatibility forms, no accents, no invisible characters, simplified Chinese characters.
    """
    if word.isascii():
        return word.lower()
    if "'" in word or "\u2019" in word:
        word = _APOSTROPHE.sub("", word)
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", _UNSEEN.sub("", word)).casefold())
    bare = "".join(character for character in decomposed if not _is_accent(character))
    return unicodedata.normalize("NFC", bare.translate(_VARIANTS))


def _is_accent(character: str) -> bool:
    combining = unicodedata.combining(character)
    return combining > 0 and combining not in _SPELLING_CLASSES
