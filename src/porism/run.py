"""Ranked results of queries, and the one tie rule: score descending, then document id descending.

Ids are compared by code point, later ids first, which is what ``trec_eval`` does with tied scores; so a run that is
written to a file and scored elsewhere keeps its ranking, wherever scores are not rounded (``trec_eval`` reads 32 bits).
"""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError, OnProblem, Problem, SourceError
from porism.files import write_whole
from porism.provenance import Provenance, content_digest, read_record, record_bytes, record_path

Ranked = Sequence[tuple[str, float]]


def rank(results: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sorts (document id, score) by the tie rule, best first."""
    by_id = sorted(results, key=lambda result: result[0], reverse=True)
    return sorted(by_id, key=lambda result: -result[1])


class Run:
    """Query id → ranked (document id, score): columnar and immutable.

    ``query_ids`` has Q entries in the order given, ``offsets`` Q + 1 (int64), ``doc_ids`` and ``scores`` (float64) one
    entry a result; results of query ``i`` are at ``offsets[i]:offsets[i + 1]``, best first. ``provenance`` says where
    the run comes from, as far as that is known.
    """

    __slots__ = ("_position", "_ranks", "doc_ids", "name", "offsets", "provenance", "query_ids", "scores")

    def __init__(
        self,
        results: Mapping[str, Iterable[tuple[str, float]]],
        name: str = "porism",
        *,
        provenance: Provenance | None = None,
    ) -> None:
        """Ranks each query's results by the tie rule.

        :raises FormatError: a document stands twice in one query's results, or a score is not a finite number.
        """
        doc_ids: list[str] = []
        scores: list[float] = []
        offsets = [0]
        for query_id, ranked in results.items():
            ordered = rank(ranked)
            if len({doc for doc, _ in ordered}) != len(ordered):
                raise FormatError("a document stands twice in one ranking", where=f"query {query_id}")
            if not all(math.isfinite(score) for _, score in ordered):
                raise FormatError("a score is not a finite number", where=f"query {query_id}")
            doc_ids.extend(doc for doc, _ in ordered)
            scores.extend(score for _, score in ordered)
            offsets.append(len(doc_ids))
        self._set(tuple(results), offsets, doc_ids, scores, name, None, provenance)

    def _set(
        self,
        query_ids: Sequence[str],
        offsets: Sequence[int] | NDArray[np.int64],
        doc_ids: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64],
        name: str,
        ranks: NDArray[np.int64] | None,
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
        cls,
        query_ids: Sequence[str],
        offsets: Sequence[int] | NDArray[np.int64],
        doc_ids: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64],
        name: str = "porism",
        *,
        ranks: Sequence[int] | NDArray[np.int64] | None = None,
        provenance: Provenance | None = None,
    ) -> Run:
        """A run of columns that are ranked by the tie rule already; only what costs nothing is checked.

        ``offsets`` is int64 [Q + 1], ``doc_ids`` and ``scores`` (float64) are [N], and so are ``ranks``: those that the
        results have elsewhere, from 1, where their positions here are not meant.

        :raises FormatError: the lengths do not fit, scores are not finite or rise within a query.
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
        """The ranking of one query, best first; empty for a query that the run does not have."""
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

        That is its position, but for a run that was read with the ranks of its file: these stay as they stood there,
        with gaps where results were left out.
        """
        if self._ranks is not None:
            return self._ranks
        starts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.arange(1, len(self.doc_ids) + 1, dtype=np.int64) - starts

    @property
    def has_file_ranks(self) -> bool:
        """Whether ranks are those of a file, not positions."""
        return self._ranks is not None

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query id → document id → score."""
        return {query_id: dict(self[query_id]) for query_id in self}

    def top(self, k: int) -> Run:
        """The first ``k`` results of each query."""
        return self._kept(self.query_ids, lambda number, start, stop: range(start, min(stop, start + k)))

    def only(self, query_ids: Iterable[str]) -> Run:
        """The results of these queries, in the order of the run; queries that it does not have are passed over."""
        wanted = set(query_ids)
        kept = [query_id for query_id in self.query_ids if query_id in wanted]
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
        """The same results, said to come from elsewhere."""
        return self._copy(self.name, provenance)

    def _copy(self, name: str, provenance: Provenance | None) -> Run:
        copy = Run.__new__(Run)
        copy._set(self.query_ids, self.offsets, self.doc_ids, self.scores, name, self._ranks, provenance)
        return copy

    def _kept(self, query_ids: Sequence[str], chosen: Callable[[int, int, int], Sequence[int]]) -> Run:
        """The run of some queries and, of each, the results at the places that ``chosen(number, start, stop)`` says.

        The ranks of a file stay with their results.
        """
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
        cls,
        path: str | os.PathLike[str],
        on_problem: OnProblem | None = None,
        *,
        ranks: Literal["position", "file"] = "position",
        duplicates: Literal["error", "best"] = "error",
    ) -> Run:
        """Reads a TREC run: ``query Q0 document rank score tag`` between spaces or tabs, gzip if the name says so.

        The order is by score and tie rule. The rank column is not used, unless ``ranks="file"`` asks to keep it as
        :attr:`ranks`: for runs of which some results were taken out, whose ranks keep their gaps. The record beside the
        file becomes the run's provenance; one that does not fit the file is not used, and ``on_problem`` is told.

        :param duplicates: what becomes of a document that stands twice for a query: an error, or the better of its
            scores stays, with the rank of that line, and ``on_problem`` is told.
        :raises SourceError: the file is missing or unreadable.
        :raises FormatError: a line has other than six (or five: no tag) columns, a score that is not a finite number
            or, where ranks are kept, a rank below 1; or a document stands twice for a query.
        :raises ConfigError: an option has a wrong value.
        """
        if ranks not in ("position", "file") or duplicates not in ("error", "best"):
            raise ConfigError(
                f"a run cannot be read with ranks={ranks!r} and duplicates={duplicates!r}",
                hint="Ranks are 'position' or 'file', duplicates 'error' or 'best'.",
            )
        results: dict[str, dict[str, tuple[float, int]]] = {}
        name = Path(path).name
        tag = ""
        for number, line in read_lines(path):
            columns = line.split()
            if not columns:
                continue
            if len(columns) not in (5, 6):
                raise FormatError(
                    f"{len(columns)} columns where a run has 6", where=f"{name}:{number}",
                    hint="Expected: query Q0 document rank score tag.",
                )
            query_id, _, doc_id, rank_text, score_text, *rest = columns
            try:
                score = float(score_text)
            except ValueError:
                score = math.nan
            if not math.isfinite(score):
                raise FormatError(f"the score {score_text!r} is not a finite number", where=f"{name}:{number}")
            place = _whole_rank(rank_text, f"{name}:{number}") if ranks == "file" else 0
            tag = tag or (rest[0] if rest else "")
            ranked = results.setdefault(query_id, {})
            if doc_id in ranked:
                if duplicates == "error":
                    raise FormatError(
                        f"document {doc_id} stands twice for query {query_id}", where=f"{name}:{number}",
                        hint="Leave one of the lines out; each document has one rank.",
                    )
                if on_problem:
                    on_problem(Problem(f"{name}:{number}", f"document {doc_id} stands twice for query {query_id}"))
                if ranked[doc_id][0] >= score:
                    continue
            ranked[doc_id] = (score, place)
        scores = {query: [(doc, score) for doc, (score, _) in ranked.items()] for query, ranked in results.items()}
        run = cls(scores, tag or Path(path).stem, provenance=_read_provenance(Path(path), on_problem))
        if ranks == "file":
            kept = [
                results[query][doc][1]
                for query, start, stop in zip(run.query_ids, run.offsets, run.offsets[1:], strict=False)
                for doc in run.doc_ids[start:stop]
            ]
            run._ranks = np.array(kept, np.int64)
            run._ranks.flags.writeable = False
        return run

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the TREC format, tab-separated, scores with all their digits; the file appears whole or not at all.

        A run with a provenance has its record beside it, in ``<file>.provenance.json``; of a run without one, a record
        that lies there is removed, since it is of another run.

        :raises FormatError: an id is empty or contains white space, which the format cannot carry; or the provenance
            holds what JSON cannot.
        :raises SourceError: the file cannot be written.
        """
        target = Path(path)
        tag = "_".join(self.name.split()) or "porism"
        lines: list[str] = []
        ranks = self.ranks.tolist()
        for number, query_id in enumerate(self.query_ids):
            if not query_id or any(ch.isspace() for ch in query_id):
                raise FormatError(f"the query id {query_id!r} cannot stand in a TREC file: it has white space")
            start, stop = int(self.offsets[number]), int(self.offsets[number + 1])
            for doc_id, position, score in zip(
                self.doc_ids[start:stop], ranks[start:stop], self.scores[start:stop].tolist(), strict=True
            ):
                if not doc_id or any(ch.isspace() for ch in doc_id):
                    raise FormatError(f"the document id {doc_id!r} cannot stand in a TREC file: it has white space")
                lines.append(f"{query_id}\tQ0\t{doc_id}\t{position}\t{score!r}\t{tag}\n")
        try:
            content = "".join(lines).encode()
        except UnicodeEncodeError as error:
            raise FormatError("an id cannot be written as UTF-8", where=str(target)) from error
        record = record_path(target)
        kept = record_bytes(self.provenance, content_digest(content)) if self.provenance else None
        write_whole(target, gzip.compress(content, mtime=0) if target.suffix == ".gz" else content)
        if kept is not None:
            write_whole(record, kept)
        else:
            with suppress(FileNotFoundError):
                record.unlink()


def _whole_rank(text: str, where: str) -> int:
    try:
        place = int(text)
    except ValueError:
        place = 0
    if not 1 <= place < 2**62:
        raise FormatError(f"the rank {text!r} is not a whole number from 1", where=where)
    return place


def _read_provenance(path: Path, on_problem: OnProblem | None) -> Provenance | None:
    """What the record beside a run file says, if it fits the file."""
    record = record_path(path)
    try:
        provenance, digest = read_record(record.read_bytes(), record.name)
        content = path.read_bytes()
        fits = content_digest(gzip.decompress(content) if path.suffix == ".gz" else content) == digest
    except FileNotFoundError:
        return None
    except FormatError as error:
        fits, reason = False, error.what
    except OSError as error:
        fits, reason = False, f"the record cannot be read ({error.strerror or error})"
    else:
        reason = "the record is of another run or of another state of this one"
    if fits:
        return provenance
    if on_problem is not None:
        on_problem(Problem(record.name, f"{reason}; it is not used"))
    return None


def open_text(path: str | os.PathLike[str]) -> IO[str]:
    """Opens UTF-8 text to read (a byte-order mark is skipped, broken bytes become U+FFFD), through gzip for ``.gz``."""
    opened = gzip.open if str(path).endswith(".gz") else open
    return cast("IO[str]", opened(path, "rt", encoding="utf-8-sig", errors="replace"))


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Lines of a text file with their numbers from 1, line ends removed.

    :raises SourceError: the file is missing, unreadable, or a truncated or damaged gzip.
    """
    try:
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be read ({reason})", where=str(path)) from error
