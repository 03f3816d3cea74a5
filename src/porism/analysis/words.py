"""Words of a text: found, folded, stemmed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import Stemmer

from porism.analysis.stop_words import STOP_WORDS
from porism.concurrency.caching import cached_property
from porism.errors import ConfigError

WORD = re.compile(r"[^\W_]+")
_IDENTIFIER = re.compile(r"[^\W_]+(?:(?:_+|\.)[^\W_]+)*")
_HUMP = re.compile(
    r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=\d)(?=[A-Z][^\W\d_A-Z])|(?<=[A-Z])(?=[A-Z](?!s\Z)[^\W\d_A-Z])"
)
"""Where a word goes on with another one: ``is|Open``, ``T2|Space``, ``CW|Complex``; the plural ``PDEs`` is one word."""

_LETTERS = re.compile(r"[^\W\d_]{2}")
LONGEST_WORD = 64
"""Longer runs of letters and digits are cut here: they are data, not words."""

_MOST_REMEMBERED = 500_000


def fold(word: str) -> str:
    """Lower case, compatibility forms and accents removed: ``Möbius`` and ``Mobius`` are one word."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@dataclass(frozen=True, slots=True)
class Word:
    """A word at ``start:end`` of a text and the term that it is indexed by, None for a stop word."""

    start: int
    end: int
    term: str | None


