"""The settings of formula search. Users can set every number here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.formulas.alignment import AlignmentSettings
from porism.retrieve.lexical.settings import ChannelSettings, check_channels
from porism.retrieve.weightings.base import check_weight
from porism.settings import read_settings, write_settings

MAX_CANDIDATES = 10_000
"""The largest number of formulas that are aligned for a query."""


@dataclass(frozen=True, slots=True)
class FormulaModel(RetrieverSettings):
    """The score of a formula for a query formula.

    ``score = Σ_channel weight · BM25_c(query, formula) / BM25_c(query, query) + alignment_weight · similarity``. Each
    channel's score is a share of the query's own score, so that weights are comparable. The similarity
    (:class:`~porism.retrieve.formulas.alignment.AlignmentSettings`) is computed for the first ``candidates`` formulas
    by channels, and is 0 for others; without ``alignment`` only the channels count.

    The similarity of the query formula itself gains ``identical``, and that of a formula equal to it after renaming
    variables one to one gains ``renamed``. A formula that contains one of these gains ``part`` or ``renamed_part``: in
    full if the part stands by itself, as a side of a relation or an item of a list, else times its share of the
    formula's nodes. Wildcards stand for whole subexpressions. With other letters, a query formula of fewer than
    :data:`~porism.retrieve.formulas.equal_formulas.MIN_NODES` nodes counts only as a whole formula in the same
    notation.

    The similarity of a formula with the value of the query is at least ``equal``, or ``renamed_equal`` if variables
    must be renamed. If only a part has that value, it is at least ``value · s²``, or ``renamed_value · s²``. Here s is
    the BM25 score of that value as a share of the query's own, which is smaller for longer formulas.

    A wildcard of the query stands for a variable and for a number, each at half the weight, in ``wildcard_channels``,
    which must be made from operator trees.

    :raises ConfigError: a number is out of its range, or there is no channel of positive weight.
    """

    channels: Mapping[str, ChannelSettings]
    alignment: AlignmentSettings | None = field(default_factory=AlignmentSettings)
    alignment_weight: float = 1.0
    candidates: int = 300
    value: float = 1.3
    renamed_value: float = 1.2
    wildcard_channels: tuple[str, ...] = ("approach0",)
    tuned_on: tuple[str, ...] = ()
    identical: float = 3.0
    renamed: float = 2.0
    part: float = 2.0
    renamed_part: float = 0.75
    equal: float = 2.9
    renamed_equal: float = 2.4

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", MappingProxyType(dict(self.channels)))
        for name in ("wildcard_channels", "tuned_on"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not any(channel.weight > 0 for channel in self.channels.values()):
            raise ConfigError("a formula model needs a channel of positive weight")
        for name, channel in self.channels.items():
            if channel.lexical.stores_factors or channel.similarity or channel.field_weights is not None:
                raise ConfigError(
                    f"the channel {name!r} of a formula model cannot have this weighting, similarity or field weights",
                    hint="Use BM25 or one of its kin whose factors are computed.",
                )
        check_weight("the alignment", self.alignment_weight)
        for name in (
            "identical", "renamed", "part", "renamed_part", "equal", "renamed_equal", "value", "renamed_value",
        ):
            if not 0 <= getattr(self, name) <= 10:
                raise ConfigError(f"{name!r} cannot be {getattr(self, name)}", hint="Use a number from 0 to 10.")
        if not 1 <= self.candidates <= MAX_CANDIDATES:
            raise ConfigError(f"{self.candidates} candidates cannot be aligned", hint=f"Use 1 to {MAX_CANDIDATES:,}.")

    def to_dict(self) -> dict[str, Any]:
        return {"alignment": False} | write_settings(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], base: FormulaModel | None = None) -> FormulaModel:
        """A model with these settings; others come from ``base``, by default :data:`DEFAULT_FORMULA_MODEL`.

        Given channels replace the base's. ``alignment = false`` leaves the alignment out; ``true`` stands for the
        base's, or the default if it has none.

        :raises SettingError: a setting or a channel does not exist, or a value is of another type or out of range.
        """
        known = (DEFAULT_FORMULA_MODEL if base is None else base).to_dict()
        alignment = value.get("alignment", known["alignment"])
        if alignment is True:
            alignment = known["alignment"] or {}
        elif isinstance(alignment, Mapping):
            alignment = (known["alignment"] or {}) | dict(alignment)
        settings = known | dict(value) | {"alignment": None if alignment is False else alignment}
        model = read_settings(cls, settings)
        check_channels(model.channels)
        check_channels(model.wildcard_channels, at="wildcard_channels")
        return model


TUNED_ON = tuple(f"B.{number}" for number in range(1, 101))
"""The topics of ARQMath 2020's formula task, from whose judgments the numbers of the alignment and the weights come."""


def _model(alignment: AlignmentSettings | None = None, *, aligned: float = 1.0, **weights: float) -> FormulaModel:
    """A model of channels by weight, underscores for hyphens in their names."""
    channels = {name.replace("_", "-"): ChannelSettings(weight) for name, weight in weights.items()}
    return FormulaModel(channels, alignment, aligned, tuned_on=TUNED_ON if alignment else ())


_ALIGNMENT = AlignmentSettings()
_TOKENS = {"tokens": 0.1, "tokens_2": 0.1, "tokens_3": 0.1}

DEFAULT_FORMULA_MODEL = _model(_ALIGNMENT, **_TOKENS, approach0=0.02, values=0.03)
"""The best configuration on the tuning topics; docs/measurements/formula-search.md has the figures and the method."""

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
"""Formula models by name: the default, its parts, and other approaches."""
