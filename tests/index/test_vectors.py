"""Vectors beside segments: computed once for each content, carried over, and never by a search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from index_cases import Doc, batch_of
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.vectors import complete_vectors, content_digests, has_vectors, open_vectors, remove_vectors


def write(path: Path, *ids: str) -> list[Segment]:
    with IndexWriter(path, config={}) as writer:
        writer.add(batch_of([Doc(one, {"body": ["x"]}) for one in ids]))
    return list(Snapshot.open(path).segments)


def complete(segment: Segment, contents: list[str], name: str = "m-1") -> list[str]:
    """Completes vectors of which each says its content's length and first letter; gives the contents computed."""
    computed: list[str] = []

    def compute(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        chosen = [contents[number] for number in numbers.tolist()]
        computed.extend(chosen)
        return np.array([[len(one), ord(one[0])] for one in chosen], np.float32).reshape(-1, 2)

    assert complete_vectors(segment, name, content_digests(contents), 2, compute, chunk=2) == len(computed)
    return computed


def test_vectors_are_stored_and_computed_once(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    contents = ["one", "three", "seven"]
    assert not has_vectors(segment, "m-1", 3, 2)
    with pytest.raises(ConfigError, match=r"vectors of 3 .* are missing.*porism check --repair"):
        open_vectors(segment, "m-1", 3, 2)
    assert complete(segment, contents) == contents
    assert open_vectors(segment, "m-1", 3, 2).tolist() == [[3, ord("o")], [5, ord("t")], [5, ord("s")]]
    assert complete(segment, contents) == []


def test_those_of_other_segments_are_carried_over_by_content(tmp_path: Path) -> None:
    first, second = [*write(tmp_path / "i", "a"), *write(tmp_path / "i", "b")][-2:]
    assert complete(first, ["one", "three"]) == ["one", "three"]
    assert complete(second, ["seven", "three", "one", "one"]) == ["seven"]
    assert open_vectors(second, "m-1", 4, 2)[:, 0].tolist() == [5, 5, 3, 3]
    assert complete(second, ["seven", "three"], name="m-2") == ["seven", "three"]


def test_a_broken_file_of_another_segment_is_not_read(tmp_path: Path) -> None:
    first, second = [*write(tmp_path / "i", "a"), *write(tmp_path / "i", "b")][-2:]
    complete(first, ["one"])
    (file,) = first.folder.rglob("vectors-m-1.bin")
    file.write_bytes(file.read_bytes()[:50])
    assert complete(second, ["one"]) == ["one"]


def test_other_shapes_are_not_those_of_the_segment(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    complete(segment, ["one"])
    assert not has_vectors(segment, "m-1", 2, 2)
    assert not has_vectors(segment, "m-1", 1, 3)


def test_vectors_of_one_family_are_removed(tmp_path: Path) -> None:
    (segment,) = write(tmp_path / "i", "a")
    for name in ("m-1", "m-2", "other-1"):
        complete(segment, ["one"], name)
    remove_vectors(segment, "m")
    assert [has_vectors(segment, name, 1, 2) for name in ("m-1", "m-2", "other-1")] == [False, False, True]


def test_the_same_content_has_the_same_digest_and_any_string_has_one() -> None:
    digests = content_digests(["a", "b", "a", "\ud800"])
    assert digests[0] == digests[2]
    assert len(set(digests.tolist())) == 3
