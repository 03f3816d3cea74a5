"""What encodings of documents have in common, whatever the encoder gives: which model under which name, which
documents, and how far it came."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.analysis.model_text import ModelText, document_text
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.index.vectors import content_digests
from porism.retrieve.kinds import VectorProvider
from porism.system.files.artifacts import MODELS
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import ModelClass, fetched_encoder
from porism.vectors.neural.encoder_settings import EncoderSettings

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")

_DELETED = 0
"""Stands for the digest of a document that was deleted before it was encoded: it gets nothing."""


def document_digests(segment: Segment) -> NDArray[np.uint64]:
    """The digest of the content of each document of a segment (uint64), 0 of one that was deleted."""
    digests = content_digests(orjson.dumps(orjson.loads(stored)["fields"]) for stored in segment.records("stored"))
    digests[~segment.live] = _DELETED
    return digests


def document_texts(segment: Segment, documents: NDArray[np.int64], settings: ModelText) -> list[str]:
    """What an encoder reads of documents, by number; nothing of those that were deleted."""
    return [
        document_text(stored_document(segment, document), settings) if segment.live[document] else ""
        for document in documents.tolist()
    ]


def encoder_name(model: str | os.PathLike[str]) -> str:
    """The name that an encoder has where none is given: the last part of the model's."""
    last = Path(os.fspath(model)).name or "encoder"
    return _NOT_IN_NAMES.sub("-", last).lstrip("._-") or "encoder"


def lasting_name(model: str | os.PathLike[str], index: Path) -> str:
    """A model as an index remembers it: a folder by its path, which is relative to nothing, except for one of the index
    itself, which goes along with it; others as they are named."""
    folder = Path(os.fspath(model)).expanduser()
    if not folder.is_dir():
        return os.fspath(model)
    resolved = folder.resolve()
    return resolved.name if resolved.parent == (index / MODELS.folder).resolve() else str(resolved)


def chosen_files(
    model: str | os.PathLike[str], index: Path, settings: EncoderSettings | Mapping[str, Any] | None,
    kind: ModelClass = "SentenceTransformer",
) -> EncoderFiles:
    """The files of a model, which is fetched if need be, with settings in place of its own or over them.

    :raises IndexNotFound: there is no index. :raises ConfigError: there is no such model or setting.
    """
    Snapshot.open(index).close()
    files = fetched_encoder(model, index, kind=kind)
    if settings is None:
        return files
    whole = settings if isinstance(settings, EncoderSettings) else files.settings.changed(settings)
    return replace(files, settings=whole)


def encode_segments(
    snapshot: Snapshot, provider: VectorProvider, on_progress: Callable[[int, int], None]
) -> tuple[int, bool]:
    """Encodes what the segments of an index lack; returns how many documents that were, and whether Ctrl-C ended it."""
    total = sum(map(provider.count, snapshot.segments))
    done = encoded = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        on_progress(min(done, total), total)

    try:
        for segment in snapshot.segments:
            encoded += provider.complete(segment, step)
        provider.finish(snapshot.segments)
    except KeyboardInterrupt:
        return encoded, True
    return encoded, False
