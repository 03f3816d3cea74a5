"""Artifacts in the folder of an index: tokenizers, embeddings, similarity matrices and trained models, by name.

Each kind has a folder, and each artifact a file there that is replaced atomically. An artifact records its input, so
that :func:`porism.search.artifacts.list_artifacts` can tell when it is out of date.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from porism.errors import ConfigError
from porism.system.files.durable import make_folder

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHOWN = 5

ABANDONED = 3_600.0
"""Seconds after which a temporary file counts as abandoned: training does not hold the writer's lock."""


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """A kind of artifact: its ``folder`` in an index and the ``suffix`` of its files.

    ``noun`` names an artifact in errors, and ``make`` is the command that makes the one called ``{name}``.
    """

    folder: str
    noun: str
    make: str
    suffix: str = ".bin"

    def check_name(self, name: str) -> str:
        """Returns a valid name.

        :raises ConfigError: it has other characters than letters, digits, ``.``, ``_`` and ``-``, or begins with one of
            the last three.
        """
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"{name[:60]!r} cannot be the name of {self.noun}",
                hint="Use letters, digits, dots, hyphens and underscores; begin with a letter or a digit.",
            )
        return name

    def is_name(self, name: str) -> bool:
        """Whether the name is valid."""
        return _NAME.fullmatch(name) is not None

    def path(self, index_path: str | os.PathLike[str], name: str) -> Path:
        """The file of an artifact, which need not exist.

        :raises ConfigError: the name is not valid.
        """
        return Path(index_path) / self.folder / f"{self.check_name(name)}{self.suffix}"

    def files(self, index_path: str | os.PathLike[str]) -> list[Path]:
        """The files of all artifacts of this kind in an index, sorted by name."""
        paths = (Path(index_path) / self.folder).glob(f"*{self.suffix}")
        return sorted(file for file in paths if _NAME.fullmatch(self.name_of(file)))

    def name_of(self, file: Path) -> str:
        """The name of the artifact in a file."""
        return file.name.removesuffix(self.suffix)

    def names(self, index_path: str | os.PathLike[str]) -> list[str]:
        """The names of the artifacts of this kind in an index, in code-point order."""
        return sorted(map(self.name_of, self.files(index_path)))

    def missing(self, index_path: str | os.PathLike[str], name: str) -> ConfigError:
        """The error for an unknown name: it lists the known ones, or tells how to make one."""
        known = self.names(index_path)
        shown = ", ".join(known[:_SHOWN]) + (", …" if len(known) > _SHOWN else "")
        return ConfigError(
            f"the index has no {self._bare_noun()} {name!r}", where=str(index_path),
            hint=f"It has: {shown}." if known else f"Make it: {self.make.format(name=name)} --index {index_path}",
        )

    def chosen(self, index_path: str | os.PathLike[str], name: str = "", *, none: str, make: str, several: str) -> Path:
        """The file of the artifact with this name; an empty name stands for the only one.

        :param none: the message for an index without artifacts of this kind; ``make`` is the hint.
        :param several: how to name one of several, with ``{name}``.
        :raises ConfigError: there is no such artifact, or no name was given and there are several.
        """
        names = self.names(index_path)
        if not names:
            raise ConfigError(none, where=str(index_path), hint=make)
        if not name and len(names) > 1:
            known = ", ".join(several.format(name=known_name) for known_name in names)
            raise ConfigError(
                f"the index has more than one {self._bare_noun()}", where=str(index_path), hint=f"Choose one: {known}."
            )
        if name and name not in names:
            raise self.missing(index_path, name)
        return self.path(index_path, name or names[0])

    def prepare(self, index_path: str | os.PathLike[str], name: str) -> Path:
        """The file to write an artifact to; makes its folder and removes abandoned temporary files.

        :raises ConfigError: the name is not valid.
        :raises StorageError: the folder cannot be made.
        """
        path = self.path(index_path, name)
        make_folder(path.parent)
        for file in path.parent.glob(f"{path.name}.*.tmp"):
            remove_abandoned(file)
        return path

    def _bare_noun(self) -> str:
        return self.noun.removeprefix("a ").removeprefix("an ")


def remove_abandoned(file: Path) -> None:
    """Removes a temporary file that is at least :data:`ABANDONED` old."""
    with suppress(OSError):  # removed by another process, in use (Windows) or not ours: it does no harm
        if time.time() - file.stat().st_mtime >= ABANDONED:
            file.unlink()


TOKENIZERS = ArtifactKind("tokenizers", "a tokenizer", "porism train tokenizer {name}", ".json")
EMBEDDINGS = ArtifactKind("embeddings", "embeddings", "porism train word2vec {name} --channel words")
SIMILARITIES = ArtifactKind("similarities", "a similarity matrix", "porism similarities {name}")
MODELS = ArtifactKind("models", "a model", "porism train {name}")
ENCODERS = ArtifactKind("encoders", "an encoder", "porism encode MODEL --name {name}", ".json")
SPARSE = ArtifactKind("sparse", "a sparse encoder", "porism encode MODEL --name {name}")
TOKENS = ArtifactKind("tokens", "a store of tokens", "porism encode MODEL --name {name}")
FORMULA_ENCODERS = ArtifactKind(
    "formula-encoders", "an encoder of formulas", "porism train formula-encoder {name}", ".json"
)

ARTIFACT_KINDS = (TOKENIZERS, EMBEDDINGS, SIMILARITIES, MODELS, ENCODERS, SPARSE, TOKENS, FORMULA_ENCODERS)
"""All kinds; a new one is listed here, and :mod:`porism.search.artifacts` says how it is verified."""
