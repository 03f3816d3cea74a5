"""The methods of training vectors of terms, by name: their settings, what each needs, and how it is called.

A new method is a class of settings with its trainer, and a line in :data:`METHODS`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from porism.vectors.embeddings.decontextual import Decontextualised
from porism.vectors.embeddings.decontextual_training import train_decontextualised
from porism.vectors.embeddings.settings import FastText, Positional, Word2Vec
from porism.vectors.embeddings.training import train_token_vectors

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Need:
    """A library that training needs: its module, for what, and the extra of Porism that has it."""

    module: str
    purpose: str
    extra: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How vectors are trained besides the settings of the method.

    :param model: the name or folder of the transformer, for a method that reads with one, and its ``device`` and
        ``batch``: the tokens that it reads at once.
    :param jobs: processes that read documents; all cores if not given.
    :param restart: takes no notice of a training that was interrupted.
    """

    model: str | os.PathLike[str] | None = None
    device: str = "auto"
    batch: int = 8_192
    jobs: int | None = None
    restart: bool = False


class EmbeddingMethod(ABC):
    """One method of training."""

    settings: type[Any]
    """The class of its settings."""

    needs_model: bool
    """Whether it reads with a transformer."""

    @property
    def name(self) -> str:
        """What recipes and files call it."""
        name: str = self.settings.method
        return name

    @abstractmethod
    def needs(self, settings: Any) -> list[Need]:
        """The libraries that training with these settings needs."""

    @abstractmethod
    def train(
        self, index: str | os.PathLike[str], name: str, channel: str, settings: Any, options: Options,
        on_progress: OnProgress,
    ) -> None:
        """Trains vectors of the terms of a channel, and stores them in the index under a name.

        :raises KeyboardInterrupt: it was interrupted; the same call goes on from there.
        :raises ConfigError: see :func:`train_token_vectors` and :func:`train_decontextualised`.
        """


class TextMethod(EmbeddingMethod):
    """Learns from the texts of a channel: word2vec and its kin."""

    needs_model = False

    def __init__(self, settings: type[Word2Vec]) -> None:
        self.settings = settings

    def needs(self, settings: Word2Vec) -> list[Need]:
        if settings.phrases or not isinstance(settings, Positional):
            return [Need("gensim", "training embeddings", "embeddings")]
        return []

    def train(
        self, index: str | os.PathLike[str], name: str, channel: str, settings: Word2Vec, options: Options,
        on_progress: OnProgress,
    ) -> None:
        train_token_vectors(
            index, name, channel, settings, jobs=options.jobs, restart=options.restart, on_reading=on_progress,
            on_progress=on_progress,
        )


class TransformerMethod(EmbeddingMethod):
    """Averages what a transformer makes of each term in its contexts."""

    settings = Decontextualised
    needs_model = True

    def needs(self, settings: Decontextualised) -> list[Need]:
        return [Need(module, "a transformer", "neural") for module in ("torch", "transformers")]

    def train(
        self, index: str | os.PathLike[str], name: str, channel: str, settings: Decontextualised, options: Options,
        on_progress: OnProgress,
    ) -> None:
        assert options.model is not None, "a method that needs a model is given one"
        report = train_decontextualised(
            index, name, channel, options.model, settings, device=options.device, batch=options.batch,
            restart=options.restart, on_progress=on_progress,
        )
        if report.interrupted:
            raise KeyboardInterrupt


METHODS: Mapping[str, EmbeddingMethod] = MappingProxyType({
    method.name: method
    for method in (TextMethod(Word2Vec), TextMethod(FastText), TextMethod(Positional), TransformerMethod())
})
"""The methods by name."""
