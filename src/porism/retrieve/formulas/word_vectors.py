"""Vectors of words that are made of tokens: fastText, trained by gensim, stored as arrays, read with NumPy alone.

A word is a string of tokens between blanks, such as a Tangent-CFT tuple ``V x N 2 a``. Each token is one *character*,
so the n-grams of a word are runs of its tokens. The vector of a word that was trained is stored; that of any other is
the mean of those of its n-grams, where one that is not known counts as 0. Bojanowski et al., *Enriching Word Vectors
with Subword Information* (TACL 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, MissingExtra
from porism.index.container import Container, ContainerWriter
from porism.index.strings import Dictionary, Packed, offsets, write_dictionary

_FIRST_CHARACTER = 0x100
_SURROGATES = 0xD800
_MOST_CHARACTERS = 0x10FFFF - 0x800 - _FIRST_CHARACTER
_UNKNOWN = "\x01"
_MOST_BUCKETS = 1 << 18


@dataclass(frozen=True, slots=True)
class FastTextSettings:
    """How vectors are trained: skip-gram with negative sampling over words and their n-grams.

    ``dimensions`` of a vector, ``window`` (words on either side), ``epochs`` over all texts, ``negative`` samples a
    pair, n-grams of ``min_n`` to ``max_n`` characters, the marks of a word's beginning and end counted. The same
    ``seed`` gives the same vectors with one of ``workers`` (threads), not with more.

    :raises ConfigError: a number is out of its range.
    """

    dimensions: int = 100
    window: int = 5
    epochs: int = 5
    negative: int = 5
    min_n: int = 3
    max_n: int = 6
    seed: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        limits = {
            "dimensions": (1, 4_096), "window": (1, 1_000), "epochs": (1, 10_000), "negative": (1, 1_000),
            "min_n": (1, 32), "max_n": (self.min_n, 32), "seed": (0, 2**32 - 1), "workers": (1, 1_024),
        }
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ConfigError(
                    f"{name} cannot be {value} in training", hint=f"Use a whole number from {least} to {most}."
                )


class WordVectors:
    """Vectors of words, read from a container in which :func:`write_word_vectors` put them under ``name``."""

    def __init__(self, container: Container, name: str) -> None:
        self._tokens = Dictionary(container, f"{name}/tokens")
        self._words = Dictionary(container, f"{name}/words")
        self._ngrams = Dictionary(container, f"{name}/ngrams")
        self._vectors: NDArray[np.float16] = container.array(f"{name}/vectors")
        self._ngram_vectors: NDArray[np.float16] = container.array(f"{name}/ngram-vectors")
        sizes: Mapping[str, int] = container.info["ngrams"]
        self._min_n, self._max_n = sizes["min"], sizes["max"]

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._vectors.shape[1])

    def __len__(self) -> int:
        """How many words were trained."""
        return len(self._words)

    def means(self, texts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """The mean vector of the words of each text (float32, texts × dimensions).

        Words without a known n-gram do not count; a text in which no word counts has the vector 0.
        """
        means = np.zeros((len(texts), self.dimensions), np.float32)
        numbers: dict[str, int] = {}
        flat = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text], np.int64)
        if not len(flat):
            return means
        vectors, known = self._of(list(numbers))
        starts = offsets(np.fromiter(map(len, texts), np.int64, count=len(texts)))
        some = np.flatnonzero(starts[1:] > starts[:-1])  # reduceat takes no empty runs
        counted = np.add.reduceat(known[flat].astype(np.float32), starts[some])
        means[some] = np.add.reduceat(vectors[flat], starts[some], axis=0) / np.maximum(counted, 1.0)[:, None]
        return means

    def _of(self, words: list[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vector of each word (0 where it has none), and whether it has one."""
        coded = self._encode(words)
        found = self._words.lookup(coded)
        known = found >= 0
        vectors = np.zeros((len(words), self.dimensions), np.float32)
        vectors[known] = self._vectors[found[known]]
        for position in np.flatnonzero(~known).tolist():
            grams = self._ngrams.lookup(list(ngrams(coded[position], self._min_n, self._max_n)))
            if (shared := grams[grams >= 0]).size:
                # the others count as 0: nearly what they were before training
                vectors[position] = self._ngram_vectors[shared].sum(axis=0, dtype=np.float32) / len(grams)
                known[position] = True
        return vectors, known

    def _encode(self, words: list[str]) -> list[str]:
        tokens = list({token: None for word in words for token in word.split(" ")})
        found = self._tokens.lookup(tokens).tolist()
        code = {
            token: character(number) if number >= 0 else _UNKNOWN
            for token, number in zip(tokens, found, strict=True)
        }
        return ["".join([code[token] for token in word.split(" ")]) for word in words]


