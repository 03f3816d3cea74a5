"""Kinds of tables whose output others are made from, and their stages that make a file of the index."""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from porism.errors import ConfigError
from porism.lab.recipes.cache import Cache, CacheEntry, writing
from porism.lab.recipes.checking import Loading
from porism.lab.recipes.digests import digest, file_digest
from porism.lab.recipes.draft import Draft, RecipeErrors
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind, TableKind
from porism.lab.recipes.kinds.collection import index_folder, index_path
from porism.lab.recipes.kinds.collection_settings import can_be_learned, check_held
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe
from porism.settings import Settings
from porism.system.files.artifacts import ArtifactKind


class IndexFileStage(StageKind):
    """A stage that makes a file of the index."""

    artifact: ClassVar[ArtifactKind]
    """What the file is to an index; the tables that define such files are called as its folder."""

    @abstractmethod
    def make_file(self, stage: RecipeStage, execution: Execution, index: Path, name: str, on_count: OnCount) -> None:
        """Makes the file in an index under a name."""

    @abstractmethod
    def about(self, path: Path) -> dict[str, Any]:
        """What the record says of a file."""

    def write(self, stage: RecipeStage, execution: Execution, folder: Path, on_count: OnCount) -> dict[str, Any]:
        index, name = index_path(execution), f"recipe-{stage.key}"
        self.make_file(stage, execution, index, name, on_count)
        path = self.artifact.path(index, name)
        about = self.about(path)
        with writing(folder):
            shutil.move(path, folder / f"{stage.name}.bin")
        return about

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        """Puts the file into the index under its own name, all at once."""
        source = entry.file(f"{stage.name}.bin")
        target = self.artifact.path(index_path(execution), stage.name)
        if _same(source, target):
            return
        self._check_free(stage, execution)
        content = file_digest(source)
        known, contents = _placed(execution.cache, target)
        with writing(target):
            if index_folder(execution.draft) is not None and content not in contents:
                known.parent.mkdir(parents=True, exist_ok=True)
                with open(known, "a", encoding="ascii") as file:
                    file.write(f"{content}\n")
            target.parent.mkdir(exist_ok=True)
            temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
            temporary.unlink(missing_ok=True)
            try:
                os.link(source, temporary)
            except OSError:  # another file system, or one without links
                shutil.copyfile(source, temporary)
            os.replace(temporary, target)

    def check_put(self, stage: RecipeStage, execution: Execution, errors: RecipeErrors) -> None:
        with errors.taking((self.artifact.folder, self.table_name(stage, execution))):
            self._check_free(stage, execution)

    def table_name(self, stage: RecipeStage, execution: Execution) -> str:
        """The name of the table that defines the file."""
        return stage.name

    def _check_free(self, stage: RecipeStage, execution: Execution) -> None:
        index = index_folder(execution.draft)
        if index is None:
            return
        target = self.artifact.path(index, stage.name)
        if target.exists() and file_digest(target) not in _placed(execution.cache, target)[1]:
            raise ConfigError(
                f"the index has {self.artifact.folder} {stage.name!r} of its own", where=str(target),
                hint="Choose another name in the recipe, or leave "
                f"[{self.artifact.folder}.{stage.name}] out to use them.",
            )


def known_info(info: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The entries of these names that a file's information has."""
    return {name: info[name] for name in names if info.get(name) is not None}


def content_digest(path: Path) -> str:
    """The digest of a file of an index that no stage makes."""
    return digest(["file there", file_digest(path)])


def _placed(cache: Cache, target: Path) -> tuple[Path, list[str]]:
    """The digests of all that this cache has put at a place, and the file that lists them."""
    path = cache.folder / "placed" / f"{digest(str(target.resolve()))}.txt"
    return path, path.read_text(encoding="ascii").split() if path.exists() else []


def _same(source: Path, target: Path) -> bool:
    if not target.exists():
        return False
    if os.path.samefile(source, target):
        return True
    return source.stat().st_size == target.stat().st_size and file_digest(source) == file_digest(target)


S = TypeVar("S", bound=Settings)


class StageInputs(NamedTuple):
    """What the output of a table is made from: the keys and digests of its ``inputs`` by their names, and parameters
    as plain values."""

    inputs: Mapping[str, str]
    parameters: Mapping[str, Any]


def file_inputs(draft: Draft, files: Iterable[str]) -> dict[str, str]:
    """Files of the recipe with their digests."""
    return {file: file_digest(draft.file(file)) for file in files}


class IntermediateKind(TableKind[S]):
    """A kind of table whose output others are made from; each is planned once, when the first of them needs it."""

    needs_one_index: ClassVar[bool] = True

    artifact: ArtifactKind | None = None
    """What an index that is there can have in place of a table; None where a recipe must define it."""

    @abstractmethod
    def making(self, planner: Planner, name: str) -> StageInputs | None:
        """What the output of a table is made from; None where the recipe does not define it."""

    def plan(self, planner: Planner) -> None:
        if self.is_result:
            for name in self.of(planner.recipe):
                self.planned(planner, name)

    def planned(self, planner: Planner, name: str) -> Input:
        """The stage that makes it, planned where it was not; or what an index that is there has of this name."""
        place = (self.table, name)
        if place in planner.others:
            return planner.others[place]
        made = self.making(planner, name)
        if made is not None:
            stage = planner.add(self.stages[0], name, "", made.inputs, made.parameters, list(made.inputs.values()))
            planner.others[place] = Input(stage.id, stage.key)
        else:
            index = index_folder(planner.draft)
            assert index is not None, "what is not defined was an error before"
            assert self.artifact is not None, "what is not defined was an error before"
            content = content_digest(self.artifact.path(index, name))
            planner.others[place] = Input(f"{self.table.replace('_', ' ')} {name} of the index", content)
        return planner.others[place]


class TermKind(IntermediateKind[S]):
    """A kind of table whose output is learned from the terms of a ``channel``."""

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            if channel := getattr(table, "channel", ""):
                check_held(loading, {channel: (self.table, name, "channel")})

    def channels(self, recipe: Recipe, folder: Path) -> Iterable[str]:
        named = [getattr(table, "channel", "") for table in self.of(recipe).values()]
        return filter(can_be_learned, named)
