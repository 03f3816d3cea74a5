"""Channels whose terms a sparse encoder weighs, as a search by terms sees them; what opens them is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from porism.index import Segment
from porism.index.engine.units import Units
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings.base import LexicalChannel
from porism.types import Query


class QueryEncoder(Protocol):
    """What reads queries for a channel."""

    def terms(self, query: Query) -> dict[str, float]:
        """Term → weight in the query."""

    def beyond(self, query: Query) -> int:
        """How many tokens of the query are beyond what the encoder reads."""


class OpenedChannel(NamedTuple):
    """A channel as a model has ``named`` it, its ``name`` with that of the encoder, how the channel counts, what reads
    queries for it, and the digest of the encoder with its settings."""

    named: str
    name: str
    channel: LexicalChannel
    queries: QueryEncoder
    encoded_by: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EncodedChannels:
    """The opened ``channels`` of a model; ``units`` gives the documents of segments with these channels."""

    channels: Sequence[OpenedChannel]
    units: Callable[[Sequence[Segment]], Sequence[Units]]


def _as_they_are(segments: Sequence[Segment]) -> Sequence[Units]:
    return segments


NO_ENCODED_CHANNELS = EncodedChannels((), _as_they_are)

OpenEncodedChannels = Callable[[Path, Mapping[str, ChannelSettings], Mapping[str, float]], EncodedChannels]
"""From the folder of an index, the channels of a model and the weights of a query's fields."""


def no_encoded_channels(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> EncodedChannels:
    """None, where nothing opens them."""
    return NO_ENCODED_CHANNELS
