"""What the kinds of tables that train models of Hugging Face share: where training begins, where its result goes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from porism.errors import ConfigError, PorismError
from porism.lab.recipes.cache import Entry
from porism.lab.recipes.checking import Check
from porism.lab.recipes.digests import files_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import index_folder, index_path
from porism.lab.recipes.loading import Requirement
from porism.lab.recipes.outputs import copy_files
from porism.lab.recipes.planning import Stage
from porism.settings import Path as SettingPath
from porism.system.files.artifacts import MODELS
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.loading import EXTRA

LANGUAGE_MODELS = "language_models"
"""What tables of language models are called, with which encoders can begin."""

_LIBRARIES = ("torch", "transformers", "accelerate")


class TrainingStage(StageKind):
    """A stage whose output is the folder of a model; an interrupted one goes on where it was."""

    libraries: ClassVar[tuple[str, ...]] = ("torch", "transformers", "sentence-transformers", "accelerate")

    def put(self, stage: Stage, entry: Entry, execution: Execution, outputs: Outputs) -> None:
        """Copies the model to the results, and into an index that the recipe makes, which opens it by its name."""
        model = entry.file(stage.name)
        copy_files(model, outputs.folder / MODELS.folder / stage.name)
        if index_folder(execution.draft) is None:
            copy_files(model, index_path(execution) / MODELS.folder / stage.name)


def base_folder(draft: Draft, named: str) -> Path | None:
    """The folder of the model that training begins with; None where it is not on this machine."""
    with suppress(OSError, ValueError, PorismError):
        beside = draft.folder / named
        if beside.is_dir():
            return beside
    return model_folder(named, index_folder(draft))


def opened_base(draft: Draft, named: str) -> Path:
    """As :func:`base_folder`, of a model that was here when the recipe was checked.

    :raises ConfigError: it has gone.
    """
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
    """The digest of the files of the model that training begins with.

    :raises SourceError: one cannot be read.
    """
    folder = base_folder(draft, named)
    assert folder is not None, "what is not here was an error before"
    return files_digest(folder)


def check_base(check: Check, named: str, path: SettingPath) -> None:
    """Whether the model that training begins with is on this machine."""
    if base_folder(check.draft, named) is None:
        check.errors.error(
            f"there is no model {named!r}", path, "Give its folder, or fetch it before: a recipe fetches nothing."
        )


def check_model_name(check: Check, name: str, path: SettingPath) -> None:
    """Whether a trained model can have this name."""
    try:
        MODELS.check_name(name)
    except ConfigError as error:
        check.errors.take(error, path)


def training_requirements(path: SettingPath, *more: str) -> Iterable[Requirement]:
    """The libraries that training needs."""
    return [Requirement(module, path, "training a model", EXTRA) for module in (*_LIBRARIES, *more)]


def about_report(report: Any, *names: str) -> dict[str, Any]:
    """What the record says of a training."""
    return {name: getattr(report, name) for name in names}
