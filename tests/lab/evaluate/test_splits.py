"""Folds and stratified parts of topics."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus import read_qrels
from porism.errors import ConfigError
from porism.lab.evaluate.splits import (
    arqmath_2021_split,
    k_fold,
    largest_remainder,
    published_2021_split,
    stratified_split,
)

TOPICS_77 = {f"A.{number + 1}": "computation" if number < 26 else "concept" if number < 36 else "proof"
             for number in range(77)}
"""As many topics of each category as there are judged topics of ARQMath-1."""

topic_sets = st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=40, unique=True)
labelled = st.dictionaries(st.text(min_size=1, max_size=3), st.sampled_from("abc"), min_size=2, max_size=40)


def counts(topics: tuple[str, ...], labels: Mapping[str, str]) -> Counter[str]:
    return Counter(labels[topic] for topic in topics)


@given(topic_sets, st.integers(2, 10), st.integers())
def test_folds_partition_the_topics_evenly(topics: list[str], folds: int, seed: int) -> None:
    folds = min(folds, len(topics))
    parts = k_fold(topics, folds, seed=seed)
    assert sorted(topic for part in parts for topic in part) == sorted(topics)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1
    assert all(list(part) == [topic for topic in topics if topic in part] for part in parts)


@given(topic_sets, st.integers(), st.randoms())
def test_folds_depend_on_the_seed_and_not_on_the_order(topics: list[str], seed: int, random: object) -> None:
    shuffled = list(topics)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = k_fold(topics, 2, seed=seed), k_fold(shuffled, 2, seed=seed)
    assert list(map(set, one)) == list(map(set, other))


def test_another_seed_draws_other_folds() -> None:
    assert k_fold(TOPICS_77, 5, seed=1) == k_fold(TOPICS_77, 5, seed=1) != k_fold(TOPICS_77, 5, seed=2)


def test_the_draw_is_the_same_in_every_version() -> None:
    assert k_fold("abcdef", 3, seed=7) == (("a", "b"), ("c", "e"), ("d", "f"))


@given(labelled, st.integers(2, 6), st.integers())
def test_strata_are_spread_over_the_folds(categories: dict[str, str], folds: int, seed: int) -> None:
    folds = min(folds, len(categories))
    parts = k_fold(categories, folds, seed=seed, strata=categories)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for category in set(categories.values()):
        each = [counts(part, categories)[category] for part in parts]
        assert max(each) - min(each) <= 1


def test_groups_stay_together() -> None:
    groups = {f"{number}{version}": str(number) for number in range(10) for version in "ab"}
    parts = k_fold(groups, 4, groups=groups)
    assert sorted(topic for part in parts for topic in part) == sorted(groups)
    assert [part for part in parts for other in parts if part is not other
            if {groups[topic] for topic in part} & {groups[topic] for topic in other}] == []
    assert sorted(map(len, parts)) == [4, 4, 6, 6]


@every_case(
    ("arguments", "message"),
    [
        ({"topics": ["a", "b"], "folds": 3}, "2 topics cannot be divided into 3 folds. Use 2 to 2 folds."),
        ({"topics": ["a", "b"], "folds": 1}, "2 topics cannot be divided into 1 folds"),
        ({"topics": ["a"], "folds": 2}, "Cross-validation needs two at least."),
        ({"topics": [], "folds": 2}, "0 topics cannot be divided"),
        ({"topics": ["a", "b", "a"], "folds": 2}, "the topic a occurs twice"),
        ({"topics": ["a", "b"], "folds": 2, "strata": {"a": "x"}}, "1 of 2 topics have no category, first b"),
        ({"topics": ["a", "b"], "folds": 2, "groups": {"a": "x", "b": "x"}}, "1 groups of topics cannot be divided"),
        ({"topics": ["a", "b"], "folds": 2, "groups": {}, "strata": {}}, "by strata and by groups at once"),
    ],
)
def test_what_cannot_be_divided(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        k_fold(**arguments)  # type: ignore[arg-type]


def test_largest_remainder_by_hand() -> None:
    # 26 · 55/77 = 18.57, 10 · 55/77 = 7.14, 41 · 55/77 = 29.29: the one seat left goes to the first.
    assert largest_remainder({"computation": 26, "concept": 10, "proof": 41}, 55) == {
        "computation": 19, "concept": 7, "proof": 29,
    }
    assert largest_remainder({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert largest_remainder({"a": 1, "b": 3}, 2) == {"a": 0, "b": 2}  # 0.5 and 1.5: the larger share first
    assert largest_remainder({"a": 0, "b": 2}, 2) == {"a": 0, "b": 2}
    assert largest_remainder({}, 0) == {}


@given(st.dictionaries(st.text(max_size=2), st.integers(0, 50), min_size=1, max_size=6), st.integers(0, 200))
def test_largest_remainder_keeps_within_one_seat_of_the_exact_share(shares: dict[str, int], total: int) -> None:
    whole = sum(shares.values())
    if not whole:
        total = 0
    seats = largest_remainder(shares, total)
    assert sum(seats.values()) == total
    for key, share in shares.items():
        assert abs(seats[key] * whole - share * total) < max(1, whole)
        assert share or not seats[key]


@given(labelled, st.integers(), st.data())
def test_stratified_parts(categories: dict[str, str], seed: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(categories)))
    second = data.draw(st.integers(0, len(categories) - first))
    sizes = {"one": first, "two": second, "three": len(categories) - first - second}
    parts = stratified_split(categories, categories, sizes, seed=seed)
    assert {name: len(part) for name, part in parts.items()} == sizes
    assert sorted(topic for part in parts.values() for topic in part) == sorted(categories)
    assert parts == stratified_split(categories, categories, sizes, seed=seed)
    total = Counter(categories.values())
    for category, count in counts(parts["one"], categories).items():
        assert abs(count - total[category] * first / len(categories)) < 1


def test_the_scheme_of_2021() -> None:
    parts = arqmath_2021_split(TOPICS_77, seed=3)
    assert {name: len(part) for name, part in parts.items()} == {
        "train": 55, "validation": 11, "test": 11, "smaller-train": 44, "smaller-validation": 11, "bigger-train": 66,
    }
    assert counts(parts["train"], TOPICS_77) == {"computation": 19, "concept": 7, "proof": 29}
    assert counts(parts["validation"], TOPICS_77) == {"computation": 4, "concept": 1, "proof": 6}
    assert counts(parts["test"], TOPICS_77) == {"computation": 3, "concept": 2, "proof": 6}
    train, validation, test = (set(parts[name]) for name in ("train", "validation", "test"))
    assert train | validation | test == set(TOPICS_77)
    assert not train & validation | train & test | validation & test
    assert set(parts["smaller-train"]) | set(parts["smaller-validation"]) == train
    assert set(parts["bigger-train"]) == train | validation
    assert parts == arqmath_2021_split(TOPICS_77, seed=3) != arqmath_2021_split(TOPICS_77, seed=4)


@every_case("count", [5, 6, 7, 13, 71, 100])
def test_the_scheme_of_2021_on_other_numbers_of_topics(count: int) -> None:
    parts = arqmath_2021_split({str(number): "abc"[number % 3] for number in range(count)})
    assert sum(len(parts[name]) for name in ("train", "validation", "test")) == count
    assert all(parts.values())


def test_too_few_topics_for_the_scheme_of_2021() -> None:
    with pytest.raises(ConfigError, match="4 topics are too few"):
        arqmath_2021_split({str(number): "proof" for number in range(4)})


@every_case(
    ("sizes", "message"),
    [
        ({"train": 2, "test": 2}, "the parts train 2, test 2 have 4 topics together, and 3 are given"),
        ({"train": -1, "test": 4}, "a part cannot have -1 topics"),
    ],
)
def test_sizes_that_do_not_fit(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        stratified_split("abc", dict.fromkeys("abc", "x"), sizes)


@pytest.mark.needs_shared_data
def test_the_categories_of_2021(shared_data: Path) -> None:
    path = shared_data / "arqmath-topics" / "2021" / "Task1_ARQMath2_Topic_Information.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        categories = {row["Topic"]: row["Category"] for row in csv.DictReader(file)}
    assert len(categories) == 71
    total = Counter(categories.values())
    parts = arqmath_2021_split(categories, seed=0)
    for name, share in (("train", 5 / 7), ("validation", 1 / 7), ("test", 1 / 7)):
        for category, count in total.items():
            assert abs(counts(parts[name], categories)[category] - count * share) < 1.5


def test_the_published_parts_have_the_topics_of_the_paper() -> None:
    parts = published_2021_split([f"A.{number}" for number in range(1, 101)])
    assert parts["test"] == (
        "A.8", "A.16", "A.27", "A.29", "A.42", "A.44", "A.49", "A.51", "A.53", "A.80", "A.99",
    )
    assert parts["validation"] == (
        "A.12", "A.18", "A.24", "A.32", "A.40", "A.48", "A.54", "A.67", "A.74", "A.85", "A.96",
    )
    assert (len(parts["train"]), len(parts["bigger-train"])) == (78, 89)
    assert set(parts["bigger-train"]) == {*parts["train"], *parts["validation"]}
    with pytest.raises(ConfigError, match="the published parts are of the topics of ARQMath 2020"):
        published_2021_split(["A.1", "B.8"])


@pytest.mark.needs_shared_data
def test_the_published_parts_have_the_judgments_of_the_paper(shared_data: Path) -> None:
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    parts = published_2021_split(qrels)
    assert {part: (len(topics), sum(len(qrels[topic]) for topic in topics)) for part, topics in parts.items()} == {
        "train": (55, 27_830), "validation": (11, 5_652), "test": (11, 5_642), "bigger-train": (66, 33_482),
    }  # section 2.3
