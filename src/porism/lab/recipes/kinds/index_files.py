"""Stages whose output is a file in the folder of the index: vectors of terms, and matrices of their similarities.

Such a file is made in the folder of the index under a name that is made of the stage's key. So what another recipe
makes under the same name goes on where it was. Then it moves to the cache, and a link or copy of it is put into the
index under its own name.
"""

from __future__ import annotations

import os
import shutil
import time
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from porism.errors import ConfigError
from porism.lab.recipes.cache import Cache, CacheEntry, writing
from porism.lab.recipes.digests import digest, file_digest
from porism.lab.recipes.errors import RecipeErrors
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import index_folder, index_path
from porism.lab.recipes.planning import RecipeStage
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

    def make(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> CacheEntry:
        """Makes the file and moves it to the cache.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on after the last whole epoch.
        :raises ConfigError: there is nothing to learn from, or it does not come to finite numbers.
        :raises MissingExtra: a library is not installed.
        """
        started = time.monotonic()
        index, name = index_path(execution), f"recipe-{stage.key}"
        self.make_file(stage, execution, index, name, on_count)
        path = self.artifact.path(index, name)
        about = self.about(path)
        with execution.cache.making(stage.kind, stage.key) as folder:
            with writing(folder):
                shutil.move(path, folder / f"{stage.name}.bin")
            return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        """Puts the file into the index under its own name, all at once.

        :raises ConfigError: the index is none of the cache's, and has a file of this name that is none either.
        :raises StorageError: the folder cannot be written.
        """
        source = entry.file(f"{stage.name}.bin")
        target = self.artifact.path(index_path(execution), stage.name)
        if _same(source, target):
            return
        self._check_free(stage, execution)
        content = file_digest(source)
        known = _placed(execution.cache, target)
        with writing(target):
            if index_folder(execution.draft) is not None and content not in _lines(known):
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
        if target.exists() and file_digest(target) not in _lines(_placed(execution.cache, target)):
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


def _placed(cache: Cache, target: Path) -> Path:
    """The file that lists the digests of all that this cache has put at a place."""
    return cache.folder / "placed" / f"{digest(str(target.resolve()))}.txt"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split() if path.exists() else []


def _same(source: Path, target: Path) -> bool:
    if not target.exists():
        return False
    if os.path.samefile(source, target):
        return True
    return source.stat().st_size == target.stat().st_size and file_digest(source) == file_digest(target)
