"""Runs side by side: for each topic the documents that any of them found, and what each run says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.concurrency.caching import cached_property

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class FusionTable:
    """Runs aligned once, for any number of fusions of them.

    ``query_ids`` are the topics of all runs in the order in which they come, Q of them. Topic ``t`` has the candidates
    ``offsets[t]:offsets[t + 1]`` (``offsets`` is int64 [Q + 1]), each a document that a run found for it; their ids are
    ``doc_ids`` [C]. ``lengths`` (int64 [Q, R]) says how many results each of the R runs has for a topic: 0 where it
    lacks the topic.

    What the runs say of the candidates are *entries*, one a result, N in all; those of candidate ``c`` are
    ``starts[c]:starts[c + 1]``, in the order of the runs: ``systems`` (which run) and ``ranks`` (int64 [N], those of
    :attr:`Run.ranks`). :meth:`by_candidate` brings values in the order of the runs into this order.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        """Aligns the runs; a document is the same where its id is.

        :raises ConfigError: there are no runs.
        :raises FormatError: a run has ranks below 1.
        """
        from porism.lab.fusion.kernels import group_by_candidate

        self.runs = tuple(runs)
        if not self.runs:
            raise ConfigError("there are no runs to fuse", hint="Give one or more.")
        self.query_ids: tuple[str, ...] = tuple(dict.fromkeys(topic for run in self.runs for topic in run.query_ids))
        numbers = [{topic: number for number, topic in enumerate(run.query_ids)} for run in self.runs]
        before = np.cumsum([0, *(len(run.doc_ids) for run in self.runs)]).tolist()
        bounds = [run.offsets.tolist() for run in self.runs]
        candidate = np.empty(before[-1], np.int64)
        doc_ids: list[str] = []
        offsets = [0]
        lengths = np.zeros((len(self.query_ids), len(self.runs)), np.int64)
        for row, topic in enumerate(self.query_ids):
            known: defaultdict[str, int] = defaultdict(count(len(doc_ids)).__next__)  # numbers what it has not seen
            for system, run in enumerate(self.runs):
                number = numbers[system].get(topic)
                if number is None:
                    continue
                start, stop = bounds[system][number], bounds[system][number + 1]
                document_numbers = map(known.__getitem__, run.doc_ids[start:stop])
                place = before[system]
                candidate[place + start : place + stop] = np.fromiter(document_numbers, np.int64, stop - start)
                lengths[row, system] = stop - start
            doc_ids.extend(known)
            offsets.append(len(doc_ids))
        self.doc_ids = doc_ids
        self.offsets: Ints = np.asarray(offsets, np.int64)
        self.lengths: Ints = lengths
        self.starts: Ints = np.empty(len(doc_ids) + 1, np.int64)
        self._order: Ints = np.empty(len(candidate), np.int64)
        group_by_candidate(candidate, self.starts, self._order)
        self._run_ranks: Ints = np.concatenate([run.ranks for run in self.runs])
        for run in self.runs:
            if run.has_file_ranks and len(run.ranks) and run.ranks.min() < 1:
                raise FormatError("a rank is below 1", where=run.name, hint="Ranks count from 1.")

    def __len__(self) -> int:
        """How many topics there are."""
        return len(self.query_ids)

    def by_candidate(self, values: Floats) -> Floats:
        """Values in the order of the runs (entries of the first run, then of the second, …), by candidate."""
        return values[self._order]

    @cached_property
    def ranks(self) -> Ints:
        """The ranks of the entries (int64 [N]), by candidate."""
        return self._run_ranks[self._order]

    @cached_property
    def systems(self) -> Ints:
        """The number of the run of each entry (int64 [N]), by candidate."""
        return np.repeat(np.arange(len(self.runs)), [len(run.doc_ids) for run in self.runs])[self._order]

    @cached_property
    def topics(self) -> Ints:
        """The number of the topic of each candidate (int64 [C])."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def entry_topics(self) -> Ints:
        """The number of the topic of each entry (int64 [N]), by candidate."""
        return np.repeat(self.topics, np.diff(self.starts))

    @cached_property
    def last_ranks(self) -> Ints:
        """The largest rank in each run's list for each topic (int64 [Q, R]); 0 where it has none."""
        if not any(run.has_file_ranks for run in self.runs):
            return self.lengths
        last = np.zeros(self.lengths.shape, np.int64)
        np.maximum.at(last, (self.entry_topics, self.systems), self.ranks)
        return last

    def normalised(self, kind: int) -> Floats:
        """The scores of the entries (float64 [N], by candidate) normalised within each list; ``kind`` as in kernels."""
        from porism.lab.fusion.kernels import normalise

        sizes = np.concatenate([np.diff(run.offsets) for run in self.runs])
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        scores = np.concatenate([run.scores for run in self.runs])
        normal = np.empty(len(scores), np.float64)
        normalise(kind, bounds, scores, self._run_ranks, normal)
        return self.by_candidate(normal)

    def combined(self, kind: int, values: Floats, sigma: float = 0.0) -> Floats:
        """The values of each candidate's entries (float64 [N], by candidate) combined to one (float64 [C])."""
        from porism.lab.fusion.kernels import combine

        result = np.empty(len(self.doc_ids), np.float64)
        combine(kind, sigma, self.starts, np.ascontiguousarray(values, np.float64), result)
        return result

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        """A hash of topic and document of each candidate (uint64 [C]): the same in every table."""
        import xxhash

        documents = np.fromiter(
            map(xxhash.xxh3_64_intdigest, (doc.encode("utf-8", "surrogatepass") for doc in self.doc_ids)),
            np.uint64, len(self.doc_ids),
        )
        topics = np.fromiter(
            (xxhash.xxh3_64_intdigest(topic.encode("utf-8", "surrogatepass"), 1) for topic in self.query_ids),
            np.uint64, len(self),
        )
        return documents ^ _mixed(topics)[self.topics]

    def random(self, seed: int, stream: int) -> Floats:
        """A number in [0, 1) for each candidate (float64 [C]); it depends on topic, document, seed and stream alone."""
        key = np.array([(seed * 2 + stream) & 0xFFFFFFFFFFFFFFFF], np.uint64)
        return (_mixed(self._hashes ^ _mixed(key)) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def sorted(self, start: int, values: Floats, depth: int | None = None) -> Ints:
        """The candidates from ``start`` on by score and then by document id, both descending; the first ``depth``.

        ``values`` are their scores. Ids are compared of documents with equal scores only, and only of those that can be
        among the first.
        """
        size = len(values)
        if depth is not None and size > depth:
            cutoff = np.partition(values, size - depth)[size - depth]
            kept = np.flatnonzero(values >= cutoff)
        else:
            kept = np.arange(size)
        order = kept[np.argsort(-values[kept])]
        ranked = values[order]
        same = ranked[1:] == ranked[:-1]
        if same.any():
            tied = np.zeros(len(order), bool)
            tied[1:] = same
            tied[:-1] |= same
            places = np.flatnonzero(tied)
            ids = [self.doc_ids[start + at] for at in order[places].tolist()]
            by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
            turn = np.empty(len(ids), np.int64)
            turn[by_id] = np.arange(len(ids))
            order[places] = order[places][np.lexsort((turn, -ranked[places]))]
        return order[:depth] + start

    def ranked(self, scores: Floats, depth: int) -> tuple[Ints, Ints]:
        """The best ``depth`` candidates of each topic, by the tie rule of runs: (offsets [Q + 1], candidates)."""
        chosen = [
            self.sorted(start, scores[start:stop], depth)
            for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)
        ]
        offsets = np.concatenate([[0], np.cumsum([len(part) for part in chosen])]).astype(np.int64)
        return offsets, np.concatenate([*chosen, np.empty(0, np.int64)])


def _mixed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spreads each bit over all (the finaliser of SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def joined_runs(topics: Sequence[str], parts: Sequence[Run], name: str, provenance: Provenance | None = None) -> Run:
    """Runs of different topics as one, with the topics in this order; one that is in none of them has no results."""
    home = {topic: (run, number) for run in parts for number, topic in enumerate(run.query_ids)}
    doc_ids: list[str] = []
    scores: list[Floats] = [np.zeros(0)]
    ranks: list[Ints] = [np.zeros(0, np.int64)]
    offsets = [0]
    for topic in topics:
        if topic in home:
            run, number = home[topic]
            at = slice(int(run.offsets[number]), int(run.offsets[number + 1]))
            doc_ids.extend(run.doc_ids[at])
            scores.append(run.scores[at])
            ranks.append(run.ranks[at])
        offsets.append(len(doc_ids))
    return Run.from_columns(
        topics, offsets, doc_ids, np.concatenate(scores), name, provenance=provenance,
        ranks=np.concatenate(ranks) if any(run.has_file_ranks for run in parts) else None,
    )
