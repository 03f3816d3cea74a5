"""Damage in what searches read: does a search ever crash, or answer differently without saying so?

::

    python tests/index/bit_flips.py --flips 700                       # every section as if it were over 64 MiB
    python tests/index/bit_flips.py --flips 700 --index DIR           # an index of one's own, at its real sizes
    python tests/index/bit_flips.py --flips 700 --documents 400000    # one that is made of the sample, over 64 MiB

Each time one bit of one file is turned, in a large section, and a process of its own asks one of the queries. Every
other bit is drawn from pages of memory that this query touches, as the system saw it in a process that asked it before
(on Linux); the rest from all bytes of large sections. A search may answer as before, or raise
:class:`porism.errors.IndexCorrupt`. Anything else is counted as a failure: a signal, another answer, another exception.
Exits with 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.corpus import open_source
from porism.errors import IndexCorrupt
from porism.index import IndexWriter, container
from porism.index.engine import compact
from porism.sample import ENTRIES
from porism.search.index import open_index
from porism.search.sources.indexing import prepare_for_searches

QUERIES = [
    "prime number theorem", "continuous function on a compact space $f(x)$", r"$\sum_{n=1}^{\infty} \frac{1}{n^2}$",
    "eigenvalues of a matrix $A^T A$", "group homomorphism kernel", r"$x^2 + y^2 = z^2$", "derivative of an integral",
]
SECONDS = 120
"""A search that takes longer never ends."""
FORMULAS = [r"$\sum_{i=1}^m i^2$", r"$a^2+b^2=c^2$"]


def make_index(folder: Path, documents: int) -> None:
    """An index of so many documents: the sample again and again, each time under new ids."""
    config = AnalysisConfig()
    batch, _ = Analyzer(config).analyze(list(open_source(ENTRIES)))
    with IndexWriter(folder, config=config.to_dict(), buffer_bytes=1 << 40, buffer_documents=1 << 40) as writer:
        for copy in range(-(-documents // len(batch.ids))):
            ids = [f"{copy}-{doc_id}" for doc_id in batch.ids]
            stored = [
                orjson.dumps({**orjson.loads(one), "id": new}) for one, new in zip(batch.stored, ids, strict=True)
            ]
            writer.add(replace(batch, ids=ids, stored=stored))
        writer.commit(before_publish=prepare_for_searches)


def answer(folder: Path, query: int, then: Callable[[], None] = lambda: None) -> str:
    """What a query finds, as text; those after the last of :data:`QUERIES` are of :data:`FORMULAS`.

    ``then`` is called while the index is still open.
    """
    with open_index(folder) as index:
        if query < len(QUERIES):
            found = [(hit.id, hit.score, str(hit.snippet)) for hit in index.search(QUERIES[query], k=10)]
        else:
            hits = index.search_formulas(FORMULAS[query - len(QUERIES)], k=10)
            found = [(hit.key, hit.score, "") for hit in hits]
        then()
    return json.dumps(found, ensure_ascii=False)


Span = tuple[int, int]
"""The first byte and the byte after the last."""


def pages_in_memory(folder: Path) -> dict[Path, list[Span]]:
    """For each file below a folder the parts of it that this process has touched since it mapped them.

    The page table says so (``/proc/self/pagemap``); the system maps a few neighbours of a page with it. Nothing where
    there is no such table.
    """
    page = mmap.PAGESIZE
    found: dict[Path, list[Span]] = {}
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
        table = os.open("/proc/self/pagemap", os.O_RDONLY)
    except OSError:
        return {}
    for line in lines:
        parts = line.split(maxsplit=5)
        if len(parts) < 6 or not parts[5].startswith(str(folder.resolve())):
            continue
        first, last = (int(part, 16) // page for part in parts[0].split("-"))
        entries = np.frombuffer(os.pread(table, 8 * (last - first), 8 * first), "<u8")
        there = np.flatnonzero(np.diff(entries >> np.uint64(63), prepend=0, append=0)) * page + int(parts[2], 16)
        spans = zip(there[::2].tolist(), there[1::2].tolist(), strict=True)
        found.setdefault(Path(parts[5]), []).extend(spans)
    os.close(table)
    return found


def ask_and_look(folder: Path, query: int) -> tuple[str, dict[Path, list[Span]]]:
    """What a query finds, and the parts of files that a process of its own touches for it."""
    expected = answer(folder, query)  # a first time, so that nothing that is made once is made in the process
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            found: dict[Path, list[Span]] = {}
            answer(folder, query, lambda: found.update(pages_in_memory(folder)))
            with os.fdopen(writing, "w", encoding="utf-8") as telling:
                json.dump({str(file): spans for file, spans in found.items()}, telling)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        value = json.load(told)
    os.waitpid(process, 0)
    return expected, {Path(file): [(first, stop) for first, stop in spans] for file, spans in value.items()}


def ask(folder: Path, query: int, expected: str) -> str:
    """What becomes of a query in a process of its own: ``same``, ``noticed``, or what is wrong."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        outcome = "killed in the midst"
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            outcome = "same" if answer(folder, query) == expected else "wrong: another answer"
        except IndexCorrupt:
            outcome = "noticed"
        except BaseException as error:
            outcome = f"wrong: {type(error).__name__}: {error}"[:300]
        finally:
            os.write(writing, outcome.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as told:
        outcome = told.read()
    _, status = os.waitpid(process, 0)
    return f"wrong: signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else outcome


def sections(folder: Path, least: int) -> list[tuple[Path, str, int, int]]:
    """File, name, first byte and bytes of each section with at least so many bytes."""
    found: list[tuple[Path, str, int, int]] = []
    for file in sorted(folder.rglob("*.bin")):
        content = np.memmap(file, np.uint8, "r")
        offset, length = np.frombuffer(content[-32:-16].tobytes(), "<u8").tolist()
        table = orjson.loads(content[offset : offset + length].tobytes())
        for name, (start, dtype, shape, *_) in table["sections"].items():
            size = np.dtype(dtype).itemsize * int(np.prod(shape))
            if size >= max(least, 1):
                found.append((file, name, start, size))
    return found


def flip_bits(folder: Path, flips: int, *, limit: int | None, seed: int = 1) -> Counter[str]:
    """Turns so many bits, one at a time, and counts what becomes of the queries.

    With ``limit`` sections above so many bytes are those that are not compared whole; bits are turned in these. Every
    other one is turned where the query reads, the sections being equally likely; the rest anywhere. What is counted
    begins with ``read`` or ``anywhere``.
    """
    if limit is not None:
        container.CHECKED_BYTES = limit
    places = sections(folder, container.CHECKED_BYTES + 1)
    asked = [ask_and_look(folder, query) for query in range(len(QUERIES) + len(FORMULAS))]
    read = [_inside(places, touched) for _, touched in asked]
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for turn in range(1, flips + 1):
        query = chance.randrange(len(asked))
        where = "read" if turn % 2 and read[query] else "anywhere"
        if where == "read":
            file, name, spans = chance.choice(read[query])
            first, stop = chance.choices(spans, [stop - first for first, stop in spans])[0]
            at = chance.randrange(first, stop)
        else:
            file, name, start, size = chance.choices(places, [size for _, _, _, size in places])[0]
            at = start + chance.randrange(size)
        with open(file, "r+b", buffering=0) as disk:
            before = os.pread(disk.fileno(), 1, at)
            os.pwrite(disk.fileno(), bytes([before[0] ^ 1 << chance.randrange(8)]), at)
            outcome = ask(folder, query, asked[query][0])
            os.pwrite(disk.fileno(), before, at)
        outcomes[f"{where}: {outcome}" + (f" ({name})" if outcome.startswith("wrong") else "")] += 1
        if turn % 100 == 0:
            print(f"{turn} bits: {dict(outcomes)}", file=sys.stderr, flush=True)
    return outcomes


Place = tuple[Path, str, int, int]


def _inside(places: Sequence[Place], touched: Mapping[Path, Sequence[Span]]) -> list[tuple[Path, str, list[Span]]]:
    """The sections that were touched, and the parts of each that were."""
    found = []
    for file, name, start, size in places:
        parts = [(max(start, first), min(start + size, stop)) for first, stop in touched.get(file.resolve(), ())]
        if parts := [(first, stop) for first, stop in parts if first < stop]:
            found.append((file, name, parts))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--index", type=Path, help="an index to damage, which is put right again")
    parser.add_argument("--documents", type=int, help="make one of so many documents, and leave the limit")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.index or Path(scratch) / "index"
        limit = None if arguments.index or arguments.documents else 0
        if limit is not None:
            container.CHECKED_BYTES = compact.NARROWED_BYTES = limit  # small sections are written like large ones, too
        if not (folder / "manifest.json").exists():
            make_index(folder, arguments.documents or 2_000)
        large = sections(folder, (container.CHECKED_BYTES if limit is None else limit) + 1)
        print(f"{len(large)} sections, the largest of {max((size for *_, size in large), default=0) >> 20} MiB")
        outcomes = flip_bits(folder, arguments.flips, limit=limit, seed=arguments.seed)
    for outcome, count in outcomes.most_common():
        print(f"{count:5}  {outcome}")
    sys.exit(1 if any("wrong" in outcome for outcome in outcomes) else 0)


if __name__ == "__main__":
    main()
