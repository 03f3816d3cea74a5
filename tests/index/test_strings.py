"""Packed strings and dictionaries give back what went in, and find exactly that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import porism.index.strings
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.string_kernels import sort_order, unify
from porism.index.strings import Dictionary, Names, Packed, write_dictionary, write_names

ANY_TEXT = st.text(st.characters(), max_size=40) | st.text("ab", max_size=60) | st.text("a", min_size=100, max_size=400)


def stored(folder: Path, strings: list[str], frequencies: list[int] | None = None) -> tuple[Dictionary, list[int]]:
    with ContainerWriter(folder / "d.bin", "test") as writer:
        counts = None if frequencies is None else np.asarray(frequencies)
        numbers = write_dictionary(writer, "d", Packed.of(strings), counts)
        writer.finish({})
    return Dictionary(Container(folder / "d.bin", "test"), "d"), numbers.tolist()


@settings(deadline=None)
@given(st.lists(ANY_TEXT))
def test_packed_strings_come_back(strings: list[str]) -> None:
    assert Packed.of(strings).strings() == strings
    backwards = np.arange(len(strings))[::-1]
    assert Packed.of(strings).take(backwards).strings() == strings[::-1]
    assert Packed.join([Packed.of(strings), Packed.of(strings)]).strings() == strings + strings


@settings(deadline=None)
@given(st.lists(ANY_TEXT, min_size=1), st.data(), st.integers(1, 20))
def test_strings_are_taken_however_few_are_copied_at_once(strings: list[str], data: st.DataObject, most: int) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(strings) - 1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(porism.index.strings, "_COPIED_BYTES", most)
        taken = Packed.of(strings).take(np.array(wanted, np.int64))
    assert taken.strings() == [strings[number] for number in wanted]


def test_lone_surrogates_are_kept() -> None:
    strings = ["a\ud800b", "", "\udfff", "é\ud83d", "🙂x"]
    assert Packed.of(strings).strings() == strings


@settings(deadline=None)
@given(st.lists(ANY_TEXT))
def test_equal_strings_get_equal_numbers_in_order_of_appearance(strings: list[str]) -> None:
    ids, firsts = unify(*Packed.of(strings))
    distinct = list(dict.fromkeys(strings))
    assert ids.tolist() == [distinct.index(string) for string in strings]
    assert firsts.tolist() == [strings.index(string) for string in distinct]


@settings(deadline=None)
@given(st.lists(ANY_TEXT))
def test_sorting_is_by_code_point_and_stable(strings: list[str]) -> None:
    assert sort_order(*Packed.of(strings)).tolist() == sorted(range(len(strings)), key=strings.__getitem__)


@settings(deadline=None, max_examples=40)
@given(st.lists(ANY_TEXT, unique=True), st.lists(ANY_TEXT), st.randoms(use_true_random=False))
def test_a_dictionary_finds_what_it_has_and_nothing_else(tmp_path_factory, strings, others, random) -> None:
    frequencies = [random.choice([1, 2, 3, 31, 32, 511, 512, 10_000]) for _ in strings]
    dictionary, numbers = stored(tmp_path_factory.mktemp("d"), strings, frequencies)
    assert len(dictionary) == len(strings)
    assert sorted(numbers) == list(range(len(strings)))
    assert dictionary.lookup(strings).tolist() == numbers
    assert [dictionary.term(number) for number in numbers] == strings
    assert list(dictionary) == [strings[numbers.index(number)] for number in range(len(strings))]
    expected = dict(zip(strings, numbers, strict=True))
    near = [*others, *(string + "a" for string in strings), *(string[:-1] for string in strings), "", "\x00"]
    assert dictionary.lookup(near).tolist() == [expected.get(string, -1) for string in near]
    # Frequent strings have the smaller numbers.
    by_number = [frequencies[numbers.index(number)] for number in range(len(strings))]
    groups = [(f < 512) + (f < 32) + (f < 3) for f in by_number]
    assert groups == sorted(groups)


def test_without_frequencies_numbers_are_ranks(tmp_path: Path) -> None:
    strings = [f"{number}" for number in range(1000)]
    _, numbers = stored(tmp_path, strings)
    assert numbers == [sorted(strings).index(string) for string in strings]


def test_code_point_order_is_not_that_of_utf16(tmp_path: Path) -> None:
    _, numbers = stored(tmp_path, ["\U0001d44e", "\uffff", "z", "Z"])
    assert numbers == [3, 2, 1, 0]


def test_a_number_that_is_not_there(tmp_path: Path) -> None:
    dictionary, _ = stored(tmp_path, ["a", "b"])
    for number in (-1, 2):
        with pytest.raises(IndexError, match="of 2"):
            dictionary.term(number)
    empty, _ = stored(tmp_path, [])
    assert len(empty) == 0
    assert empty.lookup(["a", ""]).tolist() == [-1, -1]
    assert list(empty) == []


def test_names_keep_their_order_and_know_their_rank(tmp_path: Path) -> None:
    names = ["b", "a10", "a9", "", "ä"]
    with ContainerWriter(tmp_path / "n.bin", "test") as writer:
        write_names(writer, "n", Packed.of(names))
        writer.finish({})
    found = Names(Container(tmp_path / "n.bin", "test"), "n")
    assert [found.name(position) for position in range(5)] == names
    assert found.names(np.array([4, 0, 0])) == ["ä", "b", "b"]
    assert found.rank.tolist() == [3, 1, 2, 0, 4]
    assert found.find(["a9", "zz", "", "b"]).tolist() == [2, -1, 3, 0]
    assert found.packed().strings() == names
