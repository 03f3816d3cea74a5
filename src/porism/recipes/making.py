"""Makes runs: answers of pipelines, what rerankers and fusions make of them, and all of it with other parameters."""

from __future__ import annotations

import shutil
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import IndexFolderError, IndexNotFound, OnProblem, SourceError
from porism.fusion import Fusion, FusionTable, LearnedFusion, cross_validate_fusion
from porism.index.manifest import read_manifest
from porism.pipeline.protocols import describe
from porism.recipes.answers import AnswerStore
from porism.recipes.cache import Cache, Entry
from porism.recipes.data import Data, TopicSet, asks_for_formulas, restricted
from porism.recipes.derived import analysis_config
from porism.recipes.digests import code_digest, digest, library_versions, query_digest
from porism.recipes.reading import Draft
from porism.recipes.stages import Planner, Stage, told_reader
from porism.recipes.systems import Definition, Parameters, base_set, untuned_members
from porism.recipes.terms_making import OnCount, TermMaker, tokenizer_references
from porism.retrieve import DEFAULT_MODEL
from porism.retrieve.documents.named_models import channel_model
from porism.runs.provenance import Provenance
from porism.runs.run import Ranked, Run
from porism.search.index import Index, open_index
from porism.search.sources.indexing import Progress, index_documents, read_documents
from porism.types import Document, Query

RUN_FILE = "run"
"""The name of a run's file in the cache."""

_KEPT_RUNS = 8