def ngrams(word: str, least: int, most: int) -> Iterator[str]:
    """The runs of ``least`` to ``most`` characters of a word between ``<`` and ``>``, with repetition.

    As in fastText, the marks alone are none.
    """
    marked = f"<{word}>"
    for size in range(least, most + 1):
        for start in range(len(marked) - size + 1):
            if size == 1 and start in (0, len(marked) - 1):
                continue
            yield marked[start : start + size]


def character(number: int) -> str:
    """The character that stands for the token with this rank."""
    code = _FIRST_CHARACTER + min(number, _MOST_CHARACTERS)
    return chr(code if code < _SURROGATES else code + 0x800)


class _Encoded:
    """Texts with their words as characters, as often as training asks for them."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        words: dict[str, str] = dict.fromkeys((word for text in texts for word in text), "")
        self.tokens = sorted({token for word in words for token in word.split(" ")})
        number_of = {token: number for number, token in enumerate(self.tokens)}
        for word in words:
            words[word] = "".join([character(number_of[token]) for token in word.split(" ")])
        self._texts = texts
        self.words = words

    def __iter__(self) -> Iterator[list[str]]:
        words = self.words
        return ([words[word] for word in text] for text in self._texts)


def write_word_vectors(
    writer: ContainerWriter,
    name: str,
    texts: Sequence[Sequence[str]],
    settings: FastTextSettings,
    on_epoch: Callable[[], None] = lambda: None,
) -> None:
    """Trains vectors of the words in ``texts`` and writes them for :class:`WordVectors`; ``on_epoch`` is called after
    each epoch.

    Of the n-grams those are stored that two words share: what only one word has, its own vector has learnt.

    :raises MissingExtra: gensim is not installed.
    :raises ConfigError: there is no word.
    """
    encoded = _Encoded(texts)
    if not encoded.words:
        raise ConfigError("there is nothing to train on", hint="Index documents with formulas first.")
    counts: Counter[str] = Counter()
    for word in set(encoded.words.values()):
        counts.update(set(ngrams(word, settings.min_n, settings.max_n)))
    vectors = _train(encoded, len(encoded.words), min(_MOST_BUCKETS, len(counts) + 1), settings, on_epoch)
    shared = sorted(gram for gram, uses in counts.items() if uses > 1)
    buckets = _buckets(shared, vectors.bucket)
    store_word_vectors(
        writer, name, encoded.tokens, dict(zip(vectors.index_to_key, vectors.vectors, strict=True)),
        dict(zip(shared, vectors.vectors_ngrams[buckets], strict=True)), settings.dimensions,
    )


def store_word_vectors(
    writer: ContainerWriter,
    name: str,
    tokens: Sequence[str],
    words: Mapping[str, NDArray[np.floating[Any]]],
    grams: Mapping[str, NDArray[np.floating[Any]]],
    dimensions: int,
) -> None:
    """Writes vectors for :class:`WordVectors`: ``tokens`` in code-point order, words and n-grams in characters."""
    write_dictionary(writer, f"{name}/tokens", Packed.of(tokens))
    for strings, rows, vectors in (("words", "vectors", words), ("ngrams", "ngram-vectors", grams)):
        numbers = write_dictionary(writer, f"{name}/{strings}", Packed.of(list(vectors)))
        ordered = np.empty((len(vectors), dimensions), np.float16)
        for number, vector in zip(numbers.tolist(), vectors.values(), strict=True):
            ordered[number] = vector
        writer.add(f"{name}/{rows}", ordered)


def _train(
    texts: Iterable[list[str]], words: int, buckets: int, settings: FastTextSettings, on_epoch: Callable[[], None]
) -> Any:
    """gensim's word vectors of texts; ``words`` is how many distinct words there are."""
    gensim = load_gensim()

    class Told(gensim.models.callbacks.CallbackAny2Vec):  # type: ignore[misc, name-defined]
        def on_epoch_end(self, model: Any) -> None:
            on_epoch()

    model = gensim.models.FastText(
        vector_size=settings.dimensions, window=settings.window, negative=settings.negative, min_n=settings.min_n,
        max_n=settings.max_n, seed=settings.seed, workers=settings.workers, sg=1, min_count=1, bucket=buckets,
    )
    model.build_vocab(texts)
    model.train(texts, total_examples=model.corpus_count, epochs=settings.epochs, callbacks=[Told()])
    return model.wv


def _buckets(grams: list[str], buckets: int) -> NDArray[np.int64]:
    from gensim.models.fasttext_inner import ft_hash_bytes

    return np.array([ft_hash_bytes(gram.encode("utf-8")) % buckets for gram in grams], np.int64)


def load_gensim() -> Any:
    """The package that trains.

    :raises MissingExtra: it is not installed.
    """
    try:
        import gensim.models.callbacks
        import gensim.models.fasttext_inner
    except ImportError as error:
        raise MissingExtra(
            "training embeddings needs gensim", hint="Install it: pip install 'porism[embeddings]'"
        ) from error
    return gensim
