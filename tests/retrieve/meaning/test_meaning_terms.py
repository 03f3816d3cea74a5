"""Terms as rows of a table: one row by hash, pieces of words, weights, and bags of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.index.strings import Packed
from porism.retrieve.meaning.bags import add_up
from porism.retrieve.meaning.term_kernels import MAX_TERM_BYTES
from porism.retrieve.meaning.terms import PIECES, ROWS, number_terms, text_bags
from porism.retrieve.meaning.training import random_table


def rows_of(channel: str, term: str, rows: int = ROWS) -> list[int]:
    """The rows of one term, that of the whole term first."""
    return number_terms(channel, Packed.of([term]), rows).terms.tolist()


def pieces_of(word: str) -> list[str]:
    """The pieces of a word, as they are defined."""
    marked = f"<{word}>"
    return [
        marked[start : start + size] for start in range(len(marked)) for size in (3, 4, 5)
        if start + size <= len(marked)
    ]


def test_a_term_has_one_row_by_its_channel_and_a_word_those_of_its_pieces() -> None:
    assert len(rows_of("tokens", "sum")) == 1
    assert rows_of("tokens", "sum") != rows_of("symbols", "sum")
    assert len(rows_of("words", "sum")) == 1 + len(pieces_of("sum")) == 7
    shared = set(rows_of("words", "converg")[1:]) & set(rows_of("words", "converge")[1:])
    assert len(shared) == len(set(pieces_of("converg")) & set(pieces_of("converge"))) == 15


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8))
def test_there_is_a_row_for_each_piece_of_any_characters(words: list[str]) -> None:
    bags = number_terms("words", Packed.of(words))
    assert bags.sizes.tolist() == [1 + len(pieces_of(word)) for word in words]
    for row, word in enumerate(words):
        alone = number_terms("words", Packed.of([word]))
        part = slice(bags.starts[row], bags.starts[row + 1])
        assert bags.terms[part].tolist() == alone.terms.tolist()
        count = len(alone.terms) - 1
        share = PIECES["words"] if count else 0.0
        assert bags.weights[part][0] == pytest.approx(1 - share)
        assert float((bags.weights[part][1:] ** 2).sum()) == pytest.approx(share**2, rel=1e-5)


def test_rows_are_spread_over_the_table_and_stay_what_they_are() -> None:
    bags = number_terms("subtrees", Packed.of([f"plus(v0,{number})" for number in range(50_000)]), 256)
    counts = np.bincount(bags.terms, minlength=256)
    assert counts.min() > 100
    assert counts.max() < 300
    stored = rows_of("words", "a") + rows_of("tokens", "\\sum") + rows_of("symbols", "⊔")
    assert stored == [16_473, 6_891, 52_681, 47_145]  # tables on disk depend on these


def test_long_and_broken_terms_are_no_fault() -> None:
    assert len(rows_of("words", "x" * 10_000)) == 1 + 3 * MAX_TERM_BYTES - 3
    assert len(rows_of("words", "\ud800")) == 2
    assert len(number_terms("words", Packed.of([]))) == 0


def test_the_bag_of_a_text_has_the_terms_of_all_channels_by_the_roots_of_their_counts() -> None:
    table = random_table(ROWS, 16)
    texts = [{"words": ["ring", "ideal", "ring"], "tokens": ["x"] * 9}, {}, {"symbols": ["⊔"], "words": ["ring"]}]
    vectors = add_up(text_bags(texts), table)

    def vector(channel: str, term: str) -> np.ndarray:
        return add_up(number_terms(channel, Packed.of([term])), table)[0]

    expected = 2**0.5 * vector("words", "ring") + vector("words", "ideal") + 3 * vector("tokens", "x")
    assert vectors[0] == pytest.approx(expected, abs=1e-5)
    assert not vectors[1].any()
    assert vectors[2] == pytest.approx(vector("symbols", "⊔") + vector("words", "ring"), abs=1e-5)
    assert len(text_bags([])) == 0
