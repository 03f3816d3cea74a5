"""The channels of sparse encoders: how they count, what is stored for searches, and how it is removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from porism.analysis.channels import encoded_channel
from porism.errors import ConfigError
from porism.index import Segment
from porism.retrieve.lexical.channels import OTHER_FIELDS, prepare, stored_names
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings.base import LexicalChannel
from porism.retrieve.weightings.impact import Impact
from porism.vectors.splade.records import STEPS, SparseRecord
from porism.vectors.splade.units import EncodedUnits

_WEIGHT_OF_STEP = {OTHER_FIELDS: 1 / STEPS}
"""What turns steps into weights: the weight of the one field that the channel of an encoder has."""

_USUAL = LexicalChannel(1.0, Impact(), field_weights=_WEIGHT_OF_STEP)


def channel_of(settings: ChannelSettings, name: str) -> LexicalChannel:
    """The channel of a sparse encoder for the engine; its weighting is ``impact`` where the settings name none.

    :raises ConfigError: a setting is given that such a channel does not have.
    """
    if settings.field_weights is not None or settings.similarity:
        what = "similarity" if settings.similarity else "field weights"
        raise ConfigError(
            f"the channel {name!r} of a sparse encoder has no {what}", where=f"channels.{name}",
            hint="Leave it out: the encoder reads the document as a whole, and says itself what is similar.",
        )
    weighting = settings.lexical.weighting if settings.weighting else Impact()
    return replace(_USUAL, weight=settings.weight, weighting=weighting)


def store_postings(segments: Sequence[Segment], store: SparseRecord, index_path: Path) -> None:
    """Stores the postings of a sparse encoder with each segment, so that searches compute nothing.

    :raises ConfigError: the documents were not encoded.
    :raises StorageError: the disk is full or the folder read-only.
    """
    name = encoded_channel(store.name)
    prepare([EncodedUnits(segment, {name: store}, str(index_path)) for segment in segments], {name: _USUAL})


def remove_postings(segments: Sequence[Segment], store: SparseRecord, index_path: Path) -> None:
    """Removes what :func:`store_postings` stored."""
    name = encoded_channel(store.name)
    for segment in segments:
        units = EncodedUnits(segment, {name: store}, str(index_path))
        for derived in stored_names(units, name, _WEIGHT_OF_STEP, Impact()):
            segment.derived_path(derived).unlink(missing_ok=True)
