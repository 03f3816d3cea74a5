"""``[tokenizers.NAME]``: byte-pair encoding, which makes the channel ``bpe:NAME`` of a collection that is indexed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from porism.analysis.channels import parse_channel
from porism.analysis.tokenizers.tokenizer import TokenizerReference, tokenizer_reference
from porism.analysis.tokenizers.training import BpeSettings
from porism.corpus import ReaderOptions
from porism.errors import ConfigError, PorismError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import StageKind, TableKind
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, own_settings
from porism.search.tokenizing import train_tokenizer
from porism.settings import SettingError, Settings, read_settings, write_settings
from porism.system.files.artifacts import TOKENIZERS

READING_LIBRARIES = ("lxml", "docutils", "markdown-it-py", "mdit-py-plugins", "PyYAML", "selectolax")
"""The distributions whose version can change what readers read."""


@dataclass(frozen=True, slots=True)
class TokenizerSettings(Settings):
    """A tokenizer.

    :param file: one that is there; nothing is trained then.
    :param vocabulary: how many tokens there are at most, in place of ``merges``.
    :param settings: what else the recipe says: those of :class:`porism.analysis.tokenizers.training.BpeSettings`.
    """

    file: str | None = None
    vocabulary: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file is not None and (self.settings or self.vocabulary is not None):
            raise ConfigError("a tokenizer from a file is not trained", hint="Leave the other settings out.")


class TrainTokenizer(StageKind):
    """Trains a tokenizer on the documents of the collection's sources, which are the inputs of the stage."""

    name = "tokenizer"
    verb = "train tokenizer"
    libraries = (*READING_LIBRARIES, "tokenizers")

    def write(self, stage: RecipeStage, execution: Execution, folder: Path, on_count: OnCount) -> dict[str, Any]:
        settings = dict(stage.parameters)
        reading = dict(settings.pop("reading"))
        tokenizer = train_tokenizer(
            folder / f"{stage.name}.json", sources=[execution.draft.file(given) for given in stage.inputs],
            settings=read_settings(BpeSettings, settings), format=reading.pop("format"),
            options=reader_options(reading), on_problem=execution.on_problem,
            on_progress=lambda done, total: on_count(done, total or None),
        )
        about: dict[str, Any] = {"tokens": len(tokenizer)}
        return about | {name: tokenizer.info[name] for name in ("documents", "pieces") if name in tokenizer.info}


class TokenizerKind(TableKind[TokenizerSettings]):
    """Tokenizers. Their channels are part of how the collection is indexed, which takes them from here."""

    table = "tokenizers"
    settings = TokenizerSettings
    rest = "settings"
    stages = (TrainTokenizer(),)

    def check(self, check: Check) -> None:
        for name, table, path in self.each(check.recipe):
            if not check.artifact_name(TOKENIZERS, name, path):
                continue
            if table.file is not None:
                with check.errors.taking((*path, "file")):
                    file_reference(name, check.draft.folder / table.file)
                continue
            self.check_rest(check, table, path, bpe_settings, own_settings(BpeSettings))

    def references(self, recipe: Recipe, folder: Path) -> dict[str, TokenizerReference]:
        """The tokenizers of a recipe, those that are files with their digest and the others without one.

        Those with errors, which are reported elsewhere, are left out.
        """
        references = {}
        for name, table in self.of(recipe).items():
            with suppress(PorismError):
                if table.file is not None:
                    references[name] = file_reference(name, folder / table.file)
                else:
                    references[name] = TokenizerReference(name, bpe_settings(table).kind, "")
        return references

    def planned(
        self, planner: Planner, used: Iterable[TokenizerReference], reading: Mapping[str, Any],
        sources: Mapping[str, str],
    ) -> dict[str, TokenizerReference]:
        """Plans the tokenizers that the index is made with: those to be trained have the key of their stage in place of
        a digest.

        :param reading: format and options of the reader of the collection.
        :param sources: the digests of what is read.
        """
        references = {}
        for reference in used:
            name, table = reference.name, self.of(planner.recipe)[reference.name]
            if table.file is not None:
                planner.others[self.table, name] = Input(f"tokenizer {name}", reference.digest)
                continue
            parameters = {"reading": reading, **write_settings(bpe_settings(table))}
            stage = planner.add(self.stages[0], name, "", sources, parameters, list(sources.values()))
            planner.others[self.table, name] = Input(stage.id, stage.key)
            references[name] = TokenizerReference(name, reference.kind, stage.key)
        return references


TOKENIZER_KIND = TokenizerKind()


def reader_options(plain: Mapping[str, Any]) -> ReaderOptions:
    """The options of readers from plain values."""
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()
    }
    return ReaderOptions(**options)


def made_tokenizers(execution: Execution) -> dict[str, TokenizerReference]:
    """The tokenizers that the index is made with, trained or given."""
    references = {}
    tables: Mapping[str, TokenizerSettings] = execution.recipe.tables.get("tokenizers", {})
    for name, table in tables.items():
        if table.file is not None:
            references[name] = file_reference(name, execution.draft.folder / table.file)
        elif (planned := execution.planner.others.get(("tokenizers", name))) is not None:
            folder = execution.cache.path("tokenizer", planned.key)
            references[name] = tokenizer_reference(name, folder / f"{name}.json")
    return references


def bpe_settings(table: TokenizerSettings) -> BpeSettings:
    """How a tokenizer is trained.

    :raises SettingError: a setting does not exist or fit.
    """
    settings = read_settings(BpeSettings, table.settings)
    if table.vocabulary is None:
        return settings
    if "merges" in table.settings:
        raise SettingError("a tokenizer has merges or a vocabulary", path=("vocabulary",), hint="Give one of them.")
    return settings.of_vocabulary(table.vocabulary)


def tokenizer_of(channel: str) -> str | None:
    """The name of the tokenizer that makes the terms of a channel, or of the formulas in it; None if none does."""
    with suppress(ConfigError):
        return parse_channel(channel).tokenizer
    return None


def file_reference(name: str, path: Path) -> TokenizerReference:
    """A reference to a tokenizer's file.

    :raises ConfigError: the name or the file does not do.
    :raises MissingExtra: the library ``tokenizers`` is not installed.
    """
    try:
        state = path.stat()
    except OSError:
        return tokenizer_reference(name, path)
    return _file_reference(name, str(path), state.st_mtime_ns, state.st_size)


@lru_cache(64)
def _file_reference(name: str, path: str, changed: int, size: int) -> TokenizerReference:
    return tokenizer_reference(name, path)
