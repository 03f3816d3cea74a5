"""One contender's work in a process of its own: ``python -m benchmarks.common.worker ORDERS``.

The orders are a JSON file that :mod:`benchmarks.common.bench` writes.

``build`` makes the index. ``answer`` opens it and answers the topics of 2021, whose memory is told, then those of 2020.
``time`` opens it, warms up with the topics of 2020 (whole passes, for a while), and times each topic of 2021 once: each
is new to the process, so that nothing remembered of it helps.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from benchmarks.common.anserini import Unavailable
from benchmarks.common.task import Entry, read_entries
from benchmarks.contenders.base import Contender, peak_mb
from benchmarks.contenders.registry import contender_class

WARM_UP_SECONDS = 3.0


def build(contender: Contender, topics: dict[str, list[Entry]], k: int) -> dict[str, Any]:
    """Seconds of wall time, and the peak memory of this process alone."""
    start = time.perf_counter()
    own = contender.build()
    return {"seconds": time.perf_counter() - start, "own_memory": peak_mb(), **own}


def answer(contender: Contender, topics: dict[str, list[Entry]], k: int) -> dict[str, Any]:
    """Rankings of both years; seconds to the first answer with opening; peak memory after the topics of 2021."""
    start = time.perf_counter()
    contender.open()
    contender.ask(topics["2021"][0], k)
    first = time.perf_counter() - start
    runs = {"2021": {topic.id: contender.ask(topic, k)[1] for topic in topics["2021"]}}
    memory = contender.memory()
    runs["2020"] = {topic.id: contender.ask(topic, k)[1] for topic in topics["2020"]}
    return {"first": first, "memory": memory, "runs": runs}


def clock(contender: Contender, topics: dict[str, list[Entry]], k: int) -> dict[str, Any]:
    """Seconds of each topic of 2021."""
    contender.open()
    start = time.perf_counter()
    while True:
        for topic in topics["2020"]:
            contender.ask(topic, k)
        if time.perf_counter() - start > WARM_UP_SECONDS:
            break
    return {"seconds": [contender.ask(topic, k)[0] for topic in topics["2021"]]}


PHASES = {"build": build, "answer": answer, "time": clock}


def main() -> None:
    """Does what the orders say, and writes what came of it beside them."""
    orders = json.loads(Path(sys.argv[1]).read_text())
    task, folder, name = Path(orders["task"]), Path(orders["folder"]), orders["contender"]
    try:
        contender = contender_class(name)(task, folder, {**orders["settings"], "variant": name.partition(":")[2]})
        topics = {year: list(read_entries(task / f"topics-{year}.jsonl")) for year in ("2020", "2021")}
        result = PHASES[orders["phase"]](contender, topics, orders["k"])
        contender.close()
    except (ImportError, Unavailable) as error:
        result = {"skipped": str(error)}
    except Exception as error:
        traceback.print_exc()
        result = {"failed": f"{type(error).__name__}: {error}"}
    Path(orders["output"]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
