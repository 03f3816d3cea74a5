"""Words of a text: found, folded, stemmed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import Stemmer

from porism.errors import ConfigError
from porism.text.stopwords import STOP_WORDS

WORD = re.compile(r"[^\W_]+")
LONGEST_WORD = 64
"""Longer runs of letters and digits are cut here: they are data, not words."""


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

    :raises ConfigError: the language or the stop word list does not exist.
    """

    language: str = "english"
    stop_words: str = "english"

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

    def term(self, word: str) -> str | None:
        """The term of one word as it stands in a text; None for a stop word."""
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
        if len(memory) > 500_000:  # a bound for collections whose vocabulary never stops growing
            memory.clear()
        memory[word] = term
        return term

    def terms(self, text: str) -> list[str]:
        """The terms of a text in order, stop words left out."""
        term = self.term
        return [found for found in map(term, WORD.findall(text)) if found is not None]

    def words(self, text: str) -> list[Word]:
        """All words of a text with their places, for highlighting."""
        return [Word(match.start(), match.end(), self.term(match.group())) for match in WORD.finditer(text)]
