"""An index learns meanings of its own: it goes on from the general table on pairs of its own texts, where that helps.

A tenth of the pairs is held out, with all that have the same title or question. The table that is learnt from the
others is kept only if it finds the partners of these better than the general one does. Vectors of all documents are
there before the table takes its place, so that a reader sees the old ones or the new ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index import Snapshot
from porism.retrieve.meaning.collection import PAIRED, FieldPairs, field_pairs
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.training import OnBatch, TableTraining, train_table
from porism.retrieve.meaning.vectors import MODEL, MeaningChoice, MeaningVectors, general_table, stored_table
from porism.settings import write_settings
from porism.system.files.artifacts import MODELS

ENOUGH_BATCHES = 60
MAX_EPOCHS = 12
"""How many batches a training has at least, unless it would see the pairs more often than this."""

MIN_PAIRS = 4_000
"""An index with fewer learns nothing: a table of its own would be a large part of its size, and hardly better."""

GROWTH = 1.5
"""An index learns anew when it has so many times the documents that it had, or so many times fewer."""

_HELD_OUT = 10
"""One pair in so many decides whether what was learnt helps, or fewer where that were more than
:data:`_MAX_HELD_OUT`."""

_MAX_HELD_OUT = 2_000


def learning_is_due(index_path: str | os.PathLike[str], documents: int) -> bool:
    """Whether an index of so many documents should learn, or learn anew."""
    if documents * len(PAIRED) < MIN_PAIRS:
        return False
    stored = stored_table(Path(index_path))
    if stored is None:
        return True
    before = stored.made_of.get("documents", 0)
    return not stored.made_of.get("fixed") and not before / GROWTH < documents < before * GROWTH


def learn_meanings(
    index_path: str | os.PathLike[str], settings: TableTraining | None = None, *, start: MeaningTable | None = None,
    on_batch: OnBatch = lambda done, total: None,
) -> MeaningTable:
    """Trains a table on pairs of fields of an index's documents; returns what is stored, with ``made_of``.

    ``made_of["use"]`` says whether the table that was learnt is used, or the general one because nothing better could
    be learnt. An interruption leaves the table and the vectors that there were. Only the writer of an index may do it.

    :param settings: by default :func:`usual_training`.
    :param start: the table to go on from and to compare with, by default the general one.
    :raises StorageError: the folder cannot be written.
    """
    path = Path(index_path)
    start = start or general_table()
    with Snapshot.open(path) as snapshot:
        pairs = field_pairs(snapshot.segments, seed=1 if settings is None else settings.seed)
        made_of: dict[str, Any] = {
            "use": "general", "fixed": False, "documents": snapshot.doc_count, "pairs": len(pairs)
        }
        learnt = _nothing(made_of)
        if len(pairs) >= MIN_PAIRS:
            deciding = held_out(pairs)
            asked, learning = pairs.take(np.flatnonzero(deciding)), pairs.take(np.flatnonzero(~deciding))
            settings = settings or usual_training(len(learning))
            trained = train_table(
                learning.left, learning.right, learning.rows, start.decode(), settings, origins=learning.origins,
                on_batch=on_batch,
            )
            table = MeaningTable.of(trained.vectors, made_of)
            before, after = reciprocal_ranks(start, asked), reciprocal_ranks(table, asked)
            made_of |= {
                "held_out": len(asked), "found_by_the_general": _mean(before), "found": _mean(after),
                "losses": list(trained.losses), "training": write_settings(settings),
            }
            gain = after - before
            helps = len(asked) > 1 and gain.mean() > gain.std(ddof=1) / len(gain) ** 0.5
            learnt = table if helps else _nothing(made_of)
            learnt.made_of = made_of | {"use": "own" if helps else "general"}
        vectors = MeaningVectors(path, learnt if len(learnt) else general_table())
        for segment in snapshot.segments:
            vectors.complete(segment)
        _keep(path, learnt)
        vectors.finish(snapshot.segments)
    return learnt


def _mean(ranks: NDArray[np.float64]) -> float:
    return float(ranks.mean()) if len(ranks) else 0.0


def choose_table(index_path: str | os.PathLike[str], choice: MeaningChoice) -> None:
    """Says by which table documents have vectors, from the next commit on; with ``auto`` the index learns anew.

    :raises StorageError: the folder cannot be written.
    """
    path = Path(index_path)
    if choice == "auto":
        MODELS.path(path, MODEL).unlink(missing_ok=True)
    else:
        _keep(path, _nothing({"use": choice, "fixed": True}))


def _nothing(made_of: Mapping[str, Any]) -> MeaningTable:
    return MeaningTable.of(np.zeros((0, 1), np.float32), made_of)


def _keep(path: Path, table: MeaningTable) -> None:
    table.write(MODELS.prepare(path, MODEL))


def held_out(pairs: FieldPairs) -> NDArray[np.bool_]:
    """Which pairs decide (bool): whole groups of those that nearly repeat each other."""
    deciding: NDArray[np.bool_] = pairs.groups % np.uint64(max(_HELD_OUT, len(pairs) // _MAX_HELD_OUT)) == 0
    return deciding


def reciprocal_ranks(table: MeaningTable, pairs: FieldPairs) -> NDArray[np.float64]:
    """For each pair, the mean of the reciprocal ranks of its texts among those of its origin, from either side."""
    ranks = np.zeros(len(pairs))
    left, right = table.vectors(pairs.left, pairs.rows), table.vectors(pairs.right, pairs.rows)
    for origin in np.unique(pairs.origins):
        of_origin = np.flatnonzero(pairs.origins == origin)
        cosines = left[of_origin] @ right[of_origin].T
        own = np.diagonal(cosines)
        there, back = (cosines >= own[:, None]).sum(axis=1), (cosines >= own).sum(axis=0)
        ranks[of_origin] = (1 / there + 1 / back) / 2
    return ranks


def usual_training(pairs: int) -> TableTraining:
    """How a table is trained on so many pairs: few are seen more often."""
    usual = TableTraining()
    batches = max(1, pairs // usual.batch)
    return replace(usual, epochs=min(MAX_EPOCHS, max(usual.epochs, ENOUGH_BATCHES // batches)))
