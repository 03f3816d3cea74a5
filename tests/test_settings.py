"""Settings as plain values and as dataclasses: what is read, what is written, and what errors say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from case_tables import every_case

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


@dataclass(frozen=True, slots=True)
class Feedback(Settings):
    terms: int = 1
    weight: float = 1.0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Assignable(Settings):
    k: int = 1
    weights: tuple[float, ...] = ()
    seed: tuple[int, ...] | None = None
    on: bool = False
    feedback: Feedback = field(default_factory=Feedback)
    norm: Literal["plain", "rich"] = "plain"
    of: tuple[str, ...] = ()
    name: str = ""
    none: str | None = None
    parts: Mapping[str, Inner] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    any: Any = None


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


@every_case(
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


def assigned(*pairs: str) -> Assignable:
    return read_settings(Assignable, parse_assignments(pairs))


def test_assignments_are_read_as_the_types_of_settings() -> None:
    assert assigned(
        "k=60", "weights=0.7, 0.3", "seed=[1, 2]", "on=true", "feedback.terms= 10", "feedback.weight=.5",
        "norm = rich", "of=x,y", "none=None", "parts.a.weight=2", "any=1,x",
    ) == Assignable(
        k=60, weights=(0.7, 0.3), seed=(1, 2), on=True, feedback=Feedback(10, 0.5), norm="rich", of=("x", "y"),
        none="None", parts={"a": Inner(2)}, any=[1, "x"],
    )


@every_case("text", ["query: ", " query", "a, b", "1", "true", "a=b", "[1, 2]", "", "1,2", "(", "it's"])
def test_text_stays_as_it_was_written(text: str) -> None:
    assert assigned(f"name={text}").name == text
    assert assigned(f"none={text}").none == text
    assert assigned(f"named.x={text}").named == {"x": text}
    assert assigned(f"feedback.name={text}").feedback == Feedback(name=text)


def test_blanks_around_the_sign_are_not_part_of_a_text() -> None:
    assert assigned("name = a b ").name == "a b "


def test_quotes_around_a_text_are_not_part_of_it() -> None:
    assert assigned("name='query: '").name == "query: "
    assert assigned('name="1"').name == "1"


def test_one_word_is_a_list_of_words() -> None:
    assert assigned("of=title").of == ("title",)
    assert assigned("of=").of == ()
    assert assigned("of=['a b', 'c']").of == ("a b", "c")


def test_an_assigned_value_that_does_not_fit_is_shown_as_it_was_read() -> None:
    with pytest.raises(SettingError, match="the setting 'k' cannot be 'many'"):
        assigned("k=many")
    with pytest.raises(SettingError, match=r"there is no setting 'feedback\.term'") as error:
        assigned("feedback.term=1")
    assert error.value.hint == "Did you mean feedback.terms?"


def test_assignments_of_no_form_are_refused() -> None:
    for pairs, message in [
        (["k"], "'k' is not of the form name=value"),
        (["=5"], "'=5' is not of the form"),
        (["a.=5"], "'a.=5' is not of the form"),
        (["k=1", "k=2"], "the setting 'k' occurs twice"),
        (["k=1", "k.x=2"], "the setting 'k' in 'k.x=2' has a value and can have no parts"),
    ]:
        with pytest.raises(ConfigError, match=message):
            parse_assignments(pairs)
