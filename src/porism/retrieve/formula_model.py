"""The settings of formula search. Every number here can be set by the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.formula import EXTRACTORS, find_extractor
from porism.retrieve.alignment import AlignmentSettings
from porism.retrieve.model import ChannelSettings
from porism.retrieve.weighting import HEAVIEST

MOST_CANDIDATES = 10_000
"""So many formulas can be aligned for a query at most."""

_UP_TO_HEAVIEST = f"Use a number from 0 to {HEAVIEST:,.0f}."


@dataclass(frozen=True, slots=True)
class FormulaModel:
    """What a formula's score is made of, for one query formula.

    ``score = Σ_channel weight · BM25_c(query, formula) / BM25_c(query, query) + alignment_weight · similarity``: each
    channel's score is a share of what the query itself would score, so that weights compare. The similarity
    (:class:`~porism.retrieve.alignment.AlignmentSettings`) is that of the first ``candidates`` formulas by channels, 0
    for the others; without ``alignment`` the channels alone decide. A formula of which a part has the value of the
    whole query is at least ``value · s²`` similar, or ``renamed_value · s²`` where variables must be renamed, with s
    the BM25 score for that one value as a share of the query's own: less than 1 where the formula says more than that.

    A wildcard of the query stands for a variable and for a number, each at half the weight, in the channels named by
    ``wildcard_channels``; these must be made of the operator tree, where the stand-ins are put.

    :raises ConfigError: a number is out of its range, or there is no channel of positive weight.
    """

    channels: Mapping[str, ChannelSettings]
    alignment: AlignmentSettings | None = field(default_factory=AlignmentSettings)
    alignment_weight: float = 1.0
    candidates: int = 300
    value: float = 1.3
    renamed_value: float = 1.2
    wildcard_channels: tuple[str, ...] = ("approach0",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", MappingProxyType(dict(self.channels)))
        object.__setattr__(self, "wildcard_channels", tuple(self.wildcard_channels))
        if not any(channel.weight > 0 for channel in self.channels.values()):
            raise ConfigError("a formula model needs a channel of positive weight")
        if not 0 <= self.alignment_weight <= HEAVIEST:
            raise ConfigError(f"the alignment cannot have the weight {self.alignment_weight}", hint=_UP_TO_HEAVIEST)
        for name in ("value", "renamed_value"):
            if not 0 <= getattr(self, name) <= 10:
                raise ConfigError(f"{name!r} cannot be {getattr(self, name)}", hint="Use a number from 0 to 10.")
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise ConfigError(
                f"{self.candidates} candidates cannot be aligned", hint=f"Use 1 to {MOST_CANDIDATES:,}."
            )

    def to_dict(self) -> dict[str, Any]:
        """A JSON- and TOML-ready mapping; :meth:`from_dict` is the inverse. No ``alignment`` is ``False`` there."""
        return {
            "alignment_weight": self.alignment_weight,
            "candidates": self.candidates,
            "value": self.value,
            "renamed_value": self.renamed_value,
            "wildcard_channels": list(self.wildcard_channels),
            "channels": {name: asdict(channel) for name, channel in self.channels.items()},
            "alignment": asdict(self.alignment) if self.alignment else False,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> FormulaModel:
        """A model of the parameters given; the others are those of :data:`DEFAULT_FORMULA_MODEL`.

        Channels that are given replace the default's, and ``alignment = false`` leaves the alignment out.

        :raises ConfigError: a parameter or a channel does not exist, or a value is of another type or out of range.
        """
        default = DEFAULT_FORMULA_MODEL.to_dict()
        _check(value, default, "")
        settings = default | dict(value)
        channels = {}
        for name in (*settings["channels"], *settings["wildcard_channels"]):
            if ":" in name:
                find_extractor(name)  # tells what of a variant's options is wrong
            elif name not in EXTRACTORS:
                raise ConfigError(f"there is no formula channel {name!r}", hint=_nearest(name, EXTRACTORS))
        for name, given in settings["channels"].items():
            if not isinstance(given, Mapping):
                raise ConfigError(f"'channels.{name}' must be a table", hint=f"Write [channels.{name}] and its weight.")
            _check(given, asdict(ChannelSettings()), f"channels.{name}.")
            channels[name] = ChannelSettings(**given)
        alignment = settings["alignment"]
        if alignment is True:
            alignment = {}
        if alignment is not False:
            _check(alignment, asdict(AlignmentSettings()), "alignment.")
            base = asdict(DEFAULT_FORMULA_MODEL.alignment or AlignmentSettings())
            alignment = AlignmentSettings(**base | alignment)
        return cls(
            channels, alignment or None, settings["alignment_weight"], settings["candidates"],
            settings["value"], settings["renamed_value"], tuple(settings["wildcard_channels"]),
        )


def _check(given: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    """Whether all parameters exist and have values of the type that they have elsewhere."""
    for name, value in given.items():
        if name not in known:
            raise ConfigError(f"there is no parameter {where + name!r}", hint=_nearest(name, known, where))
        expected = known[name]
        if name == "alignment" and not where:
            fits = isinstance(value, (bool, Mapping))
        elif isinstance(expected, Mapping):
            fits = isinstance(value, Mapping)
        elif isinstance(expected, list):
            fits = isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value)
        elif isinstance(expected, int) and not isinstance(expected, bool):
            fits = isinstance(value, int) and not isinstance(value, bool)
        else:
            fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits:
            raise ConfigError(f"the parameter {where + name!r} cannot be {value!r}")


def _nearest(name: str, known: Mapping[str, Any], where: str = "") -> str:
    """Which of the known names may have been meant."""
    close = get_close_matches(name, known, 1)
    return f"Did you mean {where}{close[0]}?" if close else f"Choose from {', '.join(known)}."


def _model(alignment: AlignmentSettings | None = None, *, aligned: float = 1.0, **weights: float) -> FormulaModel:
    """A model of channels by weight, underscores for hyphens in their names."""
    channels = {name.replace("_", "-"): ChannelSettings(weight) for name, weight in weights.items()}
    return FormulaModel(channels, alignment, aligned)


_ALIGNMENT = AlignmentSettings()
_TOKENS = {"tokens": 0.1, "tokens_2": 0.1, "tokens_3": 0.1}

DEFAULT_FORMULA_MODEL = _model(_ALIGNMENT, **_TOKENS, approach0=0.02, values=0.03)
"""The best configuration found on the tuning topics; docs/formula-search.md has the figures and how they were got."""

_TANGENT_L = FormulaModel({"tangent-l": ChannelSettings(1.0, 1.2, 0.75, 1.0)}, None)

FORMULA_MODELS: Mapping[str, FormulaModel] = MappingProxyType({
    "default": DEFAULT_FORMULA_MODEL,
    "tokens": _model(tokens=1.0, tokens_2=1.0, tokens_3=1.0),
    "paths": _model(approach0=1.0),
    "alignment": _model(_ALIGNMENT, aligned=100.0, approach0=1.0),
    "subtrees": _model(subtrees=1.0),
    "tangent-l": _TANGENT_L,
    "layout": _TANGENT_L,
    "tangent-s": _model(tangent_s_layout=1.0, tangent_s_operators=1.0),
    "values": _model(values=1.0),
})
"""Formula models by name: the default, and its parts and other lines of work each alone."""

FIELDS = tuple(setting.name for setting in fields(FormulaModel))
"""The names of a model's parameters."""
