"""In which order configurations are tried, and that the known optimum is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.lab.tuning import CoordinateSearch, GridSearch, RandomSearch, Search, Space, make_search
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.search import search_record

BOWL = Space.read({"x": {"low": -5, "high": 5, "step": 1}, "y": {"low": -5, "high": 5, "step": 1}})


def bowl(configuration: Mapping[str, Any]) -> float:
    """Highest at x = 2, y = -3; the two do not depend on each other."""
    return -float((configuration["x"] - 2) ** 2 + (configuration["y"] + 3) ** 2)


class Asked:
    """A score that remembers what it was asked."""

    def __init__(self) -> None:
        self.configurations: list[dict[str, Any]] = []

    def __call__(self, configuration: Mapping[str, Any]) -> float:
        self.configurations.append(dict(configuration))
        return bowl(configuration)

    @property
    def best(self) -> dict[str, Any]:
        return max(self.configurations, key=bowl)


def asked_by(search: Search, space: Space = BOWL) -> Asked:
    asked = Asked()
    search.explore(space, asked)
    return asked


def test_a_grid_tries_every_point_once() -> None:
    asked = asked_by(GridSearch())
    assert asked.configurations == list(BOWL.points())
    assert GridSearch().total(BOWL) == 121
    assert asked.best == {"x": 2, "y": -3}


def test_a_grid_too_large_is_refused_with_its_size() -> None:
    space = Space.read({name: list(range(100)) for name in "abc"})
    with pytest.raises(ConfigError, match=r"the space has 1,000,000 configurations, and a grid at most 100,000"):
        GridSearch().total(space)
    with pytest.raises(ConfigError, match="a grid at most 120"):
        GridSearch(most=120).total(BOWL)


def test_random_search_is_reproducible_and_never_repeats_itself() -> None:
    one, again, other = (asked_by(RandomSearch(50, seed)).configurations for seed in (1, 1, 2))
    assert one == again != other
    assert len({value_key(configuration) for configuration in one}) == 50
    assert RandomSearch(50).total(BOWL) == 50


def test_random_search_with_many_trials_tries_all() -> None:
    asked = asked_by(RandomSearch(1000, 3))
    assert sorted(map(value_key, asked.configurations)) == sorted(map(value_key, BOWL.points()))
    assert RandomSearch(1000).total(BOWL) == 121


def test_random_search_ends_on_whole_numbers_of_a_range_without_step() -> None:
    asked = asked_by(RandomSearch(50), Space.read({"x": {"low": 1, "high": 4}, "y": [0]}))
    assert sorted(configuration["x"] for configuration in asked.configurations) == [1, 2, 3, 4]


def test_random_search_draws_between_points() -> None:
    space = Space.read({"x": {"low": 0.0, "high": 1.0}, "y": [0]})
    assert RandomSearch(30).total(space) is None
    assert len({configuration["x"] for configuration in asked_by(RandomSearch(30), space).configurations}) == 30


def test_coordinate_search_finds_the_top_of_a_bowl_in_two_rounds() -> None:
    asked = asked_by(CoordinateSearch(starts=1))
    assert asked.best == {"x": 2, "y": -3}
    # From the middle (0, 0): the line of x, the line of y, then both again, which gain nothing.
    assert asked.configurations[0] == {"x": 0, "y": 0}
    assert asked.configurations[1:12] == [{"x": x, "y": 0} for x in range(-5, 6)]
    assert asked.configurations[12:23] == [{"x": 2, "y": y} for y in range(-5, 6)]
    assert len(asked.configurations) == 1 + 4 * 11
    assert CoordinateSearch().total(BOWL) is None


def test_coordinate_search_needs_its_starts_to_leave_a_ridge() -> None:
    """A ridge along the diagonal, higher to the upper end: no single coordinate gains anywhere on it."""
    space = Space.read({"x": list(range(7)), "y": list(range(7))})

    def ridge(configuration: Mapping[str, Any]) -> float:
        return float(configuration["x"] - 10 * abs(configuration["x"] - configuration["y"]))

    def found(search: Search) -> float:
        scores: list[float] = []

        def score(configuration: Mapping[str, Any]) -> float:
            scores.append(ridge(configuration))
            return scores[-1]

        search.explore(space, score)
        return max(scores)

    assert found(GridSearch()) == 6
    assert found(CoordinateSearch(starts=1)) == 3
    assert found(CoordinateSearch(starts=30, seed=1)) == 6


def test_coordinate_search_moves_weights() -> None:
    target = [0.6, 0.3, 0.1]
    space = Space.read({"weights": {"simplex": 0.1, "systems": 3}})
    found: dict[str, float] = {}

    def score(configuration: Mapping[str, Any]) -> float:
        value = -sum((weight - goal) ** 2 for weight, goal in zip(configuration["weights"], target, strict=True))
        found[str(configuration["weights"])] = value
        return value

    CoordinateSearch(starts=2).explore(space, score)
    assert max(found, key=found.__getitem__) == str(target)
    assert len(found) < space.size


def test_coordinate_search_passes_over_what_fails() -> None:
    def score(configuration: Mapping[str, Any]) -> float:
        tried.append(configuration["x"])
        return -float("inf") if configuration["x"] < 3 else -float(configuration["x"])

    tried: list[int] = []
    CoordinateSearch(starts=1).explore(Space.read({"x": [0, 1, 2, 3, 4]}), score)
    assert max(tried) == 4
    assert len(tried) == 1 + 2 * 5  # the start, the line to 3, and the line that gains nothing


def test_searches_by_name() -> None:
    assert make_search("grid") == GridSearch()
    assert make_search("random", {"trials": 5, "seed": 2}) == RandomSearch(5, 2)
    assert search_record(CoordinateSearch(seed=4)) == {"search": "coordinate", "rounds": 10, "starts": 3, "seed": 4}


@every_case(
    ("name", "settings", "message"),
    [
        ("gird", {}, "there is no search 'gird'. Did you mean grid?"),
        ("random", {"trails": 5}, "there is no setting 'trails'. Did you mean trials?"),
        ("random", {"trials": 0}, "a random search cannot have 0 trials"),
        ("coordinate", {"starts": 0}, "a coordinate search cannot have 10 rounds from 0 starts"),
    ],
)
def test_searches_that_do_not_exist(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        make_search(name, settings)
    assert message in str(raised.value)
