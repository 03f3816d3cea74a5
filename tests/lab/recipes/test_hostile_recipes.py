"""Whatever a recipe holds, it is planned or refused with the places of what is wrong, and nothing is written."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_forms import examples
from recipe_cases import RECIPE

from porism.errors import PorismError
from porism.lab.recipes import RecipeError, plan_recipe

EVERYTHING = RECIPE.replace("[report]", """\
[rerankers.better]
of = "rrf"
model = "plain"
depth = 5
words_power = 0.5

[tuning.best]
of = "better"
on = "dev"
parameters = {depth = [2, 8], tokens.words_power = [0.5]}

[report]
ablation = ["tuned"]""").replace('"rrf", "tuned"]', '"rrf", "tuned", "better", "best"]')

NAMES = st.sampled_from([
    "dev", "words", "tokens", "rrf", "tuned", "first", "k", "of", "on", "seed", "x", "", "a.b", "..", "report", "model",
    "channels", "parameters", "folds", "split", "systems", "\ud800", "é", "best", "method", "train_on",
    "better", "kind", "depth", "rerankers",
])
SCALARS = st.one_of(
    NAMES, st.integers(-3, 3), st.sampled_from([0.5, -1.0, float("nan"), float("inf"), 10**30, True, False, None]),
)
ANY = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=5
)


def containers(value: Any) -> list[Any]:
    """All tables and lists in a value, itself first."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return ([value] if isinstance(value, (dict, list)) else []) + [one for entry in inner for one in containers(entry)]


def refused(recipe: Any, folder: Path = Path()) -> list[PorismError]:
    """The errors of a recipe; none if it can be planned, and then it has stages."""
    try:
        plan = plan_recipe(recipe, folder=folder)
    except RecipeError as error:
        return list(error.errors)
    assert all(stage.key for stage in plan.stages)
    return []


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_change_of_a_recipe(laboratory: Path, data: st.DataObject) -> None:
    recipe = copy.deepcopy(tomllib.loads(EVERYTHING))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(containers(recipe)))
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys)) if keys else None
        change = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "remove" and key is not None:
            del place[key]
        elif change == "replace" and key is not None:
            place[key] = data.draw(ANY)
        elif isinstance(place, dict):
            place[data.draw(NAMES)] = data.draw(ANY)
        else:
            place.append(data.draw(ANY))
    before = sorted(path.name for path in laboratory.iterdir())
    errors = refused(recipe, laboratory)
    assert all(str(error).startswith("recipe") for error in errors), errors
    assert sorted(path.name for path in laboratory.iterdir()) == before


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_change_of_its_text(write: Callable[..., Path], data: st.DataObject) -> None:
    lines = EVERYTHING.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(["cut", "repeat", "move", "part"]))
        line = lines.pop(at)
        if change == "repeat":
            lines[at:at] = [line, line]
        elif change == "move":
            lines.insert(data.draw(st.integers(0, len(lines))), line)
        elif change == "part":
            lines.insert(at, line[: data.draw(st.integers(0, len(line)))])
    path = write("\n".join(lines))
    errors = refused(path)
    assert all(str(error).startswith(str(path)) for error in errors), errors
