"""The settings of hybrid search: which channels, with which weights. Every number here can be set by the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from porism.analysis import TEXT_CHANNELS
from porism.errors import ConfigError
from porism.formula import EXTRACTORS, find_extractor
from porism.retrieve.channels import View
from porism.retrieve.weighting import HEAVIEST, LexicalChannel
from porism.retrieve.weightings import weighting_named
from porism.settings import SettingError, Settings, nearest, read_settings, write_settings
from porism.text.channels import BPE, JOINT, is_text_channel, joint_channel


@dataclass(frozen=True, slots=True)
class ChannelSettings(Settings):
    """How one channel counts: its weight in the sum, its weighting, and what matches.

    The weighting is BM25 with ``k1`` (≥ 0) and ``b`` (0 to 1), or BM25+ with a ``delta`` above 0, or the one that
    ``weighting`` names, with ``parameters`` of its own (:mod:`porism.retrieve.weightings`). ``similarity`` names a
    matrix of the index by which terms that are alike match too: different ones ``softness`` times what they are
    similar (0 to 100). With ``normalised`` the score is then the soft cosine instead of the soft inner product
    (:mod:`porism.retrieve.soft`). ``field_weights``, ``query_field_weights`` and
    ``power``, where they are given, replace those of the model for this channel.

    :raises ConfigError: a number is out of its range, or there is no such weighting or parameter.
    """

    weight: float = 1.0
    k1: float = 1.2
    b: float = 0.75
    delta: float = 0.0
    weighting: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    similarity: str = ""
    normalised: bool = False
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
        if self.normalised and not self.similarity:
            raise ConfigError(
                "only a channel with a similarity can be normalised",
                hint="Name a similarity, or use a weighting that normalises, such as ltc.ltc.",
            )
        self.lexical  # noqa: B018  # checks the numbers

    @property
    def lexical(self) -> LexicalChannel:
        """The same for the engine, but for the similarities, which an index has."""
        weighting = weighting_named(self.weighting, self.k1, self.b, self.delta, self.parameters)
        return LexicalChannel(
            self.weight, weighting, normalised=self.normalised, field_weights=self.field_weights,
            softness=self.softness,
        )


def check_weights(of: str, weights: Mapping[str, float]) -> None:
    """Whether weights of fields are finite numbers ≥ 0.

    :raises ConfigError: one is not.
    """
    for name, weight in weights.items():
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"the {of} {name!r} cannot have the weight {weight}", hint="Use a number ≥ 0.")


@dataclass(frozen=True, slots=True)
class Feedback(Settings):
    """How much a query learns from what it finds first, and how (:mod:`porism.retrieve.feedback` has the formulas).

    It learns at most ``terms`` terms of each channel from the first ``documents`` by a ``method``:

    - ``score-weighted``: ``weight`` is the share of what is learnt; 0 is off;
    - ``rocchio``: ``alpha``, ``beta`` and ``gamma`` are the weights of the query, of the first documents and of
      ``non_relevant`` documents, which are the last of the first ``depth`` found (0: none);
    - ``rm3``: ``original_weight`` λ of the query, 1 − λ of the relevance model; documents count by ``prior``: by their
      ``scores``, by their ``exponential`` (for scores that are logarithms of likelihoods), or all ``equal``.

    Only ``channels`` learn (all, where none is named), and only terms of at least ``min_df`` documents and at most a
    share ``max_df`` of those that have the channel.

    :raises ConfigError: a number is out of its range, or there is no such method or prior.
    """

    weight: float = 0.2
    documents: int = 10
    terms: int = 40
    method: Literal["score-weighted", "rocchio", "rm3"] = "score-weighted"
    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    non_relevant: int = 0
    depth: int = 1000
    original_weight: float = 0.5
    prior: Literal["scores", "exponential", "equal"] = "scores"
    channels: tuple[str, ...] = ()
    min_df: int = 1
    max_df: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", tuple(self.channels))
        if not (0 <= self.weight <= HEAVIEST and self.documents >= 1 and self.terms >= 1):
            raise ConfigError(
                f"feedback cannot have the weight {self.weight}, {self.documents} documents and {self.terms} terms",
                hint="Use a weight ≥ 0, and at least one document and one term.",
            )
        if self.method not in ("score-weighted", "rocchio", "rm3") or self.prior not in (
            "scores", "exponential", "equal"
        ):
            raise ConfigError(
                f"there is no feedback by {self.method!r} with the prior {self.prior!r}",
                hint="Methods are score-weighted, rocchio and rm3; priors are scores, exponential and equal.",
            )
        if not all(0 <= number <= HEAVIEST for number in (self.alpha, self.beta, self.gamma)):
            raise ConfigError(
                f"Rocchio's feedback cannot have alpha {self.alpha}, beta {self.beta} and gamma {self.gamma}",
                hint="Use numbers ≥ 0.",
            )
        if not (0 <= self.original_weight <= 1 and 0 < self.max_df <= 1 and self.min_df >= 1):
            raise ConfigError(
                f"feedback cannot have the original weight {self.original_weight}, min_df {self.min_df} and max_df "
                f"{self.max_df}",
                hint="Weights and shares are from 0 to 1, max_df above 0; min_df is at least 1.",
            )
        if self.non_relevant < 0 or 0 < self.non_relevant > self.depth - self.documents:
            raise ConfigError(
                f"feedback cannot take {self.documents} documents and {self.non_relevant} that are not relevant from "
                f"the first {self.depth}",
                hint="The depth is at least the sum of both.",
            )

    @property
    def active(self) -> bool:
        """Whether a query learns anything from what it finds."""
        if self.method == "rocchio":
            return self.beta > 0 or (self.gamma > 0 and self.non_relevant > 0)
        return self.weight > 0 if self.method == "score-weighted" else self.original_weight < 1


@dataclass(frozen=True, slots=True)
class Links(Settings):
    """How much documents gain from threads that theirs is linked with (:mod:`porism.retrieve.links`); weight 0 is off.

    ``thread`` is the metadata key of a document's own thread, ``fields`` are those that name other threads.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.3
    thread: str = "question_id"
    fields: tuple[str, ...] = ("linked", "duplicates")

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        if not 0 <= self.weight <= HEAVIEST:
            raise ConfigError(f"links cannot have the weight {self.weight}", hint="Use a number ≥ 0.")


