"""How many machines a collection needs: index, memory, answers and costs, by simulation from measured figures.

::

    python -m benchmarks speed sizing --formulas 1e7,1e8,1e9 --rate 5 --target-ms 1000

Each machine holds a shard, an index of its own, and every question goes to all shards; replicas share the questions. A
machine must have the disk for its shard twice, since a merge writes a copy, and the memory for what searches hold and
for the part of the index that should stay in the system's cache. Questions arrive at random; each takes a core of each
shard for a time that is lognormal, with the median and the 95th percentile that were measured, which grow with the
documents of the shard; it waits where all cores are busy. The answer is there when the slowest shard has answered.
Chosen are the shards and replicas of the fewest machines with which 95 of 100 answers come in time.

What was measured comes from this file, or from files of ``speed big`` at several sizes (``--measured``). What machines
have and cost is for you to say: the defaults are an example, not an offer of anybody.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NORMAL_95 = 1.6448536269514722
QUESTIONS = 3_000
"""Questions of a simulation."""
MAX_TIMES = 6
"""So many times as many shards as memory and disk need are tried."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured of an index with one segment: megabytes are 2**20 bytes, milliseconds of processor time."""

    documents: int
    formulas: int
    index_mb: float
    held_mb: float
    """Memory of a searching process that is not the index mapped."""
    build_s: float
    """Processor time of indexing, with the merge at its end."""
    question_ms: float
    question_p95_ms: float


MEASURED = (
    Point(200_000, 4_001_325, 2_867.59, 457, 2_143.7, 28.9, 75.5),
    Point(1_400_000, 27_880_545, 18_060.64, 2_060, 14_788.0, 66.4, 268.2),
)
"""Grown collections (``speed big``, seed 7), one thread."""


@dataclass(frozen=True)
class Machine:
    """What one machine has, and costs an hour."""

    cores: int = 16
    memory_gb: float = 64.0
    disk_gb: float = 1_000.0
    price: float = 0.80
    cached: float = 0.5
    """The share of an index that should stay in memory."""


class Model:
    """What an index of any size takes, as straight lines through what was measured: two sizes at least."""

    def __init__(self, points: Sequence[Point]) -> None:
        if len({point.documents for point in points}) < 2:
            raise ValueError("two sizes at least must have been measured")
        self._documents = np.array([point.documents for point in points], float)
        self._points = points
        self.formulas = float(np.mean([point.formulas / point.documents for point in points]))
        """Formulas of a document."""

    def at(self, name: str, documents: float) -> float:
        """A figure by its name; no less than the smallest that was measured, where lines fall."""
        values = np.array([getattr(point, name) for point in self._points], float)
        slope, base = np.polyfit(self._documents, values, 1)
        return float(max(base + slope * documents, values.min() * min(1.0, documents / self._documents.min())))


def simulate(
    shards: int, replicas: int, cores: int, rate: float, median_ms: float, p95_ms: float, seed: int = 7
) -> float:
    """The 95th percentile of the time to an answer, in milliseconds; infinite where questions come faster than they
    are answered."""
    sigma = math.log(p95_ms / median_ms) / NORMAL_95
    mean = median_ms * math.exp(sigma * sigma / 2)
    if rate * mean / 1000 >= replicas * cores:
        return math.inf
    random = np.random.default_rng(seed)
    arrivals = np.cumsum(random.exponential(1000 / rate, QUESTIONS))
    ends = np.zeros(QUESTIONS)
    for _ in range(shards):
        service = median_ms * np.exp(sigma * random.standard_normal(QUESTIONS))
        free = [[0.0] * cores for _ in range(replicas)]
        for number, arrival in enumerate(arrivals.tolist()):
            own = free[number % replicas]
            end = max(arrival, own[0]) + service[number]
            heapq.heapreplace(own, end)
            ends[number] = max(ends[number], end)
    return float(np.percentile(ends - arrivals, 95))


@dataclass(frozen=True, slots=True)
class Size:
    """What a collection needs."""

    formulas: float
    documents: float
    shards: int
    replicas: int
    index_gb: float
    memory_gb: float
    """Of a machine."""
    p95_ms: float
    build_core_hours: float

    @property
    def machines(self) -> int:
        """All shards with their replicas."""
        return self.shards * self.replicas


