"""Vectors beside segments: computed once for each content, carried over, and never by a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from index_cases import Doc, batch_of
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.token_rows import TokenRows
from porism.index.vector_rows import NumberType, PartFile, pack, unpack
from porism.index.vectors import (
    ComputedRows,
    VectorSpec,
    complete_vectors,
    content_digests,
    forget_parts,
    has_vectors,
    one_each,
    open_vectors,
    remove_vectors,
)

M1 = VectorSpec("m-1", 2)


def write(path: Path, *ids: str) -> list[Segment]:
    with IndexWriter(path, config={}) as writer:
        writer.add(batch_of([Doc(one, {"body": ["x"]}) for one in ids]))
    return list(Snapshot.open(path).segments)


def complete(segment: Segment, contents: list[str], name: str = "m-1") -> list[str]:
    """Completes vectors of which each says its content's length and first letter; gives the contents computed."""
    computed: list[str] = []

    def compute(numbers: NDArray[np.int64]) -> ComputedRows:
        chosen = [contents[number] for number in numbers.tolist()]
        computed.extend(chosen)
        return one_each(np.array([[len(one), ord(one[0])] for one in chosen], np.float32).reshape(-1, 2))

    spec = VectorSpec(name, 2)
    assert complete_vectors(segment, spec, content_digests(contents), compute, chunk=2) == len(computed)
    return computed


def test_bytes_are_stored_as_they_are() -> None:
    packed, scales = pack(np.array([[0, 255], [7, 8]], np.uint8)[:, ::-1], "uint8")
    assert scales is None
    assert packed.dtype == np.uint8
    assert packed.flags.c_contiguous
    assert packed.tolist() == [[255, 0], [8, 7]]


