"""What a recipe says of terms: tokenizers, embeddings and similarity matrices, and which of them its systems need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.analysis.analyzer import TEXT_CHANNELS
from porism.analysis.channels import parse_channel
from porism.analysis.tokenizers.tokenizer import TokenizerReference, tokenizer_reference
from porism.analysis.tokenizers.training import BpeSettings
from porism.embeddings import FastText, Positional, Word2Vec
from porism.embeddings.decontextual import Decontextualised
from porism.errors import ConfigError, PorismError
from porism.recipes.reading import Draft
from porism.recipes.settings import EmbeddingSettings, Recipe, SimilarityTable, TokenizerSettings
from porism.recipes.systems import Definition, asks_index, flat_parameters, owner_of
from porism.retrieve.documents.model import check_channels
from porism.settings import SettingError, nearest, read_settings
from porism.similarity import SimilaritySettings

METHODS: Mapping[str, type[Word2Vec] | type[Decontextualised]] = MappingProxyType({
    method.method: method for method in (Word2Vec, FastText, Positional, Decontextualised)
})
"""The settings of each method of training embeddings, by the name that recipes give it."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A similarity matrix of a recipe: its name, the table that defines it, and its settings."""

    name: str
    table: str
    settings: SimilaritySettings


def bpe_settings(table: TokenizerSettings) -> BpeSettings:
    """How a tokenizer is trained.

    :raises SettingError: a setting does not exist or fit.
    """
    settings = read_settings(BpeSettings, table.settings)
    if table.vocabulary is None:
        return settings
    if "merges" in table.settings:
        raise SettingError(
            "a tokenizer has merges or a vocabulary", path=("vocabulary",), hint="Give one of them."
        )
    merges = table.vocabulary - settings.other_tokens
    if merges < 1:
        raise SettingError(
            f"a vocabulary of {table.vocabulary:,} tokens leaves no merges", path=("vocabulary",),
            hint=f"{settings.other_tokens} are bytes and marks.",
        )
    return replace(settings, merges=merges)


def embedding_settings(table: EmbeddingSettings) -> Word2Vec | Decontextualised:
    """How embeddings are trained.

    :raises SettingError: the method or a setting does not exist, or a value does not fit.
    """
    if table.method not in METHODS:
        raise SettingError(
            f"there is no method of training embeddings {table.method!r}", path=("method",),
            hint=nearest(table.method, METHODS),
        )
    method = METHODS[table.method]
    if (method is Decontextualised) is (table.model is None):
        raise SettingError(
            f"{table.method} needs a model" if table.model is None else f"{table.method} has no model",
            path=("method",) if table.model is None else ("model",),
            hint='Write model = "NAME or FOLDER".' if table.model is None else "Leave it out.",
        )
    settings: Word2Vec | Decontextualised = read_settings(method, table.settings)
    return settings


def table_matrices(recipe: Recipe, name: str, table: SimilarityTable) -> tuple[Matrix, ...]:
    """The matrices of a table: one, or for a list of alphas one of each, as ``NAME-0.3``.

    The embeddings of one that needs none are left out of its settings.

    :raises SettingError: a setting does not exist or fit.
    """
    channel = table.channel or (
        recipe.embeddings[table.embeddings].channel if table.embeddings in recipe.embeddings else ""
    )
    if not channel:
        raise SettingError(
            "similarities are of the terms of a channel", path=("channel",), hint='Name it: channel = "…".'
        )
    several = isinstance(table.alpha, tuple)
    alphas = table.alpha if isinstance(table.alpha, tuple) else (
        (1.0 if not table.embeddings else 0.6) if table.alpha is None else table.alpha,
    )
    found: dict[str, Matrix] = {}
    for number, alpha in enumerate(alphas):
        path = ("alpha", number) if several else ("alpha",)
        given = {**table.settings, "channel": channel, "alpha": float(alpha)}
        if alpha < 1:
            given["embeddings"] = table.embeddings
            if not table.embeddings:
                raise SettingError(
                    f"similarities with alpha {alpha:g} need embeddings", path=path,
                    hint='Name some of the recipe: embeddings = "…", or use alpha = 1.0, which is spelling alone.',
                )
        try:
            settings = read_settings(SimilaritySettings, given)
        except SettingError as error:
            if not error.path and error.what.startswith("alpha "):
                raise SettingError(error.what, path=path, hint=error.hint) from None
            raise
        full = f"{name}-{float(alpha)!r}" if several else name
        if full in found:
            raise SettingError(f"alpha {alpha:g} stands twice", path=path)
        found[full] = Matrix(full, name, settings)
    if not found:
        raise SettingError("there is no alpha", path=("alpha",), hint="For example: alpha = [0.0, 0.5, 1.0].")
    return tuple(found.values())


