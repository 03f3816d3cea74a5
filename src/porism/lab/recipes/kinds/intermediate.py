"""Kinds of tables whose output others are made from: embeddings, matrices, pairs, trained models, encoded documents."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.kinds.base import TableKind
from porism.lab.recipes.kinds.collection import index_folder
from porism.lab.recipes.kinds.index_files import content_digest
from porism.lab.recipes.planning import Input, Planner
from porism.settings import Settings
from porism.system.files.artifacts import ArtifactKind

S = TypeVar("S", bound=Settings)


class StageInputs(NamedTuple):
    """What the output of a table is made from: the keys and digests of its ``inputs`` by their names, and parameters
    as plain values."""

    inputs: Mapping[str, str]
    parameters: Mapping[str, Any]


def file_inputs(draft: Draft, files: Iterable[str]) -> dict[str, str]:
    """Files of the recipe with their digests.

    :raises SourceError: one cannot be read.
    """
    return {file: file_digest(draft.file(file)) for file in files}


class IntermediateKind(TableKind[S]):
    """A kind of table whose output others are made from; each is planned once, when the first of them needs it."""

    needs_one_index: ClassVar[bool] = True

    artifact: ClassVar[ArtifactKind | None] = None
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
        if place not in planner.others:
            made = self.making(planner, name)
            planner.others[place] = self._there(planner, name) if made is None else self._stage(planner, name, made)
        return planner.others[place]

    def _stage(self, planner: Planner, name: str, made: StageInputs) -> Input:
        stage = planner.add(self.stages[0], name, "", made.inputs, made.parameters, list(made.inputs.values()))
        return Input(stage.id, stage.key)

    def _there(self, planner: Planner, name: str) -> Input:
        index = index_folder(planner.draft)
        assert index is not None, "what is not defined was an error before"
        assert self.artifact is not None, "what is not defined was an error before"
        what = f"{self.table.replace('_', ' ')} {name} of the index"
        return Input(what, content_digest(self.artifact.path(index, name)))
