"""What the kinds of tables share that encode what the index holds, documents or formulas, by a trained model."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from porism.errors import ConfigError
from porism.index import Snapshot
from porism.lab.recipes.cache import Entry, writing
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import index_folder, index_path, planned_index
from porism.lab.recipes.kinds.intermediate import IntermediateKind, StageInputs
from porism.lab.recipes.kinds.trained_models import base_digest, base_folder, check_base, opened_base
from porism.lab.recipes.kinds.vector_needs import TABLES, needed_vectors, vectors_of_index
from porism.lab.recipes.planning import Planner, Stage
from porism.retrieve.kinds import VectorProvider
from porism.settings import Path as SettingPath
from porism.settings import Settings, write_settings
from porism.system.files.artifacts import MODELS, ArtifactKind
from porism.system.files.durable import replace_file


@dataclass(frozen=True, slots=True)
class EncodingTable(Settings):
    """An encoding, called as its table, by a ``model``: a table of the recipe that trains it, a folder, or an installed
    package."""

    model: str


T = TypeVar("T", bound=EncodingTable)


class EncodingStage(StageKind):
    """Encodes what the index holds; an interrupted start goes on where it was."""

    artifacts: ClassVar[ArtifactKind]
    """What is kept in the index: a file for each encoder, by the name of the table."""

    trained: ClassVar[IntermediateKind[Any]]
    """The tables that train models for it."""

    @abstractmethod
    def encode_index(self, index: Path, model: Path, stage: Stage, execution: Execution, on_count: OnCount) -> bool:
        """Encodes what is not encoded yet by the model in a folder; returns whether it was interrupted.

        :raises ConfigError: the encoder cannot be loaded or is of another kind, or the index has another one of this
            name.
        """

    @abstractmethod
    def provider(self, index: Path, name: str) -> VectorProvider:
        """What computes the encodings of what is new."""

    @abstractmethod
    def about(self, index: Path, name: str) -> dict[str, Any]:
        """What the record of the experiment says of it."""

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Encodes beside the segments of the index; what is cached is the file that describes the encoder.

        :raises KeyboardInterrupt: it was interrupted.
        :raises ConfigError: the encoder cannot be loaded, or the index has another one of this name.
        """
        started = time.monotonic()
        self._encode(stage, execution, on_count)
        index = index_path(execution)
        path = self.artifacts.path(index, stage.name)
        with execution.cache.making(stage.kind, stage.key) as folder:
            with writing(folder):
                (folder / path.name).write_bytes(path.read_bytes())
            about = self.about(index, stage.name)
            return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def put(self, stage: Stage, entry: Entry, execution: Execution, outputs: Outputs) -> None:
        """Encodes again what is not encoded, such as all of an index made anew.

        :raises ConfigError: the encoder cannot be loaded, or the index has another one of this name.
        """
        index = index_path(execution)
        path = self.artifacts.path(index, stage.name)
        kept = entry.file(path.name).read_bytes()
        if not path.exists():
            replace_file(self.artifacts.prepare(index, stage.name), kept)  # so that centroids are the same, too
        with suppress(ConfigError):  # what is damaged is encoded again
            if path.read_bytes() == kept and self._is_whole(index, stage.name):
                return
        self._encode(stage, execution, lambda done, total: None)

    def is_there(self, stage: Stage, execution: Execution) -> bool:
        """Whether an index that no recipe makes has an encoding of this name."""
        index = index_folder(execution.draft)
        return index is not None and stage.name in self.artifacts.names(index)

    def taken(self, stage: Stage, execution: Execution) -> ConfigError:
        """The error that an index has another encoding of this name."""
        return ConfigError(
            f"the index has another encoder {stage.name!r}", where=str(index_path(execution)),
            hint=f"Choose another name than [{TABLES[self.artifacts]}.{stage.name}].",
        )

    def table_of(self, stage: Stage, execution: Execution) -> Any:
        """The table that defines the encoding."""
        return execution.recipe.tables[TABLES[self.artifacts]][stage.name]

    def _is_whole(self, index: Path, name: str) -> bool:
        with Snapshot.open(index) as snapshot:
            return all(map(self.provider(index, name).has, snapshot.segments))

    def _encode(self, stage: Stage, execution: Execution, on_count: OnCount) -> None:
        model = self._model(self.table_of(stage, execution), execution)
        if self.encode_index(index_path(execution), model, stage, execution, on_count):
            raise KeyboardInterrupt

    def _model(self, table: EncodingTable, execution: Execution) -> Path:
        """The folder of an encoder, there or trained before; that in the index, which goes along with it, where it
        is."""
        made = execution.planner.others.get((self.trained.table, table.model))
        if made is not None:
            inside = index_path(execution) / MODELS.folder / table.model
            if inside.is_dir():
                return inside
            return execution.entry(self.trained.stages[0].name, made.key, made.name).file(table.model)
        return opened_base(execution.draft, table.model)


class EncodingKind(IntermediateKind[T]):
    """Encodings. They are made where something searches by them."""

    stage: ClassVar[EncodingStage]

    def check_model(self, check: Check, table: EncodingTable, path: SettingPath) -> Path | None:
        """Whether the model is trained by the recipe or on this machine; its folder, if it is there already."""
        if table.model in check.names(self.stage.trained.table):
            return None
        check_base(check, table.model, (*path, "model"))
        return base_folder(check.draft, table.model)

    def making(self, planner: Planner, name: str) -> StageInputs | None:
        """The collection, the encoder, and how it reads."""
        table = self.of(planner.recipe).get(name)
        if table is None:
            return None
        inputs = {"index collection": planned_index(planner).key}
        trained = self.stage.trained
        if table.model in trained.of(planner.recipe):
            encoder = trained.planned(planner, table.model)
            inputs[encoder.name] = encoder.key
        else:
            inputs["model"] = base_digest(planner.draft, table.model)
        return StageInputs(inputs, {
            key: value for key, value in write_settings(table).items() if key not in ("model", "device")
        })


def planned_vectors(planner: Planner, model: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The parameters of a stage that searches by a model, of the encodings that this needs: table → name → key."""
    found: dict[str, dict[str, str]] = {}
    for of, name in needed_vectors(model):
        kind: EncodingKind[Any] = planner.recipe.kinds[TABLES[of]]
        there = tuple(kind.of(planner.recipe)) or vectors_of_index(index_folder(planner.draft), of)
        for one in (name,) if name else there:
            found.setdefault(kind.table, {})[one] = kind.planned(planner, one).key
    return found
