"""Near duplicates are those whose shingles overlap, as counted by hand and by brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.lab.train.near import NearDuplicates, shingles, signatures

WORDS = "let be any group ring field such that every ideal of it is finite prime open closed and bounded there".split()


def overlap(one: str, other: str) -> float:
    """The Jaccard overlap of runs of three tokens."""
    first, second = ({tuple(text.split()[at : at + 3]) for at in range(len(text.split()) - 2)} for text in (one, other))
    return len(first & second) / len(first | second)


def test_shingles_are_runs_of_tokens() -> None:
    found = shingles([r"$\frac a b$", "a b", "", r"\Frac a  B"])
    assert np.diff(found.offsets).tolist() == [1, 1, 0, 1]
    assert found.of(0).tolist() == found.of(3).tolist()


def test_signatures_are_alike_as_far_as_the_sets_overlap() -> None:
    texts = [" ".join(WORDS * 3), " ".join((WORDS * 3)[:-12])]
    one, other = signatures(shingles(texts))
    exact = overlap(*texts)
    assert abs((one == other).mean() - exact) < 0.15


@every_case("least", [0.5, 0.6])
def test_what_is_found_is_what_comparing_all_finds(least: float) -> None:
    draw = random.Random(3)
    known = [" ".join(draw.choices(WORDS, k=30)) for _ in range(40)]
    given = []
    for text in known:
        words = text.split()
        for _ in range(draw.randrange(12)):
            words[draw.randrange(len(words))] = draw.choice(WORDS)
        given.append(" ".join(words))
    expected = [max(overlap(text, other) for other in known) >= least for text in given]
    found = NearDuplicates(known, least).find(given).tolist()
    assert 5 < sum(expected) < 35
    missed = sum(one and not other for one, other in zip(expected, found, strict=True))
    assert missed <= 2
    assert not [one for one, other in zip(expected, found, strict=True) if other and not one]


def test_texts_with_other_formulas_are_found_by_their_words() -> None:
    words = "every bounded sequence of real numbers has a subsequence that converges to a limit"
    known = NearDuplicates([rf"{words} $\left( x_{{n}} \right) _{{n \in \mathbb{{N}}}} \subseteq \mathbb{{R}}^{{1}}$"])
    other = "something else that has nothing of this in it at all, not even words"
    assert known.find([f"{words} $(x_n)$", other]).tolist() == [True, False]


def test_without_texts_nothing_repeats() -> None:
    assert NearDuplicates([]).find(["a b c", ""]).tolist() == [False, False]
    assert NearDuplicates(["", "$$"]).find(["", "a"]).tolist() == [False, False]


def test_an_overlap_that_tells_nothing_apart_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"from 0\.3 to 1"):
        NearDuplicates(["a"], 0.1)
