"""What the kinds of tables share that encode the documents of the collection: vectors of texts or tokens, and terms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.encoders import ENCODER_KIND
from porism.lab.recipes.kinds.encodings import EncodingKind, EncodingStage, EncodingTable
from porism.lab.recipes.kinds.trained_models import training_requirements
from porism.lab.recipes.loading import Loading, Requirement
from porism.lab.recipes.planning import Stage
from porism.lab.recipes.recipe import own_settings
from porism.lab.train.encoder.settings import Kind
from porism.vectors.neural.encoder_files import EncoderFiles, find_encoder
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings


@dataclass(frozen=True, slots=True)
class EncodedTable(EncodingTable):
    """Encoded documents.

    :param precision: what the encoder computes with, on which ``device``.
    :param settings: what else the recipe says: how documents are read.
    """

    precision: Precision = "auto"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


E = TypeVar("E", bound=EncodedTable)


class EncodeDocuments(EncodingStage):
    """Encodes the documents of the index."""

    verb = "encode documents"
    libraries = ("torch", "transformers", "sentence-transformers")
    trained = ENCODER_KIND

    @abstractmethod
    def encode(
        self, index: Path, model: Path, name: str, table: Any, settings: EncoderSettings, on_count: OnCount
    ) -> bool:
        """Encodes the documents that are not encoded yet; returns whether it was interrupted.

        :raises ConfigError: the encoder cannot be loaded, or is of another kind.
        """

    @abstractmethod
    def is_other(self, index: Path, name: str, table: Any, files: EncoderFiles, settings: EncoderSettings) -> bool:
        """Whether what the index has under this name was encoded in another way."""

    def encode_index(self, index: Path, model: Path, stage: Stage, execution: Execution, on_count: OnCount) -> bool:
        """Encodes the documents as the table says."""
        table: EncodedTable = self.table_of(stage, execution)
        files = find_encoder(model)
        settings = files.settings.changed(table.settings)
        if self.is_there(stage, execution) and self.is_other(index, stage.name, table, files, settings):
            raise self.taken(stage, execution)
        return self.encode(index, model, stage.name, table, settings, on_count)


class EncodedKind(EncodingKind[E]):
    """Encoded documents."""

    rest = "settings"

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
            folder = self.check_model(check, table, path)
            trained = ENCODER_KIND.of(check.recipe).get(table.model)
            right = folder is None or self.is_right(folder)
            if trained is not None:
                right = trained.settings.get("kind", "dense") == self.gives
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
