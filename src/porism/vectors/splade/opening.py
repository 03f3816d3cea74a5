"""The channels of sparse encoders that a model names, opened for searches of an index."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from porism.analysis.channels import EncodedChannel, encoded_channel, parse_channel
from porism.analysis.model_text import document_text
from porism.errors import ConfigError
from porism.retrieve.documents.encoded_channels import NO_ENCODED_CHANNELS, EncodedChannels, OpenedChannel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.system.concurrency.memory import Memory
from porism.types import Document, Query
from porism.vectors.neural.sparse_encoder import SparseEncoder
from porism.vectors.neural.sparse_queries import QueryWeights, TableQueries
from porism.vectors.query_encoders import query_encoder
from porism.vectors.splade.channels import channel_of
from porism.vectors.splade.records import SPARSE_RECORDS, SparseRecord
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
    records: dict[str, SparseRecord] = {}
    for named, settings in channels.items():
        channel = parse_channel(named)
        if not isinstance(channel, EncodedChannel) or settings.weight == 0:
            continue
        record = SPARSE_RECORDS.find(index_path, channel.encoder)
        name = encoded_channel(record.name)
        if name in found:
            raise ConfigError(
                f"the channels {found[name].named!r} and {named!r} are of the same sparse encoder",
                where=str(index_path), hint="Leave one out.",
            )
        weights = query_field_weights if settings.query_field_weights is None else settings.query_field_weights
        ignored = [field for field, weight in weights.items() if weight == 0]
        queries = EncodedQueries(index_path, record, ignored)
        found[name] = OpenedChannel(named, name, channel_of(settings, named), queries, record.encoded_by)
        records[name] = record
    if not found:
        return NO_ENCODED_CHANNELS
    return EncodedChannels(
        list(found.values()),
        lambda segments: [EncodedUnits(segment, records, str(index_path)) for segment in segments],
    )


_KEPT_QUERIES = 4_096


class EncodedQueries:
    """Reads queries for one channel, by the table of an encoder or by its model; the last ones are kept. Safe to share
    between threads."""

    def __init__(self, index_path: Path, record: SparseRecord, ignored_fields: Collection[str] = ()) -> None:
        """``ignored_fields`` of a query are not read.

        :raises ConfigError: the model that weighs queries is not there, or is another than before.
        """
        self._record, self._ignored = record, frozenset(ignored_fields)
        self._text = replace(record.settings.text, fields=())
        self._weigh = (
            TableQueries(record.table).encode_queries if record.table is not None
            else query_encoder(SparseEncoder, record.files(index_path), precision=record.precision).encode
        )
        self._known: Memory[tuple[dict[str, float], int]] = Memory(_KEPT_QUERIES)

    def terms(self, query: Query) -> dict[str, float]:
        """Term → weight in the query.

        :raises ConfigError: the encoder cannot be loaded.
        :raises MissingExtra: a library is not installed.
        """
        return dict(self._read(query)[0])

    def beyond(self, query: Query) -> int:
        """How many tokens of the query are beyond what the encoder reads."""
        return self._read(query)[1]

    def _read(self, query: Query) -> tuple[dict[str, float], int]:
        fields = {name: content for name, content in query.fields.items() if name not in self._ignored}
        text = document_text(Document(query.id, fields), self._text)
        return self._known.get(text, lambda: self._weighed(text))

    def _weighed(self, text: str) -> tuple[dict[str, float], int]:
        weighed: QueryWeights = self._weigh([text])[0]
        names = self._record.dictionary.select(self._record.numbers[weighed.terms]).strings()
        return dict(zip(names, weighed.weights.tolist(), strict=True)), weighed.beyond
