"""The methods of training vectors of terms, by name: their settings, what each needs, and how it is called.

A new method is a class of settings with its trainer, and a line in :data:`METHODS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.settings import nearest
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
class TrainingOptions:
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


@dataclass(frozen=True, slots=True)
class EmbeddingMethod:
    """One method of training.

    :param settings: the class of its settings.
    :param needs: the libraries that training with some settings needs.
    :param train: trains vectors of the terms of a channel, and stores them in the index under a name: of the index,
        name, channel, settings, options, and what receives the progress. Where it was interrupted it raises
        KeyboardInterrupt, and the same call goes on from there; else it raises what :func:`train_token_vectors` and
        :func:`train_decontextualised` do.
    :param needs_model: whether it reads with a transformer.
    """

    settings: type[Any]
    needs: Callable[[Any], list[Need]]
    train: Callable[[str | os.PathLike[str], str, str, Any, TrainingOptions, OnProgress], None]
    needs_model: bool = False


def _text_needs(settings: Word2Vec) -> list[Need]:
    if settings.phrases or not isinstance(settings, Positional):
        return [Need("gensim", "training embeddings", "embeddings")]
    return []


def _train_on_texts(
    index: str | os.PathLike[str], name: str, channel: str, settings: Word2Vec, options: TrainingOptions,
    on_progress: OnProgress,
) -> None:
    """Learns from the texts of a channel: word2vec and its kin."""
    train_token_vectors(
        index, name, channel, settings, jobs=options.jobs, restart=options.restart, on_reading=on_progress,
        on_progress=on_progress,
    )


def _transformer_needs(settings: Decontextualised) -> list[Need]:
    return [Need(module, "a transformer", "neural") for module in ("torch", "transformers")]


def _average_contexts(
    index: str | os.PathLike[str], name: str, channel: str, settings: Decontextualised, options: TrainingOptions,
    on_progress: OnProgress,
) -> None:
    """Averages what a transformer makes of each term in its contexts."""
    assert options.model is not None, "a method that needs a model is given one"
    report = train_decontextualised(
        index, name, channel, options.model, settings, device=options.device, batch=options.batch,
        restart=options.restart, on_progress=on_progress,
    )
    if report.interrupted:
        raise KeyboardInterrupt


METHODS: Mapping[str, EmbeddingMethod] = MappingProxyType({
    **{cls.method: EmbeddingMethod(cls, _text_needs, _train_on_texts) for cls in (Word2Vec, FastText, Positional)},
    Decontextualised.method: EmbeddingMethod(Decontextualised, _transformer_needs, _average_contexts, needs_model=True),
})
"""The methods by name."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A method with those of its settings that are not its defaults, and whose they are."""

    method: str
    source: str
    settings: Mapping[str, Any]


PRESETS: Mapping[str, Preset] = MappingProxyType({
    "mirmu2021-scm": Preset(
        "fasttext", "Novotný et al. 2021, section 3.3.1, and their ARQMath-eval: skip-gram with phrases",
        MappingProxyType({
            "skip_gram": True, "phrases": 2, "negative": 5, "sample": 1e-4, "window": 5, "last_rate": 0.0,
            "buckets": 2_000_000,
        }),
    ),
    "scm2022": Preset(
        "word2vec", "Novotný and Štefánik 2022, as their library PInE trains",
        MappingProxyType({"negative": 10, "sample": 1e-5, "window": 5}),
    ),
    "scm2022-positional": Preset(
        "positional", "the same with constrained positional weighting",
        MappingProxyType({"negative": 10, "sample": 1e-5, "window": 15}),
    ),
})
"""Name → preset. All have 300 dimensions; those of 2022 keep the mean of input and output vectors."""


def preset_settings(name: str, method: str) -> dict[str, Any]:
    """The settings of a preset for a method.

    :raises ConfigError: there is no such preset, or it is of another method.
    """
    if name not in PRESETS:
        raise ConfigError(f"there is no preset of embeddings {name!r}", hint=nearest(name, PRESETS))
    preset = PRESETS[name]
    if preset.method != method:
        raise ConfigError(f"the preset {name!r} is of the method {preset.method}, not {method}")
    return dict(preset.settings)