class StageMaker:
    """Makes what stages need, in memory; what lies in the cache is read from there.

    A context manager: it keeps the index open.
    """

    def __init__(self, draft: Draft, data: Data, cache: Cache, planner: Planner, on_problem: OnProblem | None) -> None:
        self.draft, self.recipe, self.data, self.cache, self.planner = draft, draft.recipe, data, cache, planner
        self.on_problem = on_problem
        self.terms = TermMaker(self)
        self._index: Index | None = None
        self._runs: dict[tuple[str, str], Run] = dict(data.runs)
        self._varied: OrderedDict[str, Run] = OrderedDict()
        self._tables: OrderedDict[tuple[int, ...], FusionTable] = OrderedDict()
        self._qrels: dict[str, dict[str, dict[str, int]]] = {}

    def __enter__(self) -> StageMaker:
        return self

    def __exit__(self, *error: object) -> None:
        if self._index is not None:
            self._index.close()

    @property
    def index(self) -> Index:
        """The collection's index, open."""
        if self._index is None:
            self._index = open_any_index(self.index_path)
        return self._index

    @property
    def index_path(self) -> Path:
        """The folder of the collection's index."""
        given = self.recipe.collection
        assert given is not None, "only what asks an index needs one"
        if given.index is not None:
            return self.draft.file(given.index)
        entry = self.cache.find("index", self.planner.index_key)
        if entry is None:
            raise SourceError("the index vanished from the cache while it was needed", hint="Start again.")
        return entry.file("index")

    def qrels(self, topics: str) -> dict[str, dict[str, int]]:
        """The judgments of a topic set or a part of one; of a partial set, those of the collection's documents."""
        name = base_set(topics)
        if name not in self._qrels:
            given = self.data.topics[name]
            held: Any = ()
            if given.settings.partial:
                held = self.index.formula_names() if given.settings.formulas else self.index
            self._qrels[name] = restricted(given, held)
        chosen = self.data.topics[name].topics(topics)
        found = self._qrels[name]
        return found if chosen is None else {topic: found[topic] for topic in chosen if topic in found}

    def make_index(self, stage: Stage, on_progress: Callable[[Progress], None] | None, jobs: int | None) -> Entry:
        """Indexes the collection; a start after an interruption goes on with the documents that are not there yet.

        :raises KeyboardInterrupt: it was interrupted; what was indexed stays for the next start.
        """
        collection = self.recipe.collection
        assert collection is not None, "the stage is there only with a collection"
        folder = self.cache.unfinished("index", stage.key)
        options = told_reader(collection)
        started = time.monotonic()
        position = [0, 0]

        def reading(done: int, total: int) -> None:
            position[:] = done, total

        documents = read_documents(
            [self.draft.file(source) for source in collection.sources], format=collection.format, options=options,
            on_problem=self.on_problem, on_bytes=reading,
        )
        report = index_documents(
            _missing(folder / "index", documents), folder / "index", jobs=jobs, position=position,
            config=analysis_config(self.recipe, self.draft.folder, tokenizer_references(self)),
            on_problem=self.on_problem, on_progress=on_progress,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        with open_any_index(folder / "index") as index:
            about = {"documents": len(index), "problems": report.problems}
        return self.cache.keep("index", stage.key, folder, about, time.monotonic() - started)

    def run(self, system: str, topics: str) -> Run:
        """A run of the recipe on a whole topic set; it must have been made."""
        pair = (system, base_set(topics))
        if pair not in self._runs:
            stage = self.planner.stages[self.planner.run_ids[pair]]
            entry = self.cache.find(stage.kind, stage.key)
            if entry is None:
                raise SourceError(f"{stage.id} vanished from the cache while it was needed", hint="Start again.")
            self._runs[pair] = Run.read(entry.file(RUN_FILE)).renamed(system)
        return self._runs[pair]

    def keep_run(self, stage: Stage, run: Run, seconds: float) -> Entry:
        """Puts a run into the cache. From there it is read again, so that all that follows sees the same bytes."""
        with self.cache.making(stage.kind, stage.key) as folder:
            run.renamed(stage.name).write(folder / RUN_FILE)
            about = {"topics": len(run), "results": len(run.doc_ids)}
            return self.cache.keep(stage.kind, stage.key, folder, about, seconds)

    def answer(self, stage: Stage, on_count: OnCount) -> Run:
        """The run of a pipeline; topics that an interrupted start answered are not asked again."""
        parameters = stage.parameters
        topics = self.data.topics[stage.topics]
        known = digest([self.planner.index_key, parameters, code_digest("run"), library_versions("run")])
        store = AnswerStore(self.cache.growing("topics", known), self.on_problem)
        index = self._searching(stage.name, {}, topics)
        results: dict[str, Ranked] = {}
        seconds: dict[str, float] = {}
        made_by: dict[str, Any] = {}
        for number, query in enumerate(topics.queries):
            content = query_digest(query)
            found = store.find(content)
            if found is None:
                run = self._ask(index, stage.name, [query], topics)
                if run.provenance is not None:
                    seconds.update(run.provenance.seconds)
                found = (run[query.id], seconds.get(query.id, 0.0))
                store.add(content, *found)
            results[query.id], seconds[query.id] = found
            on_count(number + 1, len(topics.queries))
        made_by = {
            "kind": "pipeline", "pipeline": stage.name, "collection": self.planner.index_key, **parameters,
        }
        tuned_on = tuple(parameters["model"].get("tuned_on", ()))
        return Run(results, stage.name, provenance=Provenance(made_by, tuned_on, seconds=seconds))

    def rerank(self, stage: Stage, on_count: OnCount) -> Run:
        """The run of a reranker; topics that an interrupted start re-ranked are not done again."""
        source = (self.recipe.rerankers[stage.name].of, stage.topics)
        known = digest([
            self.planner.index_key, stage.parameters, self.planner.run_keys[source], code_digest("rerank"),
            library_versions("rerank"),
        ])
        store = AnswerStore(self.cache.growing("topics", known), self.on_problem)
        return self._reranked(stage.name, {}, self.run(*source), stage.topics, store, on_count)

    def fuse(self, system: str, topics: str) -> Run:
        """The run of a fusion with the parameters of the recipe."""
        return self.varied(system, topics, {system: {}})

    def varied(self, system: str, topics: str, values: Parameters, only: Sequence[str] | None = None) -> Run:
        """The run of a system of which some parts have other parameters; nothing of it is cached on disk.

        :param only: the topics to answer; all if not given.
        """
        if not any(part in values for part in untuned_members(self.recipe, system)):
            run = self.run(system, topics)
            return run if only is None else run.only(only)
        parts = untuned_members(self.recipe, system)
        key = digest([system, topics, {part: values[part] for part in parts if part in values}, only])
        if key in self._varied:
            self._varied.move_to_end(key)
            return self._varied[key]
        if system in self.recipe.pipelines:
            given = self.data.topics[topics]
            wanted = None if only is None else set(only)
            queries = [query for query in given.queries if wanted is None or query.id in wanted]
            index = self._searching(system, values[system], given)
            run = self._ask(index, system, queries, given)
        elif system in self.recipe.rerankers:
            source = self.varied(self.recipe.rerankers[system].of, topics, values, only)
            run = self._reranked(system, values.get(system, {}), source, topics)
        else:
            run = self._fused(system, topics, values, only)
        self._varied[key] = run
        while len(self._varied) > _KEPT_RUNS:
            self._varied.popitem(last=False)
        return run

    def _reranked(
        self, system: str, values: Mapping[str, Any], source: Run, topics: str, store: AnswerStore | None = None,
        on_count: OnCount = lambda done, total: None,
    ) -> Run:
        """A run with its first results in the order of a reranker with other values at dotted paths.

        A topic takes as long as it took the source and the reranker; where the source does not say, nothing is known.
        """
        definition = Definition(self.recipe, self.draft.folder, system)
        depth, settings = definition.reranker(values)
        reranker = definition.kind.make(settings, depth, self.index)
        before = source.provenance or Provenance({"kind": "run", "name": source.name})
        queries = [query for query in self.data.topics[topics].queries if query.id in source]
        results: dict[str, Ranked] = {}
        seconds: dict[str, float] = {}
        for number, query in enumerate(queries):
            content = query_digest(query)
            found = store.find(content) if store is not None else None
            if found is None:
                started = time.perf_counter()
                run = reranker.rerank([query], source.only([query.id]), depth)
                found = (run[query.id], time.perf_counter() - started)
                if store is not None:
                    store.add(content, *found)
            results[query.id] = found[0]
            if query.id in before.seconds:
                seconds[query.id] = before.seconds[query.id] + found[1]
            on_count(number + 1, len(queries))
        made_by = {
            "kind": "rerank", "name": system, "depth": depth, "reranker": describe(reranker),
            "collection": self.planner.index_key, "of": dict(before.made_by),
        }
        tuned = Provenance(tuned_on=getattr(reranker, "tuned_on", ()))
        return Run(results, system, provenance=replace(Provenance.merged([before, tuned], made_by), seconds=seconds))

    def _fused(self, system: str, topics: str, values: Parameters, only: Sequence[str] | None) -> Run:
        settings = self.recipe.fusions[system]
        method = Definition(self.recipe, self.draft.folder, system).fusion(values.get(system, {}))
        runs = [self.varied(source, topics, values, only) for source in settings.of]
        depth = settings.depth or self.recipe.depth
        return self.combine(system, method, runs, topics, depth, values)

    def combine(
        self, system: str, method: Fusion, runs: Sequence[Run], topics: str, depth: int, values: Parameters,
    ) -> Run:
        """The fusion of runs by the method of a system, which is trained first if the recipe says so."""
        settings = self.recipe.fusions[system]
        if settings.train_on is None or not isinstance(method, LearnedFusion):
            return method.fuse(self._table(runs), depth=depth, name=system)
        names = [run.name for run in runs]
        training = base_set(settings.train_on)
        qrels = self.qrels(settings.train_on)
        if settings.folds and training == topics:
            return cross_validate_fusion(
                method, list(runs), qrels, folds=settings.folds, seed=self.recipe.seed, depth=depth, name=system
            )
        sources = [self.varied(name, training, values) for name in names]
        return method.fit(self._table(sources), qrels).fuse(self._table(runs), depth=depth, name=system)

    def _table(self, runs: Sequence[Run]) -> FusionTable:
        """The runs aligned; kept, since tuning fuses the same ones many times."""
        key = tuple(map(id, runs))
        table = self._tables.get(key)
        if table is None or any(mine is not other for mine, other in zip(table.runs, runs, strict=True)):
            table = self._tables[key] = FusionTable(runs)
        while len(self._tables) > _KEPT_RUNS:
            self._tables.popitem(last=False)
        return table

    def _searching(self, system: str, values: Mapping[str, Any], topics: TopicSet) -> Index:
        """The index, searched by the model of a pipeline with other values at dotted paths."""
        definition = Definition(self.recipe, self.draft.folder, system)
        formulas = asks_for_formulas(self.data, topics.name)
        model = definition.model(values, formulas)
        return self.index.with_models(*((None, model) if formulas else (model,)))

    def _ask(self, index: Index, system: str, queries: Sequence[Query], topics: TopicSet) -> Run:
        settings = self.recipe.pipelines[system]
        depth = settings.depth or self.recipe.depth
        filters: Any = settings.filters or None
        if topics.settings.formulas:
            started = time.perf_counter()
            run = index.run_formulas(
                queries, depth, context=topics.settings.context, filters=filters, name=system,
                on_problem=self.on_problem,
            )
            if run.provenance is not None and run.provenance.seconds:
                return run
            share = (time.perf_counter() - started) / max(1, len(queries))
            known = run.provenance or Provenance({"kind": "search"}, index.formula_model.tuned_on)
            return run.with_provenance(replace(known, seconds={query.id: share for query in queries}))
        return index.run(queries, depth, filters=filters, name=system)


def open_any_index(path: Path) -> Index:
    """An index to be searched by other models: it need not have a channel of the default one.

    :raises IndexFolderError: there is none, or it is damaged.
    """
    config = AnalysisConfig.from_dict(read_manifest(path).config)
    channels = (*config.text, *config.formulas)
    has_default = any(name in channels for name in DEFAULT_MODEL.channels)
    return open_index(path) if has_default else open_index(path, channel_model(*channels))


def _missing(path: Path, documents: Any) -> Any:
    """The documents that the index at ``path``, from an interrupted start, does not have as they are now."""
    try:
        index = open_any_index(path)
    except IndexFolderError as error:  # there is none, nothing was committed, or it is damaged: begun anew
        if not isinstance(error, IndexNotFound):
            shutil.rmtree(path)
        yield from documents
        return
    again: set[str] = set()  # ids that stand more than once in the source: of these the last counts
    with index:
        for document in documents:
            if document.id not in again and document.id in index and _same(index.document(document.id), document):
                continue
            again.add(document.id)
            yield document


def _same(mine: Document, other: Document) -> bool:
    return dict(mine.fields) == dict(other.fields) and dict(mine.metadata) == dict(other.metadata)
