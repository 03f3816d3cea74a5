"""The language of a text, by its script and by the words that every text of a language has.

Formulas are left out by whoever asks. What is not told apart has no language here: a title of two nouns, a
declaration of a proof assistant, a table of numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection

from porism.analysis.folding import visible
from porism.analysis.languages import ENGLISH
from porism.analysis.stop_words import FUNCTION_WORDS

READ_CHARACTERS = 2_500
"""So much of a text says what its language is."""

_BY_SCRIPT = {
    "japanese": "\u3041-\u30ff\uff66-\uff9f", "chinese": "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003fffd",
    "korean": "\u1100-\u11ff\uac00-\ud7af", "thai": "\u0e01-\u0e4e", "lao": "\u0e81-\u0edf",
    "burmese": "\u1000-\u109f", "khmer": "\u1780-\u17d3", "tamil": "\u0b82-\u0bd7", "armenian": "\u0531-\u0587",
    "georgian": "\u10a0-\u10ff", "hindi": "\u0904-\u0939\u0958-\u0961", "hebrew": "\u05d0-\u05ea",
    "greek": "\u0386-\u03ce\u1f00-\u1fff", "arabic": "\u0620-\u064a\u0671-\u06d3", "russian": "\u0400-\u052f",
}
"""Languages by the letters that they alone, or they most of all, are written in: classes of regular expressions."""

_SHARED_SCRIPTS = {
    "russian": ("russian", "ukrainian", "bulgarian", "serbian"), "arabic": ("arabic", "persian"),
    "hindi": ("hindi", "nepali"),
}
"""Languages that share a script are told apart by their words, the first where these do not say."""

_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _BY_SCRIPT.items()}
_LONG_RUNS = {name: re.compile(f"[{_BY_SCRIPT[name]}]{{3,}}") for name in ("greek", "hebrew")}
"""Scripts of which single letters are symbols: only words of them count."""

_LATIN = re.compile("[a-z\u00c0-\u024f\u1e00-\u1eff]")
_TOKEN = re.compile(r"(?<![\w\\.])(?:\w\w+|[^\W\x00-\x7f])(?![\w=])")
"""A word that may be of a language: no single letter of ASCII, which in mathematics is a variable, and no command."""

_KANA_OF_JAPANESE = 0.08
"""Japanese has at least this share of kana among its letters of East Asia; Chinese has none."""

_LEAST_SHARE = 0.3
"""A text is in a language of another script if it has this share of all letters: names and terms stay in Latin."""

_LEAST_WORDS, _LEAST_WEIGHT, _LEAST_DENSITY, _LEAD_OF_ENGLISH = 2, 1.0, 0.08, 1.6
"""A text is in a language if this many different function words of it are there, they weigh so much, are this share
of all words, and weigh so many times those of English, which most mathematics is in. A word weighs 1 divided by how
many languages have it."""

_SHORT = re.compile("[a-z]{1,2}")
"""Words of two letters are names in programs too: a language needs one that is longer."""

_QUESTION_WEIGHT = 0.5
"""What function words of a question weigh at least: it is in one of few languages, and short."""


def _word_languages() -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for language, words in FUNCTION_WORDS.items():
        for word in words:
            found[word].append(language)
    return {word: tuple(languages) for word, languages in found.items() if _TOKEN.fullmatch(word)}


_LANGUAGES_OF = _word_languages()


def detect(text: str, among: Collection[str] = ()) -> str | None:
    """The language of a text, one of those ``among`` which it can be (any, where none is given); None where its words
    do not say."""
    text = visible(text[:READ_CHARACTERS]).lower() if not text.isascii() else text[:READ_CHARACTERS].lower()
    script = None if text.isascii() else _script(text)
    if script is None:
        return _by_words(text, among, _LEAST_WEIGHT)
    sharing = [name for name in _SHARED_SCRIPTS.get(script, (script,)) if not among or name in among]
    if len(sharing) < 2:
        return sharing[0] if sharing else None
    return _by_words(text, sharing, 0.0) or sharing[0]


def detect_question(text: str, among: Collection[str]) -> str | None:
    """The language of a question to an index with texts in some languages; None where its words do not say."""
    if len(among) < 2:
        return None
    lowered = visible(text[:READ_CHARACTERS]).lower()
    if not lowered.isascii() and _script(lowered) is not None:
        return detect(lowered, among)
    return _by_words(lowered, among, _QUESTION_WEIGHT, least_words=1)


def _script(text: str) -> str | None:
    """The language that most letters of a text are of, where its script tells; None for Latin letters."""
    counts = {
        name: sum(map(len, _LONG_RUNS[name].findall(text))) if name in _LONG_RUNS else len(letters.findall(text))
        for name, letters in _LETTERS.items()
    }
    counts = {name: count for name, count in counts.items() if count}
    if not counts:
        return None
    latin = len(_LATIN.findall(text))
    kana, han = counts.get("japanese", 0), counts.get("chinese", 0)
    if kana >= _KANA_OF_JAPANESE * (kana + han):
        counts["japanese"] = kana + han
        counts.pop("chinese", None)
    else:
        counts.pop("japanese", None)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= _LEAST_SHARE * (latin + sum(counts.values())) else None


def _by_words(text: str, among: Collection[str], least: float, least_words: int = _LEAST_WORDS) -> str | None:
    words = Counter(_TOKEN.findall(text))
    weights: defaultdict[str, float] = defaultdict(float)
    different: Counter[str] = Counter()
    longer: set[str] = set()
    for word in words.keys() & _LANGUAGES_OF.keys():
        languages = _LANGUAGES_OF[word]
        if among:
            languages = tuple(language for language in languages if language in among)
        for language in languages:
            weights[language] += min(words[word], 5) / len(languages)
            different[language] += 1
        if not _SHORT.fullmatch(word):
            longer.update(languages)
    if not weights:
        return None
    first = max(sorted(weights), key=weights.__getitem__)
    if first != ENGLISH and weights[first] < _LEAD_OF_ENGLISH * weights[ENGLISH]:
        return None
    if different[first] < least_words or (least_words > 1 and first not in longer):
        return None
    return first if weights[first] >= max(least, _LEAST_DENSITY * min(words.total(), 100)) else None
