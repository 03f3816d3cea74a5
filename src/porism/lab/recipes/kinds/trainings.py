"""What all tables share that train a model: their checks, their inputs and their stage.

A further kind has the settings of its table, with ``device`` and the ``settings`` of its training, and says what is
trained, of what, and by which function.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, PorismError
from porism.lab.recipes.cache import CacheEntry, copy_files
from porism.lab.recipes.checking import Check, Loading, Requirement, nearest_or_add
from porism.lab.recipes.digests import files_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import index_folder, index_path, planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.intermediate import IntermediateKind, StageInputs, file_inputs
from porism.lab.recipes.kinds.pairs import PAIR_KIND
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import own_settings
from porism.lab.train.settings import FORMER_NAMES, TrainerSettings
from porism.lab.train.trainers import TrainerReport
from porism.settings import Path as SettingPath
from porism.settings import Settings, read_settings, write_settings
from porism.system.files.artifacts import MODELS
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.loading import EXTRA

T = TypeVar("T", bound=Settings)

LANGUAGE_MODELS = "language_models"
"""What tables of language models are called, with which encoders can begin."""

TRAINING_LIBRARIES = ("torch", "transformers", "accelerate")
"""The libraries that every training needs."""



class TrainingStage(StageKind):
    """A stage whose output is the folder of a model; an interrupted one goes on at the step where it was."""

    goes_on = True

    def __init__(
        self, name: str, verb: str, table: str,
        libraries: tuple[str, ...] = ("torch", "transformers", "sentence-transformers", "accelerate"),
    ) -> None:
        """``table`` is the kind of table that says what is trained."""
        self.name, self.verb, self.table, self.libraries = name, verb, table, libraries

    def write(self, stage: RecipeStage, execution: Execution, folder: Path, on_count: OnCount) -> dict[str, Any]:
        kind: TrainingKind[Any] = execution.recipe.kinds[self.table]
        report = kind.train(execution, kind.of(execution.recipe)[stage.name], folder / stage.name, on_count)
        if report.interrupted:
            raise KeyboardInterrupt
        return {name: value for name, value in report.to_dict().items() if name != "seconds"}

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        model = entry.file(stage.name)
        copy_files(model, outputs.folder / MODELS.folder / stage.name)
        if index_folder(execution.draft) is None:
            copy_files(model, index_path(execution) / MODELS.folder / stage.name)


class TrainingKind(IntermediateKind[T]):
    """A kind of table that trains a model. Each is a result by itself, and other tables name it."""

    rest = "settings"
    former = FORMER_NAMES
    is_result = True

    training: ClassVar[type[TrainerSettings]]
    """The settings of the training."""

    what: ClassVar[str]
    """What is trained, for errors: ``an encoder``."""

    modules: ClassVar[tuple[str, ...]] = ()
    """What training needs beside what all trainings do."""

    files: ClassVar[tuple[str, ...]] = ()
    """The settings that list files."""

    pairs: ClassVar[tuple[str, ...]] = ()
    """The settings that list tables of pairs."""

    begins: ClassVar[bool] = True
    """Whether training begins with a ``model``: a folder, an installed package or a table of language models."""

    @abstractmethod
    def train(self, execution: Execution, table: T, folder: Path, on_count: OnCount) -> TrainerReport:
        """Trains the model of a table and saves it as a folder."""

    def check_table(self, check: Check, table: T, path: SettingPath) -> None:
        """Notes what else is wrong with a table."""
        return

    def training_settings(self, table: Any) -> Any:
        """How the model of a table is trained."""
        return read_settings(self.training, table.settings)

    def check(self, check: Check) -> None:
        for name, table, path in self.each(check.recipe):
            check.artifact_name(MODELS, name, path)
            self.check_rest(check, table, path, self.training_settings, own_settings(self.training))
            if self.reads_collection and collection_of(check.recipe) is None:
                check.errors.error(
                    f"{self.what} is trained on a collection, and there is none", path, "Add [collection]."
                )
            self._check_pairs(check, table, path)
            self.check_table(check, table, path)
            if self.begins:
                self.check_model(check, table, (*path, "model"))

    def _check_pairs(self, check: Check, table: T, path: SettingPath) -> None:
        """Whether there are the pairs that a table names, and formulas and their marks are alike in all of them."""
        names, tables = check.names(PAIR_KIND.table), PAIR_KIND.of(check.recipe)
        writings: dict[ModelText, str] = {}
        for key in self.pairs:
            for number, pairs in enumerate(getattr(table, key)):
                if pairs not in names:
                    hint = nearest_or_add(pairs, names, f"[pairs.{pairs}]")
                    check.errors.error(f"there are no pairs {pairs!r}", (*path, key, number), hint)
                elif pairs in tables:
                    writings[tables[pairs].text] = " ".join((tables[pairs].formulas, *tables[pairs].marks))
        if len(writings) > 1:
            check.errors.error(
                f"formulas are written in different ways ({', '.join(sorted(writings.values()))})", (*path, "pairs"),
                "A model reads formulas in one way.",
            )

    def check_model(self, check: Check, table: Any, path: SettingPath) -> None:
        """Whether there is what training begins with."""
        if table.model not in check.names(LANGUAGE_MODELS):
            check_base(check, table.model, path)

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for key in self.files:
                loading.all_exist(getattr(table, key), (self.table, name, key))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [
            Requirement(module, (self.table, name), "training a model", EXTRA)
            for name in self.of(loading.recipe) for module in (*TRAINING_LIBRARIES, *self.modules)
        ]

    def making(self, planner: Planner, name: str) -> StageInputs:
        table: Any = self.of(planner.recipe)[name]
        settings = write_settings(replace(table, settings={})) | write_settings(self.training_settings(table))
        return StageInputs(self.inputs(planner, table), settings)

    def inputs(self, planner: Planner, table: Any) -> dict[str, str]:
        """The keys and digests of what a model is trained on and begins with."""
        keys = {"index collection": planned_index(planner).key} if self.reads_collection else {}
        for name in dict.fromkeys(name for key in self.pairs for name in getattr(table, key)):
            mined = PAIR_KIND.planned(planner, name)
            keys[mined.name] = mined.key
        keys |= file_inputs(planner.draft, (file for key in self.files for file in getattr(table, key)))
        return keys | (self.base_input(planner, table.model) if self.begins else {})

    def base_input(self, planner: Planner, named: str) -> dict[str, str]:
        """The model that training begins with: the key of a table, or the digest of its files."""
        kind: IntermediateKind[Any] = planner.recipe.kinds[LANGUAGE_MODELS]
        if named in kind.of(planner.recipe):
            begins = kind.planned(planner, named)
            return {begins.name: begins.key}
        return {"model": base_digest(planner.draft, named)}


def base_folder(draft: Draft, named: str) -> Path | None:
    """The folder of the model that training begins with; None where it is not on this machine."""
    with suppress(OSError, ValueError, PorismError):
        beside = draft.folder / named
        if beside.is_dir():
            return beside
    return model_folder(named, index_folder(draft))


def opened_base(draft: Draft, named: str) -> Path:
    """As :func:`base_folder`, of a model that was here when the recipe was checked."""
    folder = base_folder(draft, named)
    if folder is None:
        raise ConfigError(f"the model {named!r} vanished while it was needed", hint="Start again.")
    return folder


def training_base(execution: Execution, named: str) -> Path:
    """The folder of the model that training begins with, there or made before by a table of language models."""
    made = execution.planner.others.get((LANGUAGE_MODELS, named))
    if made is not None:
        return execution.entry("language-model", made.key, made.name).file(named)
    return opened_base(execution.draft, named)


def base_digest(draft: Draft, named: str) -> str:
    """The digest of the files of the model that training begins with."""
    folder = base_folder(draft, named)
    assert folder is not None, "what is not here was an error before"
    return files_digest(folder)


def check_base(check: Check, named: str, path: SettingPath) -> None:
    """Whether the model that training begins with is on this machine."""
    if base_folder(check.draft, named) is None:
        check.errors.error(
            f"there is no model {named!r}", path, "Give its folder, or fetch it before: a recipe fetches nothing."
        )
