"""How documents are cut into parts for the workers of a cluster."""

from __future__ import annotations

from itertools import chain

from case_tables import every_case

from porism.search.sources.changes import ChangeBatch
from porism.search.sources.parts import MAX_CHARACTERS, MIN_CHARACTERS, _cut
from porism.types import Document


def batches(count: int, characters: int) -> list[ChangeBatch]:
    made = [ChangeBatch([Document(str(number), {})], characters=characters) for number in range(count)]
    made.insert(count // 2, ChangeBatch())  # what was removed, without documents
    return made


@every_case("workers", [1, 2, 8])
@every_case(("count", "characters"), [(7, 1_400_000), (30, 400_000), (2_000, 1_500_000)])
def test_workers_have_parts_from_the_beginning_and_end_at_about_one_time(
    workers: int, count: int, characters: int
) -> None:
    made = batches(count, characters)
    parts = list(_cut(made, workers))
    assert list(chain.from_iterable(parts)) == made
    sizes = [sum(batch.characters for batch in part) for part in parts]
    before = 0
    for size in sizes[:-1]:
        least = min(max(MIN_CHARACTERS, before // (3 * workers)), MAX_CHARACTERS)
        assert least <= size < least + characters
        before += size
    assert len(sizes) >= min(count, 3 * workers, sum(sizes) // (MIN_CHARACTERS + characters))


def test_nothing_is_no_part_and_what_is_removed_has_one() -> None:
    assert list(_cut([], 2)) == []
    assert list(map(len, _cut([ChangeBatch(), ChangeBatch()], 2))) == [2]
