"""The settings of a channel in a model, and checks of the channels that a model names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from porism.analysis.channels import EncodedChannel, UnknownChannel, parse_channel
from porism.errors import ConfigError
from porism.formula import EXTRACTORS
from porism.retrieve.weightings import weighting_named
from porism.retrieve.weightings.base import LexicalChannel, Normalised
from porism.settings import SettingError, Settings, nearest


@dataclass(frozen=True, slots=True)
class ChannelSettings(Settings):
    """The settings of a channel: its weight in the sum, its weighting, and its similarities.

    The weighting is BM25 with ``k1`` (≥ 0) and ``b`` (0 to 1), BM25+ with a ``delta`` above 0, or the one that
    ``weighting`` names, with its own ``parameters`` (:mod:`porism.retrieve.weightings`).

    ``similarity`` names a matrix of the index: similar terms match too, by their similarity times ``softness`` (0 to
    100). With ``normalised`` the score is the soft cosine instead of the soft inner product, or with ``"maintain"`` the
    soft cosine times both lengths (:mod:`porism.retrieve.lexical.soft`). ``field_weights``, ``query_field_weights`` and
    ``power`` replace those of the model for this channel.

    :raises ConfigError: a number is out of its range, or there is no such weighting or parameter.
    """

    weight: float = 1.0
    k1: float = 1.2
    b: float = 0.75
    delta: float = 0.0
    weighting: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    similarity: str = ""
    normalised: Normalised = False
    softness: float = 1.0
    field_weights: Mapping[str, float] | None = None
    query_field_weights: Mapping[str, float] | None = None
    power: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        for name in ("field_weights", "query_field_weights"):
            weights = getattr(self, name)
            if weights is not None:
                object.__setattr__(self, name, MappingProxyType(dict(weights)))
                check_weights(name.removesuffix("_weights").replace("_", " "), weights)
        if self.power is not None and not 0 < self.power <= 10:
            raise ConfigError(f"query weights cannot have the power {self.power}", hint="Use a number from 0 to 10.")
        if self.normalised is True and not self.similarity:  # to maintain lengths changes nothing then
            raise ConfigError(
                "only a channel with a similarity can be normalised",
                hint="Name a similarity, or use a weighting that normalises, such as ltc.ltc.",
            )
        self.lexical  # noqa: B018  # checks the numbers

    @property
    def lexical(self) -> LexicalChannel:
        """These settings for the engine, without the similarity matrix, which the index has."""
        weighting = weighting_named(self.weighting, self.k1, self.b, self.delta, self.parameters)
        return LexicalChannel(
            self.weight, weighting, normalised=self.normalised, field_weights=self.field_weights,
            softness=self.softness,
        )


def check_weights(of: str, weights: Mapping[str, float]) -> None:
    """Checks that weights of fields are finite numbers ≥ 0.

    :raises ConfigError: one is not.
    """
    for name, weight in weights.items():
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"the {of} {name!r} cannot have the weight {weight}", hint="Use a number ≥ 0.")


def check_channels(names: Iterable[str], others: Sequence[str] = (), at: str = "channels") -> None:
    """Checks that an index can have each channel.

    That is one of ``others``, or a formula channel of an extractor or tokenizer (``bpe:NAME``, which only an index
    knows). Other text channels are allowed if ``others`` are given.

    :raises SettingError: there is no such channel, or the options of a variant are not valid.
    """
    for name in names:
        if name in others:
            continue
        try:
            channel = parse_channel(name)
        except UnknownChannel as error:
            raise _no_channel(name, others, at) from error
        except ConfigError as error:
            raise SettingError(error.what, path=(at, name), hint=error.hint) from error
        if (channel.reads == "text" or isinstance(channel, EncodedChannel)) and not others:
            raise _no_channel(name, others, at)


def _no_channel(name: str, others: Sequence[str], at: str) -> SettingError:
    kind = "channel" if others else "formula channel"
    return SettingError(f"there is no {kind} {name!r}", path=(at, name), hint=nearest(name, [*others, *EXTRACTORS]))
