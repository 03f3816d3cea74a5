"""The stages of an experiment and their keys: the digest of all that a stage's output depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from porism.corpus import ReaderOptions
from porism.errors import ConfigError
from porism.recipes.data import Data, TopicSet, asks_for_formulas
from porism.recipes.derived import analysis_config, demanded, report_systems, tuning_search, tuning_space
from porism.recipes.digests import code_digest, digest, library_versions, source_digest
from porism.recipes.errors import RecipeError
from porism.recipes.reading import Draft
from porism.recipes.settings import CollectionSettings, ReportSettings
from porism.recipes.systems import Definition, asks_index, base_set, can_answer, fusion_method, needs
from porism.recipes.terms_planning import TermStages
from porism.settings import nearest, write_settings
from porism.tuning.search import search_record

READER_OPTIONS = (
    "unit", "comments", "formulas", "fields", "id_field", "metadata_fields", "encoding", "outside", "max_unpacked",
)
"""The settings of a collection that its reader is told."""


_VERBS = {
    "apply": "run", "tokenizer": "train tokenizer", "embeddings": "train embeddings",
    "similarities": "build similarities",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One step: what it makes, from what, and the key under which that is cached.

    :param kind: ``tokenizer``, ``index``, ``embeddings``, ``similarities``, ``run``, ``rerank``, ``fuse``, ``tune``,
        ``apply`` (a tuned system answers topics) or ``report``.
    :param name: of what it makes; ``collection`` for the index.
    :param topics: the topic set; empty for what depends on the collection alone.
    :param key: the digest of the stage's settings, its inputs, the code and the libraries that make it.
    :param inputs: the ids of stages before it, and the digests of files by what they are.
    :param parameters: its settings, as plain values.
    """

    kind: str
    name: str
    topics: str
    key: str
    inputs: Mapping[str, str]
    parameters: Mapping[str, Any]

    @property
    def id(self) -> str:
        """What it is called: ``run hybrid on dev``."""
        verb = _VERBS.get(self.kind, self.kind)
        return f"{verb} {self.name} on {self.topics}" if self.topics else f"{verb} {self.name}"


