"""Vocabularies united as sorted runs: the strings, ranks and bytes that a set and a sort give, or a clear error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import IndexCorrupt
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.run_kernels import count_terms, merge_runs
from porism.index.runs import StringRun, StringRuns, merge_vocabularies
from porism.index.strings import Dictionary, Names, Packed, write_dictionary, write_names

TEXT = st.text("ab", max_size=12) | st.text("ab\x00é🙂\ud800", max_size=30) | st.text("a", min_size=90, max_size=300)
STRINGS = st.lists(TEXT, unique=True, max_size=40)
FREQUENCIES = [0, 1, 2, 3, 31, 32, 511, 512, 10_000]


def dictionary(folder: Path, strings: list[str], random) -> tuple[StringRuns, list[str]]:
    """A dictionary on disk, and its strings by number."""
    with ContainerWriter(folder / "d.bin", "test") as writer:
        counts = np.array([random.choice(FREQUENCIES[1:]) for _ in strings], np.int64)
        numbers = write_dictionary(writer, "d", Packed.of(strings), counts)
        writer.finish({})
    by_number = dict(zip(numbers.tolist(), strings, strict=True))
    read = Dictionary(Container(folder / "d.bin", "test"), "d")
    return StringRuns.of_dictionary(read), [by_number[number] for number in range(len(strings))]


def names(folder: Path, strings: list[str], _: object) -> tuple[StringRuns, list[str]]:
    with ContainerWriter(folder / "n.bin", "test") as writer:
        write_names(writer, "n", Packed.of(strings))
        writer.finish({})
    return StringRuns.of_names(Names(Container(folder / "n.bin", "test"), "n")), strings


def in_memory(_: Path, strings: list[str], __: object) -> tuple[StringRuns, list[str]]:
    return StringRuns.of_strings(Packed.of(strings)), strings


Kind = Callable[[Path, list[str], object], tuple[StringRuns, list[str]]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([dictionary, names, in_memory]), STRINGS), max_size=6), st.data())
def test_vocabularies_are_united_as_a_set_and_a_sort_would_do_it(tmp_path_factory, parts, data) -> None:
    random = data.draw(st.randoms(use_true_random=False))
    made: list[tuple[StringRuns, list[str]]] = [
        kind(tmp_path_factory.mktemp("v"), strings, random) for kind, strings in parts
    ]
    united = merge_vocabularies([vocabulary for vocabulary, _ in made])
    distinct = sorted({string for _, strings in made for string in strings})
    rank = {string: place for place, string in enumerate(distinct)}
    assert united.run.size == len(distinct)
    assert [ranks.tolist() for ranks in united.ranks] == [[rank[one] for one in strings] for _, strings in made]

    frequencies = np.array([random.choice(FREQUENCIES) for _ in distinct], np.int32)
    buckets = data.draw(st.sampled_from([(512, 32, 3), ()]))
    folder = tmp_path_factory.mktemp("w")
    with ContainerWriter(folder / "here.bin", "test") as writer:
        numbers = united.write(writer, "d", frequencies, buckets)
        writer.finish({})
    kept = [string for string, count in zip(distinct, frequencies, strict=True) if count]
    with ContainerWriter(folder / "there.bin", "test") as writer:
        expected = write_dictionary(writer, "d", Packed.of(kept), frequencies[frequencies > 0] if buckets else None)
        writer.finish({})
    assert numbers[frequencies > 0].tolist() == expected.tolist()
    assert (numbers[frequencies == 0] == -1).all()
    assert (folder / "here.bin").read_bytes() == (folder / "there.bin").read_bytes()


def test_many_vocabularies_of_many_strings_are_united() -> None:
    draw = np.random.default_rng(3)
    lists = [
        list(dict.fromkeys(f"={number:04x}" for number in draw.integers(0, 5_000, 900).tolist())) for _ in range(70)
    ]
    united = merge_vocabularies([StringRuns.of_strings(Packed.of(strings)) for strings in lists])
    distinct = sorted({string for strings in lists for string in strings})
    rank = {string: place for place, string in enumerate(distinct)}
    assert [ranks.tolist() for ranks in united.ranks] == [[rank[one] for one in strings] for strings in lists]


def test_nothing_is_united_to_nothing() -> None:
    assert merge_vocabularies([]).run.size == 0
    united = merge_vocabularies([StringRuns([]), StringRuns.of_strings(Packed.of([]))])
    assert [len(ranks) for ranks in united.ranks] == [0, 0]


@every_case(
    ("data", "count"),
    [
        (b"\x01a", 2),  # ends early
        (b"\x01a\x01b", 1),  # goes on
        (b"\x01a\x03bc", 2),  # ends within a string
        (b"\x01a\x21b", 2),  # shares more than there is
        (b"\x01b\x01a", 2),  # decreases
        (b"\x01a\x01a", 2),  # repeats
        (b"\x02ab\x10", 2),  # a beginning of what was before
        (b"\x0f", 1),  # a length without its number
        (b"\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xffa", 1),  # a number of too many bytes
        (b"\x0f\xff\xff\xff\xff\xff\xff\xff\x7fa", 1),  # a length beyond all memory
    ],
)
def test_bytes_that_are_no_run_are_found(data: bytes, count: int) -> None:
    from porism.system.compiled.kernels import address

    sound, broken = np.frombuffer(b"\x01a\x11b", np.uint8), np.frombuffer(data, np.uint8)
    runs = np.array([(address(one), len(one), size) for one, size in ((sound, 2), (broken, count))], np.int64)
    found = merge_runs(runs, np.zeros(2 + count, np.int32), np.zeros(64, np.uint8))
    assert found[2] == 1
    assert merge_runs(runs[:1].copy(), np.zeros(2, np.int32), np.zeros(64, np.uint8)) == (2, 4, -1)


@every_case("before", [0, 1, 5])
def test_a_damaged_dictionary_is_named(tmp_path: Path, before: int) -> None:
    """Also behind vocabularies of several runs, and of none."""
    with ContainerWriter(tmp_path / "d.bin", "test") as writer:
        writer.add("channel:strings", np.frombuffer(b"\x01b\x01a", np.uint8))
        writer.add("channel:blocks", np.array([0, 4], np.int64))
        writer.add("channel:buckets", np.array([0, 2], np.int64))
        writer.finish({})
    damaged = StringRuns.of_dictionary(Dictionary(Container(tmp_path / "d.bin", "test"), "channel"))
    run = StringRun(np.frombuffer(b"\x01a", np.uint8), 1)
    sound = [StringRuns([]), StringRuns([run, run]), StringRuns([run]), StringRuns([]), StringRuns([run])][:before]
    with pytest.raises(IndexCorrupt, match=r"channel:strings.*no front-coded strings"):
        merge_vocabularies([*sound, damaged, StringRuns([run])])


def test_terms_are_counted_by_rank() -> None:
    frequencies = np.zeros(4, np.int32)
    count_terms(np.array([0, 2, 2, 1], np.int32), np.array([3, 0, 3], np.int32), frequencies)
    assert frequencies.tolist() == [1, 0, 0, 3]
