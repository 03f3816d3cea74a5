"""What a merge of segments takes, step by step: processor time and memory of its own, at any size.

::

    python -m benchmarks speed merging --index DIR --work DIR
    python -m benchmarks speed merging --index DIR --work DIR --copies 14 --derive

Takes the largest segment of an index as ``--parts`` segments of equal size, which have its whole vocabularies each, and
writes them as one. With ``--copies`` it writes the segment many times over instead, in copies that share frequent terms
and short formulas alone: their documents, other formulas and rare terms (of fewer than three documents or formulas)
have other names. So the merge is that of a collection so much larger, before anyone has built it; what copies hold is
decoded and sorted again, which a merge of segments is spared. ``--derive`` then writes what searches read beside it.

Memory is the highest that is not a page of a file (``RssAnon``, Linux), sampled a hundred times a second.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment, Snapshot, build
from porism.index.container_writer import ContainerWriter
from porism.index.parts import SegmentInput, SegmentPart
from porism.index.runs import StringRuns
from porism.index.strings import Packed

STEPS = ("_occurrences", "_merge_formulas", "_write_occurrences", "_write_keys", "_write_channel", "write_records")
SHORT = 12
"""Keys of formulas up to this length are shared by copies: letters, numbers, names with an index."""


class Watch:
    """Prints processor time and memory of each step."""

    def __init__(self) -> None:
        self._peak, self._highest = 0.0, 0.0
        self._last = self._first = time.process_time()
        threading.Thread(target=self._sample, daemon=True).start()

    @staticmethod
    def own_mb() -> float:
        """Memory of this process that is not a page of a file, in MiB."""
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024

    def _sample(self) -> None:
        while True:
            self._peak = max(self._peak, self.own_mb())
            time.sleep(0.01)

    def note(self, what: str) -> None:
        """Ends a step."""
        now, peak = time.process_time(), max(self._peak, self.own_mb())
        self._highest = max(self._highest, peak)
        self._print(what, now - self._last, peak)
        self._last, self._peak = time.process_time(), 0.0

    def end(self, what: str) -> None:
        """Prints the sum of the steps so far, and begins anew."""
        self._print(what, time.process_time() - self._first, self._highest)
        self._first, self._highest = time.process_time(), 0.0

    @staticmethod
    def _print(what: str, seconds: float, peak: float) -> None:
        print(f"{what:60}{seconds:9.2f} processor s {peak:8,.0f} peak MB", flush=True)


def marked(strings: Packed, mark: str, some: NDArray[np.bool_]) -> Packed:
    """The strings, with a mark behind some of them."""
    end = mark.encode()
    lengths = np.diff(strings.starts)
    starts = np.concatenate([[0], np.cumsum(lengths + np.where(some, len(end), 0))]).astype(np.int64)
    blob = np.empty(starts[-1], np.uint8)
    blob[np.repeat(starts[:-1] - strings.starts[:-1], lengths) + np.arange(strings.starts[-1])] = strings.blob
    for place, byte in enumerate(end):
        blob[starts[1:][some] - len(end) + place] = byte
    return Packed(blob, starts)


class CopiedPart(SegmentPart):
    """A segment of which documents, formulas and rare terms have a mark behind their names."""

    def __init__(self, segment: Segment, number: int) -> None:
        super().__init__(segment, np.ones(segment.doc_count, np.bool_))
        self._mark = f"~{number}"

    def ids(self) -> Packed:
        ids = super().ids()
        return marked(ids, self._mark, np.ones(len(ids), np.bool_))

    def keys(self) -> StringRuns:
        keys = self.segment.keys.packed()
        return StringRuns.of_strings(marked(keys, self._mark, np.diff(keys.starts) > SHORT))

    def vocabulary(self, channel: str) -> StringRuns:
        dictionary = self.segment.dictionary(channel)
        rare = np.ones(len(dictionary), np.bool_)
        rare[: len(dictionary) - dictionary.groups()[-1][1]] = False
        return StringRuns.of_strings(marked(dictionary.packed(), self._mark, rare))


def watched(watch: Watch, name: str) -> Callable[..., Any]:
    """A step of :mod:`porism.index.build` that notes what it took."""
    step = getattr(build, name)

    def run(*given: Any, **named: Any) -> Any:
        found = step(*given, **named)
        of = next((one for one in given[:3] if isinstance(one, str)), "")
        watch.note(f"{name.removeprefix('_')} {of}")
        return found

    return run


def main() -> int:
    """Parses arguments and merges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="a folder that is made, and removed at the end")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--copies", type=int, default=0)
    parser.add_argument("--derive", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the segment")
    options = parser.parse_args()
    if options.work.exists():
        parser.error(f"{options.work} is there already")
    watch = Watch()
    for name in STEPS:
        setattr(build, name, watched(watch, name))
    with Snapshot.open(options.index) as snapshot:
        segment = max(snapshot.segments, key=lambda one: one.doc_count)
        part_of = np.arange(segment.doc_count) * options.parts // segment.doc_count
        parts: list[SegmentInput] = (
            [CopiedPart(segment, number) for number in range(options.copies)] if options.copies
            else [SegmentPart(segment, part_of == number) for number in range(options.parts)]
        )
        watch.note("open")
        folder = options.work / "segment"
        stamp = build.write_segment(folder, parts)
    watch.end("merge")
    if options.derive:
        derive(Segment(folder, stamp), watch)
    print(f"{sum(file.stat().st_size for file in folder.rglob('*.bin')) / 2**20:,.0f} MB on disk")
    if not options.keep:
        shutil.rmtree(options.work)
    return 0


def derive(segment: Segment, watch: Watch) -> None:
    """Writes what searches read beside a segment."""
    from porism.search.sources.indexing import prepare_for_searches

    finish = ContainerWriter.finish

    def noted(writer: ContainerWriter, info: Any) -> Any:
        found = finish(writer, info)
        watch.note(writer.path.stem.rpartition("-")[0] or writer.path.stem)
        return found

    setattr(ContainerWriter, "finish", noted)  # noqa: B010 (a method of a class that knows nothing of it)
    prepare_for_searches([segment])
    watch.end("derive")


if __name__ == "__main__":
    sys.exit(main())
