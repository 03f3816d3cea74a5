"""Document models by name, and the kind that opens them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from porism.analysis.channels import EncodedChannel, encoded_channel, parse_channel
from porism.errors import ConfigError
from porism.retrieve.documents.coverage import Coverage
from porism.retrieve.documents.encoded_channels import OpenEncodedChannels
from porism.retrieve.documents.kinds import Kinds
from porism.retrieve.documents.links import Links
from porism.retrieve.documents.meaning import Meaning
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.published import SYSTEMS_2021, SYSTEMS_2022
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.documents.usage import Usage
from porism.retrieve.documents.weighted_formulas import Matches
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.kinds import DocumentKind, RequiredArtifact, VectorProvider
from porism.retrieve.lexical.settings import ChannelSettings
from porism.system.files.artifacts import SIMILARITIES, SPARSE, TOKENIZERS

_TITLE = 3.0


def tangent_l_model(
    formula_weight: float = 0.2, *, channel: str = "tangent-l", field_weights: Mapping[str, float] | None = None
) -> SearchModel:
    """``(1 − a) · BM25+ of the words + a · BM25+ of the features`` with a = ``formula_weight`` and δ = 1.

    Every term counts as often as the query has it; ``channel`` may be a variant (``tangent-l:edge-pairs``) that the
    index has. Fields not in ``field_weights`` (the title 3 times if none are given) count once. Ng et al., *Dowsing for
    Math Answers with Tangent-L* (CLEF 2020).

    :raises ConfigError: the weight is not between 0 and 1.
    """
    if not 0 <= formula_weight <= 1:
        raise ConfigError(f"formulas cannot have the weight {formula_weight}", hint="Use a number from 0 to 1.")
    return SearchModel(
        {
            "words": ChannelSettings(1.0 - formula_weight, delta=1.0),
            channel: ChannelSettings(formula_weight, delta=1.0),
        },
        field_weights={"title": _TITLE} if field_weights is None else field_weights,
        formulas_power=1.0,
        mass_exponent=0.0,
        needs_all_channels=True,
    )


def channel_model(*channels: str) -> SearchModel:
    """A model of these channels only, with equal weights."""
    return SearchModel({name: ChannelSettings(1.0, 1.5, 0.75) for name in channels})


SEARCH_MODELS: Mapping[str, SearchModel] = MappingProxyType({
    "default": DEFAULT_MODEL,
    "plain": replace(
        DEFAULT_MODEL, zones={}, feedback=Feedback(weight=0.0), matches=Matches(weight=0.0), kinds=Kinds(weight=0.0),
        links=Links(weight=0.0), coverage=Coverage(weight=0.0), usage=Usage(weight=0.0), meaning=Meaning(weight=0.0),
    ),
    "words": channel_model("words"),
    "tokens": channel_model("tokens", "tokens-2", "tokens-3"),
    "paths": channel_model("approach0"),
    "subtrees": channel_model("subtrees"),
    "tangent-l": tangent_l_model(),
    "splade": SearchModel({"splade": ChannelSettings()}),
    **SYSTEMS_2021,
    **SYSTEMS_2022,
})
"""Models by name: the default, the default as a plain sum of channels, single channels and other approaches (``splade``
searches the terms of a sparse encoder), and published systems (:mod:`porism.retrieve.documents.published`)."""


def _channels(model: SearchModel) -> tuple[str, ...]:
    return tuple(name for name in model.channels if not isinstance(parse_channel(name), EncodedChannel))


def _artifacts(model: SearchModel) -> tuple[RequiredArtifact, ...]:
    channels = [parse_channel(name) for name in model.channels]
    similarities = (settings.similarity for settings in model.channels.values())
    artifacts = [RequiredArtifact(TOKENIZERS, channel.tokenizer) for channel in channels if channel.tokenizer]
    encoded = [channel for channel in channels if isinstance(channel, EncodedChannel)]
    artifacts += [RequiredArtifact(SPARSE, channel.encoder) for channel in encoded]
    return tuple(dict.fromkeys((*artifacts, *(RequiredArtifact(SIMILARITIES, name) for name in similarities if name))))


def _is_any_encoded(channel: str) -> bool:
    parsed = parse_channel(channel)
    return isinstance(parsed, EncodedChannel) and not parsed.encoder


def _choose(model: SearchModel, name: str) -> SearchModel:
    """The model whose channels of any sparse encoder are those of the one that is named."""
    channels = {
        encoded_channel(name) if _is_any_encoded(channel) else channel: settings
        for channel, settings in model.channels.items()
    }
    return replace(model, channels=channels)


def lexical_kind(
    open_encoded: OpenEncodedChannels, vectors: Callable[[Path], Sequence[VectorProvider]]
) -> DocumentKind[SearchModel]:
    """Search by a weighted sum of channels, with feedback and components.

    ``open_encoded`` opens the channels of sparse encoders, and ``vectors`` finds the providers of their terms.
    """
    return DocumentKind(
        name="lexical", settings=SearchModel, models=SEARCH_MODELS, channels=_channels, artifacts=_artifacts,
        vectors=vectors, make=partial(DocumentRetriever, open_encoded=open_encoded), choose=_choose,
    )
