"""Rows of term counts and compressed records give back what went in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from crafting import craft
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import IndexCorrupt
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.records import Records, write_records
from porism.index.row_kernels import decode_rows
from porism.index.rows import Csr, TermRows, write_rows
from porism.system.compiled.kernels import address

ROWS = st.lists(st.dictionaries(st.integers(0, 300) | st.integers(0, 2**31 - 2), st.integers(1, 65_535), max_size=70))


def csr(rows: list[dict[int, int]]) -> Csr:
    pairs = [pair for row in rows for pair in sorted(row.items())]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Csr(
        indptr, np.asarray([term for term, _ in pairs], np.int32), np.asarray([count for _, count in pairs], np.uint16)
    )


def as_dicts(found: Csr) -> list[dict[int, int]]:
    bounds = found.indptr.tolist()
    pairs = list(zip(found.terms.tolist(), found.counts.tolist(), strict=True))
    assert all(a < b for low, high in pairwise(bounds) for (a, _), (b, _) in pairwise(pairs[low:high]))
    return [dict(pairs[low:high]) for low, high in pairwise(bounds)]


def stored(folder: Path, pieces: list[tuple[Csr, np.ndarray]]) -> TermRows:
    with ContainerWriter(folder / "r.bin", "test") as writer:
        info = write_rows(writer, "r", iter(pieces))
        writer.finish({})
    terms = max((int(numbers.max(initial=-1)) for _, numbers in pieces), default=-1) + 1
    return TermRows(Container(folder / "r.bin", "test"), "r", {**info, "terms": terms})


@settings(deadline=None)
@given(ROWS, st.integers(0, 30))
def test_rows_come_back(tmp_path_factory, rows: list[dict[int, int]], split: int) -> None:
    # The terms on disk are numbered anew: here the distinct terms by their order, reversed.
    distinct = sorted({term for row in rows for term in row})
    local = {term: position for position, term in enumerate(distinct)}
    numbers = np.arange(len(distinct), dtype=np.int32)[::-1].copy()
    small = [{local[term]: count for term, count in row.items()} for row in rows]
    expected = [{int(numbers[term]): count for term, count in row.items()} for row in small]
    found = stored(tmp_path_factory.mktemp("r"), [(csr(small[:split]), numbers), (csr(small[split:]), numbers)])
    assert len(found) == len(rows)
    assert as_dicts(found.csr) == expected
    assert found.postings == len(found.terms) == sum(map(len, rows))
    assert found.tokens == int(found.counts.sum(dtype=np.int64))
    some = np.array([len(rows) - 1, -1, 0, 0] if rows else [-1], np.int64)
    assert as_dicts(found.select(some)) == [expected[row] if row >= 0 else {} for row in some]
    chunks = list(found.chunks(7))
    assert [first for first, _ in chunks] == list(range(0, len(rows), 7))
    assert [row for _, chunk in chunks for row in as_dicts(chunk)] == expected


def test_large_term_numbers(tmp_path: Path) -> None:
    numbers = np.array([2**31 - 2, 0, 2**30], np.int32)
    found = stored(tmp_path, [(csr([{0: 65_535, 1: 1, 2: 2}]), numbers)])
    assert as_dicts(found.csr) == [{0: 1, 2**30: 2, 2**31 - 2: 65_535}]


def test_rows_of_very_large_channels_are_read_alike(tmp_path: Path) -> None:
    rows = [{3: 1, 9: 4}, {}, {0: 2}]
    found = stored(tmp_path, [(csr(rows), np.arange(10, dtype=np.int32))])
    far = found._starts.astype(np.uint64)
    decoded = decode_rows(found._data.array, address(far), True, np.array([2, 1, 0]), 10)
    assert as_dicts(Csr(*decoded)) == rows[::-1]
    far[2] = 2**63  # no position, and none below 0 either
    assert decode_rows(found._data.array, address(far), True, np.array([1]), 10)[0][0] == -1


@every_case("rows", [[-2], [3], [0, 10**12]])
def test_rows_that_are_not_there(tmp_path: Path, rows: list[int]) -> None:
    found = stored(tmp_path, [(csr([{0: 1}, {}, {1: 1}]), np.arange(2, dtype=np.int32))])
    with pytest.raises(IndexError, match="of 3"):
        found.select(np.array(rows))


@settings(deadline=None)
@given(ROWS, st.data())
def test_taking_rows_in_memory(rows: list[dict[int, int]], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(-1, len(rows) - 1)))
    taken = csr(rows).take(np.asarray(wanted, np.int64))
    assert as_dicts(taken) == [rows[row] if row >= 0 else {} for row in wanted]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=50) | st.binary(min_size=200, max_size=400)), st.integers(1, 300))
def test_records_come_back(tmp_path_factory, records: list[bytes], block: int) -> None:
    path = tmp_path_factory.mktemp("z") / "z.bin"
    with ContainerWriter(path, "test") as writer:
        assert write_records(writer, "z", iter(records), block) == len(records)
        writer.finish({})
    found = Records(Container(path, "test"), "z")
    assert len(found) == len(records)
    assert list(found) == records
    assert [found[position] for position in reversed(range(len(records)))] == records[::-1]
    backwards = np.arange(len(records))[::-1]
    assert list(found.take(backwards)) == records[::-1]
    for position in (-1, len(records)):
        with pytest.raises(IndexError):
            found[position]


def test_a_changed_block_is_noticed_even_in_a_large_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "z.bin"
    with ContainerWriter(path, "test") as writer:
        write_records(writer, "z", [b"some text of a document " * 20], 1000)
        writer.finish({})
    content = bytearray(path.read_bytes())
    for at in range(70, 90):
        content[at] ^= 0xFF
    path.write_bytes(content)
    monkeypatch.setattr("porism.index.container.CHECKED_BYTES", 0)
    with pytest.raises(IndexCorrupt, match="z:data"):
        Records(Container(path, "test"), "z")[0]


def test_terms_with_one_number_become_one_posting(tmp_path: Path) -> None:
    numbers = np.array([1, 0, 1, 1], np.int32)
    found = stored(tmp_path, [(csr([{0: 2, 1: 7, 2: 3}, {3: 65_535, 0: 1}, {2: 1}]), numbers)])
    assert as_dicts(found.csr) == [{0: 7, 1: 5}, {1: 65_535}, {1: 1}]
    assert found.postings == 4


def test_changed_rows_are_noticed_even_in_a_large_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{3: 1, 9: 4}, {}, {0: 2, 5: 300}]
    stored(tmp_path, [(csr(rows), np.arange(10, dtype=np.int32))])
    monkeypatch.setattr("porism.index.container.CHECKED_BYTES", 0)
    path = tmp_path / "r.bin"
    content = path.read_bytes()
    info = {"rows": 3, "postings": 4, "tokens": 307, "terms": 10}
    length = Container(path, "test").size_of("r:rows")
    for at in range(64, 64 + length):
        for bit in range(8):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            path.write_bytes(changed)
            with pytest.raises(IndexCorrupt, match="section 'r:rows'"):
                TermRows(Container(path, "test"), "r", info).select(np.array([0, 2]))


def test_rows_that_someone_made_are_terms_of_the_channel_or_refused(tmp_path: Path) -> None:
    rows = [{3: 1, 9: 4}, {}, {0: 2, 5: 300}]
    stored(tmp_path, [(csr(rows), np.arange(10, dtype=np.int32))])
    path = tmp_path / "r.bin"
    content = path.read_bytes()
    info = {"rows": 3, "postings": 4, "tokens": 307, "terms": 10}
    length = Container(path, "test").size_of("r:rows")
    chance = np.random.default_rng(2)
    refused = 0
    for _ in range(500):
        path.write_bytes(content)
        at, byte = int(chance.integers(length)), int(chance.integers(256))

        def change(array: np.ndarray, at: int = at, byte: int = byte) -> None:
            array[at] = byte

        craft(path, "r:rows", change)
        try:
            found = TermRows(Container(path, "test"), "r", info).csr
        except IndexCorrupt:
            refused += 1
        else:
            assert found.indptr[-1] == len(found.terms) == len(found.counts)
            assert found.terms.min(initial=0) >= 0
            assert found.terms.max(initial=0) < 10
    assert 100 < refused < 500