def matrices(recipe: Recipe) -> dict[str, Matrix]:
    """All matrices that a recipe defines, by name; tables with errors, which are told elsewhere, define none."""
    found: dict[str, Matrix] = {}
    for name, table in recipe.similarities.items():
        with suppress(ConfigError):
            found |= {matrix.name: matrix for matrix in table_matrices(recipe, name, table)}
    return found


def tokenizer_of(channel: str) -> str | None:
    """The name of the tokenizer that makes the terms of a channel, or of the formulas in it; None if none does."""
    with suppress(ConfigError):
        return parse_channel(channel).tokenizer
    return None


def planned_tokenizers(recipe: Recipe, folder: Path) -> dict[str, TokenizerReference]:
    """The tokenizers of a recipe, those that are files with their digest and the others without one.

    Those with errors, which are told elsewhere, are left out.
    """
    found = {}
    for name, table in recipe.tokenizers.items():
        with suppress(PorismError):
            if table.file is not None:
                found[name] = file_reference(name, folder / table.file)
            else:
                found[name] = TokenizerReference(name, bpe_settings(table).kind, "")
    return found


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


def trained_channels(recipe: Recipe) -> list[str]:
    """The channels that embeddings and similarities of a recipe are of, if there can be such."""
    found = [table.channel for table in recipe.embeddings.values()]
    found += [table.channel for table in recipe.similarities.values()]
    return [channel for channel in dict.fromkeys(found) if channel and is_channel(channel)]


def is_channel(name: str) -> bool:
    """Whether an index can have a channel of this name."""
    try:
        check_channels([name], TEXT_CHANNELS)
    except ConfigError:
        return False
    return True


def asked_similarities(settings: Mapping[str, Any]) -> dict[str, str]:
    """Channel → the similarity matrix that a model's plain settings name for it."""
    channels = settings.get("channels")
    return {
        channel: given["similarity"] for channel, given in (channels.items() if isinstance(channels, Mapping) else ())
        if isinstance(given, Mapping) and isinstance(given.get("similarity"), str) and given["similarity"]
    }


def system_similarities(recipe: Recipe, folder: Path, system: str, formulas: bool) -> tuple[str, ...]:
    """The matrices that a pipeline or reranker asks itself, or among which a tuning chooses."""
    found: dict[str, None] = {}
    if system in recipe.tuning:
        tuning = recipe.tuning[system]
        for path, (values, _) in flat_parameters(tuning.parameters).items():
            owner, inner = owner_of(recipe, tuning, path, formulas, folder)
            if asks_index(recipe, owner) and isinstance(values, (list, tuple)):
                definition = Definition(recipe, folder, owner)
                found |= dict.fromkeys(_chosen(definition, inner, values, formulas))
    elif asks_index(recipe, system):
        found = dict.fromkeys(asked_similarities(Definition(recipe, folder, system).settings(formulas)).values())
    return tuple(found)


def _chosen(definition: Definition, path: str, values: Iterable[Any], formulas: bool) -> Iterable[str]:
    for value in values:
        yield from asked_similarities(definition.varied({path: value}, formulas)).values()


def model_place(draft: Draft, model: str) -> Path | None:
    """The folder or file of a model, if it is one beside the recipe; None for a name on the hub."""
    with suppress(OSError, ValueError):
        path = draft.folder / model
        return path if path.exists() else None
    return None
