"""``[collection]``: the documents, indexed from their sources, or an index that is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path as FilePath
from typing import Any

from porism.analysis.analyzer import AnalysisConfig
from porism.analysis.documents import load_document
from porism.corpus.registry import READERS, detect_format
from porism.errors import ConfigError, IndexFolderError, IndexNotFound, PorismError
from porism.index import Snapshot
from porism.index.joint import check_alike, join_manifests
from porism.index.manifest import Manifest, read_manifest
from porism.lab.recipes.checking import Check, Loading, Requirement
from porism.lab.recipes.digests import digest, source_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import StageKind, TableKind
from porism.lab.recipes.kinds.collection_settings import (
    CollectionSettings,
    analysis_config,
    check_tokenized,
    collection_of,
)
from porism.lab.recipes.kinds.tokenizers import READING_LIBRARIES, TOKENIZER_KIND, made_tokenizers, reader_options
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe
from porism.search.sources.indexing import Progress, index_documents, read_documents
from porism.settings import Path
from porism.types import Document


class BuildIndex(StageKind):
    """Indexes the collection; a start after an interruption goes on with the documents that are not there yet."""

    name = "index"
    libraries = (*READING_LIBRARIES, "PyStemmer", "numpy", "tokenizers")
    counts_bytes = True
    goes_on = True

    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        collection = collection_of(execution.recipe)
        assert collection is not None, "the stage is there only with a collection"
        position = [0, 0]
        reading = dict(stage.parameters)
        config = AnalysisConfig.from_dict(reading.pop("analysis"))
        tokenizers = made_tokenizers(execution)

        def read_so_far(done: int, total: int) -> None:
            position[:] = done, total

        def indexed_so_far(progress: Progress) -> None:
            on_count(progress.bytes_done, progress.bytes_total or None)

        documents = read_documents(
            [execution.draft.file(source) for source in collection.sources], format=reading.pop("format"),
            options=reader_options(reading), on_problem=execution.on_problem, on_bytes=read_so_far,
        )
        report = index_documents(
            _missing(folder / "index", documents), folder / "index", jobs=execution.jobs, position=position,
            config=replace(config, tokenizers=tuple(tokenizers[tokenizer.name] for tokenizer in config.tokenizers)),
            on_problem=execution.on_problem, on_progress=indexed_so_far,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        with Snapshot.open(folder / "index") as snapshot:
            return {"documents": snapshot.doc_count, "problems": report.problems}


def _missing(path: FilePath, documents: Iterable[Document]) -> Iterator[Document]:
    """The documents that the index at ``path``, from an interrupted start, does not have as they are now."""
    try:
        snapshot = Snapshot.open(path)
    except IndexFolderError as error:  # there is none, nothing was committed, or it is damaged: begun anew
        if not isinstance(error, IndexNotFound):
            shutil.rmtree(path)
        yield from documents
        return
    again: set[str] = set()  # ids that occur more than once in the source: of these the last counts
    with snapshot:
        for document in documents:
            place = snapshot.find(document.id)
            if document.id not in again and place is not None:
                segment, number = place
                held = load_document(segment.stored(number))
                if dict(held.fields) == dict(document.fields) and dict(held.metadata) == dict(document.metadata):
                    continue
            again.add(document.id)
            yield document


class CollectionKind(TableKind[CollectionSettings]):
    """The collection."""

    table = "collection"
    settings = CollectionSettings
    form = "single"
    stages = (BuildIndex(),)

    def check(self, check: Check) -> None:
        given = collection_of(check.recipe)
        if given is None:
            for table, named in check.recipe.tables.items():
                if any(getattr(settings, "searches", False) for settings in named.values()):
                    check.errors.error(
                        f"{table} need a collection to search", (table,), "Write [collection] and its source."
                    )
            return
        if given.index is not None and TOKENIZER_KIND.of(check.recipe):
            check.errors.error(
                "an index that is there has tokenizers of its own", ("tokenizers",),
                "Leave the table out, or name the source of the collection in place of the index.",
            )
        if len(given.indexes) > 1:
            for name, kind in check.recipe.kinds.items():
                if kind.needs_one_index and kind.of(check.recipe):
                    check.errors.error(
                        f"{name} needs one index, and the collection has {len(given.indexes)}", (name,),
                        "Train or encode for one index, or index the sources together.",
                    )
        if given.format is not None:
            check.known(given.format, READERS, "format", ("collection", "format"))
        if isinstance(given.channels, str) and given.channels not in ("default", "all"):
            check.errors.error(
                f"'collection.channels' cannot be {given.channels!r}", ("collection", "channels"),
                "It is \"default\", \"all\", or a list of channels.",
            )
        for number, channel in enumerate(() if isinstance(given.channels, str) else given.channels):
            check_tokenized(check, channel, ("collection", "channels", number))
        try:
            analysis_config(check.recipe, check.draft.folder)
        except ConfigError as error:
            where = "language" if "stemmer" in error.what or "language" in error.what else "channels"
            check.errors.take(error, ("collection", where))

    def load(self, loading: Loading) -> Manifest | None:
        given, recipe = collection_of(loading.recipe), loading.recipe
        searches = any(settings.searches for settings in recipe.systems.values())
        if given is None or not (searches or _is_partial(recipe, loading.used_topics)):
            return None
        if given.index is not None:
            return self._load_indexes(loading, given)
        for number, source in enumerate(given.sources):
            path = ("collection", "source") if isinstance(given.source, str) else ("collection", "source", number)
            file = loading.exists(source, path)
            if file is not None and given.format is None:
                with loading.errors.taking(path):
                    detect_format(file)
        return None

    def _load_indexes(self, loading: Loading, given: CollectionSettings) -> Manifest | None:
        manifests: dict[str, Manifest] = {}
        for number, name in enumerate(given.indexes):
            path: Path = ("collection", "index") if isinstance(given.index, str) else ("collection", "index", number)
            folder = loading.exists(name, path)
            if folder is None:
                return None
            try:
                manifests[name] = read_manifest(folder)
                AnalysisConfig.from_dict(manifests[name].config)
                analysis_config(loading.recipe, loading.draft.folder)
                check_alike({held: manifest.config for held, manifest in manifests.items()})
            except PorismError as error:
                loading.errors.take(error, path)
                return None
        return join_manifests(list(manifests.values()))

    def term_requirements(self, loading: Loading) -> Iterable[Requirement]:
        given = collection_of(loading.recipe)
        if given is not None and given.index is None:
            for reference in analysis_config(loading.recipe, loading.draft.folder).tokenizers:
                yield Requirement(
                    "tokenizers", ("tokenizers", reference.name), "a channel of byte-pair encoding", "embeddings"
                )

    def plan(self, planner: Planner) -> None:
        given = collection_of(planner.recipe)
        searches = any(planner.recipe.systems[system].searches for system, _ in planner.demand)
        learns = any(kind.reads_collection and kind.of(planner.recipe) for kind in planner.recipe.kinds.values())
        if given is None or not (searches or learns or _is_partial(planner.recipe, planner.used_topics)):
            return
        if given.index is not None:
            manifest: Manifest | None = planner.data[self.table]
            assert manifest is not None, "an index that cannot be read was an error before"
            planner.others[INDEX] = Input("index collection", index_state(manifest))
            return
        sources = {source: source_digest(planner.draft.file(source)) for source in given.sources}
        folder = planner.draft.folder
        known = TOKENIZER_KIND.references(planner.recipe, folder)
        used = analysis_config(planner.recipe, folder, known).tokenizers
        known |= TOKENIZER_KIND.planned(planner, used, given.reading, sources)
        tokenizers = [planner.others["tokenizers", reference.name] for reference in used]
        analysis = analysis_config(planner.recipe, folder, known).to_dict()
        # What a source is called in the recipe is of no matter to what is in it.
        stage = planner.add(
            self.stages[0], "collection", "", sources | {tokenizer.name: tokenizer.key for tokenizer in tokenizers},
            {**given.reading, "analysis": analysis}, list(sources.values()),
        )
        planner.others[INDEX] = Input(stage.id, stage.key)


COLLECTION_KIND = CollectionKind()
INDEX = ("collection", "collection")
"""The index among what a planner has planned."""


def index_folder(draft: Draft) -> FilePath | None:
    """The folder of an index that is there, of several that of the first; None where the collection is indexed, or
    there is none."""
    collection = collection_of(draft.recipe)
    return None if collection is None or not collection.indexes else draft.file(collection.indexes[0])


def index_state(manifest: Manifest) -> str:
    """The digest of what an index that is there holds; when it was written is of no matter."""
    state = {key: value for key, value in asdict(manifest).items() if key not in ("created", "updated")}
    return digest(["index there", state])


def planned_index(planner: Planner) -> Input:
    """The index that stages search; :meth:`CollectionKind.plan` planned it."""
    return planner.others.get(INDEX, Input("index collection", ""))


def index_path(execution: Execution) -> FilePath:
    """The folder of the index, there or in the cache."""
    there = index_folder(execution.draft)
    if there is not None:
        return there
    return execution.entry("index", planned_index(execution.planner).key, "the index").file("index")


def index_paths(execution: Execution) -> list[FilePath]:
    """The folders of the indexes that are searched as one: those that are there, or the one in the cache."""
    collection = collection_of(execution.recipe)
    there = () if collection is None else collection.indexes
    return [execution.draft.file(index) for index in there] or [index_path(execution)]


def _is_partial(recipe: Recipe, topics: Iterable[str]) -> bool:
    """Whether judgments have to be compared with the documents."""
    sets = recipe.tables.get("topics", {})
    return any(name in sets and sets[name].partial for name in topics)
