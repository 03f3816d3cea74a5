"""The channels of sparse encoders that a model names, opened for searches of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from porism.analysis.channels import EncodedChannel, encoded_channel, parse_channel
from porism.engine.units import Units
from porism.errors import ConfigError
from porism.index import Segment
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.splade.channels import channel_of
from porism.retrieve.splade.queries import EncodedQueries
from porism.retrieve.splade.stores import SPARSE_STORES, SparseStore
from porism.retrieve.splade.units import EncodedUnits
from porism.retrieve.weightings.base import LexicalChannel


class OpenedChannel(NamedTuple):
    """A channel as a model has ``named`` it, its ``name`` with that of the encoder, the encoder, how the channel
    counts, and what reads queries for it."""

    named: str
    name: str
    store: SparseStore
    channel: LexicalChannel
    queries: EncodedQueries


def open_encoded(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> list[OpenedChannel]:
    """The channels of sparse encoders among those of a model.

    A field of queries that has the weight 0 is not read; other weights of fields do not matter to an encoder, which
    reads a query as a whole.

    :raises ConfigError: the index has no such encoder, its model is not there, or two channels are of the same.
    """
    found: dict[str, OpenedChannel] = {}
    for named, settings in channels.items():
        channel = parse_channel(named)
        if not isinstance(channel, EncodedChannel) or settings.weight == 0:
            continue
        store = SPARSE_STORES.find(index_path, channel.encoder)
        name = encoded_channel(store.name)
        if name in found:
            raise ConfigError(
                f"the channels {found[name].named!r} and {named!r} are of the same sparse encoder",
                where=str(index_path), hint="Leave one out.",
            )
        weights = query_field_weights if settings.query_field_weights is None else settings.query_field_weights
        ignored = [field for field, weight in weights.items() if weight == 0]
        queries = EncodedQueries(index_path, store, ignored)
        found[name] = OpenedChannel(named, name, store, channel_of(settings, named), queries)
    return list(found.values())


def with_encoded(segments: Sequence[Segment], channels: Sequence[OpenedChannel], index_path: Path) -> Sequence[Units]:
    """The documents of segments with these channels beside their own; the segments themselves where there are none."""
    if not channels:
        return segments
    stores = {one.name: one.store for one in channels}
    return [EncodedUnits(segment, stores, str(index_path)) for segment in segments]
