"""The lengths of channels, from which mean lengths of several shards follow exactly."""

from __future__ import annotations

from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.serve.shards.values import ChannelLengths


def channel_lengths(lexical: LexicalRetriever) -> list[ChannelLengths]:
    """How many live units have each weighted length, by zone and channel."""
    channels = []
    for zone, name in lexical.zone_channels(tuple(lexical.channels)):
        fields = lexical.zones[zone] if zone else lexical.fields_of(name)
        counts: dict[float, int] = {}
        for segment in lexical.segments:
            postings = open_postings(segment, name, fields)
            found = zip(
                postings.length_table.tolist(), postings.length_counts(segment.live).tolist(), strict=True
            )
            for length, count in found:
                counts[length] = counts.get(length, 0) + count
        having = {length: count for length, count in counts.items() if length > 0 and count}
        channels.append(ChannelLengths(zone, name, tuple(having), tuple(having.values())))
    return channels
