"""An index that someone made to do harm, with checksums that agree: no file of it leads a search out of its arrays.

Each case changes one section of one file, and a process of its own reads and searches all of it. It must say that the
index is damaged, or come to an end with whatever it finds; it must not be killed, or fail in another way.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from crafting import Change, craft, names_of, reseal
from long_forms import LONG

from porism.corpus import open_source
from porism.errors import IndexCorrupt, PorismError
from porism.index import Snapshot, container
from porism.index.container import Container
from porism.retrieve.lexical.channels import build_postings, open_postings
from porism.sample import ENTRIES
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents, prepare_for_searches

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork, which Windows lacks: run it on Linux or macOS")

QUESTION = r"the sum of squares $\sum_{i=1}^m i^2$ of a continuous function"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as an index, with derived data, in one segment."""
    folder = tmp_path_factory.mktemp("crafted") / "index"
    index_documents(list(open_source(ENTRIES))[:40], folder, jobs=1)
    use(folder)  # loads the kernels, which the children then have
    return folder


def use(folder: Path) -> None:
    """Reads everything of an index in all the ways there are."""
    with Snapshot.open(folder) as snapshot:
        for segment in snapshot.segments:
            segment.names.packed().strings()
            segment.keys.packed().strings()
            segment.metadata_counts()
            for doc in range(segment.doc_count):
                segment.metadata(doc)
            list(segment.records("stored"))
            list(segment.records("sources"))
            for channel in (*segment.text_channels, *segment.formula_channels):
                segment.dictionary(channel).packed().strings()
                segment.matrix(channel).csr.take(np.arange(3))
            channel = segment.text_channels[0]
            build_postings(segment, channel, {})
            stored = open_postings(segment, channel, {})
            stored.live_df(np.arange(segment.doc_count) % 2 == 0)
            segment.occurrences.ids()
    index = open_index(folder)
    for hit in index.search(QUESTION, k=20):
        index.document(hit.id)
    index.search_formulas(r"$\sum_{i=1}^m i^2$", k=5)
    index.explain(QUESTION, index.search(QUESTION, k=1)[0].id)


def outcome(work: Callable[[], object]) -> str:
    """What becomes of a call in a process of its own."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        told = "killed"
        try:
            work()
            told = "done"
        except IndexCorrupt:
            told = "damaged"
        except PorismError as error:
            told = f"error: {error}"
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, told.encode()[:2000])
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as pipe:
        told = pipe.read()
    _, status = os.waitpid(process, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else told


def lowest(array: np.ndarray) -> None:
    array.reshape(-1)[:] = np.iinfo(array.dtype).min if array.dtype.kind in "iu" else -np.inf


def highest(array: np.ndarray) -> None:
    array.reshape(-1)[:] = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.nan


def shuffled(array: np.ndarray) -> None:
    np.random.default_rng(3).shuffle(array.reshape(-1))


def one_large(array: np.ndarray) -> None:
    flat = array.reshape(-1)
    flat[len(flat) // 2] = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else 1e308


def noise(array: np.ndarray) -> None:
    flat = array.reshape(-1).view(np.uint8)
    flat[:] = np.random.default_rng(5).integers(0, 256, len(flat))


CHANGES: dict[str, Change] = {
    "lowest": lowest, "highest": highest, "shuffled": shuffled, "one large": one_large, "noise": noise,
}
SOUND = ("done", "damaged")
THOROUGH = "PORISM_THOROUGH" in os.environ
"""Every change of every section; in the long form two of each, all numbers too small or too large and one of the
others; in the short form one of every fourth section."""


def is_due(number: int, change: str) -> bool:
    place = list(CHANGES).index(change)
    if not (LONG or THOROUGH):
        return number % (4 * len(CHANGES)) == 2 * place
    return THOROUGH or (number % 2 == place if place < 2 else number % 3 == place - 2)


@every_case("change", CHANGES)
def test_segments(whole: Path, tmp_path: Path, change: str) -> None:
    failed = {}
    (file,) = whole.glob("segments/*/segment.bin")
    relative = file.relative_to(whole)
    for number, name in enumerate(names_of(file)):
        if not is_due(number, change):
            continue
        copy = tmp_path / "index"
        shutil.copytree(whole, copy)
        craft(copy / relative, name, CHANGES[change])
        reseal(copy)
        told = outcome(lambda copy=copy: use(copy))  # type: ignore[misc]
        if told not in SOUND:
            failed[name] = told
        shutil.rmtree(copy)
    assert failed == {}


@every_case("change", CHANGES)
def test_derived_data(whole: Path, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    failed = {}
    seen: set[tuple[str, str]] = set()
    copy = tmp_path / "index"
    shutil.copytree(whole, copy)
    for file in sorted(copy.glob("segments/*/derived/*.bin")):
        content = file.read_bytes()
        for name in names_of(file):
            if (file.name.split("-")[0], name) in seen:
                continue
            seen.add((file.name.split("-")[0], name))
            if not is_due(len(seen), change):
                continue
            craft(file, name, CHANGES[change])
            told = outcome(lambda: use(copy))
            if told not in SOUND:
                failed[f"{file.name}: {name}"] = told
            file.write_bytes(content)
    assert failed == {}
    assert len(seen) > 25


@every_case("change", CHANGES)
def test_large_postings(whole: Path, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of postings that are stored as kernels read them, which the cases above do not have."""
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    monkeypatch.setattr("porism.index.engine.compact.NARROWED_BYTES", 0)
    copy = tmp_path / "index"
    shutil.copytree(whole, copy)
    for file in copy.glob("segments/*/derived/postings-*.bin"):
        file.unlink()
    with Snapshot.open(copy) as snapshot:
        prepare_for_searches(snapshot.segments)
    files = sorted(copy.glob("segments/*/derived/postings-*.bin"))
    assert all(Container(file, "derived").array("docs").dtype == np.int32 for file in files)
    for file in files:
        craft(file, "docs", CHANGES[change])
    assert outcome(lambda: use(copy)) in SOUND


def test_what_is_changed_is_used(whole: Path) -> None:
    """The cases above change what is read: a checksum that does not agree is noticed in each of them."""
    (file,) = whole.glob("segments/*/segment.bin")
    content = file.read_bytes()
    try:
        craft(file, "ids:rank", lowest)
        assert outcome(lambda: Snapshot.open(whole)) == "damaged"
        reseal(whole)
        assert outcome(lambda: use(whole)) == "damaged"
    finally:
        file.write_bytes(content)
        reseal(whole)
    assert outcome(lambda: use(whole)) == "done"