@dataclass(frozen=True)
class WordAnalyzer:
    """From text to terms: runs of letters and digits, folded, stop words dropped, stemmed by Snowball.

    With ``identifiers`` words are split at capitals inside them too (``isOpen``, ``CWComplex``) and kept whole beside
    that; and so are names of several words joined by underscores or dots, in lower case and not stemmed:
    ``Finset.sum_comm`` gives ``finset``, ``sum``, ``comm``, ``finset.sum_comm`` and ``sum_comm``.

    :raises ConfigError: the language or the stop word list does not exist.
    """

    language: str = "english"
    stop_words: str = "english"
    identifiers: bool = False

    def __post_init__(self) -> None:
        if self.language != "none" and self.language not in Stemmer.algorithms():
            known = ", ".join(["none", *Stemmer.algorithms()])
            raise ConfigError(f"there is no stemmer for the language {self.language!r}", hint=f"Choose one of {known}.")
        if self.stop_words not in STOP_WORDS:
            raise ConfigError(
                f"there is no stop word list {self.stop_words!r}", hint=f"Choose one of {', '.join(STOP_WORDS)}."
            )

    @cached_property
    def _stemmer(self) -> Stemmer.Stemmer | None:
        return None if self.language == "none" else Stemmer.Stemmer(self.language)

    @cached_property
    def _memory(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _runs(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        return {}

    def term(self, word: str) -> str | None:
        """The term of one word as it is in a text; None for a stop word."""
        memory = self._memory
        try:
            return memory[word]
        except KeyError:
            pass
        folded = fold(word)[:LONGEST_WORD]
        term: str | None
        if not folded or folded in STOP_WORDS[self.stop_words]:
            term = None
        else:
            term = self._stemmer.stemWord(folded) if self._stemmer else folded
        if len(memory) > _MOST_REMEMBERED:  # a bound for collections whose vocabulary never stops growing
            memory.clear()
        memory[word] = term
        return term

    def terms(self, text: str) -> list[str]:
        """The terms of a text in order, stop words left out; a whole name comes after its parts."""
        if not self.identifiers:
            term = self.term
            return [found for found in map(term, WORD.findall(text)) if found is not None]
        found: list[str] = []
        for parts, names in map(self._run, _IDENTIFIER.findall(text)):
            found += parts
            found += names
        return found

    def parts(self, text: str) -> list[str]:
        """The terms of single words in order, as they follow one another: :meth:`terms` without whole names."""
        if not self.identifiers:
            return self.terms(text)
        return [term for parts, _ in map(self._run, _IDENTIFIER.findall(text)) for term in parts]

    def words(self, text: str) -> list[Word]:
        """All words of a text with their places; a whole name comes before its parts."""
        if not self.identifiers:
            return [Word(match.start(), match.end(), self.term(match.group())) for match in WORD.finditer(text)]
        found: list[Word] = []
        for match in _IDENTIFIER.finditer(text):
            start = match.start()
            found += [Word(start + first, start + last, term) for first, last, term in self._spans(match.group())]
        return sorted(found, key=lambda word: (word.start, -word.end))

    def matcher(self, terms: Iterable[str]) -> Callable[[str], list[tuple[int, int, str]]]:
        """What finds words of some terms in texts: start, end and term of each, in order; a whole name comes before
        its parts. It remembers the words that it has seen."""
        pattern = _IDENTIFIER if self.identifiers else WORD
        wanted = frozenset(terms)
        known: dict[str, list[tuple[int, int, str]]] = {}

        def matches(text: str) -> list[tuple[int, int, str]]:
            found: list[tuple[int, int, str]] = []
            for match in pattern.finditer(text):
                run = match.group()
                matching = known.get(run)
                if matching is None:
                    if len(known) > _MOST_REMEMBERED:
                        known.clear()
                    matching = known[run] = self._matching(run, wanted)
                if matching:
                    begin = match.start()
                    found += [(begin + start, begin + end, term) for start, end, term in matching]
            return sorted(found, key=lambda one: (one[0], -one[1])) if len(found) > 1 else found

        return matches

    def _matching(self, run: str, terms: frozenset[str]) -> list[tuple[int, int, str]]:
        """The names and words of a run that have one of some terms."""
        if not self.identifiers:
            term = self.term(run)
            return [(0, len(run), term)] if term is not None and term in terms else []
        parts, names = self._run(run)  # remembered from text to text, most have none of the terms
        if terms.isdisjoint(parts) and terms.isdisjoint(names):
            return []
        return [(start, end, term) for start, end, term in self._spans(run) if term is not None and term in terms]

    def _run(self, run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The terms of a run's words, and of the names in it."""
        memory = self._runs
        try:
            return memory[run]
        except KeyError:
            pass
        parts = (self.term(run[first:last]) for first, last in _parts(run))
        names = (name for _, _, name in self._names(run))
        found = (
            tuple(term for term in parts if term is not None), tuple(name for name in names if name is not None)
        )
        if len(memory) > _MOST_REMEMBERED:
            memory.clear()
        memory[run] = found
        return found

    def _spans(self, run: str) -> list[tuple[int, int, str | None]]:
        """Where the names and words of a run are, and their terms."""
        return [*self._names(run), *((first, last, self.term(run[first:last])) for first, last in _parts(run))]

    def _names(self, run: str) -> list[tuple[int, int, str | None]]:
        """Where the names of a run are that have several words, longest first: the whole, what is behind the last
        dot, and words with capitals inside; and their terms."""
        if run.islower() and run.isalnum():
            return []
        spans = [(0, len(run))]
        if "." in run:
            spans.append((run.rindex(".") + 1, len(run)))
        if "_" in run or "." in run:
            spans += [match.span() for match in WORD.finditer(run)]
        found: list[tuple[int, int, str | None]] = []
        for start, end in dict.fromkeys(spans):
            name = run[start:end]
            if len(_parts(name)) > 1:
                if name.isalnum():
                    found.append((start, end, self.term(name)))
                elif _LETTERS.search(name):
                    found.append((start, end, fold(name)[:LONGEST_WORD]))
        return found


def _parts(run: str) -> list[tuple[int, int]]:
    """Where the words of a run of letters, digits, underscores and dots are."""
    found: list[tuple[int, int]] = []
    for match in WORD.finditer(run):
        start = match.start()
        for hump in _HUMP.finditer(match.group()):
            found.append((start, match.start() + hump.start()))
            start = match.start() + hump.start()
        found.append((start, match.end()))
    return found
