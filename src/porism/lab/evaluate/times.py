"""How long queries take."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from porism.errors import QueryError, pluralise
from porism.runs.run import Run


@dataclass(frozen=True, slots=True)
class TimeStatistics:
    """Wall-clock seconds of the queries of a run; ``p95`` is the 95th percentile, interpolated between queries."""

    count: int
    mean: float
    median: float
    p95: float
    worst: float
    best: float
    slowest_topic: str
    fastest_topic: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, times in seconds."""
        return asdict(self)

    def __str__(self) -> str:
        """One line in milliseconds."""
        return (
            f"{pluralise(self.count, 'query', 'queries')}: median {_ms(self.median)}, "
            f"95th percentile {_ms(self.p95)}, worst {_ms(self.worst)} ({self.slowest_topic}), mean {_ms(self.mean)}"
        )


def time_statistics(run: Run) -> TimeStatistics:
    """Statistics of the times in the run's provenance; of equally slow topics the first is named.

    :raises QueryError: nothing is known of the run's times.
    """
    seconds = dict(run.provenance.seconds) if run.provenance else {}
    if not seconds:
        raise QueryError(
            "nothing is known of its times", where=run.name,
            hint="Runs that porism made have them in the record beside their file.",
        )
    values = np.array(list(seconds.values()), np.float64)
    median, p95 = np.quantile(values, [0.5, 0.95]).tolist()
    return TimeStatistics(
        len(values), float(values.mean()), median, p95, float(values.max()), float(values.min()),
        max(seconds, key=seconds.__getitem__), min(seconds, key=seconds.__getitem__),
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms"
