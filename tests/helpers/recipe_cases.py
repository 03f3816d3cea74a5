"""Topics and recipes that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.lab.recipes import Experiment, RecipeError, plan_recipe

TOPICS = {
    "T.1": r"derivative of $x^2$", "T.2": r"sum of squares $\sum i^2$", "T.3": "group theory order of an element",
    "T.4": r"integral $\int x^2 dx$", "T.5": "prime numbers", "T.6": r"limit $\frac{\sin x}{x}$",
}
RECIPE = """\
name = "small"
seed = 3
measures = ["nDCG'", "P@5"]

[collection]
source = "notes.jsonl"
channels = ["tokens"]

[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"
information = "information.csv"

[runs.first]
dev = "first.run"

[pipelines.words]
model = "words"

[pipelines.tokens.channels]
tokens = {weight = 1.0}

[fusions.rrf]
of = ["words", "tokens", "first"]
k = 30

[tuning.tuned]
of = "rrf"
on = "dev"
parameters = {k = [1, 60], tokens.formulas_power = [0.5, 1.0]}

[report]
on = "dev"
systems = ["words", "tokens", "rrf", "tuned"]
baseline = "words"
test = "permutation"
formats = ["latex", "csv"]
"""

FUSIONS = """\
[topics.dev]
qrels = "qrels.txt"
[runs.first]
dev = "first.run"
[runs.second]
dev = "second.run"
[fusions.both]
of = ["first", "second"]
[report]
on = "dev"
test = "permutation"
formats = ["csv"]
"""


def contents(folder: Path) -> dict[str, bytes]:
    """The files of results that must be the same each time: runs and tables, not records of when and how long."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.suffix in (".run", ".txt", ".csv", ".tex", ".json")
        and not file.name.endswith(".provenance.json") and file.name != "record.json"
    }


def made(experiment: Experiment) -> set[str]:
    """The stages that were not in the cache."""
    return {stage["stage"] for stage in experiment.record["stages"] if not stage["cached"]}


def errors(path: Path) -> list[str]:
    """What is wrong with a recipe, without its path."""
    with pytest.raises(RecipeError) as caught:
        plan_recipe(path)
    return [str(error).removeprefix(str(path)) for error in caught.value.errors]


def stages_of(experiment: Experiment) -> list[str]:
    """All stages, in the order in which they were made."""
    return [stage["stage"] for stage in experiment.record["stages"]]


def judged_recipe(tables: str, *systems: str, collection: str = 'source = "notes.jsonl"') -> str:
    """A recipe over the collection and the topics of the laboratory, which compares systems of its tables."""
    return f"""\
name = "judged"
measures = ["nDCG'"]
seed = 1

[collection]
{collection}

[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"

{tables}
[report]
on = "dev"
systems = [{", ".join(f'"{system}"' for system in systems)}]
"""
