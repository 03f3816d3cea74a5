"""The values that a parameter may take."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product
from typing import Any

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError
from porism.lab.tuning.parameters import Choices, Parameter, Range, Simplex, read_parameter, value_key
from porism.settings import SettingError


def points(parameter: Parameter) -> list[Any]:
    return [parameter.point(number) for number in range(parameter.size)]


PARAMETERS: list[Parameter] = [
    Choices(("b", "a", 3, None)), Range(0.1, 0.9, 0.1), Range(1, 100, log=True), Range(0.5, 2.0), Range(3, 3),
    Range(1, 6), Simplex(0.25, 3), Simplex(0.1, 2, 0.1), Simplex(0.5, 1),
]


@every_case(
    ("parameter", "expected"),
    [
        (Choices((3, 1, 3.0, True, "1")), [3, 1, True, "1"]),
        (Range(0.1, 0.9, 0.1), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        (Range(0.0, 1.0, 0.3), [0.0, 0.3, 0.6, 0.9]),
        (Range(1, 9, 4), [1, 5, 9]),
        (Range(0.0, 1.0, points=3), [0.0, 0.5, 1.0]),
        (Range(1, 1000, points=4, log=True), [1, 10, 100, 1000]),
        (Range(1, 3, points=9, log=True), [1, 2, 3]),
        (Range(0.01, 1.0, points=3, log=True), [0.01, 0.1, 1.0]),
        (Range(1, 4), [1, 2, 3, 4]),
        (Range(2.0, 2.0), [2.0]),
        (Simplex(0.5, 2), [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]),
        (Simplex(0.25, 3, 0.25), [[0.25, 0.25, 0.5], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]),
        (Simplex(0.5, 1), [[1.0]]),
    ],
)
def test_points_by_hand(parameter: Parameter, expected: list[Any]) -> None:
    assert points(parameter) == expected
    assert [type(point) for point in points(parameter)] == [type(point) for point in expected]


def test_the_weights_of_zhong_et_al() -> None:
    alphas = [number / 10 for number in range(1, 10)]
    assert points(Simplex(0.1, 2, 0.1)) == [[alpha, round(1 - alpha, 1)] for alpha in alphas]


@every_case(("step", "systems", "least"), [(0.1, 5, 0.0), (0.2, 3, 0.2), (0.05, 2, 0.1), (1.0, 4, 0.0)])
def test_a_simplex_has_all_combinations_once_in_order(step: float, systems: int, least: float) -> None:
    units, floor = round(1 / step), round(least / step)
    expected = [
        combination for combination in product(range(floor, units + 1), repeat=systems) if sum(combination) == units
    ]
    found = points(Simplex(step, systems, least))
    assert [tuple(round(weight / step) for weight in weights) for weights in found] == expected
    assert all(math.isclose(math.fsum(weights), 1) for weights in found)


@every_case("parameter", PARAMETERS, ids=repr)
def test_every_point_has_its_position_and_is_read_back(parameter: Parameter) -> None:
    positions = [parameter.position(point) for point in points(parameter)]
    assert positions == sorted(set(positions))
    assert read_parameter(parameter.to_plain()) == parameter


@given(st.sampled_from(PARAMETERS), st.integers())
def test_draws_are_among_the_values(parameter: Parameter, seed: int) -> None:
    value = parameter.draw(random.Random(seed))
    if parameter.continuous:
        assert isinstance(parameter, Range)
        assert parameter.low <= value <= parameter.high
        assert isinstance(value, int) == parameter.whole
    else:
        assert value_key(value) in map(value_key, points(parameter))


def test_each_value_is_drawn_alike() -> None:
    generator = random.Random(5)
    for parameter in (Simplex(0.25, 3), Range(1, 6), Choices(tuple("abcdef"))):
        drawn = Counter(value_key(parameter.draw(generator)) for _ in range(400 * parameter.size))
        assert len(drawn) == parameter.size
        assert all(300 < count < 500 for count in drawn.values())


def test_a_logarithmic_range_is_drawn_evenly_by_magnitude() -> None:
    generator = random.Random(5)
    drawn = [Range(0.001, 1000.0, log=True).draw(generator) for _ in range(3000)]
    assert 1350 < sum(value < 1 for value in drawn) < 1650


@given(st.sampled_from([Simplex(0.1, 4), Simplex(0.25, 3, 0.25), Simplex(0.2, 1)]), st.data())
def test_a_line_of_a_simplex_stays_in_it_and_goes_through_its_point(simplex: Simplex, data: st.DataObject) -> None:
    now = simplex.point(data.draw(st.integers(0, simplex.size - 1)))
    direction = data.draw(st.integers(0, simplex.systems - 1))
    line = simplex.line(now, direction)
    assert now in line
    assert {value_key(value) for value in line} <= {value_key(point) for point in points(simplex)}
    moved = [value[direction] for value in line]
    assert moved == sorted(set(moved))
    assert simplex.systems == 1 or (moved[0], moved[-1]) == (simplex.least, 1 - (simplex.systems - 1) * simplex.least)


def test_a_line_of_a_simplex_by_hand() -> None:
    assert Simplex(0.25, 3).line([0.5, 0.25, 0.25], 0) == [
        [0.0, 0.5, 0.5], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.75, 0.25, 0.0], [1.0, 0.0, 0.0],
    ]
    assert Simplex(0.5, 2).line([1.0, 0.0], 0) == [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]


@every_case(
    ("given", "message"),
    [
        (3, "x.k: 3 is nothing to choose from. Write a list"),
        ("abc", "x.k: 'abc' is nothing to choose from"),
        ([], "x.k: there is no value to choose from"),
        ([math.nan], "x.k: a value to choose from is not a plain value"),
        ([{1, 2}], "x.k: a value to choose from is not a plain value"),
        ({}, "x.k: a range needs a low and a high end. Write {low = 1, high = 100}."),
        ({"lwo": 1, "hihg": 2}, "x.k: a table with 'lwo' is not a range. Did you mean low?"),
        ({"low": 1}, "the setting 'x.k.high' is missing"),
        ({"low": 1, "high": 3, "stp": 1}, "there is no setting 'x.k.stp'. Did you mean x.k.step?"),
        ({"low": "1", "high": 3}, "the setting 'x.k.low' cannot be '1'"),
        ({"low": 3, "high": 1}, "x.k: the range from 3 to 1 is empty"),
        ({"low": 0, "high": 1, "log": True}, "x.k: the range from 0 to 1 has no logarithms"),
        ({"low": 1, "high": 2, "log": True, "step": 1}, "cannot have a step and be logarithmic"),
        ({"low": 1, "high": 2, "points": 2, "step": 1}, "cannot have a step and a number of points"),
        ({"low": 1, "high": 2, "step": 0}, "cannot have the step 0"),
        ({"low": 1, "high": 2, "points": 0}, "cannot have 0 points"),
        ({"low": 0.0, "high": 1.0, "step": 1e-9}, "has over 1,000,000 points"),
        ({"simplex": 0.1}, "x.k: it is not known how many weights there are. Add systems = 3"),
        ({"simplex": 0.3, "systems": 2}, "x.k: weights in steps of 0.3 cannot sum to 1"),
        ({"simplex": 0.1, "systems": 2, "least": 0.25}, "the least weight 0.25 is not a multiple of the step 0.1"),
        ({"simplex": 0.1, "systems": 3, "least": 0.4}, "3 weights of at least 0.4 cannot sum to 1"),
        ({"simplex": 0.1, "systems": 2, "leest": 0.1}, "there is no setting 'x.k.leest'. Did you mean x.k.least?"),
    ],
)
def test_what_is_no_parameter(given: Any, message: str) -> None:
    with pytest.raises(SettingError) as raised:
        read_parameter(given, at=("x", "k"))
    assert message in str(raised.value)
    assert raised.value.path[:2] == ("x", "k")


def test_infinite_ranges_are_refused() -> None:
    for low, high in ((0.0, math.inf), (math.nan, 1.0)):
        with pytest.raises(ConfigError, match="not finite"):
            Range(low, high)


def test_equal_values_have_equal_keys() -> None:
    assert value_key(60) == value_key(60.0) == "60"
    assert value_key({"b": [1.0], "a": None}) == value_key({"a": None, "b": (1,)})
    assert len({value_key(value) for value in (1, True, "1", [1], None, 1.5)}) == 6
