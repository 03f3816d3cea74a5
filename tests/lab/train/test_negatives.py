"""Negatives are likely texts that are not answers: known ones, repetitions and those that score too high stay out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from listed_documents import SupplementaryHits, document

from porism.errors import ConfigError
from porism.lab.train.negatives import Negatives, add_negatives, add_scores
from porism.lab.train.pairs.base import Pair
from porism.lab.train.pairs.exclusion import Exclusion
from porism.runs.run import Run
from porism.types import Query

BODIES = {
    "right": "The sum of the first odd numbers is a square.",
    "also": "Square numbers are sums of odd numbers, one after another.",
    "repeat": "the sum of the first odd numbers is a square!",
    "near": "The sum of the first even numbers lies between two squares.",
    "far": "A graph has a cycle where it has more edges than vertices.",
}
NOTES = SupplementaryHits(*(
    document(name, {"tags": ("a",) if name == "far" else ("b", "a")}, body=text) for name, text in BODIES.items()
))
PAIRS = [
    Pair("sum of odd numbers", BODIES["right"], miner="titles", positive_id="right"),
    Pair("sum of odd numbers", BODIES["also"], miner="titles", positive_id="also"),
]


class Ranked:
    """Finds all documents in one order."""

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        order = [(name, -float(at)) for at, name in enumerate(BODIES)]
        return Run({query.id: order[:k] for query in queries}, "ranked")


def score(asked: Sequence[tuple[str, str]]) -> np.ndarray:
    known = {BODIES["near"]: 0.97, BODIES["far"]: 0.2}
    return np.array([known.get(text, 1.0) for _, text in asked])


def test_negatives_of_a_search_are_no_answers() -> None:
    found, counts = add_negatives(PAIRS, NOTES, searcher=Ranked())
    assert [pair.negatives for pair in found] == [(BODIES["near"],), (BODIES["repeat"],)]
    assert (counts.with_negatives, counts.without, counts.known, counts.repeats) == (2, 0, 4, 1)
    assert counts.too_good == 0
    several, _ = add_negatives(PAIRS[:1], NOTES, Negatives(count=5), searcher=Ranked())
    assert several[0].negatives == (BODIES["also"], BODIES["near"], BODIES["far"])
    skipped, _ = add_negatives(PAIRS, NOTES, Negatives(skip=4), searcher=Ranked())
    assert skipped[0].negatives == (BODIES["far"],)


def test_what_is_excluded_is_no_negative() -> None:
    exclude = Exclusion((BODIES["near"].lower(),), frozenset({"far"}))
    found, counts = add_negatives(PAIRS[:1], NOTES, Negatives(count=5), searcher=Ranked(), exclude=exclude)
    assert found[0].negatives == (BODIES["also"],)
    assert (counts.excluded, counts.known, counts.repeats) == (2, 1, 1)


def test_what_scores_as_high_as_the_positive_is_left_out() -> None:
    found, counts = add_negatives(PAIRS[:1], NOTES, searcher=Ranked(), score=score)
    assert found[0].negatives == (BODIES["far"],)
    assert counts.too_good == 2
    found, _ = add_negatives(PAIRS[:1], NOTES, Negatives(margin=0.02), searcher=Ranked(), score=score)
    assert found[0].negatives == (BODIES["near"],)


def test_a_pair_without_candidates_stays_as_it_is() -> None:
    found, counts = add_negatives(PAIRS, NOTES, Negatives(depth=1), searcher=Ranked())
    assert found[0] == PAIRS[0]
    assert counts.without == 2


def test_negatives_of_the_same_tags_are_drawn_by_the_seed() -> None:
    found, _ = add_negatives(PAIRS, NOTES, Negatives("tags"))
    assert all(pair.negatives for pair in found)
    assert found == add_negatives(PAIRS, NOTES, Negatives("tags"))[0]
    of_b = SupplementaryHits(*(one for one in NOTES if "b" in one.metadata["tags"]))
    only_b, _ = add_negatives(PAIRS[:1], of_b, Negatives("tags"))
    assert only_b[0].negatives[0] in (BODIES["also"], BODIES["near"])
    with pytest.raises(ConfigError, match="no document has the metadata 'subject'"):
        add_negatives(PAIRS, NOTES, Negatives("tags", key="subject"))


def test_an_encoder_finds_negatives_and_filters_them() -> None:
    places = {"sum of odd numbers": 0.0, "right": 0.1, "also": 0.2, "repeat": 0.1, "near": 0.3, "far": 2.0}
    names = {text: name for name, text in BODIES.items()}

    def encode(texts: Sequence[str]) -> np.ndarray:
        turns = np.array([places[names.get(text, text)] for text in texts])
        return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)

    found, _ = add_negatives(PAIRS[:1], NOTES, Negatives("model", margin=0), encode=encode)
    assert found[0].negatives == (BODIES["also"],)
    found, _ = add_negatives(PAIRS[:1], NOTES, Negatives("model", margin=0.1), encode=encode)
    assert found[0].negatives == (BODIES["far"],)
    assert add_negatives(PAIRS[:1], NOTES, Negatives("model", depth=2), encode=encode)[1].without == 1


def test_a_teacher_scores_positives_and_negatives() -> None:
    (found,) = add_scores([Pair("q", BODIES["right"], (BODIES["near"], BODIES["far"]))], score)
    assert found.scores == (1.0, 0.97, 0.2)


def test_what_is_missing_or_out_of_range_is_said() -> None:
    for settings in (Negatives(), Negatives("model")):
        with pytest.raises(ConfigError, match="negatives from a"):
            add_negatives(PAIRS, NOTES, settings)
    for wrong in ({"source": "other"}, {"count": 0}, {"skip": 50}, {"margin": 1.0}, {"overlap": 0.0}):
        with pytest.raises(ConfigError):
            Negatives(**wrong)  # type: ignore[arg-type]
