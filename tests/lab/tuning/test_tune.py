"""Tuning on all topics and by cross-validation, over objectives small enough to work out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError, Problem, QueryError
from porism.lab.evaluate import k_fold
from porism.lab.tuning import (
    CoordinateSearch,
    GridSearch,
    RandomSearch,
    Search,
    TrialStore,
    cross_validate,
    tune,
    with_parameters,
)
from porism.settings import SettingError

TABLE = {
    #      a    b    c    d
    1: (0.1, 0.9, 0.2, 0.4),
    2: (0.5, 0.1, 0.6, 0.4),
    3: (0.4, 0.4, 0.4, 0.4),
}
"""k → the values of topics a to d. Means: 0.4, 0.4, 0.4. Without a: 0.5, 0.367, 0.4; without b: 0.233, 0.5, 0.4."""


class Tabled:
    """An objective with the values of a table, which counts how often it is asked."""

    topics = ("a", "b", "c", "d")
    digest = "tabled"

    def __init__(self, table: Mapping[int, tuple[float, ...]] = TABLE, interrupt_at: int | None = None) -> None:
        self.table, self.interrupt_at = table, interrupt_at
        self.asked: list[int] = []

    def __call__(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        if len(self.asked) == self.interrupt_at:
            raise KeyboardInterrupt
        self.asked.append(parameters["k"])
        return dict(zip(self.topics, self.table[parameters["k"]], strict=False))

    def describe(self) -> dict[str, Any]:
        return {"measure": "nDCG'"}


SPACE = {"k": [1, 2, 3]}


def test_the_best_mean_over_the_topics_given() -> None:
    assert tune(Tabled(), SPACE, topics=["b", "d"]).parameters == {"k": 1}
    found = tune(Tabled(), SPACE, topics=["a", "c", "d"])
    assert found.parameters == {"k": 2}
    assert found.score == pytest.approx((0.5 + 0.6 + 0.4) / 3)
    assert found.topics == ("a", "c", "d")
    assert [(trial.parameters["k"], trial.score) for trial in found.trials] == [
        (1, pytest.approx(0.7 / 3)), (2, pytest.approx(0.5)), (3, pytest.approx(0.4)),
    ]


@every_case("search", [GridSearch(), RandomSearch(10, 3), RandomSearch(10, 4), CoordinateSearch(starts=2)])
def test_ties_go_to_the_first_in_the_order_of_the_space(search: Search) -> None:
    table = {1: (0.4, 0.2), 2: (0.2, 0.4), 3: (0.3, 0.3), 4: (0.1, 0.1)}
    for order in ([4, 2, 3, 1], [4, 1, 2, 3], [3, 4, 1, 2]):
        found = tune(Tabled(table), {"k": order}, search, ["a", "b"])
        assert found.parameters == {"k": order[1] if order[0] == 4 else order[0]}


def test_cross_validation_by_hand() -> None:
    found = cross_validate(Tabled(), SPACE, folds=[["a"], ["b"], ["c", "d"]])
    # Without a: k=1 (0.5); without b: k=2 (0.5); without c and d: k=1 (0.5).
    assert [fold.tuned.parameters["k"] for fold in found.folds] == [1, 2, 1]
    assert [fold.tuned.score for fold in found.folds] == [pytest.approx(0.5)] * 3
    assert [fold.tuned.topics for fold in found.folds] == [("b", "c", "d"), ("a", "c", "d"), ("a", "b")]
    assert found.values == {"a": 0.1, "b": 0.1, "c": 0.2, "d": 0.4}
    assert found.score == pytest.approx(0.2)
    assert found.whole.parameters == {"k": 1}  # all three have the mean 0.4
    assert found.topics == ("a", "b", "c", "d")


def test_cross_validation_evaluates_each_configuration_once() -> None:
    for search in (GridSearch(), RandomSearch(3, 1), CoordinateSearch()):
        objective = Tabled()
        cross_validate(objective, SPACE, search, folds=4)
        assert sorted(objective.asked) == [1, 2, 3]


@given(st.data())
def test_a_held_out_topic_has_no_part_in_the_choice(data: st.DataObject) -> None:
    """Whatever the judgments of a held-out topic say, poison too, its fold chooses the same parameters."""
    value = st.floats(0, 1)
    table = {k: tuple(data.draw(value) for _ in "abcd") for k in (1, 2, 3)}
    folds = k_fold("abcd", data.draw(st.integers(2, 4)), seed=data.draw(st.integers(0, 5)))
    searches = [GridSearch(), RandomSearch(3, 1), RandomSearch(2, 1), CoordinateSearch(starts=2)]
    search = data.draw(st.sampled_from(searches))
    number = data.draw(st.integers(0, len(folds) - 1))
    poison = st.sampled_from([math.nan, math.inf, -math.inf, -1e9, 1e9]) | value
    poisoned = {
        k: tuple(data.draw(poison) if topic in folds[number] else table[k]["abcd".index(topic)] for topic in "abcd")
        for k in table
    }
    before = cross_validate(Tabled(table), SPACE, search, folds)
    # Only this fold is asked about: those that train on poison may fail altogether.
    training = [topic for part in folds if part is not folds[number] for topic in part]
    after = tune(Tabled(poisoned), SPACE, search, training)
    assert before.folds[number].tuned.parameters == after.parameters
    assert before.folds[number].tuned.score == after.score
    assert [trial.score for trial in before.folds[number].tuned.trials] == [trial.score for trial in after.trials]


def test_a_changed_topic_changes_no_choice_of_its_own_fold() -> None:
    folds = [["a"], ["b"], ["c"], ["d"]]
    before = cross_validate(Tabled(), SPACE, folds=folds)
    for number in range(4):
        changed = {k: tuple(1 - x if i == number else x for i, x in enumerate(row)) for k, row in TABLE.items()}
        after = cross_validate(Tabled(changed), SPACE, folds=folds)
        assert after.folds[number].tuned.parameters == before.folds[number].tuned.parameters
        held_out = "abcd"[number]
        assert after.values[held_out] == pytest.approx(1 - before.values[held_out])


def test_an_interrupted_search_resumes_where_it_stopped(tmp_path: Path) -> None:
    table = {k: (k % 7 / 7, k % 3 / 3) for k in range(20)}
    space = {"k": list(range(20))}
    first = Tabled(table, interrupt_at=8)
    with pytest.raises(KeyboardInterrupt):
        tune(first, space, topics=["a", "b"], store=TrialStore(tmp_path / "trials"))
    second = Tabled(table)
    found = tune(second, space, topics=["a", "b"], store=TrialStore(tmp_path / "trials"))
    assert first.asked == list(range(8))
    assert second.asked == list(range(8, 20))
    whole = tune(Tabled(table), space, topics=["a", "b"])
    assert (found.parameters, found.trials) == (whole.parameters, whole.trials)
    third = Tabled(table)
    cross_validate(third, space, folds=[["a"], ["b"]], store=TrialStore(tmp_path / "trials"))
    assert third.asked == []


def test_progress_counts_configurations() -> None:
    told: list[tuple[int, int | None]] = []
    cross_validate(Tabled(), SPACE, folds=2, on_progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    tune(Tabled(), SPACE, CoordinateSearch(starts=1), on_progress=lambda done, total: told.append((done, total)))
    assert told == [(1, None), (2, None), (3, None)]


class Failing(Tabled):
    """Fails at k = 2 in one way or another."""

    def __init__(self, error: Exception | None = None, value: float = math.nan) -> None:
        super().__init__()
        self.error, self.value = error, value

    def __call__(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        values = super().__call__(parameters)
        if parameters["k"] == 2:
            if self.error:
                raise self.error
            values["c"] = self.value
        return values


@every_case(
    ("objective", "problem"),
    [
        (Failing(ConfigError("no such norm", hint="Choose another.")), "no such norm. Choose another: skipped"),
        (Failing(ValueError("singular matrix")), "singular matrix: skipped"),
        (Failing(ZeroDivisionError()), "ZeroDivisionError: skipped"),
        (Failing(value=math.nan), "the value for topic c is not a finite number: skipped"),
        (Failing(value=math.inf), "the value for topic c is not a finite number: skipped"),
        (Failing(value="0.5"), "a value is not a number: skipped"),  # type: ignore[arg-type]
    ],
)
def test_one_configuration_that_fails_is_reported_and_skipped(objective: Failing, problem: str) -> None:
    problems: list[Problem] = []
    found = tune(objective, SPACE, topics=["a", "c", "d"], on_problem=problems.append)
    assert found.parameters == {"k": 3}
    assert [(problem.where, problem.what) for problem in problems] == [("k=2", problem)]
    assert found.trials[1].score is None
    assert found.trials[1].problem == problem.removesuffix(": skipped")


def test_a_failure_is_told_once_for_all_folds() -> None:
    problems: list[Problem] = []
    cross_validate(Failing(ValueError("x")), SPACE, folds=4, on_problem=problems.append)
    assert len(problems) == 1


def test_failures_are_tried_again_and_not_kept(tmp_path: Path) -> None:
    tune(Failing(ValueError("x")), SPACE, store=TrialStore(tmp_path / "trials"))
    objective = Tabled()
    tune(objective, SPACE, store=TrialStore(tmp_path / "trials"))
    assert objective.asked == [2]


def test_when_all_fail_the_first_reason_is_reported() -> None:
    with pytest.raises(ConfigError, match=r"k=2: all 1 configurations failed\. This one: too large\."):
        tune(Failing(ConfigError("too large")), {"k": [2]})
    with pytest.raises(ConfigError, match="fold 1, k=2: all 1 configurations failed"):
        cross_validate(Failing(ConfigError("too large")), {"k": [2]}, folds=2)


def test_a_mistake_in_the_objective_is_not_hidden() -> None:
    with pytest.raises(KeyError):
        tune(Tabled(), {"k": [1, 99]})


def test_a_parameter_that_does_not_exist_ends_the_search_at_once() -> None:
    def objective(parameters: Mapping[str, Any]) -> dict[str, float]:
        with_parameters({"feedback": {"terms": 10}}, parameters)
        raise AssertionError

    with pytest.raises(SettingError, match=r"there is no setting 'feedback.term'. Did you mean feedback.terms\?"):
        tune(objective, {"feedback.term": [1, 2]}, topics=["a"])


def test_undefined_values_are_left_out_of_means() -> None:
    def objective(parameters: Mapping[str, Any]) -> dict[str, float]:
        return {"a": 0.2, "b": 0.4} if parameters["k"] == 1 else {"a": 0.25}

    found = tune(objective, {"k": [1, 2]}, topics=["a", "b"])
    assert found.parameters == {"k": 1}
    assert [(trial.score, trial.defined) for trial in found.trials] == [(pytest.approx(0.3), 2), (0.25, 1)]
    crossed = cross_validate(objective, {"k": [2, 1]}, folds=[["a"], ["b"]])
    # Only k = 1 has a value for b; only topic a is defined for both.
    assert [fold.tuned.parameters["k"] for fold in crossed.folds] == [1, 2]
    assert crossed.values == {"a": 0.2}
    assert crossed.score == 0.2


def test_an_objective_undefined_everywhere_has_failed() -> None:
    with pytest.raises(ConfigError, match="the measure is undefined for all topics"):
        tune(lambda parameters: {}, {"k": [1]}, topics=["a"])


@every_case(
    ("arguments", "error", "message"),
    [
        ({"topics": []}, QueryError, "there are no topics to tune on"),
        ({"topics": ["a", "z"]}, QueryError, "1 of 2 topics have no judgments, first z"),
        ({"space": {}}, ConfigError, "there is no parameter to tune"),
        ({"space": {"k": {"low": 1, "high": 200_000, "step": 1}}}, ConfigError, "a grid at most 100,000"),
    ],
)
def test_what_cannot_be_tuned_is_known_before_any_work(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    objective = Tabled()
    with pytest.raises(error, match=message):
        tune(objective, **{"space": SPACE, **arguments})
    assert objective.asked == []


@every_case(
    ("folds", "message"),
    [
        ([["a", "b"]], "two folds at least"),
        ([["a"], []], "topics in each"),
        ([["a", "b"], ["b"]], "the topic b is in two folds"),
        (9, "4 topics cannot be divided into 9 folds"),
    ],
)
def test_folds_that_hold_nothing_out(folds: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        cross_validate(Tabled(), SPACE, folds=folds)


def test_an_objective_that_does_not_say_which_it_is_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not say which it is"):
        tune(lambda parameters: {"a": 1.0}, SPACE, topics=["a"], store=TrialStore(tmp_path / "trials"))
    with pytest.raises(ConfigError, match="does not say which topics it has"):
        tune(lambda parameters: {"a": 1.0}, SPACE)
