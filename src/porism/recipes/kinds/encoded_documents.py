"""What the kinds of tables share that encode the documents of the collection: vectors of texts or tokens, and terms."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from porism.errors import ConfigError
from porism.files.artifacts import MODELS, ArtifactKind
from porism.files.durable import replace_file
from porism.index import Snapshot
from porism.neural.encoder_files import EncoderFiles, find_encoder
from porism.neural.encoder_model import Precision
from porism.neural.encoder_settings import EncoderSettings
from porism.recipes.cache import Entry, writing
from porism.recipes.checking import Check
from porism.recipes.execution import Execution, OnCount
from porism.recipes.kinds.base import Outputs, StageKind
from porism.recipes.kinds.collection import index_folder, index_path, planned_index
from porism.recipes.kinds.encoders import ENCODER_KIND
from porism.recipes.kinds.intermediate import IntermediateKind, Making
from porism.recipes.kinds.trained_models import base_digest, base_folder, check_base, opened_base, training_requirements
from porism.recipes.kinds.vector_needs import TABLES, needed_vectors, vectors_of_index
from porism.recipes.loading import Loading, Requirement
from porism.recipes.planning import Planner, Stage
from porism.recipes.recipe import own_settings
from porism.retrieve.kinds import VectorProvider
from porism.settings import Settings, write_settings
from porism.train.encoder.settings import Kind


@dataclass(frozen=True, slots=True)
class EncodedTable(Settings):
    """Encoded documents, called as their table.

    :param model: the encoder: a table ``[encoders.NAME]``, a folder, or an installed package.
    :param precision: what the encoder computes with, on which ``device``.
    :param settings: what else the recipe says: how documents are read.
    """

    model: str
    precision: Precision = "auto"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


E = TypeVar("E", bound=EncodedTable)


class EncodeDocuments(StageKind):
    """Encodes the documents of the index; an interrupted start goes on where it was."""

    verb = "encode documents"
    libraries = ("torch", "transformers", "sentence-transformers")

    artifacts: ClassVar[ArtifactKind]
    """What is kept in the index: a file for each encoder, by the name of the table."""

    @abstractmethod
    def encode(
        self, index: Path, model: Path, name: str, table: Any, settings: EncoderSettings, on_count: OnCount
    ) -> bool:
        """Encodes the documents that are not encoded yet; returns whether it was interrupted.

        :raises ConfigError: the encoder cannot be loaded, or is of another kind.
        """

    @abstractmethod
    def provider(self, index: Path, name: str) -> VectorProvider:
        """What computes the encodings of new documents."""

    @abstractmethod
    def is_other(self, index: Path, name: str, table: Any, files: EncoderFiles, settings: EncoderSettings) -> bool:
        """Whether what the index has under this name was encoded in another way."""

    @abstractmethod
    def about(self, index: Path, name: str) -> dict[str, Any]:
        """What the record of the experiment says of it."""

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Encodes them, beside the segments of the index; what is cached is the file that describes the encoder.

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
        """Encodes documents of the index again that are not encoded, such as those of an index made anew.

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

    def _is_whole(self, index: Path, name: str) -> bool:
        with Snapshot.open(index) as snapshot:
            return all(map(self.provider(index, name).has, snapshot.segments))

    def _encode(self, stage: Stage, execution: Execution, on_count: OnCount) -> None:
        kind = next(name for of, name in TABLES.items() if of is self.artifacts)
        table: EncodedTable = execution.recipe.tables[kind][stage.name]
        index, model = index_path(execution), _encoder(execution, table)
        files = find_encoder(model)
        settings = files.settings.changed(table.settings)
        is_there = index_folder(execution.draft) is not None and stage.name in self.artifacts.names(index)
        if is_there and self.is_other(index, stage.name, table, files, settings):
            raise ConfigError(
                f"the index has another encoder {stage.name!r}", where=str(index),
                hint=f"Choose another name than [{kind}.{stage.name}].",
            )
        if self.encode(index, model, stage.name, table, settings, on_count):
            raise KeyboardInterrupt


class EncodedKind(IntermediateKind[E]):
    """Encoded documents. They are encoded where something searches by them."""

    rest = "settings"

    stage: ClassVar[EncodeDocuments]

    gives: ClassVar[Kind]
    """What the models give that encode."""

    hint: ClassVar[str]
    """Which model to name."""

    def is_right(self, folder: Path) -> bool:
        """Whether the model in a folder gives that."""
        return True

    def check(self, check: Check) -> None:
        """Names, encoders and how they read documents."""
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            try:
                self.stage.artifacts.check_name(name)
            except ConfigError as error:
                check.errors.take(error, path)
            check.rest(
                table.settings, EncoderSettings().changed, own=own_settings(type(table), but="settings"),
                known=own_settings(EncoderSettings), path=path,
            )
            if table.model in check.names(ENCODER_KIND.table):
                trained = ENCODER_KIND.of(check.recipe).get(table.model)
                right = trained is None or trained.settings.get("kind", "dense") == self.gives
            else:
                check_base(check, table.model, (*path, "model"))
                folder = base_folder(check.draft, table.model)
                right = folder is None or self.is_right(folder)
            if not right:
                check.errors.error(
                    f"the model {table.model!r} does not give {self.table.replace('_', ' ')}", (*path, "model"),
                    self.hint,
                )

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        """The libraries that encoding needs."""
        return [
            one for name in self.of(loading.recipe)
            for one in training_requirements((self.table, name), "sentence_transformers")
        ]

    def making(self, planner: Planner, name: str) -> Making | None:
        """The collection, the encoder, and how it reads."""
        table = self.of(planner.recipe).get(name)
        if table is None:
            return None
        inputs = {"index collection": planned_index(planner).key}
        if table.model in ENCODER_KIND.of(planner.recipe):
            encoder = ENCODER_KIND.planned(planner, table.model)
            inputs[encoder.name] = encoder.key
        else:
            inputs["model"] = base_digest(planner.draft, table.model)
        return Making(inputs, {
            key: value for key, value in write_settings(table).items() if key not in ("model", "device")
        })


def planned_vectors(planner: Planner, model: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The parameters of a stage that searches by a model, of the encoded documents that this needs: table → name →
    key."""
    found: dict[str, dict[str, str]] = {}
    for of, name in needed_vectors(model):
        kind: EncodedKind[Any] = planner.recipe.kinds[TABLES[of]]
        there = tuple(kind.of(planner.recipe)) or vectors_of_index(index_folder(planner.draft), of)
        for one in (name,) if name else there:
            found.setdefault(kind.table, {})[one] = kind.planned(planner, one).key
    return found


def _encoder(execution: Execution, table: EncodedTable) -> Path:
    """The folder of an encoder, there or trained before; that in the index, which goes along with it, where it is."""
    made = execution.planner.others.get((ENCODER_KIND.table, table.model))
    if made is not None:
        inside = index_path(execution) / MODELS.folder / table.model
        if inside.is_dir():
            return inside
        return execution.entry("encoder", made.key, made.name).file(table.model)
    return opened_base(execution.draft, table.model)
