"""Settings as plain values and as dataclasses: what is read, what is written, and what errors say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest

from porism.errors import ConfigError
from porism.settings import SettingError, Settings, nearest, parse_assignments, read_settings, write_settings


@dataclass(frozen=True, slots=True)
class Inner(Settings):
    weight: float = 1.0
    names: tuple[str, ...] = ()
    kind: Literal["plain", "rich"] = "plain"

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ConfigError(f"the weight cannot be {self.weight}", hint="Use a number ≥ 0.")


@dataclass(frozen=True, slots=True)
class Outer(Settings):
    needed: int
    parts: Mapping[str, Inner] = field(default_factory=dict)
    one: Inner | None = None
    weights: tuple[float, ...] | None = None
    switch: bool = True


def test_plain_values_become_dataclasses_and_back() -> None:
    plain = {
        "needed": 3, "parts": {"a": {"weight": 2, "names": ["x", "y"]}, "b": {}}, "one": {"kind": "rich"},
        "weights": [1, 0.5], "switch": False,
    }
    read = read_settings(Outer, plain)
    assert read == Outer(3, {"a": Inner(2.0, ("x", "y")), "b": Inner()}, Inner(kind="rich"), (1.0, 0.5), False)
    assert isinstance(read.parts["a"].weight, float)
    assert read_settings(Outer, write_settings(read)) == read
    assert write_settings(Outer(1)) == {"needed": 1, "parts": {}, "switch": True}


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({"needed": 1, "swich": True}, ("swich",), "there is no setting 'swich'. Did you mean switch?"),
        ({"needed": 1, "parts": {"a": {"wieght": 1}}}, ("parts", "a", "wieght"),
         "there is no setting 'parts.a.wieght'. Did you mean parts.a.weight?"),
        ({"needed": 1, "one": {"Kind": "rich"}}, ("one", "Kind"),
         "there is no setting 'one.Kind'. Did you mean one.kind?"),
        ({"needed": 1, "one": {"zzz": 1}}, ("one", "zzz"),
         "there is no setting 'one.zzz'. Choose from weight, names, kind."),
        ({"needed": "1"}, ("needed",), "the setting 'needed' cannot be '1'. Input should be a valid integer."),
        ({"needed": True}, ("needed",), "the setting 'needed' cannot be True. Input should be a valid integer."),
        ({"needed": 1.5}, ("needed",), "the setting 'needed' cannot be 1.5. Input should be a valid integer."),
        ({"needed": 1, "one": {"kind": "poor"}}, ("one", "kind"),
         "the setting 'one.kind' cannot be 'poor'. Input should be 'plain' or 'rich'."),
        ({"needed": 1, "parts": {"a": {"weight": -1.0}}}, ("parts", "a"),
         "parts.a: the weight cannot be -1.0. Use a number ≥ 0."),
        ({"needed": 1, "parts": {"a": {"names": ["x", 2]}}}, ("parts", "a", "names", 1),
         "the setting 'parts.a.names.1' cannot be 2. Input should be a valid string."),
        ({"needed": "x" * 1000}, ("needed",), f"the setting 'needed' cannot be '{'x' * 58}…. Input should be"),
        ({"needed": 1, "parts": []}, ("parts",), "the setting 'parts' cannot be []."),
        ({"needed": 1, "weights": [1.0, "nan"]}, ("weights", 1), "the setting 'weights.1' cannot be 'nan'."),
        ({}, (), "the setting 'needed' is missing"),
    ],
)
def test_errors_name_the_setting_and_what_may_have_been_meant(
    given: dict[str, object], path: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SettingError) as caught:
        read_settings(Outer, given)
    assert caught.value.path == path
    assert message in str(caught.value)


def test_errors_know_where_the_settings_stand() -> None:
    with pytest.raises(SettingError, match=r"there is no setting 'fusions\.rrf\.x'") as caught:
        read_settings(Outer, {"needed": 1, "x": 1}, at=("fusions", "rrf"))
    assert caught.value.path == ("fusions", "rrf", "x")
    with pytest.raises(SettingError, match=r"'fusions\.rrf' cannot be 5. It is a table of settings"):
        read_settings(Outer, 5, at=("fusions", "rrf"))  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="not a plain value"):
        read_settings(Outer, {"needed": object()})


def test_nearest() -> None:
    assert nearest("RRF", ["rrf", "borda"]) == "Did you mean rrf?"
    assert nearest("xyz", ["rrf", "borda"]) == "Choose from rrf, borda."
    assert nearest("k", []) == "It takes no settings."


def test_assignments() -> None:
    assert parse_assignments([
        "k=60", "weights=0.7, 0.3", "norm=z-score", "seed=[1, 2]", "on=true", "feedback.terms=10",
        "feedback.weight=.5", "name=a=b", "of=x,y", "empty=", "model='1'", "none=None",
    ]) == {
        "k": 60, "weights": [0.7, 0.3], "norm": "z-score", "seed": [1, 2], "on": True,
        "feedback": {"terms": 10, "weight": 0.5}, "name": "a=b", "of": ["x", "y"], "empty": "", "model": "1",
        "none": "None",
    }
    for pairs, message in [
        (["k"], "'k' is not of the form name=value"),
        (["=5"], "'=5' is not of the form"),
        (["a.=5"], "'a.=5' is not of the form"),
        (["k=1", "k=2"], "the setting 'k' occurs twice"),
        (["k=1", "k.x=2"], "the setting 'k' in 'k.x=2' has a value and can have no parts"),
    ]:
        with pytest.raises(ConfigError, match=message):
            parse_assignments(pairs)
