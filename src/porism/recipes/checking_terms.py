"""Whether tokenizers, embeddings and similarity matrices make sense, and models name those that there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from porism.analysis.analyzer import TEXT_CHANNELS
from porism.analysis.tokenizers.tokenizer import check_tokenizer_name
from porism.analysis.tokenizers.training import BpeSettings
from porism.concurrency.caching import cached_property
from porism.embeddings import embeddings_path
from porism.errors import ConfigError, PorismError
from porism.files.artifacts import EMBEDDINGS
from porism.recipes.checking_names import NameChecker
from porism.recipes.derived import analysis_config
from porism.recipes.reading import tolerant
from porism.recipes.settings import EmbeddingSettings, SimilarityTable, TokenizerSettings, own_settings
from porism.recipes.terms import (
    METHODS,
    Matrix,
    asked_similarities,
    bpe_settings,
    embedding_settings,
    file_reference,
    table_matrices,
    tokenizer_of,
)
from porism.retrieve.documents.model import check_channels
from porism.settings import Path, nearest
from porism.similarity import SimilaritySettings, similarity_path

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class TermChecker(NameChecker):
    """Checks the tables of terms, and what models ask of them."""

    def terms(self) -> None:
        """Notes what is wrong with the tables."""
        if self.recipe.tokenizers and self._index is not None:
            self.findings.error(
                "an index that is there has tokenizers of its own", ("tokenizers",),
                "Leave the table out, or name the source of the collection in place of the index.",
            )
        for name, tokenizer in self.recipe.tokenizers.items():
            self._tokenizer(name, tokenizer)
        for name, embeddings in self.recipe.embeddings.items():
            self._embeddings(name, embeddings)
        seen: dict[str, str] = {}
        for name, table in self.recipe.similarities.items():
            for matrix in self._similarities(name, table):
                if matrix.name in seen:
                    self.findings.error(
                        f"the matrix {matrix.name!r} stands in similarities.{seen[matrix.name]} too",
                        ("similarities", name), "Choose another name.",
                    )
                seen[matrix.name] = name

    def model_terms(self, settings: Mapping[str, Any], place: Callable[[str], Path]) -> None:
        """Whether there are the tokenizers and matrices that a model's plain settings name.

        :param place: where what the model says of a channel stands in the recipe.
        """
        channels = settings.get("channels")
        for channel in channels if isinstance(channels, Mapping) else ():
            self.has_tokenizer(channel, place(channel))
        for channel, name in asked_similarities(settings).items():
            self._has_matrix(name, channel, (*place(channel), "similarity"))

    def listed(self, channel: str, path: Path) -> None:
        """Whether the collection has a channel, where the recipe lists its channels."""
        needed = tokenizer_of(channel)
        if needed is not None and self.findings.touch(("tokenizers", needed)):
            return  # what is wrong there is told there
        if self.held is not None and channel not in self.held:
            self.findings.error(
                f"the collection has no channel {channel!r}", path,
                nearest(channel, self.held) if needed is None
                else f"Add it: channels = [\"{channel}\", …] in [collection].",
            )

    def is_tokenized(self, channel: str) -> bool:
        """Whether a channel is made by a tokenizer of the recipe."""
        return tokenizer_of(channel) in self._tables("tokenizers")

    def has_tokenizer(self, channel: str, path: Path) -> bool:
        """Whether the recipe has the tokenizer of a channel, if that needs one."""
        needed = tokenizer_of(channel)
        collection = self.recipe.collection
        if needed is None or collection is None or collection.index is not None:  # an index knows its own
            return True
        known = self._tables("tokenizers")
        if needed not in known:
            self.findings.error(
                f"there is no tokenizer for the channel {channel!r}", path,
                _nearest_or_add(needed, known, f"[tokenizers.{_key(needed)}] with its kind, or with file = \"…\""),
            )
        return needed in known

    @property
    def _index(self) -> FilePath | None:
        """The folder of an index that is there."""
        collection = self.recipe.collection
        return None if collection is None or collection.index is None else self.draft.folder / collection.index

    @cached_property
    def held(self) -> tuple[str, ...] | None:
        """The channels of a collection whose channels the recipe lists; None for others."""
        collection = self.recipe.collection
        if collection is None or collection.index is not None or isinstance(collection.channels, str):
            return None
        with suppress(PorismError):  # told with the collection
            config = analysis_config(self.recipe, self.draft.folder)
            return (*config.text, *config.formulas)
        return None

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        found: dict[str, Matrix] = {}
        for name, table in self.recipe.similarities.items():
            with suppress(ConfigError):
                found |= {matrix.name: matrix for matrix in table_matrices(self.recipe, name, table)}
        return found

    def _tables(self, kind: str) -> list[str]:
        """The names of tables of a kind, those with errors too."""
        given = self.recipe.plain.get(kind)
        return list(given) if isinstance(given, Mapping) else []

    def _tokenizer(self, name: str, table: TokenizerSettings) -> None:
        path = ("tokenizers", name)
        try:
            check_tokenizer_name(name)
        except ConfigError as error:
            self.findings.take(error, path)
            return
        if table.file is not None:
            try:
                file_reference(name, self.draft.folder / table.file)
            except PorismError as error:
                self.findings.take(error, (*path, "file"))
            return
        known = own_settings(BpeSettings)
        self.unknown(table.settings, [*own_settings(TokenizerSettings, but="settings"), *known], path)
        sound = {key: value for key, value in table.settings.items() if key in known}
        tolerant(lambda given: bpe_settings(replace(table, settings=given)), sound, path, self.findings)

    def _embeddings(self, name: str, table: EmbeddingSettings) -> None:
        path = ("embeddings", name)
        try:
            EMBEDDINGS.check_name(name)
        except ConfigError as error:
            self.findings.take(error, path)
        self._channel(table.channel, (*path, "channel"))
        if table.method not in METHODS:
            self.findings.error(
                f"there is no method of training embeddings {table.method!r}", (*path, "method"),
                nearest(table.method, METHODS),
            )
            return
        known = own_settings(METHODS[table.method])
        self.unknown(table.settings, [*own_settings(EmbeddingSettings, but="settings"), *known], path)
        sound = {key: value for key, value in table.settings.items() if key in known}
        tolerant(lambda given: embedding_settings(replace(table, settings=given)), sound, path, self.findings)

    def _similarities(self, name: str, table: SimilarityTable) -> tuple[Matrix, ...]:
        path = ("similarities", name)
        named = self._tables("embeddings")
        if table.embeddings and table.embeddings not in named and not self._there(embeddings_path, table.embeddings):
            self.findings.error(
                f"there are no embeddings {table.embeddings!r}", (*path, "embeddings"),
                _nearest_or_add(table.embeddings, named, f"[embeddings.{_key(table.embeddings)}]"),
            )
        if table.channel:
            self._channel(table.channel, (*path, "channel"))
        elif table.embeddings in named and table.embeddings not in self.recipe.embeddings:
            return ()  # what is wrong there is told there
        own = own_settings(SimilarityTable, but="settings")
        known = [setting for setting in own_settings(SimilaritySettings) if setting not in own]
        self.unknown(table.settings, [*own, *known], path)
        sound = {key: value for key, value in table.settings.items() if key in known}
        made = tolerant(
            lambda given: table_matrices(self.recipe, name, replace(table, settings=given)), sound, path, self.findings
        )
        try:
            similarity_path("", name)
        except ConfigError as error:
            self.findings.take(error, path)
        return made or ()

    def _channel(self, channel: str, path: Path) -> None:
        """Whether a channel to be learnt from is one, and the collection has it."""
        try:
            check_channels([channel], TEXT_CHANNELS)
        except ConfigError as error:
            self.findings.error(error.what, path, error.hint)
            return
        if self.has_tokenizer(channel, path):
            self.listed(channel, path)

    def _has_matrix(self, name: str, channel: str, path: Path) -> None:
        matrix = self._matrices.get(name)
        if matrix is not None:
            if matrix.settings.channel != channel:
                self.findings.error(
                    f"the similarities {name!r} are those of the channel {matrix.settings.channel!r}, not of "
                    f"{channel!r}", path,
                )
            return
        broken = [table for table in self._tables("similarities") if name == table or name.startswith(f"{table}-")]
        if any(self.findings.touch(("similarities", table)) for table in broken):
            return
        try:
            if self._there(similarity_path, name):
                return
        except ConfigError as error:
            self.findings.error(error.what, path, error.hint)
            return
        self.findings.error(
            f"there is no similarity matrix {name!r}", path,
            _nearest_or_add(name, list(self._matrices), f"[similarities.{_key(name)}] with channel = \"{channel}\""),
        )

    def _there(self, file: Callable[[FilePath, str], FilePath], name: str) -> bool:
        """Whether an index that is there has a file of this name."""
        return self._index is not None and file(self._index, name).exists()


def _nearest_or_add(name: str, known: list[str], table: str) -> str:
    """The name that may have been meant, or the table that would define it."""
    hint = nearest(name, known) if known else ""
    return f"{hint} Or add {table}." if hint.startswith("Did you mean") else f"Add {table}."


def _key(name: str) -> str:
    """A name as it stands in the header of a TOML table."""
    return name if _BARE_KEY.fullmatch(name) else f'"{name}"'
