"""Other ways to split a text into words than that of the channel ``words``, as published systems did.

Each is a function from text to terms, with repetition and in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import Stemmer

from porism.analysis.folding import fold
from porism.analysis.words import MAX_WORD_LENGTH, WORD

_LETTERS = re.compile(r"[^\W\d]+")
_MIN_SIMPLE_LENGTH, _MAX_SIMPLE_LENGTH = 2, 15

_IDEOGRAPH = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NO_LETTER = f"²³¹¼-¾⁰-₟⅐-\u215f①-⓿❶-➓{_IDEOGRAPH}"
_LETTER = rf"[^\W\d_{_NO_LETTER}]"
_INSIDE = "\u00ad\u0300-\u036f\u200c\u200d"
_BETWEEN = ".'’‘․﹒＇．"
_STANDARD = re.compile(
    rf"[{_IDEOGRAPH}]"
    rf"|(?<!_)_*(?:{_LETTER}|\d)(?:{_LETTER}|[\d_{_INSIDE}]"
    rf"|(?<={_LETTER})[:·‧：{_BETWEEN}](?={_LETTER})|(?<=\d)[,;٫٬，；{_BETWEEN}](?=\d))*"
)
_MAX_LUCENE_LENGTH = 255

LUCENE_STOP_WORDS = frozenset(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
    to was will with
    """.split()
)
"""The stop words of Lucene's analysis of English."""

_MAX_REMEMBERED = 1 << 18


def plain_words(text: str) -> list[str]:
    """Runs of letters and digits in lower case, accents removed; no stop words left out, no stemming."""
    return [folded for folded in map(_folded, WORD.findall(text)) if folded]


def simple_words(text: str) -> list[str]:
    """Runs of 2 to 15 letters in lower case, as ``simple_preprocess`` of gensim gives them."""
    return [
        word for word in _LETTERS.findall(text.lower())
        if _MIN_SIMPLE_LENGTH <= len(word) <= _MAX_SIMPLE_LENGTH and word[0] != "_"
    ]


def lucene_words(text: str) -> list[str]:
    """Words as Lucene's analysis of English makes them, which is that of Anserini and Pyserini.

    Words between word boundaries of Unicode (UAX #29), cut after 255 characters; possessive ``'s`` removed; lower case;
    33 stop words left out; stemmed by Porter's algorithm.
    """
    words: list[str] = []
    for word in _STANDARD.findall(text):
        for start in range(0, len(word), _MAX_LUCENE_LENGTH):
            term = _lucene_term(word[start : start + _MAX_LUCENE_LENGTH])
            if term:
                words.append(term)
    return words


def whitespace_tokens(text: str) -> list[str]:
    """The texts between white space, in lower case, stemmed by Snowball's English stemmer."""
    return [_snowball(token) for token in text.split()]


@lru_cache(_MAX_REMEMBERED)
def _folded(word: str) -> str:
    return fold(word)[:MAX_WORD_LENGTH]


@lru_cache(1)
def _porter() -> Callable[[str], str]:
    stem: Callable[[str], str] = Stemmer.Stemmer("porter", 0).stemWord
    return stem


@lru_cache(1)
def _english() -> Callable[[str], str]:
    stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
    return stem


@lru_cache(_MAX_REMEMBERED)
def _lucene_term(word: str) -> str:
    if word[-2:-1] in ("'", "’", "＇") and word[-1] in "sS":
        word = word[:-2]
    term = word.lower()
    return "" if term in LUCENE_STOP_WORDS else _porter()(term)


@lru_cache(_MAX_REMEMBERED)
def _snowball(token: str) -> str:
    return _english()(token.lower())
