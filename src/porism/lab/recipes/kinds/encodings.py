"""``[vectors.NAME]``, ``[token_vectors.NAME]``, ``[sparse_vectors.NAME]`` and ``[formula_vectors.NAME]``: documents or
formulas of the collection, encoded by a trained model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from porism.errors import ConfigError
from porism.index import Snapshot
from porism.index.vector_rows import NumberType
from porism.lab.recipes.cache import CacheEntry, writing
from porism.lab.recipes.checking import Check, Loading, Requirement
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import index_folder, index_path, planned_index
from porism.lab.recipes.kinds.encoders import ENCODER_KIND
from porism.lab.recipes.kinds.intermediate import IntermediateKind, StageInputs
from porism.lab.recipes.kinds.models import FORMULA_ENCODER_KIND
from porism.lab.recipes.kinds.searching import (
    FORMULA_VECTORS,
    SPARSE_VECTORS,
    TABLES,
    TOKEN_VECTORS,
    VECTORS,
    needed_vectors,
    trained_models,
    vectors_of_index,
)
from porism.lab.recipes.kinds.similarities import planned_similarities
from porism.lab.recipes.kinds.trainings import TRAINING_LIBRARIES, base_digest, base_folder, check_base, opened_base
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import own_settings
from porism.settings import Settings, write_settings
from porism.system.files.artifacts import MODELS, ArtifactKind
from porism.system.files.durable import replace_file
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.encoding import EncodingKind
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.formula_encoder import PURPOSE
from porism.vectors.neural.loading import EXTRA
from porism.vectors.splade.encoding import SPARSE_ENCODING


@dataclass(frozen=True, slots=True)
class EncodingTable(Settings):
    """An encoding, called as its table, by a ``model``: a table of the recipe that trains it, a folder, or an installed
    package."""

    model: str


@dataclass(frozen=True, slots=True)
class SparseVectorTable(EncodingTable):
    """Encoded documents.

    :param precision: what the encoder computes with, on which ``device``.
    :param settings: what else the recipe says: how documents are read.
    """

    precision: Precision = "auto"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorTable(SparseVectorTable):
    """Vectors of documents, stored as ``numbers``."""

    numbers: NumberType = "float32"


@dataclass(frozen=True, slots=True)
class TokenVectorTable(SparseVectorTable):
    """Vectors of tokens, with so many ``bits`` for a dimension of what is left of a token beside its centroid.

    If ``centroids`` is None, there are as many centroids as the tokens need. ``seed`` draws the documents that the
    centroids are found in.
    """

    bits: Literal[1, 2, 4] = 2
    centroids: int | None = None
    seed: int = 1


class EncodingStage(StageKind):
    """Encodes what the index holds; an interrupted start goes on where it was."""

    def __init__(
        self, name: str, verb: str, encoding: EncodingKind[Any, Any],
        trained: IntermediateKind[Any] = ENCODER_KIND, trained_kind: str = DENSE_ENCODING.name,
        libraries: tuple[str, ...] = ("torch", "transformers", "sentence-transformers"),
    ) -> None:
        """``trained`` are the tables that train models for it, and ``trained_kind`` what they train where they do not
        say it."""
        self.name, self.verb, self.encoding, self.libraries = name, verb, encoding, libraries
        self.trained, self.trained_kind = trained, trained_kind

    @property
    def artifacts(self) -> ArtifactKind:
        """What is kept in the index: a file for each encoder, by the name of the table."""
        return self.encoding.records.kind

    def write(self, stage: RecipeStage, execution: Execution, folder: Path, on_count: OnCount) -> dict[str, Any]:
        """Encodes beside the segments of the index; what is cached is the file that describes the encoder."""
        self._encode(stage, execution, on_count)
        index = index_path(execution)
        path = self.artifacts.path(index, stage.name)
        with writing(folder):
            (folder / path.name).write_bytes(path.read_bytes())
        return self.encoding.about(self.encoding.records.find(index, stage.name))

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        """Encodes again what is not encoded, such as all of an index made anew."""
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
        provider = self.encoding.provider(index, self.encoding.records.find(index, name))
        with Snapshot.open(index) as snapshot:
            return all(map(provider.has, snapshot.segments))

    def _encode(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> None:
        """Encodes what is not encoded yet."""
        table = execution.recipe.tables[TABLES[self.artifacts]][stage.name]
        index, model = index_path(execution), self._model(table, execution)
        given = {setting.name: getattr(table, setting.name) for setting in fields(table)}
        options = {name: given[name] for name in self.encoding.option_names if name in given}
        settings = given.get("settings", {})
        theirs = index_folder(execution.draft)  # an index that no recipe makes
        if theirs is not None and stage.name in self.artifacts.names(theirs):
            record = self.encoding.records.find(index, stage.name)
            if not self.encoding.is_same(record, model, settings, self.encoding.options(**options)):
                raise ConfigError(
                    f"the index has another encoder {stage.name!r}", where=str(index),
                    hint=f"Choose another name than [{TABLES[self.artifacts]}.{stage.name}].",
                )
        report = self.encoding.encode(
            index, model, name=stage.name, settings=settings, precision=given.get("precision", "auto"),
            device=given.get("device", "auto"), on_progress=on_count, **options,
        )
        if report.interrupted:
            raise KeyboardInterrupt

    def _model(self, table: EncodingTable, execution: Execution) -> Path:
        """The folder of an encoder, there or trained before, or that in the index, which goes along with it."""
        made = execution.planner.others.get((self.trained.table, table.model))
        if made is not None:
            inside = index_path(execution) / MODELS.folder / table.model
            if inside.is_dir():
                return inside
            return execution.entry(self.trained.stages[0].name, made.key, made.name).file(table.model)
        return opened_base(execution.draft, table.model)


class EncodingTableKind(IntermediateKind[EncodingTable]):
    """Encodings. They are made where something searches by them."""

    def __init__(
        self, table: str, settings: type[EncodingTable], stage: EncodingStage, hint: str,
        needs: Sequence[tuple[str, str]],
    ) -> None:
        """``hint`` says which model to name, and ``needs`` what encoding needs: module and purpose."""
        self.table, self.settings, self.stage, self.hint, self.needs = table, settings, stage, hint, needs
        self.rest = "settings" if issubclass(settings, SparseVectorTable) else ""
        self.stages, self.artifact = (stage,), stage.artifacts

    def check(self, check: Check) -> None:
        encoding, trained_by = self.stage.encoding, self.stage.trained
        for name, table, path in self.each(check.recipe):
            with check.errors.taking(path):
                self.stage.artifacts.check_name(name)
            if self.rest:
                self.check_rest(
                    check, table, path, lambda table: EncoderSettings().changed(getattr(table, self.rest)),
                    own_settings(EncoderSettings),
                )
            trained = trained_by.of(check.recipe).get(table.model)
            if trained is not None:
                right = trained.settings.get("kind", self.stage.trained_kind) == encoding.name
            elif table.model in check.names(trained_by.table):
                right = True
            else:
                check_base(check, table.model, (*path, "model"))
                folder = base_folder(check.draft, table.model)
                right = folder is None or encoding.fits(folder)
            if not right:
                check.errors.error(
                    f"the model {table.model!r} does not give {self.table.replace('_', ' ')}", (*path, "model"),
                    self.hint,
                )

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [
            Requirement(module, (self.table, name), purpose, EXTRA)
            for name in self.of(loading.recipe) for module, purpose in self.needs
        ]

    def making(self, planner: Planner, name: str) -> StageInputs | None:
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


_TEXTS = [(module, "training a model") for module in (*TRAINING_LIBRARIES, "sentence_transformers")]

ENCODING_KINDS = (
    EncodingTableKind(
        VECTORS, VectorTable, EncodingStage("vectors", "encode documents", DENSE_ENCODING),
        "Name an encoder of texts.", _TEXTS,
    ),
    EncodingTableKind(
        TOKEN_VECTORS, TokenVectorTable, EncodingStage("token-vectors", "encode tokens", TOKEN_ENCODING),
        "Name a model for late interaction, or train one: [encoders.NAME] with kind = \"colbert\".", _TEXTS,
    ),
    EncodingTableKind(
        SPARSE_VECTORS, SparseVectorTable, EncodingStage("sparse-vectors", "encode terms", SPARSE_ENCODING),
        "Name a sparse encoder, or train one: [encoders.NAME] with kind = \"splade\".", _TEXTS,
    ),
    EncodingTableKind(
        FORMULA_VECTORS, EncodingTable, EncodingStage(
            "formula-vectors", "encode formulas", FORMULA_ENCODING, FORMULA_ENCODER_KIND, FORMULA_ENCODING.name,
            ("numpy",),
        ), f"Train one: [{FORMULA_ENCODER_KIND.table}.NAME].", [("safetensors", PURPOSE)],
    ),
)
"""All kinds of encodings: of documents for dense retrieval, of tokens for late interaction, weighted terms for the
channel ``splade:NAME``, and of formulas."""


def planned_needs(planner: Planner, system: str, formulas: bool, model: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The parameters of a stage that searches by a model, of all that this needs: by kind, name → key or digest.

    These are similarity matrices, trained files of an index, and encodings.
    """
    needs = {
        "similarities": planned_similarities(planner, system, formulas), "trained": trained_models(planner.draft, model)
    }
    for of, name in needed_vectors(model):
        kind: EncodingTableKind = planner.recipe.kinds[TABLES[of]]
        there = tuple(kind.of(planner.recipe)) or vectors_of_index(index_folder(planner.draft), of)
        for encoding in (name,) if name else there:
            needs.setdefault(kind.table, {})[encoding] = kind.planned(planner, encoding).key
    return {kind: names for kind, names in needs.items() if names}
