"""The artifacts of an index: which there are, of what each was made, and whether that has changed since."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.errors import ConfigError, IndexCorrupt, IndexVersionError
from porism.files.artifacts import (
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
from porism.index import Snapshot
from porism.index.container import Container
from porism.index.manifest import Manifest, read_manifest
from porism.index.vectors import has_vectors
from porism.neural.encoder_files import find_encoder
from porism.neural.encoder_settings import EncoderSettings
from porism.retrieve.colbert.provider import DocumentTokens
from porism.retrieve.colbert.stores import read_store
from porism.retrieve.dense.provider import DenseVectors
from porism.retrieve.dense.records import EncoderRecord, read_record
from porism.retrieve.formula_encoder.provider import EncodedFormulas
from porism.retrieve.formula_encoder.records import FormulaEncoderRecord
from porism.retrieve.formula_encoder.records import read_record as read_formula_record
from porism.retrieve.splade.stores import terms_spec
from porism.settings import read_settings

Outdated = Callable[[Path, Manifest, Mapping[str, Any]], str]
"""From the folder of an index, its manifest and what an artifact says of itself to why it is out of date, or ``""``."""


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
            yield Artifact(kind.folder, name, file, size, info, outdated(folder, manifest, info))


def _info(kind: ArtifactKind, manifest: Manifest, file: Path) -> Mapping[str, Any]:
    """What an artifact says of its making.

    :raises IndexCorrupt: it cannot be read.
    """
    if kind is TOKENIZERS:
        return _tokenizer(manifest, kind.name_of(file))
    if kind is FORMULA_ENCODERS:
        return read_formula_record(file).to_dict()
    return read_record(file).to_dict() if kind is ENCODERS else Container(file, None).info


def _tokenizer(manifest: Manifest, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (manifest.config.get("tokenizers") or {}).get(name, {})
    return found


def _no_channel(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    return "" if info else "no channel of the index uses it"


def _changed_index(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    """Trained vectors and models: documents that were added later do not make them wrong, only older than the index."""
    generation = info.get("generation")
    if generation is None or generation == manifest.generation:
        return ""
    commits = manifest.generation - int(generation)
    return f"made {commits} commit{'s' if commits != 1 else ''} ago"


def _changed_vectors(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
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
    return _changed_index(folder, manifest, info)


def _changed_model(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    """Encoders: the model must be there, and as it was when documents were encoded, which all must be."""
    record = read_settings(EncoderRecord, info)
    try:
        record.files(folder)
    except ConfigError as error:
        return error.what
    with Snapshot.open(folder) as snapshot:
        vectors = DenseVectors(folder, record)
        missing = sum(segment.doc_count for segment in snapshot.segments if not vectors.has(segment))
    return f"{missing:,} documents are not encoded yet: porism encode {record.model}" if missing else ""


def _changed_formula_encoder(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    """Encoders of formulas: as for others."""
    record = read_settings(FormulaEncoderRecord, info)
    try:
        record.folder(folder)
    except ConfigError as error:
        return error.what
    with Snapshot.open(folder) as snapshot:
        vectors = EncodedFormulas(folder, record)
        missing = sum(segment.formula_count for segment in snapshot.segments if not vectors.has(segment))
    return f"{missing:,} formulas are not encoded yet: porism encode {record.model}" if missing else ""


def _changed_sparse(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    """Sparse encoders: as for others."""
    try:
        settings = read_settings(EncoderSettings, info["settings"])
        model, digest = str(info["model"]), str(info["digest"])
        if find_encoder(model, folder, settings).digest != digest:
            return f"the model {model!r} is another than the one whose terms the index has"
    except (KeyError, TypeError):
        return "it does not describe a sparse encoder"
    except ConfigError as error:
        return error.what
    spec = terms_spec(digest, settings)
    with Snapshot.open(folder) as snapshot:
        missing = sum(one.doc_count for one in snapshot.segments if not has_vectors(one, spec, one.doc_count))
    return f"{missing:,} documents are not encoded yet: porism encode {model}" if missing else ""


def _changed_tokens(folder: Path, manifest: Manifest, info: Mapping[str, Any]) -> str:
    """Token stores: the model must be there, and as it was when documents were encoded, which all must be."""
    store = read_store(TOKENS.path(folder, info["name"]))
    try:
        store.files(folder)
    except ConfigError as error:
        return error.what
    with Snapshot.open(folder) as snapshot:
        tokens = DocumentTokens(folder, store)
        missing = sum(segment.doc_count for segment in snapshot.segments if not tokens.has(segment))
    return f"{missing:,} documents are not encoded yet: porism encode {store.model}" if missing else ""


_OUTDATED: Mapping[ArtifactKind, Outdated] = MappingProxyType({
    TOKENIZERS: _no_channel, EMBEDDINGS: _changed_index, SIMILARITIES: _changed_vectors, MODELS: _changed_index,
    ENCODERS: _changed_model,
    SPARSE: _changed_sparse,
    TOKENS: _changed_tokens,
    FORMULA_ENCODERS: _changed_formula_encoder,
})
