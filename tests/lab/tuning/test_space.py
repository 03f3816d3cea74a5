"""Spaces of parameters, and settings with other values at dotted paths."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.lab.tuning import Space, with_parameters
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.space import UnknownParameter
from porism.settings import SettingError

SPACE = Space.read({"k": [10, 60], "norm": ["a", "b", "c"]})


def test_points_in_the_order_of_the_space() -> None:
    assert SPACE.size == 6
    assert list(SPACE.points()) == [{"k": k, "norm": norm} for k in (10, 60) for norm in "abc"]
    assert list(map(SPACE.position, SPACE.points())) == sorted(map(SPACE.position, SPACE.points()))
    assert Space.read(SPACE.to_plain()) == SPACE


def test_a_simplex_takes_the_number_of_systems() -> None:
    space = Space.read({"weights": {"simplex": 0.1}}, systems=3)
    assert space.size == 66
    assert space.to_plain() == {"weights": {"simplex": 0.1, "systems": 3}}


def test_sizes_of_huge_spaces_are_known() -> None:
    space = Space.read({f"p{number}": {"low": 1, "high": 1000, "step": 1} for number in range(20)})
    assert space.size == 1000**20
    assert space.point(space.size - 1) == dict.fromkeys(space.parameters, 1000)


@every_case(
    ("given", "message"),
    [
        ({}, "there is no parameter to tune"),
        ({"weights": [[1]], "weights.0": [1]}, "'weights.0' is a part of 'weights'"),
        ({"k": 3}, "k: 3 is nothing to choose from"),
        ([1], "the parameters must be a table, not [1]"),
    ],
)
def test_what_is_no_space(given: Any, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Space.read(given)
    assert message in str(raised.value)


def test_keys_do_not_depend_on_the_order_of_parameters() -> None:
    assert value_key({"a": 1, "b": 2.0}) == value_key({"b": 2, "a": 1.0})


SETTINGS = {"channels": {"tokens": {"weight": 1.0, "k1": 1.2}, "v1.3": {"weight": 2.0}}, "weights": [1, 2], "depth": 5}


def test_values_at_any_depth() -> None:
    before = copy.deepcopy(SETTINGS)
    changed = with_parameters(SETTINGS, {
        "channels.tokens.weight": 3.0, "channels.v1.3.weight": 4.0, "weights.1": 9, "depth": [1],
    })
    assert changed == {
        "channels": {"tokens": {"weight": 3.0, "k1": 1.2}, "v1.3": {"weight": 4.0}}, "weights": [1, 9], "depth": [1],
    }
    assert before == SETTINGS


def test_a_list_as_a_whole() -> None:
    assert with_parameters({"weights": None}, {"weights": [0.3, 0.7]}) == {"weights": [0.3, 0.7]}


@every_case(
    ("path", "error_path", "message"),
    [
        ("channels.tokens.weigth", ("channels", "tokens", "weigth"), "Did you mean channels.tokens.weight?"),
        ("chanels.tokens.weight", ("chanels",), "Did you mean channels?"),
        ("channels.toknes.k1", ("channels", "toknes"), "Did you mean channels.tokens?"),
        ("weights.2", ("weights", "2"), "weights is a list of 2, counted from 0."),
        ("weights.-1", ("weights", "-1"), "weights is a list of 2"),
        ("depth.k", ("depth", "k"), "depth is 5 and has no parts."),
        ("", ("",), "Choose from channels, weights, depth."),
    ],
)
def test_paths_that_lead_nowhere(path: str, error_path: tuple[str, ...], message: str) -> None:
    with pytest.raises(UnknownParameter) as raised:
        with_parameters(SETTINGS, {path: 1})
    assert isinstance(raised.value, SettingError)
    assert f"there is no setting {path!r}" in str(raised.value)
    assert message in str(raised.value)
    assert raised.value.path == error_path
