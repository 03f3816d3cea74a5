"""The settings of document search: which channels, with which weights. Every number here can be set by the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import TEXT_CHANNELS
from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.documents.components import ComponentKind
from porism.retrieve.documents.coverage import COVERAGE, Coverage
from porism.retrieve.documents.kinds import KINDS, Kinds
from porism.retrieve.documents.links import LINKS, Links
from porism.retrieve.documents.matched_formulas import MATCHES
from porism.retrieve.documents.meaning import MEANING, Meaning
from porism.retrieve.documents.usage import USAGE, Usage
from porism.retrieve.documents.weighted_formulas import Matches
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.settings import ChannelSettings, check_channels, check_weights
from porism.settings import SettingError, nearest, read_settings

COMPONENTS: Mapping[str, ComponentKind[Any]] = MappingProxyType({
    kind.name: kind for kind in (
        MATCHES, COVERAGE, KINDS, USAGE, MEANING,
        LINKS,  # last: a thread counts by the whole scores of its documents
    )
})
"""Name → kind, in the order in which components add to scores."""


def component_kind(named: str) -> ComponentKind[Any]:
    """A kind by its name.

    :raises SettingError: there is none of this name.
    """
    if named not in COMPONENTS:
        raise SettingError(
            f"there is no component {named!r}", path=("components", named), hint=nearest(named, COMPONENTS)
        )
    return COMPONENTS[named]


_NO_FEEDBACK, _NO_MATCHES, _NO_LINKS = Feedback(weight=0.0), Matches(weight=0.0), Links(weight=0.0)
_NO_KINDS, _NO_COVERAGE, _NO_USAGE = Kinds(weight=0.0), Coverage(weight=0.0), Usage(weight=0.0)
_NO_MEANING = Meaning(weight=0.0)


@dataclass(frozen=True, slots=True)
class SearchModel(RetrieverSettings):
    """What a search sums over and how it reads a query.

    A document's score is ``Σ_channel weight · Σ_term q(term) · BM25(term)``, with other weightings and with similar
    terms where channels say so. A term's frequency in a document is the sum of its frequencies in the fields, each
    times its ``field_weights`` (1 for a field not named). Each of ``zones`` (by name) adds the same sum over the fields
    that it sees, times its weight. The weight of a query term is ``q = (Σ_field w_field · Σ_occurrence m) ^ power``
    with ``w`` from ``query_field_weights``. The ``power`` is ``words_power`` or ``formulas_power``: so what a long
    question repeats does not drown the rest. For a word, and for a symbol in the text, ``m`` is 1; for a term of a
    formula it is ``(mass + mass_offset) ^ −mass_exponent``, where the mass of a formula is the sum of the inverse
    document frequencies of its terms: a formula counts by what it says, not by its length. With ``formula_words`` the
    letters, numbers and names of formulas are searched as words too, as far as documents write them outside of
    formulas. Then ``feedback`` adds terms of the documents found first, and the query is searched again. What is not a
    sum over terms is added to the scores of the first ``candidates`` documents only: ``matches`` of formulas,
    ``coverage``, ``kinds``, ``usage``, ``meaning``, ``links``, and what ``components`` names, the settings of other
    components of :data:`~porism.retrieve.documents.model.COMPONENTS` by name.

    Channels that an index was made without are left out, unless the model ``needs_all_channels``, as published systems
    do: without one of them it would be another model.

    ``tuned_on`` names the topics on whose judgments the numbers were chosen; every run of the model carries them.

    :raises ConfigError: a weight is negative, there is no channel of positive weight, or no such component.
    """

    channels: Mapping[str, ChannelSettings]
    field_weights: Mapping[str, float] = field(default_factory=dict)
    query_field_weights: Mapping[str, float] = field(default_factory=dict)
    zones: Mapping[str, Zone] = field(default_factory=dict)
    words_power: float = 1.0
    formulas_power: float = 0.5
    mass_offset: float = 5.0
    mass_exponent: float = 0.5
    feedback: Feedback = _NO_FEEDBACK
    matches: Matches = _NO_MATCHES
    links: Links = _NO_LINKS
    candidates: int = 1000
    tuned_on: tuple[str, ...] = ()
    kinds: Kinds = _NO_KINDS
    coverage: Coverage = _NO_COVERAGE
    components: Mapping[str, Mapping[str, Any]] | None = None
    needs_all_channels: bool = False
    formula_words: float = 0.0
    usage: Usage = _NO_USAGE
    meaning: Meaning = _NO_MEANING

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        for name in ("channels", "field_weights", "query_field_weights", "zones"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if not any(settings.weight > 0 for settings in self.channels.values()):
            raise ConfigError("a search model needs a channel of positive weight")
        check_weights("field", self.field_weights)
        check_weights("query field", self.query_field_weights)
        if self.formula_words < 0:
            raise ConfigError(f"formula_words cannot be {self.formula_words}", hint="Use a number from 0.")
        if not (self.words_power > 0 and self.formulas_power > 0 and self.mass_offset > 0 and self.mass_exponent >= 0):
            raise ConfigError("powers and the mass offset must be positive, the mass exponent ≥ 0")
        if self.candidates < 1:
            raise ConfigError(f"there cannot be {self.candidates} candidates", hint="Use at least 1.")
        if self.components is not None:
            object.__setattr__(self, "components", MappingProxyType(
                {name: MappingProxyType(dict(settings)) for name, settings in self.components.items()}
            ))
            for name in self.components:
                component_kind(name)
                if hasattr(self, name):
                    raise SettingError(
                        f"{name!r} is a setting of the model itself", path=("components", name),
                        hint=f"Use {name} in place of components.{name}.",
                    )
            list(self.component_settings())  # checks them

    def component_settings(self) -> Iterator[tuple[ComponentKind[Any], Any]]:
        """The components that the model names, in the order in which they add to scores, and the settings of each."""
        others = self.components or {}
        for name, kind in COMPONENTS.items():
            if name in others:
                yield kind, read_settings(kind.settings, others[name], at=("components", name))
            elif hasattr(self, name):
                yield kind, getattr(self, name)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], base: SearchModel | None = None) -> SearchModel:
        """A model of the settings given; the others are those of ``base``, by default :data:`DEFAULT_MODEL`.

        Tables of names that are given (``channels``, ``field_weights``, ``query_field_weights``, ``zones``) replace
        those of the base; in ``feedback``, ``components`` and the table of a component each setting does.

        :raises SettingError: a setting or a channel does not exist, or a value is of another type or out of range.
        """
        settings = overlaid(
            (DEFAULT_MODEL if base is None else base).to_dict(), value, ("feedback", "components", *COMPONENTS)
        )
        model = read_settings(cls, settings)
        check_channels(model.channels, TEXT_CHANNELS)
        return model


def overlaid(base: dict[str, Any], given: Mapping[str, Any], merged: Iterable[str]) -> dict[str, Any]:
    """Settings given, over those of a base; of the tables named by ``merged`` each setting by itself."""
    settings = base | dict(given)
    for name in merged:
        if isinstance(given.get(name), Mapping) and isinstance(base.get(name), Mapping):
            settings[name] = base[name] | dict(given[name])
    return settings


def _numbered(prefix: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{number}" for number in range(first, last + 1))


TUNED_ON = (
    *_numbered("A.", 1, 100), *_numbered("Q.", 1, 56), *_numbered("100-", 1, 59), *_numbered("1000-", 60, 244),
    *_numbered("undergrad-", 245, 585), *_numbered("overview-", 586, 1016),
)
"""The topics from whose judgments the numbers of the default model come: ARQMath 2020's answer task, the bundled
sample, and the names of Mathlib. So do statements of ProofWiki, whose ids follow no rule
(docs/measurements/effectiveness.md)."""


DEFAULT_MODEL = SearchModel(
    channels={
        "words": ChannelSettings(1.0, 0.6, 0.85),
        "word-pairs": ChannelSettings(0.6, 0.3, 0.85),
        "symbols": ChannelSettings(0.5, 0.5, 0.75),
        "tokens": ChannelSettings(0.68, 1.5, 0.75),
        "tokens-2": ChannelSettings(0.68, 1.5, 0.75),
        "tokens-3": ChannelSettings(0.68, 1.5, 0.75),
        "approach0": ChannelSettings(1.02, 1.5, 0.75),
        "subtrees": ChannelSettings(1.02, 1.5, 0.75),
    },
    field_weights={
        "title": 5.0, "aliases": 5.0, "labels": 3.0, "section": 0.5, "proof": 0.3, "tags": 5.0, "comments": 0.4,
    },
    query_field_weights={"title": 2.0, "spoken": 0.2},
    zones={"title": Zone(0.3, {"title": 1.0, "aliases": 1.0})},
    words_power=0.75,
    formula_words=2.0,
    coverage=Coverage(weight=0.3),
    kinds=Kinds(weight=0.5),
    usage=Usage(weight=0.08),
    meaning=Meaning(weight=1.4),
    matches=Matches(weight=0.0, equal=1.0),
    links=Links(weight=0.3),
    tuned_on=TUNED_ON,
)
"""The configuration that is best on all development sets together; docs/measurements/effectiveness.md has the figures
and how they were got."""
