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
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import FormatError, OnProblem, Problem, SourceError

Ranked = Sequence[tuple[str, float]]


def rank(results: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sorts (document id, score) by the tie rule, best first."""
    by_id = sorted(results, key=lambda result: result[0], reverse=True)
    return sorted(by_id, key=lambda result: -result[1])


class Run:
    """Query id → ranked (document id, score): columnar and immutable.

    ``query_ids`` has Q entries in the order given, ``offsets`` Q + 1 (int64), ``doc_ids`` and ``scores`` (float64) one
    entry a result; results of query ``i`` are at ``offsets[i]:offsets[i + 1]``, best first.
    """

    __slots__ = ("_position", "doc_ids", "name", "offsets", "query_ids", "scores")

    def __init__(self, results: Mapping[str, Iterable[tuple[str, float]]], name: str = "porism") -> None:
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
        self.name = name
        self.query_ids: tuple[str, ...] = tuple(results)
        self.doc_ids: tuple[str, ...] = tuple(doc_ids)
        self.offsets: NDArray[np.int64] = np.asarray(offsets, np.int64)
        self.scores: NDArray[np.float64] = np.asarray(scores, np.float64)
        self.offsets.flags.writeable = self.scores.flags.writeable = False
        self._position = {query_id: number for number, query_id in enumerate(self.query_ids)}

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

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query id → document id → score."""
        return {query_id: dict(self[query_id]) for query_id in self}

    def top(self, k: int) -> Run:
        """The first ``k`` results of each query."""
        return Run({query_id: self[query_id][:k] for query_id in self}, self.name)

    def filter(self, keep: Callable[[str, str], bool]) -> Run:
        """The results for which ``keep(query_id, doc_id)`` holds."""
        return Run(
            {query: [(doc, score) for doc, score in self[query] if keep(query, doc)] for query in self}, self.name
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str], on_problem: OnProblem | None = None) -> Run:
        """Reads a TREC run: ``query Q0 document rank score tag`` between spaces or tabs, gzip if the name says so.

        The order is by score and tie rule; the rank column is not used. Of a document that stands twice for a query the
        better score stays, and ``on_problem`` is told.

        :raises SourceError: the file is missing or unreadable.
        :raises FormatError: a line has other than six (or five: no tag) columns or a score that is not a number.
        """
        results: dict[str, dict[str, float]] = {}
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
            query_id, _, doc_id, _, score_text, *rest = columns
            try:
                score = float(score_text)
            except ValueError:
                score = math.nan
            if not math.isfinite(score):
                raise FormatError(f"the score {score_text!r} is not a finite number", where=f"{name}:{number}")
            tag = tag or (rest[0] if rest else "")
            ranked = results.setdefault(query_id, {})
            if doc_id in ranked and on_problem:
                on_problem(Problem(f"{name}:{number}", f"document {doc_id} stands twice for query {query_id}"))
            ranked[doc_id] = max(score, ranked.get(doc_id, -math.inf))
        return cls({query_id: ranked.items() for query_id, ranked in results.items()}, tag or Path(path).stem)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the TREC format, tab-separated, scores with all their digits; the file appears whole or not at all.

        :raises FormatError: an id is empty or contains white space, which the format cannot carry.
        :raises SourceError: the file cannot be written.
        """
        target = Path(path)
        tag = "_".join(self.name.split()) or "porism"
        lines: list[str] = []
        for query_id in self:
            for position, (doc_id, score) in enumerate(self[query_id], 1):
                lines.append(f"{query_id}\tQ0\t{doc_id}\t{position}\t{score!r}\t{tag}\n")
                if not doc_id or any(ch.isspace() for ch in doc_id):
                    raise FormatError(f"the document id {doc_id!r} cannot stand in a TREC file: it has white space")
            if not query_id or any(ch.isspace() for ch in query_id):
                raise FormatError(f"the query id {query_id!r} cannot stand in a TREC file: it has white space")
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with open_text(part, "wt", compressed=target.suffix == ".gz") as file:
                file.writelines(lines)
            os.replace(part, target)
        except UnicodeEncodeError as error:
            raise FormatError("an id cannot be written as UTF-8", where=str(target)) from error
        except OSError as error:
            raise SourceError(f"cannot be written ({error.strerror or error})", where=str(target)) from error
        finally:
            with suppress(OSError):  # whatever kept the file from being written must not be hidden by this
                part.unlink()


def open_text(path: str | os.PathLike[str], mode: str = "rt", *, compressed: bool | None = None) -> IO[str]:
    """Opens UTF-8 text (a byte-order mark is skipped, broken bytes become U+FFFD), through gzip for ``.gz``."""
    encoding = "utf-8" if "w" in mode else "utf-8-sig"
    errors = "strict" if "w" in mode else "replace"
    if compressed if compressed is not None else str(path).endswith(".gz"):
        return cast("IO[str]", gzip.open(path, mode, encoding=encoding, errors=errors))
    return cast("IO[str]", open(path, mode, encoding=encoding, errors=errors))


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
