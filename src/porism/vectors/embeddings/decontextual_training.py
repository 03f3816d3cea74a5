"""Decontextualised embeddings of the terms of a channel, in one pass over an index, interruptible.

What was summed up is kept in ``INDEX/embeddings/NAME.training`` from time to time and at an interruption; the same
command goes on from there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import xxhash

from porism.errors import ConfigError
from porism.index import Snapshot
from porism.index.languages import snapshot_analyzer
from porism.settings import write_settings
from porism.system.concurrency.interrupts import uninterrupted
from porism.system.files.artifacts import EMBEDDINGS
from porism.vectors.embeddings.decontextual import Decontextualised, Decontextualizer
from porism.vectors.embeddings.decontextual_texts import ChannelSpans
from porism.vectors.embeddings.trainers import keep_state, take_up
from porism.vectors.embeddings.vectors import write_token_vectors

_POOL = {"cpu": 64, "cuda": 1_024}
"""Documents, or distinct formulas, whose texts are sorted by length together."""

KEEP_SECONDS = 600.0
"""The sums are kept about this often."""


@dataclass(frozen=True, slots=True)
class DecontextualReport:
    """What was made: the file, how many terms have vectors, and how many of the channel have none.

    It counts the documents (or distinct formulas) and tokens that were read, and how many of the former before an
    interruption. It gives the seconds of this run, and whether it was interrupted: then there is no file yet.
    """

    path: Path
    terms: int
    missing: int
    texts: int
    tokens: int
    resumed: int
    seconds: float
    interrupted: bool


def train_decontextualised(
    index_path: str | os.PathLike[str], name: str, channel: str, model: str | os.PathLike[str],
    settings: Decontextualised | None = None, *, device: str = "auto", batch: int = 8_192, restart: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> DecontextualReport:
    """Averages what a transformer makes of each term of a channel, and stores the vectors in the index as ``name``.

    ``model`` is the name or folder of a model; ``batch`` how many tokens it reads at once. Ctrl-C keeps what was summed
    up and is noted in the report; the same call continues from there unless ``restart``, as long as the index, the
    model's name and the settings are the same. ``on_progress`` receives how many documents, or distinct formulas, are
    done of how many.

    :raises ConfigError: the name is none, the index has no such channel, the model cannot be used, or no term of the
        channel occurs often enough.
    :raises MissingExtra: torch or transformers is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or Decontextualised()
    path = EMBEDDINGS.path(index_path, name)
    state = path.with_name(f"{name}.training")
    started = kept = time.monotonic()
    with Snapshot.open(index_path) as snapshot:
        generation = snapshot.generation
        analyzer = snapshot_analyzer(snapshot)
        if channel not in analyzer.channels:
            ChannelSpans(snapshot, analyzer, channel)  # refuses it before the model is loaded
        machine = Decontextualizer(model, settings, device=device, batch=batch)
        spans = ChannelSpans(snapshot, analyzer, channel, machine.math)
        described: dict[str, Any] = {
            "method": settings.method, "channel": channel, "model": os.fspath(model),
            "settings": write_settings(settings),
        }
        print_of = f"{sorted(described.items())} {batch} {snapshot.generation} {snapshot.doc_count}"
        fingerprint = xxhash.xxh3_64_hexdigest(print_of.encode())
        resumed = done = 0 if restart else int(take_up(machine, state, fingerprint).get("done", 0))
        texts = islice(spans, done, None)
        interrupted = False
        try:
            while pool := list(islice(texts, _POOL.get(machine.device.type, _POOL["cpu"]))):
                with uninterrupted():  # an interruption in the midst of a pool would count a part of it
                    machine.add([text for of_document in pool for text in of_document])
                    done += len(pool)
                on_progress(done, spans.total)
                if time.monotonic() - kept > KEEP_SECONDS:
                    keep_state(machine, state, {"fingerprint": fingerprint, "done": done})
                    kept = time.monotonic()
        except KeyboardInterrupt:
            interrupted = True
            keep_state(machine, state, {"fingerprint": fingerprint, "done": done})
        terms, vectors, counts = machine.means()
        missing = max(0, _term_count(snapshot, channel) - len(terms))
    seconds = time.monotonic() - started
    report = DecontextualReport(path, len(terms), missing, done, machine.tokens, resumed, seconds, interrupted)
    if interrupted:
        return report
    if not terms:
        raise ConfigError(
            f"no term of the channel {channel!r} occurs {settings.min_count} times where the model reads it",
            where=str(index_path), hint="Lower the minimal count, or index documents first.",
        )
    info = {
        **described, "texts": done, "tokens": machine.tokens, "missing": missing, "occurrences": int(counts.sum()),
        "generation": generation,
    }
    write_token_vectors(path, terms, vectors, info)
    state.unlink(missing_ok=True)
    return report


def _term_count(snapshot: Snapshot, channel: str) -> int:
    """How many terms a channel has in an index, those of deleted documents included."""
    if len(snapshot.segments) == 1:
        return len(snapshot.segments[0].dictionary(channel))
    terms: set[str] = set()
    for segment in snapshot.segments:
        terms.update(segment.dictionary(channel).packed().strings())
    return len(terms)
