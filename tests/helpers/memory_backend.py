"""An engine in memory, with numbers of 32 bits as others have them: for tests of what asks one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism.errors import EngineError
from porism.serve.backends.base import (
    ANY_FILTER,
    EVERYWHERE,
    MAX_FILTERS,
    Hits,
    RowFilter,
    Rows,
    SparseRows,
    Table,
    Vectors,
)


@dataclass
class StoredRow:
    part: int
    stamp: int
    filters: set[int]
    vector: dict[int, float]
    document: bytes | None = None


@dataclass
class MemoryBackend:
    """Tables as dictionaries. Of results only ``most`` are given; ``refuse_after`` so many writes it refuses;
    ``sent`` and ``removed`` are keys by table; ``scans`` are how often all stamps were asked for."""

    most: int = 16_384
    state: str | None = None
    rows: dict[str, dict[str, StoredRow]] = field(default_factory=dict)
    dimensions: dict[str, int] = field(default_factory=dict)
    refuse_after: int | None = None
    writes: int = 0
    sent: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    removed: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    scans: int = 0
    searches: list[tuple[str, int, RowFilter]] = field(default_factory=list)

    def __str__(self) -> str:
        return "memory"

    def _write(self) -> None:
        if self.refuse_after is not None and self.writes >= self.refuse_after:
            raise EngineError("refuses", where="memory")
        self.writes += 1

    def read_state(self) -> str | None:
        return self.state

    def write_state(self, state: str) -> None:
        self._write()
        self.state = state

    def tables(self) -> list[str]:
        return sorted(self.rows)

    def make(self, table: Table) -> None:
        self.rows.setdefault(table.name, {})
        self.dimensions[table.name] = table.dimensions

    def drop(self, name: str) -> None:
        self.rows.pop(name, None)

    def count(self, name: str) -> int:
        return len(self.rows[name])

    def stamps(self, name: str, keys: Sequence[str] | None = None) -> Iterator[tuple[list[str], NDArray[np.int64]]]:
        there = self.rows[name]
        self.scans += keys is None
        found = list(there) if keys is None else [key for key in keys if key in there]
        for start in range(0, len(found), 100):
            batch = found[start : start + 100]
            yield batch, np.array([there[key].stamp for key in batch], np.int64)

    def put(self, name: str, rows: Rows) -> None:
        for number, key in enumerate(rows.keys):
            self._write()
            self.sent[name].append(key)
            vector = (
                rows.vectors.row(number) if isinstance(rows.vectors, SparseRows)
                else dict(enumerate(rows.vectors[number].tolist()))
            )
            filters = rows.filters[number].tolist()
            self.rows[name][key] = StoredRow(
                int(rows.parts[number]), int(rows.stamps[number]),
                set(filters) if len(filters) <= MAX_FILTERS else {ANY_FILTER}, vector,
                None if rows.documents is None else rows.documents[number],
            )

    def remove(self, name: str, keys: Sequence[str]) -> None:
        for key in keys:
            self._write()
            if self.rows[name].pop(key, None) is not None:
                self.removed[name].append(key)

    def flush(self, name: str) -> None:
        """There is nothing to do."""

    def search(self, name: str, vector: Vectors, limit: int, where: RowFilter = EVERYWHERE) -> Hits:
        assert 0 < limit <= self.most
        self.searches.append((name, limit, where))
        dense = not isinstance(vector, SparseRows)
        wanted = dict(enumerate(vector[0].tolist())) if not isinstance(vector, SparseRows) else vector.row(0)
        assert all(weight == np.float32(weight) for weight in wanted.values())
        scores: dict[str, float] = {}
        for key, row in self.rows[name].items():
            if not where.low <= row.part < where.high:
                continue
            if not all(row.filters & {*group, ANY_FILTER} for group in where.filters):
                continue
            if dense or wanted.keys() & row.vector.keys():
                score = np.float32(0)
                for dimension, weight in wanted.items():
                    score += np.float32(weight) * np.float32(row.vector.get(dimension, 0.0))
                scores[key] = float(score)
        best = sorted(scores, key=lambda key: -scores[key])[:limit]  # ties in any order
        return Hits(best, np.array([scores[key] for key in best]))

    def close(self) -> None:
        """There is nothing to do."""
