"""What the reproduction of a paper would take and do, without doing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.lab.recipes.papers.building import BuiltRecipe, build_recipe
from porism.lab.recipes.papers.paper import Paper, PaperModel

_STEPS: Mapping[str, str] = {
    "tokenizers": "train tokenizers", "collection": "index the collection", "embeddings": "train vectors of terms",
    "similarities": "compute similarities", "pairs": "mine training pairs", "language_models": "train language models",
    "encoders": "train encoders", "reranker_models": "train models that re-rank", "vectors": "encode documents",
    "token_vectors": "encode the tokens of documents", "sparse_vectors": "encode sparse vectors",
    "runs": "read runs", "pipelines": "search", "rerankers": "re-rank", "aggregations": "aggregate pairwise scores",
    "fusions": "fuse", "tuning": "tune", "report": "evaluate",
}
"""The tables of a recipe in the order in which they are made, and what is done for each."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file of the official data: where it is published, and whether it is there and can be missing."""

    path: str
    source: str
    is_there: bool
    optional: bool


@dataclass(frozen=True, slots=True)
class PaperPlan:
    """What a paper takes at a scale: hours, memory and disk as sentences, files, models, steps, and what is left out.

    ``models`` is name → the model and what stands for it here (None where nothing does); ``steps`` is what is done →
    the tables of the recipe that it is done for; ``left_out`` why systems cannot run → which.
    """

    paper: str
    scale: str
    time: str
    memory: str
    disk: str
    estimate: str
    files: tuple[PlannedFile, ...]
    models: Mapping[str, tuple[PaperModel, str | None]]
    steps: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, list[str]]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return {
            "paper": self.paper, "scale": self.scale, "time": self.time, "memory": self.memory, "disk": self.disk,
            "estimate": self.estimate,
            "files": [
                {"path": file.path, "source": file.source, "is_there": file.is_there, "optional": file.optional}
                for file in self.files
            ],
            "models": {
                name: {"what": model.what, "published": model.published, "here": here}
                for name, (model, here) in self.models.items()
            },
            "steps": {step: list(names) for step, names in self.steps.items()}, "left_out": dict(self.left_out),
        }

    def lines(self) -> list[str]:
        """The plan for a terminal."""
        lines = [f"{self.paper}, at the scale {self.scale}"]
        lines.append(f"takes {self.time}; {self.memory} of memory; {self.disk} of disk{self.estimate and ' '}"
                     f"{self.estimate and f'({self.estimate})'}")
        for file in self.files:
            state = "there" if file.is_there else "missing, optional" if file.optional else "missing"
            lines.append(f"file {file.path}: {state}; {file.source}")
        for name, (model, here) in self.models.items():
            lines.append(f"model {name}: {model.what}, such as {model.published}; here: {here or 'none'}")
        lines += [f"{number}. {step}: {', '.join(names)}" for number, (step, names) in enumerate(self.steps.items(), 1)]
        return lines + [f"left out: {', '.join(systems)}: {why}" for why, systems in self.left_out.items()]


def plan_paper(
    paper: Paper, scale: str, data: str | Path | None = None, models: Mapping[str, str] | None = None,
    only: Iterable[str] = (),
) -> PaperPlan:
    """The plan of a paper, as if its files and models were there.

    :param data: the folder of the official data, to see which of its files are there.
    :raises ConfigError: there is no such scale, system or model.
    """
    built = build_recipe(paper, scale, data, models, only, has_everything=True)
    settings, folder = paper.at(scale), None if data is None else Path(data)
    files = tuple(
        PlannedFile(file.path, file.source, folder is not None and (folder / file.path).exists(), file.optional)
        for file in paper.files(scale)
    )
    return PaperPlan(
        paper.name, scale, settings.time, settings.memory, settings.disk, settings.estimate, files,
        {name: (model, built.models.get(name)) for name, model in paper.models.items()}, _steps(built), built.reasons(),
    )


def _steps(built: BuiltRecipe) -> dict[str, tuple[str, ...]]:
    steps: dict[str, tuple[str, ...]] = {}
    for table, verb in _STEPS.items():
        tables = built.recipe.get(table)
        if isinstance(tables, Mapping) and tables:
            steps[verb] = tuple(tables.get("channels", ())) or ("as given",) if table == "collection" else tuple(tables)
    return steps