def least_shards(model: Model, documents: float, machine: Machine) -> int:
    """Shards that fit memory and disk."""
    shards = 1
    while True:
        index, memory = needs(model, documents / shards, machine)
        if memory <= machine.memory_gb and 2 * index <= machine.disk_gb:
            return shards
        shards += max(1, shards // 20)


def needs(model: Model, documents: float, machine: Machine) -> tuple[float, float]:
    """Gigabytes of the index of a shard, and of memory."""
    index = model.at("index_mb", documents) / 1024
    return index, model.at("held_mb", documents) / 1024 + machine.cached * index


def size(model: Model, formulas: float, machine: Machine, rate: float, target_ms: float) -> Size | None:
    """The fewest machines with which answers come in time, None where no number that is tried suffices."""
    documents = formulas / model.formulas
    least = least_shards(model, documents, machine)
    best: Size | None = None
    for shards in sorted({math.ceil(least * MAX_TIMES ** (step / 8)) for step in range(9)}):
        own = documents / shards
        median, high = model.at("question_ms", own), model.at("question_p95_ms", own)
        for replicas in range(1, 65):
            if best is not None and shards * replicas >= best.machines:
                break
            p95 = simulate(shards, replicas, machine.cores, rate, median, high)
            if p95 <= target_ms:
                index, memory = needs(model, own, machine)
                best = Size(
                    formulas, documents, shards, replicas, index * shards, memory, p95,
                    model.at("build_s", documents) / 3600,
                )
                break
            if math.isfinite(p95) and p95 <= 1.05 * high:  # it hardly waits: more replicas change nothing
                break
    return best


def read_points(paths: Sequence[Path]) -> list[Point]:
    """What ``speed big`` wrote of indexes as ``porism index`` leaves them."""
    found = []
    for path in paths:
        figures = json.loads(path.read_text(encoding="utf-8"))
        sizes, question = figures["size"], figures["as indexed: default question, 10 results"]
        found.append(Point(
            figures["documents"], sizes["occurrences"], sizes["MB"], figures["as indexed: memory"]["held MB"],
            figures["index"]["processor s"], question["median processor ms"], question["p95 processor ms"],
        ))
    return found


def main() -> int:
    """Prints a line for each number of formulas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--formulas", default="1e7,1e8,1e9", help="occurrences, by commas (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=5.0, help="questions a second (default: 5)")
    parser.add_argument("--target-ms", type=float, default=1_000.0, help="95 of 100 answers come by then")
    parser.add_argument("--cores", type=int, default=Machine.cores, help="of a machine (example: %(default)s)")
    parser.add_argument("--memory-gb", type=float, default=Machine.memory_gb, help="example: %(default)s")
    parser.add_argument("--disk-gb", type=float, default=Machine.disk_gb, help="example: %(default)s")
    parser.add_argument("--price", type=float, default=Machine.price, help="of a machine-hour (example: %(default)s)")
    parser.add_argument("--cached", type=float, default=Machine.cached, help="share of the index that memory holds")
    parser.add_argument("--measured", type=Path, nargs="*", default=[], help="files of speed big, of several sizes")
    options = parser.parse_args()
    machine = Machine(options.cores, options.memory_gb, options.disk_gb, options.price, options.cached)
    model = Model(read_points(options.measured) if options.measured else MEASURED)
    heads = ("formulas", "documents", "index GB", "shards", "replicas", "memory GB", "p95 ms", "build core h", "build",
             "a month")
    print("".join(f"{head:>13}" for head in heads))
    for formulas in map(float, options.formulas.split(",")):
        found = size(model, formulas, machine, options.rate, options.target_ms)
        if found is None:
            print(f"{formulas:13,.0f}  no number of machines answers within {options.target_ms:,.0f} ms: see --cores")
            continue
        build = found.build_core_hours / machine.cores * machine.price
        month = found.machines * machine.price * 730
        shown = (
            f"{formulas:,.0f}", f"{found.documents:,.0f}", f"{found.index_gb:,.0f}", str(found.shards),
            str(found.replicas), f"{found.memory_gb:,.0f}", f"{found.p95_ms:,.0f}", f"{found.build_core_hours:,.0f}",
            f"{build:,.0f}", f"{month:,.0f}",
        )
        print("".join(f"{one:>13}" for one in shown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
