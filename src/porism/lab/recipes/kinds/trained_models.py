"""Models of Hugging Face that tables of a recipe name: where they are, and what training and reading them needs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from porism.errors import ConfigError, PorismError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.digests import files_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.collection import index_folder
from porism.lab.recipes.loading import Requirement
from porism.settings import Path as SettingPath
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.loading import EXTRA

LANGUAGE_MODELS = "language_models"
"""What tables of language models are called, with which encoders can begin."""

_LIBRARIES = ("torch", "transformers", "accelerate")


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


def training_requirements(path: SettingPath, *more: str) -> Iterable[Requirement]:
    """The libraries that training needs."""
    return [Requirement(module, path, "training a model", EXTRA) for module in (*_LIBRARIES, *more)]
