"""Whether the collection has the channels that tables name."""

from __future__ import annotations

from collections.abc import Mapping

from porism.analysis.analyzer import TEXT_CHANNELS, AnalysisConfig
from porism.analysis.channels import EncodedChannel, parse_channel
from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.kinds.collection import held_manifest
from porism.lab.recipes.kinds.collection_channels import check_tokenized, is_channel, listed_channels
from porism.lab.recipes.kinds.tokenizers import tokenizer_of
from porism.lab.recipes.loading import Loading
from porism.retrieve.lexical.settings import check_channels
from porism.settings import Path, nearest


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
    if not channel:
        return False
    try:
        check_channels([channel], TEXT_CHANNELS)
    except ConfigError:
        return False
    return True


def is_encoded(name: str) -> bool:
    """Whether a channel has the terms of a sparse encoder, which are not part of the analysis of the collection."""
    try:
        return isinstance(parse_channel(name), EncodedChannel)
    except ConfigError:  # which is reported elsewhere
        return False


def check_held(loading: Loading, channels: Mapping[str, Path]) -> None:
    """Whether an index that is there has the channels that tables name, each at its place."""
    manifest = held_manifest(loading.data)
    if manifest is None:
        return
    config = AnalysisConfig.from_dict(manifest.config)
    held = {*config.text, *config.formulas}
    for channel, path in channels.items():
        if channel not in held and is_channel(channel) and not is_encoded(channel):
            loading.errors.error(f"the index has no channel {channel!r}", path, nearest(channel, sorted(held)))
