"""``[rerankers.NAME]``: another system's results, the first of them in a new order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, get_args

import numpy as np

from porism.errors import PorismError
from porism.lab.pairwise import PairwiseRun
from porism.lab.pairwise.files import write_archive
from porism.lab.pipeline import Reranker, pipeline
from porism.lab.pipeline.protocols import describe
from porism.lab.pipeline.rerankers.model_kinds import ModelKind, PairsSettings
from porism.lab.pipeline.rerankers.registry import reranker_kind, split_depth
from porism.lab.recipes.answers import AnswerStore, ComparisonStore, answer_each, read_comparisons
from porism.lab.recipes.checking import Check
from porism.lab.recipes.digests import query_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount, Parameters
from porism.lab.recipes.kinds.base import RunStageKind
from porism.lab.recipes.kinds.collection import index_path, planned_index
from porism.lab.recipes.kinds.encoders import ENCODER_KIND
from porism.lab.recipes.kinds.encodings import planned_needs
from porism.lab.recipes.kinds.intermediate import IntermediateKind
from porism.lab.recipes.kinds.models import LANGUAGE_MODEL_KIND, RERANKER_MODEL_KIND
from porism.lab.recipes.kinds.searching import SearchKind, SearchSettings, answer_store, plan_search, searched_index
from porism.lab.recipes.kinds.similarities import check_model_terms
from porism.lab.recipes.kinds.topics import asks_for_formulas, topic_set
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, check_depth
from porism.lab.train.reranker.settings import Kind
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import Path, SettingError
from porism.system.files.artifacts import MODELS


@dataclass(frozen=True, slots=True)
class RerankerSettings(SearchSettings):
    """Another system's results, the first of them in a new order and the others beneath.

    :param of: the system, of whatever kind.
    :param kind: what gives documents their scores, by a name of
        :data:`porism.lab.pipeline.rerankers.registry.RERANKERS`.
    :param model: the named model that it begins with, or a file of settings (``FILE.toml``).
    :param depth: how many results of each topic are re-ranked.
    :param settings: what else the recipe says: settings of the model, over those of the named one.
    """

    of: str
    kind: str = "retriever"
    model: str = "default"
    depth: int = 100
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_depth(self.depth)

    def can_answer(self, recipe: Recipe, topics: str) -> bool:
        return SearchSettings.can_answer(self, recipe, topics) and not asks_for_formulas(recipe, topics)


PAIRS_FILE = "pairs.npz"
"""The file in the cache with the comparisons of a reranker of pairs."""


class RerankTopics(RunStageKind):
    """Orders the results of another system; topics that an interrupted start re-ranked are not done again.

    A reranker that compares all pairs leaves its comparisons beside the run.
    """

    name = "rerank"
    libraries = ("numpy", "numba", "PyStemmer")

    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        about = super().write(stage, execution, folder, on_count)
        if compares_all(stage.parameters["kind"], stage.parameters["model"]):
            source, path = execution.run(stage.parameters["of"], stage.topics), self._store(stage, execution).path
            queries = (query for query in topic_set(execution.data, stage.topics).queries if query.id in source)
            read = (read_comparisons(path, query_digest(query)) for query in queries)
            kept = [comparisons for comparisons in read if comparisons is not None]
            scores = tuple(scores for comparisons in kept for scores in comparisons.queries)
            write_archive(folder / PAIRS_FILE, PairwiseRun(scores, kept[0].made_by if kept else {}))
        return about

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        """The results in their new order.

        A topic takes as long as it took the source and the reranker; where the source does not say, nothing is known.
        """
        parameters = stage.parameters
        source = execution.run(parameters["of"], stage.topics)
        store = self._store(stage, execution)
        reranker: Any = reranker_kind(parameters["kind"]).make(
            opened_model(execution, parameters["kind"], parameters["model"]), parameters["depth"],
            searched_index(execution),
        )
        if compares_all(parameters["kind"], parameters["model"]):
            store = ComparisonStore(store.path, reranker, execution.on_problem)
        return _reranked(execution, stage.name, reranker, parameters["depth"], source, stage.topics, store, on_count)


    @staticmethod
    def _store(stage: RecipeStage, execution: Execution) -> AnswerStore:
        return answer_store(stage, execution, execution.planner.runs[stage.parameters["of"], stage.topics].key)


class RerankerTableKind(SearchKind[RerankerSettings]):
    """Rerankers."""

    table = "rerankers"
    settings = RerankerSettings
    stages = (RerankTopics(),)

    def check(self, check: Check) -> None:
        for name, reranker, path in self.each(check.recipe):
            check.other_system(reranker.of, (*path, "of"), name)
            for topics in (topics for system, topics in check.demand if system == name):
                if asks_for_formulas(check.recipe, topics):
                    check.errors.error(
                        f"rerankers.{name} orders documents, and the topics {topics!r} ask for formulas", path,
                        "Name other systems for these topics.",
                    )
            try:
                method = reranker_kind(reranker.kind)
            except SettingError as error:
                check.errors.take(error, path)
                continue
            check_made(check, reranker.kind, reranker.model, path)
            known = method.names(reranker.model, reranker.settings, check.draft.folder)
            made = self.check_rest(
                check, reranker, path, lambda table: reranker_settings(check.recipe, check.draft.folder, table), known
            )
            if made is not None:
                self.check_model(check, method.channels(made), made, reranker.settings, path)

    def channels(self, recipe: Recipe, folder: FilePath) -> Iterable[str]:
        channels: list[str] = []
        for reranker in self.of(recipe).values():
            with suppress(PorismError):  # one that cannot be made is reported elsewhere
                channels += reranker_kind(reranker.kind).channels(reranker_settings(recipe, folder, reranker))
        return channels

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        settings = self.of(planner.recipe)[system]
        depth, model = self._varied(planner.draft, system, {})
        model, made = planned_model(planner, settings.kind, model)
        parameters: dict[str, Any] = {"of": settings.of, "kind": settings.kind, "depth": depth, "model": model}
        parameters |= planned_needs(planner, system, False, model)
        plan_search(planner, self.stages[0], system, topics, parameters, planner.runs[settings.of, topics], *made)

    def parameters(self, draft: Draft, system: str, formulas: bool) -> dict[str, Any]:
        settings = self.of(draft.recipe)[system]
        return {"depth": settings.depth} | reranker_settings(draft.recipe, draft.folder, settings)

    def _varied(self, draft: Draft, system: str, values: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The depth and the settings of the model with other values at dotted paths."""
        depth, settings = split_depth(self.varied_parameters(draft, system, values, False))
        reranker_kind(self.of(draft.recipe)[system].kind).check(settings)
        return depth, settings

    def check_values(self, check: Check, system: str, values: Mapping[str, Any], formulas: bool, path: Path) -> None:
        self._varied(check.draft, system, values)
        settings = self.varied_parameters(check.draft, system, values, formulas)
        check_model_terms(check, settings, lambda channel: path)

    def varied_run(
        self, execution: Execution, system: str, topics: str, values: Parameters, only: Sequence[str] | None
    ) -> Run:
        settings = self.of(execution.recipe)[system]
        source = execution.varied(settings.of, topics, values, only)
        depth, model = self._varied(execution.draft, system, values.get(system, {}))
        reranker: Reranker = reranker_kind(settings.kind).make(
            opened_model(execution, settings.kind, model), depth, searched_index(execution)
        )
        return _reranked(execution, system, reranker, depth, source, topics)

    def model(
        self, draft: Draft, system: str, values: Mapping[str, Any], formulas: bool, tuned_on: tuple[str, ...]
    ) -> dict[str, Any]:
        kind = reranker_kind(self.of(draft.recipe)[system].kind)
        return kind.stored(self._varied(draft, system, values)[1], tuned_on)


