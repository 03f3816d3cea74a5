"""The channels of sparse encoders beside those of a segment: how they count, what is stored, and opening them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis.channels import EncodedChannel, encoded_channel, parse_channel
from porism.analysis.model_text import document_text
from porism.errors import ConfigError
from porism.index import Segment
from porism.index.engine.units import ChannelMatrix
from porism.index.rows import Csr, Entries
from porism.index.strings import Dictionary, Names
from porism.index.vectors import open_vectors
from porism.retrieve.documents.encoded_channels import NO_ENCODED_CHANNELS, EncodedChannels, OpenedChannel
from porism.retrieve.lexical.channels import OTHER_FIELDS, prepare, stored_names
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings.base import LexicalChannel
from porism.retrieve.weightings.impact import Impact
from porism.system.concurrency.caching import Memory
from porism.types import Document, Query
from porism.vectors.neural.sparse_encoder import SparseEncoder
from porism.vectors.neural.sparse_queries import QueryWeights, TableQueries
from porism.vectors.query_encoders import query_encoder
from porism.vectors.splade.records import SPARSE_RECORDS, STEPS, SparseRecord


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Rows of a channel that are in memory, as :class:`~porism.index.engine.units.ChannelMatrix`."""

    csr: Csr

    def select(self, rows: NDArray[np.integer]) -> Csr:
        """The rows numbered ``rows``, in that order; -1 gives an empty row."""
        return self.csr.take(np.asarray(rows, np.int64))


class EncodedUnits:
    """The documents of a segment as :class:`~porism.index.engine.units.Units` with channels of sparse encoders.

    In such a channel each document is one row, whose only field is named by the weights: so what is stored of a channel
    belongs to one state of the encoder, and neither weights of fields nor zones see it.
    """

    def __init__(self, segment: Segment, stores: Mapping[str, SparseRecord], index_path: str) -> None:
        """``stores`` are the encoders of the channels named."""
        self.segment = segment
        self._stores, self._index_path = dict(stores), index_path
        self.noun = segment.noun
        self.doc_count = segment.doc_count
        self.live = segment.live
        self.fields = segment.fields
        self.text_channels: tuple[str, ...] = (*segment.text_channels, *self._stores)
        self.formula_channels = segment.formula_channels
        self.doc_ids, self.find = segment.doc_ids, segment.find
        self.write_derived, self.read_derived = segment.write_derived, segment.read_derived
        self.open_derived = segment.open_derived

    def __repr__(self) -> str:
        return f"EncodedUnits({self.segment!r}, {', '.join(self._stores)})"

    @property
    def names(self) -> Names:
        return self.segment.names

    @property
    def id_order(self) -> NDArray[np.int32]:
        return self.segment.id_order

    def channel_fields(self, channel: str) -> tuple[str, ...]:
        store = self._stores.get(channel)
        return self.segment.channel_fields(channel) if store is None else (store.spec.name,)

    def dictionary(self, channel: str) -> Dictionary:
        """The terms of a channel; those of an encoder are the same in all segments."""
        store = self._stores.get(channel)
        return self.segment.dictionary(channel) if store is None else store.dictionary

    def matrix(self, channel: str) -> ChannelMatrix:
        """The rows of a channel.

        :raises ConfigError: the documents were not encoded.
        """
        store = self._stores.get(channel)
        if store is None:
            return self.segment.matrix(channel)
        rows = open_vectors(self.segment, store.spec, self.doc_count, hint=store.again(self._index_path))
        pairs = np.asarray(rows.vectors)
        return HeldRows(Csr(rows.offsets, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.uint16)))

    def entries(self, channel: str) -> Entries:
        return Entries.of_text(self.doc_count, 1) if channel in self._stores else self.segment.entries(channel)


_WEIGHT_OF_STEP = {OTHER_FIELDS: 1 / STEPS}
"""What turns steps into weights: the weight of the one field that the channel of an encoder has."""

_USUAL = LexicalChannel(1.0, Impact(), field_weights=_WEIGHT_OF_STEP)


def channel_of(settings: ChannelSettings, name: str) -> LexicalChannel:
    """The channel of a sparse encoder for the engine; its weighting is ``impact`` where the settings name none.

    :raises ConfigError: a setting is given that such a channel does not have.
    """
    if settings.field_weights is not None or settings.similarity:
        setting = "similarity" if settings.similarity else "field weights"
        raise ConfigError(
            f"the channel {name!r} of a sparse encoder has no {setting}", where=f"channels.{name}",
            hint="Leave it out: the encoder reads the document as a whole, and says itself what is similar.",
        )
    weighting = settings.lexical.weighting if settings.weighting else Impact()
    return replace(_USUAL, weight=settings.weight, weighting=weighting)


def store_postings(segments: Sequence[Segment], store: SparseRecord, index_path: Path) -> None:
    """Stores the postings of a sparse encoder with each segment, so that searches compute nothing.

    :raises ConfigError: the documents were not encoded.
    :raises StorageError: the disk is full or the folder read-only.
    """
    name = encoded_channel(store.name)
    prepare([EncodedUnits(segment, {name: store}, str(index_path)) for segment in segments], {name: _USUAL})


def remove_postings(segments: Sequence[Segment], store: SparseRecord, index_path: Path) -> None:
    """Removes what :func:`store_postings` stored."""
    name = encoded_channel(store.name)
    for segment in segments:
        units = EncodedUnits(segment, {name: store}, str(index_path))
        for derived in stored_names(units, name, _WEIGHT_OF_STEP, Impact()):
            segment.derived_path(derived).unlink(missing_ok=True)


def open_encoded(
    index_path: Path, channels: Mapping[str, ChannelSettings], query_field_weights: Mapping[str, float]
) -> EncodedChannels:
    """The channels of sparse encoders among those of a model.

    A field of queries that has the weight 0 is not read; other weights of fields do not matter to an encoder, which
    reads a query as a whole.

    :raises ConfigError: the index has no such encoder, its model is not there, or two channels are of the same.
    """
    opened: dict[str, OpenedChannel] = {}
    records: dict[str, SparseRecord] = {}
    for named, settings in channels.items():
        channel = parse_channel(named)
        if not isinstance(channel, EncodedChannel) or settings.weight == 0:
            continue
        record = SPARSE_RECORDS.find(index_path, channel.encoder)
        name = encoded_channel(record.name)
        if name in opened:
            raise ConfigError(
                f"the channels {opened[name].named!r} and {named!r} are of the same sparse encoder",
                where=str(index_path), hint="Leave one out.",
            )
        weights = query_field_weights if settings.query_field_weights is None else settings.query_field_weights
        ignored = [field for field, weight in weights.items() if weight == 0]
        queries = EncodedQueries(index_path, record, ignored)
        opened[name] = OpenedChannel(named, name, channel_of(settings, named), queries, record.encoded_by)
        records[name] = record
    if not opened:
        return NO_ENCODED_CHANNELS
    return EncodedChannels(
        list(opened.values()),
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
