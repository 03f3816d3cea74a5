"""Words of a text: tokenised, folded and stemmed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import Stemmer

from porism.analysis import unspaced
from porism.analysis.folding import APOSTROPHE, INVISIBLE, MARKS, fold, spelling
from porism.analysis.languages import ENGLISH, LANGUAGE_NAMES, LANGUAGES, NO_LANGUAGE, Language
from porism.analysis.stop_words import FUNCTION_WORDS, NO_STOP_WORDS, stop_words
from porism.errors import ConfigError
from porism.system.concurrency.caching import cached_property

WORD = re.compile(rf"[^\W_][^\W_{MARKS}{INVISIBLE}]*(?:(?:[{MARKS}{INVISIBLE}]+|{APOSTROPHE})[^\W_]*)*")
"""Letters and digits with their accents, invisible characters, and Ukrainian apostrophes, which stand before a soft
vowel: ``зв'язний`` is one word, ``д'Аламбер`` two."""

_IDENTIFIER = re.compile(rf"{WORD.pattern}(?:(?:_+|\.){WORD.pattern})*")
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=\d)(?=[A-Z][^\W\d_A-Z])|(?<=[A-Z])(?=[A-Z](?!s\Z)[^\W\d_A-Z])")
"""The boundaries within a word: ``is|Open``, ``T2|Space``, ``CW|Complex``; the plural ``PDEs`` is one word."""

_LETTERS = re.compile(r"[^\W\d_]{2}")
MAX_WORD_LENGTH = 64
"""Longer runs of letters and digits are cut here: they are data, not words."""

OWN_STOP_WORDS = "language"
"""The name of the stop word list of each text's own language."""

_MAX_REMEMBERED = 1 << 16

Span = tuple[int, int]
Match = tuple[int, int, str]
"""The start and end of a word, and its term."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word at ``start:end`` of a text and its term, None for a stop word."""

    start: int
    end: int
    term: str | None


class _RunTerms(NamedTuple):
    """The terms of a run of letters: all, with those of names last, and those of adjacent words."""

    terms: tuple[str, ...]
    adjacent: tuple[str, ...]


