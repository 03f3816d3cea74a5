"""Segments that are built outside an index, by other processes or machines, for :meth:`IndexWriter.adopt`.

Such a segment is a folder with the file of a segment, and the analysis configuration that its terms were made with. It
holds each id once, and nothing refers to it until a writer takes a copy into its index.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from porism.analysis.batch import AnalyzedBatch
from porism.errors import ConfigError, IndexCorrupt
from porism.index.build import write_segment
from porism.index.container import Stamp
from porism.index.parts import BatchPart
from porism.index.segment import DATA_FILE, Segment
from porism.system.files.durable import make_folder, remove_tree, replace_file, storage_errors, sync_file, sync_folder

ORIGIN_FILE = "origin.json"


class ExternalSegment(NamedTuple):
    """A segment outside an index, its whole file compared with its checksums, and the configuration of its terms."""

    segment: Segment
    config: Mapping[str, Any]


def build_segment(
    folder: str | os.PathLike[str], batches: Iterable[AnalyzedBatch], config: Mapping[str, Any]
) -> int:
    """Writes analysed documents as a segment in a new folder; returns how many there are.

    Of documents with the same id the last one stays. ``config`` is that of the analysis
    (:meth:`porism.analysis.analyzer.AnalysisConfig.to_dict`). The folder is complete when its origin is written: one
    that a killed process left behind is refused, and can be removed and made again.

    :raises StorageError: the folder exists or cannot be written.
    """
    place = Path(folder)
    held = list(batches)
    last = {doc_id: (number, doc) for number, batch in enumerate(held) for doc, doc_id in enumerate(batch.ids)}
    parts = []
    for number, batch in enumerate(held):
        live = np.fromiter(
            (last[doc_id] == (number, doc) for doc, doc_id in enumerate(batch.ids)), np.bool_, count=len(batch.ids)
        )
        if live.any():
            parts.append(BatchPart(batch, live))
    stamp = write_segment(place, parts)
    origin = {"config": dict(config), "stamp": list(stamp)}
    replace_file(place / ORIGIN_FILE, orjson.dumps(origin))
    return len(last)


def open_outside(folder: str | os.PathLike[str]) -> ExternalSegment:
    """A segment that :func:`build_segment` wrote.

    :raises ConfigError: there is none, or it is not complete.
    :raises IndexCorrupt: it was changed.
    :raises IndexVersionError: it was written in a format that this version does not read.
    """
    place = Path(folder)
    try:
        origin = orjson.loads((place / ORIGIN_FILE).read_bytes())
        size, digest = origin["stamp"]
        segment = Segment(place, Stamp(size, digest))
        config = dict(origin["config"])
    except FileNotFoundError as error:
        raise ConfigError(
            "there is no complete segment", where=str(place), hint="Remove the folder and build it again."
        ) from error
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise IndexCorrupt(
            f"does not say what it was made with ({error})", where=str(place / ORIGIN_FILE), hint="Build it again."
        ) from error
    segment.verify()
    return ExternalSegment(segment, config)


def move_segment(found: ExternalSegment, folder: Path) -> Segment:
    """The segment as a new folder of the same file system, without its derived data and whatever else was beside it.

    :raises StorageError: the folder cannot be written.
    """
    source = found.segment.folder
    remove_tree(folder)
    with storage_errors(folder):
        for name in set(os.listdir(source)) - {DATA_FILE}:
            (source / name).unlink()
        source.rename(folder)
        sync_folder(folder)
        sync_folder(folder.parent)
    return Segment(folder, found.segment.stamp)


def copy_segment(source: Segment, folder: Path) -> Segment:
    """A durable copy of a segment's file as that of a new folder, without its derived data and deletions.

    :raises StorageError: the folder cannot be written; nothing is left behind.
    """
    remove_tree(folder)
    make_folder(folder.parent)
    try:
        with storage_errors(folder):
            folder.mkdir()
            shutil.copyfile(source.folder / DATA_FILE, folder / DATA_FILE)
            with open(folder / DATA_FILE, "rb+") as file:
                sync_file(file.fileno())
            sync_folder(folder)
            sync_folder(folder.parent)
        return Segment(folder, source.stamp)
    except BaseException:
        remove_tree(folder)
        raise
