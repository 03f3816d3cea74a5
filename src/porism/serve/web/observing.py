"""What a server says of itself: metrics for Prometheus, and a line of JSON for each request."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, TextIO

from porism.extras import need

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of times, in seconds."""


METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable by which prometheus_client knows that several processes count together, and where."""


class Metrics:
    """Counters of requests by route, method and status, their times, and gauges of the indexes.

    Where several processes serve, these are the sums over all of them.
    """

    def __init__(self) -> None:
        library = need("prometheus_client", "web", "metrics")
        self._generate: Any = library.generate_latest
        self.registry: Any = library.CollectorRegistry()
        self._requests: Any = library.Counter(
            "porism_requests_total", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._seconds: Any = library.Histogram(
            "porism_request_seconds", "Time until the answer.", ["route"], buckets=BUCKETS, registry=self.registry
        )
        self._open: Any = library.Gauge(
            "porism_requests_open", "Requests being answered.", registry=self.registry, multiprocess_mode="livesum"
        )
        self._documents: Any = library.Gauge(
            "porism_index_documents", "Documents of an index.", ["index"], registry=self.registry,
            multiprocess_mode="mostrecent",
        )
        self._generation: Any = library.Gauge(
            "porism_index_generation", "The commit of an index that is served.", ["index"], registry=self.registry,
            multiprocess_mode="max",
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts an answered request; ``route`` is the pattern, so that no question becomes a label."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def open_requests(self, count: int) -> None:
        """Sets how many requests are being answered."""
        self._open.set(count)

    def index(self, name: str, documents: int, generation: int) -> None:
        """Sets what is known of an index."""
        self._documents.labels(name).set(documents)
        self._generation.labels(name).set(generation)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        registry = self.registry
        if METRICS_FOLDER in os.environ:
            registry = need("prometheus_client", "web", "metrics").CollectorRegistry()
            need("prometheus_client.multiprocess", "web", "metrics").MultiProcessCollector(registry)
        text: bytes = self._generate(registry)
        return text


def forget_process(pid: int) -> None:
    """Takes back what a process that has ended was doing; what it had counted stays."""
    need("prometheus_client.multiprocess", "web", "metrics").mark_process_dead(pid)


def log_line(stream: TextIO | None = None, **facts: Any) -> None:
    """Writes a line of JSON with the time and some facts. Questions are not logged: they are their askers' business."""
    line = json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **facts}, ensure_ascii=True)
    print(line, file=stream or sys.stderr, flush=True)
