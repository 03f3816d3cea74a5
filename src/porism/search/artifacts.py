"""The artifacts of an index: which there are, of what each was made, and whether that has changed since."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError, IndexCorrupt, IndexVersionError
from porism.index import Snapshot
from porism.index.container import Container
from porism.index.manifest import Manifest, read_manifest
from porism.search.models.registry import RETRIEVERS
from porism.search.models.wings import encoding_stores
from porism.settings import write_settings
from porism.system.files.artifacts import (
    EMBEDDINGS,
    ENCODERS,
    FORMULA_ENCODERS,
    MODELS,
    SIMILARITIES,
    SPARSE,
    TOKENIZERS,
    TOKENS,
    ArtifactKind,
)

Outdated = Callable[[Path, Manifest, Path, Mapping[str, Any]], str]
"""From the folder of an index, its manifest, the file of an artifact and what it says of itself to why it is out of
date, or ``""``."""

def read_record(kind: ArtifactKind, file: Path) -> Any:
    """What a file says of encodings, where a record in JSON describes them; None of other artifacts.

    :raises IndexCorrupt: it cannot be read.
    """
    store = encoding_stores().get(kind) if kind.suffix == ".json" else None
    return None if store is None else store.read(file)


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact: ``made_of`` is what it says of its making, ``outdated`` why it should be made again, or ``""``."""

    kind: str
    name: str
    path: Path
    size: int
    made_of: Mapping[str, Any]
    outdated: str = ""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return {
            "kind": self.kind, "name": self.name, "path": str(self.path), "size": self.size,
            "made_of": dict(self.made_of), "outdated": self.outdated,
        }


def list_artifacts(path: str | os.PathLike[str]) -> list[Artifact]:
    """All artifacts of an index, by kind and name; one that cannot be read says so in ``outdated``.

    :raises IndexNotFound: there is no index.
    :raises IndexCorrupt: its manifest cannot be read.
    """
    folder = Path(path)
    return list(_artifacts(folder, read_manifest(folder)))


def _artifacts(folder: Path, manifest: Manifest) -> Iterator[Artifact]:
    for kind, outdated in _OUTDATED.items():
        for file in kind.files(folder):
            name = kind.name_of(file)
            try:
                size = file.stat().st_size
                info = _info(kind, manifest, file)
            except FileNotFoundError:  # it has just been removed
                continue
            except (IndexCorrupt, IndexVersionError) as error:
                yield Artifact(kind.folder, name, file, size, {}, f"it cannot be read: {error.what}")
                continue
            yield Artifact(kind.folder, name, file, size, info, outdated(folder, manifest, file, info))


def _info(kind: ArtifactKind, manifest: Manifest, file: Path) -> Mapping[str, Any]:
    """What an artifact says of its making."""
    if kind is TOKENIZERS:
        return _tokenizer(manifest, kind.name_of(file))
    if (record := read_record(kind, file)) is not None:
        return write_settings(record)
    return Container(file, None).info


def _tokenizer(manifest: Manifest, name: str) -> Mapping[str, Any]:
    tokenizer: Mapping[str, Any] = (manifest.config.get("tokenizers") or {}).get(name, {})
    return tokenizer


def _no_channel(folder: Path, manifest: Manifest, file: Path, info: Mapping[str, Any]) -> str:
    return "" if info else "no channel of the index uses it"


def _changed_index(folder: Path, manifest: Manifest, file: Path, info: Mapping[str, Any]) -> str:
    """Trained vectors and models: documents that were added later do not make them wrong, only older than the index."""
    generation = info.get("generation")
    if generation is None or generation == manifest.generation:
        return ""
    commits = manifest.generation - int(generation)
    return f"made {commits} commit{'s' if commits != 1 else ''} ago"


def _changed_vectors(folder: Path, manifest: Manifest, file: Path, info: Mapping[str, Any]) -> str:
    """Matrices: first of all the embeddings must be those that the similarities were computed from."""
    made_of = info.get("embeddings")
    if made_of:
        try:
            stamp = Container(EMBEDDINGS.path(folder, made_of["name"]), None).stamp
        except FileNotFoundError:
            return f"the embeddings {made_of['name']!r} that it was made of are gone"
        except (IndexCorrupt, IndexVersionError):
            return f"the embeddings {made_of['name']!r} that it was made of cannot be read"
        if f"{stamp.digest:016x}" != made_of["digest"]:
            return f"the embeddings {made_of['name']!r} were trained again since"
    return _changed_index(folder, manifest, file, info)


def _not_encoded(folder: Path, manifest: Manifest, file: Path, info: Mapping[str, Any]) -> str:
    """Encodings: the model must be there, and as it was when things were encoded, which all must be."""
    store = next((store for kind, store in encoding_stores().items() if kind.folder == file.parent.name), None)
    if store is None:
        return "what reads it is not installed"
    try:
        record = store.read(file)
        record.check(folder)
    except IndexCorrupt as error:
        return f"it cannot be read: {error.what}"
    except ConfigError as error:
        return error.what
    things, provider = next(
        (kind.finds, provider) for kind in RETRIEVERS.values() for provider in kind.vectors(folder)
        if provider.name == record.spec.name
    )
    with Snapshot.open(folder) as snapshot:
        missing = sum(provider.count(segment) for segment in snapshot.segments if not provider.has(segment))
    return f"{missing:,} {things} are not encoded yet: porism encode {record.model}" if missing else ""


_OUTDATED: Mapping[ArtifactKind, Outdated] = MappingProxyType({
    TOKENIZERS: _no_channel, EMBEDDINGS: _changed_index, SIMILARITIES: _changed_vectors, MODELS: _changed_index,
    ENCODERS: _not_encoded, SPARSE: _not_encoded, TOKENS: _not_encoded, FORMULA_ENCODERS: _not_encoded,
})
