"""``[collection]``: the documents, indexed from their sources, or an index that is there."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path as FilePath
from typing import Any, Literal

from porism.analysis.analyzer import CHANNEL_SETS, DEFAULT_FORMULAS, TEXT_CHANNELS, AnalysisConfig
from porism.analysis.channels import UnknownChannel, parse_channel
from porism.analysis.documents import load_document
from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.corpus.registry import READERS, detect_format
from porism.errors import ConfigError, IndexFolderError, IndexNotFound, PorismError
from porism.index import Snapshot
from porism.index.joint import check_alike, join_manifests
from porism.index.manifest import Manifest, read_manifest
from porism.recipes.cache import Entry
from porism.recipes.checking import Check, nearest_or_add, toml_key
from porism.recipes.digests import digest, source_digest
from porism.recipes.draft import Draft
from porism.recipes.execution import Execution, OnCount
from porism.recipes.kinds.base import StageKind, TableKind
from porism.recipes.kinds.tokenizers import (
    READING_LIBRARIES,
    TOKENIZER_KIND,
    made_tokenizers,
    reader_options,
    tokenizer_of,
)
from porism.recipes.loading import Data, Loading, Requirement
from porism.recipes.planning import Input, Planner, Stage
from porism.recipes.recipe import Recipe
from porism.search.sources.indexing import Progress, index_documents, read_documents
from porism.settings import Path, Settings, nearest
from porism.types import Document

READER_SETTINGS = (
    "unit", "comments", "formulas", "fields", "id_field", "metadata_fields", "encoding", "outside", "max_unpacked",
)
"""The settings of a collection that are options of its reader."""


@dataclass(frozen=True, slots=True)
class CollectionSettings(Settings):
    """What pipelines search: a ``source`` to index, or an ``index`` that is there.

    :param source: a file or folder, or several.
    :param index: the folder of an index, or of several that are searched as one; nothing is indexed then.
    :param channels: ``default`` (those that Porism's models search, and those that pipelines here name), ``all``, or
        the names of channels and of sets of them; ``bpe:NAME`` are those of tokenizers of the recipe.
    :param language: the stemmer.

    The others are the options of the readers (:class:`porism.corpus.ReaderOptions`).
    """

    source: str | tuple[str, ...] | None = None
    index: str | tuple[str, ...] | None = None
    channels: str | tuple[str, ...] = "default"
    language: str = "english"
    format: str | None = None
    unit: Literal["answer", "question", "thread"] = "answer"
    comments: bool = True
    formulas: Literal["latex", "mathml"] = "latex"
    fields: Mapping[str, str] | None = None
    id_field: str | None = None
    metadata_fields: tuple[str, ...] | None = None
    encoding: str | None = None
    outside: bool = False
    max_unpacked: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) == (self.index is None):
            raise ConfigError("a collection has a source or an index", hint="Give one of them.")
        if self.index is not None and not self.indexes:
            raise ConfigError("the list of indexes is empty", hint="Name the folder of one.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The files and folders to index."""
        return (self.source,) if isinstance(self.source, str) else self.source or ()

    @property
    def indexes(self) -> tuple[str, ...]:
        """The indexes that are there."""
        return (self.index,) if isinstance(self.index, str) else self.index or ()

    @property
    def reading(self) -> dict[str, Any]:
        """Format and options of the reader, as plain values."""
        options = {name: getattr(self, name) for name in READER_SETTINGS}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
        return {"format": self.format, **plain}


class BuildIndex(StageKind):
    """Indexes the collection; a start after an interruption goes on with the documents that are not there yet."""

    name = "index"
    libraries = (*READING_LIBRARIES, "PyStemmer", "numpy", "tokenizers")
    counts_bytes = True

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Indexes what is missing.

        :raises KeyboardInterrupt: it was interrupted; what was indexed stays for the next start.
        """
        collection = collection_of(execution.recipe)
        assert collection is not None, "the stage is there only with a collection"
        folder = execution.cache.unfinished(stage.kind, stage.key)
        started = time.monotonic()
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
            config=replace(config, tokenizers=tuple(tokenizers[one.name] for one in config.tokenizers)),
            on_problem=execution.on_problem, on_progress=indexed_so_far,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        with Snapshot.open(folder / "index") as snapshot:
            about = {"documents": snapshot.doc_count, "problems": report.problems}
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


class CollectionKind(TableKind[CollectionSettings]):
    """The collection."""

    table = "collection"
    settings = CollectionSettings
    form = "single"
    stages = (BuildIndex(),)

    def check(self, check: Check) -> None:
        """Format, options, channels and language; that there is one where something searches."""
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
        if given.format is not None and given.format not in READERS:
            check.errors.error(
                f"there is no format {given.format!r}", ("collection", "format"), nearest(given.format, READERS)
            )
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
        """Of an index that is there the manifest; of sources only that they are there, and of a known format."""
        given = collection_of(loading.recipe)
        if given is None or not _is_used(loading.recipe, loading.used_topics):
            return None
        if given.index is not None:
            return self._load_indexes(loading, given)
        for number, source in enumerate(given.sources):
            path = ("collection", "source") if isinstance(given.source, str) else ("collection", "source", number)
            file = loading.exists(source, path)
            if file is not None and given.format is None:
                try:
                    detect_format(file)
                except PorismError as error:
                    loading.errors.take(error, path)
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
        """The library of tokenizers, for each that the collection is indexed with."""
        given = collection_of(loading.recipe)
        if given is not None and given.index is None:
            for reference in analysis_config(loading.recipe, loading.draft.folder).tokenizers:
                yield Requirement(
                    "tokenizers", ("tokenizers", reference.name), "a channel of byte-pair encoding", "embeddings"
                )

    def plan(self, planner: Planner) -> None:
        """The stage that indexes, after those that train its tokenizers; of an index that is there its state."""
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
            self.stages[0], "collection", "", sources | {one.name: one.key for one in tokenizers},
            {**given.reading, "analysis": analysis}, list(sources.values()),
        )
        planner.others[INDEX] = Input(stage.id, stage.key)


COLLECTION_KIND = CollectionKind()
INDEX = ("collection", "collection")
"""The index among what a planner has planned."""


def collection_of(recipe: Recipe) -> CollectionSettings | None:
    """The collection of a recipe, if it has one."""
    found: CollectionSettings | None = recipe.tables.get("collection", {}).get("collection")
    return found


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
    return [execution.draft.file(one) for one in there] or [index_path(execution)]


def held_manifest(data: Data) -> Manifest | None:
    """The manifest of an index that is there."""
    found: Manifest | None = data.get("collection")
    return found


def analysis_config(
    recipe: Recipe, folder: FilePath, tokenizers: Mapping[str, TokenizerReference] | None = None
) -> AnalysisConfig:
    """How the collection is indexed: by ``default`` with all channels that the recipe names elsewhere.

    Channels of tokenizers that are not among ``tokenizers`` (by default those of the recipe, not yet trained) are left
    out.

    :raises ConfigError: a channel or the language does not exist.
    """
    collection = collection_of(recipe)
    assert collection is not None, "only recipes with a collection index one"
    known = TOKENIZER_KIND.references(recipe, folder) if tokenizers is None else tokenizers
    text: list[str] = []
    formulas: list[str] = []
    for name in _channels(collection, recipe, folder):
        needed = tokenizer_of(name)
        if needed is not None and needed not in known:
            continue
        (text if parse_channel(name, known.values()).reads == "text" else formulas).append(name)
    used = dict.fromkeys(tokenizer_of(name) for name in (*text, *formulas))
    return AnalysisConfig(
        tuple(text) or TEXT_CHANNELS, tuple(formulas) or DEFAULT_FORMULAS, language=collection.language,
        tokenizers=tuple(known[name] for name in used if name is not None),
    )


def listed_channels(recipe: Recipe, folder: FilePath) -> tuple[str, ...] | None:
    """The channels of a collection whose channels the recipe lists; None for others."""
    collection = collection_of(recipe)
    if collection is None or collection.index is not None or isinstance(collection.channels, str):
        return None
    with suppress(PorismError):  # reported with the collection
        config = analysis_config(recipe, folder)
        return (*config.text, *config.formulas)
    return None


def check_tokenized(check: Check, channel: str, path: Path) -> bool:
    """Whether the recipe has the tokenizer of a channel, if that needs one."""
    needed = tokenizer_of(channel)
    collection = collection_of(check.recipe)
    if needed is None or collection is None or collection.index is not None:  # an index knows its own
        return True
    known = check.names("tokenizers")
    if needed not in known:
        check.errors.error(
            f"there is no tokenizer for the channel {channel!r}", path,
            nearest_or_add(needed, known, f"[tokenizers.{toml_key(needed)}] with its kind, or with file = \"…\""),
        )
    return needed in known


def _is_used(recipe: Recipe, topics: Iterable[str]) -> bool:
    return any(settings.searches for settings in recipe.systems.values()) or _is_partial(recipe, topics)


def _is_partial(recipe: Recipe, topics: Iterable[str]) -> bool:
    """Whether judgments have to be compared with the documents."""
    sets = recipe.tables.get("topics", {})
    return any(name in sets and sets[name].partial for name in topics)


def _channels(collection: CollectionSettings, recipe: Recipe, folder: FilePath) -> list[str]:
    """The channels that the collection is to have, sets of them spelled out."""
    named: list[str] = list(collection.channels)
    if isinstance(collection.channels, str):
        wanted = [channel for kind in recipe.kinds.values() for channel in kind.channels(recipe, folder)]
        named = [collection.channels, *(channel for channel in wanted if is_channel(channel))]
    return list(dict.fromkeys(channel for name in named for channel in CHANNEL_SETS.get(name, (name,))))


def is_channel(name: str) -> bool:
    """Whether an index can have a channel of this name."""
    try:
        parse_channel(name)
    except UnknownChannel:
        return False
    except ConfigError:  # its options are wrong, which is reported elsewhere
        pass
    return True


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
            found = snapshot.find(document.id)
            if document.id not in again and found is not None:
                segment, number = found
                if _same(load_document(segment.stored(number)), document):
                    continue
            again.add(document.id)
            yield document


def _same(mine: Document, other: Document) -> bool:
    return dict(mine.fields) == dict(other.fields) and dict(mine.metadata) == dict(other.metadata)
