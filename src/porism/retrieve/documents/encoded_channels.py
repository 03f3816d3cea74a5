"""Channels whose terms a sparse encoder weights, as a search by terms sees them; their opener is a parameter."""

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


class SparseQueryReader(Protocol):
    """Reads queries for a channel."""

    def terms(self, query: Query) -> dict[str, float]:
        """Term → weight in the query."""

    def beyond(self, query: Query) -> int:
        """The number of tokens at the end of the query that the encoder does not read."""


class OpenedChannel(NamedTuple):
    """An opened channel: ``named`` by the model, with its full ``name`` (encoder included) and the reader of queries.

    ``encoded_by`` is the digest of the encoder and its settings.
    """

    named: str
    name: str
    channel: LexicalChannel
    queries: SparseQueryReader
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
"""Takes the folder of an index, the channels of a model and the weights of query fields."""


def no_encoded_channels(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> EncodedChannels:
    """Opens no channels."""
    return NO_ENCODED_CHANNELS
