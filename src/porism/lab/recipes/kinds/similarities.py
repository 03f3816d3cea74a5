"""``[similarities.NAME]``: matrices that say which terms of a channel are alike; also which ones models search with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check, Loading, Requirement, nearest_or_add, toml_key
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import kind_of
from porism.lab.recipes.kinds.collection import index_folder, planned_index
from porism.lab.recipes.kinds.collection_settings import check_learned_channel, check_tokenized
from porism.lab.recipes.kinds.embeddings import EMBEDDING_KIND
from porism.lab.recipes.kinds.intermediate import IndexFileStage, StageInputs, TermKind, known_info
from porism.lab.recipes.kinds.topics import asks_for_formulas
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, own_settings
from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix
from porism.settings import Path, SettingError, Settings, read_settings, write_settings
from porism.system.files.artifacts import EMBEDDINGS, SIMILARITIES, ArtifactKind
from porism.vectors.similarity import SimilaritySettings, build_similarities


@dataclass(frozen=True, slots=True)
class SimilarityTable(Settings):
    """A matrix of token similarities, or several that differ in α.

    :param channel: the channel whose terms are compared; that of the embeddings where not given.
    :param embeddings: the embeddings of the recipe (or of an index that is there) for semantic similarity.
    :param alpha: the share of lexical similarity; 0.6, or 1 without embeddings. A list makes a matrix of each.
    :param settings: what else the recipe says: settings of :class:`porism.vectors.similarity.SimilaritySettings`.
    """

    channel: str = ""
    embeddings: str = ""
    alpha: float | tuple[float, ...] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecipeMatrix:
    """A similarity matrix of a recipe: its name, the table that defines it, and its settings."""

    name: str
    table: str
    settings: SimilaritySettings


class BuildSimilarities(IndexFileStage):
    """Builds a matrix."""

    name = "similarities"
    verb = "build similarities"
    artifact = SIMILARITIES
    libraries = ("numpy", "numba", "rapidfuzz")

    def about(self, path: FilePath) -> dict[str, Any]:
        return known_info(SimilarityMatrix.open(path).info, "terms", "similarities", "vocabulary")

    def make_file(
        self, stage: RecipeStage, execution: Execution, index: FilePath, name: str, on_count: OnCount
    ) -> None:
        settings = read_settings(SimilaritySettings, stage.parameters)
        build_similarities(index, name, settings, workers=execution.jobs, on_progress=on_count)

    def table_name(self, stage: RecipeStage, execution: Execution) -> str:
        return matrices(execution.recipe)[stage.name].table


class SimilarityKind(TermKind[SimilarityTable]):
    """Similarity matrices. Those are built that something searches with, or chooses from."""

    table = "similarities"
    settings = SimilarityTable
    rest = "settings"
    artifact = SIMILARITIES
    stages = (BuildSimilarities(),)

    def check(self, check: Check) -> None:
        seen: dict[str, str] = {}
        for name, table in self.of(check.recipe).items():
            for matrix in self._check_table(check, name, table):
                if matrix.name in seen:
                    check.errors.error(
                        f"the matrix {matrix.name!r} is one of similarities.{seen[matrix.name]} too",
                        ("similarities", name), "Choose another name.",
                    )
                seen[matrix.name] = name

    def _check_table(self, check: Check, name: str, table: SimilarityTable) -> tuple[RecipeMatrix, ...]:
        path = (self.table, name)
        named = check.names("embeddings")
        if table.embeddings and table.embeddings not in named and not _is_there(check, EMBEDDINGS, table.embeddings):
            check.errors.error(
                f"there are no embeddings {table.embeddings!r}", (*path, "embeddings"),
                nearest_or_add(table.embeddings, named, f"[embeddings.{toml_key(table.embeddings)}]"),
            )
        if table.channel:
            check_learned_channel(check, table.channel, (*path, "channel"))
        elif table.embeddings in named and table.embeddings not in EMBEDDING_KIND.of(check.recipe):
            return ()  # what is wrong there is reported there
        own = own_settings(SimilarityTable, but="settings")
        known = [setting for setting in own_settings(SimilaritySettings) if setting not in own]
        made = self.check_rest(check, table, path, lambda table: table_matrices(check.recipe, name, table), known)
        check.artifact_name(SIMILARITIES, name, path)
        return made or ()

    def term_requirements(self, loading: Loading) -> Iterable[Requirement]:
        recipe = loading.recipe
        defined = matrices(recipe)
        needed = dict.fromkeys(
            name for system, topics in loading.demand
            for name in kind_of(recipe, system).similarities(loading.draft, system, asks_for_formulas(recipe, topics))
        )
        trained: dict[str, None] = {}
        for matrix in (defined[name] for name in needed if name in defined):
            if matrix.settings.needs_distances:
                path = (self.table, matrix.table)
                yield Requirement("rapidfuzz", path, "the lexical similarity of tokens", "embeddings")
            if matrix.settings.embeddings in EMBEDDING_KIND.of(recipe):
                trained[matrix.settings.embeddings] = None
        for name in trained:
            yield from EMBEDDING_KIND.requirements_of(recipe, name)

    def making(self, planner: Planner, name: str) -> StageInputs | None:
        defined = matrices(planner.recipe)
        if name not in defined:
            return None
        settings = defined[name].settings
        inputs = {"index collection": planned_index(planner).key}
        if settings.embeddings:
            embeddings = EMBEDDING_KIND.planned(planner, settings.embeddings)
            inputs[embeddings.name] = embeddings.key
        return StageInputs(inputs, write_settings(settings))


SIMILARITY_KIND = SimilarityKind()


def table_matrices(recipe: Recipe, name: str, table: SimilarityTable) -> tuple[RecipeMatrix, ...]:
    """The matrices of a table: one, or for a list of alphas one of each, as ``NAME-0.3``.

    The embeddings of one that needs none are left out of its settings.

    :raises SettingError: a setting does not exist or fit.
    """
    known = recipe.tables.get("embeddings", {})
    channel = table.channel or (known[table.embeddings].channel if table.embeddings in known else "")
    if not channel:
        raise SettingError(
            "similarities are of the terms of a channel", path=("channel",), hint='Name it: channel = "…".'
        )
    several = isinstance(table.alpha, tuple)
    alphas = table.alpha if isinstance(table.alpha, tuple) else (
        (1.0 if not table.embeddings else 0.6) if table.alpha is None else table.alpha,
    )
    made: dict[str, RecipeMatrix] = {}
    for number, alpha in enumerate(alphas):
        path = ("alpha", number) if several else ("alpha",)
        given = {**table.settings, "channel": channel, "alpha": float(alpha)}
        if alpha < 1:
            given["embeddings"] = table.embeddings
            if not table.embeddings:
                raise SettingError(
                    f"similarities with alpha {alpha:g} need embeddings", path=path,
                    hint='Name some of the recipe: embeddings = "…", or use alpha = 1.0, which is spelling alone.',
                )
        try:
            settings = read_settings(SimilaritySettings, given)
        except SettingError as error:
            if not error.path and error.what.startswith("alpha "):
                raise SettingError(error.what, path=path, hint=error.hint) from None
            raise
        full = f"{name}-{float(alpha)!r}" if several else name
        if full in made:
            raise SettingError(f"alpha {alpha:g} is given twice", path=path)
        made[full] = RecipeMatrix(full, name, settings)
    if not made:
        raise SettingError("there is no alpha", path=("alpha",), hint="For example: alpha = [0.0, 0.5, 1.0].")
    return tuple(made.values())


def matrices(recipe: Recipe) -> dict[str, RecipeMatrix]:
    """All matrices that a recipe defines, by name; tables with errors, which are reported elsewhere, define none."""
    defined: dict[str, RecipeMatrix] = {}
    for name, table in recipe.tables.get("similarities", {}).items():
        with suppress(ConfigError):
            defined |= {matrix.name: matrix for matrix in table_matrices(recipe, name, table)}
    return defined


def named_similarities(settings: Mapping[str, Any]) -> dict[str, str]:
    """Channel → the similarity matrix that a model's plain settings name for it."""
    channels = settings.get("channels")
    return {
        channel: given["similarity"] for channel, given in (channels.items() if isinstance(channels, Mapping) else ())
        if isinstance(given, Mapping) and isinstance(given.get("similarity"), str) and given["similarity"]
    }


