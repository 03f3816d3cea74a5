"""How vectors of terms are trained: the settings of word2vec, fastText and positional word2vec."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from porism.errors import ConfigError
from porism.settings import Settings

Kept = Literal["average", "input", "output"]
"""Which vectors of a term are kept: those of the input matrix, those of the output matrix, or the mean of both."""


@dataclass(frozen=True, slots=True)
class Word2Vec(Settings):
    """word2vec with negative sampling (Mikolov et al., 2013): CBOW, or skip-gram with ``skip_gram``.

    ``dimensions`` of a vector; ``window``: words on either side, of which each place reads a random number; ``epochs``
    over all texts; ``negative`` samples a word; terms below ``min_count`` occurrences are left out; ``sample``: words
    with a larger share of the texts are read less often (0: never less); the learning ``rate`` falls linearly to
    ``last_rate``; ``phrases``: how often neighbouring terms are joined to phrases before training (0: never; 1: pairs;
    2: up to four terms); which vectors are ``kept``. The same ``seed`` gives the same vectors with one of ``workers``
    (threads), not with more.

    :raises ConfigError: a number is out of its range.
    """

    method: ClassVar[str] = "word2vec"

    dimensions: int = 300
    window: int = 5
    epochs: int = 5
    negative: int = 5
    min_count: int = 5
    sample: float = 1e-4
    rate: float = 0.05
    last_rate: float = 1e-4
    skip_gram: bool = False
    phrases: int = 0
    kept: Kept = "average"
    seed: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        self._check_all()

    def _check_all(self) -> None:
        for name in ("dimensions", "window", "epochs", "negative", "min_count", "workers"):
            self._check(name, 1, 100_000)
        self._check("seed", 0, 2**32 - 1)
        self._check("phrases", 0, 4)
        self._check("sample", 0, 1)
        self._check("rate", 1e-9, 0.5)  # gensim ends the process where numbers grow beyond bounds
        self._check("last_rate", 0, self.rate)
        if self.kept not in ("average", "input", "output"):
            raise ConfigError(f"kept cannot be {self.kept!r}", hint="Choose from average, input, output.")

    def _check(self, name: str, least: float, most: float) -> None:
        value = getattr(self, name)
        if not (math.isfinite(value) and least <= value <= most):
            raise ConfigError(f"{name} cannot be {value} in training", hint=f"It is from {least:g} to {most:g}.")


@dataclass(frozen=True, slots=True)
class FastText(Word2Vec):
    """fastText (Bojanowski et al., 2017): word2vec where a term is the sum of its character n-grams and itself.

    N-grams have ``min_n`` to ``max_n`` characters, the marks of a term's beginning and end counted; they share
    ``buckets`` vectors (0: as many as there are distinct n-grams, at most 2²⁰). Terms below ``min_count`` have the mean
    of their n-grams, so every term of the channel has a vector, unless it is too short for any n-gram.

    :raises ConfigError: a number is out of its range.
    """

    method: ClassVar[str] = "fasttext"

    kept: Kept = "input"
    min_n: int = 3
    max_n: int = 6
    buckets: int = 0

    def __post_init__(self) -> None:
        self._check_all()
        self._check("min_n", 1, 1_000)
        self._check("max_n", self.min_n, 1_000)
        self._check("buckets", 0, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Positional(Word2Vec):
    """word2vec with constrained positional weighting (Novotný et al., *When FastText Pays Attention*, 2022).

    CBOW where the first ``positional`` features of a context word are multiplied with those of the vector of its
    position in the window, which is learnt too; all features with ``positional`` = ``dimensions`` (Mikolov et al.,
    2018), none with 0. With ``initial`` = ``"product"`` the features and their weights begin at random, such that
    their products have the variance that features have in word2vec; with ``"ones"`` all weights begin at 1, as in
    word2vec.

    :raises ConfigError: a number is out of its range.
    """

    method: ClassVar[str] = "positional"

    positional: int = 60
    initial: Literal["product", "ones"] = "product"

    def __post_init__(self) -> None:
        self._check_all()
        self._check("positional", 0, self.dimensions)
        if self.skip_gram:
            raise ConfigError("positional weighting is of CBOW, not of skip-gram", hint="Leave skip_gram out.")
        if self.initial not in ("product", "ones"):
            raise ConfigError(f"initial cannot be {self.initial!r}", hint="Choose from product, ones.")
