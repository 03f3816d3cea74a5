"""Whether a recipe makes sense before any of its data is looked at: names, parameters, measures, cycles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from porism.errors import ConfigError
from porism.fusion import FUSIONS, LearnedFusion
from porism.recipes.checking_names import nearest_or
from porism.recipes.checking_searches import SearchChecker
from porism.recipes.derived import demanded, read_tuned, report_systems, tuning_search
from porism.recipes.reading import tolerant
from porism.recipes.settings import FusionSettings, ReportSettings, RunSettings, TuningSettings, own_settings
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
)
from porism.settings import Path, SettingError, nearest
from porism.tuning import Choices
from porism.tuning.parameters import Parameter

BEST = "best"
"""The baseline that is whichever system has the highest value."""

_MOST_CHECKED = 50


class Checker(SearchChecker):
    """Checks one recipe; what it finds is in the draft's findings."""

    def check(self) -> None:
        """Notes all errors that the settings alone show."""
        self.measures(self.recipe.measures, ("measures",))
        self.collection()
        self.terms()
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

    def run(self, name: str, run: RunSettings) -> None:
        """The topic sets that it has files for."""
        known = [*self.sets, *own_settings(RunSettings, but="files")]
        for topics in run.files:
            if topics not in self.sets:
                self.findings.error(
                    f"there is no setting or topic set 'runs.{name}.{topics}'", ("runs", name, topics),
                    nearest_or(topics, known, "[topics.NAME]", f"runs.{name}."),
                )
        if not run.files:
            self.findings.error(
                f"runs.{name} has no file", ("runs", name), "Write one for a topic set: dev = \"FILE\"."
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
        self.unknown(fusion.parameters, [*own_settings(FusionSettings, but="parameters"), *parameters], path)
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
        unfitted = isinstance(made, LearnedFusion) and made.must_learn
        if unfitted and fusion.train_on is None:
            self.findings.error(
                f"{fusion.method} has to learn from judgments", (*path, "method"), "Name a topic set: train_on = \"…\"."
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
                if asks_index(self.recipe, owner):
                    self._terms_at(definition.varied({inner: value}, formulas), at)

    def _terms_at(self, settings: Mapping[str, Any], at: Path) -> None:
        self.model_terms(settings, lambda channel: at)

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


def _some_values(parameter: Parameter) -> list[Any]:
    """Values to try before any work: all of a short list, the ends of a range."""
    if isinstance(parameter, Choices) and parameter.size <= _MOST_CHECKED:
        return list(parameter.values)
    return [parameter.point(0), parameter.point(parameter.size - 1)]


