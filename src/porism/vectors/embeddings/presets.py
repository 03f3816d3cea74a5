"""How the vectors of published systems were trained, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.settings import nearest


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
