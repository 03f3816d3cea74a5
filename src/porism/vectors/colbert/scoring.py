"""What a query's tokens are compared with: all centroids at once, then the tokens of some documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.index.token_rows import TokenRows
from porism.system.compiled.kernels import address
from porism.vectors.colbert.kernels import LANES, centroid_sims, max_sims
from porism.vectors.neural.token_codec import TokenCodec

_BATCH_SIZE = 4_096


class TokenQuery:
    """A query as kernels read it: the products of its tokens (float32, tokens × dimensions) with everything that a
    token of a document can be made of."""

    def __init__(self, codec: TokenCodec, vectors: NDArray[np.float32]) -> None:
        self.codec = codec
        self.tokens = len(vectors)
        self.lanes = max(1, -(-self.tokens // LANES)) * LANES
        columns = np.zeros((codec.dimensions, self.lanes), np.float32)
        columns[:, : self.tokens] = vectors.T
        self.near: NDArray[np.float32] = np.ascontiguousarray(codec.centroids @ columns)
        """The cosine of each centroid with each token (float32, centroids × lanes)."""
        self._table = codec.query_table(columns)

    def probed(self, probes: int) -> NDArray[np.int64]:
        """The numbers of the centroids that are among the ``probes`` nearest of some token (int64)."""
        near = self.near[:, : self.tokens]
        if probes >= len(near):
            return np.arange(len(near))
        numbers: NDArray[np.int64] = np.unique(np.argpartition(near, len(near) - probes, axis=0)[len(near) - probes :])
        return numbers

    def centroid_scores(self, rows: TokenRows, documents: NDArray[np.int32], threshold: float) -> NDArray[np.float64]:
        """What documents (int32) would score if their tokens were their centroids, of those alone whose cosine with
        some token of the query is at least ``threshold`` (float64)."""
        documents = np.ascontiguousarray(documents, np.int32)
        strong = (self.near[:, : self.tokens].max(axis=1, initial=-1) >= threshold).astype(np.uint8)
        room, scores = np.empty(self.lanes, np.float32), np.empty(len(documents))
        centroid_sims(
            address(documents), len(documents), address(rows.offsets), address(rows.heads), address(self.near),
            address(strong), self.lanes, self.tokens, address(room), address(scores),
        )
        return scores

    def scores(self, rows: TokenRows, documents: NDArray[np.int32]) -> NDArray[np.float64]:
        """The scores of documents (int32) by their tokens (float64), 0 of one without tokens."""
        starts = range(0, len(documents), _BATCH_SIZE)
        parts = [self.best(rows, documents[start : start + _BATCH_SIZE])[1] for start in starts]
        return np.concatenate([np.zeros(0), *parts])

    def best(self, rows: TokenRows, documents: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """For each document the largest cosine of each token of the query (float32, documents × tokens), and their sum
        (float64)."""
        rows.require(documents)
        return self._best(rows.offsets, rows.heads, rows.residuals.array, documents)

    def cosines(self, rows: TokenRows, document: int) -> NDArray[np.float32]:
        """The cosines of the tokens of a document with those of the query (float32, tokens of the document × tokens of
        the query).

        They are to the last bit what :meth:`best` chooses from.
        """
        rows.require(np.array([document]))
        start, stop = rows.offsets[document : document + 2].tolist()
        each = np.arange(stop - start + 1, dtype=np.int64)
        heads = np.ascontiguousarray(rows.heads[start:stop])
        residuals = np.ascontiguousarray(rows.residuals.array[start:stop])
        return self._best(each, heads, residuals, np.arange(stop - start, dtype=np.int32))[0]

    def _best(
        self, offsets: NDArray[np.int64], heads: NDArray[np.uint32], residuals: NDArray[np.uint8],
        documents: NDArray[np.int32],
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        documents = np.ascontiguousarray(documents, np.int32)
        best = np.empty((len(documents), self.lanes), np.float32)
        scores = np.empty(len(documents))
        max_sims(
            address(documents), len(documents), address(offsets), address(heads), address(residuals), self.codec.width,
            address(self.codec.factors), address(self.near), address(self._table), self.lanes, self.tokens,
            address(best), address(scores),
        )
        return best[:, : self.tokens], scores
