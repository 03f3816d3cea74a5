"""The stage that compares systems: tables, pages, and what each member of a fusion adds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from porism.errors import QueryError
from porism.recipes.cache import Entry
from porism.recipes.checking import BEST
from porism.recipes.data import TopicSet
from porism.recipes.derived import report_systems
from porism.recipes.learning import Tuner
from porism.recipes.making import StageMaker
from porism.recipes.settings import ReportSettings
from porism.recipes.stages import Stage
from porism.recipes.systems import Definition, base_set
from porism.reports import Ablation, make_ablation, make_report, text_table, write_csv, write_html, write_latex
from porism.reports.details import tuning_curves
from porism.reports.report import Report
from porism.runs.run import Run
from porism.settings import write_settings

TEXT_FILE = "report.txt"
JSON_FILE = "report.json"


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A report that was made: its tables as text, its numbers as plain values, and the folder of its files."""

    name: str
    topics: str
    text: str
    numbers: Mapping[str, Any]
    folder: Path

    @classmethod
    def read(cls, name: str, topics: str, folder: Path) -> ReportResult:
        """What :class:`Reporter` wrote into a folder."""
        text = (folder / TEXT_FILE).read_text(encoding="utf-8")
        return cls(name, topics, text, orjson.loads((folder / JSON_FILE).read_bytes()), folder)


class Reporter:
    """Makes the reports of a recipe."""

    def __init__(self, workshop: StageMaker, tuner: Tuner) -> None:
        self.workshop = workshop
        self.recipe = workshop.recipe
        self.tuner = tuner

    def make(self, stage: Stage) -> Entry:
        """Compares the systems and writes the files.

        :raises QueryError: no topic has judgments, or a system and the judgments have no topic in common.
        """
        started = time.monotonic()
        settings = self.recipe.report[stage.name]
        report = self._report(stage, settings)
        cache = self.workshop.cache
        with cache.making(stage.kind, stage.key) as folder:
            # How long queries took is different each time, and stands in the page only.
            (folder / TEXT_FILE).write_text(f"{text_table(replace(report, times={}))}\n", encoding="utf-8")
            numbers = {
                **report.comparison.to_dict(per_topic=True),
                "ablation": {ablation.fused: ablation.to_dict() for ablation in report.ablations},
            }
            options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
            (folder / JSON_FILE).write_bytes(orjson.dumps(numbers, option=options))
            if "csv" in settings.formats:
                write_csv(report, folder / "report.csv")
            if "latex" in settings.formats:
                write_latex(report, folder / "report.tex")
            if "html" in settings.formats:
                write_html(report, folder / "report.html")
            about = {
                "systems": list(report.names), "baseline": report.baseline, "topics": len(report.comparison.topics),
            }
            return cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def _report(self, stage: Stage, settings: ReportSettings) -> Report:
        workshop, topics = self.workshop, self.workshop.data.topics[base_set(settings.on)]
        qrels = self._qrels(stage, settings)
        systems = report_systems(self.recipe, settings)
        runs = [self._run(system, settings, topics) for system in systems]
        curves = [
            curve for run in runs if run.provenance for curve in tuning_curves(run.provenance.evidence, run.name)
        ]
        restricted_to = ", restricted to the collection" if topics.settings.partial else ""
        return make_report(
            runs, qrels, settings.measures or self.recipe.measures,
            baseline=_baseline(settings.baseline, systems), test=settings.test, missing=settings.missing,
            depth=self.recipe.depth, level=settings.level, seed=self.recipe.seed,
            queries=[query for query in topics.queries if query.id in qrels],
            information=topics.information or None, columns=settings.groups,
            tuning=curves, ablations=[self._ablation(system, stage, settings) for system in settings.ablation],
            title=self.recipe.name if stage.name == "report" else f"{self.recipe.name}: {stage.name}",
            judgments=f"{Path(topics.settings.qrels or '').name}{restricted_to}",
            detailed="html" in settings.formats or bool(workshop.data.topics[topics.name].information),
        )

    def _qrels(self, stage: Stage, settings: ReportSettings) -> dict[str, dict[str, int]]:
        qrels = self.workshop.qrels(settings.on)
        if not qrels:
            raise QueryError(
                f"no topic of {settings.on!r} has judgments to report on", hint="Are they of another collection?"
            )
        return qrels

    def _run(self, system: str, settings: ReportSettings, topics: TopicSet) -> Run:
        run = self.workshop.run(system, topics.name)
        part = topics.topics(settings.on)
        return run if part is None else run.only(part)

    def _ablation(self, system: str, stage: Stage, settings: ReportSettings) -> Ablation:
        """The fusion of all members of a fusion, of all but each, and of one of each cluster, with the same parameters.

        Of weights, those of the members that are left count; if these are all zero, the members count alike. Members
        of a tuned fusion are fused as its own run is: with folds, each topic with what was chosen without it.
        """
        topics = base_set(settings.on)
        tuning = self.recipe.tuning.get(system)
        name = system if tuning is None else tuning.of
        fusion = self.recipe.fusions[name]
        definition = Definition(self.recipe, self.workshop.draft.folder, name)

        def fuse(members: Sequence[Run]) -> Run:
            kept = [fusion.of.index(run.name) for run in members]

            def make_run(values: Mapping[str, Any]) -> Run:
                split = {} if tuning is None else self.tuner.by_system(tuning, values)
                method = definition.fusion(split.get(name, {}))
                own = type(method)(**_without(write_settings(method), kept))
                runs = [self.workshop.varied(fusion.of[number], topics, split) for number in kept]
                return self.workshop.combine(name, own, runs, topics, fusion.depth or self.recipe.depth, split)

            return make_run({}) if tuning is None else self.tuner.applied(system, topics, make_run)

        chosen = self.workshop.data.topics[topics].topics(settings.on)
        return make_ablation(
            system, [self.workshop.run(member, topics) for member in fusion.of],
            lambda members: fuse(members) if chosen is None else fuse(members).only(chosen),
            self._qrels(stage, settings), (settings.measures or self.recipe.measures)[0],
            test=settings.test, missing=settings.missing, depth=self.recipe.depth, seed=self.recipe.seed,
        )


def _without(settings: dict[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """Settings of a method for some of its systems."""
    for name in ("weights", "coefficients"):
        if settings.get(name) is not None:
            rest = tuple(settings[name][number] for number in kept)
            settings[name] = rest if any(rest) else (1.0,) * len(rest)
    return settings


def _baseline(named: str | None, systems: Sequence[str]) -> str | int:
    if named is None:
        return 0
    return named if named == BEST else list(systems).index(named)
