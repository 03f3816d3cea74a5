"""Ranked results of queries, and the tie rule: score descending, then document id descending.

Ids are compared by code point, later ids first, as ``trec_eval`` does with tied scores. So a run keeps its ranking when
it is written to a file and scored elsewhere, unless scores are rounded (``trec_eval`` reads 32 bits).
"""

from __future__ import annotations

import gzip
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError, OnProblem, Problem
from porism.runs.provenance import Provenance, find_record, record_bytes, record_path
from porism.system.files.text import RunColumns, is_special, read_run_columns, write_whole

Ranked = Sequence[tuple[str, float]]


def rank(results: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sorts (document id, score) by the tie rule, best first."""
    by_id = sorted(results, key=lambda result: result[0], reverse=True)
    return sorted(by_id, key=lambda result: -result[1])


class Run:
    """Query id → ranked (document id, score): columnar and immutable.

    ``query_ids`` has Q entries in the order given, ``offsets`` Q + 1 (int64). ``doc_ids`` and ``scores`` (float64) have
    one entry a result; those of query ``i`` are at ``offsets[i]:offsets[i + 1]``, best first. ``provenance`` is the
    origin of the run, if known.
    """

    __slots__ = ("_position", "_ranks", "doc_ids", "name", "offsets", "provenance", "query_ids", "scores")

    def __init__(
        self, results: Mapping[str, Iterable[tuple[str, float]]], name: str = "porism", *,
        provenance: Provenance | None = None,
    ) -> None:
        """Ranks each query's results by the tie rule.

        :raises FormatError: a document occurs twice in one query's results, or a score is not a finite number.
        """
        doc_ids: list[str] = []
        scores: list[float] = []
        offsets = [0]
        for query_id, ranked in results.items():
            ordered = rank(ranked)
            if len({doc for doc, _ in ordered}) != len(ordered):
                raise FormatError("a document occurs twice in one ranking", where=f"query {query_id}")
            if not all(math.isfinite(score) for _, score in ordered):
                raise FormatError("a score is not a finite number", where=f"query {query_id}")
            doc_ids.extend(doc for doc, _ in ordered)
            scores.extend(score for _, score in ordered)
            offsets.append(len(doc_ids))
        self._set(tuple(results), offsets, doc_ids, scores, name, None, provenance)

    def _set(
        self, query_ids: Sequence[str], offsets: Sequence[int] | NDArray[np.int64], doc_ids: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64], name: str, ranks: NDArray[np.int64] | None,
        provenance: Provenance | None,
    ) -> None:
        self.name = name
        self.query_ids: tuple[str, ...] = tuple(query_ids)
        self.doc_ids: tuple[str, ...] = tuple(doc_ids)
        self.offsets: NDArray[np.int64] = np.array(offsets, np.int64)
        self.scores: NDArray[np.float64] = np.array(scores, np.float64)
        self.provenance = provenance
        self._ranks = ranks
        self.offsets.flags.writeable = self.scores.flags.writeable = False
        if ranks is not None:
            ranks.flags.writeable = False
        self._position = {query_id: number for number, query_id in enumerate(self.query_ids)}

    @classmethod
    def from_columns(
        cls, query_ids: Sequence[str], offsets: Sequence[int] | NDArray[np.int64], doc_ids: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64], name: str = "porism", *,
        ranks: Sequence[int] | NDArray[np.int64] | None = None, provenance: Provenance | None = None,
    ) -> Run:
        """A run of columns that are already ranked by the tie rule; only cheap checks are made.

        ``offsets`` is int64 [Q + 1]; ``doc_ids`` and ``scores`` (float64) are [N], and so are ``ranks``, from 1, which
        replace positions as the ranks of results.

        :raises FormatError: the lengths do not match, or scores are not finite or rise within a query.
        """
        run = cls.__new__(cls)
        run._set(
            query_ids, offsets, doc_ids, scores, name,
            None if ranks is None else np.array(ranks, np.int64), provenance,
        )
        bounds, count = run.offsets, len(run.doc_ids)
        if (
            len(bounds) != len(run.query_ids) + 1 or len(run._position) != len(run.query_ids)
            or len(run.scores) != count or (run._ranks is not None and len(run._ranks) != count)
            or bounds[0] != 0 or bounds[-1] != count or (np.diff(bounds) < 0).any()
        ):
            raise FormatError("the columns of a run do not fit each other", where=name)
        if not np.isfinite(run.scores).all():
            raise FormatError("a score is not a finite number", where=name)
        rising = np.flatnonzero(np.diff(run.scores) > 0) + 1
        if not np.isin(rising, bounds).all():
            raise FormatError("the results of a query are not sorted by score", where=name)
        return run

    def __len__(self) -> int:
        return len(self.query_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __contains__(self, query_id: object) -> bool:
        return query_id in self._position

    def __getitem__(self, query_id: str) -> list[tuple[str, float]]:
        """The ranking of a query, best first; empty for unknown queries."""
        number = self._position.get(query_id)
        if number is None:
            return []
        start, stop = int(self.offsets[number]), int(self.offsets[number + 1])
        return list(zip(self.doc_ids[start:stop], self.scores[start:stop].tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return set(self) == set(other) and all(self[query_id] == other[query_id] for query_id in self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self)} queries, {len(self.doc_ids)} results)"

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each result in its query, from 1 (int64 [N]).

        It is the position of the result, unless the run was read with the ranks of its file, which may have gaps.
        """
        if self._ranks is not None:
            return self._ranks
        starts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.arange(1, len(self.doc_ids) + 1, dtype=np.int64) - starts

    @property
    def has_file_ranks(self) -> bool:
        """Whether ranks come from a file, instead of positions."""
        return self._ranks is not None

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query id → document id → score."""
        return {query_id: dict(self[query_id]) for query_id in self}

    def top(self, k: int) -> Run:
        """The first ``k`` results of each query."""
        return self._kept(self.query_ids, lambda number, start, stop: range(start, min(stop, start + k)))

    def only(self, query_ids: Iterable[str]) -> Run:
        """The results of these queries, in the order of the run; unknown queries are ignored."""
        chosen = set(query_ids)
        kept = [query_id for query_id in self.query_ids if query_id in chosen]
        return self._kept(kept, lambda number, start, stop: range(start, stop))

    def filter(self, keep: Callable[[str, str], bool]) -> Run:
        """The results for which ``keep(query_id, doc_id)`` holds."""
        return self._kept(
            self.query_ids,
            lambda number, start, stop: [
                at for at in range(start, stop) if keep(self.query_ids[number], self.doc_ids[at])
            ],
        )

    def renamed(self, name: str) -> Run:
        """The same results under another name."""
        return self._copy(name, self.provenance)

    def with_provenance(self, provenance: Provenance | None) -> Run:
        """The same results with another provenance."""
        return self._copy(self.name, provenance)

    def _copy(self, name: str, provenance: Provenance | None) -> Run:
        copy = Run.__new__(Run)
        copy._set(self.query_ids, self.offsets, self.doc_ids, self.scores, name, self._ranks, provenance)
        return copy

    def _kept(self, query_ids: Sequence[str], chosen: Callable[[int, int, int], Sequence[int]]) -> Run:
        """The run of some queries with the results at ``chosen(number, start, stop)``; ranks of a file stay."""
        places: list[int] = []
        offsets = [0]
        for query_id in query_ids:
            number = self._position[query_id]
            places.extend(chosen(number, int(self.offsets[number]), int(self.offsets[number + 1])))
            offsets.append(len(places))
        at = np.asarray(places, np.int64)
        kept = Run.__new__(Run)
        doc_ids = [self.doc_ids[place] for place in places]
        ranks = None if self._ranks is None else self._ranks[at]
        kept._set(query_ids, offsets, doc_ids, self.scores[at], self.name, ranks, self.provenance)
        return kept

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], on_problem: OnProblem | None = None, *,
        ranks: Literal["position", "file"] = "position", duplicates: Literal["error", "best"] = "error",
    ) -> Run:
        """Reads a TREC run: ``query Q0 document rank score tag`` between spaces or tabs, gzip if the name says so.

        Results are sorted by score and tie rule. The rank column is ignored unless ``ranks="file"`` keeps it as
        :attr:`ranks`, for runs from which results were removed. The provenance is that of the record beside the file,
        or of another record in the folder with the same rankings, if the file was copied, renamed or packed. A record
        that does not match is reported to ``on_problem``.

        :param duplicates: how to treat a document that occurs twice for a query: as an error, or by keeping the line
            with the better score, which is reported to ``on_problem``.
        :raises SourceError: the file is missing or unreadable.
        :raises FormatError: a line does not have six columns (or five, without a tag); a score is not a finite number,
            a kept rank is below 1, or a document occurs twice for a query.
        :raises ConfigError: an option has a wrong value.
        """
        if ranks not in ("position", "file") or duplicates not in ("error", "best"):
            raise ConfigError(
                f"a run cannot be read with ranks={ranks!r} and duplicates={duplicates!r}",
                hint="Ranks are 'position' or 'file', duplicates 'error' or 'best'.",
            )
        columns = read_run_columns(path, ranks == "file")
        order = _ranked_places(columns)
        if repeated := _with_duplicates(columns, order):
            columns = columns.taken(_without_duplicates(columns, repeated, Path(path).name, duplicates, on_problem))
            order = _ranked_places(columns)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(columns.numbers, minlength=len(columns.queries)))])
        run = cls.__new__(cls)
        run._set(
            columns.queries, offsets, [columns.doc_ids[at] for at in order.tolist()], columns.scores[order],
            columns.tag or Path(path).stem, None if columns.ranks is None else columns.ranks[order], None,
        )
        run.provenance, problem = find_record(Path(path), run.digest)
        if problem is not None and on_problem is not None:
            on_problem(problem)
        return run

    def digest(self) -> str:
        """The digest of the rankings: queries, ranked documents and scores, as written to a file.

        It does not depend on the order of queries, or on names, ranks and white space.
        """
        hasher = xxhash.xxh3_128()
        for query_id, number in sorted(self._position.items()):
            start, stop = int(self.offsets[number]), int(self.offsets[number + 1])
            if start == stop:
                continue  # a file cannot hold it
            ids = "\n".join([query_id, *self.doc_ids[start:stop]])
            hasher.update(f"{len(ids)} {ids}".encode("utf-8", "surrogatepass"))
            hasher.update(self.scores[start:stop].tobytes())
        return str(hasher.hexdigest())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the TREC format atomically, tab-separated, scores with all their digits.

        The provenance goes to a record beside the file, ``<file>.provenance.json``. If the run has none, an old record
        there is removed.

        :raises FormatError: an id is empty or contains white space, which the format does not allow; or the provenance
            cannot be written as JSON.
        :raises SourceError: the file cannot be written.
        """
        target = Path(path)
        tag = "_".join(self.name.split()) or "porism"
        lines: list[str] = []
        ranks = self.ranks.tolist()
        for number, query_id in enumerate(self.query_ids):
            if query_id.split() != [query_id]:
                raise FormatError(f"the query id {query_id!r} cannot be in a TREC file: it has white space")
            start, stop = int(self.offsets[number]), int(self.offsets[number + 1])
            ids = self.doc_ids[start:stop]
            if " ".join(ids).split() != list(ids):
                broken = next(doc_id for doc_id in ids if doc_id.split() != [doc_id])
                raise FormatError(f"the document id {broken!r} cannot be in a TREC file: it has white space")
            lines += [
                f"{query_id}\tQ0\t{doc_id}\t{position}\t{score!r}\t{tag}\n"
                for doc_id, position, score in zip(
                    ids, ranks[start:stop], self.scores[start:stop].tolist(), strict=True
                )
            ]
        try:
            content = "".join(lines).encode()
        except UnicodeEncodeError as error:
            raise FormatError("an id cannot be written as UTF-8", where=str(target)) from error
        record = record_path(Path(os.path.realpath(target)))
        kept = record_bytes(self.provenance, self.digest()) if self.provenance else None
        write_whole(target, gzip.compress(content, mtime=0) if target.suffix == ".gz" else content)
        if is_special(target):
            return
        if kept is not None:
            write_whole(record, kept)
        else:
            with suppress(FileNotFoundError):
                record.unlink()


def _ranked_places(columns: RunColumns) -> NDArray[np.int64]:
    """The lines sorted by query and then by the tie rule (int64 [N])."""
    order = np.lexsort((-columns.scores, columns.numbers))
    queries, scores = columns.numbers[order], columns.scores[order]
    tied = np.concatenate([[False], (queries[1:] == queries[:-1]) & (scores[1:] == scores[:-1]), [False]])
    edges = np.flatnonzero(np.diff(tied.astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True):
        order[start:stop] = sorted(order[start:stop].tolist(), key=columns.doc_ids.__getitem__, reverse=True)
    return order


def _with_duplicates(columns: RunColumns, order: NDArray[np.int64]) -> set[int]:
    """The numbers of queries with a document that occurs more than once."""
    bounds = np.searchsorted(columns.numbers[order], np.arange(len(columns.queries) + 1)).tolist()
    ranked = [columns.doc_ids[at] for at in order.tolist()]
    return {
        number for number, (start, stop) in enumerate(pairwise(bounds)) if len(set(ranked[start:stop])) < stop - start
    }


def _without_duplicates(
    columns: RunColumns, repeated: set[int], name: str, duplicates: str, on_problem: OnProblem | None
) -> NDArray[np.int64]:
    """The places of the best line for each query and document (int64); ``repeated`` are the queries to look at."""
    stays = np.ones(len(columns.doc_ids), bool)
    seen: dict[tuple[int, str], int] = {}
    for at in np.flatnonzero(np.isin(columns.numbers, list(repeated))).tolist():
        number, doc_id = int(columns.numbers[at]), columns.doc_ids[at]
        before = seen.setdefault((number, doc_id), at)
        if before == at:
            continue
        where = f"{name}:{columns.lines[at]}"
        reason = f"document {doc_id} occurs twice for query {columns.queries[number]}"
        if duplicates == "error":
            raise FormatError(reason, where=where, hint="Leave one of the lines out; each document has one rank.")
        if on_problem:
            on_problem(Problem(where, reason))
        if columns.scores[before] >= columns.scores[at]:
            stays[at] = False
        else:
            stays[before] = False
            seen[number, doc_id] = at
    return np.flatnonzero(stays)
