"""Several indexes read as one, whose segments are those of all.

Statistics, scores and rankings depend on the live documents of a snapshot, not on how these are spread over segments.
So by any model, a joint snapshot gives the results of one index with all documents. The indexes must share their
analysis configuration and the artifacts that a model reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.container import corrupt
from porism.index.manifest import Manifest
from porism.index.segment import Segment
from porism.index.snapshot import Snapshot
from porism.index.sources import Source
from porism.index.string_kernels import sort_order, unify
from porism.index.strings import Names, Packed
from porism.system.files.artifacts import ArtifactKind

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]
"""The folder of an index, or the folders of several, by name or not."""


def names_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Names indexes after their folders, without ``.index``; equal names get a number."""
    named: dict[str, Path] = {}
    for path in paths:
        resolved = path.resolve()
        base = resolved.name.removesuffix(".index").removesuffix("-index") or "index"
        name, number = base, 2
        while name in named:
            name, number = f"{base}-{number}", number + 1
        named[name] = path
    return named


class JointSnapshot(Snapshot):
    """Committed states of several indexes, as a snapshot of one index that has all their documents.

    An id that two indexes share gets the name of its index as a prefix: ``notes:limits`` and ``thesis:limits``.
    Artifacts are read from the folder of the first index, which is :attr:`path`; :meth:`check_artifact` compares those
    of the others. The generation is the sum of the indexes' generations, so it grows with any commit.
    """

    def __init__(self, indexes: Mapping[str, Snapshot]) -> None:
        """:raises ConfigError: there are no indexes, or their analysis configurations differ."""
        if not indexes:
            raise ConfigError("there is no index to search", hint="Name one: --index DIR.")
        check_alike({str(snapshot.path): snapshot.config for snapshot in indexes.values()})
        self.indexes: Mapping[str, Snapshot] = dict(indexes)
        """The snapshots by the names of their indexes."""
        segments = tuple(_qualified({name: snapshot.segments for name, snapshot in indexes.items()}))
        homes = [name for name, snapshot in indexes.items() for _ in snapshot.segments]
        self._home = dict(zip(segments, homes, strict=True))
        first = next(iter(indexes.values()))
        super().__init__(first.path, join_manifests([snapshot.manifest for snapshot in indexes.values()]), segments)

    @classmethod
    def open_all(cls, paths: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]) -> JointSnapshot:
        """The last committed states of the indexes in these folders; a folder that is named twice counts once.

        :raises ConfigError: there are no indexes, or their analysis configurations differ.
        :raises IndexNotFound: a folder has no index; other errors are those of :meth:`Snapshot.open`.
        """
        if not isinstance(paths, Mapping):
            distinct: dict[Path, Path] = {}
            for path in map(Path, paths):
                distinct.setdefault(path.resolve(), path)
            paths = names_of(list(distinct.values()))
        return cls({name: Snapshot.open(path) for name, path in paths.items()})

    def __repr__(self) -> str:
        return f"JointSnapshot({', '.join(self.indexes)}, {self.doc_count} documents)"

    @property
    def sources(self) -> Mapping[str, Source]:
        sources: dict[str, Source] = {}
        for snapshot in self.indexes.values():
            sources = {**snapshot.sources, **sources}
        return sources

    @property
    def source_tables(self) -> tuple[Mapping[str, Source], ...]:
        return tuple(snapshot.sources for snapshot in self.indexes.values())

    def sources_of(self, doc_id: str) -> Mapping[str, Source]:
        home = self.home(doc_id)
        return {} if home is None else self.indexes[home].sources

    def home(self, doc_id: str) -> str | None:
        """The name of the index that has a document, or None."""
        place = self.find(doc_id)
        return None if place is None else self._home[place[0]]

    def check_artifact(self, kind: ArtifactKind, name: str) -> None:
        """Checks that all indexes have the same artifact of this kind and name; an empty name stands for the only one.

        :raises ConfigError: an index lacks it, or has a different one.
        """
        contents: dict[Path, bytes] = {}
        for snapshot in self.indexes.values():
            path = kind.chosen(
                snapshot.path, name, none=f"the index has no {kind.folder}", several="{name}",
                make=f"Make it: {kind.make.format(name=name or 'NAME')} --index {snapshot.path}",
            )
            try:
                contents[path] = path.read_bytes()
            except OSError as error:
                raise kind.missing(snapshot.path, name) from error
        first = next(iter(contents))
        for path, data in contents.items():
            if data != contents[first]:
                raise ConfigError(
                    f"is another one than {first}: the scores of the indexes would not compare", where=str(path),
                    hint="Copy the file over the other, or join the indexes to one: porism index SOURCES --index NEW.",
                )

    def close(self) -> None:
        super().close()
        self._home = {}
        for snapshot in self.indexes.values():
            snapshot.close()