class Planner:
    """Works out the stages of a recipe that was checked and whose data was read."""

    def __init__(self, draft: Draft, data: Data) -> None:
        self.draft = draft
        self.recipe = draft.recipe
        self.data = data
        self.stages: dict[str, Stage] = {}
        self.run_keys: dict[tuple[str, str], str] = {}
        self.run_ids: dict[tuple[str, str], str] = {}
        self.tune_stages: dict[str, Stage] = {}
        self.index_key = ""
        self.terms = TermStages(self)

    def plan(self, only: Iterable[str] = ()) -> tuple[Stage, ...]:
        """The stages, each after those that it needs.

        :param only: systems and reports; all if none is named.
        :raises RecipeError: one does not exist.
        """
        chosen = tuple(dict.fromkeys(only))
        demand = self.demand(chosen)
        judged = [report.on for name, report in self.recipe.report.items() if not chosen or name in chosen]
        sets = {base_set(topics) for topics in (*judged, *(topics for _, topics in demand))}
        if any(asks_index(self.recipe, system) for system, _ in demand) or any(
            self.recipe.topics[topics].partial for topics in sets
        ):
            self._index()
        for system, topics in demand:
            if system in self.recipe.tuning and system not in self.tune_stages:
                self._tune(system)
            self._run(system, topics)
        for name, report in self.recipe.report.items():
            if not chosen or name in chosen:
                self._report(name, report)
        return tuple(self.stages.values())

    def demand(self, only: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """(system, topic set) of the runs to make, sources first."""
        if not only:
            return demanded(self.recipe)
        known = [*self.recipe.kinds, *self.recipe.report]
        for name in only:
            if name not in known:
                raise RecipeError([
                    ConfigError(f"there is no system or report {name!r} in the recipe", hint=nearest(name, known))
                ])
        wanted = [
            (system, report.on) for name, report in self.recipe.report.items() if name in only
            for system in (*report_systems(self.recipe, report), *report.ablation)
        ]
        everywhere = demanded(self.recipe)
        for name in only:
            if name in self.recipe.kinds:
                asked = [topics for system, topics in everywhere if system == name]
                wanted += [
                    (name, topics) for topics in asked
                    or [topics for topics in self.recipe.topics if can_answer(self.recipe, name, topics)]
                ]
        return needs(self.recipe, wanted)

    def add(self, kind: str, name: str, topics: str, inputs: Mapping[str, str], parameters: Mapping[str, Any],
            *content: Any) -> Stage:
        """A stage whose key is made of its parameters and ``content``: the keys and digests of its inputs."""
        key = digest([kind, name, parameters, content, code_digest(kind), library_versions(kind)])
        stage = Stage(kind, name, topics, key, inputs, parameters)
        self.stages[stage.id] = stage
        return stage

    def _index(self) -> None:
        collection = self.recipe.collection
        if collection is None:
            return
        if collection.index is not None:
            manifest = self.data.manifest
            assert manifest is not None, "an index that cannot be read was an error before"
            state = {key: value for key, value in asdict(manifest).items() if key not in ("created", "updated")}
            self.index_key = digest(["index there", state])
            return
        sources = {given: source_digest(self.draft.file(given)) for given in collection.sources}
        parameters = {"format": collection.format, **reader_options(collection)}
        tokenizers, trained = self.terms.references(parameters, sources)
        analysis = analysis_config(self.recipe, self.draft.folder, tokenizers).to_dict()
        # What a source is called in the recipe is of no matter to what is in it.
        stage = self.add(
            "index", "collection", "", sources | trained, {**parameters, "analysis": analysis}, list(sources.values())
        )
        self.index_key = stage.key

    def _run(self, system: str, topics: str) -> None:
        """The stage that makes a run; one that was made elsewhere has none, but a digest."""
        recipe, pair = self.recipe, (system, topics)
        if system in recipe.runs:
            self.run_keys[pair], self.run_ids[pair] = self.data.run_digests[pair], f"file of {system} for {topics}"
            return
        if system in recipe.pipelines:
            stage = self._pipeline(system, self.data.topics[topics])
        elif system in recipe.rerankers:
            stage = self._reranker(system, self.data.topics[topics])
        elif system in recipe.fusions:
            stage = self._fusion(system, topics)
        else:
            tune = self.tune_stages[system]
            source = (recipe.tuning[system].of, topics)
            stage = self.add(
                "apply", system, topics, {tune.id: tune.key, self.run_ids[source]: self.run_keys[source]}, {},
                tune.key, self.run_keys[source], topics == base_set(recipe.tuning[system].on),
            )
        self.run_keys[pair], self.run_ids[pair] = stage.key, stage.id

    def _pipeline(self, system: str, topics: TopicSet) -> Stage:
        parameters = self.pipeline_parameters(system, topics.name)
        queries = topics.query_digests
        inputs = {"index collection": self.index_key, f"topics {topics.name}": digest(list(queries.items()))}
        return self.add("run", system, topics.name, inputs, parameters, self.index_key, list(queries.items()))

    def pipeline_parameters(self, system: str, topics: str) -> dict[str, Any]:
        """All that the answer of a pipeline to a topic depends on, besides the index and the topic."""
        settings, formulas = self.recipe.pipelines[system], asks_for_formulas(self.data, topics)
        similarities = self.terms.of(system, formulas)
        return {
            "model": Definition(self.recipe, self.draft.folder, system).settings(formulas),
            "formulas": formulas,
            "context": self.data.topics[topics].settings.context,
            "depth": settings.depth or self.recipe.depth,
            "filters": {
                key: value if isinstance(value, str) else list(value) for key, value in settings.filters.items()
            },
            **({"similarities": similarities} if similarities else {}),
        }

    def _reranker(self, system: str, topics: TopicSet) -> Stage:
        settings, source = self.recipe.rerankers[system], (self.recipe.rerankers[system].of, topics.name)
        depth, model = Definition(self.recipe, self.draft.folder, system).reranker({})
        parameters = {"of": settings.of, "kind": settings.kind, "depth": depth, "model": model}
        if similarities := self.terms.of(system, False):
            parameters["similarities"] = similarities
        queries = list(topics.query_digests.items())
        inputs = {
            "index collection": self.index_key, f"topics {topics.name}": digest(queries),
            self.run_ids[source]: self.run_keys[source],
        }
        return self.add(
            "rerank", system, topics.name, inputs, parameters, self.index_key, queries, self.run_keys[source]
        )

    def _fusion(self, system: str, topics: str) -> Stage:
        settings = self.recipe.fusions[system]
        method = fusion_method(settings, self.recipe.seed)
        parameters = {
            "of": list(settings.of), "method": settings.method, "depth": settings.depth or self.recipe.depth,
            **write_settings(method),
        }
        sources = [(name, topics) for name in settings.of]
        content: list[Any] = [self.run_keys[source] for source in sources]
        if settings.train_on is not None:
            training = base_set(settings.train_on)
            sources += [(name, training) for name in settings.of]
            judged = self.judgments(settings.train_on)
            parameters |= {"train_on": settings.train_on, "folds": settings.folds, "seed": self.recipe.seed}
            content = [[self.run_keys[source] for source in sources], judged, topics == training]
        inputs = {self.run_ids[source]: self.run_keys[source] for source in sources}
        return self.add("fuse", system, topics, inputs, parameters, content)

    def judgments(self, topics: str) -> str:
        """The digest of the judgments of a topic set, or of a part of one; of a partial set, of the index too."""
        given = self.data.topics[base_set(topics)]
        chosen = given.topics(topics)
        known = self.index_key if given.settings.partial else ""
        return digest([given.judgments_digest, given.settings.partial, known, chosen])

    def _tune(self, system: str) -> None:
        tuning = self.recipe.tuning[system]
        topics = base_set(tuning.on)
        formulas = asks_for_formulas(self.data, topics)
        given = self.data.topics[topics]
        source = (tuning.of, topics)
        parameters = {
            "of": tuning.of,
            "measure": tuning.measure or self.recipe.measures[0],
            "space": tuning_space(self.recipe, tuning, formulas, self.draft).to_plain(),
            **search_record(tuning_search(tuning, self.recipe.seed)),
            "folds": tuning.folds,
            "by": tuning.by,
            "seed": self.recipe.seed if tuning.seed is None else tuning.seed,
            "depth": self.recipe.depth,
        }
        if similarities := self.terms.of(system, formulas):
            parameters["similarities"] = similarities
        judged = self.judgments(tuning.on)
        strata = [given.information.get(topic, {}).get(tuning.by) for topic in given.qrels] if tuning.by else []
        inputs = {self.run_ids[source]: self.run_keys[source], f"judgments {tuning.on}": judged}
        self.tune_stages[system] = self.add(
            "tune", system, tuning.on, inputs, parameters, self.run_keys[source], judged, strata
        )

    def _report(self, name: str, report: ReportSettings) -> None:
        topics = base_set(report.on)
        given = self.data.topics[topics]
        shown = report_systems(self.recipe, report)
        parameters = {
            key: list(value) if isinstance(value, tuple) else value for key, value in write_settings(report).items()
            if key != "output"
        }
        parameters |= {
            "systems": list(shown), "measures": list(report.measures or self.recipe.measures),
            "seed": self.recipe.seed, "depth": self.recipe.depth, "title": self.recipe.name,
        }
        judged = self.judgments(report.on)
        pairs = [(system, topics) for system in dict.fromkeys((*shown, *report.ablation))]
        inputs = {self.run_ids[pair]: self.run_keys[pair] for pair in pairs} | {f"judgments {report.on}": judged}
        made_of = [pair for system in report.ablation for pair in needs(self.recipe, [(system, topics)])]
        self.add(
            "report", name, report.on, inputs, parameters, [self.run_keys[pair] for pair in (*pairs, *made_of)], judged,
            list(given.information.items()), list(given.query_digests.items()), given.settings.qrels,
        )


def told_reader(collection: CollectionSettings) -> ReaderOptions:
    """What the reader of a collection is told."""
    options: dict[str, Any] = {name: getattr(collection, name) for name in READER_OPTIONS}
    return ReaderOptions(**options)


def reader_options(collection: CollectionSettings) -> dict[str, Any]:
    """What the reader of a collection is told, as plain values."""
    options = {}
    for name in READER_OPTIONS:
        value = getattr(collection, name)
        options[name] = list(value) if isinstance(value, tuple) else value
    return options
