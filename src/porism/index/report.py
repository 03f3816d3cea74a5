"""The contents of an index: the report of ``porism info``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from porism.index.container import FORMAT
from porism.index.derived import DERIVED_FOLDER
from porism.index.languages import LanguageOrigins, language_counts, language_origins
from porism.index.segment import Segment
from porism.index.snapshot import Snapshot
from porism.index.strings import Packed
from porism.system.files.durable import folder_size


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """A channel: its distinct terms, pairs of row and term (``postings``), and occurrences of terms (``tokens``).

    The rows of a text channel are fields of documents, those of a formula channel distinct formulas of a segment.
    Deleted documents count until a merge drops them.
    """

    name: str
    kind: Literal["text", "formula"]
    terms: int
    postings: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A segment: its documents, deleted ones included, the bytes of its folder, and the format of its file."""

    name: str
    documents: int
    deleted: int
    formulas: int
    size: int
    format: int


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source. ``documents`` are live; ``read`` is when it was last read to its end (seconds since 1970, 0 for never).

    ``there`` is True if its path exists now.
    """

    name: str
    path: str
    format: str
    documents: int
    files: int
    read: float
    problems: int
    there: bool


@dataclass(frozen=True, slots=True)
class GroupProblems:
    """Places of a file (and of files read with it) that were skipped or not understood; ``count`` includes all."""

    source: str
    file: str
    count: int
    problems: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """Everything that ``porism info`` shows of an index.

    ``documents`` are live, ``deleted`` ones are dropped by a merge. ``sizes`` are bytes on disk by content and add up
    to ``size``. ``created`` and ``updated`` are seconds since 1970.
    """

    path: str
    format: int
    generation: int
    created: float
    updated: float
    documents: int
    deleted: int
    fields: tuple[str, ...]
    channels: tuple[ChannelInfo, ...]
    formulas: int
    occurrences: int
    metadata: Mapping[str, int]
    """Metadata key → number of distinct values."""
    size: int
    sizes: Mapping[str, int]
    segments: tuple[SegmentInfo, ...]
    config: Mapping[str, Any]
    sources: tuple[SourceInfo, ...] = ()
    languages: Mapping[str, int] = field(default_factory=dict)
    """Language → documents in it, the most frequent first."""
    language_origins: LanguageOrigins = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return asdict(self)


def info(path: str | os.PathLike[str]) -> IndexInfo:
    """The report of the index in a folder, as of its last commit.

    :raises IndexNotFound: there is no index.
    :raises IndexVersionError: this version does not read its format.
    :raises IndexCorrupt: files are missing, truncated or changed.
    """
    with Snapshot.open(path) as snapshot:
        segments = snapshot.segments
        sizes = _sizes(snapshot)
        return IndexInfo(
            path=str(snapshot.path), format=FORMAT, generation=snapshot.generation,
            created=snapshot.manifest.created, updated=snapshot.manifest.updated,
            documents=snapshot.doc_count,
            deleted=sum(segment.doc_count for segment in segments) - snapshot.doc_count,
            fields=tuple(dict.fromkeys(field for segment in segments for field in segment.fields)),
            channels=tuple(_channels(segments)),
            formulas=_distinct([segment.keys.dictionary.packed() for segment in segments])
            if len(segments) > 1 else sum(segment.formula_count for segment in segments),
            occurrences=sum(len(segment.occurrences) for segment in segments),
            metadata=_metadata(segments),
            size=sum(sizes.values()), sizes=sizes,
            segments=tuple(
                SegmentInfo(
                    segment.name, segment.doc_count, segment.doc_count - segment.live_count, segment.formula_count,
                    folder_size(segment.folder), segment.container.format,
                )
                for segment in segments
            ),
            config=snapshot.config, sources=tuple(_source_infos(snapshot)), languages=language_counts(snapshot),
            language_origins=language_origins(snapshot),
        )


def metadata_values(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """Metadata key → value → number of documents; keys and values are sorted."""
    counted: dict[str, dict[str, int]] = {}
    for segment in snapshot.segments:
        for key, counts in segment.metadata_counts().items():
            values = counted.setdefault(key, {})
            for value, count in counts.items():
                values[value] = values.get(value, 0) + count
    return {key: dict(sorted(counted[key].items())) for key in sorted(counted)}


def source_problems(snapshot: Snapshot) -> list[GroupProblems]:
    """The files of an index that were not read completely, by source."""
    return [
        GroupProblems(
            source.name, source.name if name in ("", source.path.name) else f"{source.name}/{name}",
            group.problem_count, tuple((problem.where, problem.what) for problem in group.problems),
        )
        for source in snapshot.sources.values() for name, group in source.groups.items() if group.problem_count
    ]


def _source_infos(snapshot: Snapshot) -> list[SourceInfo]:
    counts = np.zeros(snapshot.source_table.next_group, np.int64)
    for segment in snapshot.segments:
        owners = segment.owners[segment.live]
        counts += np.bincount(owners[owners >= 0], minlength=len(counts))
    return [
        SourceInfo(
            source.name, str(source.path), source.format or source.detected,
            sum(int(counts[group.number]) for group in source.groups.values()), len(source.files), source.read,
            source.problem_count, source.path.exists(),
        )
        for source in snapshot.sources.values()
    ]


def _channels(segments: tuple[Segment, ...]) -> list[ChannelInfo]:
    kinds: dict[str, Literal["text", "formula"]] = {}
    for segment in segments:
        kinds.update(dict.fromkeys(segment.text_channels, "text"))
        kinds.update(dict.fromkeys(segment.formula_channels, "formula"))
    infos: list[ChannelInfo] = []
    for name in sorted(kinds, key=lambda name: (kinds[name] != "text", list(kinds).index(name))):
        having = [segment for segment in segments if name in (*segment.text_channels, *segment.formula_channels)]
        counts = [segment.channel_info(name) for segment in having]
        terms = counts[0]["terms"] if len(having) == 1 else _distinct(
            [segment.dictionary(name).packed() for segment in having]
        )
        infos.append(ChannelInfo(
            name, kinds[name], terms, sum(count["postings"] for count in counts),
            sum(count["tokens"] for count in counts),
        ))
    return infos


def _distinct(vocabularies: list[Packed]) -> int:
    """The number of distinct strings."""
    from porism.index.string_kernels import unify

    packed = Packed.join(vocabularies)
    return len(unify(packed.blob, packed.starts)[1])


def _metadata(segments: tuple[Segment, ...]) -> dict[str, int]:
    values: dict[str, set[str]] = {}
    for segment in segments:
        for key, counts in segment.metadata_counts().items():
            values.setdefault(key, set()).update(counts)
    return {key: len(values[key]) for key in sorted(values)}


_PARTS = {
    "ids": "document ids", "owners": "sources", "digests": "sources", "lines": "sources",
    "stored": "stored documents", "metadata": "metadata", "filters": "metadata",
    "occurrences": "formula occurrences", "keys": "formulas", "sources": "formulas",
    "trees": "formula trees",
}
"""The first part of a section's name → its label in the report."""


def _sizes(snapshot: Snapshot) -> dict[str, int]:
    sizes: dict[str, int] = {}

    def count(label: str, size: int) -> None:
        sizes[label] = sizes.get(label, 0) + size

    for segment in snapshot.segments:
        for section in segment.container:
            name = section.rpartition(":")[0]
            label = _PARTS.get(section.partition(":")[0], f"channel {name.partition('/')[2]}")
            count(label, segment.container.size_of(section))
    derived = [segment.folder / DERIVED_FOLDER for segment in snapshot.segments]
    count("derived", sum(folder_size(folder) for folder in derived))
    # The rest: the manifest, tombstones, tables of contents, and files that no writer has cleaned up yet.
    count("other", folder_size(snapshot.path) - sum(sizes.values()))
    return sizes
