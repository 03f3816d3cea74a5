"""Experiments as data: a recipe names collection, topics, systems, tuning and reports, and is run as a whole.

::

    from porism.lab.recipes import run_recipe

    experiment = run_recipe("recipe.toml")
    print(experiment.reports["report"].text)

The recipe is checked whole before any work; what the cache holds by content is not made again; the record of the
experiment says how each part was made.
"""

from __future__ import annotations

from porism.lab.recipes.cache import CacheLocked
from porism.lab.recipes.draft import RecipeError
from porism.lab.recipes.kinds.report import ReportResult
from porism.lab.recipes.planning import RecipeStage
from porism.lab.recipes.recipe import Recipe
from porism.lab.recipes.running import Experiment, Plan, StageEvent, plan_recipe, run_recipe

__all__ = [
    "CacheLocked",
    "Experiment",
    "Plan",
    "Recipe",
    "RecipeError",
    "RecipeStage",
    "ReportResult",
    "StageEvent",
    "plan_recipe",
    "run_recipe",
]
