"""``[vectors.NAME]``: vectors of the collection's documents by an encoder, for dense retrieval."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.files.artifacts import ENCODERS, MODELS
from porism.index import Snapshot
from porism.index.vector_rows import NumberType
from porism.neural.encoder_files import find_encoder
from porism.neural.encoder_model import Precision
from porism.neural.encoder_settings import EncoderSettings
from porism.recipes.cache import Entry, writing
from porism.recipes.checking import Check
from porism.recipes.draft import tolerant
from porism.recipes.execution import Execution, OnCount
from porism.recipes.kinds.base import Outputs, StageKind, TableKind
from porism.recipes.kinds.collection import index_folder, index_path, planned_index
from porism.recipes.kinds.encoders import ENCODER_KIND
from porism.recipes.kinds.index_files import content_digest
from porism.recipes.kinds.trained_models import base_digest, base_folder, check_base, training_requirements
from porism.recipes.kinds.vector_needs import needed_encoders, vectors_of_index
from porism.recipes.loading import Loading, Requirement
from porism.recipes.planning import Input, Planner, Stage
from porism.recipes.recipe import own_settings
from porism.retrieve.dense.encoding import encode_index
from porism.retrieve.dense.provider import DenseVectors
from porism.retrieve.dense.records import find_record, read_record
from porism.settings import Settings

_RECORD = "encoder.json"


@dataclass(frozen=True, slots=True)
class VectorTable(Settings):
    """Vectors of documents, called as their table.

    :param model: the encoder: a table ``[encoders.NAME]``, a folder, or an installed package.
    :param numbers: what vectors are stored as.
    :param precision: what the encoder computes with, on which ``device``.
    :param settings: what else the recipe says: how documents are read.
    """

    model: str
    numbers: NumberType = "float32"
    precision: Precision = "auto"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


class EncodeDocuments(StageKind):
    """Encodes the documents of the index; an interrupted start goes on where it was."""

    name = "vectors"
    verb = "encode documents"
    libraries = ("torch", "transformers", "sentence-transformers")

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Encodes them, beside the segments of the index; what is cached is which encoder it was.

        :raises KeyboardInterrupt: it was interrupted.
        :raises ConfigError: the encoder cannot be loaded, or the index has another one of this name.
        """
        started = time.monotonic()
        self._encode(stage, execution, on_count)
        path = ENCODERS.path(index_path(execution), stage.name)
        record = read_record(path)
        with execution.cache.making(stage.kind, stage.key) as folder:
            with writing(folder):
                (folder / _RECORD).write_bytes(path.read_bytes())
            about = {"dimensions": record.dimensions, "numbers": record.numbers}
            return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def put(self, stage: Stage, entry: Entry, execution: Execution, outputs: Outputs) -> None:
        """Encodes documents of the index again that have lost their vectors, such as those of an index made anew.

        :raises ConfigError: the encoder cannot be loaded, or the index has another one of this name.
        """
        index = index_path(execution)
        with suppress(ConfigError):
            record = find_record(index, stage.name)
            if record == read_record(entry.file(_RECORD)):
                vectors = DenseVectors(index, record)
                with Snapshot.open(index) as snapshot:
                    if all(map(vectors.has, snapshot.segments)):
                        return
        self._encode(stage, execution, lambda done, total: None)

    def _encode(self, stage: Stage, execution: Execution, on_count: OnCount) -> None:
        table: VectorTable = execution.recipe.tables["vectors"][stage.name]
        index, model = index_path(execution), _encoder(execution, table)
        files = find_encoder(model)
        settings = files.settings.changed(table.settings)
        if index_folder(execution.draft) is not None and stage.name in ENCODERS.names(index):
            there = find_record(index, stage.name)
            if (there.digest, there.settings, there.numbers) != (files.digest, settings, table.numbers):
                raise ConfigError(
                    f"the index has another encoder {stage.name!r}", where=str(index),
                    hint=f"Choose another name than [vectors.{stage.name}].",
                )
        report = encode_index(
            index, model, name=stage.name, settings=settings, numbers=table.numbers, precision=table.precision,
            device=table.device, on_progress=on_count,
        )
        if report.interrupted:
            raise KeyboardInterrupt


class VectorKind(TableKind[VectorTable]):
    """Vectors. Documents are encoded where something searches by them."""

    table = "vectors"
    settings = VectorTable
    rest = "settings"
    stages = (EncodeDocuments(),)

    def check(self, check: Check) -> None:
        """Names, encoders and how they read documents."""
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            try:
                ENCODERS.check_name(name)
            except ConfigError as error:
                check.errors.take(error, path)
            known = own_settings(EncoderSettings)
            check.unknown(table.settings, [*own_settings(VectorTable, but="settings"), *known], path)
            sound = {key: value for key, value in table.settings.items() if key in known}
            tolerant(EncoderSettings().changed, sound, path, check.errors)
            if table.model not in check.names(ENCODER_KIND.table):
                check_base(check, table.model, (*path, "model"))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        """The libraries that encoding needs."""
        return [
            one for name in self.of(loading.recipe)
            for one in training_requirements((self.table, name), "sentence_transformers")
        ]

    def planned(self, planner: Planner, name: str) -> Input:
        """The stage that encodes documents, planned where it was not; or the vectors of an index that is there."""
        if (self.table, name) not in planner.others:
            planner.others[self.table, name] = self._plan(planner, name)
        return planner.others[self.table, name]

    def _plan(self, planner: Planner, name: str) -> Input:
        table = self.of(planner.recipe).get(name)
        if table is None:
            index = index_folder(planner.draft)
            assert index is not None, "what is not defined was an error before"
            return Input(f"vectors {name} of the index", content_digest(ENCODERS.path(index, name)))
        inputs = {"index collection": planned_index(planner).key}
        if table.model in ENCODER_KIND.of(planner.recipe):
            encoder = ENCODER_KIND.planned(planner, table.model)
            inputs[encoder.name] = encoder.key
        else:
            inputs["model"] = base_digest(planner.draft, table.model)
        parameters = {"numbers": table.numbers, "precision": table.precision, "settings": dict(table.settings)}
        stage = planner.add(self.stages[0], name, "", inputs, parameters, list(inputs.values()))
        return Input(stage.id, stage.key)


VECTOR_KIND = VectorKind()


def planned_vectors(planner: Planner, model: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The parameters of a stage that searches by a model, of the vectors that this needs: name → key."""
    there = tuple(VECTOR_KIND.of(planner.recipe)) or vectors_of_index(index_folder(planner.draft))
    names = [one for name in needed_encoders(model) for one in ((name,) if name else there)]
    found = {name: VECTOR_KIND.planned(planner, name).key for name in dict.fromkeys(names)}
    return {"vectors": found} if found else {}


def _encoder(execution: Execution, table: VectorTable) -> Path:
    """The folder of an encoder, there or trained before; that in the index, which goes along with it, where it is."""
    made = execution.planner.others.get((ENCODER_KIND.table, table.model))
    if made is not None:
        inside = index_path(execution) / MODELS.folder / table.model
        if inside.is_dir():
            return inside
        return execution.entry("encoder", made.key, made.name).file(table.model)
    folder = base_folder(execution.draft, table.model)
    if folder is None:
        raise ConfigError(f"the model {table.model!r} vanished while it was needed", hint="Start again.")
    return folder
