"""The settings of ``[collection]``, and the channels that a recipe indexes its collection with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Literal

from porism.analysis.analyzer import CHANNEL_SETS, DEFAULT_FORMULAS, TEXT_CHANNELS, AnalysisConfig
from porism.analysis.channels import EncodedChannel, UnknownChannel, parse_channel
from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.errors import ConfigError, PorismError
from porism.index.manifest import Manifest
from porism.lab.recipes.checking import Check, Loading, nearest_or_add, toml_key
from porism.lab.recipes.kinds.tokenizers import TOKENIZER_KIND, tokenizer_of
from porism.lab.recipes.recipe import Recipe
from porism.retrieve.lexical.settings import check_channels
from porism.settings import Path, Settings, nearest

READER_SETTINGS = (
    "unit", "comments", "formulas", "fields", "id_field", "metadata_fields", "encoding", "outside", "max_unpacked",
)
"""The settings of a collection that are options of its reader."""


@dataclass(frozen=True, slots=True)
class CollectionSettings(Settings):
    """What pipelines search: a ``source`` to index, or an ``index`` that is there.

    :param source: a file or folder, or several.
    :param index: the folder of an index, or of several that are searched as one; nothing is indexed then.
    :param channels: ``default`` (those that Porism's models search, and those that pipelines here name), ``all``, or
        the names of channels and of sets of them; ``bpe:NAME`` are those of tokenizers of the recipe.
    :param language: ``auto``, the name of one, several, or ``none``, as of ``porism index --language``.

    The others are the options of the readers (:class:`porism.corpus.ReaderOptions`).
    """

    source: str | tuple[str, ...] | None = None
    index: str | tuple[str, ...] | None = None
    channels: str | tuple[str, ...] = "default"
    language: str = "auto"
    format: str | None = None
    unit: Literal["answer", "question", "thread"] = "answer"
    comments: bool = True
    formulas: Literal["latex", "mathml"] = "latex"
    fields: Mapping[str, str] | None = None
    id_field: str | None = None
    metadata_fields: tuple[str, ...] | None = None
    encoding: str | None = None
    outside: bool = False
    max_unpacked: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) == (self.index is None):
            raise ConfigError("a collection has a source or an index", hint="Give one of them.")
        if self.index is not None and not self.indexes:
            raise ConfigError("the list of indexes is empty", hint="Name the folder of one.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The files and folders to index."""
        return (self.source,) if isinstance(self.source, str) else self.source or ()

    @property
    def indexes(self) -> tuple[str, ...]:
        """The indexes that are there."""
        return (self.index,) if isinstance(self.index, str) else self.index or ()

    @property
    def reading(self) -> dict[str, Any]:
        """Format and options of the reader, as plain values."""
        options = {name: getattr(self, name) for name in READER_SETTINGS}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
        return {"format": self.format, **plain}


def collection_of(recipe: Recipe) -> CollectionSettings | None:
    """The collection of a recipe, if it has one."""
    collection: CollectionSettings | None = recipe.tables.get("collection", {}).get("collection")
    return collection


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


def check_listed(check: Check, channel: str, path: Path) -> None:
    """Whether the collection has a channel, where the recipe lists its channels; those of encoders are checked with
    the encoders."""
    if is_encoded(channel):
        return
    needed = tokenizer_of(channel)
    if needed is not None and check.errors.touch(("tokenizers", needed)):
        return  # what is wrong there is reported there
    listed = listed_channels(check.recipe, check.draft.folder)
    if listed is not None and channel not in listed:
        check.errors.error(
            f"the collection has no channel {channel!r}", path,
            nearest(channel, listed) if needed is None
            else f"Add it: channels = [\"{channel}\", …] in [collection].",
        )


def check_learned_channel(check: Check, channel: str, path: Path) -> None:
    """Whether terms of a channel can be learnt from: it is one, and the collection has it."""
    try:
        check_channels([channel], TEXT_CHANNELS)
    except ConfigError as error:
        check.errors.error(error.what, path, error.hint)
        return
    if check_tokenized(check, channel, path):
        check_listed(check, channel, path)


def can_be_learned(channel: str) -> bool:
    """Whether terms of a channel of this name can be learned from; an empty name is that of no channel."""
    with suppress(ConfigError):
        check_channels([channel] if channel else [], TEXT_CHANNELS)
        return bool(channel)
    return False


def is_encoded(name: str) -> bool:
    """Whether a channel has the terms of a sparse encoder, which are not part of the analysis of the collection."""
    try:
        return isinstance(parse_channel(name), EncodedChannel)
    except ConfigError:  # which is reported elsewhere
        return False


def check_held(loading: Loading, channels: Mapping[str, Path]) -> None:
    """Whether an index that is there has the channels that tables name, each at its place."""
    manifest: Manifest | None = loading.data.get("collection")
    if manifest is None:
        return
    config = AnalysisConfig.from_dict(manifest.config)
    held = {*config.text, *config.formulas}
    for channel, path in channels.items():
        if channel not in held and is_channel(channel) and not is_encoded(channel):
            loading.errors.error(f"the index has no channel {channel!r}", path, nearest(channel, sorted(held)))
