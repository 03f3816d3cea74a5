"""Sequences are full, in the order of the text, and half of the pairs do not follow one another."""

from __future__ import annotations

import itertools
import random

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.lab.train.language.sequences import TokenSequence, is_held_out, packed_pairs, packed_text
from porism.lab.train.language.settings import LanguageTraining


def documents(count: int) -> list[list[list[int]]]:
    """Each document counts on from a thousand of its own, in sentences of 1 to 9 tokens."""
    draw, found = random.Random(4), []
    for number in range(count):
        start, sentences = 1_000 * number, []
        for _ in range(draw.randrange(1, 12)):
            length = draw.randrange(1, 10)
            sentences.append(list(range(start, start + length)))
            start += length
        found.append(sentences)
    return found


def test_packed_text_is_all_the_text_in_full_sequences() -> None:
    found = list(packed_text([[[1, 2], [3]], [[4, 5, 6, 7]], [[8]]], 4, [0]))
    assert found == [TokenSequence([1, 2, 3, 0]), TokenSequence([4, 5, 6, 7]), TokenSequence([8])]
    many = list(packed_text(documents(30), 16, [-1]))
    assert {len(one.first) for one in many[:-1]} == {16}
    joined = [token for one in many for token in one.first if token != -1]
    assert joined == [token for document in documents(30) for sentence in document for token in sentence]


def test_pairs_fit_and_say_whether_they_follow() -> None:
    found = list(packed_pairs(documents(300), 24, 0.1, seed=1))
    for one in found:
        assert one.first
        assert one.second
        assert len(one.first) + len(one.second) <= 24
        same = one.first[0] // 1000 == one.second[0] // 1000
        assert same is one.follows
        for part in (one.first, one.second):
            assert all(after == before + 1 for before, after in itertools.pairwise(part))
        if one.follows:
            assert one.second[0] > one.first[-1]
    share = sum(one.follows for one in found) / len(found)
    assert 0.3 < share < 0.6
    assert sum(len(one.first) + len(one.second) == 24 for one in found) > len(found) / 3


def test_pairs_of_one_document_all_follow() -> None:
    (sentences,) = documents(1)[:1]
    found = list(packed_pairs([sentences * 3], 12, 0.0, seed=1))
    assert found
    assert all(one.follows for one in found)
    assert list(packed_pairs([[[1, 2]]], 12, 0.0, seed=1)) == []


def test_pairs_depend_on_the_seed_alone() -> None:
    some = documents(20)
    assert list(packed_pairs(some, 24, 0.1, 1)) == list(packed_pairs(some, 24, 0.1, 1))
    assert list(packed_pairs(some, 24, 0.1, 1)) != list(packed_pairs(some, 24, 0.1, 2))


def test_documents_are_held_out_by_their_ids() -> None:
    held = [is_held_out(str(number), 0.2, 1) for number in range(2_000)]
    assert 0.17 < sum(held) / 2_000 < 0.23
    assert held != [is_held_out(str(number), 0.2, 2) for number in range(2_000)]


@every_case("wrong", [
    {"objective": "nsp"}, {"length": 4}, {"masked": 0.0}, {"held_out": 1.0}, {"learning_rate": 0.0}, {"batch": 0},
    {"short": 2.0}, {"precision": "int8"},
], ids=str)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        LanguageTraining(**wrong)  # type: ignore[arg-type]
