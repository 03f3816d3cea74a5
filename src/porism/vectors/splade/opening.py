"""The channels of sparse encoders that a model names, opened for searches of an index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from porism.analysis.channels import EncodedChannel, encoded_channel, parse_channel
from porism.errors import ConfigError
from porism.retrieve.documents.encoded_channels import NO_ENCODED_CHANNELS, EncodedChannels, OpenedChannel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.vectors.splade.channels import channel_of
from porism.vectors.splade.queries import EncodedQueries
from porism.vectors.splade.stores import SPARSE_STORES, SparseStore
from porism.vectors.splade.units import EncodedUnits


def open_encoded(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> EncodedChannels:
    """The channels of sparse encoders among those of a model.

    A field of queries that has the weight 0 is not read; other weights of fields do not matter to an encoder, which
    reads a query as a whole.

    :raises ConfigError: the index has no such encoder, its model is not there, or two channels are of the same.
    """
    found: dict[str, OpenedChannel] = {}
    stores: dict[str, SparseStore] = {}
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
        found[name] = OpenedChannel(named, name, channel_of(settings, named), queries, store.encoded_by)
        stores[name] = store
    if not found:
        return NO_ENCODED_CHANNELS
    return EncodedChannels(
        list(found.values()),
        lambda segments: [EncodedUnits(segment, stores, str(index_path)) for segment in segments],
    )
