"""Near duplicates among texts: by MinHash and locality-sensitive hashing, confirmed by the overlap of shingles.

Broder, *On the Resemblance and Containment of Documents* (1997). A text is the set of its runs of tokens (words, names
of commands, signs); two texts are alike as far as these sets overlap (Jaccard). Texts whose formulas are written by
other rules are still found by their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError

Array = NDArray[np.uint64]

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W_]+|[^\s\w$]")
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{2,}")
_MIN_WORDS = 8
"""Words alone tell texts apart where there are so many of them."""

_HASHES = 128
_ROWS = 4
"""Hashes of a band: two texts that overlap by 0.5 share one of the 32 bands with a probability of 0.87, by 0.7 of more
than 0.999."""

_MAX_LENGTH = 2_000
"""Tokens of a text that count."""


@dataclass(frozen=True, slots=True)
class Shingles:
    """Sets of shingles of texts, as sorted hashes in one array (uint64) with the places where each set begins."""

    hashes: Array
    offsets: NDArray[np.int64]

    def of(self, number: int) -> Array:
        """The set of one text."""
        return self.hashes[self.offsets[number] : self.offsets[number + 1]]


def shingles(texts: Sequence[str], *, words: bool = False, run: int = 3) -> Shingles:
    """The shingles of texts: runs of ``run`` tokens, or of words alone; a shorter text is one shingle."""
    sets = []
    for text in texts:
        tokens = (_WORD if words else _TOKEN).findall(text.lower())[:_MAX_LENGTH]
        if words and len(tokens) < _MIN_WORDS:
            tokens = []
        runs = {" ".join(tokens[at : at + run]) for at in range(max(1, len(tokens) - run + 1))} if tokens else set()
        hashed = (xxhash.xxh3_64_intdigest(shingle.encode("utf-8", "replace")) for shingle in runs)
        sets.append(np.unique(np.fromiter(hashed, np.uint64, len(runs))))
    offsets = np.concatenate([[0], np.cumsum([len(set_) for set_ in sets])]).astype(np.int64)
    return Shingles(np.concatenate([np.empty(0, np.uint64), *sets]), offsets)


def signatures(shingled: Shingles) -> Array:
    """MinHash signatures (uint64, texts × hashes); of a text without shingles all ones, which nothing else has."""
    random = np.random.default_rng(17)
    factors = random.integers(1, 1 << 63, _HASHES, np.uint64) | np.uint64(1)
    added = random.integers(0, 1 << 63, _HASHES, np.uint64)
    texts = len(shingled.offsets) - 1
    result = np.full((texts, _HASHES), np.iinfo(np.uint64).max, np.uint64)
    full = np.flatnonzero(np.diff(shingled.offsets))
    if len(full):
        for number in range(_HASHES):
            mixed = shingled.hashes * factors[number] + added[number]
            mixed ^= mixed >> np.uint64(29)
            result[full, number] = np.minimum.reduceat(mixed, shingled.offsets[full])
    return result


class NearDuplicates:
    """Finds texts that nearly repeat one of a list of texts.

    :param texts: those that others shall not repeat.
    :param overlap: the Jaccard overlap of shingles from which on a text counts as a repetition, from 0.3 to 1.
    :raises ConfigError: the overlap is out of its range.
    """

    def __init__(self, texts: Sequence[str], overlap: float = 0.6) -> None:
        if not 0.3 <= overlap <= 1:
            raise ConfigError(f"texts cannot be told apart by an overlap of {overlap}", hint="Use one from 0.3 to 1.")
        self.overlap = overlap
        self._views = [(words, shingles(texts, words=words)) for words in (False, True)] if texts else []
        self._signatures = [_bands(signatures(shingled)) for _, shingled in self._views]

    def find(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Which of the texts repeat one of the list (bool, one a text)."""
        repeats = np.zeros(len(texts), np.bool_)
        for (words, known), bands in zip(self._views, self._signatures, strict=True):
            given = shingles(texts, words=words)
            for text, other in _candidates(_bands(signatures(given)), bands):
                if not repeats[text]:
                    mine, theirs = given.of(text), known.of(other)
                    common = len(np.intersect1d(mine, theirs, assume_unique=True))
                    repeats[text] = common > 0 and common >= self.overlap * (len(mine) + len(theirs) - common)
        return repeats


def _bands(signed: Array) -> Array:
    """One hash for each band of a signature (uint64, texts × bands); 0 where the text has no shingles."""
    texts = len(signed)
    banded = signed.reshape(texts, _HASHES // _ROWS, _ROWS)
    mixed = np.zeros(banded.shape[:2], np.uint64)
    for row in range(_ROWS):
        mixed = (mixed ^ banded[:, :, row]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(31)
    mixed[signed[:, 0] == np.iinfo(np.uint64).max] = 0
    return mixed


def _candidates(given: Array, known: Array) -> list[tuple[int, int]]:
    """Pairs of a given and a known text that share a band, each once, in order."""
    pairs: list[Array] = []
    for band in range(known.shape[1]):
        order = np.argsort(known[:, band], kind="stable")
        ordered = known[order, band]
        first = np.searchsorted(ordered, given[:, band], "left")
        count = np.searchsorted(ordered, given[:, band], "right") - first
        count[given[:, band] == 0] = 0
        texts = np.repeat(np.arange(len(given)), count)
        within = np.arange(len(texts)) - np.repeat(np.cumsum(count) - count, count)
        others = order[np.repeat(first, count) + within]
        pairs.append((texts.astype(np.uint64) << np.uint64(32)) | others.astype(np.uint64))
    joined = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.uint64)
    return list(zip((joined >> np.uint64(32)).tolist(), (joined & np.uint64(0xFFFFFFFF)).tolist(), strict=True))
