"""The exact best k of one segment for weighted terms of several channels.

A query is a set of weighted terms of any channels. The score of a document is the sum over its terms of
``weight · factor(frequency, length)``, with the factor of the channel's weighting. Documents without any of the terms
are not results. Ties are broken as in :mod:`porism.runs.run`: the later id comes first.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.engine import topk_kernels as kernels
from porism.index.engine.factors import WIDTH, FactorChannel
from porism.index.engine.impacts import Impacts, pad
from porism.index.engine.postings import Postings
from porism.index.engine.term_list_kernels import ITEMSIZE, TABLE_WIDTH, locate
from porism.index.engine.term_lists import TermListBounds, no_lists
from porism.system.compiled.kernels import address, as_layout
from porism.system.concurrency.caching import cached_property


@dataclass(frozen=True, eq=False)
class ScoredChannel:
    """A channel's postings under one weighting.

    The factor of a term that occurs is shift + x / (x + y) if ``saturating``, else shift + x / y; otherwise it is 0. x
    is from ``tf_values`` (float64, parallel to ``postings.tf_table``), y from ``length_values`` (float64, parallel to
    ``postings.length_table``). ``impacts`` may be those of a slightly different mean length.
    """

    postings: Postings
    tf_values: NDArray[np.float64]
    length_values: NDArray[np.float64]
    saturating: bool
    impacts: Impacts
    error: float
    computed: bool
    shift: float = 0.0

    @classmethod
    def of(
        cls, postings: Postings, tf_values: NDArray[np.float64], length_values: NDArray[np.float64], saturating: bool,
        impacts: Impacts | None = None, shift: float = 0.0,
    ) -> ScoredChannel:
        """Uses the given impacts if they are near enough, else computes new ones."""
        x, y = as_layout(tf_values, np.float64), as_layout(length_values, np.float64)
        error = impacts.error_for(x, y, saturating, shift) if impacts is not None else np.inf
        if impacts is not None and np.isfinite(error):
            return cls(postings, x, y, saturating, impacts, float(error), False, shift)
        impacts = Impacts.build(postings, x, y, saturating, shift)
        return cls(postings, x, y, saturating, impacts, impacts.error, True, shift)

    @classmethod
    def only_scoring(
        cls, postings: Postings, tf_values: NDArray[np.float64], length_values: NDArray[np.float64], saturating: bool,
        shift: float = 0.0,
    ) -> ScoredChannel:
        """A channel that scores given documents; it has no impacts, so it cannot find any."""
        x, y = as_layout(tf_values, np.float64), as_layout(length_values, np.float64)
        impacts = Impacts.none()
        return cls(postings, x, y, saturating, impacts, impacts.error, False, shift)

    @property
    def step(self) -> float:
        """The factor of an impact of 1."""
        return self.impacts.step

    @cached_property
    def padded(self) -> NDArray[np.float64]:
        """``tf_values``, padded with 0 for unused one-byte codes."""
        return pad(self.tf_values)

    @property
    def guarded(self) -> bool:
        """Whether some of the data has not been compared with its checksums."""
        return not (self.postings.complete and all(section.complete for section in self.impacts.guards.values()))

    peak = 255.0
    """The largest impact."""
    summands = None
    """Nothing is added to documents."""

    @property
    def vocabulary(self) -> int:
        """The number of terms."""
        return len(self.postings.lists)

    def parts(self, term: int, document: int) -> tuple[float, float, float]:
        """The exact (factor, x, y) of a term in a document; the factor is 0 if it does not occur."""
        x = float(self.tf_values[self.postings.frequency_index(term, document)])
        y = float(self.length_values[self.postings.length_codes[document]])
        if x <= 0:
            return 0.0, x, y
        return self.shift + (x / (x + y) if self.saturating else x / y), x, y

    def description(self) -> list[int]:
        """The addresses and sizes that kernels take, in the order of their columns.

        The address of term lists is 0: each search enters that of its own terms.
        """
        postings, impacts = self.postings, self.impacts
        return [
            len(postings.lists), 0, 0, address(postings.docs), address(postings.sparse_codes), address(impacts.sparse),
            len(postings.docs), address(postings.sparse_escapes), address(postings.sparse_values),
            len(postings.sparse_escapes), len(postings.lists.dense_terms), address(postings.dense_codes),
            address(impacts.dense),
            impacts.dense.shape[1], address(postings.dense_escapes), address(postings.dense_values),
            len(postings.dense_escapes), address(postings.length_codes), len(self.length_values),
            address(self.length_values), len(self.padded), address(self.padded), int(self.saturating),
            *[0] * WIDTH,
        ]


AnyChannel = ScoredChannel | FactorChannel
"""A channel of a segment ready for search."""


class _Workspace(threading.local):
    """Memory that the searches of a thread reuse; pages are allocated when they are written."""

    def __init__(self) -> None:
        self.sums = np.zeros(kernels.BLOCK + kernels.GROUP, np.float32)
        self.histogram = np.zeros(kernels.BUCKETS, np.int64)
        self.kept = np.empty(0, np.int32)
        self.kept_score = np.empty(0, np.float32)
        self.slot = np.empty(0, np.int32)
        self.bits = np.zeros(0, np.uint64)
        self.term_weights = np.zeros(0, np.float64)

    def fit(self, documents: int, vocabulary: int) -> None:
        """Makes room for this many documents, and for this many terms of channels with stored factors."""
        if len(self.term_weights) < vocabulary:
            self.term_weights = np.zeros(vocabulary, np.float64)
        if len(self.slot) < documents:
            self.kept = np.empty(documents + kernels.GROUP, np.int32)
            self.kept_score = np.empty(documents + kernels.GROUP, np.float32)
            self.slot = np.empty(documents, np.int32)
            self.bits = np.zeros(documents // 64 + 1, np.uint64)


_workspace = _Workspace()


class _LocatedTerms(NamedTuple):
    """A query's terms as kernels read them.

    ``channels`` describes the channels, whose lists are in ``bounds`` and ``dense``; ``places`` (int32) is the position
    of each term in these.
    """

    channels: NDArray[np.int64]
    places: NDArray[np.int32]
    bounds: NDArray[np.int64]
    dense: NDArray[np.int32]


class SegmentSearcher:
    """Finds the best documents of one segment; safe to share between threads."""

    def __init__(
        self, documents: int, channels: Sequence[AnyChannel], id_order: NDArray[np.int32],
        live: NDArray[np.bool_] | None = None,
    ) -> None:
        """``id_order`` (int32) is the rank of each document's id in code-point order; ``live`` is False if deleted."""
        self.documents = documents
        self.channels = tuple(channels)
        self._order = id_order
        self._live = None if live is None or live.all() else as_layout(live, np.bool_)
        self._description = np.array(
            [_description(channel) for channel in channels], np.int64
        ).reshape(-1, kernels.WIDTH)
        self._lists = np.array([
            channel.postings.lists.description() if isinstance(channel, ScoredChannel) else no_lists()
            for channel in channels
        ], np.int64).reshape(-1, TABLE_WIDTH)
        self._listed = np.flatnonzero(self._lists[:, ITEMSIZE])
        self._steps = np.array([channel.step for channel in channels], np.float64)
        self._peaks = np.array([channel.peak for channel in channels], np.float64)
        stored = [channel for channel in channels if isinstance(channel, FactorChannel)]
        self._stores_factors = np.array([isinstance(channel, FactorChannel) for channel in channels], np.bool_)
        self._most_terms = sum(channel.most_terms for channel in stored)
        self._vocabulary = max((channel.vocabulary for channel in stored), default=0)
        self._guarded = [
            (number, channel) for number, channel in enumerate(self.channels)
            if isinstance(channel, ScoredChannel) and channel.guarded
        ]
        self._errors = np.array([channel.error for channel in channels], np.float64)
        self._shifts = np.array([channel.shift for channel in channels], np.float64)

    def top(
        self, channel_of: NDArray[np.int32], terms: NDArray[np.int32], weights: NDArray[np.float64], k: int, *,
        allowed: NDArray[np.bool_] | None = None, floor: float = -np.inf, summands: NDArray[np.float64] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best k documents (int32 positions) and their scores (float64), best first.

        ``channel_of`` (int32, non-decreasing, positions in ``channels``), ``terms`` (int32, term numbers) and
        ``weights`` (float64, > 0) have one element for each distinct term; contributions are added in this order.
        ``allowed`` has one element a document. Documents that score below ``floor`` may be left out. ``summands``
        (float64, one a document) are added to the scores of results.

        :raises ValueError: a channel of one of the terms is only for scoring.
        """
        if not np.isfinite(self._errors[channel_of]).all():
            raise ValueError("a channel that only scores documents cannot find any")
        k = min(k, self.documents)
        workspace = _workspace
        workspace.fit(self.documents, self._vocabulary)
        mask = self._live
        if allowed is not None:
            mask = as_layout(allowed if mask is None else allowed & mask, np.bool_)
        candidates = 0
        read = self._read(channel_of, terms)
        if len(terms) and k > 0:
            base, largest, prior = _raised(summands)
            together, at_most = self._bounds(channel_of, weights)
            candidates = kernels.find_candidates(
                self.documents, read.channels, self._steps, self._peaks, channel_of, read.places, weights, self._errors,
                k, address(mask), address(prior), largest, max(0.0, floor - base), together, at_most, workspace.sums,
                workspace.sums.view(np.int32), workspace.kept_score, workspace.kept, workspace.histogram,
            )
        kept = workspace.kept[:candidates]
        scores = np.empty(candidates, np.float64)
        self._require_documents(channel_of, read, kept)
        kernels.score_candidates(
            self.documents, read.channels, self._shifts, channel_of, read.places, weights, workspace.kept, candidates,
            scores, workspace.slot, workspace.bits, workspace.term_weights,
        )
        if summands is not None:
            scores += summands[kept]
        return best(kept, scores, self._order, k)

    def _read(self, channel_of: NDArray[np.int32], terms: NDArray[np.int32]) -> _LocatedTerms:
        """Locates the terms, and compares their postings and impacts with their checksums."""
        if self._guarded:
            for number, channel in self._guarded:
                channel.postings.lists.require(terms[channel_of == number])
        count = len(terms)
        bounds, dense = np.empty(2 * count, np.int64), np.empty(2 * count, np.int32)
        places = np.empty(count, np.int32)
        if not locate(self._lists, channel_of, terms, bounds, dense, places):
            raise next(
                channel.postings.lists.invalid() for channel in self.channels if isinstance(channel, ScoredChannel)
            )
        channels = self._description.copy()
        channels[self._listed, kernels.INDPTR] = address(bounds)
        channels[self._listed, kernels.DENSE_OF_TERM] = address(dense)
        if self._guarded:
            for number, channel in self._guarded:
                mine = channel_of == number
                located = TermListBounds(bounds[::2][mine], bounds[1::2][mine], dense[::2][mine])
                channel.postings.require(located)
                channel.impacts.require(located)
            self._guarded = [(number, channel) for number, channel in self._guarded if channel.guarded]
        return _LocatedTerms(channels, places, bounds, dense)

    def _require_documents(
        self, channel_of: NDArray[np.int32], read: _LocatedTerms, documents: NDArray[np.int32]
    ) -> None:
        """Compares the dense codes of documents with their checksums."""
        for number, channel in self._guarded:
            if bool((read.dense[::2][channel_of == number] >= 0).any()):
                channel.postings.require_documents(documents)

    def _bounds(self, channel_of: NDArray[np.int32], weights: NDArray[np.float64]) -> tuple[int, float]:
        """The largest number of the terms that a document can have, and an upper bound of their contribution."""
        if len(weights) <= self._most_terms or not self._stores_factors.all():
            return len(weights), np.finfo(np.float64).max
        gains = weights * self._peaks[channel_of]
        first = len(gains) - self._most_terms
        return self._most_terms, float(np.partition(gains, first)[first:].sum())

    def score(
        self, channel_of: NDArray[np.int32], terms: NDArray[np.int32], weights: NDArray[np.float64],
        documents: NDArray[np.int32], summands: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """The exact scores (float64) of given ``documents`` (int32, strictly increasing).

        Other parameters are those of :meth:`top`; ``summands`` are added to documents with any of the terms.
        """
        workspace = _workspace
        workspace.fit(self.documents, self._vocabulary)
        read = self._read(channel_of, terms)
        self._require_documents(channel_of, read, documents)
        scores = np.zeros(len(documents), np.float64)
        kernels.score_candidates(
            self.documents, read.channels, self._shifts, channel_of, read.places, weights,
            as_layout(documents, np.int32), len(documents), scores, workspace.slot, workspace.bits,
            workspace.term_weights,
        )
        if summands is not None:
            return np.where(scores != 0, scores + summands[documents], 0.0)
        return scores


def _description(channel: AnyChannel) -> list[int]:
    described = channel.description()
    return [0] * (kernels.WIDTH - len(described)) + described if isinstance(channel, FactorChannel) else described


def _raised(summands: NDArray[np.float64] | None) -> tuple[float, float, NDArray[np.float32] | None]:
    """Splits summands into their minimum and a rest ≥ 0: (minimum, upper bound of the rest, rest)."""
    if summands is None or not len(summands):
        return 0.0, 0.0, None
    base = float(summands.min())
    prior = (summands - base).astype(np.float32)
    return base, float(prior.max()) * (1.0 + 1e-6), prior


def best(
    documents: NDArray[np.int32], scores: NDArray[np.float64], order: NDArray[np.int32], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The k first by score, then by ``order`` (int32, one element a document of the segment), both descending."""
    if len(scores) > 4 * k + 1024:  # drop scores below the k-th first, which is faster than sorting all
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = np.flatnonzero(scores > kth)
        level = np.flatnonzero(scores == kth)
        room = k - len(above)
        if len(level) > room:
            ranks = order[documents[level]]
            level = level[np.argpartition(ranks, len(level) - room)[len(level) - room :]]
        chosen = np.concatenate([above, level])
        documents, scores = documents[chosen], scores[chosen]
    by_score = np.argsort(-scores)
    ranked = scores[by_score]
    if bool((ranked[1:] == ranked[:-1]).any()):
        by_score = np.lexsort((-order[documents], -scores))
        ranked = scores[by_score]
    return documents[by_score[:k]], ranked[:k]
