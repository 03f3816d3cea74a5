"""Document frequencies among live documents, counted for the terms that are looked up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.index.columns import within
from porism.index.engine.postings import Postings
from porism.index.strings import offsets, ranges
from porism.system.concurrency.caching import cached_property

_CELLS_AT_A_TIME = 1 << 24
_POSTINGS_AT_A_TIME = 1 << 22


@dataclass(frozen=True, eq=False)
class LiveFrequencies:
    """Document frequencies among live documents; ``live`` (bool) has one element a document.

    Deleted documents are counted in the list of each sparse term, and once for all dense terms.
    """

    postings: Postings
    live: NDArray[np.bool_]

    @cached_property
    def _all_live(self) -> bool:
        return bool(self.live.all())

    @cached_property
    def _gone_dense(self) -> NDArray[np.int32]:
        """The number of deleted documents with each dense term (int32, D)."""
        postings = self.postings
        rows = len(postings.lists.dense_terms)
        gone = np.zeros(rows, np.int64)
        cells = postings.dense_codes.reshape(postings.documents, rows)
        deleted = np.flatnonzero(~self.live)
        step = max(1, _CELLS_AT_A_TIME // max(rows, 1))
        for begin in range(0, len(deleted), step):
            part = deleted[begin : begin + step]
            postings.require_documents(part)
            gone += np.count_nonzero(cells[part], axis=0)
        return gone.astype(np.int32)

    def of(self, terms: NDArray[np.integer]) -> NDArray[np.int32]:
        """The number of live documents with each term (int32)."""
        located = self.postings.lists.find(terms)
        df = self.postings.df_at(located)
        if self._all_live or not len(df):
            return df
        dense = located.dense >= 0
        df[dense] -= self._gone_dense[located.dense[dense]]
        self.postings.require(located)
        ends = np.cumsum(located.stops - located.starts)
        begin = 0
        while begin < len(df):
            done = int(ends[begin - 1]) if begin else 0
            stop = max(begin + 1, int(np.searchsorted(ends, done + _POSTINGS_AT_A_TIME, side="right")))
            df[begin:stop] -= self._gone(located.starts[begin:stop], located.stops[begin:stop])
            begin = stop
        return df

    def _gone(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        """The number of deleted documents in each list."""
        bounds = offsets(stops - starts)
        docs = self.postings.docs[ranges(starts, stops - starts)]
        if not within(docs, 0, self.postings.documents):
            raise self.postings.invalid()
        counted = offsets((~self.live[docs]).view(np.uint8))
        return (counted[bounds[1:]] - counted[bounds[:-1]]).astype(np.int32)