def open_snapshot(path: Paths | Snapshot) -> Snapshot:
    """Opens the last committed state of an index or of several; returns a snapshot unchanged.

    :raises ConfigError: the analysis configurations of the indexes differ.
    :raises IndexFolderError: an index is missing or damaged.
    """
    if isinstance(path, Snapshot):
        return path
    if isinstance(path, (str, os.PathLike)):
        return Snapshot.open(path)
    joint = JointSnapshot.open_all(path)
    return joint if len(joint.indexes) > 1 else next(iter(joint.indexes.values()))


def join_manifests(manifests: Sequence[Manifest]) -> Manifest:
    """A manifest with the segments of all, in order; it is never written."""
    return Manifest(
        sum(manifest.generation for manifest in manifests), min(manifest.created for manifest in manifests),
        max(manifest.updated for manifest in manifests), 0, manifests[0].config,
        tuple(entry for manifest in manifests for entry in manifest.segments),
    )


_OPTIONS = {
    "text": "--channels", "formulas": "--channels", "language": "--language", "stop_words": "--stop-words",
    "identifiers": "--identifiers", "tokenizers": "--tokenizer",
}


def check_alike(configs: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks that the analysis configurations of indexes are equal, up to the order of channels.

    :raises ConfigError: two differ; the message names the setting and how to index again.
    """
    first = next(iter(configs))
    for where, config in configs.items():
        for setting in dict.fromkeys([*configs[first], *config]):
            mine, other = _unordered(config.get(setting)), _unordered(configs[first].get(setting))
            if mine != other:
                raise ConfigError(
                    f"was indexed with {setting} {_shown(mine)}, and {first} with {_shown(other)}: they cannot be "
                    "searched as one", where=where,
                    hint=f"Index its sources again as the other: porism index SOURCES --index NEW with the same "
                    f"{_OPTIONS.get(setting, setting)}.",
                )


def _unordered(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else "nothing" if value is None else str(value)


class QualifiedNames(Names):
    """The ids of a segment's documents, some of them prefixed with the name of their index."""

    def __init__(self, names: Names, positions: NDArray[np.int64], index: str) -> None:
        """``positions`` are the documents that get the prefix ``index``."""
        self._names = names
        self.dictionary = names.dictionary
        self._prefixed = dict(zip(
            positions.tolist(), (f"{index}:{name}" for name in names.names(positions)), strict=True
        ))
        self._position = {name: position for position, name in self._prefixed.items()}
        packed = self.packed()
        order = sort_order(packed.blob, packed.starts)
        self.rank: NDArray[np.int32] = np.empty(len(order), np.int32)
        self.rank[order] = np.arange(len(order), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._names)

    def name(self, position: int) -> str:
        return self._prefixed.get(int(position)) or self._names.name(position)

    def names(self, positions: NDArray[np.integer]) -> list[str]:
        pairs = zip(np.asarray(positions).tolist(), self._names.names(positions), strict=True)
        return [self._prefixed.get(position, name) for position, name in pairs]

    def find(self, names: Sequence[str]) -> NDArray[np.int32]:
        positions = self._names.find(names)
        hidden = np.fromiter(self._prefixed, np.int32, len(self._prefixed))
        positions = np.where(np.isin(positions, hidden), np.int32(-1), positions)
        for place, name in enumerate(names):
            positions[place] = self._position.get(name, positions[place])
        return positions

    def find_packed(self, names: Packed) -> NDArray[np.int32]:
        return self.find(names.strings())

    def packed(self) -> Packed:
        packed = self._names.packed()
        positions = np.fromiter(self._prefixed, np.int64, len(self._prefixed))
        joined = Packed.join([packed, Packed.of(list(self._prefixed.values()))])
        places = np.arange(len(packed))
        places[positions] = len(packed) + np.arange(len(positions))
        return joined.take(places)


class QualifiedSegment(Segment):
    """A segment in which some ids are prefixed with the name of their index."""

    def __init__(self, segment: Segment, positions: NDArray[np.int64], index: str) -> None:
        """``positions`` are the documents that get the prefix ``index``."""
        self.__dict__.update(segment.__dict__)
        self.__dict__["names"] = QualifiedNames(segment.names, positions, index)
        self._qualified = frozenset(positions.tolist())
        self.new_names: tuple[str, ...] = tuple(self.names.names(positions))
        """The prefixed ids."""

    def placed(self, name: str, doc: int, record: bytes) -> bytes:
        placed = super().placed(name, doc, record)
        if name != "stored" or doc not in self._qualified:
            return placed
        try:
            value: dict[str, Any] = orjson.loads(placed)
            value["id"] = self.names.name(doc)
        except (ValueError, TypeError) as error:
            raise corrupt(f"has a document that cannot be read ({error})", self.container.path) from error
        return orjson.dumps(value)


def _qualified(indexes: Mapping[str, Sequence[Segment]]) -> Iterator[Segment]:
    """The segments of all indexes, in order; ids that several indexes share are prefixed."""
    if len(indexes) == 1:  # ids are distinct within an index, and reading all of them takes long
        yield from next(iter(indexes.values()))
        return
    live_docs = {
        name: [(segment, np.flatnonzero(segment.live)) for segment in segments] for name, segments in indexes.items()
    }
    shared = _shared_ids(
        [[segment.names.packed().take(docs) for segment, docs in pairs] for pairs in live_docs.values()]
    )
    for (name, pairs), shared_by_segment in zip(live_docs.items(), shared, strict=True):
        for (segment, docs), is_shared in zip(pairs, shared_by_segment, strict=True):
            if is_shared.any():
                segment = QualifiedSegment(segment, docs[is_shared], name)
                _check_free(segment, [other for segments in indexes.values() for other in segments])
            yield segment


def _check_free(qualified: QualifiedSegment, segments: Sequence[Segment]) -> None:
    """Checks that no document has one of the prefixed ids already."""
    for segment in segments:
        for doc_id, doc in zip(qualified.new_names, segment.names.find(list(qualified.new_names)), strict=True):
            if doc >= 0 and segment.live[doc]:
                raise ConfigError(
                    f"another document already has the id {doc_id!r}", where=str(segment.folder.parents[1]),
                    hint="Rename the folder of an index: its name is the prefix of ids that two indexes share.",
                )


def _shared_ids(indexes: Sequence[Sequence[Packed]]) -> list[list[NDArray[np.bool_]]]:
    """Which ids, given by index and segment, occur in several indexes (bool); within an index they are distinct."""
    all_ids = [ids for segments in indexes for ids in segments]
    if not all_ids:
        return [[] for _ in indexes]
    packed = Packed.join(all_ids)
    numbers, firsts = unify(packed.blob, packed.starts)
    is_shared = (np.bincount(numbers, minlength=len(firsts)) > 1)[numbers]
    by_segment = iter(np.split(is_shared, np.cumsum([len(ids) for ids in all_ids])[:-1]))
    return [[next(by_segment) for _ in segments] for segments in indexes]
