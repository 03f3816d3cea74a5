"""Several indexes read as one: their segments side by side, as if they were those of a single index.

Statistics, scores and rankings depend on the live documents of a snapshot, and not on how these are spread over
segments. So a search of a joint snapshot finds what a search of one index with all documents would find, by any model.
The indexes must make terms alike, and what a model reads beside the segments must be the same in all of them.
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
"""The folder of an index, or those of several, which may have names."""


def names_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Names for indexes: of each folder its name without ``.index``, with a number where two are alike."""
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
    """One committed state of each of several indexes, as a snapshot of one index that has all their documents.

    Where two indexes have a document of one id, each of these gets the name of its index before it: ``notes:limits``
    and ``thesis:limits``. Artifacts are read from the folder of the first index, which is :attr:`path`:
    :meth:`check_artifact` says whether the others have the same. The generation is the sum of those of the indexes, so
    that it grows with any commit.
    """

    def __init__(self, indexes: Mapping[str, Snapshot]) -> None:
        """The indexes by name, in any order.

        :raises ConfigError: there are none, or they were analysed with other settings.
        """
        if not indexes:
            raise ConfigError("there is no index to search", hint="Name one: --index DIR.")
        check_alike({str(one.path): one.config for one in indexes.values()})
        self.indexes: Mapping[str, Snapshot] = dict(indexes)
        """The snapshots by the names of their indexes."""
        segments = tuple(_qualified({name: one.segments for name, one in indexes.items()}))
        homes = [name for name, one in indexes.items() for _ in one.segments]
        self._home = dict(zip(segments, homes, strict=True))
        first = next(iter(indexes.values()))
        super().__init__(first.path, join_manifests([one.manifest for one in indexes.values()]), segments)

    @classmethod
    def open_all(cls, paths: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]) -> JointSnapshot:
        """The last committed states of the indexes in some folders; a folder that is named twice counts once.

        :raises ConfigError: there are none, or they were analysed with other settings.
        :raises IndexNotFound: a folder has none, and as :meth:`Snapshot.open` otherwise.
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
        found: dict[str, Source] = {}
        for one in self.indexes.values():
            found = {**one.sources, **found}
        return found

    @property
    def source_tables(self) -> tuple[Mapping[str, Source], ...]:
        return tuple(one.sources for one in self.indexes.values())

    def sources_of(self, doc_id: str) -> Mapping[str, Source]:
        home = self.home(doc_id)
        return {} if home is None else self.indexes[home].sources

    def home(self, doc_id: str) -> str | None:
        """The name of the index that has a document, None where none has it."""
        found = self.find(doc_id)
        return None if found is None else self._home[found[0]]

    def check_artifact(self, kind: ArtifactKind, name: str) -> None:
        """Checks that all indexes have the same artifact of this kind and name; without a name, whichever they have.

        :raises ConfigError: one lacks it, or has another.
        """
        found: dict[Path, bytes] = {}
        for one in self.indexes.values():
            path = kind.chosen(
                one.path, name, none=f"the index has no {kind.folder}", several="{name}",
                make=f"Make it: {kind.make.format(name=name or 'NAME')} --index {one.path}",
            )
            try:
                found[path] = path.read_bytes()
            except OSError as error:
                raise kind.missing(one.path, name) from error
        first = next(iter(found))
        for path, data in found.items():
            if data != found[first]:
                raise ConfigError(
                    f"is another one than {first}: the scores of the indexes would not compare", where=str(path),
                    hint="Copy the file over the other, or join the indexes to one: porism index SOURCES --index NEW.",
                )

    def close(self) -> None:
        super().close()
        self._home = {}
        for one in self.indexes.values():
            one.close()


def open_snapshot(path: Paths | Snapshot) -> Snapshot:
    """The last committed state of an index, or of several as one; a snapshot as it is.

    :raises ConfigError: several indexes make terms in different ways.
    :raises IndexFolderError: an index is missing or damaged.
    """
    if isinstance(path, Snapshot):
        return path
    if isinstance(path, (str, os.PathLike)):
        return Snapshot.open(path)
    several = JointSnapshot.open_all(path)
    return several if len(several.indexes) > 1 else next(iter(several.indexes.values()))


def join_manifests(manifests: Sequence[Manifest]) -> Manifest:
    """One committed state that has the segments of all, in order; no file has it."""
    return Manifest(
        sum(one.generation for one in manifests), min(one.created for one in manifests),
        max(one.updated for one in manifests), 0, manifests[0].config,
        tuple(entry for one in manifests for entry in one.segments),
    )


_OPTIONS = {
    "text": "--channels", "formulas": "--channels", "language": "--language", "stop_words": "--stop-words",
    "identifiers": "--identifiers", "tokenizers": "--tokenizer",
}


def check_alike(configs: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks that indexes make terms alike, by the analysis configuration of each.

    The order of channels does not matter.

    :raises ConfigError: two differ; it says in what, and how to index again.
    """
    first = next(iter(configs))
    for where, config in configs.items():
        for setting in dict.fromkeys([*configs[first], *config]):
            mine, other = _plain(config.get(setting)), _plain(configs[first].get(setting))
            if mine != other:
                raise ConfigError(
                    f"was indexed with {setting} {_shown(mine)}, and {first} with {_shown(other)}: they cannot be "
                    "searched as one", where=where,
                    hint=f"Index its sources again as the other: porism index SOURCES --index NEW with the same "
                    f"{_OPTIONS.get(setting, setting)}.",
                )


