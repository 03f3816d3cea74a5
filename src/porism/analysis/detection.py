"""Detects the language of a text by its script and its function words.

Callers leave formulas out. A text without enough evidence has no language: a title of two nouns, a declaration of a
proof assistant, a table of numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection
from typing import NamedTuple

from porism.analysis.folding import visible
from porism.analysis.languages import ENGLISH
from porism.analysis.stop_words import FUNCTION_WORDS

READ_CHARACTERS = 1_500
"""The number of characters at the beginning of a text that are read."""

_BY_SCRIPT = {
    "japanese": "\u3041-\u30ff\uff66-\uff9f", "chinese": "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003fffd",
    "korean": "\u1100-\u11ff\uac00-\ud7af", "thai": "\u0e01-\u0e4e", "lao": "\u0e81-\u0edf",
    "burmese": "\u1000-\u109f", "khmer": "\u1780-\u17d3", "tamil": "\u0b82-\u0bd7", "armenian": "\u0531-\u0587",
    "georgian": "\u10a0-\u10ff", "hindi": "\u0904-\u0939\u0958-\u0961", "hebrew": "\u05d0-\u05ea",
    "greek": "\u0386-\u03ce\u1f00-\u1fff", "arabic": "\u0620-\u064a\u0671-\u06d3", "russian": "\u0400-\u052f",
}
"""Language → the letters of its script, as a class of regular expressions."""

_SHARED_SCRIPTS = {
    "russian": ("russian", "ukrainian", "bulgarian", "serbian"), "arabic": ("arabic", "persian"),
    "hindi": ("hindi", "nepali"),
}
"""Languages that share a script are distinguished by their words and letters; the first is the default."""

_OWN_LETTERS = {
    "russian": "ыэё", "ukrainian": "іїєґ", "serbian": "ђјљњћџ", "bulgarian": "ъщ",
    "arabic": "ةىيك", "persian": "پچژگکی",
}
"""Letters that are typical of a language with a shared script."""

_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _BY_SCRIPT.items()}
_LONG_RUNS = {name: re.compile(f"[{_BY_SCRIPT[name]}]{{3,}}") for name in ("greek", "hebrew")}
"""Scripts whose single letters are symbols: only words count."""

_ANY_SCRIPT = re.compile("|".join([
    f"[{''.join(letters for name, letters in _BY_SCRIPT.items() if name not in _LONG_RUNS)}]",
    *(pattern.pattern for pattern in _LONG_RUNS.values()),
]))  # fmt: skip
"""What a text has in which there are letters of any of these scripts that count."""

_LATIN = re.compile("[a-z\u00c0-\u024f\u1e00-\u1eff]")
_TOKEN = re.compile(r"(?<![\w\\.])(?:\w\w+|[^\W\x00-\x7f\u0370-\u03ff])(?![\w=])")
"""A word of a language: not a single Latin or Greek letter, which is a variable, and not a command."""

_KANA_OF_JAPANESE = 0.08
"""The least share of kana among the East Asian letters of Japanese; Chinese has none."""

_MIN_SHARE = 0.3
"""The least share of letters that a text in a non-Latin script has of it: names and terms stay in Latin letters."""

_MIN_WEIGHT, _MIN_DENSITY, _LEAD_OF_ENGLISH = 1.0, 0.12, 1.6
"""A text is in a language if its function words have this weight, this share of all words, and this many times the
weight of English ones, since most mathematics is in English. A word weighs 1 / the number of languages that have it."""

_MIN_TELLING, _SURELY_TELLING = 2, 3
"""The least number of distinctive words of a text in a language, and the number from which detection is sure."""

_SHORT = re.compile("[a-z]{1,2}")
_KEYWORDS = frozenset("and else for from have let not show then this until where while with".split())
"""Short words and keywords of programs are not distinctive; words with accents count twice. A single word is not
enough."""

_QUESTION_WEIGHT = 0.5
"""The least weight of function words in a question, which is short and in one of few languages."""


class Detected(NamedTuple):
    """A language, and whether it is sure, regardless of neighbouring texts."""

    language: str
    sure: bool


def _word_languages() -> dict[str, tuple[str, ...]]:
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for language, words in FUNCTION_WORDS.items():
        for word in words:
            by_word[word].append(language)
    return {word: tuple(languages) for word, languages in by_word.items() if _TOKEN.fullmatch(word)}


_LANGUAGES_OF = _word_languages()


def detect(text: str, among: Collection[str] = ()) -> Detected | None:
    """The language of a text, one of ``among`` (any if empty); None without enough evidence."""
    text = _beginning(text)
    script = None if text.isascii() else _script(text)
    if script is None:
        return _Evidence(text, among).detected()
    sharing = [name for name in _SHARED_SCRIPTS.get(script, (script,)) if not among or name in among]
    if not sharing:
        return None
    words = _Evidence(text, sharing).weights
    weights = {name: words.get(name, 0.0) + sum(map(text.count, _OWN_LETTERS.get(name, ""))) / 2 for name in sharing}
    return Detected(max(sharing, key=weights.__getitem__), True)


def is_in_other_letters(text: str) -> bool:
    """Whether a text is in a non-Latin script."""
    return not text.isascii() and _script(_beginning(text)) is not None


def detect_question(text: str, among: Collection[str]) -> str | None:
    """The language of a question to an index with texts in these languages; None without enough evidence."""
    if len(among) < 2:
        return None
    text = _beginning(text)
    if not text.isascii() and _script(text) is not None:
        detected = detect(text, among)
        return detected.language if detected else None
    evidence = _Evidence(text, among)
    return evidence.first if evidence.leads(_QUESTION_WEIGHT) else None


def _beginning(text: str) -> str:
    text = text[:READ_CHARACTERS]
    return text.lower() if text.isascii() else visible(text).lower()


def _script(text: str) -> str | None:
    """The language of the script that most letters of a text belong to; None for Latin letters."""
    if _ANY_SCRIPT.search(text) is None:
        return None
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
    return best if counts[best] >= _MIN_SHARE * (latin + sum(counts.values())) else None


class _Evidence:
    """The weights of languages by the function words of a text; ``first`` is the heaviest, or empty."""

    def __init__(self, text: str, among: Collection[str]) -> None:
        self.words = Counter(_TOKEN.findall(text))
        self.weights: defaultdict[str, float] = defaultdict(float)
        self.telling: Counter[str] = Counter()
        self.times: Counter[str] = Counter()
        self.different: Counter[str] = Counter()
        for word in self.words:  # in text order: sums in other orders could differ in the last digit
            languages = _LANGUAGES_OF.get(word)
            if languages is None:
                continue
            if among:
                languages = tuple(language for language in languages if language in among)
            tells = 0 if _SHORT.fullmatch(word) or word in _KEYWORDS else 1 if word.isascii() or len(word) == 1 else 2
            for language in languages:
                self.weights[language] += min(self.words[word], 5) / len(languages)
                self.telling[language] += tells
                self.times[language] += self.words[word]
                self.different[language] += 1
        self.first = max(sorted(self.weights), key=self.weights.__getitem__, default="")

    def leads(self, least: float) -> bool:
        """Whether the first language has this weight and, if it is not English, is far enough ahead of English."""
        weight = self.weights.get(self.first, 0.0)
        ahead = self.first == ENGLISH or weight >= _LEAD_OF_ENGLISH * self.weights.get(ENGLISH, 0.0)
        return weight >= least and ahead

    def detected(self) -> Detected | None:
        """The first language, if there is enough evidence."""
        telling = self.telling[self.first] if self.different[self.first] > 1 else 0
        dense = self.times[self.first] >= _MIN_DENSITY * self.words.total()
        if not self.leads(_MIN_WEIGHT) or not dense or telling < (1 if self.first == ENGLISH else _MIN_TELLING):
            return None
        return Detected(self.first, self.first == ENGLISH or telling >= _SURELY_TELLING)
