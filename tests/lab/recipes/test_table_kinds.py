"""Kinds of tables: what a new one costs, and what each of those in the registry must have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from cutoff_kind import CUTOFF_KIND
from recipe_cases import FUSIONS

from porism.lab.fusion import fuse
from porism.lab.recipes import RecipeError, plan_recipe, run_recipe
from porism.lab.recipes.kinds import registry
from porism.lab.recipes.kinds.base import StageKind, TableKind
from porism.lab.recipes.kinds.encodings import ENCODING_KINDS
from porism.runs.run import Run

Write = Callable[..., Path]

ROOT = Path(__file__).parents[3]

CUT = FUSIONS.replace("[report]", """\
[cutoffs.short]
of = "both"
k = 3
[fusions.again]
of = ["short", "second"]
[tuning.best]
of = "short"
on = "dev"
parameters = {k = [1, 2, 15], both.k = [1, 60]}
[report]""")


@pytest.fixture
def with_cutoffs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the registry that a new kind costs."""
    monkeypatch.setattr(registry, "KINDS", (*registry.KINDS, CUTOFF_KIND))


@pytest.mark.usefixtures("with_cutoffs")
def test_a_new_kind_is_one_module_and_one_line(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write(CUT))
    first, second = (Run.read(laboratory / f"{name}.run") for name in ("first", "second"))
    short = fuse([first, second], "rrf").top(3)
    made = experiment.run("short", "dev")
    assert {topic: made[topic] for topic in made} == {topic: short[topic] for topic in short}
    again = experiment.run("again", "dev")
    expected = fuse([short, second], "rrf")
    assert {topic: again[topic] for topic in again} == {topic: expected[topic] for topic in expected}
    assert experiment.record["tuned"]["best"]["parameters"]["k"] == 15  # what is cut off can only be missed
    assert [run["run"] for run in experiment.reports["report"].numbers["runs"]] == [
        "first", "second", "both", "again", "best", "short",
    ]
    stages = {stage["stage"]: stage for stage in experiment.record["stages"]}
    assert stages["cut short on dev"]["inputs"] == {"fuse both on dev": stages["fuse both on dev"]["key"]}
    assert len(experiment.record["code"]["cut"]) == 32
    assert all(stage["cached"] for stage in run_recipe(write(CUT)).record["stages"])
    plan = plan_recipe(write(CUT, ("k = 3", "k = 4")))
    assert {stage.id for stage in plan.stages} - plan.cached == {
        "cut short on dev", "fuse again on dev", "tune best on dev", "run best on dev", "report report on dev",
    }


@pytest.mark.usefixtures("with_cutoffs")
@every_case(("change", "message"), [
    (("k = 3", "k = 0"), ":9: cutoffs.short: the depth is 0. It is 1 or more."),
    (("k = 3", "kk = 3"), ":11: there is no setting 'cutoffs.short.kk'. Did you mean cutoffs.short.k?"),
    (('of = "both"', 'of = "bth"'), ":10: there is no system 'bth'. Did you mean both?"),
    (('of = "both"', 'of = "again"'), "is made of itself: "),
    (("k = [1, 2, 15]", "k = [0]"), ":17: tuning.best.parameters.k cannot be 0: a cutoff keeps at least one result"),
])
def test_a_new_kind_is_checked_as_the_others(write: Write, change: tuple[str, str], message: str) -> None:
    path = write(CUT, change)
    with pytest.raises(RecipeError) as caught:
        plan_recipe(path)
    assert any(message in str(error) for error in caught.value.errors), caught.value


def test_a_kind_that_is_not_registered_is_no_table(write: Write) -> None:
    with pytest.raises(RecipeError, match=":9: there is no setting 'cutoffs'"):
        plan_recipe(write(CUT))


@every_case("kind", registry.KINDS, ids=lambda kind: kind.table)
def test_a_kind_has_a_module_and_a_line_in_the_documentation(kind: TableKind) -> None:  # type: ignore[type-arg]
    module = inspect.getmodule(type(kind))
    assert module is not None
    assert module.__name__ == f"porism.lab.recipes.kinds.{Path(inspect.getfile(type(kind))).stem}"
    assert kind.settings.__module__ in (module.__name__, f"{module.__name__}_settings")
    beside = {other.table for other in registry.KINDS if inspect.getmodule(type(other)) is module}
    alike = ({other.table for other in ENCODING_KINDS}, {"language_models", "reranker_models", "formula_encoders"})
    assert beside == next((tables for tables in alike if kind.table in tables), {kind.table})
    header = f"[{kind.table}.NAME]" if kind.form == "named" else f"[{kind.table}]"
    documentation = next((ROOT / "docs").rglob("recipes.md")).read_text(encoding="utf-8")
    assert f"**`{header}`**" in documentation
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py"))
    helpers = (ROOT / "tests" / "helpers" / "recipe_cases.py").read_text(encoding="utf-8")
    assert f"[{kind.table}" in tests + helpers


def test_names_of_tables_and_stages_are_given_once() -> None:
    tables = [kind.table for kind in registry.KINDS]
    stages: list[StageKind] = [stage for kind in registry.KINDS for stage in kind.stages]
    assert len(set(tables)) == len(tables)
    assert len({stage.name for stage in stages}) == len(stages)