@dataclass(frozen=True, slots=True)
class Kinds(Settings):
    """How much documents of the kind gain that a short query names, as in "definition of a manifold"
    (:mod:`porism.retrieve.kinds`): ``weight`` times their score; 0 is off. ``key`` is the metadata that has the kind.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.2
    key: str = "type"

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= HEAVIEST:
            raise ConfigError(f"kinds cannot have the weight {self.weight}", hint="Use a number ≥ 0.")


@dataclass(frozen=True, slots=True)
class Coverage(Settings):
    """How much documents gain by the share of their words that the query has (:mod:`porism.retrieve.coverage`):
    ``weight`` times that share times what the query's words count at most; 0 is off. Only queries of at least ``words``
    distinct words, stop words left out, count: what a shorter one names can stand in a document of any length.

    :raises ConfigError: a number is out of its range.
    """

    weight: float = 0.3
    words: int = 5

    def __post_init__(self) -> None:
        if not (0 <= self.weight <= HEAVIEST and self.words >= 1):
            raise ConfigError(
                f"coverage cannot have the weight {self.weight} and ask for {self.words} words",
                hint="Use a weight ≥ 0, and at least one word.",
            )


@dataclass(frozen=True, slots=True)
class Matches(Settings):
    """How the formulas of a document count beside its terms (:mod:`porism.retrieve.evidence`); weight 0 is off.

    Each query formula gives ``weight · √n · mass^mass_power · ((s − least) / (1 − least))²`` where s is the similarity
    of the best formula of the document, n how often the query has the formula (by the weights of its fields) and its
    mass the sum of the inverse document frequencies of its terms: its size and rarity. A document gains the sum of
    what query formulas give or, if ``combine`` is ``best``, the largest. Only the first ``candidates`` formulas that a
    query formula finds are compared, only those more similar than ``least`` (0 to 1) count, and only the ``formulas``
    of largest mass are asked for. Query formulas of a single symbol never count.

    With ``equal`` above 0 (to 10), formulas that have the value of the query formula or hold it, variables renamed, are
    matches too, wherever they rank by their terms: full ones where they are the query formula or equal to it, else with
    the share ``renamed`` where variables must be renamed, and ``part`` where they hold the formula. Their documents are
    found whatever terms they have. To their score is added what their terms lack beside those of a document that holds
    the query formula itself, times that share, times ``equal``, and times ``2 − 3 · ln D / ln N`` (from 0 to 1) where
    D of N documents hold such a formula: to hold what many hold says little; and times ``beside_words`` where the query
    has words as well.

    :raises ConfigError: a number is out of its range.
    """

    weight: float = 0.045
    least: float = 0.75
    candidates: int = 100
    formulas: int = 24
    mass_power: float = 1.0
    combine: Literal["sum", "best"] = "sum"
    equal: float = 0.0
    renamed: float = 0.9
    part: float = 0.8
    beside_words: float = 0.3

    def __post_init__(self) -> None:
        shares = (self.renamed, self.part, self.beside_words)
        if not (0 <= self.equal <= 10 and all(0 <= share <= 1 for share in shares)):
            raise ConfigError(
                f"matches cannot have 'equal' {self.equal}, 'renamed' {self.renamed}, 'part' {self.part} and "
                f"'beside_words' {self.beside_words}",
                hint="Use 0 to 10 for 'equal', and shares from 0 to 1.",
            )
        if self.combine not in ("sum", "best") or not 0 <= self.mass_power <= 10:
            raise ConfigError(
                f"matches cannot be combined by {self.combine!r} with a mass power of {self.mass_power}",
                hint="Combine them by 'sum' or 'best'; the power is from 0 to 10.",
            )
        if not (0 <= self.weight <= HEAVIEST and 0 <= self.least < 1 and self.candidates >= 1 and self.formulas >= 1):
            raise ConfigError(
                f"matches cannot have the weight {self.weight}, the least similarity {self.least}, {self.candidates} "
                f"candidates and {self.formulas} formulas",
                hint="Use a weight ≥ 0, a similarity from 0 to below 1, and at least one candidate and one formula.",
            )


@dataclass(frozen=True, slots=True)
class SearchModel(Settings):
    """What a search sums over and how it reads a query.

    A document's score is ``Σ_channel weight · Σ_term q(term) · BM25(term)``, with other weightings and with similar
    terms where channels say so. A term's frequency in a document is the sum of its frequencies in the fields, each
    times its ``field_weights`` (1 for a field not named). Each of ``views``
    (by name) adds the same sum over the fields that it sees, times its weight. The weight of a
    query term is ``q = (Σ_field w_field · Σ_occurrence m) ^ power`` with ``w`` from ``query_field_weights`` and
    ``power`` from ``words_power`` or ``formulas_power``, so that what a long question repeats does not drown the
    rest. For a word, and for a symbol in the text, ``m`` is 1; for a term of a formula it is
    ``(mass + mass_offset) ^ −mass_exponent``, where the mass of a formula is the sum of the inverse document
    frequencies of its terms: a formula counts by what it says,
    not by its length. Then ``feedback`` adds terms of the documents found first, and the query is asked again.
    What is not a sum over terms, ``matches`` of formulas, ``coverage``, ``kinds`` and ``links``, is added to the scores
    of the first ``candidates`` documents only.

    ``tuned_on`` names the topics on whose judgments the numbers were chosen; every run of the model carries them.

    :raises ConfigError: a weight is negative, or there is no channel of positive weight.
    """

    channels: Mapping[str, ChannelSettings]
    field_weights: Mapping[str, float] = field(default_factory=dict)
    query_field_weights: Mapping[str, float] = field(default_factory=dict)
    views: Mapping[str, View] = field(default_factory=dict)
    words_power: float = 1.0
    formulas_power: float = 0.5
    mass_offset: float = 5.0
    mass_exponent: float = 0.5
    feedback: Feedback = Feedback(weight=0.0)
    matches: Matches = Matches(weight=0.0)
    links: Links = Links(weight=0.0)
    candidates: int = 1000
    tuned_on: tuple[str, ...] = ()
    kinds: Kinds = Kinds(weight=0.0)
    coverage: Coverage = Coverage(weight=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        for name in ("channels", "field_weights", "query_field_weights", "views"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if not any(settings.weight > 0 for settings in self.channels.values()):
            raise ConfigError("a search model needs a channel of positive weight")
        check_weights("field", self.field_weights)
        check_weights("query field", self.query_field_weights)
        if not (self.words_power > 0 and self.formulas_power > 0 and self.mass_offset > 0 and self.mass_exponent >= 0):
            raise ConfigError("powers and the mass offset must be positive, the mass exponent ≥ 0")
        if self.candidates < 1:
            raise ConfigError(f"there cannot be {self.candidates} candidates", hint="Use at least 1.")

    def to_dict(self) -> dict[str, Any]:
        """A JSON- and TOML-ready mapping; :meth:`from_dict` is the inverse."""
        return write_settings(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], base: SearchModel | None = None) -> SearchModel:
        """A model of the settings given; the others are those of ``base``, by default :data:`DEFAULT_MODEL`.

        Tables of names that are given (``channels``, ``field_weights``, ``query_field_weights``, ``views``) replace
        those of the base; in ``feedback``, ``matches``, ``coverage``, ``kinds`` and ``links`` each setting
        does.

        :raises SettingError: a setting or a channel does not exist, or a value is of another type or out of range.
        """
        settings = overlaid((DEFAULT_MODEL if base is None else base).to_dict(), value, _STAGES)
        model = read_settings(cls, settings)
        check_channels(model.channels, TEXT_CHANNELS)
        return model


_STAGES = ("feedback", "matches", "coverage", "kinds", "links")


def overlaid(base: dict[str, Any], given: Mapping[str, Any], merged: Iterable[str]) -> dict[str, Any]:
    """Settings given, over those of a base; of the tables named by ``merged`` each setting by itself."""
    settings = base | dict(given)
    for name in merged:
        if isinstance(given.get(name), Mapping) and isinstance(base[name], Mapping):
            settings[name] = base[name] | dict(given[name])
    return settings


def check_channels(names: Iterable[str], others: Sequence[str] = (), at: str = "channels") -> None:
    """Whether each channel is one that an index can have: one of ``others`` or, where there are any, another channel of
    the text; or made of formulas by an extractor or a tokenizer (``bpe:NAME``, which only an index knows).

    :raises SettingError: there is no such channel, or the options of a variant do not fit.
    """
    for name in names:
        if name in others:
            continue
        try:
            if name.startswith(JOINT) and others:
                joint_channel(name)
                continue
            if name.startswith(BPE) or (others and is_text_channel(name)):
                continue
            if ":" in name:
                find_extractor(name)
                continue
        except ConfigError as error:
            raise SettingError(error.what, path=(at, name), hint=error.hint) from error
        if name not in EXTRACTORS:
            kind = "channel" if others else "formula channel"
            raise SettingError(
                f"there is no {kind} {name!r}", path=(at, name), hint=nearest(name, [*others, *EXTRACTORS])
            )


def _numbered(prefix: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{number}" for number in range(first, last + 1))


TUNED_ON = (
    *_numbered("A.", 1, 100), *_numbered("Q.", 1, 56), *_numbered("100-", 1, 59), *_numbered("1000-", 60, 244),
    *_numbered("undergrad-", 245, 585), *_numbered("overview-", 586, 1016),
)
"""The topics from whose judgments the numbers of the default model come: ARQMath 2020's answer task, the bundled
sample, and the names of Mathlib. So do statements of ProofWiki, whose ids follow no rule (docs/effectiveness.md)."""


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
    query_field_weights={"title": 2.0},
    views={"title": View(0.3, {"title": 1.0, "aliases": 1.0})},
    words_power=0.75,
    coverage=Coverage(weight=0.3),
    kinds=Kinds(weight=0.5),
    matches=Matches(weight=0.0, equal=1.0),
    links=Links(weight=0.3),
    tuned_on=TUNED_ON,
)
"""The configuration that is best on all development sets together; docs/effectiveness.md has the figures and how they
were got."""
