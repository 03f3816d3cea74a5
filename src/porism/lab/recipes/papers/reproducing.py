"""Runs a paper: its recipe, and the page with the published figures beside the measured ones."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.errors import ConfigError, OnProblem
from porism.lab.evaluate.times import time_statistics
from porism.lab.recipes.papers.building import TINY, build_recipe
from porism.lab.recipes.papers.figures import (
    CheckedClaim,
    MeasuredTable,
    checked_claims,
    measured_extensions,
    measured_tables,
)
from porism.lab.recipes.papers.pages import as_html, as_markdown, as_text, page
from porism.lab.recipes.papers.paper import read_paper
from porism.lab.recipes.papers.results import FILE, PaperResults, recipe_digest
from porism.lab.recipes.papers.tiny_model import write_tiny_model
from porism.lab.recipes.running import Experiment, OnEvent, run_recipe
from porism.system.files.text import write_whole

RECORD = "reproduction.json"
"""The file in the output folder that says what is reproduced there, by which an interrupted start goes on."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A paper that was run: its figures, what was left out and why, the page as text, and the experiment."""

    paper: str
    scale: str
    tables: tuple[MeasuredTable, ...]
    claims: tuple[CheckedClaim, ...]
    left_out: Mapping[str, str]
    text: str
    output: Path
    experiment: Experiment


def reproduce(
    name: str, *, data: str | Path | None = None, scale: str = "mini", output: str | Path | None = None,
    models: Mapping[str, str] | None = None, only: Iterable[str] = (), jobs: int | None = None,
    on_event: OnEvent | None = None, on_problem: OnProblem | None = None,
) -> Reproduction:
    """Runs a paper at a scale. Stages that an earlier start made, be it interrupted, are taken as they are.

    :param data: the folder of the official data.
    :param output: the folder of the results; ``PAPER-SCALE`` where not given. It holds ``report.txt``, ``report.html``,
        ``report.md``, ``results.json``, and the runs and reports of the recipe.
    :param models: name → folder, for the models that the paper needs.
    :param only: systems to show; all if none is named.
    :raises ConfigError: there is no such paper, scale, system or model; a :class:`MissingData` where files are missing.
    :raises RecipeError: something is wrong with the files of the data.
    """
    paper, shown = read_paper(name), tuple(only)
    folder = Path(output) if output is not None else Path(f"{name}-{scale}")
    tiny = (folder / TINY).resolve()
    built = build_recipe(paper, scale, data, models, shown, tiny)
    folder.mkdir(parents=True, exist_ok=True)
    named = (table.get("model") for kind in ("encoders", "vectors") for table in built.recipe.get(kind, {}).values())
    if str(tiny) in named:
        write_tiny_model(tiny)
    options = {
        "paper": name, "scale": scale, "data": None if data is None else str(Path(data).resolve()),
        "models": dict(models or {}), "only": list(shown),
    }
    write_whole(folder / RECORD, json.dumps(options, indent=2) + "\n")
    experiment = run_recipe(
        built.recipe, folder=folder, output=folder, cache=folder / ".porism-cache", jobs=jobs, on_event=on_event,
        on_problem=on_problem,
    )
    numbers = {report: result.numbers for report, result in experiment.reports.items()}
    links = {
        report: f"{result.folder.name}/report.html" for report, result in experiment.reports.items()
        if (result.folder / "report.html").exists()
    }
    results = PaperResults(
        paper, scale, _command(options), recipe_digest(paper, scale), tuple(measured_tables(paper, numbers)),
        tuple(checked_claims(paper, numbers)),
        {report: tuple(rows) for report, rows in measured_extensions(paper, numbers).items()},
        {why: tuple(systems) for why, systems in built.reasons().items()}, _seconds(experiment), _costs(experiment),
    )
    results.write(folder / FILE)
    blocks = page(results, links)
    text = as_text(blocks)
    for file, content in (("report.txt", text), ("report.html", as_html(blocks)), ("report.md", as_markdown(blocks))):
        write_whole(folder / file, content)
    return Reproduction(name, scale, results.tables, results.claims, built.left_out, text, folder, experiment)


def read_options(folder: Path) -> dict[str, Any]:
    """What an earlier start in a folder reproduced: paper, scale, data, models, only.

    :raises ConfigError: there was none.
    """
    try:
        options: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"there is nothing to resume in {folder}", hint="Start without --resume, or name another folder: --output."
        ) from error
    return options


def _seconds(experiment: Experiment) -> dict[str, float]:
    """Kind of stage → seconds, whenever they were spent."""
    seconds: dict[str, float] = {}
    for stage in experiment.record.get("stages", ()):
        seconds[stage["kind"]] = seconds.get(stage["kind"], 0.0) + stage["seconds"]
    return seconds


def _costs(experiment: Experiment) -> dict[str, tuple[float, float]]:
    """System → the median of the seconds of its queries and the 95th percentile, where they are known."""
    costs: dict[str, tuple[float, float]] = {}
    for report in experiment.reports.values():
        for shown in report.numbers["runs"]:
            system = shown["run"]
            if system in costs or (system, report.topics) not in experiment.run_files:
                continue
            run = experiment.run(system, report.topics)
            if run.provenance is not None and run.provenance.seconds:
                times = time_statistics(run)
                costs[system] = (times.median, times.p95)
    return costs


def _command(options: Mapping[str, Any]) -> str:
    words = ["porism", "reproduce", options["paper"], "--scale", options["scale"]]
    words += [] if options["data"] is None else ["--data", "FOLDER"]
    words += [word for name in options["models"] for word in ("--model", f"{name}=MODEL")]
    words += [word for name in options["only"] for word in ("--only", name)]
    return shlex.join(words)
