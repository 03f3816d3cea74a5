"""Encoding the formulas of an index by a model, and remembering the model, so that later commits encode new ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from porism.errors import ConfigError
from porism.index import Snapshot, locked_snapshot
from porism.retrieve.encoding_store import write_record
from porism.system.files.artifacts import FORMULA_ENCODERS
from porism.vectors.encoding import encode_segments, encoder_name, lasting_name
from porism.vectors.formula_encoder.provider import EncodedFormulas
from porism.vectors.formula_encoder.records import FORMULA_RECORDS, FormulaEncoderRecord
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.formula_encoder import load_formula_encoder


@dataclass(frozen=True, slots=True)
class FormulaEncodeReport:
    """What was encoded: the ``record`` of the encoder, how many ``formulas`` the index has, how many of them were
    ``encoded`` now, in ``seconds``, and whether it was ``interrupted``."""

    record: FormulaEncoderRecord
    formulas: int
    encoded: int
    seconds: float
    interrupted: bool


def encode_formulas(
    index_path: str | os.PathLike[str],
    model: str | os.PathLike[str],
    *,
    name: str = "",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> FormulaEncodeReport:
    """Encodes the formulas of an index that have no vectors of a model yet, and remembers the model under a name.

    :param model: the folder of an encoder of formulas, or the name of one that was trained for the index.
    :param name: what the encoder is called in settings of models; that of the model if empty.
    :param on_progress: receives of how many formulas vectors are there, of how many.

    An interruption (Ctrl-C) keeps what was encoded and is noted in the report, not raised; the same call goes on.

    :raises ConfigError: there is no such model, or it is incomplete.
    :raises IndexNotFound: there is no index. :raises IndexLocked: another process writes to it.
    :raises MissingExtra: safetensors is not installed. :raises StorageError: the folder cannot be written.
    """
    started = time.monotonic()
    index = Path(index_path)
    Snapshot.open(index).close()
    folder = model_folder(os.fspath(model), index)
    if folder is None:
        raise ConfigError(
            f"there is no encoder of formulas {os.fspath(model)!r}", where=str(index),
            hint=f"Give its folder, or train one: porism train formula-encoder NAME --index {index}",
        )
    encoder = load_formula_encoder(folder)
    record = FormulaEncoderRecord(
        FORMULA_ENCODERS.check_name(name or encoder_name(model)), lasting_name(folder, index), encoder.about.name,
        encoder.network.dimensions,
    )
    with locked_snapshot(index) as snapshot:
        write_record(FORMULA_ENCODERS, index, record.name, record)
        FORMULA_RECORDS.remove_others(index, snapshot.segments)
        encoded, interrupted = encode_segments(snapshot, EncodedFormulas(index, record, encoder), on_progress)
        formulas = sum(segment.formula_count for segment in snapshot.segments)
        return FormulaEncodeReport(record, formulas, encoded, time.monotonic() - started, interrupted)


def forget_formula_encoder(index_path: str | os.PathLike[str], name: str) -> None:
    """Forgets an encoder of formulas of an index, and removes its vectors.

    :raises ConfigError: the index has none of this name.
    :raises IndexLocked: another process writes to it.
    """
    FORMULA_RECORDS.forget(index_path, name)
