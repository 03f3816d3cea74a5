"""``[pipelines.NAME]``: a retriever, which searches the index by a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from porism.errors import ConfigError, PorismError
from porism.lab.pipeline import formula_pipeline, pipeline
from porism.lab.pipeline.stages import PipelineStage
from porism.lab.recipes.answers import answer_each
from porism.lab.recipes.checking import Check
from porism.lab.recipes.draft import Draft, tolerant
from porism.lab.recipes.execution import Execution, OnCount, Parameters
from porism.lab.recipes.kinds.base import RunStageKind
from porism.lab.recipes.kinds.collection import planned_index
from porism.lab.recipes.kinds.encodings import planned_needs
from porism.lab.recipes.kinds.searching import SearchKind, SearchSettings, answer_store, plan_search, searched_index
from porism.lab.recipes.kinds.similarities import check_model_terms
from porism.lab.recipes.kinds.topics import TOPIC_KIND, TopicSet, topic_set, topic_settings
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, check_depth, own_settings
from porism.retrieve import RetrieverSettings
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.models.models import channels_of, model_from, named_model, setting_names, tuned_further, write_model
from porism.settings import Path, SettingError


@dataclass(frozen=True, slots=True)
class PipelineSettings(SearchSettings):
    """A retriever.

    :param model: the named model that it begins with, or a file of settings (``FILE.toml``).
    :param depth: results a topic; the recipe's where not given.
    :param repeats: how often each topic is searched; its seconds are the mean.
    :param filters: metadata that documents must have.
    :param settings: what else the recipe says: settings of the model, over those of the named one.
    """

    model: str = "default"
    depth: int | None = None
    repeats: int = 1
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_depth(self.depth)
        if self.repeats < 1:
            raise ConfigError(f"each topic cannot be searched {self.repeats} times", hint="Use 1 or more.")


class AnswerTopics(RunStageKind):
    """Answers topics; those that an interrupted start answered are not searched again."""

    name = "run"
    libraries = ("numpy", "numba", "PyStemmer")

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        parameters, index_key = stage.parameters, planned_index(execution.planner).key
        store = answer_store(stage, execution)
        topics = topic_set(execution.data, stage.topics)
        search = search_stage(execution, stage.name, parameters, topics)
        results, seconds = answer_each(
            lambda query: search, topics.queries, parameters["depth"], store, on_count, parameters.get("repeats", 1)
        )
        made_by = {"kind": "pipeline", "pipeline": stage.name, "collection": index_key, **parameters}
        tuned_on = tuple(parameters["model"].get("tuned_on", ()))
        return Run(results, stage.name, provenance=Provenance(made_by, tuned_on, seconds=seconds))


class PipelineKind(SearchKind[PipelineSettings]):
    """Retrievers."""

    table = "pipelines"
    settings = PipelineSettings
    stages = (AnswerTopics(),)

    def check(self, check: Check) -> None:
        for name, settings in self.of(check.recipe).items():
            sets = [topic_settings(check.recipe, topics) for system, topics in check.demand if system == name]
            self._check(check, name, settings, {topics.formulas for topics in sets if topics is not None})

    def _check(self, check: Check, name: str, pipeline: PipelineSettings, formula_search: set[bool]) -> None:
        path = (self.table, name)
        folder = check.draft.folder
        names = [
            name for formulas in sorted(formula_search or {False, True})
            for name in setting_names(pipeline.model, pipeline.settings.get("kind"), formulas, folder)
        ]
        known = list(dict.fromkeys([*own_settings(PipelineSettings, but="settings"), *names]))
        check.unknown(pipeline.settings, known, path)
        sound = {key: value for key, value in pipeline.settings.items() if key in known}
        if not formula_search:
            try:
                pipeline_model(pipeline, True, folder)
                return
            except PorismError:
                formula_search = {False}
        for formulas in sorted(formula_search):

            def read(given: Mapping[str, Any], formulas: bool = formulas) -> RetrieverSettings:
                return named_model(pipeline.model, given, formulas, folder)

            model = tolerant(read, sound, path, check.errors)
            if model is None:
                continue
            try:
                channels = channels_of(model)
            except SettingError as error:  # a part of a sum is not a model
                check.errors.take(error, path)
                continue
            self.check_model(check, channels, write_model(model, formulas), pipeline.settings, path)

    def channels(self, recipe: Recipe, folder: FilePath) -> Iterable[str]:
        channels: list[str] = []
        both = sorted({topics.formulas for topics in TOPIC_KIND.of(recipe).values()})
        for settings in self.of(recipe).values():
            for formulas in both:
                with suppress(PorismError):  # a model that cannot be made is reported elsewhere
                    channels += channels_of(pipeline_model(settings, formulas, folder))
        return channels

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        settings, given = self.of(planner.recipe)[system], topic_set(planner.data, topics)
        formulas = given.settings.formulas
        filters = settings.filters.items()
        model = self.parameters(planner.draft, system, formulas)
        parameters = {
            "model": model,
            "formulas": formulas,
            "context": given.settings.context,
            "depth": settings.depth or planner.recipe.depth,
            "filters": {key: value if isinstance(value, str) else list(value) for key, value in filters},
            **({"repeats": settings.repeats} if settings.repeats > 1 else {}),
            **planned_needs(planner, system, formulas, model),
        }
        plan_search(planner, self.stages[0], system, topics, parameters)

    def parameters(self, draft: Draft, system: str, formulas: bool) -> dict[str, Any]:
        return write_model(pipeline_model(self.of(draft.recipe)[system], formulas, draft.folder), formulas)

    def varied_model(self, draft: Draft, system: str, values: Mapping[str, Any], formulas: bool) -> RetrieverSettings:
        """The model with other values at dotted paths.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        return model_from(self.varied_parameters(draft, system, values, formulas), formulas)

    def check_values(self, check: Check, system: str, values: Mapping[str, Any], formulas: bool, path: Path) -> None:
        model = self.varied_model(check.draft, system, values, formulas)
        check_model_terms(check, write_model(model, formulas), lambda channel: path)

    def varied_run(
        self, execution: Execution, system: str, topics: str, values: Parameters, only: Sequence[str] | None
    ) -> Run:
        given = topic_set(execution.data, topics)
        model = self.varied_model(execution.draft, system, values[system], given.settings.formulas)
        settings = self.of(execution.recipe)[system]
        depth = settings.depth or execution.recipe.depth
        parameters = {"model": write_model(model, given.settings.formulas), "filters": settings.filters}
        wanted = None if only is None else set(only)
        queries = [query for query in given.queries if wanted is None or query.id in wanted]
        return search_stage(execution, system, parameters, given, batch=True).search(queries, depth)

    def model(
        self, draft: Draft, system: str, values: Mapping[str, Any], formulas: bool, tuned_on: tuple[str, ...]
    ) -> dict[str, Any]:
        return write_model(tuned_further(self.varied_model(draft, system, values, formulas), tuned_on), formulas)


PIPELINE_KIND = PipelineKind()


def pipeline_model(settings: PipelineSettings, formulas: bool, folder: FilePath) -> RetrieverSettings:
    """The model of a pipeline, for topics that ask for documents or for formulas.

    :raises ConfigError: the named model or file does not exist; a SettingError where a setting does not fit.
    """
    return named_model(settings.model, settings.settings, formulas, folder)


def search_stage(
    execution: Execution, name: str, parameters: Mapping[str, Any], topics: TopicSet, batch: bool = False
) -> PipelineStage:
    """The index as the first stage of a pipeline, searched by a model.

    :param parameters: ``model`` and ``filters`` as plain values.
    :param batch: searches for all topics at once.
    """
    index = searched_index(execution)
    filters: Any = parameters["filters"] or None
    model = model_from(parameters["model"], topics.settings.formulas)
    if topics.settings.formulas:
        return formula_pipeline(
            index, model, context=topics.settings.context, name=name,
            filters=filters, on_problem=execution.on_problem, batch=batch,
        )
    return pipeline(index, model, name=name, filters=filters, batch=batch)