def _plain(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else "nothing" if value is None else str(value)


class QualifiedNames(Names):
    """The names of a segment's documents, some of which have the name of their index before theirs."""

    def __init__(self, names: Names, positions: NDArray[np.int64], index: str) -> None:
        """``positions`` are those of these documents, ``index`` is the name of their index."""
        self._names = names
        self.dictionary = names.dictionary
        self._other = dict(zip(
            positions.tolist(), (f"{index}:{name}" for name in names.names(positions)), strict=True
        ))
        self._position = {name: position for position, name in self._other.items()}
        packed = self.packed()
        order = sort_order(packed.blob, packed.starts)
        self.rank: NDArray[np.int32] = np.empty(len(order), np.int32)
        self.rank[order] = np.arange(len(order), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._names)

    def name(self, position: int) -> str:
        return self._other.get(int(position)) or self._names.name(position)

    def names(self, positions: NDArray[np.integer]) -> list[str]:
        found = zip(np.asarray(positions).tolist(), self._names.names(positions), strict=True)
        return [self._other.get(position, name) for position, name in found]

    def find(self, names: Sequence[str]) -> NDArray[np.int32]:
        found = self._names.find(names)
        hidden = np.fromiter(self._other, np.int32, len(self._other))
        found = np.where(np.isin(found, hidden), np.int32(-1), found)
        for place, name in enumerate(names):
            found[place] = self._position.get(name, found[place])
        return found

    def find_packed(self, names: Packed) -> NDArray[np.int32]:
        return self.find(names.strings())

    def packed(self) -> Packed:
        packed = self._names.packed()
        positions = np.fromiter(self._other, np.int64, len(self._other))
        joined = Packed.join([packed, Packed.of(list(self._other.values()))])
        places = np.arange(len(packed))
        places[positions] = len(packed) + np.arange(len(positions))
        return joined.take(places)


class QualifiedSegment(Segment):
    """A segment some of whose documents have the name of their index before their ids."""

    def __init__(self, segment: Segment, positions: NDArray[np.int64], index: str) -> None:
        """``positions`` are those of these documents."""
        self.__dict__.update(segment.__dict__)
        self.__dict__["names"] = QualifiedNames(segment.names, positions, index)
        self._qualified = frozenset(positions.tolist())
        self.new_names: tuple[str, ...] = tuple(self.names.names(positions))
        """The ids that these documents have here."""

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
    """The segments of all indexes, in order, with ids that no two live documents have."""
    if len(indexes) == 1:  # ids are distinct within one, and reading all of them takes long
        yield from next(iter(indexes.values()))
        return
    held = {name: [(segment, np.flatnonzero(segment.live)) for segment in of] for name, of in indexes.items()}
    shared = _shared_ids([[segment.names.packed().take(live) for segment, live in of] for of in held.values()])
    for (name, of), of_index in zip(held.items(), shared, strict=True):
        for (segment, live), several in zip(of, of_index, strict=True):
            if several.any():
                segment = QualifiedSegment(segment, live[several], name)
                _check_free(segment, [one for every in indexes.values() for one in every])
            yield segment


def _check_free(qualified: QualifiedSegment, segments: Sequence[Segment]) -> None:
    """Checks that no document has the id already that another gets here."""
    for segment in segments:
        for position, found in zip(qualified.new_names, segment.names.find(list(qualified.new_names)), strict=True):
            if found >= 0 and segment.live[found]:
                raise ConfigError(
                    f"the id {position!r} is one of another document already", where=str(segment.folder.parents[1]),
                    hint="Rename the folder of an index: its name goes before ids that two indexes share.",
                )


def _shared_ids(indexes: Sequence[Sequence[Packed]]) -> list[list[NDArray[np.bool_]]]:
    """Of ids by index and segment, which are in more than one index too (bool); ids are distinct within one."""
    every = [ids for of in indexes for ids in of]
    if not every:
        return [[np.zeros(len(ids), np.bool_) for ids in of] for of in indexes]
    packed = Packed.join(every)
    numbers, firsts = unify(packed.blob, packed.starts)
    several = (np.bincount(numbers, minlength=len(firsts)) > 1)[numbers]
    ends = iter(np.split(several, np.cumsum([len(ids) for ids in every])[:-1]))
    return [[next(ends) for _ in of] for of in indexes]
