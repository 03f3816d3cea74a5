"""word2vec and fastText by gensim, an epoch at a time.

gensim lets the learning rate fall within one call of ``train`` and begins anew in the next; so each epoch is a call of
its own with the rates of its beginning and its end. The matrices and the state of gensim's random numbers between two
epochs are all that the next one depends on: with one worker, training that is taken up again gives the same vectors,
bit by bit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from porism.extras import need
from porism.vectors.embeddings.corpus import GENSIM, Corpus
from porism.vectors.embeddings.settings import FastText, Word2Vec
from porism.vectors.embeddings.trainers import OnTokens, Trained, check_finite, chosen, rate_at

_MAX_BUCKETS = 1 << 20


class GensimTrainer:
    """Trains word2vec, or fastText for settings of that.

    :raises MissingExtra: gensim is not installed.
    """

    def __init__(self, corpus: Corpus, settings: Word2Vec) -> None:
        models = need("gensim.models", "embeddings", GENSIM)
        self.corpus = corpus
        self.settings = settings
        self._sub_words = isinstance(settings, FastText)
        common: dict[str, Any] = {
            "vector_size": settings.dimensions, "window": settings.window, "negative": settings.negative,
            "sg": int(settings.skip_gram), "sample": settings.sample, "min_count": 1, "alpha": settings.rate,
            "min_alpha": settings.last_rate, "seed": settings.seed, "workers": settings.workers, "sorted_vocab": 0,
        }
        with _quiet():
            if isinstance(settings, FastText):
                buckets = settings.buckets or _distinct_ngrams(corpus.terms, settings)
                self._model = models.FastText(min_n=settings.min_n, max_n=settings.max_n, bucket=buckets, **common)
            else:
                self._model = models.Word2Vec(**common)
            counts = dict(zip(corpus.terms, corpus.counts.tolist(), strict=True))
            self._model.build_vocab_from_freq(counts, corpus_count=corpus.text_count)

    def train_epoch(self, number: int, on_tokens: OnTokens) -> None:
        """Reads the texts once.

        :raises ConfigError: numbers are not finite any more.
        """
        texts = _Texts(lambda: self.corpus.strings(number, on_tokens))
        count = sum(1 for _ in self.corpus.strings(number))
        with _quiet():
            self._model.train(
                texts, total_examples=count, epochs=1, start_alpha=rate_at(self.settings, number),
                end_alpha=rate_at(self.settings, number + 1),
            )
        check_finite(number, *self._matrices().values())

    def _matrices(self) -> dict[str, NDArray[np.float32]]:
        vectors = self._model.wv
        if self._sub_words:
            return {"words": vectors.vectors_vocab, "ngrams": vectors.vectors_ngrams, "outputs": self._model.syn1neg}
        return {"words": vectors.vectors, "outputs": self._model.syn1neg}

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next epoch depends on."""
        _, keys, position, has_gauss, gauss = self._model.random.get_state()
        rest = np.array([position, has_gauss, gauss], np.float64)
        return {**self._matrices(), "random": np.asarray(keys), "random-position": rest}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to what :meth:`state` gave."""
        for name, matrix in self._matrices().items():
            matrix[:] = state[name]
        position, has_gauss, gauss = state["random-position"].tolist()
        self._model.random.set_state(
            ("MT19937", np.array(state["random"], np.uint32), int(position), int(has_gauss), gauss)
        )
        if self._sub_words:
            self._model.wv.adjust_vectors()

    def result(self) -> Trained:
        """The vectors that are kept; with fastText those of rare terms too, where they have n-grams."""
        inputs = cast("NDArray[np.float32]", self._model.wv.vectors)
        outputs = cast("NDArray[np.float32]", self._model.syn1neg)
        kept = chosen(inputs, outputs, self.settings.kept)
        terms = list(self._model.wv.index_to_key)
        if not isinstance(self.settings, FastText):
            return Trained(terms, kept)
        known = set(terms)
        rare = [
            term for term in self.corpus.all_terms
            if term not in known and len(term) + 2 >= max(2, self.settings.min_n)
        ]
        of_rare = np.array([self._model.wv.get_vector(term) for term in rare], np.float32)
        return Trained(terms + rare, np.concatenate([kept, of_rare.reshape(-1, kept.shape[1])]))


    def ngram_vectors(self, grams: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of n-grams (float32, n-grams × dimensions); of fastText alone."""
        inner = need("gensim.models.fasttext_inner", "embeddings", GENSIM)
        vectors = self._model.wv
        buckets = np.array([inner.ft_hash_bytes(gram.encode("utf-8")) % vectors.bucket for gram in grams], np.int64)
        return cast("NDArray[np.float32]", vectors.vectors_ngrams[buckets])


class _Texts:
    """Texts that gensim can read again and again."""

    def __init__(self, texts: Callable[[], Iterator[list[str]]]) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[list[str]]:
        return self._texts()


def _distinct_ngrams(terms: list[str], settings: FastText) -> int:
    """How many buckets n-grams get: one for each, up to a limit."""
    grams: set[str] = set()
    for term in terms:
        marked = f"<{term}>"
        for size in range(settings.min_n, min(settings.max_n, len(marked)) + 1):
            grams.update(marked[start : start + size] for start in range(len(marked) - size + 1))
        if len(grams) >= _MAX_BUCKETS:
            return _MAX_BUCKETS
    return len(grams) + 1


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps gensim from logging that its learning rate goes up and that the corpus is small: we know."""
    logger = logging.getLogger("gensim")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
