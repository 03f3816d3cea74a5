"""How vectors of terms are trained: the settings of word2vec, fastText and positional word2vec."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from porism.errors import ConfigError
from porism.settings import Settings, setting

Kept = Literal["average", "input", "output"]
"""Which vectors of a term are kept: those of the input matrix, those of the output matrix, or the mean of both."""


@dataclass(frozen=True, slots=True)
class Word2Vec(Settings):
    """word2vec with negative sampling (Mikolov et al., 2013): CBOW, or skip-gram with ``skip_gram``.

    The window of a place has a random width up to ``window``. The same ``seed`` gives the same vectors with one of
    ``workers``, not with more.

    :raises ConfigError: a number is out of its range.
    """

    method: ClassVar[str] = "word2vec"

    dimensions: int = setting(300, "Numbers of a vector.")
    window: int = setting(5, "Terms on either side of a term that it is learnt from.")
    epochs: int = setting(5, "How often each text is read.")
    negative: int = setting(5, "Negative samples for each term.")
    min_count: int = setting(5, "Terms that are rarer are left out.")
    sample: float = setting(1e-4, "Terms with a larger share of the texts are read less often; 0: never less.")
    rate: float = setting(0.05, "The learning rate of the beginning; it falls linearly.")
    last_rate: float = setting(1e-4, "The learning rate of the end.")
    skip_gram: bool = setting(False, "Learn contexts from terms instead of terms from contexts.")
    phrases: int = setting(0, "How often neighbouring terms are joined to phrases for training; 2: up to four terms.")
    kept: Kept = setting("average", "The vectors that are kept: input, output, or the mean of both.")
    seed: int = setting(1, "Other numbers give other vectors.")
    workers: int = setting(1, "Threads; with more than one, no two trainings give the same vectors.")

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

    The marks of a term's beginning and end count as characters of n-grams. Terms below ``min_count`` have the mean
    of their n-grams, so every term of the channel has a vector, unless it is too short for any n-gram.

    :raises ConfigError: a number is out of its range.
    """

    method: ClassVar[str] = "fasttext"

    kept: Kept = setting("input", "The vectors that are kept: input, output, or the mean of both.")
    min_n: int = setting(3, "The shortest n-grams of a term.")
    max_n: int = setting(6, "The longest n-grams of a term.")
    buckets: int = setting(0, "Vectors that the n-grams share; 0: one for each n-gram, at most 1,048,576.")

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

    positional: int = setting(60, "Features that depend on the position of a term in the context.")
    initial: Literal["product", "ones"] = setting("product", "How the weights of positions begin: at random, or at 1.")

    def __post_init__(self) -> None:
        self._check_all()
        self._check("positional", 0, self.dimensions)
        if self.skip_gram:
            raise ConfigError("positional weighting is of CBOW, not of skip-gram", hint="Leave skip_gram out.")
        if self.initial not in ("product", "ones"):
            raise ConfigError(f"initial cannot be {self.initial!r}", hint="Choose from product, ones.")
