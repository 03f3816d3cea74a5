"""The documents of a segment with the channels of sparse encoders beside those of the segment itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.container import Container
from porism.index.engine.units import ChannelMatrix
from porism.index.entries import Entries
from porism.index.rows import Csr
from porism.index.strings import Dictionary, Names
from porism.index.vectors import open_vectors
from porism.vectors.splade.records import SparseRecord


class HeldRows:
    """Rows of a channel that are in memory, as :class:`~porism.index.engine.units.ChannelMatrix`."""

    def __init__(self, csr: Csr) -> None:
        self._csr = csr

    @property
    def csr(self) -> Csr:
        """All rows."""
        return self._csr

    def select(self, rows: NDArray[np.integer]) -> Csr:
        """The rows numbered ``rows``, in that order; -1 gives an empty row."""
        return self._csr.take(np.asarray(rows, np.int64))


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
        self.dense_share = segment.dense_share
        self.doc_count = segment.doc_count
        self.live = segment.live
        self.fields = segment.fields
        self.text_channels: tuple[str, ...] = (*segment.text_channels, *self._stores)
        self.formula_channels = segment.formula_channels

    def __repr__(self) -> str:
        return f"EncodedUnits({self.segment!r}, {', '.join(self._stores)})"

    @property
    def names(self) -> Names:
        return self.segment.names

    @property
    def id_order(self) -> NDArray[np.int32]:
        return self.segment.id_order

    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]:
        return self.segment.doc_ids(docs)

    def find(self, doc_id: str) -> int | None:
        return self.segment.find(doc_id)

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

    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None:
        self.segment.write_derived(name, arrays, info)

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        return self.segment.read_derived(name)

    def open_derived(self, name: str) -> Container | None:
        return self.segment.open_derived(name)
