"""Segments that are built outside an index, by other processes or machines, for :meth:`IndexWriter.adopt`.

Such a segment is a folder with a segment file and the analysis configuration of its terms. Each id occurs once in it.
Nothing refers to the folder until a writer copies it into its index.
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
    """A verified segment outside an index, and the analysis configuration of its terms."""

    segment: Segment
    config: Mapping[str, Any]


def build_segment(folder: str | os.PathLike[str], batches: Iterable[AnalyzedBatch], config: Mapping[str, Any]) -> int:
    """Writes analysed documents as a segment in a new folder; returns their number.

    The last document with an id replaces earlier ones. ``config`` is the analysis configuration
    (:meth:`porism.analysis.analyzer.AnalysisConfig.to_dict`). :data:`ORIGIN_FILE` is written last: a folder without it,
    such as a killed process leaves, is refused; remove it and build it again.

    :raises StorageError: the folder exists or cannot be written.
    """
    path = Path(folder)
    kept = list(batches)
    last = {doc_id: (number, doc) for number, batch in enumerate(kept) for doc, doc_id in enumerate(batch.ids)}
    parts = []
    for number, batch in enumerate(kept):
        live = np.fromiter(
            (last[doc_id] == (number, doc) for doc, doc_id in enumerate(batch.ids)), np.bool_, count=len(batch.ids)
        )
        if live.any():
            parts.append(BatchPart(batch, live))
    stamp = write_segment(path, parts)
    origin = {"config": dict(config), "stamp": list(stamp)}
    replace_file(path / ORIGIN_FILE, orjson.dumps(origin))
    return len(last)


def open_outside(folder: str | os.PathLike[str]) -> ExternalSegment:
    """Opens and verifies a segment that :func:`build_segment` wrote.

    :raises ConfigError: there is none, or it is not complete.
    :raises IndexCorrupt: it was changed.
    :raises IndexVersionError: this version does not read its format.
    """
    path = Path(folder)
    try:
        origin = orjson.loads((path / ORIGIN_FILE).read_bytes())
        size, digest = origin["stamp"]
        segment = Segment(path, Stamp(size, digest))
        config = dict(origin["config"])
    except FileNotFoundError as error:
        raise ConfigError(
            "there is no complete segment", where=str(path), hint="Remove the folder and build it again."
        ) from error
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise IndexCorrupt(
            f"does not say what it was made with ({error})", where=str(path / ORIGIN_FILE), hint="Build it again."
        ) from error
    segment.verify()
    return ExternalSegment(segment, config)


def move_segment(external: ExternalSegment, folder: Path) -> Segment:
    """Moves a segment to ``folder`` on the same file system, without its derived data and other files.

    :raises StorageError: the folder cannot be written.
    """
    source = external.segment.folder
    remove_tree(folder)
    with storage_errors(folder):
        for name in set(os.listdir(source)) - {DATA_FILE}:
            (source / name).unlink()
        source.rename(folder)
        sync_folder(folder)
        sync_folder(folder.parent)
    return Segment(folder, external.segment.stamp)


def copy_segment(source: Segment, folder: Path) -> Segment:
    """Copies a segment's file durably to a new folder, without its derived data and deletions.

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
