"""The channels that a recipe indexes its collection with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path as FilePath

from porism.analysis.analyzer import CHANNEL_SETS, DEFAULT_FORMULAS, TEXT_CHANNELS, AnalysisConfig
from porism.analysis.channels import UnknownChannel, parse_channel
from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.errors import ConfigError, PorismError
from porism.lab.recipes.checking import Check, nearest_or_add, toml_key
from porism.lab.recipes.kinds.collection_settings import CollectionSettings, collection_of
from porism.lab.recipes.kinds.tokenizers import TOKENIZER_KIND, tokenizer_of
from porism.lab.recipes.recipe import Recipe
from porism.settings import Path


def analysis_config(
    recipe: Recipe, folder: FilePath, tokenizers: Mapping[str, TokenizerReference] | None = None
) -> AnalysisConfig:
    """How the collection is indexed: by ``default`` with all channels that the recipe names elsewhere.

    Channels of tokenizers that are not among ``tokenizers`` (by default those of the recipe, not yet trained) are left
    out.

    :raises ConfigError: a channel or the language does not exist.
    """
    collection = collection_of(recipe)
    assert collection is not None, "only recipes with a collection index one"
    known = TOKENIZER_KIND.references(recipe, folder) if tokenizers is None else tokenizers
    text: list[str] = []
    formulas: list[str] = []
    for name in _channels(collection, recipe, folder):
        needed = tokenizer_of(name)
        if needed is not None and needed not in known:
            continue
        (text if parse_channel(name, known.values()).reads == "text" else formulas).append(name)
    used = dict.fromkeys(tokenizer_of(name) for name in (*text, *formulas))
    return AnalysisConfig(
        tuple(text) or TEXT_CHANNELS, tuple(formulas) or DEFAULT_FORMULAS, language=collection.language,
        tokenizers=tuple(known[name] for name in used if name is not None),
    )


def listed_channels(recipe: Recipe, folder: FilePath) -> tuple[str, ...] | None:
    """The channels of a collection whose channels the recipe lists; None for others."""
    collection = collection_of(recipe)
    if collection is None or collection.index is not None or isinstance(collection.channels, str):
        return None
    with suppress(PorismError):  # reported with the collection
        config = analysis_config(recipe, folder)
        return (*config.text, *config.formulas)
    return None


def check_tokenized(check: Check, channel: str, path: Path) -> bool:
    """Whether the recipe has the tokenizer of a channel, if that needs one."""
    needed = tokenizer_of(channel)
    collection = collection_of(check.recipe)
    if needed is None or collection is None or collection.index is not None:  # an index knows its own
        return True
    known = check.names("tokenizers")
    if needed not in known:
        check.errors.error(
            f"there is no tokenizer for the channel {channel!r}", path,
            nearest_or_add(needed, known, f"[tokenizers.{toml_key(needed)}] with its kind, or with file = \"…\""),
        )
    return needed in known


def is_channel(name: str) -> bool:
    """Whether an index can have a channel of this name."""
    try:
        parse_channel(name)
    except UnknownChannel:
        return False
    except ConfigError:  # its options are wrong, which is reported elsewhere
        pass
    return True


def _channels(collection: CollectionSettings, recipe: Recipe, folder: FilePath) -> list[str]:
    """The channels that the collection is to have, sets of them spelled out."""
    named: list[str] = list(collection.channels)
    if isinstance(collection.channels, str):
        wanted = [channel for kind in recipe.kinds.values() for channel in kind.channels(recipe, folder)]
        named = [collection.channels, *(channel for channel in wanted if is_channel(channel))]
    return list(dict.fromkeys(channel for name in named for channel in CHANNEL_SETS.get(name, (name,))))
