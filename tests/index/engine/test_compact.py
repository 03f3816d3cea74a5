"""What is stored of postings is smaller than they, and gives back the same ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from term_cases import channel_case, random_counts

from porism.errors import IndexCorrupt
from porism.index import container
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.engine.compact import SPARED, STORED, compact, narrowed
from porism.index.engine.postings import Postings


def some_postings(documents: int = 300, most: int = 9) -> Postings:
    random = np.random.default_rng(6)
    counts = random_counts(random, documents, 1, 30, 0.02, most)
    counts[:, :, 25:] = random_counts(random, documents, 1, 5, 0.9, most)
    return channel_case(counts, [(0, 1.0)], wide=True).postings


def in_memory(postings: Postings) -> dict[str, np.ndarray]:
    fields = {field.name: getattr(postings, field.name) for field in dataclasses.fields(postings)}
    found = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    for name in ("stored_dense_df", "stored_length_counts"):
        found.pop(name, None)
    return {
        **found, "dense_df": postings.dense_df, "length_counts": postings.length_counts(),
        "list_lengths": postings.lists.lengths, "list_starts": postings.lists.starts,
        "dense_terms": postings.lists.dense_terms,
    }


def assert_same(found: Postings, expected: Postings) -> None:
    one, other = in_memory(found), in_memory(expected)
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.dtype == other[name].dtype, name
        assert np.array_equal(array, other[name]), name


def write(path: Path, postings: Postings) -> Container:
    with ContainerWriter(path, "derived") as writer:
        for name, array in postings.to_arrays().items():
            writer.add(name, array)
        writer.finish({})
    return Container(path, "derived")


@every_case(
    ("documents", "most"), [(0, 1), (1, 1), (200, 1), (200, 2), (300, 9), (300, 40_000), (70_000, 3)]
)
def test_the_same_postings_come_back(tmp_path: Path, documents: int, most: int) -> None:
    postings = some_postings(documents, most)
    assert len(postings.lists.dense_terms) > 0 or documents < 64
    assert_same(Postings.from_arrays(postings.to_arrays()), postings)
    assert_same(Postings.open(write(tmp_path / "p.bin", postings)), postings)


def test_each_array_takes_as_few_bytes_as_it_needs() -> None:
    few, some, many = (some_postings(documents).to_arrays() for documents in (200, 300, 70_000))
    assert [stored["docs"].dtype.itemsize for stored in (few, some, many)] == [1, 2, 4]
    assert [stored["list_lengths"].dtype.itemsize for stored in (few, many)] == [1, 2]
    assert some["dense_terms"].tolist() == [25, 26, 27, 28, 29]
    assert tuple(some) == STORED + SPARED
    once = some_postings(300, 1)
    assert len(once.sparse_codes) > 0
    assert once.to_arrays()["sparse_codes"].size == 0
    assert some["sparse_codes"].size > 0


def test_large_postings_are_stored_as_kernels_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    monkeypatch.setattr("porism.index.engine.compact.NARROWED_BYTES", 0)
    postings = some_postings(300, 1)
    assert postings.to_arrays()["docs"].dtype == np.int32
    found = Postings.open(write(tmp_path / "large.bin", postings))
    assert set(found.guards) == {"docs", "sparse_codes", "dense_codes"}
    assert set(found.lists.guards) == {"list_lengths", "list_starts"}
    assert_same(found, postings)


def test_files_of_older_versions_give_the_same_postings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    postings = some_postings()
    stored = {name: array for name, array in postings.to_arrays().items() if name not in SPARED}
    assert_same(Postings.from_arrays(stored), postings)
    with ContainerWriter(tmp_path / "old.bin", "derived") as writer:
        for name, array in stored.items():
            writer.add(name, array)
        writer.finish({})
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    found = Postings.open(Container(tmp_path / "old.bin", "derived"))
    assert found.lists.guards == {}
    assert np.array_equal(found.df, postings.df)
    assert_same(found, postings)


def test_small_postings_are_compared_before_they_are_made_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postings = some_postings()
    derived = write(tmp_path / "small.bin", postings)
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    assert set(Postings.open(derived).guards) == {"sparse_codes", "dense_codes"}
    with open(derived.path, "r+b") as file:
        file.seek(derived._entry("docs").start + 7)
        file.write(b"\xaa")
    with pytest.raises(IndexCorrupt, match="section 'docs'"):
        Postings.open(Container(derived.path, "derived"))


def test_what_was_copied_leaves_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unloaded: list[str] = []
    monkeypatch.setattr(Container, "unload", lambda self, name: unloaded.append(name))
    derived = write(tmp_path / "p.bin", some_postings())
    Postings.open(derived)
    with_content = {name for name in unloaded if derived.array(name).size}
    assert with_content == {"docs", "length_codes"}


def test_numbers_take_the_smallest_type_that_has_them_all() -> None:
    for most, dtype in ((0, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.int32)):
        found = narrowed(np.array([0, most], np.int32))
        assert (found.dtype, found.tolist()) == (dtype, [0, most])
    assert narrowed(np.zeros(0, np.int32)).dtype == np.uint8


@every_case("terms", [[3, 3], [4, 2], [-1, 2], [2, 30], [30]])
def test_dense_terms_that_are_not_there_are_refused(terms: list[int]) -> None:
    stored = some_postings().to_arrays()
    with pytest.raises(IndexCorrupt, match="terms that are not there"):
        Postings.from_arrays({**stored, "dense_terms": np.array(terms, np.int32)})


@every_case("change", [
    {"dense_df": np.array([5, 301, 5, 5, 5], np.int32)}, {"dense_df": np.array([-1, 5, 5, 5, 5], np.int32)},
    {"dense_df": np.array([5], np.int32)}, {"list_starts": np.array([0], np.int64)},
    {"list_starts": np.array([1, 0], np.int64)}, {"length_counts": np.array([300], np.int64)},
])
def test_what_spares_passes_must_fit(change: dict[str, np.ndarray]) -> None:
    stored = some_postings().to_arrays()
    assert stored["dense_df"].shape == (5,)
    assert stored["list_starts"].tolist() == [0, len(some_postings().docs)]
    with pytest.raises(IndexCorrupt):
        Postings.from_arrays({**stored, **change})


def test_stored_counts_of_lengths_are_those_of_the_documents() -> None:
    postings = some_postings()
    stored = postings.to_arrays()
    found = Postings.from_arrays(stored)
    live = np.arange(300) % 3 > 0
    for which in (None, np.ones(300, np.bool_), live):
        assert found.length_counts(which).tolist() == postings.length_counts(which).tolist()
    assert found.length_counts(live).sum() == 200
    counts = stored["length_counts"].copy()
    counts[0] += 1  # more documents than there are
    with pytest.raises(IndexCorrupt, match="do not fit"):
        Postings.from_arrays({**stored, "length_counts": counts})
    older = {name: array for name, array in stored.items() if name != "length_counts"}
    assert Postings.from_arrays(older).length_counts().tolist() == stored["length_counts"].tolist()


@every_case("name", STORED + SPARED)
def test_arrays_of_other_types_or_missing_ones_are_refused(name: str) -> None:
    stored = some_postings().to_arrays()
    if name in STORED:
        with pytest.raises(IndexCorrupt, match=f"lack {name}"):
            Postings.from_arrays({other: array for other, array in stored.items() if other != name})
    for dtype in (np.int16, np.uint64, np.float32):
        with pytest.raises(IndexCorrupt, match="of other types"):
            Postings.from_arrays({**stored, name: stored[name].astype(dtype)})


def test_nothing_is_changed_in_memory() -> None:
    postings = some_postings()
    before = {name: array.copy() for name, array in in_memory(postings).items()}
    stored = compact(in_memory(postings))
    stored["docs"][:] = 0
    assert all(np.array_equal(array, before[name]) for name, array in in_memory(postings).items())