RERANKER_KIND = RerankerTableKind()


def _reranked(
    execution: Execution, system: str, reranker: Reranker, depth: int, source: Run, topics: str,
    store: AnswerStore | None = None, on_count: OnCount = lambda done, total: None,
) -> Run:
    """The run of a system that orders the first results of another one."""
    queries = [query for query in topic_set(execution.data, topics).queries if query.id in source]
    longest = max(1, int(np.diff(source.offsets).max(initial=1)))
    results, seconds = answer_each(
        lambda query: pipeline(source.only([query.id])).reranked(reranker, depth), queries, longest, store, on_count
    )
    before = source.provenance or Provenance({"kind": "run", "name": source.name})
    made_by = {
        "kind": "rerank", "name": system, "depth": depth, "reranker": describe(reranker),
        "collection": planned_index(execution.planner).key, "of": dict(before.made_by),
    }
    tuned = Provenance(tuned_on=getattr(reranker, "tuned_on", ()))
    known = {topic: seconds[topic] for topic in seconds if topic in before.seconds}
    return Run(results, system, provenance=replace(Provenance.merged([before, tuned], made_by), seconds=known))


def compares_all(kind: str, settings: Mapping[str, Any]) -> bool:
    """Whether a reranker compares all pairs of its candidates by a model, and does not sort with fewer."""
    return issubclass(getattr(reranker_kind(kind), "cls", object), PairsSettings) and not settings.get("sorting")


