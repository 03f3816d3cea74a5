"""``[report]`` or ``[report.NAME]``: systems compared on a topic set, with tables, pages, and ablations of fusions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, Literal

import orjson

from porism.errors import ConfigError, QueryError
from porism.lab.recipes.cache import CacheEntry, copy_files
from porism.lab.recipes.checking import Check, Loading, Requirement
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, ResultKind, StageKind, kind_of
from porism.lab.recipes.kinds.fusions import FusionSettings, combine, varied_method
from porism.lab.recipes.kinds.topics import (
    check_judged,
    has_topics,
    judgments_digest,
    topic_set,
    topic_settings,
    used_qrels,
)
from porism.lab.recipes.kinds.tuning import applied, tuned_values
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, ResultSettings, answerable, base_set, needs
from porism.lab.reports import Ablation, make_ablation, make_report, text_table, write_csv, write_html, write_latex
from porism.lab.reports.details import tuning_curves
from porism.lab.reports.extensions import FusionExtension
from porism.lab.reports.report import Report
from porism.runs.run import Run
from porism.settings import Path, nearest, write_settings

BEST = "best"
"""The baseline that is whichever system has the highest value."""

_WRITERS = {"html": (write_html, "report.html"), "latex": (write_latex, "report.tex"), "csv": (write_csv, "report.csv")}
"""Format → what writes a report in it, and the name of the file."""

TEXT_FILE = "report.txt"
JSON_FILE = "report.json"


@dataclass(frozen=True, slots=True)
class ReportSettings(ResultSettings):
    """Systems compared on a topic set.

    :param systems: which, in this order; all that can answer these topics where not given.
    :param baseline: the system that the others are tested against, or ``best``; the first where not given.
    :param test: the significance test.
    :param correction: of the p-values for the number of systems: ``holm``, or ``none`` as in papers that name none.
    :param documents: whose ranks are correlated, by which systems are alike: of the pool, of either list, or those that
        both have, as in Novotný et al. 2021.
    :param missing: topics that a system does not answer count as zero, or those that none answers are left out.
    :param level: of the confidence intervals.
    :param groups: columns of the topic information to break the results down by; ARQMath's (category, dependency,
        difficulty) where not given. By length and share of mathematics they are broken down wherever topics have a
        file.
    :param ablation: fusions of which each member is left out in turn, and one member of each cluster is kept.
    :param extensions: which systems are others with something added: what each addition gives is shown as a tree.
    :param output: the folder of its files within the output folder; the report's name where not given.
    :param formats: of the files; ``html`` needs the extra ``lab``.
    """

    on: str
    systems: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None
    baseline: str | None = None
    test: Literal["t-test", "wilcoxon", "permutation"] = "t-test"
    missing: Literal["zero", "skip"] = "zero"
    correction: Literal["holm", "none"] = "holm"
    documents: Literal["pool", "either", "both"] = "pool"
    level: float = 0.95
    groups: tuple[str, ...] | None = None
    ablation: tuple[str, ...] = ()
    extensions: tuple[FusionExtension, ...] = ()
    output: str | None = None
    formats: tuple[Literal["html", "latex", "csv"], ...] = ("html", "latex", "csv")

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ConfigError(f"the level is {self.level}", hint="It is between 0 and 1, such as 0.95.")

    @property
    def topics(self) -> str:
        return self.on

    def shown(self, recipe: Recipe) -> tuple[str, ...]:
        return answerable(recipe, self.on) if self.systems is None else tuple(dict.fromkeys(self.systems))

    def needed_runs(self, recipe: Recipe) -> tuple[tuple[str, str], ...]:
        return tuple((system, self.on) for system in (*self.shown(recipe), *self.ablation))


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A report that was made: its tables as text, its numbers as plain values, and the folder of its files."""

    name: str
    topics: str
    text: str
    numbers: Mapping[str, Any]
    folder: FilePath

    @classmethod
    def read(cls, name: str, topics: str, folder: FilePath) -> ReportResult:
        """What :class:`CompareSystems` wrote into a folder."""
        text = (folder / TEXT_FILE).read_text(encoding="utf-8")
        return cls(name, topics, text, orjson.loads((folder / JSON_FILE).read_bytes()), folder)


