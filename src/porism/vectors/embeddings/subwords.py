"""Vectors of words that are made of tokens, new words among them: fastText, stored as arrays, read with NumPy alone.

A word is a string of tokens between blanks, such as a Tangent-CFT tuple ``V x N 2 a``. Each token is one *character*,
so the n-grams of a word are runs of its tokens. The vector of a word that was trained is stored; that of any other is
the mean of those of its n-grams, where one that is not known counts as 0. Bojanowski et al., *Enriching Word Vectors
with Subword Information* (TACL 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import Dictionary, Packed, offsets, write_dictionary
from porism.vectors.embeddings.corpus import Corpus
from porism.vectors.embeddings.gensim_trainers import GensimTrainer
from porism.vectors.embeddings.settings import FastText
from porism.vectors.embeddings.texts import TokenTexts

_FIRST_CHARACTER = 0x100
_SURROGATES = 0xD800
_MAX_CHARACTERS = 0x10FFFF - 0x800 - _FIRST_CHARACTER
_UNKNOWN = "\x01"
_MAX_BUCKETS = 1 << 18


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
        rows = self._words.lookup(coded)
        known = rows >= 0
        vectors = np.zeros((len(words), self.dimensions), np.float32)
        vectors[known] = self._vectors[rows[known]]
        for position in np.flatnonzero(~known).tolist():
            grams = self._ngrams.lookup(list(ngrams(coded[position], self._min_n, self._max_n)))
            if (shared := grams[grams >= 0]).size:
                # the others count as 0: nearly what they were before training
                vectors[position] = self._ngram_vectors[shared].sum(axis=0, dtype=np.float32) / len(grams)
                known[position] = True
        return vectors, known

    def _encode(self, words: list[str]) -> list[str]:
        tokens = list({token: None for word in words for token in word.split(" ")})
        numbers = self._tokens.lookup(tokens).tolist()
        code = {
            token: character(number) if number >= 0 else _UNKNOWN
            for token, number in zip(tokens, numbers, strict=True)
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
    code = _FIRST_CHARACTER + min(number, _MAX_CHARACTERS)
    return chr(code if code < _SURROGATES else code + 0x800)


def write_word_vectors(
    writer: ContainerWriter, name: str, texts: Iterable[Sequence[str]], settings: FastText,
    on_epoch: Callable[[], None] = lambda: None,
) -> None:
    """Trains vectors of the words in ``texts`` and writes them for :class:`WordVectors`; ``on_epoch`` is called after
    each epoch.

    Of the n-grams those are stored that two words share: what only one word has, its own vector has learnt.

    :raises MissingExtra: gensim is not installed.
    :raises ConfigError: there are fewer than two words, or no text has two of them.
    """
    read = TokenTexts.of(texts)
    tokens = sorted({token for word in read.terms for token in word.split(" ")})
    number_of = {token: number for number, token in enumerate(tokens)}
    coded = ["".join([character(number_of[token]) for token in word.split(" ")]) for word in read.terms]
    corpus = Corpus(replace(read, terms=coded), settings)
    counts: Counter[str] = Counter()
    for word in corpus.terms:
        counts.update(set(ngrams(word, settings.min_n, settings.max_n)))
    buckets = settings.buckets or min(_MAX_BUCKETS, len(counts) + 1)
    trainer = GensimTrainer(corpus, replace(settings, buckets=buckets))
    for epoch in range(settings.epochs):
        trainer.train_epoch(epoch, lambda read_tokens: None)
        on_epoch()
    trained = trainer.result()
    shared = sorted(gram for gram, uses in counts.items() if uses > 1)
    store_word_vectors(
        writer, name, tokens, dict(zip(trained.terms, trained.vectors, strict=True)),
        dict(zip(shared, trainer.ngram_vectors(shared), strict=True)), settings.dimensions,
    )


def store_word_vectors(
    writer: ContainerWriter, name: str, tokens: Sequence[str], words: Mapping[str, NDArray[np.floating[Any]]],
    grams: Mapping[str, NDArray[np.floating[Any]]], dimensions: int,
) -> None:
    """Writes vectors for :class:`WordVectors`: ``tokens`` in code-point order, words and n-grams in characters."""
    write_dictionary(writer, f"{name}/tokens", Packed.of(tokens))
    for strings, rows, vectors in (("words", "vectors", words), ("ngrams", "ngram-vectors", grams)):
        numbers = write_dictionary(writer, f"{name}/{strings}", Packed.of(list(vectors)))
        ordered = np.empty((len(vectors), dimensions), np.float16)
        for number, vector in zip(numbers.tolist(), vectors.values(), strict=True):
            ordered[number] = vector
        writer.add(f"{name}/{rows}", ordered)