def makes(recipe: Recipe, kind: str, model: str) -> IntermediateKind[Any] | None:
    """The kind of table that makes the model of a reranker of a kind; None where the recipe has no such table."""
    if kind in get_args(Kind):
        kinds: tuple[IntermediateKind[Any], ...] = (RERANKER_MODEL_KIND,)
    else:  # whose vectors are means of the last layer, where the model is a language model
        kinds = (ENCODER_KIND, LANGUAGE_MODEL_KIND) if kind == "encoder" else ()
    return next((tables for tables in kinds if model in tables.of(recipe)), None)


def reranker_settings(recipe: Recipe, folder: FilePath, reranker: RerankerSettings) -> dict[str, Any]:
    """All settings of a reranker; the model that a table makes is its name in them.

    :raises ConfigError: there is no such model; a SettingError where a setting does not exist or fit.
    """
    method = reranker_kind(reranker.kind)
    if isinstance(method, ModelKind) and makes(recipe, reranker.kind, reranker.model) is not None:
        return method.unmade(reranker.model, reranker.settings)
    return method.settings(reranker.model, reranker.settings, folder)


def check_made(check: Check, kind: str, model: str, path: Path) -> None:
    """Whether the model that a table makes is of the kind that a reranker has."""
    table = RERANKER_MODEL_KIND.of(check.recipe).get(model)
    if table is not None and kind in ("retriever", *get_args(Kind)) and table.kind != kind:
        check.errors.error(
            f"the model {model!r} is trained as a {table.kind}, and the reranker is of the kind {kind!r}",
            (*path, "model"), f"Set kind = \"{table.kind}\".",
        )
    encoder = ENCODER_KIND.of(check.recipe).get(model)
    if encoder is not None and kind == "encoder" and encoder.settings.get("kind", "dense") != "dense":
        check.errors.error(
            f"the model {model!r} does not give vectors of texts", (*path, "model"), "Name an encoder of texts."
        )


def planned_model(planner: Planner, kind: str, settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Input]]:
    """The settings of a reranker, with the key of the stage that makes its model as their digest, and this stage."""
    of = makes(planner.recipe, kind, str(settings.get("model", "")))
    if of is None:
        return dict(settings), []
    made = of.planned(planner, settings["model"])
    return dict(settings) | {"digest": made.key}, [made]


def opened_model(execution: Execution, kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a reranker with the folder of its model, which was made before: the copy in the index, if any."""
    name = str(settings.get("model", ""))
    of = makes(execution.recipe, kind, name)
    if of is None:
        return dict(settings)
    made = execution.planner.others[of.table, name]
    inside = index_path(execution) / MODELS.folder / name
    folder = inside if inside.is_dir() else execution.entry(of.stages[0].name, made.key, made.name).file(name)
    return dict(settings) | {"model": str(folder)}