def test_the_residuals_of_the_documents_that_are_read_are_checked() -> None:
    checked: list[tuple[list[int], list[int]]] = []

    class Residuals:
        complete = False
        array = np.zeros((9, 4), np.uint8)

        def require(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
            checked.append((starts.tolist(), stops.tolist()))

    none = np.empty(0, np.int64)
    rows = TokenRows(np.array([0, 2, 2, 9]), none, Residuals(), none, none)  # type: ignore[arg-type]
    rows.require(np.array([2, 0, 1]))
    assert checked == [([8, 0, 8], [36, 8, 8])]  # bytes: two tokens of four, none, seven


def test_vectors_are_stored_and_computed_once(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    contents = ["one", "three", "seven"]
    assert not has_vectors(segment, M1, 3)
    with pytest.raises(ConfigError, match=r"vectors of 3 .* are missing.*porism check --repair"):
        open_vectors(segment, M1, 3)
    assert complete(segment, contents) == contents
    assert open_vectors(segment, M1, 3).vectors.tolist() == [[3, ord("o")], [5, ord("t")], [5, ord("s")]]
    assert complete(segment, contents) == []


def test_those_of_other_segments_are_carried_over_by_content(tmp_path: Path) -> None:
    first, second = [*write(tmp_path / "i", "a"), *write(tmp_path / "i", "b")][-2:]
    assert complete(first, ["one", "three"]) == ["one", "three"]
    assert complete(second, ["seven", "three", "one", "one"]) == ["seven"]
    assert open_vectors(second, M1, 4).vectors[:, 0].tolist() == [5, 5, 3, 3]
    assert complete(second, ["seven", "three"], name="m-2") == ["seven", "three"]


def test_a_broken_file_of_another_segment_is_not_read(tmp_path: Path) -> None:
    first, second = [*write(tmp_path / "i", "a"), *write(tmp_path / "i", "b")][-2:]
    complete(first, ["one"])
    (file,) = first.folder.rglob("vectors-m-1.bin")
    file.write_bytes(file.read_bytes()[:50])
    forget_parts(tmp_path / "i", M1)
    assert complete(second, ["one"]) == ["one"]


def test_other_shapes_are_not_those_of_the_segment(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    complete(segment, ["one"])
    assert not has_vectors(segment, M1, 2)
    assert not has_vectors(segment, M1._replace(dimensions=3), 1)


def test_vectors_of_one_family_are_removed(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    for name in ("m-1", "m-2", "other-1"):
        complete(segment, ["one"], name)
    remove_vectors(segment, "m")
    assert [has_vectors(segment, VectorSpec(name, 2), 1) for name in ("m-1", "m-2", "other-1")] == [False, False, True]


def test_the_same_content_has_the_same_digest_and_any_string_has_one() -> None:
    digests = content_digests(["a", "b", "a", "\ud800"])
    assert digests[0] == digests[2]
    assert len(set(digests.tolist())) == 3


def several(segment: Segment, contents: list[str], numbers: NumberType, fail_after: int = 99) -> list[str]:
    """Completes vectors of which each letter of a content has one."""
    computed: list[str] = []

    def compute(things: NDArray[np.int64]) -> ComputedRows:
        if len(computed) >= fail_after:
            raise KeyboardInterrupt
        chosen = [contents[number] for number in things.tolist()]
        computed.extend(chosen)
        rows = [[ord(letter), len(one), -1.5] for one in chosen for letter in one]
        counts = np.array([len(one) for one in chosen], np.int64)
        return ComputedRows(np.array(rows, np.float32).reshape(-1, 3), counts)

    complete_vectors(segment, VectorSpec("n-1", 3, numbers), content_digests(contents), compute, chunk=1)
    return computed


@every_case("numbers", ["float32", "float16", "int8"])
def test_things_can_have_several_rows_or_none_in_any_type(tmp_path: Path, numbers: NumberType) -> None:
    first, second = [*write(tmp_path / "i", "a"), *write(tmp_path / "i", "b")][-2:]
    assert several(first, ["ab", "", "c"], numbers) == ["ab", "", "c"]
    contents = ["c", "zz", "", "ab", "zz", "c"]
    assert several(second, contents, numbers) == ["zz"]
    rows = open_vectors(second, VectorSpec("n-1", 3, numbers), 6)
    assert rows.vectors.dtype == numbers
    assert rows.offsets.tolist() == [0, 1, 3, 3, 5, 7, 8]
    expected = [[ord(letter), len(one), -1.5] for one in contents for letter in one]
    np.testing.assert_allclose(rows.decode(0, 8), expected, atol=0.5 if numbers == "int8" else 0)
    np.testing.assert_allclose(rows.take(np.array([7, 1])), np.array(expected)[[7, 1]], atol=0.5)
    assert not has_vectors(second, VectorSpec("n-1", 3, "float16" if numbers != "float16" else "int8"), 6)


@every_case("numbers", ["float32", "int8"])
def test_what_an_interruption_left_is_not_computed_again(tmp_path: Path, numbers: NumberType) -> None:
    (segment,) = write(tmp_path / "i", "a")
    spec = VectorSpec("n-1", 3, numbers)
    contents = ["ab", "cd", "e", "f"]
    with pytest.raises(KeyboardInterrupt):
        several(segment, contents, numbers, fail_after=2)
    assert not has_vectors(segment, spec, 4)
    part = PartFile(tmp_path / "i", *spec)
    with part.path.open("ab") as file:
        file.write(part.path.read_bytes()[:40])  # what a killed process left of a block
    assert several(segment, contents, numbers) == ["e", "f"]
    assert open_vectors(segment, spec, 4).decode(0, 6)[:, 0].round().tolist() == [ord(one) for one in "abcdef"]
    forget_parts(tmp_path / "i", spec)
    assert not part.path.exists()


def test_a_damaged_block_ends_what_is_read_of_the_file(tmp_path: Path) -> None:
    part = PartFile(tmp_path, "p", 2, "float32")
    for number in range(3):
        part.append(np.array([number], np.uint64), np.array([1]), np.full((1, 2), number, np.float32))
    data = bytearray(part.path.read_bytes())
    data[len(data) // 2] ^= 1  # in the second block
    part.path.write_bytes(data)
    found = PartFile(tmp_path, "p", 2, "float32").read()
    assert found is not None
    assert found[0].tolist() == [0]
    assert PartFile(tmp_path, "p", 3, "float32").read() is None


def test_the_error_of_int8_is_at_most_half_a_step_of_the_row() -> None:
    vectors = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32)
    vectors[7] = 0
    packed, scales = pack(vectors, "int8")
    assert scales is not None
    error = np.abs(unpack(packed, scales) - vectors).max(axis=1)
    assert (error <= scales / 2 * 1.0001).all()
    assert error.max() > scales.max() / 4


@every_case("end", [KeyboardInterrupt, RuntimeError])
def test_rows_are_kept_by_time_after_a_chunk_and_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    (segment,) = write(tmp_path / "i", *map(str, range(30)))
    digests = content_digests(map(str, range(30)))
    now, kept, computed = [0.0], [], []
    monkeypatch.setattr("porism.index.vectors.monotonic", lambda: now[0])
    inner = PartFile.append

    def append(self: PartFile, *rows: Any) -> None:
        kept.append((now[0], len(rows[0])))
        inner(self, *rows)

    def compute(numbers: NDArray[np.int64]) -> ComputedRows:
        if len(computed) == 10:
            raise end
        now[0] += 4.0
        computed.extend(numbers.tolist())
        return one_each(np.zeros((len(numbers), 2), np.float32))

    monkeypatch.setattr(PartFile, "append", append)
    with pytest.raises(end):
        complete_vectors(
            segment, M1, digests, compute, chunk=20, split=lambda numbers: np.split(numbers[::-1], 10)
        )
    assert computed == [19, 18, 17, 16, 15, 14, 13, 12, 11, 10]
    assert kept == [(12.0, 6), (20.0, 4)]
    computed.clear()
    assert complete_vectors(segment, M1, digests, compute, chunk=15) == 20
    assert computed == [*range(10), *range(20, 30)]
    assert kept[2:] == [(24.0, 15), (28.0, 5)]