class CompareSystems(StageKind):
    """Compares the systems and writes the files."""

    name = "report"
    libraries = ("numpy", "scipy", "ir_measures", "matplotlib", "jinja2")

    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        settings: ReportSettings = execution.recipe.tables["report"][stage.name]
        report = _report(stage, execution, settings)
        # How long queries took is different each time, and is in the page only.
        (folder / TEXT_FILE).write_text(f"{text_table(replace(report, times={}))}\n", encoding="utf-8")
        numbers = {
            **report.comparison.to_dict(per_topic=True),
            **({"extensions": [row.to_dict() for row in report.extensions]} if report.extensions else {}),
            "ablation": {ablation.fused: ablation.to_dict() for ablation in report.ablations},
        }
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        (folder / JSON_FILE).write_bytes(orjson.dumps(numbers, option=options))
        for name, (write, file) in _WRITERS.items():
            if name in settings.formats:
                write(report, folder / file)
        return {"systems": list(report.names), "baseline": report.baseline, "topics": len(report.comparison.topics)}

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        settings: ReportSettings = execution.recipe.tables["report"][stage.name]
        folder = copy_files(entry.folder, outputs.folder / (settings.output or stage.name))
        outputs.results[stage.kind, stage.name] = ReportResult.read(stage.name, stage.topics, folder)


class ReportKind(ResultKind[ReportSettings]):
    """Reports."""

    table = "report"
    settings = ReportSettings
    form = "either"
    stages = (CompareSystems(),)

    def check(self, check: Check) -> None:
        for _, report, path in self.each(check.recipe):
            check_judged(check, report.on, (*path, "on"))
            if report.measures is not None:
                check.measures(report.measures, (*path, "measures"))
            for number, system in enumerate(report.systems or ()):
                check.system(system, (*path, "systems", number))
            if report.systems is not None and not report.systems:
                check.errors.error("a report needs a system", (*path, "systems"))
            shown = report.shown(check.recipe)
            if report.systems is None and not shown and topic_settings(check.recipe, report.on) is not None:
                check.errors.error(f"no system can answer the topics {report.on!r}", (*path, "on"))
            if report.baseline is not None and report.baseline != BEST and report.baseline not in shown:
                check.errors.error(
                    f"the baseline {report.baseline!r} is none of the report's systems", (*path, "baseline"),
                    nearest(report.baseline, [*shown, BEST]),
                )
            for number, system in enumerate(report.ablation):
                at = (*path, "ablation", number)
                if check.system(system, at) and _fusion_of(check.recipe, system) is None:
                    check.errors.error(f"{system!r} has no members to leave out", at, "Name a fusion.")
            for number, extension in enumerate(report.extensions):
                for key in ("of", "gives"):
                    if (system := getattr(extension, key)) not in shown:
                        check.errors.error(
                            f"the system {system!r} is none of the report's", (*path, "extensions", number, key),
                            nearest(system, shown),
                        )
            for system in dict.fromkeys((*shown, *report.ablation)):
                _check_answers(check, system, report.on, path)

    def load(self, loading: Loading) -> None:
        for name, report in self.of(loading.recipe).items():
            if has_topics(loading.data, report.on):
                given, path = topic_set(loading.data, report.on), self.place(loading.recipe, name)
                for number, group in enumerate(report.groups or ()):
                    given.has_column(group, (*path, "groups", number), loading.errors)

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        for _, report, path in self.each(loading.recipe):
            if report.test in ("t-test", "wilcoxon"):
                yield Requirement("scipy", (*path, "test"), f"the {report.test}", "lab")
            if "html" in report.formats:
                for module in ("matplotlib", "jinja2", "scipy"):
                    yield Requirement(module, (*path, "formats"), "an HTML report", "lab")
            for number, system in enumerate(report.ablation):
                fused = _fusion_of(loading.recipe, system)
                if fused is not None and len(fused[1].of) > 2:
                    purpose = "the clustering of a fusion's members"
                    yield Requirement("scipy", (*path, "ablation", number), purpose, "lab")

    def plan_result(self, planner: Planner, name: str) -> None:
        report, recipe = self.of(planner.recipe)[name], planner.recipe
        topics, given, shown = base_set(report.on), topic_set(planner.data, report.on), report.shown(recipe)
        parameters = {
            key: list(value) if isinstance(value, tuple) else value for key, value in write_settings(report).items()
            if key != "output"
        }
        parameters |= {
            "systems": list(shown), "measures": list(report.measures or recipe.measures),
            "seed": recipe.seed, "depth": recipe.depth, "title": recipe.name,
        }
        judged = judgments_digest(planner, report.on)
        runs = [planner.runs[system, topics] for system in dict.fromkeys((*shown, *report.ablation))]
        members = [planner.runs[pair] for system in report.ablation for pair in needs(recipe, [(system, topics)])]
        inputs = {run.name: run.key for run in runs} | {f"judgments {report.on}": judged}
        planner.add(
            self.stages[0], name, report.on, inputs, parameters, [run.key for run in (*runs, *members)], judged,
            list(given.information.items()), given.query_digests, given.settings.qrels,
        )