@dataclass(frozen=True)
class WordAnalyzer:
    """Makes terms of text in one language: runs of letters and digits, folded, without stop words, stemmed by Snowball.

    Scripts without spaces between words give pairs of characters, and each character
    (:mod:`porism.analysis.unspaced`). With ``identifiers`` words are also split at capitals (``isOpen``,
    ``CWComplex``), and kept whole too. Names of several words joined by underscores or dots are kept whole as well, in
    lower case and not stemmed: ``Finset.sum_comm`` gives ``finset``, ``sum``, ``comm``, ``finset.sum_comm`` and
    ``sum_comm``.

    :raises ConfigError: the language or the stop word list does not exist.
    """

    language: str = "english"
    stop_words: str = "english"
    identifiers: bool = False

    def __post_init__(self) -> None:
        if self.language not in LANGUAGE_NAMES:
            known = ", ".join([NO_LANGUAGE, *LANGUAGES])
            raise ConfigError(f"there is no stemmer for the language {self.language!r}", hint=f"Choose one of {known}.")
        if unknown := set(self.stop_words.split("+")) - {OWN_STOP_WORDS, NO_STOP_WORDS, *FUNCTION_WORDS}:
            raise ConfigError(
                f"there is no stop word list {min(unknown)!r}",
                hint=f"Choose one of {OWN_STOP_WORDS}, {NO_STOP_WORDS}, {', '.join(FUNCTION_WORDS)}.",
            )

    @cached_property
    def dropped(self) -> frozenset[str]:
        """The folded stop words."""
        own = self.language if self.language in FUNCTION_WORDS else NO_STOP_WORDS
        return stop_words("+".join(own if name == OWN_STOP_WORDS else name for name in self.stop_words.split("+")))

    @cached_property
    def _stem(self) -> Callable[[str, str], str]:
        return _stemmer(self.language)

    @cached_property
    def _memory(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _runs(self) -> dict[str, _RunTerms]:
        return {}

    def term(self, word: str) -> str | None:
        """The term of a word of a text; None for a stop word."""
        memory = self._memory
        try:
            return memory[word]
        except KeyError:
            pass
        folded = fold(word)[:MAX_WORD_LENGTH]
        term: str | None
        if not folded or folded in self.dropped:
            term = None
        else:
            term = self._stem(word, folded)
        if len(memory) > _MAX_REMEMBERED:  # the vocabulary of a collection can grow without end
            memory.clear()
        memory[word] = term
        return term

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _IDENTIFIER if self.identifiers else WORD

    def terms(self, text: str) -> list[str]:
        """The terms of a text in order, without stop words; a whole name comes after its parts."""
        if not self.identifiers and not _is_unspaced(text):
            term = self.term
            return [stem for stem in map(term, WORD.findall(text)) if stem is not None]
        known = self._runs.get
        terms: list[str] = []
        for run in _runs_in(text, self._pattern):
            terms += (known(run) or self._run(run)).terms
        return terms

    def parts(self, text: str) -> list[str]:
        """The terms of adjacent words in order: :meth:`terms` without whole names, and without characters of pairs."""
        known = self._runs.get
        parts: list[str] = []
        for run in _runs_in(text, self._pattern):
            parts += (known(run) or self._run(run)).adjacent
        return parts

    def words(self, text: str) -> list[Word]:
        """All words of a text with their places; a whole name comes before its parts."""
        words: list[Word] = []
        for match in self._pattern.finditer(text):
            start = match.start()
            words += [Word(start + first, start + last, term) for first, last, term in self._spans(match.group())]
        return sorted(words, key=lambda word: (word.start, -word.end)) if self.identifiers else words

    def matcher(self, terms: Iterable[str]) -> Callable[[str], list[Match]]:
        """A function that finds the words with these terms in a text: start, end and term of each, in order.

        A whole name comes before its parts. The function caches the words it has seen.
        """
        searched = frozenset(terms)
        known: dict[str, list[Match]] = {}

        def matches(text: str) -> list[Match]:
            spans: list[Match] = []
            for match in self._pattern.finditer(text):
                run = match.group()
                matching = known.get(run)
                if matching is None:
                    if len(known) > _MAX_REMEMBERED:
                        known.clear()
                    matching = known[run] = self._matching(run, searched)
                if matching:
                    begin = match.start()
                    spans += [(begin + start, begin + end, term) for start, end, term in matching]
            return sorted(spans, key=lambda span: (span[0], -span[1])) if len(spans) > 1 else spans

        return matches

    def _matching(self, run: str, terms: frozenset[str]) -> list[Match]:
        """The names and words of a run that have one of these terms."""
        if terms.isdisjoint(self._run(run).terms):  # cached; most runs have none of the terms
            return []
        return [(start, end, term) for start, end, term in self._spans(run) if term is not None and term in terms]

    def _run(self, run: str) -> _RunTerms:
        """The terms of a run."""
        memory = self._runs
        known = memory.get(run)
        if known is not None:
            return known
        spans, name_spans = split_run(run, self.identifiers)
        parts = self._terms(run, spans)
        names = tuple([name for first, last in name_spans if (name := self._name(run[first:last])) is not None])
        adjacent = self._terms(run, _parts(run, self.identifiers, alone=False)) if _is_unspaced(run) else parts
        if len(memory) > _MAX_REMEMBERED:
            memory.clear()
        known = memory[run] = _RunTerms(parts + names, adjacent)
        return known

    def _terms(self, run: str, spans: Iterable[Span]) -> tuple[str, ...]:
        terms = [self.term(run[first:last]) for first, last in spans]
        return tuple([term for term in terms if term is not None])

    def _spans(self, run: str) -> list[tuple[int, int, str | None]]:
        """The places of the names and words of a run, and their terms."""
        parts, names = split_run(run, self.identifiers)
        return [
            *((first, last, self._name(run[first:last])) for first, last in names),
            *((first, last, self.term(run[first:last])) for first, last in parts),
        ]

    def _name(self, name: str) -> str | None:
        """The term of a name of several words: that of a word, and else the name as it is, in lower case."""
        return self.term(name) if WORD.fullmatch(name) else fold(name)[:MAX_WORD_LENGTH]


@lru_cache(4)
def _runs_in(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The runs of a text, which several channels ask for one after the other."""
    return pattern.findall(text)


@lru_cache(1 << 12)
def split_run(run: str, identifiers: bool) -> tuple[Sequence[Span], Sequence[Span]]:
    """The places of the words in a run of letters, digits, underscores and dots, and of the names of several words.

    The names are the whole run, the part after the last dot, and words with capitals inside, longest first.
    """
    if run.isalnum() and run.isascii() and (run.islower() or not identifiers):
        return ((0, len(run)),), ()
    parts = _parts(run, identifiers)
    if not identifiers:
        return parts, ()
    is_unspaced = _is_unspaced(run)
    spans = [] if is_unspaced else [(0, len(run))]
    if "." in run and spans:
        spans.append((run.rindex(".") + 1, len(run)))
    if "_" in run or "." in run or not spans:
        spans += [span for span in _pieces(run) if not _is_unspaced(run[slice(*span)])]
    starts = [start for start, _ in parts]
    names: list[Span] = []
    for start, end in dict.fromkeys(spans):
        count = (
            len(_parts(run[start:end], identifiers)) if is_unspaced
            else bisect_left(starts, end) - bisect_left(starts, start)
        )
        if count > 1 and (_LETTERS.search(run, start, end) or WORD.fullmatch(run, start, end)):
            names.append((start, end))
    return parts, names


def _parts(run: str, identifiers: bool, *, alone: bool = True) -> list[Span]:
    """The places of words in a run of letters, digits, underscores and dots."""
    pieces = _pieces(run, alone=alone)
    if not identifiers or run.islower():
        return pieces
    parts: list[Span] = []
    for start, end in pieces:
        begin = start
        for hump in _HUMP.finditer(run[begin:end]):
            parts.append((start, begin + hump.start()))
            start = begin + hump.start()
        parts.append((start, end))
    return parts


def _is_unspaced(text: str) -> bool:
    """Whether a text has characters of scripts without spaces between words."""
    return not text.isascii() and unspaced.UNSPACED.search(text) is not None


def _pieces(run: str, *, alone: bool = True) -> list[Span]:
    """The places between underscores and dots; in scripts without spaces, of pairs of characters.

    With ``alone``, single characters of such scripts are included.
    """
    if not _is_unspaced(run):
        return [match.span() for match in WORD.finditer(run)]
    return [
        (match.start() + first, match.start() + last)
        for match in WORD.finditer(run) for first, last in unspaced.spans(match.group(), alone=alone)
    ]


@lru_cache(64)
def _stemmer(name: str) -> Callable[[str, str], str]:
    """A function from a word and its folded form to its term in a language.

    English is stemmed without accents, so that ``naïve`` and ``naive`` have one term. In other languages endings have
    accents, so the stem is folded.
    """
    if name == NO_LANGUAGE:
        return lambda word, folded: folded
    language = LANGUAGES.get(name) or Language(name, stemmer=name)
    algorithm = language.stemmer or ("" if language.latin else ENGLISH)
    if not algorithm:
        return lambda word, folded: folded
    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord
    if language.name not in LANGUAGES or algorithm == ENGLISH:
        return lambda word, folded: stem(folded)
    latin = _stemmer(ENGLISH)
    letters = re.compile(f"(?<![aeiouyäöüq])(?:{'|'.join(language.letters)})") if language.letters else None

    def stemmed(word: str, folded: str) -> str:
        if not language.latin and word.isascii():
            return latin(word, folded)
        spelled = spelling(word)[:MAX_WORD_LENGTH]
        for ending, other in language.endings.items():
            if spelled.endswith(ending):
                spelled = spelled.removesuffix(ending) + other
                break
        if letters is not None:
            spelled = letters.sub(lambda match: language.letters[match.group()], spelled)
        return fold(stem(spelled))

    return stemmed
