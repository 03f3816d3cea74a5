"""Where lists are is added up from lengths, only for the terms that are looked up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from term_cases import channel_case, random_counts

from porism.errors import IndexCorrupt
from porism.index import container
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.engine.live_frequencies import LiveFrequencies
from porism.index.engine.postings import Postings
from porism.index.engine.term_list_kernels import GROUP
from porism.index.engine.term_lists import TermLists, group_starts


@every_case("most", [3, 300, 70_000])
def test_lists_are_where_the_sums_of_all_lengths_say(most: int) -> None:
    random = np.random.default_rng(most)
    lengths = random.integers(0, most, 3 * GROUP + 7)
    dense = np.array([0, GROUP - 1, GROUP, 3 * GROUP + 6], np.int32)
    lengths[dense] = 0
    lists = TermLists.of(lengths, dense)
    expected = np.concatenate([[0], np.cumsum(lengths)])
    assert lists.lengths.dtype.itemsize == {3: 1, 300: 2, 70_000: 4}[most]
    assert lists.starts.tolist() == [*expected[:-1:GROUP].tolist(), expected[-1]]
    assert lists.indptr.tolist() == expected.tolist()
    terms = np.array([5, 0, GROUP, GROUP + 1, 2 * GROUP - 1, 3 * GROUP + 5, 3 * GROUP + 6, 5])
    found = lists.find(terms)
    assert found.dense.tolist() == [-1, 0, 2, -1, -1, -1, 3, -1]
    sparse = found.dense < 0
    assert found.starts[sparse].tolist() == expected[terms[sparse]].tolist()
    assert found.stops[sparse].tolist() == expected[terms[sparse] + 1].tolist()
    assert (found.starts[~sparse].tolist(), found.stops[~sparse].tolist()) == ([0, 0, 0], [0, 0, 0])
    assert np.flatnonzero(lists.dense_of_term >= 0).tolist() == dense.tolist()


def test_sums_of_groups_do_not_depend_on_how_many_are_added_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = np.random.default_rng(1).integers(0, 200, 5 * GROUP + 3).astype(np.uint8)
    whole = group_starts(lengths)
    monkeypatch.setattr("porism.index.engine.term_lists._AT_A_TIME", 2 * GROUP)
    assert group_starts(lengths).tolist() == whole.tolist()
    assert whole[-1] == int(lengths.sum(dtype=np.int64))


@every_case("term", [-1, 10, 2**31 - 1])
def test_terms_that_are_not_there_are_refused(term: int) -> None:
    with pytest.raises(IndexCorrupt, match="lists that are not there"):
        TermLists.of(np.ones(10, np.int64), np.zeros(0, np.int32)).find(np.array([3, term]))


@every_case("start", [-3, 8, 2**40])
def test_lists_outside_the_postings_are_refused(start: int) -> None:
    lists = TermLists(np.ones(10, np.uint8), np.array([start, 10]), np.zeros(0, np.int32), 10)
    with pytest.raises(IndexCorrupt, match="lists that are not there"):
        lists.find(np.array([2]))


def large(path: Path, monkeypatch: pytest.MonkeyPatch, block: int = 64) -> Container:
    """Postings in a file of which every section is large, with a checksum for each ``block`` bytes."""
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)
    monkeypatch.setattr("porism.index.engine.compact.NARROWED_BYTES", 0)
    monkeypatch.setitem(container.BLOCKS, container.FORMAT, block)
    monkeypatch.setattr("porism.index.container_writer.BLOCK", block)
    random = np.random.default_rng(6)
    counts = random_counts(random, 300, 1, 500, 0.02, 9)
    counts[:, :, 490:] = random_counts(random, 300, 1, 10, 0.9, 9)
    postings = channel_case(counts, [(0, 1.0)], wide=True).postings
    with ContainerWriter(path, "derived") as writer:
        for name, array in postings.to_arrays().items():
            writer.add(name, array)
        writer.finish({})
    return Container(path, "derived")


def unread(derived: Container) -> dict[str, int]:
    names = ("docs", "sparse_codes", "dense_codes", "list_lengths", "list_starts")
    return {name: int(np.count_nonzero(derived._blocks(name))) for name in names}


def test_a_look_up_compares_only_the_blocks_of_its_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    derived = large(tmp_path / "p.bin", monkeypatch)
    postings = Postings.open(derived)
    whole = unread(derived)
    assert whole == {"docs": 182, "sparse_codes": 46, "dense_codes": 47, "list_lengths": 8, "list_starts": 0}
    found = postings.df_of(np.array([70]))
    assert unread(derived) == {**whole, "list_lengths": 7, "list_starts": 0}
    assert found.tolist() == [postings.df[70]]
    assert postings.df_of(np.array([495])).tolist() == [int(postings.dense_df[5])]
    assert unread(derived)["dense_codes"] == whole["dense_codes"]
    postings.require_documents(np.array([3]))
    assert unread(derived)["dense_codes"] == whole["dense_codes"] - 1


@every_case(
    ("name", "message"), [("list_lengths", "'list_lengths'"), ("list_starts", "'list_starts'")]
)
def test_damage_is_found_before_a_list_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    path = large(tmp_path / "p.bin", monkeypatch).path
    entry = Container(path, "derived")._entry(name)
    with open(path, "r+b") as file:
        file.seek(entry.start)
        file.write(b"\xee")
    with pytest.raises(IndexCorrupt, match=message):
        Postings.open(Container(path, "derived")).df_of(np.array([3]))


@every_case("share", [1.0, 0.7, 0.0])
def test_live_frequencies_are_those_of_all_terms_counted_at_once(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porism.index.engine.live_frequencies._CELLS_AT_A_TIME", 40)
    monkeypatch.setattr("porism.index.engine.live_frequencies._POSTINGS_AT_A_TIME", 30)
    random = np.random.default_rng(2)
    counts = random_counts(random, 300, 1, 60, 0.03, 9)
    counts[:, :, 50:] = random_counts(random, 300, 1, 10, 0.6, 9)
    case = channel_case(counts, [(0, 1.0)], wide=True)
    live = random.random(300) < share
    assert len(case.postings.lists.dense_terms) == 10
    expected = (case.tf[live] > 0).sum(axis=0)
    found = LiveFrequencies(case.postings, live)
    assert found.of(np.arange(60)).tolist() == expected.tolist()
    some = np.array([55, 3, 59, 3])
    assert found.of(some).tolist() == expected[some].tolist()
    assert case.postings.live_df(live).tolist() == expected.tolist()
    assert len(found.of(np.zeros(0, np.int64))) == 0