REPORT_KIND = ReportKind()


def _fusion_of(recipe: Recipe, system: str) -> tuple[str, FusionSettings] | None:
    """The fusion that a system is, or is the tuned form of; None if it is neither."""
    settings = recipe.systems.get(system)
    if settings is not None and settings.is_tuned:
        (system,) = settings.sources
    fusion: FusionSettings | None = recipe.tables.get("fusions", {}).get(system)
    return None if fusion is None else (system, fusion)


def _check_answers(check: Check, system: str, topics: str, path: Path) -> None:
    """Whether a system that a report shows can answer its topics; what keeps it from that is noted."""
    recipe = check.recipe
    if system not in recipe.systems or topic_settings(recipe, topics) is None:
        return
    where = ".".join(map(str, path))
    for part, needed in needs(recipe, [(system, topics)]):
        kind_of(recipe, part).check_can_answer(check, part, needed, where)


def _report(stage: RecipeStage, execution: Execution, settings: ReportSettings) -> Report:
    recipe, topics = execution.recipe, topic_set(execution.data, settings.on)
    qrels = _qrels(execution, settings)
    systems = settings.shown(recipe)
    part = topics.topics(settings.on)
    runs = [execution.run(system, topics.name) for system in systems]
    runs = runs if part is None else [run.only(part) for run in runs]
    curves = [curve for run in runs if run.provenance for curve in tuning_curves(run.provenance.evidence, run.name)]
    first = 0 if settings.baseline in (None, BEST) else systems.index(settings.baseline)
    restricted_to = ", restricted to the collection" if topics.settings.partial else ""
    return make_report(
        runs, qrels, settings.measures or recipe.measures,
        baseline=BEST if settings.baseline == BEST else first, test=settings.test, missing=settings.missing,
        depth=recipe.depth, level=settings.level, seed=recipe.seed,
        queries=[query for query in topics.queries if query.id in qrels],
        information=topics.information or None, columns=settings.groups,
        tuning=curves, ablations=[_ablation(execution, system, settings) for system in settings.ablation],
        extensions=settings.extensions,
        title=recipe.name if stage.name == "report" else f"{recipe.name}: {stage.name}",
        judgments=f"{FilePath(topics.settings.qrels or '').name}{restricted_to}",
        detailed="html" in settings.formats or bool(topics.information), correction=settings.correction,
        documents=settings.documents,
    )


def _qrels(execution: Execution, settings: ReportSettings) -> dict[str, dict[str, int]]:
    qrels = used_qrels(execution, settings.on)
    if not qrels:
        raise QueryError(
            f"no topic of {settings.on!r} has judgments to report on", hint="Are they of another collection?"
        )
    return qrels


def _ablation(execution: Execution, system: str, settings: ReportSettings) -> Ablation:
    """The fusion of all members of a fusion, of all but each, and of one of each cluster, with the same parameters.

    Of weights, those of the members that are left count; if these are all zero, the members count alike. Members
    of a tuned fusion are fused as its own run is: with folds, each topic with what was chosen without its fold.
    """
    recipe, topics = execution.recipe, base_set(settings.on)
    fused = _fusion_of(recipe, system)
    assert fused is not None, "a system without members was an error before"
    name, fusion = fused

    def fuse(members: Sequence[Run]) -> Run:
        kept = [fusion.of.index(run.name) for run in members]

        def make_run(values: Mapping[str, Any]) -> Run:
            split = {} if name == system else tuned_values(execution.draft, system, values)
            method = varied_method(execution.draft, name, split.get(name, {}))
            own = type(method)(**_without(write_settings(method), kept))
            runs = [execution.varied(fusion.of[number], topics, split) for number in kept]
            return combine(execution, name, own, runs, topics, split)

        return make_run({}) if name == system else applied(execution, system, topics, make_run)

    part = topic_set(execution.data, topics).topics(settings.on)
    return make_ablation(
        system, [execution.run(member, topics) for member in fusion.of],
        lambda members: fuse(members) if part is None else fuse(members).only(part),
        _qrels(execution, settings), (settings.measures or recipe.measures)[0],
        test=settings.test, missing=settings.missing, depth=recipe.depth, seed=recipe.seed,
        documents=settings.documents,
    )


def _without(settings: dict[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """Settings of a method for some of its systems."""
    for name in ("weights", "coefficients"):
        if settings.get(name) is not None:
            rest = tuple(settings[name][number] for number in kept)
            settings[name] = rest if any(rest) else (1.0,) * len(rest)
    return settings
