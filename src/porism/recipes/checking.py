"""Whether a recipe makes sense before any of its data is looked at: names, parameters, measures, cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from porism.analysis import channels_named
from porism.corpus.registry import READERS
from porism.errors import ConfigError, PorismError
from porism.evaluate import parse_measure
from porism.fusion import FUSIONS, RBC
from porism.recipes.derived import analysis_config, demanded, part_names, read_tuned, report_systems, tuning_search
from porism.recipes.findings import Findings
from porism.recipes.reading import Draft, tolerant
from porism.recipes.rerankers import reranker_kind
from porism.recipes.settings import (
    SYSTEM_TABLES,
    FusionSettings,
    PipelineSettings,
    Recipe,
    ReportSettings,
    RerankerSettings,
    RunSettings,
    TuningSettings,
    own_settings,
)
from porism.recipes.systems import (
    Definition,
    asks_index,
    base_set,
    check_trainable,
    cycle,
    flat_parameters,
    fusion_below,
    fusion_method,
    is_formula_set,
    members,
    needs,
    owner_of,
    pipeline_model,
)
from porism.retrieve import SearchModel
from porism.retrieve.formula_model import FormulaModel
from porism.settings import Path, SettingError, nearest
from porism.tuning import Choices
from porism.tuning.parameters import Parameter

BEST = "best"
"""The baseline that is whichever system has the highest value."""

_MOST_CHECKED = 50


class Checker:
    """Checks one recipe; what it finds is in the draft's findings."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.recipe: Recipe = draft.recipe
        self.findings: Findings = draft.findings
        tables = {name: table for name, table in self.recipe.plain.items() if isinstance(table, Mapping)}
        # Also those that are broken in themselves: what names them is right.
        self.systems = [name for kind in SYSTEM_TABLES for name in tables.get(kind, ())]
        self.sets = list(tables.get("topics", ()))

    def check(self) -> None:
        """Notes all errors that the settings alone show."""
        self.measures(self.recipe.measures, ("measures",))
        self.collection()
        for name, run in self.recipe.runs.items():
            self.run(name, run)
        for name, fusion in self.recipe.fusions.items():
            self.fusion(name, fusion)
        for name, report in self.recipe.report.items():
            self.report(name, report)
        if circle := cycle(self.recipe):
            kind = self.recipe.kinds[circle[0]]
            self.findings.error(
                f"{circle[0]} is made of itself: {' takes '.join(circle)}", (kind, circle[0], "of"),
                "Leave one of them out.",
            )
        demand = demanded(self.recipe)
        for name, pipeline in self.recipe.pipelines.items():
            sets = [self.recipe.topics.get(topics) for system, topics in demand if system == name]
            kinds = {is_formula_set(topics) for topics in sets if topics is not None}
            self.pipeline(name, pipeline, kinds)
        for name, reranker in self.recipe.rerankers.items():
            self.reranker(name, reranker, [topics for system, topics in demand if system == name])
        for name, tuning in self.recipe.tuning.items():
            self.tuning(name, tuning)
        if not self.systems:
            self.findings.error("there is no system", (), "Write [pipelines.NAME], [runs.NAME] or [fusions.NAME].")

    def measures(self, measures: Iterable[str], path: Path) -> None:
        """Whether all exist."""
        count = 0
        for count, measure in enumerate(measures, 1):
            try:
                parse_measure(measure).resolve()
            except ConfigError as error:
                self.findings.take(error, (*path, count - 1))
        if not count:
            self.findings.error("no measure is named", path)

    def topics(self, name: str, path: Path) -> bool:
        """Whether a topic set, or a part of one, exists."""
        given = self.recipe.topics.get(base_set(name))
        known = list(self.sets)
        for other, settings in self.recipe.topics.items():
            known += [f"{other}.{part}" for part in part_names(settings.split)]
        if name not in known and not (given is None and base_set(name) in self.sets):
            self.findings.error(f"there is no topic set {name!r}", path, _nearest(name, known, "[topics.NAME]"))
            return False
        return given is not None

    def judged(self, name: str, path: Path) -> None:
        """Whether a topic set exists and has judgments."""
        if self.topics(name, path) and self.recipe.topics[base_set(name)].qrels is None:
            self.findings.error(
                f"the topic set {base_set(name)!r} has no judgments", path,
                f"Write qrels = \"FILE\" in [topics.{base_set(name)}].",
            )

    def system(self, name: str, path: Path, known: Iterable[str] | None = None) -> bool:
        """Whether a system exists, and nothing was wrong with it in itself."""
        names = list(self.systems if known is None else known)
        if name not in names:
            self.findings.error(f"there is no system {name!r}", path, _nearest(name, names, "[pipelines.NAME]"))
        return name in self.recipe.kinds

    def collection(self) -> None:
        """Format, options, channels and language."""
        given = self.recipe.collection
        if given is None:
            for kind in ("pipelines", "rerankers"):
                if getattr(self.recipe, kind):
                    self.findings.error(
                        f"{kind} need a collection to search", (kind,), "Write [collection] and its source."
                    )
            return
        if given.format is not None and given.format not in READERS:
            self.findings.error(
                f"there is no format {given.format!r}", ("collection", "format"), nearest(given.format, READERS)
            )
        if isinstance(given.channels, str) and given.channels not in ("default", "all"):
            self.findings.error(
                f"'collection.channels' cannot be {given.channels!r}", ("collection", "channels"),
                "It is \"default\", \"all\", or a list of channels.",
            )
        try:
            analysis_config(self.recipe, self.draft.folder)
        except ConfigError as error:
            where = "language" if "stemmer" in error.what or "language" in error.what else "channels"
            self.findings.take(error, ("collection", where))

    def run(self, name: str, run: RunSettings) -> None:
        """The topic sets that it has files for."""
        known = [*self.sets, *own_settings(RunSettings, but="files")]
        for topics in run.files:
            if topics not in self.sets:
                self.findings.error(
                    f"there is no setting or topic set 'runs.{name}.{topics}'", ("runs", name, topics),
                    _nearest(topics, known, "[topics.NAME]", f"runs.{name}."),
                )
        if not run.files:
            self.findings.error(
                f"runs.{name} has no file", ("runs", name), "Write one for a topic set: dev = \"FILE\"."
            )

    def pipeline(self, name: str, pipeline: PipelineSettings, kinds: set[bool]) -> None:
        """The model, for documents or formulas as its topics ask; for either where it is not used."""
        path = ("pipelines", name)
        fields = {False: list(SearchModel.__dataclass_fields__), True: list(FormulaModel.__dataclass_fields__)}
        own = own_settings(PipelineSettings, but="settings")
        settings = [field for kind in sorted(kinds or {False, True}) for field in fields[kind]]
        known = list(dict.fromkeys([*own, *settings]))
        self._unknown(pipeline.settings, known, path)
        sound = {key: value for key, value in pipeline.settings.items() if key in known}
        if not kinds:
            try:
                pipeline_model(pipeline, True, self.draft.folder)
                return
            except PorismError:
                kinds = {False}
        for formulas in sorted(kinds):
            make = partial(self._model, pipeline.model, formulas)
            model = tolerant(make, sound, path, self.findings)
            if model is not None:
                self._held_channels(model.channels, pipeline.settings, path)

    def _model(self, named: str, formulas: bool, settings: Mapping[str, Any]) -> SearchModel | FormulaModel:
        return pipeline_model(PipelineSettings(named, settings=settings), formulas, self.draft.folder)

    def reranker(self, name: str, reranker: RerankerSettings, topics: Iterable[str]) -> None:
        """The system whose results it orders, its kind, the settings of that; its topics must ask for documents."""
        path = ("rerankers", name)
        self.system(reranker.of, (*path, "of"), [other for other in self.systems if other != name])
        for named in topics:
            if is_formula_set(self.recipe.topics.get(named)):
                self.findings.error(
                    f"rerankers.{name} orders documents, and the topics {named!r} ask for formulas", path,
                    "Name other systems for these topics.",
                )
        try:
            kind = reranker_kind(reranker.kind)
        except SettingError as error:
            self.findings.take(error, path)
            return
        known = kind.names()
        self._unknown(reranker.settings, [*own_settings(RerankerSettings, but="settings"), *known], path)
        sound = {key: value for key, value in reranker.settings.items() if key in known}
        made = tolerant(
            lambda settings: kind.settings(reranker.model, settings, self.draft.folder), sound, path, self.findings
        )
        if made is not None:
            self._held_channels(kind.channels(made), reranker.settings, path)

    def _held_channels(self, channels: Iterable[str], settings: Mapping[str, Any], path: Path) -> None:
        """Whether the collection has the channels of a model, where the recipe lists its channels."""
        given = self.recipe.collection
        if given is None or isinstance(given.channels, str) or given.index is not None:
            return
        text, formulas = channels_named(given.channels)
        held = [*text, *formulas]
        asked = tuple(channels)
        if asked and not any(channel in held for channel in asked):
            self.findings.error(
                f"the collection has none of the channels {', '.join(asked)}", (*path, "channels"),
                f"It has {', '.join(held)}.",
            )
        named = settings.get("channels")
        for channel in asked:
            if channel not in held and isinstance(named, Mapping) and channel in named:
                self.findings.error(
                    f"the collection has no channel {channel!r}", (*path, "channels", channel), nearest(channel, held)
                )

    def fusion(self, name: str, fusion: FusionSettings) -> None:
        """Its systems, its method and the method's parameters."""
        path = ("fusions", name)
        for number, system in enumerate(fusion.of):
            self.system(system, (*path, "of", number), [other for other in self.systems if other != name])
        if fusion.method not in FUSIONS:
            self.findings.error(
                f"there is no fusion {fusion.method!r}", (*path, "method"), nearest(fusion.method, FUSIONS)
            )
            return
        method = FUSIONS[fusion.method]
        parameters = [field.name for field in method.__dataclass_fields__.values() if field.init]
        self._unknown(fusion.parameters, [*own_settings(FusionSettings, but="parameters"), *parameters], path)
        sound = {key: value for key, value in fusion.parameters.items() if key in parameters}
        made = tolerant(
            lambda settings: fusion_method(
                FusionSettings(fusion.of, fusion.method, parameters=settings), self.recipe.seed
            ),
            sound, path, self.findings,
        )
        for setting in ("weights", "coefficients"):
            weights = getattr(made, setting, None)
            if weights is not None and len(weights) != len(fusion.of):
                self.findings.error(
                    f"there are {len(weights)} {setting} for {len(fusion.of)} systems", (*path, setting),
                    f"Give one a system, in this order: {', '.join(fusion.of)}.",
                )
        if fusion.train_on is not None:
            try:
                check_trainable(fusion.method)
            except ConfigError as error:
                self.findings.error(error.what, (*path, "train_on"), error.hint)
            self.judged(fusion.train_on, (*path, "train_on"))
            if getattr(made, "weights", None) is not None or getattr(made, "coefficients", None) is not None:
                self.findings.error(
                    f"{fusion.method} has weights, and judgments to learn them from", (*path, "train_on"),
                    "Give one of the two.",
                )
        elif fusion.folds:
            self.findings.error(
                "folds are of topics to learn from", (*path, "folds"), "Name the topic set: train_on = \"…\"."
            )
        unfitted = isinstance(made, RBC) and made.coefficients is None
        if unfitted and fusion.train_on is None:
            self.findings.error(
                "rbc has to learn from judgments", (*path, "method"), "Name a topic set: train_on = \"…\"."
            )

    def tuning(self, name: str, tuning: TuningSettings) -> None:
        """What is tuned, on which topics, the parameters and their values, the search."""
        path = ("tuning", name)
        self.judged(tuning.on, (*path, "on"))
        if tuning.measure is not None:
            self.measures([tuning.measure], (*path, "measure"))
        try:
            tuning_search(tuning, self.recipe.seed)
        except SettingError as error:
            self.findings.take(error, path)
        except ConfigError as error:
            self.findings.error(error.what, (*path, "search"), error.hint)
        if not self.system(tuning.of, (*path, "of"), [other for other in self.systems if other != name]):
            return
        kind = self.recipe.kinds[tuning.of]
        if kind in ("runs", "tuning"):
            self.findings.error(
                f"{tuning.of!r} is {'a run made elsewhere' if kind == 'runs' else 'tuned already'} and has no "
                "parameters to tune", (*path, "of"),
                None if kind == "runs" else f"Tune {self.recipe.tuning[tuning.of].of!r}, and name all parameters.",
            )
            return
        if not any(
            self.findings.touch((self.recipe.kinds[part], part)) for part in members(self.recipe, tuning.of)
        ):  # what is wrong there would be told again for each value
            self._parameters(tuning, path)

    def _parameters(self, tuning: TuningSettings, path: Path) -> None:
        formulas = is_formula_set(self.recipe.topics.get(base_set(tuning.on)))
        for dotted_path, (values, place) in flat_parameters(tuning.parameters).items():
            at = (*path, "parameters", *place)
            try:
                owner, inner = owner_of(self.recipe, tuning, dotted_path, formulas, self.draft.folder)
            except ConfigError as error:
                self.findings.error(error.what, at, error.hint)
                continue
            try:
                parameter = read_tuned(self.recipe, owner, inner, values, at)
            except ConfigError as error:
                self.findings.take(error, at)
                continue
            definition = Definition(self.recipe, self.draft.folder, owner)
            for value in _some_values(parameter):
                try:
                    definition.check({inner: value}, formulas)
                except ConfigError as error:
                    self.findings.error(f"{'.'.join(map(str, at))} cannot be {value!r}: {error.what}", at, error.hint)
                    break

    def report(self, name: str, report: ReportSettings) -> None:
        """Its topics, systems, baseline, measures and ablations."""
        path = self.draft.report_path(name)
        self.judged(report.on, (*path, "on"))
        if report.measures is not None:
            self.measures(report.measures, (*path, "measures"))
        for number, system in enumerate(report.systems or ()):
            self.system(system, (*path, "systems", number))
        if report.systems is not None and not report.systems:
            self.findings.error("a report needs a system", (*path, "systems"))
        shown = report_systems(self.recipe, report)
        if report.systems is None and not shown and base_set(report.on) in self.recipe.topics:
            self.findings.error(f"no system can answer the topics {report.on!r}", (*path, "on"))
        if report.baseline is not None and report.baseline != BEST and report.baseline not in shown:
            self.findings.error(
                f"the baseline {report.baseline!r} is none of the report's systems", (*path, "baseline"),
                nearest(report.baseline, [*shown, BEST]),
            )
        for number, system in enumerate(report.ablation):
            if self.system(system, (*path, "ablation", number), self.systems) and not fusion_below(
                self.recipe, system
            ):
                self.findings.error(
                    f"{system!r} has no members to leave out", (*path, "ablation", number), "Name a fusion."
                )
        for system in dict.fromkeys((*shown, *report.ablation)):
            self._answers(system, report.on, path)

    def _answers(self, system: str, topics: str, path: Path) -> None:
        """Whether a system that a report shows can answer its topics; what keeps it from that is told."""
        name = base_set(topics)
        if system not in self.recipe.kinds or name not in self.recipe.topics:
            return
        for part, needed in needs(self.recipe, [(system, topics)]):
            if part in self.recipe.runs and needed not in self.recipe.runs[part].files:
                self.findings.error(
                    f"runs.{part} has no file for the topics {needed!r}, which {'.'.join(map(str, path))} needs",
                    ("runs", part), f"Add {needed} = \"FILE\".",
                )
            given = self.recipe.topics.get(needed)
            if asks_index(self.recipe, part) and given is not None and given.path is None:
                self.findings.error(
                    f"{self.recipe.kinds[part]}.{part} is to answer the topics {needed!r}, which have no file",
                    ("topics", needed), "Add path = \"FILE\".",
                )

    def _unknown(self, given: Mapping[str, Any], known: list[str], path: Path) -> None:
        dotted_path = ".".join(map(str, path))
        for key in given:
            if key not in known:
                self.findings.error(
                    f"there is no setting '{dotted_path}.{key}'", (*path, key), nearest(key, known, f"{dotted_path}.")
                )


def _some_values(parameter: Parameter) -> list[Any]:
    """Values to try before any work: all of a short list, the ends of a range."""
    if isinstance(parameter, Choices) and parameter.size <= _MOST_CHECKED:
        return list(parameter.values)
    return [parameter.point(0), parameter.point(parameter.size - 1)]


def _nearest(name: str, known: list[str], otherwise: str, prefix: str = "") -> str:
    return nearest(name, known, prefix) if known else f"Write {otherwise} for it."
