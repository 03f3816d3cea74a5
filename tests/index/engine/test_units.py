"""Formulas as what is ranked: which of them are live, in one segment and in several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import Doc, batch_of

from porism.index import IndexWriter, Segment, Snapshot
from porism.index.engine import units as units_module
from porism.index.engine.units import DIGESTS, LAYOUT, FormulaUnits, Units, first_of_equal, formula_units, prepare_units
from porism.index.string_kernels import digests, unmark_held
from porism.index.strings import Packed


def doc(doc_id: str, *keys: str) -> Doc:
    return Doc(doc_id, {"body": ["w"]}, {"body": [(key, "", "") for key in keys]})


def write(path: Path, *groups: Sequence[Doc], deleted: Sequence[str] = ()) -> tuple[Segment, ...]:
    with IndexWriter(path) as writer:
        for group in groups:
            writer.add(batch_of(group))
            writer.commit()
        writer.delete(deleted)
    return Snapshot.open(path).segments


def live_keys(units: FormulaUnits) -> list[str]:
    return units.doc_ids(np.flatnonzero(units.live))


def test_the_formulas_of_one_segment(tmp_path: Path) -> None:
    segments = write(tmp_path, [doc("a", "q", "p", "q"), doc("b", "q", "r")])
    (units,) = formula_units(segments)
    of_any: list[Units] = [*segments, units]
    assert [one.noun for one in of_any] == ["document", "formula"]
    assert (units.doc_count, live_keys(units)) == (3, ["q", "p", "r"])
    assert units.id_order.tolist() == [1, 0, 2]
    assert [units.find(key) for key in ("p", "r", "s")] == [1, 2, None]
    assert (units.text_channels, units.formula_channels) == ((), ("letters", "pairs"))
    entries = units.entries("letters")
    assert (entries.starts.tolist(), entries.rows.tolist(), entries.fields.tolist()) == (
        [0, 1, 2, 3], [0, 1, 2], [0, 0, 0],
    )
    assert repr(units) == "FormulaUnits(0000000001, 3 of 3 formulas live)"
    with pytest.raises(ValueError, match="2 elements where the segment has 3"):
        FormulaUnits(segments[0], np.ones(2, np.bool_))


def test_a_formula_that_only_deleted_documents_hold_is_not_live(tmp_path: Path) -> None:
    (units,) = formula_units(write(tmp_path, [doc("a", "p", "q"), doc("b", "q", "r")], deleted=["a"]))
    assert (units.doc_count, live_keys(units)) == (3, ["q", "r"])
    assert [units.find(key) for key in ("p", "q")] == [None, 1]


@every_case("at_a_time", [1, 2, 100])
def test_deleted_documents_are_counted_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    """A document that has a formula twice counts once, and one that has none does not matter."""
    monkeypatch.setattr(units_module, "_DELETED_AT_A_TIME", at_a_time)
    docs = [doc("a", "p", "p", "q"), doc("b", "q", "r"), doc("c"), doc("d", "p", "r", "s"), doc("e", "s", "r", "r")]
    for deleted, left in (("ab", "prs"), ("ad", "qrs"), ("ade", "qr"), ("c", "pqrs")):
        (units,) = formula_units(write(tmp_path / deleted, docs, deleted=list(deleted)))
        assert live_keys(units) == list(left)


def test_a_formula_of_several_segments_is_live_in_the_first_that_has_it(tmp_path: Path) -> None:
    segments = write(
        tmp_path, [doc("a", "p", "q"), doc("b", "r")], [doc("c")], [doc("d", "q", "r", "s")], [doc("e", "p", "q", "t")],
        deleted=["a"],
    )
    assert [live_keys(units) for units in formula_units(segments)] == [["r"], [], ["q", "s"], ["p", "t"]]
    assert [live_keys(units) for units in formula_units(segments[::-1])] == [["p", "q", "t"], ["r", "s"], [], []]
    assert formula_units([]) == []


def test_what_is_live_is_found_once_until_documents_are_deleted(tmp_path: Path) -> None:
    segments = write(tmp_path, [doc("a", "p", "q")], [doc("b", "q", "r"), doc("c", "r")])
    before, again = formula_units(segments), formula_units(segments)
    assert [one.live is other.live for one, other in zip(before, again, strict=True)] == [True, True]
    assert list(map(live_keys, before)) == [["p", "q"], ["r"]]
    assert list(map(live_keys, formula_units(segments[1:]))) == [["q", "r"]]
    assert list(map(live_keys, formula_units(segments[::-1]))) == [["q", "r"], ["p"]]
    segments[0].live = np.zeros(1, np.bool_)
    assert list(map(live_keys, formula_units(segments))) == [[], ["q", "r"]]
    with pytest.raises(ValueError, match="read-only"):
        before[0].live[0] = False


def test_derived_data_of_formulas_have_names_of_their_own(tmp_path: Path) -> None:
    (segment,) = write(tmp_path, [doc("a", "p")])
    (units,) = formula_units([segment])
    units.write_derived("postings-x", {"a": np.arange(3)}, {"b": 1})
    assert segment.read_derived("postings-x") is None
    (units,) = formula_units(Snapshot.open(tmp_path).segments)
    stored = units.read_derived("postings-x")
    assert stored is not None
    assert (stored[0]["a"].tolist(), stored[1]) == ([0, 1, 2], {"b": 1})


groups_of_keys = st.lists(st.lists(st.lists(st.sampled_from("pqrstu"), max_size=4), max_size=4), min_size=1, max_size=4)


@settings(deadline=None, max_examples=25)
@given(groups_of_keys, st.sets(st.integers(0, 15)))
def test_each_formula_of_a_live_document_is_live_once(
    tmp_path_factory: pytest.TempPathFactory, groups: list[list[list[str]]], deleted: set[int]
) -> None:
    number = iter(range(100))
    docs = [[doc(f"d{next(number)}", *keys) for keys in group] for group in groups]
    gone = {f"d{number}" for number in deleted}
    segments = write(tmp_path_factory.mktemp("units"), *docs, deleted=sorted(gone))
    found = [key for units in formula_units(segments) for key in live_keys(units)]
    expected = {
        key for group in docs for one in group if one.id not in gone for key, _, _ in one.formulas["body"]
    }
    assert sorted(found) == sorted(expected)


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=9), max_size=4))
@settings(deadline=None)
def test_formulas_are_left_to_the_first_segment_that_holds_them(parts: list[list[tuple[int, int, bool]]]) -> None:
    """Both halves of digests count, and a segment whose documents with a formula were deleted does not hold it."""
    sorted_parts, held = [], []
    for part in parts:
        distinct = {(first, second): one for first, second, one in part}
        pairs = sorted(distinct)
        order = np.random.default_rng(len(pairs)).permutation(len(pairs)).astype(np.int32)
        mask = np.zeros(len(pairs), np.bool_)
        mask[order] = [distinct[pair] for pair in pairs]
        sorted_parts.append((np.array(pairs, np.uint64).reshape(-1, 2), order))
        held.append(mask)
    marks = [mask.copy() for mask in held]
    for later in range(len(parts)):
        for earlier in range(later):
            unmark_held(*sorted_parts[earlier], held[earlier], *sorted_parts[later], marks[later])
    seen: set[tuple[int, ...]] = set()
    for (pairs_of, order), mask, mark in zip(sorted_parts, held, marks, strict=True):
        here = {tuple(pair): int(at) for pair, at in zip(pairs_of.tolist(), order.tolist(), strict=True)}
        assert {pair for pair, at in here.items() if mark[at]} == {
            pair for pair, at in here.items() if mask[at] and pair not in seen
        }
        seen |= {pair for pair, at in here.items() if mask[at]}


@settings(deadline=None)
@given(st.lists(st.text(max_size=3)))
def test_digests_tell_strings_apart(strings: list[str]) -> None:
    packed = Packed.of(strings)
    found = first_of_equal(digests(packed.blob, packed.starts))
    assert found.tolist() == [string not in strings[:number] for number, string in enumerate(strings)]


def test_digests_have_as_many_values_as_strings() -> None:
    """Each half alone tells a hundred thousand similar strings apart, and both halves are spread over all bits."""
    packed = Packed.of([f"V!x{number}" for number in range(100_000)])
    values = digests(packed.blob, packed.starts)
    for half in values.T:
        assert len(np.unique(half)) == len(values)
        set_bits = (half[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        assert np.abs(set_bits.mean(axis=0) - 0.5).max() < 0.02


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
@settings(deadline=None)
def test_both_halves_of_a_digest_count(pairs: list[tuple[int, int]]) -> None:
    found = first_of_equal(np.array(pairs, np.uint64).reshape(-1, 2))
    assert found.tolist() == [pair not in pairs[:number] for number, pair in enumerate(pairs)]


def test_stored_digests_give_the_same_units(tmp_path: Path) -> None:
    groups = [doc("a", "p", "q")], [doc("b", "q", "r")], [doc("c")]
    (alone,) = write(tmp_path / "alone", groups[0])
    prepare_units([alone])
    assert alone.read_derived(DIGESTS) is None
    segments = write(tmp_path / "index", *groups)
    expected = [live_keys(units) for units in formula_units(segments)]
    assert expected == [["p", "q"], ["r"], []]
    prepare_units(segments)
    stored = segments[0].read_derived(DIGESTS)
    assert stored is not None
    assert [live_keys(units) for units in formula_units(segments)] == expected
    values, order = stored[0]["digests"].copy(), stored[0]["order"].copy()
    assert values.tolist() == sorted(values.tolist())
    keys = Packed.of([segments[0].formula_key(formula) for formula in order.tolist()])
    assert np.array_equal(digests(keys.blob, keys.starts), values)
    for arrays, layout in (
        ({}, LAYOUT), ({"digests": values}, LAYOUT), ({"digests": values[:1], "order": order}, LAYOUT),
        ({"digests": values.astype(np.int64), "order": order}, LAYOUT),
        ({"digests": values, "order": order + 1}, LAYOUT), ({"digests": values, "order": order - 1}, LAYOUT),
        ({"digests": values * 0, "order": order}, LAYOUT + 1),
    ):
        segments[0].write_derived(DIGESTS, arrays, {"layout": layout})
        assert [live_keys(units) for units in formula_units(segments)] == expected
    prepare_units(segments)
    again = segments[0].read_derived(DIGESTS)
    assert again is not None
    assert np.array_equal(again[0]["digests"], values)
