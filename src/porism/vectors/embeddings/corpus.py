"""What training reads: the vocabulary of the texts, most frequent terms first, and the texts of each epoch.

With phrases, each text is read in each epoch either as it is or with its phrases joined, at random, one half each:
so the terms of a phrase keep contexts of their own, and other terms see the phrase as one word. Vectors of phrases are
of use where the channel has such terms; the others only served training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.index.strings import offsets
from porism.vectors.embeddings.settings import Word2Vec
from porism.vectors.embeddings.texts import TokenTexts

GENSIM = "training embeddings"
"""What gensim is needed for."""

_MAX_LENGTH = 10_000
_PHRASE = " "
_THRESHOLD = 10.0


class EpochTexts(NamedTuple):
    """Texts in numbers of the vocabulary: ``tokens`` int32, text ``i`` from ``starts[i]`` (int64) to the next."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]


class Corpus:
    """Texts with a vocabulary: ``terms`` by descending count (ties by code point) with their ``counts`` (int64).

    :raises ConfigError: fewer than two terms are frequent enough, or no text has two of them.
    :raises MissingExtra: there are to be phrases, and gensim is not installed.
    """

    def __init__(self, texts: TokenTexts, settings: Word2Vec) -> None:
        self._seed = settings.seed
        self.all_terms = texts.terms
        counts = texts.counts
        frequent = np.flatnonzero(counts >= settings.min_count)
        kept = {texts.terms[term]: int(counts[term]) for term in frequent.tolist()}
        joined = join_phrases(texts, settings) if settings.phrases else None
        if joined is not None:
            after = dict(zip(joined.terms, joined.counts.tolist(), strict=True))
            alone = {term: count + after.get(term, 0) for term, count in kept.items()}
            phrases = {
                term: count for term, count in after.items()
                if term not in kept and _PHRASE in term and count >= settings.min_count
            }
            kept = {term: (count + 1) // 2 for term, count in {**alone, **phrases}.items()}
        self.terms = sorted(kept, key=lambda term: (-kept[term], term))
        self.counts = np.array([kept[term] for term in self.terms], np.int64)
        if len(self.terms) < 2:
            raise ConfigError(
                f"{len(self.terms)} of {len(texts.terms)} terms occur at least {settings.min_count} times, "
                "and nothing can be learnt of fewer than two",
                hint="Lower min_count, or index more documents.",
            )
        self._plain = self._renumbered(texts)
        self._joined = None if joined is None else self._renumbered(joined)
        if not (np.diff(self._plain.starts) > 1).any():
            raise ConfigError(
                "no text has two terms that are frequent enough, so no term has a context",
                hint="Lower min_count, or choose another channel.",
            )

    def _renumbered(self, texts: TokenTexts) -> EpochTexts:
        """Texts in numbers of the vocabulary, what is not in it left out."""
        number_of = {term: number for number, term in enumerate(self.terms)}
        numbers = np.array([number_of.get(term, -1) for term in texts.terms], np.int32)
        tokens = numbers[texts.tokens]
        known = tokens >= 0
        before = offsets(known.view(np.int8))
        return EpochTexts(tokens[known], before[texts.starts])

    @property
    def digest(self) -> str:
        """Identifies the texts and the vocabulary."""
        hashed = xxhash.xxh3_64("\0".join(self.terms).encode("utf-8", "surrogatepass"))
        for texts in (self._plain, self._joined):
            if texts is not None:
                hashed.update(texts.tokens.tobytes())
                hashed.update(texts.starts.tobytes())
        return str(hashed.hexdigest())

    @property
    def token_count(self) -> int:
        """How many terms, frequent enough, are in the texts as they are."""
        return len(self._plain.tokens)

    @property
    def text_count(self) -> int:
        """How many texts there are."""
        return len(self._plain.starts) - 1

    def epoch(self, number: int) -> EpochTexts:
        """The texts that epoch ``number`` (from 0) reads."""
        if self._joined is None:
            return self._plain
        join = np.random.default_rng([self._seed, number]).random(self.text_count) < 0.5
        lengths = np.where(join, np.diff(self._joined.starts), np.diff(self._plain.starts))
        starts = offsets(lengths)
        tokens = np.empty(starts[-1], np.int32)
        for chosen, texts in ((join, self._joined), (~join, self._plain)):
            run = np.where(chosen, lengths, 0)
            within = np.arange(run.sum()) - np.repeat(offsets(run)[:-1], run)
            tokens[np.repeat(starts[:-1], run) + within] = texts.tokens[np.repeat(texts.starts[:-1], run) + within]
        return EpochTexts(tokens, starts)

    def strings(self, number: int, on_tokens: Callable[[int], None] = lambda tokens: None) -> Iterator[list[str]]:
        """The texts of an epoch as strings, long ones in parts; ``on_tokens`` receives how many terms were read."""
        tokens, starts = self.epoch(number)
        names = np.array(self.terms, object)
        for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            for start in range(low, high, _MAX_LENGTH):
                stop = min(high, start + _MAX_LENGTH)
                yield names[tokens[start:stop]].tolist()
                on_tokens(stop - start)


def join_phrases(texts: TokenTexts, settings: Word2Vec) -> TokenTexts:
    """The texts with the terms of phrases joined by a blank, ``settings.phrases`` times over.

    A pair is a phrase where it is frequent for what its terms are (the score of Mikolov et al. 2013 above 10, and
    at least ``min_count`` occurrences), by gensim.

    :raises MissingExtra: gensim is not installed.
    """
    phrases = need("gensim.models.phrases", "embeddings", GENSIM)
    for _ in range(settings.phrases):
        joiner = phrases.Phrases(texts, min_count=settings.min_count, threshold=_THRESHOLD, delimiter=_PHRASE).freeze()
        # Every text stays one: what was joined is the same text, and texts are chosen by their number.
        texts = TokenTexts.of(joiner[text] for text in texts)
    return texts