def planned_similarities(planner: Planner, system: str, formulas: bool) -> dict[str, str]:
    """The matrices that a system itself searches with or chooses from, each with the key of its stage, which is added.
    """
    names = kind_of(planner.recipe, system).similarities(planner.draft, system, formulas)
    return {name: SIMILARITY_KIND.planned(planner, name).key for name in sorted(names)}


def check_model_terms(check: Check, settings: Mapping[str, Any], place: Callable[[str], Path]) -> None:
    """Whether there are the tokenizers and matrices that a model's plain settings name.

    :param place: the place in the recipe of what a model says of a channel.
    """
    channels = settings.get("channels")
    for channel in channels if isinstance(channels, Mapping) else ():
        check_tokenized(check, channel, place(channel))
    for channel, name in named_similarities(settings).items():
        _check_matrix(check, name, channel, (*place(channel), "similarity"))


def _check_matrix(check: Check, name: str, channel: str, path: Path) -> None:
    defined = matrices(check.recipe)
    matrix = defined.get(name)
    if matrix is not None:
        if matrix.settings.channel != channel:
            check.errors.error(
                f"the similarities {name!r} are those of the channel {matrix.settings.channel!r}, not of "
                f"{channel!r}", path,
            )
        return
    broken = [table for table in check.names("similarities") if name == table or name.startswith(f"{table}-")]
    if any(check.errors.touch(("similarities", table)) for table in broken):
        return
    try:
        if _is_there(check, SIMILARITIES, name):
            return
    except ConfigError as error:
        check.errors.error(error.what, path, error.hint)
        return
    check.errors.error(
        f"there is no similarity matrix {name!r}", path,
        nearest_or_add(name, list(defined), f"[similarities.{toml_key(name)}] with channel = \"{channel}\""),
    )


def _is_there(check: Check, artifact: ArtifactKind, name: str) -> bool:
    """Whether an index that is there has a file of this name."""
    there = index_folder(check.draft)
    return there is not None and artifact.path(there, name).exists()
